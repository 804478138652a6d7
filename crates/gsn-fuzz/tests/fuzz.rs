//! The fuzzer as a program of the test profile, so that sums are checked and assertions hold.
//!
//! `cargo test -p gsn-fuzz --test fuzz` runs every seed and every target briefly, or only the targets
//! whose name contains a word that is given. `cargo xtask fuzz` makes long runs with it; see
//! `fuzz/README.md` for the rest.

use anyhow::{Context, Result, bail, ensure};
use gsn_fuzz::campaign::{Campaign, Care, limit_memory};
use gsn_fuzz::figures::Figures;
use gsn_fuzz::{TARGETS, Target, seeds, target};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Executions of every reader and cases of the comparison with the truth in a brief run.
const BRIEF: (u64, u64) = (2000, 1600);

fn main() -> ExitCode {
    // As much stack as the threads of the program have.
    let done = std::thread::spawn(|| {
        let words: Vec<String> = std::env::args().skip(1).collect();
        run(&words.iter().map(String::as_str).collect::<Vec<_>>())
    });
    match done.join() {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            say(&format!("fuzz: {error:#}"));
            ExitCode::FAILURE
        }
        Err(_) => ExitCode::FAILURE,
    }
}

fn run(words: &[&str]) -> Result<()> {
    match *words {
        ["seeds"] => seeds::write(&Campaign::corpus()),
        ["table", figures] => {
            let table = Figures::read(Path::new(figures))?.table()?;
            Ok(write!(std::io::stdout(), "{table}")?)
        }
        ["replay", name, ref files @ ..] => {
            limit_memory();
            files.iter().try_for_each(|file| Campaign::replay(find(name)?, Path::new(file)))
        }
        ["long", runs, cases, out, commit, ref names @ ..] => {
            let campaign = campaign(runs, cases, &Campaign::corpus(), Path::new(out), commit)?;
            let targets: Vec<&Target> = match names {
                [] => TARGETS.iter().collect(),
                names => names.iter().map(|name| find(name)).collect::<Result<_>>()?,
            };
            all_right(campaign.run(&targets, &say)?)
        }
        ["work", name, care, wanted, corpus, out, commit] => {
            let campaign = campaign("0", "0", Path::new(corpus), Path::new(out), commit)?;
            let care = Care::parse(care).context("all chunks or one-chunk")?;
            campaign.work(find(name)?, care, wanted.parse()?)
        }
        ref words => {
            briefly(words.iter().find(|word| !word.starts_with('-')).copied().unwrap_or(""))
        }
    }
}

fn campaign(runs: &str, cases: &str, corpus: &Path, out: &Path, commit: &str) -> Result<Campaign> {
    Ok(Campaign {
        runs: runs.parse()?,
        cases: cases.parse()?,
        // Another program may be copied away from the repository together with its seeds.
        corpus: match std::env::var_os("GSN_CORPUS") {
            Some(corpus) => corpus.into(),
            None => corpus.to_owned(),
        },
        out: out.to_owned(),
        commit: commit.to_owned(),
    })
}

/// Every seed as it is, then every target for a moment.
fn briefly(word: &str) -> Result<()> {
    let out = tempfile::tempdir()?;
    let (runs, cases) = BRIEF;
    let campaign = Campaign {
        runs,
        cases,
        corpus: Campaign::corpus(),
        out: out.path().into(),
        commit: "now".into(),
    };
    let targets: Vec<&Target> =
        TARGETS.iter().filter(|target| target.name.contains(word)).collect();
    if word.is_empty() {
        say(&format!("{} seeds", campaign.replay_corpus()?));
    }
    let failures = campaign.run(&targets, &say)?;
    if failures > 0 {
        let kept = out.keep();
        bail!("{failures} inputs failed; they are in {}", kept.join("failures").display());
    }
    Ok(())
}

fn find(name: &str) -> Result<&'static Target> {
    target(name).with_context(|| {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        format!("there is no target `{name}`; there are {}", names.join(", "))
    })
}

fn all_right(failures: u64) -> Result<()> {
    ensure!(failures == 0, "{failures} inputs failed");
    Ok(())
}

fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
