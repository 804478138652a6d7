//! What is kept of a run: a small file that says what was run with which program, and what came of
//! it. A row that is repeated with seeds has a file a seed, so that seeds can be run one at a time;
//! any other row has one file.

use super::{Row, Table};
use crate::error::{Error, Result};
use crate::experiment::{Compared, Results};
use crate::protocol::Protocol;
use crate::recipe::Recipe;
use crate::run::{put, read_json};
use crate::sweep::SweepTable;
use crate::train;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// What is kept of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// The command that gives the same.
    pub command: String,
    /// Version of the program, and the commit it was built from where that is known.
    pub program: String,
    /// The bits of the numeric core it was made with; see [`super::core`].
    pub core: String,
    /// SHA-256 of the resolved recipe or the sweep; see [`super::Row::sha256`].
    pub recipe_sha256: String,
    /// Its seed, where a row is repeated with seeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Seconds of processor time, all threads and sessions together; of seeds that were trained
    /// together, a share. Not of results of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor_seconds: Option<f64>,
    /// What a trained recipe gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<Results>,
    /// The test metric of the same weights with statistics of BatchNorms over the whole training
    /// part, where that can be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re_estimated: Option<f64>,
    /// Some epochs of the first unit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<train::Row>,
    /// What a comparison of pairs gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<Compared>,
    /// What a sweep gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<SweepTable>,
    /// Disambiguation scores of a family, in the order of the printed ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<f64>,
}

impl Kept {
    /// Where the file of a row is, or that of one of its seeds.
    pub fn path(folder: &Path, id: &str, seed: Option<u64>) -> PathBuf {
        folder.join(match seed {
            Some(seed) => format!("{id}.seed-{seed}.json"),
            None => format!("{id}.json"),
        })
    }

    /// The file of a row or of one of its seeds, if there is one.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn read(folder: &Path, id: &str, seed: Option<u64>) -> Result<Option<Self>> {
        read_json(&Self::path(folder, id, seed))
    }

    /// Would a program of this core and a recipe of this hash give the same bits?
    pub fn is_current(&self, core: &str, recipe_sha256: &str) -> bool {
        self.core == core && self.recipe_sha256 == recipe_sha256
    }

    /// A fair protocol trains the units of the paper's as well: what it says of the row that has them
    /// alone, and that row.
    pub(super) fn papers<'t>(
        &self,
        row: &Row,
        tables: &'t [Table],
    ) -> Result<Option<(&'t Row, Self)>> {
        let Some((results, recipe)) = self.results.as_ref().zip(row.recipe()?) else {
            return Ok(None);
        };
        let Some(report) = results.beside.clone() else { return Ok(None) };
        let sha256 = recipe_sha256(&Recipe { protocol: Protocol::TudPaper, ..recipe });
        for row in tables.iter().flat_map(|table| &table.rows) {
            if row.sha256()? == sha256 {
                let results = Some(Results { report, beside: None, ..results.clone() });
                let (command, recipe_sha256) = (row.command(), sha256);
                let curve = Vec::new();
                return Ok(Some((
                    row,
                    Self { command, recipe_sha256, results, curve, ..self.clone() },
                )));
            }
        }
        Ok(None)
    }

    /// Writes the file of a row or of one of its seeds.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, folder: &Path, id: &str) -> Result<()> {
        let path = Self::path(folder, id, self.seed);
        let text = serde_json::to_string_pretty(self)
            .map_err(|e| Error::file(&path, format!("cannot be written: {e}")))?;
        put(&path, (text + "\n").as_bytes())
    }
}

/// SHA-256 of a text.
pub(super) fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What tells recipes apart; names and what is said about them do not.
pub(super) fn recipe_sha256(recipe: &Recipe) -> String {
    let plain =
        Recipe { name: String::new(), about: String::new(), published: None, ..recipe.clone() };
    sha256(&plain.to_toml())
}

/// At most about `most` rows of a curve, the first and the last among them.
pub(super) fn thinned(curve: &[train::Row], most: usize) -> Vec<train::Row> {
    let step = curve.len().div_ceil(most.max(1)).max(1);
    let last = curve.len().saturating_sub(1);
    curve
        .iter()
        .enumerate()
        .filter(|(i, _)| i % step == 0 || *i == last)
        .map(|(_, r)| r.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thinned_curve_keeps_its_ends() {
        let curve: Vec<train::Row> =
            (1..=1000).map(|epoch| train::Row { epoch, ..train::Row::default() }).collect();
        let thin = thinned(&curve, 50);
        assert!(thin.len() <= 51);
        assert_eq!((thin[0].epoch, thin[thin.len() - 1].epoch), (1, 1000));
        assert_eq!(thinned(&curve[..3], 50).len(), 3);
        assert!(thinned(&[], 50).is_empty());
    }

    #[test]
    fn names_do_not_tell_recipes_apart_but_settings_do() {
        let one = Recipe::find("mutag-gsn-e").unwrap();
        let named = Recipe { name: "other".into(), ..one.clone() };
        assert_eq!(recipe_sha256(&one), recipe_sha256(&named));
        let other = one.with_settings(&["training.lr=0.5"]).unwrap();
        assert_ne!(recipe_sha256(&one), recipe_sha256(&other));
    }
}
