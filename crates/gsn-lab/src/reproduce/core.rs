//! A hash of the bits that small trainings end with: what makes kept results stale.
//!
//! Every kind of network is trained for a few steps on molecules that come with the program, and
//! its last weights are hashed. Whatever changes a bit on the way from counts to weights (encoders,
//! batches, layers, gradients, optimisers, orders, random numbers) changes the hash; a change of
//! speed alone does not. The loss is the absolute error and the activation ReLU, so no function of
//! the system's library takes part, and the hash is the same on every processor.

use super::kept::sha256;
use crate::cache::Cache;
use crate::catalogue::Store;
use crate::dataset::{Fold, Splits};
use crate::error::Result;
use crate::prepare::CountedDataset;
use crate::recipe::Recipe;
use crate::train::{Graphs, Measures, RandomKeys, Unit};
use std::borrow::Cow;
use std::fmt::Write;

/// Graphs that take part.
const GRAPHS: u32 = 96;
/// What all trainings have in common. Nothing is taken from the recipes of the library, which may
/// change without a change of what a recipe means.
const BASE: &str = r#"
protocol = { fixed-split = { choose = "last" } }
seeds = 1
[data]
set = "ZINC-12k"
[counts]
patterns = "cycle:3..=8"
scope = "vertex"
matching = "subgraph"
[network]
kind = "deepsets"
width = 16
readout = "sum"
[training]
batch = 32
epochs = 2
lr = 1e-3
schedule = { plateau = { factor = 0.5, patience = 0 } }
loss = "l1"
metric = "mae"
"#;
/// Every kind of network, the options among them, as changes of [`BASE`].
const CHANGES: [&[&str]; 6] = [
    &["network.edge-features=\"all\""],
    &[
        "network.kind=\"gsn\"",
        "network.layers=3",
        "network.head=\"mlp\"",
        "network.edge-features=\"all\"",
    ],
    &[
        "network.kind=\"gsn\"",
        "network.layers=3",
        "counts.scope=\"edge\"",
        "network.residual=true",
        "network.inject=\"all\"",
        "network.edge-features=\"first\"",
        "network.edge-states=8",
        "network.walks=6",
        "network.beside=[\"max\"]",
        "training.batch-norm=\"re-estimated\"",
        "training.average=0.9",
        "training.optimiser=\"adam-w\"",
        "training.weight-decay=0.01",
    ],
    &[
        "network.kind=\"gin\"",
        "network.layers=3",
        "network.jumping=\"all\"",
        "network.edge-features=\"all\"",
    ],
    &[
        "network.kind=\"ogb\"",
        "network.layers=3",
        "network.virtual-node=true",
        "network.dropout=0.5",
        "counts.encoding=\"embedding\"",
        "training.weight-decay=0.001",
        "training.clip=1.0",
    ],
    &[
        "network.kind=\"dgn\"",
        "network.layers=3",
        "counts.scope=\"edge\"",
        "counts.encoding=\"raw\"",
        "training.optimiser={sgd={momentum=0.9}}",
    ],
];

/// The hash of today's program, as 16 hexadecimal digits. Cost: about a second.
///
/// # Errors
/// If a recipe does not fit the program any more, which a test rules out.
pub fn core() -> Result<String> {
    let mut text = String::new();
    let base = Recipe::parse(BASE, "core")?;
    let store = Store::carried();
    for changes in CHANGES {
        let recipe = base.with_settings(changes)?;
        let mut data = store.load(&recipe.data.set)?;
        let order: Vec<u32> = (0..GRAPHS).collect();
        let fold = Fold {
            train: order[..64].to_vec(),
            validation: order[64..80].to_vec(),
            test: order[80..].to_vec(),
            ..Fold::default()
        };
        data.samples.truncate(GRAPHS as usize);
        data.splits = Splits::Fixed(fold.clone());
        let data = CountedDataset::new(&recipe, data, &Cache::off(), None)?;
        let encoded = data.encode(&recipe, &fold.train)?;
        let samples = data.dataset.samples.iter();
        let exact: Vec<Cow<'_, [f64]>> = samples.map(|sample| sample.exact_targets()).collect();
        let truth: Vec<&[f64]> = exact.iter().map(AsRef::as_ref).collect();
        let restore = |row: &mut [f64]| encoded.pipeline.restore(row);
        let unit = Unit {
            name: "core".into(),
            graphs: Graphs { inputs: &encoded.inputs, truth: &truth, restore: &restore },
            fold: &fold,
            config: &encoded.config,
            settings: recipe.training()?,
            keys: RandomKeys::new(0, 0),
            measures: Measures { validation: true, ..Measures::default() },
            rates: None,
        };
        let mut state = unit.start()?;
        unit.run(&mut state, &())?;
        let (_, model) = unit.chosen(&state)?;
        for weight in model.params().values() {
            let _ = write!(text, "{:08x}", weight.to_bits());
        }
        for row in &state.curve {
            let _ = write!(text, "{:016x}", row.validation_loss.unwrap_or_default().to_bits());
        }
        text.push('\n');
    }
    Ok(sha256(&text)[..16].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_is_the_same_whatever_the_threads() {
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| core().unwrap())
        };
        assert_eq!(on(1), on(3));
    }
}
