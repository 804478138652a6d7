//! A hash of the bits that small trainings end with: what makes kept results stale.
//!
//! Every kind of network is trained for a few steps on molecules that come with the program, and
//! its last weights are hashed. Whatever changes a bit on the way from counts to weights (encoders,
//! batches, layers, gradients, optimisers, orders, random numbers) changes the hash; a change of
//! speed alone does not. The loss is the absolute error and the activation ReLU, so no function of
//! the system's library takes part, and the hash is the same on every processor.

use super::kept::sha256;
use crate::cache::Cache;
use crate::catalogue;
use crate::dataset::{Fold, Splits};
use crate::error::Result;
use crate::prepare::CountedDataset;
use crate::recipe::Recipe;
use crate::train::{Graphs, Measures, RandomKeys, Unit};
use std::borrow::Cow;
use std::fmt::Write;

/// Graphs that take part.
const GRAPHS: u32 = 96;
/// A recipe of every kind of network, with what makes it small.
const RECIPES: [(&str, &[&str]); 6] = [
    ("zinc-gsn-ef-100k", &["network.width=16"]),
    (
        "zinc-gsn-ef-100k",
        &[
            "network.width=16",
            "network.residual=true",
            "network.inject=\"all\"",
            "training.batch-norm=\"re-estimated\"",
        ],
    ),
    ("zinc-gsn", &["network.kind=\"gin\"", "network.width=16", "network.jumping=\"all\""]),
    (
        "zinc-gsn",
        &[
            "network.kind=\"ogb\"",
            "network.width=16",
            "network.virtual-node=true",
            "network.dropout=0.5",
            "counts.encoding=\"embedding\"",
            "training.weight-decay=0.001",
        ],
    ),
    (
        "zinc-gsn",
        &[
            "network.kind=\"dgn\"",
            "network.jumping=false",
            "network.head=false",
            "network.width=16",
            "counts.encoding=\"raw\"",
        ],
    ),
    ("zinc-deepsets", &["network.width=16"]),
];

/// The hash of today's program, as 16 hexadecimal digits. Cost: about a second.
///
/// # Errors
/// If a recipe does not fit the program any more, which a test rules out.
pub fn core() -> Result<String> {
    let mut text = String::new();
    for (name, settings) in RECIPES {
        let mut all = vec!["training.epochs=2", "training.batch=32", "training.loss=\"l1\""];
        all.extend_from_slice(settings);
        let recipe = Recipe::find_with(name, &all)?;
        let mut data = catalogue::load(&recipe.data.set)?;
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
