//! The page: what was asked, the tables, and what follows from them.

use crate::choices::{BEFORE, Choice, EPOCHS, WINNER};
use crate::runs::{Cut, Log};
use crate::skill::{Both, mean, metric, skill, value};
use crate::tasks::Task;
use crate::{LARGE_SEEDS, MEMBERS, Result, SEEDS};
use gsn_lab::Task as Kind;
use gsn_lab::baseline::{self, Method};
use gsn_lab::cache::Cache;
use gsn_lab::pipeline::Bounds;
use gsn_lab::prepare::CountedDataset;
use std::collections::BTreeMap;

/// What a cut is measured against.
pub(crate) struct Against<'a> {
    cut: &'a Cut,
    /// The metric of constant, linear model and forest.
    baselines: [Both; 3],
}

/// Fits the baselines of all cuts.
pub(crate) fn against<'a>(cuts: &'a [Cut]) -> Result<Vec<Against<'a>>> {
    let of = |cut: &'a Cut| -> Result<Against<'a>> {
        let Cut { recipe, dataset, .. } = cut;
        let data = CountedDataset::new(recipe, dataset.clone(), &Cache::off(), None)?;
        let mut baselines = [[0.0; 2]; 3];
        for (slot, method) in baselines.iter_mut().zip(Method::ALL) {
            let all = baseline::predict(method, &data, &cut.fold().train)?;
            let said: Vec<f64> =
                cut.fold().test.iter().flat_map(|&i| all.row(i as usize)).copied().collect();
            *slot = value(cut, &said)?;
        }
        Ok(Against { cut, baselines })
    };
    cuts.iter().map(of).collect()
}

impl Against<'_> {
    fn skill(&self, value: Both) -> Both {
        skill(self.cut, value, self.baselines[0])
    }

    /// The name of the task and how it was cut.
    fn name(&self) -> String {
        format!("{}, {}", self.cut.task, self.cut.split)
    }

    fn value(&self, log: &Log, choice: &Choice) -> Result<Option<Both>> {
        Ok(log.get(self.cut, choice, self.cut.seed)?.map(|done| done.value))
    }

    fn said(&self, log: &Log, choice: &Choice, weights: u64) -> Result<Option<Vec<f64>>> {
        let done = log.get(self.cut, choice, weights)?;
        Ok(done.map(|done| done.said.clone()).filter(|said| !said.is_empty()))
    }
}

/// Skills of a choice on all cuts, and whether today's core gave all of them; nothing if a run is
/// missing.
fn skills(all: &[Against<'_>], log: &Log, choice: &Choice) -> Result<Option<(Vec<Both>, bool)>> {
    let mut found = Vec::new();
    let mut current = true;
    for one in all {
        let Some(done) = log.get(one.cut, choice, one.cut.seed)? else { return Ok(None) };
        found.push(one.skill(done.value));
        current &= log.is_current(done);
    }
    Ok(Some((found, current)))
}

fn clipped(skills: &[Both], part: usize) -> Vec<f64> {
    skills.iter().map(|skill| skill[part].max(-1.0)).collect()
}

/// One line for every choice, compared with the first of them.
pub(crate) fn choices(all: &[Against<'_>], log: &Log, choices: &[Choice]) -> Result<String> {
    let Some((before, _)) = skills(all, log, &choices[0])? else { return Err("no runs".into()) };
    let mut text = String::from(
        "| choice | about | skill, choosing rows | change ± s.e. | better / worse on cuts | skill, test rows | \
         worst run, test | runs below the constant, test |\n|---|---|---|---|---|---|---|---|\n",
    );
    let mut stale = false;
    for (at, choice) in choices.iter().enumerate() {
        let Some((skills, current)) = skills(all, log, choice)? else { continue };
        stale |= !current;
        let (choose, judge) = (clipped(&skills, 0), clipped(&skills, 1));
        let change: Vec<f64> =
            choose.iter().zip(clipped(&before, 0)).map(|(now, was)| now - was).collect();
        let (mut better, mut worse) = (0, 0);
        let mut of_cut: BTreeMap<String, f64> = BTreeMap::new();
        for (one, change) in all.iter().zip(&change) {
            *of_cut.entry(one.name()).or_default() += change;
        }
        for change in of_cut.values() {
            better += u32::from(*change > 1e-9);
            worse += u32::from(*change < -1e-9);
        }
        let (change, error) = mean(&change);
        let said = match at {
            0 => String::new(),
            _ => format!("{change:+.3} ± {error:.3}"),
        };
        let least = skills.iter().map(|s| s[1]).fold(f64::INFINITY, f64::min);
        let below = skills.iter().filter(|s| s[1] < 0.0).count();
        text += &format!(
            "| {}{} | {} | {:.3} | {said} | {better} / {worse} | {:.3} | {least:.2} | {below} |\n",
            choice.name,
            if current { "" } else { " *" },
            choice.factor,
            mean(&choose).0,
            mean(&judge).0,
        );
    }
    if stale {
        text += "\n\\* Run before the numeric core got its last roundings; today's program gives other last digits.\n";
    }
    Ok(text)
}

/// The metric of every task on its test rows.
pub(crate) fn tasks(all: &[Against<'_>], log: &Log) -> Result<String> {
    let mut text = String::from(
        "| task, cut | metric | constant | linear model | forest | network, before | network, after |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let mut names: Vec<String> = all.iter().map(Against::name).collect();
    names.dedup();
    let mut seen = std::collections::BTreeSet::new();
    for name in names.into_iter().filter(|name| seen.insert(name.clone())) {
        let of: Vec<&Against<'_>> = all.iter().filter(|one| one.name() == name).collect();
        let mut row = Vec::new();
        for b in 0..3 {
            row.push(mean(&of.iter().map(|one| one.baselines[b][1]).collect::<Vec<_>>()));
        }
        for choice in [&BEFORE, &WINNER] {
            let mut values = Vec::new();
            for one in &of {
                values.extend(one.value(log, choice)?.map(|value| value[1]));
            }
            row.push(mean(&values));
        }
        let cells: Vec<String> = row.iter().map(|(mean, _)| format!("{mean:.3}")).collect();
        let metric = metric(&of[0].cut.dataset.task).1.name();
        text += &format!("| {name} | {metric} | {} |\n", cells.join(" | "));
    }
    Ok(text)
}

/// Members: the mean of the outputs of networks that differ in their seed.
pub(crate) fn members(all: &[Against<'_>], log: &Log) -> Result<String> {
    let mut text = String::from(
        "| members | skill, choosing rows | skill, test rows | worst cut, test |\n|---|---|---|---|\n",
    );
    for size in [1, 3, MEMBERS as usize] {
        let mut skills: Vec<Both> = Vec::new();
        for one in all.iter().filter(|one| one.cut.seed == 0) {
            let mut said = Vec::new();
            for weights in 0..MEMBERS {
                said.extend(one.said(log, &WINNER, weights)?);
            }
            if said.len() < MEMBERS as usize {
                return Ok(String::from("Not worked out yet.\n"));
            }
            // One member: the mean over all of them, so that no seed is preferred.
            let groups: Vec<&[Vec<f64>]> = match size {
                1 => said.chunks(1).collect(),
                size => vec![&said[..size]],
            };
            let mut of = Vec::new();
            for group in groups {
                let n = group.len() as f64;
                let joined: Vec<f64> = (0..group[0].len())
                    .map(|i| group.iter().map(|said| said[i]).sum::<f64>() / n)
                    .collect();
                of.push(one.skill(value(one.cut, &joined)?));
            }
            skills.push([0, 1].map(|i| mean(&clipped(&of, i)).0));
        }
        let least = skills.iter().map(|s| s[1]).fold(f64::INFINITY, f64::min);
        let [choose, judge] = [0, 1].map(|i| mean(&clipped(&skills, i)).0);
        text += &format!("| {size} | {choose:.3} | {judge:.3} | {least:.2} |\n");
    }
    Ok(text)
}

/// Predictions of numbers kept to the widened range of the training targets.
pub(crate) fn bounds(all: &[Against<'_>], log: &Log) -> Result<String> {
    let mut text = String::from(
        "| bound | before: choosing rows | before: test rows | worst | after: choosing rows | after: test rows | worst |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for share in [None, Some(1.0), Some(0.5), Some(0.25), Some(0.1), Some(0.0)] {
        let mut cells = Vec::new();
        for choice in [&BEFORE, &WINNER] {
            let mut skills = Vec::new();
            for one in all.iter().filter(|one| matches!(one.cut.dataset.task, Kind::Regression(_)))
            {
                let Some(mut said) = one.said(log, choice, one.cut.seed)? else { continue };
                if let Some(share) = share {
                    let samples = &one.cut.dataset.samples;
                    let rows = one.cut.fold().train.iter();
                    let rows = rows.map(|&i| samples[i as usize].targets.as_slice());
                    let bounds = Bounds::fit(share, 1, rows);
                    said.chunks_exact_mut(1).for_each(|row| _ = bounds.apply(row));
                }
                skills.push(one.skill(value(one.cut, &said)?));
            }
            let least = skills.iter().map(|s| s[1]).fold(f64::INFINITY, f64::min);
            let [choose, judge] = [0, 1].map(|i| mean(&clipped(&skills, i)).0);
            cells.push(format!("{choose:.3} | {judge:.3} | {least:.2}"));
        }
        let name = share.map_or("none".to_owned(), |share| format!("{share}"));
        text += &format!("| {name} | {} |\n", cells.join(" | "));
    }
    Ok(text)
}

/// What the tasks are.
pub(crate) fn list(all: &[(&Vec<Task>, &Vec<Cut>)]) -> String {
    let mut text = String::from("| task | what | graphs | cuts |\n|---|---|---|---|\n");
    for (task, cuts) in all.iter().flat_map(|(tasks, cuts)| tasks.iter().map(move |t| (t, cuts))) {
        let cut = cuts.iter().find(|cut| cut.task == task.name);
        let graphs = cut.map_or(0, |cut| cut.dataset.samples.len());
        let splits = task.splits.join(", ");
        text += &format!("| {} | {} | {graphs} | {splits} |\n", task.name, task.what);
    }
    text
}

/// How the study was done.
pub(crate) fn method(log: &Log) -> String {
    let (runs, seconds) = log.total();
    let git = std::process::Command::new("git").args(["rev-parse", "--short", "HEAD"]).output();
    let commit = git.map_or_else(
        |_| "unknown".to_owned(),
        |said| String::from_utf8_lossy(&said.stdout).trim().to_owned(),
    );
    format!(
        "Each task is cut in 60, 20 and 20 %, {SEEDS} times ({LARGE_SEEDS} times if large) with another seed (of cut and weights; a scaffold split has one cut). Half of the \
         validation rows steer a run (schedule, stop, chosen epoch), the other half, the *choosing rows*, only compare choices, so that a choice is \
         not praised for a lucky epoch. Test rows decide nothing. A run has {EPOCHS} epochs at most; before the study the defaults had up to 200. {runs} runs on one \
         thread each took {:.0} minutes together, on a machine that had other work. Written at commit {commit}.\n\n\
         Skill is 0 for the constant baseline and 1 for no error: 1 − MAE / MAE of the mean, 2 · ROC-AUC − 1, or (accuracy − majority) / (1 − majority). Means \
         count a run below −1 as −1; the worst run is shown as it is.\n",
        seconds / 60.0
    )
}
