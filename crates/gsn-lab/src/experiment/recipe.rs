//! A recipe and a dataset as an experiment: counts, pipelines, networks.

use super::{Event, Observer, Options, Prepared, Results, Sheet, Source, conduct};
use crate::cache::{Request, counts_of};
use crate::dataset::{Dataset, Fold};
use crate::error::{Error, Result};
use crate::model_file::{Card, ModelFile, Part, Recorded};
use crate::pipeline::Reader;
use crate::pipeline::Pipeline;
use crate::protocol::{Outcome, Plan};
use crate::recipe::Recipe;
use crate::train::Settings;
use gsn_core::{Counts, Graph};
use gsn_nn::{GraphInput, Model, ModelConfig};
use rayon::prelude::*;
use std::path::Path;
use std::sync::atomic::Ordering;

/// Runs a recipe over a dataset: counts, trains, reports. `reader` says how further graphs are
/// read, for the model files; without it, the dataset tells.
///
/// ```no_run
/// use gsn_lab::experiment::{Options, run};
/// let recipe = gsn_lab::recipe::Recipe::find("mutag-gsn-e")?;
/// let data = gsn_lab::catalogue::load(&recipe.data.set)?;
/// let results = run(&recipe, data, None, &Options::new("runs/mutag"), &())?;
/// println!("{} ± {:?}", results.report.test.mean, results.report.test.std);
/// # Ok::<(), gsn_lab::Error>(())
/// ```
///
/// # Errors
/// [`Error::Stopped`] if that was asked for; the state is saved then. Otherwise whatever went
/// wrong, with everything before it saved.
pub fn run(
    recipe: &Recipe,
    dataset: Dataset,
    reader: Option<Reader>,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Results> {
    let settings = settings_of(recipe)?;
    let dataset = recipe.data.select(dataset);
    let counts = match &recipe.counts {
        None => Vec::new(),
        Some(counts) => {
            observer.event(Event::Phase("counting"));
            let graphs: Vec<&Graph> = dataset.samples.iter().map(|s| &s.graph).collect();
            let cancel = Some(options.stop.clone());
            let request = Request { cancel, ..Request::new(counts.spec()) };
            let counted = counts_of(&graphs, &request, &options.cache);
            if options.stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            let (counts, report) = counted?;
            if let Some(why) = report.not_kept {
                observer.event(Event::Note(&format!("counts could not be kept: {why}")));
            }
            counts
        }
    };
    let kitchen = Kitchen { recipe, settings, dataset: &dataset, reader, counts };
    let sheet = Sheet {
        name: &recipe.name,
        recipe: recipe.to_toml(),
        dataset: &dataset,
        protocol: recipe.protocol,
        settings,
        seeds: &recipe.seeds.0,
        published: recipe.published.as_ref().and_then(|p| serde_json::to_value(p).ok()),
    };
    conduct(&sheet, &kitchen, options, observer)
}

/// How the recipe's networks are trained.
///
/// # Errors
/// If the recipe trains nothing.
pub fn settings_of(recipe: &Recipe) -> Result<&Settings> {
    recipe.training.as_ref().ok_or_else(|| {
        let (name, protocol) = (&recipe.name, recipe.protocol.name());
        Error::Recipe(format!("{name}: the protocol `{protocol}` trains nothing"))
    })
}

/// The recipe of a run that was started before.
///
/// # Errors
/// If there is no run, or its recipe cannot be read.
pub fn recipe_of(run: &Path) -> Result<Recipe> {
    let path = run.join("recipe.toml");
    let text = std::fs::read_to_string(&path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => Error::file(run, "holds no run (no recipe.toml)"),
        _ => Error::file(&path, format!("cannot be read: {e}")),
    })?;
    Recipe::parse(&text, &path.display().to_string())
}

/// Makes what networks read from a dataset and its counts.
struct Kitchen<'a> {
    recipe: &'a Recipe,
    settings: &'a Settings,
    dataset: &'a Dataset,
    reader: Option<Reader>,
    counts: Vec<Counts>,
}

struct Dish {
    inputs: Vec<GraphInput>,
    config: ModelConfig,
    settings: Settings,
    /// What a model file says about all models of this pipeline.
    card: Card,
}

impl Source for Kitchen<'_> {
    fn depends_on_fold(&self) -> bool {
        self.recipe.depends_on_fold()
    }

    fn prepare(&self, fold: &Fold) -> Result<Box<dyn Prepared>> {
        let Self { recipe, settings, dataset, reader, counts } = self;
        let pipeline = Pipeline::fit(recipe, dataset, counts, &fold.train)?;
        let config = pipeline.model_config(recipe, &dataset.task)?;
        let samples = dataset.samples.par_iter().enumerate();
        let inputs = samples.map(|(i, sample)| pipeline.encode(sample, counts.get(i)));
        let inputs = inputs.collect::<Result<_>>()?;
        let text = recipe.to_toml();
        let card = Card::new(&recipe.name, text, dataset, reader.clone(), pipeline);
        Ok(Box::new(Dish { inputs, config, settings: (*settings).clone(), card }))
    }
}

impl Prepared for Dish {
    fn inputs(&self) -> &[GraphInput] {
        &self.inputs
    }

    fn config(&self) -> &ModelConfig {
        &self.config
    }

    fn restore(&self, predicted: &mut [f64]) {
        self.card.pipeline.restore(predicted);
    }

    fn model_file(&self, model: &Model<f32>, plan: &Plan, outcome: &Outcome) -> Result<Vec<u8>> {
        let parts = [
            (Part::Train, &plan.fold.train),
            (Part::Validation, &plan.fold.validation),
            (Part::Test, &plan.fold.test),
        ];
        let recorded = parts.into_iter().zip(outcome.scores).filter_map(|((part, of), score)| {
            Some(Recorded {
                part,
                metric: self.settings.metric,
                loss: self.settings.loss,
                value: score?.metric?,
                graphs: of.len() as u64,
            })
        });
        let card = Card { metrics: recorded.collect(), ..self.card.clone() };
        ModelFile::bytes_of(model, &card)
    }
}
