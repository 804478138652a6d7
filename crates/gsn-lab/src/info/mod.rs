//! What a file or folder is: a model, a run, a search, a recipe, a count table or graphs.
//!
//! Nothing is trained, counted or changed; a folder that another process works on can be looked
//! at. Graphs are streamed, so memory does not grow with their number.

mod graphs;
mod model;
mod run;

pub use graphs::{GraphsInfo, Range};
pub use model::{MemberInfo, ModelInfo};
pub use run::{RunInfo, SearchInfo, UnitInfo};

use crate::catalogue;
use crate::error::{Error, Result};
use crate::recipe::{Recipe, library};
use crate::sweep::Sweep;
use gsn_io::{ReadOptions, Sidecar, TableInfo};
use serde::Serialize;
use std::path::Path;

/// What was found.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Info {
    /// A model file.
    Model(Box<ModelInfo>),
    /// The folder of a run.
    Run(Box<RunInfo>),
    /// The folder of a search.
    Search(Box<SearchInfo>),
    /// A recipe.
    Recipe(Box<Recipe>),
    /// A sweep as a file.
    Sweep(SweepInfo),
    /// A table of counts.
    Counts(Box<CountsInfo>),
    /// Graphs.
    Graphs(Box<GraphsInfo>),
}

/// A sweep.
#[derive(Debug, Clone, Serialize)]
pub struct SweepInfo {
    /// Its name.
    pub name: String,
    /// What it shows.
    pub about: String,
    /// The recipe or data that it varies.
    pub recipe: String,
    /// Names of its axes.
    pub axes: Vec<String>,
    /// Names of its cells.
    pub cells: Vec<String>,
}

/// A table of counts, as its sidecar describes it.
#[derive(Debug, Clone, Serialize)]
pub struct CountsInfo {
    /// Version of the program that counted.
    pub gsn: String,
    /// The patterns.
    pub patterns: Vec<String>,
    /// On what, which occurrences, which orbits.
    pub scope: gsn_core::Scope,
    /// Which occurrences count.
    pub matching: gsn_core::Matching,
    /// Which notion of edge orbits.
    pub edge_orbits: gsn_core::EdgeOrbits,
    /// The input, if it is known.
    pub input: Option<gsn_io::InputInfo>,
    /// The table.
    pub table: Option<TableInfo>,
}

impl From<Sidecar> for CountsInfo {
    fn from(sidecar: Sidecar) -> Self {
        Self {
            patterns: sidecar.patterns.iter().map(|pattern| pattern.name.clone()).collect(),
            scope: sidecar.spec.scope(),
            matching: sidecar.spec.matching(),
            edge_orbits: sidecar.spec.orbits(),
            gsn: sidecar.gsn,
            input: sidecar.input,
            table: sidecar.table,
        }
    }
}

/// Looks at a file or folder, or at a recipe by its name; `options` say how graphs are read.
///
/// ```
/// use gsn_lab::info::{Info, info};
/// let found = info("mutag-gsn-e".as_ref(), &Default::default())?;
/// assert!(matches!(found, Info::Recipe(recipe) if recipe.data.set == "MUTAG"));
/// # Ok::<(), gsn_lab::Error>(())
/// ```
///
/// # Errors
/// When it is none of these, or damaged.
pub fn info(path: &Path, options: &ReadOptions) -> Result<Info> {
    let name = path.to_string_lossy();
    if !path.exists() && name != "-" {
        return not_there(path);
    }
    if path.is_dir() {
        if path.join("recipe.toml").is_file() {
            return RunInfo::of(path).map(|run| Info::Run(Box::new(run)));
        }
        if path.join("tune.json").is_file() {
            return SearchInfo::of(path).map(|search| Info::Search(Box::new(search)));
        }
        if path.join("cells").is_dir() {
            let what = "is the folder of a sweep; its table is table.csv, its runs are in cells";
            return Err(Error::file(path, what));
        }
    }
    if path.is_file()
        && options.format.is_none()
        && let Some(found) = ours(path, &name)?
    {
        return Ok(found);
    }
    GraphsInfo::of(path, options).map(|graphs| Info::Graphs(Box::new(graphs)))
}

/// A file of our own, if it is one.
fn ours(path: &Path, name: &str) -> Result<Option<Info>> {
    if name.ends_with(".toml") {
        return toml_file(path, name).map(Some);
    }
    if name.ends_with(".gsn") || name.ends_with(".safetensors") {
        return ModelInfo::of(path).map(|model| Some(Info::Model(Box::new(model))));
    }
    if name.ends_with(".ckpt") {
        let what = "is the state of a unit under way; look at the folder of its run";
        return Err(Error::file(path, what));
    }
    let table = match name.strip_suffix(".json") {
        Some(table) if Path::new(table).is_file() => Path::new(table),
        _ => path,
    };
    if gsn_io::sidecar_path(table).is_file() {
        let sidecar = Sidecar::read(table)?;
        sidecar.check_table(table)?;
        return Ok(Some(Info::Counts(Box::new(sidecar.into()))));
    }
    Ok(None)
}

/// A recipe or a sweep.
fn toml_file(path: &Path, name: &str) -> Result<Info> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Error::file(path, format!("cannot be read: {e}")))?;
    let is_sweep = toml::from_str::<toml::Table>(&text).is_ok_and(|t| t.contains_key("axes"));
    if !is_sweep {
        return Recipe::find(name).map(|recipe| Info::Recipe(Box::new(recipe)));
    }
    let sweep = Sweep::open(path)?;
    let cells = sweep.cells()?.into_iter().map(|cell| cell.name).collect();
    let axes = sweep.axes();
    let Sweep { name, about, recipe, .. } = sweep;
    Ok(Info::Sweep(SweepInfo { name, about, recipe, axes, cells }))
}

fn not_there(path: &Path) -> Result<Info> {
    let name = path.to_string_lossy();
    if library::names().any(|known| known == name) {
        return Recipe::find(&name).map(|recipe| Info::Recipe(Box::new(recipe)));
    }
    let what = match catalogue::find(&name) {
        Ok(entry) => format!("is a benchmark of the catalogue; see `gsn data path {}`", entry.name),
        Err(_) => "is neither a file or folder nor a recipe".to_owned(),
    };
    Err(Error::file(path, what))
}
