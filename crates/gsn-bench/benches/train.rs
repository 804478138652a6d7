//! What the training loop costs around the bare step: order, batches, watching, on the paper's
//! own recipes.
//!
//! `cargo bench -p gsn-bench --bench train` prints a table; words behind `--` choose recipes,
//! `--publish` puts the table into `benches/README.md`. The bare step (gradients and Adam over
//! batches made before) and the loop of `gsn-lab` over the same batches take turns. On one
//! thread CPU time is compared, which includes making the batches; on all threads wall-clock time,
//! where batches are made while the step runs. Floor: 5 %.
#![allow(clippy::print_stdout, reason = "a benchmark is a program that prints")]

use anyhow::{Context, Result};
use gsn_bench::table::Table;
use gsn_bench::{clock, publish};
use gsn_lab::cache::Cache;
use gsn_lab::prepare::{CountedDataset, EncodedDataset};
use gsn_lab::recipe::Recipe;
use gsn_lab::train::{Graphs, Measures, Order, RandomKeys, Settings, Unit};
use gsn_lab::{Fold, Splits};
use gsn_nn::{Adam, Batch, Grads, GraphInput, Model, ModelConfig, Pool};

const RECIPES: [&str; 3] = ["zinc-gsn-ef-100k", "mutag-gsn-e", "imdb-b-gsn-e"];
/// Turns of each side: at least so many, more while there are seconds left.
const TURNS: usize = 5;
const PATIENCE: f64 = 8.0;
/// The loop may cost this much of the step.
const FLOOR: f64 = 0.05;

fn main() -> Result<()> {
    let Some(mut words) = gsn_bench::arguments() else { return Ok(()) };
    let published = gsn_bench::flag(&mut words, "--publish");
    let mut table = Table::new(["recipe", "threads", "bare step", "loop", "around the step"]);
    let mut worst: f64 = 0.0;
    let wanted = |name: &&str| words.is_empty() || words.iter().any(|word| name.contains(word));
    for name in RECIPES.iter().copied().filter(|name| wanted(name)) {
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        for threads in if all > 1 { vec![1, all] } else { vec![1] } {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
            match pool.install(|| measure(name, threads)) {
                Ok((step, whole, share)) => {
                    worst = worst.max(share);
                    table.row([
                        name.into(),
                        threads.to_string(),
                        clock::show(step),
                        clock::show(whole),
                        format!("{:.1} %", 100.0 * share),
                    ]);
                }
                Err(error) => println!("{name} is left out: {error:#}"),
            }
        }
    }
    let kept = if worst <= FLOOR { "kept" } else { "**not** kept" };
    let text = format!(
        "{}.\n\n{table}\nThe floor of {:.0} % is {kept}, the most is {:.1} %.\n",
        publish::made_at()?,
        100.0 * FLOOR,
        100.0 * worst
    );
    publish::result("training-loop", &text, published)
}

/// Seconds of the bare step and of the step in the loop, the least of all turns, since the work is
/// always the same and others can only add to it; and the share around the step.
fn measure(name: &str, threads: usize) -> Result<(f64, f64, f64)> {
    let mut recipe = Recipe::find(name)?;
    let settings = recipe.training.as_mut().context("trains nothing")?;
    settings.epochs = 1;
    let settings = settings.clone();
    let dataset = gsn_lab::catalogue::load(&recipe.data.set)?;
    let fold = match &dataset.splits {
        Splits::Fixed(fold) => fold.clone(),
        Splits::Folds(folds) => folds.first().cloned().context("no folds")?,
        Splits::None => anyhow::bail!("not cut"),
    };
    let data = CountedDataset::new(&recipe, dataset, &Cache::off(), None)?;
    let EncodedDataset { inputs, pipeline, config } = data.encode(&recipe, &fold.train)?;
    let truth: Vec<&[f64]> = data.dataset.samples.iter().map(|s| s.targets.as_slice()).collect();
    let restore = |row: &mut [f64]| pipeline.restore(row);
    let unit = Unit {
        name: name.into(),
        graphs: Graphs { inputs: &inputs, truth: &truth, restore: &restore },
        fold: &fold,
        config: &config,
        settings: &settings,
        keys: RandomKeys::new(0, 0),
        rates: None,
        measures: Measures::default(),
    };
    let batches = batches(&unit, &fold, &inputs, settings.batch)?;
    let steps = batches.len() as f64;
    let clock = || if threads == 1 { clock::cpu() } else { wall() };
    let (mut bare, mut whole) = (f64::INFINITY, f64::INFINITY);
    let (start, mut turn) = (wall(), 0);
    while turn <= TURNS || (wall() - start).as_secs_f64() < PATIENCE {
        let begin = clock();
        bare_steps(&config, &batches, &settings)?;
        let between = clock();
        let mut state = unit.start()?;
        unit.run(&mut state, &())?;
        let end = clock();
        // The first turn warms up.
        if turn > 0 {
            bare = bare.min((between - begin).as_secs_f64() / steps);
            whole = whole.min((end - between).as_secs_f64() / steps);
        }
        turn += 1;
    }
    Ok((bare, whole, whole / bare - 1.0))
}

fn wall() -> std::time::Duration {
    static BEGIN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGIN.get_or_init(std::time::Instant::now).elapsed()
}

/// The batches of the first epoch.
fn batches(
    unit: &Unit<'_>,
    fold: &Fold,
    inputs: &[GraphInput],
    size: usize,
) -> Result<Vec<Batch<f32>>> {
    let mut order = Order::new(&fold.train, size, unit.keys);
    let mut batches = Vec::new();
    for step in 0..unit.steps() {
        let graphs: Vec<&GraphInput> =
            order.of_step(0, step).iter().map(|&i| &inputs[i as usize]).collect();
        batches.push(Batch::new(&graphs)?);
    }
    Ok(batches)
}

/// Gradients and Adam, nothing else.
fn bare_steps(config: &ModelConfig, batches: &[Batch<f32>], settings: &Settings) -> Result<()> {
    let mut model = Model::<f32>::new(config.clone(), 0)?;
    let (pool, mut gradients) = (Pool::new(), Grads::new(model.params()));
    let mut adam = Adam::new(model.params().count(), settings.lr);
    for (step, batch) in batches.iter().enumerate() {
        model.gradients(batch, settings.loss, step as u64, &pool, &mut gradients)?;
        adam.step(model.params_mut().values_mut(), gradients.values())?;
    }
    Ok(())
}
