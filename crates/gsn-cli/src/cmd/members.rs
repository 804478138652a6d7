//! The part of `gsn train` that is about several members: seeds, folds, intervals, the final fit.

use super::user_data::HEADING;
use clap::Args;
use gsn_lab::conformal::{Coverage, Source};
use gsn_lab::experiment::{Ensemble, JudgedRows, Refit, Results, TrainSource};
use gsn_lab::user_data::Options;
use gsn_lab::user_data::folds::Folds;

/// What is trained how often.
#[derive(Debug, Args)]
#[command(next_help_heading = HEADING)]
pub(crate) struct MemberArguments {
    /// Cut into K folds, as --split says, and train a member for each
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(2..=1000))]
    folds: Option<u32>,
    /// Cut that many times, each time differently
    #[arg(long, value_name = "R", default_value_t = 1, requires = "folds",
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeats: u32,
    /// Choose by all validation rows; the model gives no intervals then
    #[arg(long)]
    no_intervals: bool,
    /// Fit on all rows once the epoch is chosen, and keep it in final.gsn (final)
    #[arg(long = "final", help_heading = "The recipe")]
    refit: bool,
}

impl MemberArguments {
    /// How the user's own data are cut. A recipe says itself whether it wants intervals.
    pub(crate) fn apply(&self, source: &TrainSource, options: Options) -> Options {
        let folds = self.folds.map(|folds| Folds { folds, repeats: self.repeats });
        let intervals = matches!(source, TrainSource::Data(_)) && !self.no_intervals;
        Options { folds, intervals, ..options }
    }

    /// What is changed in the recipe: option, key and value.
    pub(crate) fn setting(&self) -> Option<(&'static str, &'static str, String)> {
        self.refit.then(|| ("--final", "final", "true".to_owned()))
    }
}

/// What the members give together, for a person; empty if there is nothing to say.
pub(crate) fn text(results: &Results) -> String {
    let mut text = String::new();
    if let Some(Ensemble { members, rows, count, metric, value, .. }) = &results.ensemble {
        let metric = metric.name();
        text += &match rows {
            JudgedRows::Test => {
                format!("mean of {members} members: {metric} {value:.4} on {count} test rows\n")
            }
            JudgedRows::OutOfFold if *members == 1 => {
                format!("out of fold: {metric} {value:.4} on all {count} rows\n")
            }
            JudgedRows::OutOfFold => format!(
                "out of fold: {metric} {value:.4} on all {count} rows, means of {members} members\n"
            ),
        };
    }
    if let Some(coverage) = &results.intervals {
        text += &intervals(coverage);
    }
    if let Some(Refit { rows, epochs, members }) = &results.refit {
        let s = if *members == 1 { "" } else { "s" };
        text += &format!(
            "final.gsn: {members} network{s} fitted on all {rows} rows for {epochs} epochs\n"
        );
    }
    text
}

/// A line for every target.
fn intervals(coverage: &Coverage) -> String {
    let Coverage { level, source, targets } = coverage;
    let from = match source {
        Source::KeptApart => "rows kept apart",
        Source::OutOfFold => "rows out of fold",
    };
    let line = |covered: &gsn_lab::conformal::Covered| {
        let name = match targets.len() {
            1 => String::new(),
            _ => format!(" of {}", covered.target),
        };
        let errors = covered.errors;
        match (covered.share, covered.width) {
            (Some(share), Some(width)) => {
                let doubt = match covered.falls_short(*level) {
                    true => "; that is fewer than promised: those rows are of another kind",
                    false => "",
                };
                format!(
                    "intervals of {level}{name} (from {errors} {from}) hold for {:.1} % of {} \
                     rows that had no part in them, mean size {width:.4}{doubt}\n",
                    100.0 * share,
                    covered.rows
                )
            }
            _ => format!(
                "no intervals of {level}{name}: they need {} {from}, there are {errors}\n",
                level.least()
            ),
        }
    };
    targets.iter().map(line).collect()
}
