//! The tables of the paper and of this program, and what runs each of their rows.

use super::kept::{Kept, recipe_sha256, sha256};
use crate::error::{Error, Result};
use crate::protocol::Protocol;
use crate::recipe::{Published, Recipe, Seeds};
use crate::sweep::Sweep;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A table of results.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Table {
    /// Its name on the command line.
    pub name: String,
    /// What stands above it.
    pub title: String,
    /// A sentence or two below the title.
    #[serde(default)]
    pub about: String,
    /// The row that all others are compared with, instead of published numbers.
    pub against: Option<String>,
    /// Its rows.
    pub rows: Vec<Row>,
}

/// One row: what is run, and what is to be said beside it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Written")]
pub struct Row {
    /// Its name, and that of its file.
    pub id: String,
    /// What the table calls it.
    pub label: String,
    /// What is run.
    pub work: Work,
    /// `key=value` over the recipe.
    pub settings: Vec<String>,
    /// Seeds 0, 1, …, as many as this; the recipe's if not given.
    pub seeds: Option<u64>,
    /// Minutes of two cores for all of it, about: what it costs to run what was not run yet.
    pub minutes: f64,
    /// What is to be said of the row.
    pub note: String,
}

/// What a row runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// A recipe by its name.
    Recipe(String),
    /// A sweep by its name.
    Sweep(String),
    /// The part of a sweep that has these values of an axis; see [`Sweep::only`].
    Part(String, String),
    /// Disambiguation scores, which need no training.
    Scores(Scores),
}

/// How far a family of patterns tells vertices apart, against the size of its patterns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scores {
    /// The recipe that names graphs, features and what an occurrence is.
    pub recipe: String,
    /// The family, such as `cycle`.
    pub family: String,
    /// The printed score of its patterns of 3 vertices, of 3 and 4, and so on.
    pub printed: Vec<f64>,
}

impl Scores {
    /// The smallest patterns there are of any family.
    pub(super) const FIRST: usize = 3;

    /// The recipe for patterns of up to so many vertices.
    pub(super) fn recipe_up_to(&self, k: usize) -> Result<Recipe> {
        let patterns = format!("counts.patterns=\"{}:{}..={k}\"", self.family, Self::FIRST);
        Recipe::find_with(&self.recipe, &[&patterns])
    }

    /// The sizes that were printed.
    pub(super) fn sizes(&self) -> std::ops::Range<usize> {
        Self::FIRST..Self::FIRST + self.printed.len()
    }
}

/// A row as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Written {
    id: String,
    label: String,
    recipe: Option<String>,
    sweep: Option<String>,
    only: Option<String>,
    scores: Option<Scores>,
    #[serde(default)]
    settings: Vec<String>,
    seeds: Option<u64>,
    minutes: f64,
    #[serde(default)]
    note: String,
}

impl TryFrom<Written> for Row {
    type Error = String;

    fn try_from(row: Written) -> Result<Self, String> {
        let work = match (row.recipe, row.sweep, row.only, row.scores) {
            (Some(recipe), None, None, None) => Work::Recipe(recipe),
            (None, Some(sweep), None, None) => Work::Sweep(sweep),
            (None, Some(sweep), Some(only), None) => Work::Part(sweep, only),
            (None, None, None, Some(scores)) => Work::Scores(scores),
            _ => return Err(format!("row `{}` needs a recipe, a sweep or scores", row.id)),
        };
        let Written { id, label, settings, seeds, minutes, note, .. } = row;
        Ok(Self { id, label, work, settings, seeds, minutes, note })
    }
}

impl Row {
    /// Its recipe with all settings; of a sweep and of scores, nothing.
    ///
    /// # Errors
    /// If there is no such recipe, or a setting does not fit.
    pub fn recipe(&self) -> Result<Option<Recipe>> {
        let Work::Recipe(name) = &self.work else { return Ok(None) };
        let mut settings = self.settings.clone();
        settings.extend(self.seeds.map(|seeds| format!("seeds={seeds}")));
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        Recipe::find_with(name, &settings).map(Some)
    }

    /// The seeds it is repeated with, each of which can be run by itself; none where folds, pairs or
    /// cells belong together.
    ///
    /// # Errors
    /// As [`Row::recipe`].
    pub fn seeds(&self) -> Result<Vec<u64>> {
        let recipe = self.recipe()?;
        let fixed = recipe.filter(|r| matches!(r.protocol, Protocol::FixedSplit { .. }));
        Ok(fixed.map(|recipe| recipe.seeds.0).unwrap_or_default())
    }

    /// What is kept of it in this folder: of all its seeds, or of the row as a whole.
    ///
    /// # Errors
    /// If a file is damaged; as [`Row::recipe`].
    pub fn kept(&self, folder: &Path) -> Result<Vec<Kept>> {
        let seeds = self.seeds()?;
        let whole = seeds.is_empty().then_some(None);
        let parts = seeds.into_iter().map(Some).chain(whole);
        parts.filter_map(|seed| Kept::read(folder, &self.id, seed).transpose()).collect()
    }

    /// Its sweep with all settings; of a recipe and of scores, nothing.
    ///
    /// # Errors
    /// If there is no such sweep, or a setting does not fit.
    pub fn sweep(&self) -> Result<Option<Sweep>> {
        let mut plan = match &self.work {
            Work::Sweep(name) => Sweep::find(name)?,
            Work::Part(name, only) => Sweep::find(name)?.only(only)?,
            _ => return Ok(None),
        };
        for setting in &self.settings {
            let (key, value) = setting.split_once('=').ok_or_else(|| {
                Error::Recipe(format!("{}: `{setting}` is no KEY=VALUE", self.id))
            })?;
            plan.set.insert(key.to_owned(), value.trim_matches('"').into());
        }
        Ok(Some(plan))
    }

    /// What tells the work of rows apart: a SHA-256 of the recipe, of all cells of the sweep or of all
    /// recipes that are scored, without names and without seeds that can be run one by one.
    ///
    /// # Errors
    /// As [`Row::recipe`] and [`Row::sweep`].
    pub fn sha256(&self) -> Result<String> {
        if let Some(mut recipe) = self.recipe()? {
            if !self.seeds()?.is_empty() {
                recipe.seeds = Seeds::default();
            }
            return Ok(recipe_sha256(&recipe));
        }
        if let Work::Scores(scores) = &self.work {
            let scored = scores.sizes().map(|k| Ok(recipe_sha256(&scores.recipe_up_to(k)?)));
            return Ok(sha256(&scored.collect::<Result<String>>()?));
        }
        let cells = self.sweep()?.map(|plan| plan.cells()).transpose()?.unwrap_or_default();
        let all: String = cells.iter().map(|cell| recipe_sha256(&cell.recipe)).collect();
        Ok(sha256(&all))
    }

    /// The number it aims for, if one was published for just these settings.
    pub fn published(&self) -> Option<Published> {
        self.recipe().ok().flatten().and_then(|recipe| recipe.published)
    }

    /// The command that gives the same.
    pub fn command(&self) -> String {
        let set: String =
            self.settings.iter().map(|setting| format!(" --set {}", quoted(setting))).collect();
        match &self.work {
            Work::Recipe(name) => {
                let seeds = self.seeds.map(|seeds| format!(" --seeds {seeds}"));
                format!("gsn train {name}{set}{}", seeds.unwrap_or_default())
            }
            Work::Sweep(name) => format!("gsn sweep {name}{set}"),
            Work::Part(name, only) => format!("gsn sweep {name} --only {}{set}", quoted(only)),
            Work::Scores(_) => format!("gsn reproduce {}", self.id),
        }
    }
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.=/:,".contains(c);
    match word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{word}'"),
    }
}

/// All tables there are.
///
/// # Errors
/// If the list that comes with the program cannot be read, which a test rules out.
pub fn tables() -> Result<Vec<Table>> {
    #[derive(Deserialize)]
    struct All {
        table: Vec<Table>,
    }
    let all: All = toml::from_str(include_str!("tables.toml"))
        .map_err(|e| Error::Recipe(format!("tables of results: {e}")))?;
    Ok(all.table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_row_can_be_run_and_has_a_name_of_its_own() {
        let mut names = BTreeSet::new();
        for table in tables().unwrap() {
            assert!(names.insert(table.name.clone()), "{}", table.name);
            for row in &table.rows {
                assert!(names.insert(row.id.clone()), "{}", row.id);
                match &row.work {
                    Work::Recipe(_) => assert!(row.recipe().unwrap().is_some()),
                    Work::Sweep(_) | Work::Part(..) => {
                        assert!(!row.sweep().unwrap().unwrap().cells().unwrap().is_empty())
                    }
                    Work::Scores(scores) => {
                        assert!(scores.sizes().all(|k| scores.recipe_up_to(k).is_ok()));
                    }
                }
                assert!(row.minutes > 0.0, "{}", row.id);
            }
            let there = |id: &String| table.rows.iter().any(|row| row.id == *id);
            assert!(table.against.iter().all(there), "{}", table.name);
        }
    }

    #[test]
    fn commands_can_be_pasted() {
        let row = Row {
            id: "a".into(),
            label: "A".into(),
            work: Work::Recipe("zinc-mpnn-ef".into()),
            settings: vec!["network.width=64".into(), "protocol=\"tud-fair\"".into()],
            seeds: Some(2),
            minutes: 1.0,
            note: String::new(),
        };
        assert_eq!(
            row.command(),
            "gsn train zinc-mpnn-ef --set network.width=64 --set 'protocol=\"tud-fair\"' --seeds 2"
        );
        let work = Work::Part("zinc-families".into(), "family=path,tree".into());
        let settings = vec!["seeds=1".into()];
        assert_eq!(
            Row { work, settings, ..row }.command(),
            "gsn sweep zinc-families --only family=path,tree --set seeds=1"
        );
    }
}
