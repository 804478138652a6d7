//! A finished run's networks once more, with statistics of BatchNorms over the whole training part
//! instead of the running ones they were stored with. The weights are those of the run.

use crate::cache::Cache;
use crate::catalogue;
use crate::error::{Error, Result};
use crate::model_file::ModelFile;
use crate::prepare::CountedDataset;
use crate::protocol::Protocol;
use crate::recipe::Recipe;
use crate::train::{BatchNorm, Graphs, Part, Settings, Statistics};
use gsn_nn::Pool;
use std::borrow::Cow;
use std::path::Path;

/// Seed and test metric of every unit of a run on a benchmark's own split, with statistics
/// re-estimated; nothing where the run did so itself, or where its networks have none.
///
/// # Errors
/// If the run or its data cannot be read.
pub fn re_estimated(run: &Path, cache: &Cache) -> Result<Option<Vec<(u64, f64)>>> {
    let recipe = Recipe::of_run(run)?;
    let settings = recipe.training()?;
    let fixed = matches!(recipe.protocol, Protocol::FixedSplit { .. });
    if !fixed || settings.batch_norm == BatchNorm::ReEstimated {
        return Ok(None);
    }
    let settings = &Settings { batch_norm: BatchNorm::ReEstimated, ..settings.clone() };
    let data = catalogue::load(&recipe.data.set)?;
    let data = CountedDataset::new(&recipe, data, cache, None)?;
    let dataset = &data.dataset;
    let plans = recipe.protocol.plan(dataset, &dataset.splits, settings, &recipe.seeds.0)?;
    let exact: Vec<Cow<'_, [f64]>> = dataset.samples.iter().map(|s| s.exact_targets()).collect();
    let truth: Vec<&[f64]> = exact.iter().map(AsRef::as_ref).collect();
    let mut values = Vec::with_capacity(plans.len());
    for plan in &plans {
        let encoded = data.encode(&recipe, &plan.fold.train)?;
        let restore = |row: &mut [f64]| encoded.pipeline.restore(row);
        let graphs = Graphs { inputs: &encoded.inputs, truth: &truth, restore: &restore };
        let path = run.join("units").join(&plan.name).join("model.gsn");
        let model = ModelFile::open(&path)?.first.model;
        if !model.has_statistics() {
            return Ok(None);
        }
        let pool = Pool::new();
        let statistics = Statistics::new(graphs, &plan.fold.train, settings, plan.keys())?;
        let model = statistics.ready(Cow::Owned(model), &pool)?;
        let test = Part::new(graphs, &plan.fold.test)?;
        let score = test.score(&model, &pool, (settings.loss, settings.metric), plan.keys())?;
        let value = score.metric.ok_or_else(|| {
            Error::Training(format!("{}: {} is not defined", plan.name, settings.metric.name()))
        })?;
        values.push((plan.seed, value));
    }
    Ok(Some(values))
}
