//! Every usual metric of a unit on every part, with bootstrap intervals: `metrics` in
//! `results.json`.
//!
//! An interval is the percentile bootstrap over the graphs of the part: as many graphs are drawn
//! with replacement, 1000 times, and the interval leaves out 2.5 % of the values at either end. A
//! part of more than 20,000 graphs is drawn 20,000,000 / graphs times, but at least 100 times. The
//! draws depend on the number of graphs alone, so they are the same for every unit and any number
//! of threads. Cost: draws × graphs for each metric.

use crate::error::Result;
use crate::model_file::Part;
use crate::train::{Metric, PartPredictions};
use gsn_core::random::{Random, derive};
use gsn_nn::metrics::Scored;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Draws of a bootstrap.
const DRAWS: usize = 1000;
/// Graphs that are drawn in all, beyond which there are fewer draws.
const WORK: usize = 20_000_000;
/// Draws at least.
const FEWEST: usize = 100;
const KEY: u64 = 0x626f_6f74_7374_7270;

/// A metric and how far it can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Which.
    pub metric: Metric,
    /// Its value; nothing where it is not defined, such as a ROC-AUC over one class.
    pub value: Option<f64>,
    /// 95 % interval by bootstrap; nothing where the metric is defined for less than half of the
    /// draws.
    pub interval95: Option<[f64; 2]>,
}

/// The metrics of one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetMetrics {
    /// Its name.
    pub target: String,
    /// Every metric that fits the task.
    pub metrics: Vec<Measured>,
}

/// The metrics on one part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartMetrics {
    /// Which part.
    pub part: Part,
    /// Graphs in it.
    pub graphs: u64,
    /// Draws behind the intervals.
    pub draws: u64,
    /// Every metric that fits the task, over all targets.
    pub overall: Vec<Measured>,
    /// The same of every target.
    pub targets: Vec<TargetMetrics>,
}

/// The metrics of one unit, or of the mean of all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitMetrics {
    /// The unit; [`UnitMetrics::ENSEMBLE`] for the mean.
    pub unit: String,
    /// Its parts.
    pub parts: Vec<PartMetrics>,
}

impl UnitMetrics {
    /// What the mean of several units is called where units have their names.
    pub const ENSEMBLE: &str = "ensemble";
}

impl PartMetrics {
    /// Measures the predictions for a part; `targets` are the names of the targets.
    ///
    /// # Errors
    /// If there are not as many predictions as targets.
    pub fn of(said: &PartPredictions, targets: &[String]) -> Result<Self> {
        let scored = said.scored()?;
        let draws = draws(scored.rows());
        let metrics: Vec<Metric> = Metric::of_answers(said.answers).collect();
        // Over all targets, then of each; of a single one that is the same.
        let several = scored.targets() > 1;
        let of: Vec<Option<usize>> = match several {
            true => std::iter::once(None).chain((0..scored.targets()).map(Some)).collect(),
            false => vec![None],
        };
        let wanted: Vec<(Metric, Option<usize>)> =
            of.iter().flat_map(|&of| metrics.iter().map(move |&metric| (metric, of))).collect();
        let intervals = intervals(&scored, &wanted, draws);
        let measured: Vec<Measured> = wanted
            .iter()
            .zip(intervals)
            .map(|(&(metric, of), interval95)| {
                let value = match of {
                    None => scored.metric(metric),
                    Some(target) => scored.of_target(metric, target),
                };
                Measured { metric, value, interval95: value.and(interval95) }
            })
            .collect();
        let mut groups = measured.chunks_exact(metrics.len()).map(<[Measured]>::to_vec);
        let overall = groups.next().unwrap_or_default();
        let each: Vec<Vec<Measured>> =
            if several { groups.collect() } else { vec![overall.clone()] };
        let named = targets.iter().zip(each);
        Ok(Self {
            part: said.part,
            graphs: scored.rows() as u64,
            draws: draws as u64,
            overall,
            targets: named
                .map(|(name, metrics)| TargetMetrics { target: name.clone(), metrics })
                .collect(),
        })
    }

    /// A metric over all targets.
    pub fn get(&self, metric: Metric) -> Option<&Measured> {
        self.overall.iter().find(|measured| measured.metric == metric)
    }
}

/// How often a part of so many graphs is drawn.
fn draws(graphs: usize) -> usize {
    DRAWS.min((WORK / graphs.max(1)).max(FEWEST))
}

/// The interval of each metric.
fn intervals(
    scored: &Scored,
    wanted: &[(Metric, Option<usize>)],
    draws: usize,
) -> Vec<Option<[f64; 2]>> {
    let rows = scored.rows();
    if rows < 2 {
        return vec![None; wanted.len()];
    }
    let one = |draw: usize| -> Vec<Option<f64>> {
        let mut random = Random::new(derive(derive(KEY, rows as u64), draw as u64));
        let mut weights = vec![0.0; rows];
        (0..rows).for_each(|_| weights[random.below(rows)] += 1.0);
        wanted.iter().map(|&(metric, of)| scored.weighted(metric, of, &weights)).collect()
    };
    let drawn: Vec<Vec<Option<f64>>> = (0..draws).into_par_iter().map(one).collect();
    (0..wanted.len())
        .map(|at| {
            let mut values: Vec<f64> = drawn.iter().filter_map(|draw| draw[at]).collect();
            values.sort_by(f64::total_cmp);
            let enough = 2 * values.len() >= draws;
            enough.then(|| [quantile(&values, 0.025), quantile(&values, 0.975)])
        })
        .collect()
}

/// A quantile of sorted values, linear between two of them.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (low, part) = (at.floor() as usize, at.fract());
    let high = (low + 1).min(sorted.len() - 1);
    sorted[low] + part * (sorted[high] - sorted[low])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::Form;
    use gsn_core::random::uniform;
    use gsn_nn::Matrix;
    use gsn_nn::metrics::Answers;

    /// `rows` graphs with two targets and errors up to `error`; the second target has gaps.
    fn said(rows: usize, error: f64) -> PartPredictions {
        let gap = |i: usize| i % 2 == 1 && i % 6 == 1;
        let target = |i: usize| if gap(i) { f64::NAN } else { (i % 17) as f64 };
        let output = |i: usize| (i % 17) as f64 + error * (2.0 * uniform(1, i as u64) - 1.0);
        let matrix = |f: &dyn Fn(usize) -> f64| {
            Matrix::from_vec(rows, 2, (0..2 * rows).map(f).collect()).unwrap()
        };
        PartPredictions {
            part: Part::Test,
            items: (0..rows as u32).collect(),
            answers: Answers::Numbers,
            targets: matrix(&target),
            outputs: matrix(&output),
            form: Form::Logits,
        }
    }

    fn names() -> Vec<String> {
        vec!["a".into(), "b".into()]
    }

    #[test]
    fn intervals_hold_the_value_and_shrink_with_the_rows() {
        let width = |rows: usize| {
            let metrics = PartMetrics::of(&said(rows, 1.0), &names()).unwrap();
            assert_eq!((metrics.targets.len(), metrics.draws), (2, 1000));
            for measured in &metrics.overall {
                let (value, [low, high]) = (measured.value.unwrap(), measured.interval95.unwrap());
                assert!(low < value && value < high, "{measured:?}");
            }
            let [low, high] = metrics.get(Metric::Mae).unwrap().interval95.unwrap();
            high - low
        };
        let (few, many) = (width(50), width(800));
        // A sixteenth of the rows: about four times as wide.
        assert!((3.0..5.3).contains(&(few / many)), "{few} {many}");
    }

    /// The error of a uniform error has mean ½ and deviation 1/√12, so the interval is known.
    #[test]
    fn the_interval_of_a_mean_is_the_normal_one() {
        let mut said = said(2000, 1.0);
        let cut = |m: &Matrix<f64>| {
            Matrix::from_vec(2000, 1, m.data().chunks_exact(2).map(|row| row[0]).collect()).unwrap()
        };
        (said.targets, said.outputs) = (cut(&said.targets), cut(&said.outputs));
        let metrics = PartMetrics::of(&said, &names()[..1]).unwrap();
        let [low, high] = metrics.get(Metric::Mae).unwrap().interval95.unwrap();
        let expected = 2.0 * 1.96 / 12f64.sqrt() / 2000f64.sqrt();
        assert!(((high - low) / expected - 1.0).abs() < 0.1, "{low} {high} {expected}");
        assert_eq!(metrics.targets[0].metrics, metrics.overall);
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let of = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| PartMetrics::of(&said(60, 2.0), &names()).unwrap())
        };
        assert_eq!(of(1), of(3));
    }

    #[test]
    fn big_parts_are_drawn_less_often() {
        assert_eq!([10, 20_000, 40_000, 10_000_000].map(draws), [1000, 1000, 500, 100]);
    }

    #[test]
    fn one_graph_has_no_interval() {
        let metrics = PartMetrics::of(&said(1, 1.0), &names()).unwrap();
        assert!(metrics.overall.iter().all(|measured| measured.interval95.is_none()));
        assert!(metrics.get(Metric::Mae).unwrap().value.is_some());
        assert_eq!(metrics.get(Metric::R2).unwrap().value, None);
    }
}
