//! A set of patterns, picked one after the other.

use super::Options;
use super::candidates::{Candidate, CandidateTable};
use super::signal::{Targets, redundancy};
use crate::disambiguation::{Rows, score};
use rayon::prelude::*;

/// A pattern that was picked, and why.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Pick {
    /// Its name.
    pub pattern: String,
    /// Its place among the candidates.
    #[serde(skip)]
    pub(super) index: usize,
    /// signal + ½ · share of the remaining ambiguity resolved − 0.01 · log₁₀(cost / cheapest).
    pub score: f64,
    /// Share of the label's variance that it explains beyond those picked before; 0 where permuted
    /// labels do as well.
    pub signal: f64,
    /// δ of input features and everything picked so far.
    pub delta: f64,
    /// Share of its own variance that those picked before explain.
    pub redundancy: f64,
    /// The reason, in words.
    pub why: String,
}

/// The least score that is worth a column.
const ENOUGH: f64 = 0.002;

pub(super) fn greedy(
    table: &CandidateTable,
    targets: &Targets,
    candidates: &[Candidate],
    options: &Options,
) -> Vec<Pick> {
    let cheapest = table.cost.iter().copied().fold(f64::INFINITY, f64::min).max(1.0);
    let mut rows = table.bare.clone();
    let mut given: Vec<Vec<f64>> = Vec::new();
    let mut picks: Vec<Pick> = Vec::new();
    while picks.len() < options.picks {
        let before = score(&rows);
        let taken = |p: usize| picks.iter().any(|pick| pick.index == p);
        // Where there are labels, a pattern that says no more of them than chance is noise.
        let noise = |p: usize| !targets.is_empty() && candidates[p].signal.above() == 0.0;
        let best = (0..candidates.len())
            .into_par_iter()
            .filter(|&p| !taken(p) && !noise(p))
            .map(|p| {
                let joint: Vec<Rows> =
                    rows.iter().zip(&table.rows[p]).map(|(a, b)| a.beside(b)).collect();
                let delta = score(&joint);
                let resolved = if before < 1.0 { (delta - before) / (1.0 - before) } else { 0.0 };
                let seed = options.seed.wrapping_add(picks.len() as u64);
                let signal =
                    targets.signal(&table.totals[p], &given, options.permutations, seed).above();
                let dear = (table.cost[p].max(1.0) / cheapest).log10();
                let score = signal + 0.5 * resolved - 0.01 * dear;
                (score, p, signal, delta, resolved, dear)
            })
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        let Some((gain, p, signal, delta, resolved, dear)) = best else { break };
        if gain < ENOUGH {
            break;
        }
        let redundancy = redundancy(&table.totals[p], &given);
        let mut reasons = Vec::new();
        if signal > 0.0 {
            reasons.push(format!("explains {:.1} % more of the label", 100.0 * signal));
        }
        if resolved >= 0.0005 {
            reasons.push(format!("δ {before:.3} → {delta:.3}"));
        }
        if redundancy > 0.5 {
            reasons.push(format!("{:.0} % of it was known", 100.0 * redundancy));
        }
        if dear < 0.5 {
            reasons.push("cheap".to_owned());
        }
        rows = rows.iter().zip(&table.rows[p]).map(|(a, b)| a.beside(b)).collect();
        given.push(table.totals[p].clone());
        picks.push(Pick {
            pattern: candidates[p].pattern.clone(),
            index: p,
            score: gain,
            signal,
            delta,
            redundancy,
            why: reasons.join("; "),
        });
    }
    picks
}
