//! The trials of a search as a table and as a plot.

use super::Trial;
use super::halving::Rung;
use crate::chart::{Line, categories};
use crate::train::Metric;

/// Trials that are drawn at most; the best.
const DRAWN: usize = 15;

/// Trials in the order of their standing: those that came further first, then by their last value.
pub(super) fn standing(trials: &[Trial], metric: Metric) -> Vec<&Trial> {
    let mut order: Vec<&Trial> = trials.iter().collect();
    order.sort_by(|a, b| {
        let value = |trial: &Trial| trial.values.last().copied().unwrap_or(f64::NAN);
        b.values.len().cmp(&a.values.len()).then_with(|| {
            match (metric.better(value(a), value(b)), metric.better(value(b), value(a))) {
                (true, _) => std::cmp::Ordering::Less,
                (_, true) => std::cmp::Ordering::Greater,
                _ => a.number.cmp(&b.number),
            }
        })
    });
    order
}

/// Columns: trial, epochs, validation metric, what became of it, and the keys of the space.
fn rows(trials: &[Trial], keys: &[String], rungs: &[Rung], metric: Metric) -> Vec<Vec<String>> {
    let head = ["trial", "epochs", metric.name(), "state"].map(str::to_owned);
    let mut rows = vec![head.into_iter().chain(keys.iter().cloned()).collect::<Vec<_>>()];
    for trial in standing(trials, metric) {
        let reached = trial.values.len();
        let epochs = reached.checked_sub(1).and_then(|at| rungs.get(at)).map_or(0, |r| r.epochs);
        let state = match &trial.failed {
            Some(_) => "failed",
            None if reached == rungs.len() => "finished",
            None if reached == 0 => "waiting",
            None => "set aside",
        };
        let value = trial.values.last().map(|x| format!("{x}")).unwrap_or_default();
        let mut row = vec![trial.number.to_string(), epochs.to_string(), value, state.to_owned()];
        for key in keys {
            let is = |setting: &&String| setting.split_once('=').is_some_and(|(k, _)| k == key);
            let value = trial.settings.iter().find(is).and_then(|s| s.split_once('='));
            row.push(value.map_or("as chosen".into(), |(_, v)| v.trim_matches('"').to_owned()));
        }
        rows.push(row);
    }
    rows
}

/// As comma-separated values, the best first.
pub(super) fn csv(trials: &[Trial], keys: &[String], rungs: &[Rung], metric: Metric) -> String {
    let quoted = |cell: &String| match cell.contains([',', '"', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    let line = |row: Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
    rows(trials, keys, rungs, metric).into_iter().map(line).collect()
}

/// The validation metric at the end of every rung, a line a trial.
pub(super) fn plot(title: &str, trials: &[Trial], rungs: &[Rung], metric: Metric) -> String {
    let ticks: Vec<String> = rungs.iter().map(|rung| rung.epochs.to_string()).collect();
    let line = |trial: &&Trial| {
        let points = trial.values.iter().enumerate().map(|(at, &y)| (at as f64, y)).collect();
        Line::new(format!("trial {}", trial.number), points)
    };
    let shown = standing(trials, metric);
    let lines: Vec<Line> =
        shown.iter().filter(|trial| !trial.values.is_empty()).take(DRAWN).map(line).collect();
    categories(title, "epochs", &format!("validation {}", metric.name()), &ticks, &lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(number: usize, values: &[f64]) -> Trial {
        let settings = vec![format!("network.width={}", 8 << number)];
        Trial { number, settings, values: values.to_vec(), failed: None }
    }

    #[test]
    fn those_that_came_further_stand_first() {
        let trials = [trial(0, &[0.5]), trial(1, &[0.6, 0.4]), trial(2, &[0.3]), trial(3, &[])];
        let rungs = super::super::rungs(4, 9, 3);
        let text = csv(&trials, &["network.width".into()], &rungs, Metric::Mae);
        assert_eq!(
            text,
            "trial,epochs,mae,state,network.width\n1,9,0.4,finished,16\n2,3,0.3,set aside,32\n\
             0,3,0.5,set aside,8\n3,0,,waiting,64\n"
        );
        let svg = plot("a < b", &trials, &rungs, Metric::Mae);
        assert!(svg.contains("a &lt; b") && !svg.contains("NaN"));
        let upwards = standing(&trials, Metric::RocAuc);
        assert_eq!(upwards.iter().map(|t| t.number).collect::<Vec<_>>(), [1, 0, 2, 3]);
    }
}
