//! Sweeps: one recipe over a grid of settings, every cell a run of its own.
//!
//! A sweep is a TOML file: axes with values, and what they change. Cells are run one after the
//! other in folders of their own; finished ones are skipped and begun ones go on, so a sweep can
//! be stopped at any moment and started again. After every cell the table and the plot are
//! written anew.
//!
//! ```
//! let sweep = gsn_lab::sweep::Sweep::parse(r#"
//!     about = "Rings of growing size."
//!     recipe = "zinc-gsn-ef-100k"
//!     [axes]
//!     family = ["cycle", "path"]
//!     k = [3, 4]
//!     [set]
//!     "counts.patterns" = "{family}:3..={k}"
//! "#, "rings")?;
//! let cells = sweep.cells()?;
//! assert_eq!(cells.len(), 4);
//! assert_eq!(cells[1].name, "family=cycle,k=4");
//! assert_eq!(cells[1].recipe.counts.as_ref().unwrap().patterns(), "cycle:3..=4");
//! # Ok::<(), gsn_lab::Error>(())
//! ```

mod plot;
mod run;
mod table;

pub(crate) use run::recipe_disambiguation;
pub use run::{SweepObserver, sweep};
pub use table::{SweepRow, SweepTable};

use crate::error::{Error, Result};
use crate::experiment::{Base, TrainSource};
use crate::recipe::Recipe;
use crate::user_data;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

/// A sweep as it is written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sweep {
    /// What it is called; the name of its file.
    #[serde(default)]
    pub name: String,
    /// What it shows, in a sentence.
    #[serde(default)]
    pub about: String,
    /// The recipe, by name or path, or the user's own data; `{axis}` stands for the value of an
    /// axis.
    pub recipe: String,
    /// How the user's own data are read.
    #[serde(default)]
    pub reading: user_data::Options,
    /// Options of `reading` that stand over what a recipe says; see [`Base::open`].
    #[serde(skip)]
    pub given: Vec<String>,
    /// The axes: names and values. They are taken in alphabetical order.
    pub axes: toml::Table,
    /// Keys of the recipe and their values; `{axis}` stands for the value of an axis.
    #[serde(default)]
    pub set: toml::Table,
    /// Cells that are left out: values of some axes.
    #[serde(default)]
    pub skip: Vec<toml::Table>,
    /// Report the disambiguation score δ of the training part beside the errors.
    #[serde(default)]
    pub delta: bool,
    /// What is drawn.
    #[serde(default)]
    pub plot: Option<Plot>,
}

/// What is drawn: the test metric (and the training metric, where it is measured) against an axis.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plot {
    /// The axis from left to right.
    pub x: String,
    /// The axis with a line for every value.
    #[serde(default)]
    pub lines: Option<String>,
}

/// One cell of a sweep.
#[derive(Debug, Clone)]
pub struct Cell {
    /// `family=cycle,k=4`; also its folder.
    pub name: String,
    /// The values of the axes, in their order.
    pub values: Vec<String>,
    /// What is run.
    pub recipe: Recipe,
    /// What it is a change of.
    base: String,
}

/// The recipes and data that the cells of a sweep change, each opened once.
#[derive(Default)]
struct Bases {
    open: BTreeMap<String, Base>,
}

impl Bases {
    fn get(&mut self, sweep: &Sweep, name: &str) -> Result<&mut Base> {
        match self.open.entry(name.to_owned()) {
            Entry::Occupied(base) => Ok(base.into_mut()),
            Entry::Vacant(place) => {
                let (reading, given) = (sweep.reading.clone(), sweep.given.clone());
                Ok(place.insert(Base::open(TrainSource::named(name), reading, given)?))
            }
        }
    }
}

macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../sweeps/", $name, ".toml")))),*]
    };
}

/// (name, text) of the sweeps that come with the program.
const LIBRARY: &[(&str, &str)] =
    embedded!["zinc-deepsets", "zinc-families", "zinc-fraction", "zinc-inject", "zinc-matching"];

/// Cells of one sweep at most.
const MOST: usize = 10_000;

impl Sweep {
    /// Reads a sweep; `name` stands in errors and for its name.
    ///
    /// # Errors
    /// With line and place, as TOML has it; for keys and axes that do not fit each other.
    pub fn parse(text: &str, name: &str) -> Result<Self> {
        let mut sweep: Sweep =
            toml::from_str(text).map_err(|e| Error::Recipe(format!("{name}: {e}")))?;
        if sweep.name.is_empty() {
            sweep.name = name.to_owned();
        }
        let fail = |what: String| Err(Error::Recipe(format!("{name}: {what}")));
        for (axis, values) in &sweep.axes {
            match values.as_array().map(Vec::len) {
                None => return fail(format!("axes.{axis}: an axis is a list of values")),
                Some(0) => return fail(format!("axes.{axis}: no values")),
                Some(_) => {}
            }
        }
        if sweep.axes.is_empty() {
            return fail("there are no axes".into());
        }
        let known = |axis: &String| sweep.axes.contains_key(axis);
        let plotted = sweep.plot.iter().flat_map(|plot| plot.lines.iter().chain([&plot.x]));
        let skipped = sweep.skip.iter().flat_map(|cell| cell.keys());
        if let Some(axis) = plotted.chain(skipped).find(|axis| !known(axis)) {
            let there: Vec<&str> = sweep.axes.keys().map(String::as_str).collect();
            return fail(format!("there is no axis `{axis}`; there are {}", there.join(", ")));
        }
        Ok(sweep)
    }

    /// A sweep that comes with the program by its name, or a file by its path.
    ///
    /// # Errors
    /// If there is neither; see [`Sweep::parse`].
    pub fn find(name_or_path: &str) -> Result<Self> {
        match LIBRARY.iter().find(|(name, _)| *name == name_or_path) {
            Some((name, text)) => Self::parse(text, name),
            None => Self::open(Path::new(name_or_path)),
        }
    }

    /// Reads the sweep of a file.
    ///
    /// # Errors
    /// If it cannot be read; see [`Sweep::parse`].
    pub fn open(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .map_err(|e| Error::file(path, format!("cannot be read: {e}")))?;
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let mut sweep = Self::parse(&text, &path.display().to_string())?;
        if sweep.name == path.display().to_string() {
            sweep.name = stem.unwrap_or_else(|| "sweep".into());
        }
        Ok(sweep)
    }

    /// A sweep of a recipe, or of the user's own data, over `key=value,value` for every axis; a list
    /// whose values have commas is separated by semicolons. The first axis is drawn from left to
    /// right, the second as lines.
    ///
    /// ```
    /// use gsn_lab::sweep::Sweep;
    /// let grid = ["network.width=32,64", "counts.patterns=cycle:3;cycle:3,path:4"];
    /// let cells = Sweep::grid("zinc-gsn-ef-100k", &grid)?.cells()?;
    /// assert_eq!(cells.len(), 4);
    /// assert_eq!(cells[3].recipe.counts.as_ref().unwrap().patterns(), "cycle:3,path:4");
    /// # Ok::<(), gsn_lab::Error>(())
    /// ```
    ///
    /// # Errors
    /// When an axis has no key or no values, or is there twice.
    pub fn grid(recipe: &str, grid: &[impl AsRef<str>]) -> Result<Self> {
        let stem = Path::new(recipe).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let mut sweep = Self {
            name: format!("{}-sweep", stem.unwrap_or_else(|| recipe.to_owned())),
            about: String::new(),
            recipe: recipe.to_owned(),
            reading: user_data::Options::default(),
            given: Vec::new(),
            axes: toml::Table::new(),
            set: toml::Table::new(),
            skip: Vec::new(),
            delta: false,
            plot: None,
        };
        let mut keys = Vec::new();
        for axis in grid.iter().map(AsRef::as_ref) {
            let wrong = |what: &str| {
                Error::Recipe(format!(
                    "`{axis}`: {what}; write KEY=VALUE,VALUE, such as network.width=32,64"
                ))
            };
            let (key, values) = axis.split_once('=').ok_or_else(|| wrong("there is no key"))?;
            let values = listed(values);
            if values.iter().any(String::is_empty) {
                return Err(wrong("a value is empty"));
            }
            let key = key.trim().to_owned();
            let values = values.into_iter().map(toml::Value::String).collect();
            if sweep.axes.insert(key.clone(), toml::Value::Array(values)).is_some() {
                return Err(wrong("the key is there twice"));
            }
            sweep.set.insert(key.clone(), format!("{{{key}}}").into());
            keys.push(key);
        }
        let mut keys = keys.into_iter();
        let x = keys.next().ok_or_else(|| Error::Recipe("there are no axes".into()))?;
        sweep.plot = Some(Plot { x, lines: keys.next() });
        Ok(sweep)
    }

    /// The part of a sweep whose cells have one of these values of an axis: `axis=value,value`.
    ///
    /// ```
    /// use gsn_lab::sweep::Sweep;
    /// let cycles = Sweep::find("zinc-families")?.only("family=cycle")?;
    /// assert_eq!(cycles.cells()?.len(), 8);
    /// # Ok::<(), gsn_lab::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the sweep has no such axis, or the axis no such value.
    pub fn only(mut self, part: &str) -> Result<Self> {
        let fail = |what: String| Err(Error::Recipe(format!("{}: `{part}`: {what}", self.name)));
        let Some((axis, values)) = part.split_once('=') else {
            return fail("write AXIS=VALUE,VALUE, such as family=cycle".into());
        };
        let Some(there) = self.axes.get(axis.trim()).and_then(toml::Value::as_array) else {
            return fail(format!("there is no such axis; there are {}", self.axes().join(", ")));
        };
        let texts: Vec<String> = there.iter().map(text).collect();
        let wanted = listed(values);
        if let Some(value) = wanted.iter().find(|value| !texts.contains(value)) {
            return fail(format!("there is no value {value}; there are {}", texts.join(", ")));
        }
        let kept = there.iter().filter(|value| wanted.contains(&text(value))).cloned().collect();
        self.axes.insert(axis.trim().to_owned(), toml::Value::Array(kept));
        Ok(self)
    }

    /// Names of the axes.
    pub fn axes(&self) -> Vec<String> {
        self.axes.keys().cloned().collect()
    }

    /// All cells, the last axis running fastest.
    ///
    /// # Errors
    /// If a cell's recipe does not exist or its settings do not fit it.
    pub fn cells(&self) -> Result<Vec<Cell>> {
        self.cells_of(&mut Bases::default())
    }

    fn cells_of(&self, bases: &mut Bases) -> Result<Vec<Cell>> {
        let fail = |what: String| Error::Recipe(format!("{}: {what}", self.name));
        let axes: Vec<(&String, Vec<String>)> = self
            .axes
            .iter()
            .map(|(axis, values)| {
                let texts = values.as_array().map(|v| v.iter().map(text).collect());
                (axis, texts.unwrap_or_default())
            })
            .collect();
        let many = axes.iter().try_fold(1usize, |n, (_, v)| n.checked_mul(v.len()));
        if many.is_none_or(|n| n > MOST) {
            return Err(fail(format!("more than {MOST} cells")));
        }
        let mut cells = Vec::new();
        for at in 0..many.unwrap_or(0) {
            let mut rest = at;
            let mut values = vec![String::new(); axes.len()];
            for (place, (_, list)) in axes.iter().enumerate().rev() {
                values[place] = list[rest % list.len()].clone();
                rest /= list.len();
            }
            let named: Vec<(&String, &String)> =
                axes.iter().map(|(axis, _)| *axis).zip(&values).collect();
            let left_out = |skip: &toml::Table| {
                let is = |(axis, value): (&String, &toml::Value)| {
                    named.iter().any(|(name, there)| *name == axis && **there == text(value))
                };
                !skip.is_empty() && skip.iter().all(is)
            };
            if self.skip.iter().any(left_out) {
                continue;
            }
            let fill = |template: &str| -> Result<String> {
                let mut out = template.to_owned();
                for (axis, value) in &named {
                    out = out.replace(&format!("{{{axis}}}"), value);
                }
                match out.contains('{') && out.contains('}') && !out.contains(['=', '"']) {
                    true => Err(fail(format!("`{template}` names an axis that is not there"))),
                    false => Ok(out),
                }
            };
            let mut settings = Vec::new();
            for (key, value) in &self.set {
                settings.push(format!("{key}={}", fill(&text(value))?));
            }
            let name: Vec<String> =
                named.iter().map(|(axis, value)| format!("{axis}={value}")).collect();
            let name = name.join(",");
            let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
            let base = fill(&self.recipe)?;
            let recipe = bases.get(self, &base).and_then(|base| base.recipe(&settings));
            let mut recipe = recipe.map_err(|e| fail(format!("cell {name}: {e}")))?;
            // The published number belongs to the recipe without changes.
            recipe.published = None;
            cells.push(Cell { name, values, recipe, base });
        }
        Ok(cells)
    }
}

/// Values separated by semicolons, or by commas if there are none; brackets and quotes hold together.
fn listed(text: &str) -> Vec<String> {
    let cut = |separator: char| {
        let (mut depth, mut quote) = (0i32, None);
        let parts = text.split(move |c: char| {
            match (quote, c) {
                (Some(open), _) if c == open => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(c),
                (None, '[' | '{' | '(') => depth += 1,
                (None, ']' | '}' | ')') => depth -= 1,
                _ => {}
            }
            c == separator && depth == 0 && quote.is_none()
        });
        parts.map(|part| part.trim().to_owned()).collect::<Vec<_>>()
    };
    let parts = cut(';');
    if parts.len() > 1 { parts } else { cut(',') }
}

/// A value as it stands in a setting: texts without quotes.
fn text(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "recipe = 'zinc-mpnn'\n[axes]\nfraction = [0.2, 1.0]\n";

    #[test]
    fn mistakes_are_named() {
        let error = |text: &str| Sweep::parse(text, "s").unwrap_err().to_string();
        assert!(error("recipe = 'x'\naxis = 1").contains("axis"));
        assert!(error("recipe = 'x'\n[axes]\nk = 3").contains("axes.k"));
        assert!(error(&format!("{BASE}[plot]\nx = 'k'")).contains("no axis `k`"));
        let cells = |more: &str| Sweep::parse(&format!("{BASE}{more}"), "s").unwrap().cells();
        assert!(cells("[set]\n'data.fraktion' = '{fraction}'").is_err());
        assert!(cells("[set]\n'data.fraction' = '{share}'").is_err());
        assert_eq!(cells("[set]\n'data.fraction' = '{fraction}'").unwrap().len(), 2);
    }

    #[test]
    fn values_are_separated_by_commas_or_semicolons() {
        assert_eq!(listed("32, 64"), ["32", "64"]);
        assert_eq!(listed("cycle:3,path:4;cycle:5"), ["cycle:3,path:4", "cycle:5"]);
        assert_eq!(listed("[0, 1],[2,3]"), ["[0, 1]", "[2,3]"]);
        assert_eq!(listed("'a,b',c"), ["'a,b'", "c"]);
        for wrong in ["network.width", "network.width=", "network.width=3,,4"] {
            assert!(Sweep::grid("zinc-mpnn", &[wrong]).is_err(), "{wrong}");
        }
        assert!(Sweep::grid("zinc-mpnn", &["seeds=1", "seeds=2"]).is_err());
    }

    #[test]
    fn cells_can_be_left_out() {
        let text = format!("{BASE}b = [1, 2]\n[[skip]]\nfraction = 0.2\nb = 2\n");
        let cells = Sweep::parse(&text, "s").unwrap().cells().unwrap();
        let names: Vec<&str> = cells.iter().map(|cell| cell.name.as_str()).collect();
        assert_eq!(names, ["b=1,fraction=0.2", "b=1,fraction=1.0", "b=2,fraction=1.0"]);
    }

    #[test]
    fn a_part_of_a_sweep_has_the_cells_it_has_in_the_whole() {
        let whole = Sweep::find("zinc-families").unwrap();
        let part = whole.clone().only("family = path, tree").unwrap().only("k=4,3").unwrap();
        let names: Vec<String> = part.cells().unwrap().into_iter().map(|cell| cell.name).collect();
        assert_eq!(
            names,
            ["path,k=3", "path,k=4", "tree,k=3", "tree,k=4"].map(|n| format!("family={n}"))
        );
        let error = |part: &str| whole.clone().only(part).unwrap_err().to_string();
        assert!(error("family").contains("AXIS=VALUE"));
        assert!(error("kind=path").contains("there are family, k"));
        assert!(error("family=path,").contains("no value ;"));
        assert!(error("family=star").contains("no value star; there are cycle, path, tree"));
    }

    #[test]
    fn the_sweeps_of_the_paper_can_be_read() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sweeps");
        let mut seen = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let sweep = Sweep::open(&path).unwrap();
            assert_eq!(Sweep::find(&sweep.name).unwrap().axes, sweep.axes, "{}", path.display());
            assert!(!sweep.about.is_empty(), "{}", path.display());
            assert!(sweep.cells().unwrap().len() > 1, "{}", path.display());
            seen += 1;
        }
        assert!(seen >= 5);
    }
}
