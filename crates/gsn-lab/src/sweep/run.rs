//! Runs the cells of a sweep that are not finished yet.

use super::{Bases, Cell, Sweep, SweepRow, SweepTable, plot};
use crate::dataset::{Dataset, Splits};
use crate::disambiguation::{Rows, disambiguation, score};
use crate::error::{Error, Result};
use crate::experiment::{Observer, Options, Results, RunResults};
use crate::recipe::Recipe;
use crate::run::{put, read_json};
use gsn_core::{Counter, Graph, Scope};
use gsn_nn::Features;
use std::path::Path;

/// Receives the progress of a sweep.
pub trait SweepObserver {
    /// A cell is begun or found finished.
    fn cell(&self, at: usize, cells: usize, name: &str, finished: bool) {
        let _ = (at, cells, name, finished);
    }

    /// Receives the progress of the next cell's training.
    fn observer(&self) -> Box<dyn Observer + '_>;
}

/// Ignores everything.
impl SweepObserver for () {
    fn observer(&self) -> Box<dyn Observer + '_> {
        Box::new(())
    }
}

/// Runs what is not finished and gives the whole table. `options.out`
/// is the sweep's folder; in it `cells/NAME` is the run of each cell, `table.csv` and `plot.svg` are
/// written after every cell.
///
/// ```no_run
/// use gsn_lab::{experiment::Options, sweep::{Sweep, sweep}};
/// let rings = Sweep::open("sweeps/zinc-families.toml".as_ref())?;
/// let table = sweep(&rings, &Options::new("runs/zinc-families"), &())?;
/// println!("{}", table.to_text());
/// # Ok::<(), gsn_lab::Error>(())
/// ```
///
/// # Errors
/// [`Error::Stopped`] if that was asked for; a sweep started again goes on where it was. A cell
/// that was made with other settings is an error.
pub fn sweep(sweep: &Sweep, options: &Options, observer: &dyn SweepObserver) -> Result<SweepTable> {
    let mut bases = Bases::default();
    let cells = sweep.cells_of(&mut bases)?;
    let mut table = SweepTable { axes: sweep.axes(), lines: Vec::new() };
    for (at, cell) in cells.iter().enumerate() {
        let folder = options.out.join("cells").join(cell.name.replace(['/', '\\'], "_"));
        let finished = finished(&folder, cell)?;
        observer.cell(at, cells.len(), &cell.name, finished.is_some());
        let mut experiment = || bases.get(sweep, &cell.base)?.experiment(cell.recipe.clone());
        let results = match finished {
            Some(results) => results,
            None => {
                let resume = folder.join("recipe.toml").is_file();
                let options = Options { resume, out: folder.clone(), ..options.clone() };
                cell.recipe.training()?;
                let experiment = experiment()?;
                match experiment.run(&options, &*observer.observer())? {
                    RunResults::Trained(results) => *results,
                    RunResults::Compared(_) => {
                        let what = format!("cell {} trains nothing", cell.name);
                        return Err(Error::Recipe(what));
                    }
                }
            }
        };
        let delta = match sweep.delta {
            true => Some(kept_delta(&folder, || {
                recipe_disambiguation(&cell.recipe, experiment()?.dataset)
            })?),
            false => None,
        };
        table.lines.push(SweepRow::new(&cell.values, &results, delta));
        put(&options.out.join("table.csv"), table.to_csv().as_bytes())?;
        if let Some(plot) = &sweep.plot {
            put(&options.out.join("plot.svg"), plot::svg(sweep, plot, &table).as_bytes())?;
        }
    }
    Ok(table)
}

/// The results of a cell that is finished.
fn finished(folder: &Path, cell: &Cell) -> Result<Option<Results>> {
    if folder.join("recipe.toml").is_file() {
        let there = Recipe::of_run(folder)?;
        let same = Recipe { name: cell.recipe.name.clone(), ..there } == cell.recipe;
        if !same {
            let what = "was run with other settings; name another folder with --out, or remove it";
            return Err(Error::file(folder, what));
        }
    }
    read_json(&folder.join("results.json"))
}

/// δ of the training part with the recipe's patterns around vertices, whatever its scope.
pub(crate) fn recipe_disambiguation(recipe: &Recipe, dataset: Dataset) -> Result<f64> {
    let dataset = recipe.data.select(dataset);
    let train: Vec<u32> = match &dataset.splits {
        Splits::Fixed(fold) => fold.train.clone(),
        _ => (0..dataset.samples.len() as u32).collect(),
    };
    let samples: Vec<_> = train.iter().map(|&i| &dataset.samples[i as usize]).collect();
    let inputs: Vec<(&Graph, Option<&Features>)> =
        samples.iter().map(|sample| (&sample.graph, sample.vertex.as_ref())).collect();
    let Some(counts) = &recipe.counts else {
        let rows: Vec<Rows> = inputs.iter().map(|(graph, own)| Rows::new(graph, *own)).collect();
        return Ok(score(&rows));
    };
    let graphs: Vec<Graph> = samples.iter().map(|sample| sample.graph.clone()).collect();
    let spec = counts.spec().clone().with_scope(Scope::Vertex);
    let counts = Counter::new(&spec).count_many(&graphs)?;
    Ok(disambiguation(&inputs, &counts))
}

/// A number that is computed once and then kept in the cell's folder.
fn kept_delta(folder: &Path, compute: impl FnOnce() -> Result<f64>) -> Result<f64> {
    let path = folder.join("delta.txt");
    let kept = std::fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok());
    if let Some(delta) = kept {
        return Ok(delta);
    }
    let delta = compute()?;
    put(&path, format!("{delta}\n").as_bytes())?;
    Ok(delta)
}
