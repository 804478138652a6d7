//! `gsn tune`: searches for better settings by the validation part.

use super::recipe::RecipeArguments;
use super::user_data::{self, UserDataArguments};
use crate::args::Common;
use crate::given::Given;
use crate::interrupt;
use crate::outcome::{Outcome, say, several};
use crate::screen::Screen;
use anyhow::bail;
use gsn_lab::experiment::{Observer, Options};
use gsn_lab::tune::{Rung, Space, Trial, TuneObserver, TuneRequest, Tuned, tune};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn tune molecules.csv --target y --trials 27
  gsn tune molecules.csv --target y --split scaffold --minutes 60 --out runs/search
  gsn tune zinc-gsn-ef-100k --space space.toml --epochs 100
  gsn tune --resume runs/search

Trial 0 is the recipe as it is, the others are drawn at random. All are trained for some epochs, one
in three goes on, and so on; the last are trained to the end. Only the validation part decides, and
the winner alone is judged on the test part, once. A space is a TOML file of keys and values:
  \"network.width\" = [32, 64, 128]
  \"network.layers\" = { from = 2, to = 5 }
  \"training.lr\" = { log = [1e-4, 1e-2] }

RUN/table.csv, RUN/plot.svg and RUN/best.toml are written after every trial; `gsn train RUN/best.toml`
repeats the winner. RUN/model.gsn is its model.

Exit codes: 0 done, 2 failure, stopped by Ctrl-C or out of time (what was done is saved)";

/// Arguments of `gsn tune`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A recipe by its name or its file; or your own data
    #[arg(required_unless_present = "resume", value_name = "RECIPE")]
    recipe: Option<String>,
    /// Trials at the start
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=999))]
    trials: u16,
    /// Begin no further training after this many minutes
    #[arg(long, value_name = "M")]
    minutes: Option<f64>,
    /// What is varied, as a TOML file [default: what is usually worth trying]
    #[arg(long, value_name = "FILE.toml")]
    space: Option<PathBuf>,
    /// One trial in so many goes on
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(2..=100))]
    keep: u16,
    /// Decides the draws
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..1 << 63))]
    draws: u64,
    /// Folder of the search [default: runs/NAME-tune]
    #[arg(short, long, value_name = "RUN")]
    out: Option<PathBuf>,
    /// Go on with the search in this folder
    #[arg(long, value_name = "RUN", conflicts_with = "recipe")]
    resume: Option<PathBuf>,
    /// Folds and seeds trained side by side [default: whatever is faster, by measuring]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Print the results as one JSON object on standard output
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    changes: RecipeArguments,
    #[command(flatten)]
    data: UserDataArguments,
}

/// What `--resume` can be combined with.
const WITH_RESUME: [&str; 4] = ["resume", "minutes", "jobs", "json"];

/// Says which trial is under way.
struct TrialLines {
    quiet: bool,
    verbose: bool,
}

impl TuneObserver for TrialLines {
    fn begins(&self, rungs: &[Rung], reasons: &[String]) {
        if self.quiet {
            return;
        }
        reasons.iter().for_each(say);
        let rung = |rung: &Rung| {
            format!("{} to epoch {}", several(rung.trials as u64, "trial"), rung.epochs)
        };
        let ladder: Vec<String> = rungs.iter().map(rung).collect();
        say(format_args!("search: {}; then the winner is judged", ladder.join(", ")));
    }

    fn trial(&self, trial: &Trial, rung: &Rung) {
        if !self.quiet {
            let drawn = match &trial.settings[..] {
                [] => "the recipe as it is".to_owned(),
                settings => settings.join(" "),
            };
            say(format_args!("trial {} to epoch {}: {drawn}", trial.number, rung.epochs));
        }
    }

    fn judges(&self, trial: &Trial) {
        if !self.quiet {
            say(format_args!("trial {} is best on validation; judged on test:", trial.number));
        }
    }

    fn observer(&self) -> Box<dyn Observer + '_> {
        Box::new(Screen::new(self.quiet || !self.verbose))
    }
}

/// Runs the verb.
pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    given: &Given,
) -> anyhow::Result<Outcome> {
    let (request, out) = request(arguments, given)?;
    let minutes = arguments.minutes.map(|minutes| match minutes > 0.0 {
        true => Duration::try_from_secs_f64(60.0 * minutes).map_err(anyhow::Error::from),
        false => bail!("--minutes {minutes}: give a number above 0"),
    });
    let deadline = minutes.transpose()?.map(|time| Instant::now() + time);
    let (resume, jobs) = (arguments.resume.is_some(), arguments.jobs.map(usize::from));
    let options = Options { resume, jobs, stop: interrupt::switch(), ..Options::new(&out) };
    let lines = TrialLines { quiet: common.quiet, verbose: common.verbose };
    let go_on = format!("go on with `gsn tune --resume {}`", out.display());
    let tuned = match tune(&request, &options, deadline, &lines) {
        Err(gsn_lab::Error::Stopped) => bail!("stopped; {go_on}"),
        other => other?,
    };
    let Some(results) = &tuned.results else {
        let best = tuned
            .best()
            .map(|best| format!("best so far: trial {}, {}; ", best.number, value(&tuned, best)));
        bail!("the time is up; {}{go_on}", best.unwrap_or_default());
    };
    let mut stdout = std::io::stdout().lock();
    if arguments.json {
        let mut json = serde_json::to_value(&tuned)?;
        json["run"] = out.display().to_string().into();
        writeln!(stdout, "{json}")?;
        return Ok(Outcome::Done);
    }
    let metric = tuned.metric.name();
    if let Some(best) = tuned.best() {
        let failed = tuned.trials.iter().filter(|trial| trial.failed.is_some()).count();
        let failed = if failed == 0 { String::new() } else { format!(", {failed} failed") };
        writeln!(stdout, "{} of {metric}{failed}", several(tuned.trials.len() as u64, "trial"))?;
        writeln!(stdout, "best: trial {}, {}", best.number, value(&tuned, best))?;
        writeln!(stdout, "test {metric}: {:.4}, looked at once", results.report.test.mean)?;
        best.settings.iter().try_for_each(|setting| writeln!(stdout, "  {setting}"))?;
        if best.settings.is_empty() {
            writeln!(stdout, "  the recipe as it is: no draw did better on validation")?;
        }
    }
    let path = |name: &str| out.join(name).display().to_string();
    writeln!(stdout, "\nrecipe: {}\ntable: {}", path("best.toml"), path("table.csv"))?;
    writeln!(stdout, "plot: {}\nmodel: {}", path("plot.svg"), path("model.gsn"))?;
    Ok(Outcome::Done)
}

/// `validation mae 0.1234`
fn value(tuned: &Tuned, trial: &Trial) -> String {
    let last = trial.values.last().copied().unwrap_or(f64::NAN);
    format!("validation {} {last:.4}", tuned.metric.name())
}

/// What the arguments ask for, and where it is kept.
fn request(arguments: &Arguments, given: &Given) -> anyhow::Result<(TuneRequest, PathBuf)> {
    if let Some(folder) = &arguments.resume {
        given.refuse_beside("resume", &WITH_RESUME, "a search goes on as it was started")?;
        return Ok((TuneRequest::of_folder(folder)?, folder.clone()));
    }
    let Some(name) = &arguments.recipe else { bail!("name a recipe or your data") };
    let space = arguments.space.as_deref().map(|path: &Path| Space::open(path)).transpose()?;
    let request = TuneRequest {
        settings: arguments.changes.settings([])?,
        reading: arguments.data.options(),
        given: given.under(user_data::HEADING),
        space,
        trials: arguments.trials.into(),
        keep: arguments.keep.into(),
        seed: arguments.draws,
        ..TuneRequest::new(name)?
    };
    let out = arguments.out.clone().unwrap_or_else(|| request.default_folder());
    Ok((request, out))
}
