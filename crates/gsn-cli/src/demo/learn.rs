//! Third act: two networks learn the same task, one with ring counts and one without.

use super::rings;
use crate::style::Style;
use gsn_io::GraphRecord;
use gsn_lab::cache::Cache;
use gsn_lab::pipeline::Reader;
use gsn_lab::prepare::CountedDataset;
use gsn_lab::protocol::{Choose, Protocol};
use gsn_lab::recipe::{
    Counts, Data, Network, Recipe,
    network::{Kind, Readout},
};
use gsn_lab::train::{Graphs, Loss, Measures, Metric, RandomKeys, Settings, Unit};
use gsn_lab::{Dataset, Fold, Sample, Splits, Task};
use std::io::Write;
use std::time::Instant;

const TRAIN_PAIRS: u64 = 300;
const TEST_PAIRS: u64 = 100;
/// What the network with counts counts.
pub(crate) const PATTERNS: &str = "cycle:3..=8";

/// Both molecules of every pair, the pairs of the training part first.
fn dataset() -> anyhow::Result<Dataset> {
    let mut graphs = Vec::new();
    for at in 0..TRAIN_PAIRS + TEST_PAIRS {
        graphs.extend(rings::pair(at)?);
    }
    let reader = Reader::fit(false, None, &graphs);
    let samples = graphs.into_iter().enumerate().map(|(row, graph)| {
        let record = GraphRecord::new(row as u64, graph);
        reader.sample(record, vec![(row % 2) as f64]).map(|(sample, _)| sample)
    });
    let samples: Vec<Sample> =
        samples.collect::<Result<_, String>>().map_err(anyhow::Error::msg)?;
    let cut = 2 * TRAIN_PAIRS as u32;
    let fold = Fold {
        train: (0..cut).collect(),
        test: (cut..samples.len() as u32).collect(),
        ..Fold::default()
    };
    let (vertex, arc) = reader.data();
    Ok(Dataset {
        name: "rings".into(),
        samples,
        task: Task::Classes(vec!["fused".into(), "joined".into()]),
        columns: Vec::new(),
        target_names: vec!["rings".into()],
        vertex,
        arc,
        splits: Splits::Fixed(fold),
        licence: "made by the program".into(),
    })
}

/// With ring counts, or the same network without them.
fn recipe(counted: bool) -> gsn_lab::Result<Recipe> {
    let kind = if counted { Kind::Gsn } else { Kind::Mpnn };
    let network = Network::new(kind, 16, Readout::Sum).with_layers(3);
    let protocol = Protocol::FixedSplit { choose: Choose::Last };
    let training = Settings::new(32, 30, 3e-3, Loss::CrossEntropy, Metric::Accuracy);
    let recipe = Recipe::new(Data::new("rings"), protocol, network).with_training(training);
    Ok(if counted { recipe.with_counts(Counts::read(PATTERNS)?) } else { recipe })
}

/// Accuracy on the test part after every epoch.
fn curve(recipe: &Recipe, dataset: &Dataset) -> anyhow::Result<Vec<f64>> {
    let Splits::Fixed(fold) = &dataset.splits else { anyhow::bail!("the data are not cut") };
    let data = CountedDataset::new(recipe, dataset.clone(), &Cache::off(), None)?;
    let encoded = data.encode(recipe, &fold.train)?;
    let truth: Vec<&[f64]> = dataset.samples.iter().map(|s| s.targets.as_slice()).collect();
    let restore = |predicted: &mut [f64]| encoded.pipeline.restore(predicted);
    let unit = Unit {
        name: "demo".into(),
        graphs: Graphs { inputs: &encoded.inputs, truth: &truth, restore: &restore },
        fold,
        config: &encoded.config,
        settings: recipe.training()?,
        keys: RandomKeys::new(0, 0),
        rates: None,
        measures: Measures { test: true, ..Measures::default() },
    };
    let mut state = unit.start()?;
    unit.run(&mut state, &())?;
    Ok(state.curve.iter().filter_map(|row| row.test).collect())
}

/// Shares as a line of blocks, 40 % at the bottom.
fn spark(curve: &[f64]) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let block = |&share: &f64| {
        let level = (share - 0.4) / 0.6 * 8.0;
        BLOCKS[(level.max(0.0) as usize).min(7)]
    };
    curve.iter().map(block).collect()
}

/// Right answers of the networks after every epoch; molecules to learn from and never seen.
pub(crate) type Learned = (Vec<(&'static str, Vec<f64>)>, (u64, u64));

/// Trains both and compares.
pub(crate) fn show(out: &mut impl Write, style: Style) -> anyhow::Result<Learned> {
    let start = Instant::now();
    let dataset = dataset()?;
    let (train, test) = (2 * TRAIN_PAIRS, 2 * TEST_PAIRS);
    writeln!(
        out,
        "{}\n",
        style.bold(&format!("Two networks learn it: {train} molecules, then {test} never seen"))
    )?;
    writeln!(
        out,
        "  Fused rings like decalin, or joined ones like bicyclopentyl? Rings of 3 to 8 atoms with\n  \
         random groups on them. Same network, same training, with and without ring counts.\n"
    )?;
    out.flush()?;
    let (with, without) = (recipe(true)?, recipe(false)?);
    let (a, b) = rayon::join(|| curve(&with, &dataset), || curve(&without, &dataset));
    let (a, b) = (a?, b?);
    let last = |curve: &[f64]| curve.last().copied().unwrap_or(0.0);
    writeln!(out, "  {}", style.dim("right answers on the molecules never seen, epoch by epoch"))?;
    for (at, (name, curve)) in [("with ring counts", &a), ("without", &b)].iter().enumerate() {
        let line = style.orbit(at, &spark(curve));
        writeln!(out, "  {name:<18}{line}  {:5.1} %", 100.0 * last(curve))?;
    }
    writeln!(
        out,
        "\n  With ring counts the network is right in {:.0} of 100 cases, without them in {:.0}: the two\n  \
         of a pair look the same to it. Trained and tested twice in {:.1} s.",
        100.0 * last(&a),
        100.0 * last(&b),
        start.elapsed().as_secs_f64()
    )?;
    Ok((vec![("with ring counts", a), ("without", b)], (train, test)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_rise_with_the_share() {
        assert_eq!(spark(&[0.0, 0.4, 0.71, 1.0]), "▁▁▅█");
    }

    #[test]
    fn counts_make_the_difference() {
        let dataset = dataset().unwrap();
        let curve = |counted| super::curve(&recipe(counted).unwrap(), &dataset).unwrap();
        let (a, b) = (curve(true), curve(false));
        assert!(a.last().unwrap() >= &0.95, "{a:?}");
        assert!((0.4..=0.6).contains(b.last().unwrap()), "{b:?}");
    }
}
