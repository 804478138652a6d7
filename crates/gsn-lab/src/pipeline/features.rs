//! Features of vertices and arcs: what the dataset has, as a network reads it.

use crate::recipe::UnseenCategory;
use gsn_core::encode::Codes;
use gsn_core::{CountEncoder, Encoding, Unseen};
use gsn_nn::Features;
use gsn_nn::config::Data;
use serde::{Deserialize, Serialize};

/// A table of features and the vocabulary of its categories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct FeatureTable {
    /// What graphs bring; `None`: nothing, every row gets the same category.
    given: Option<Data>,
    /// The categories that occurred at fitting time and a place for others; without it the
    /// vocabulary is the dataset's.
    vocabulary: Option<CountEncoder>,
}

impl FeatureTable {
    /// Learns the vocabulary from tables of a training part.
    pub(super) fn fit<'a>(
        what: &str,
        given: Option<&Data>,
        unseen: UnseenCategory,
        tables: impl Iterator<Item = Option<&'a Features>>,
    ) -> Result<Self, String> {
        let vocabulary = match (given, unseen) {
            (Some(Data::Categories { sizes }), UnseenCategory::Unknown) => {
                let names = (0..sizes.len()).map(|c| format!("{what} column {c}"));
                let mut cells: Vec<u64> = Vec::new();
                for table in tables {
                    match table {
                        Some(Features::Categories { cols, data }) if *cols == sizes.len() => {
                            cells.extend(data.iter().map(|&c| u64::from(c)));
                        }
                        _ => return Err(format!("a graph without the {what} features of the set")),
                    }
                }
                let tables = [cells.as_slice()];
                let encoder = CountEncoder::fit(Encoding::OneHot, Unseen::Unknown, names, tables);
                Some(encoder.map_err(|e| e.to_string())?)
            }
            _ => None,
        };
        Ok(Self { given: given.cloned(), vocabulary })
    }

    /// What a network is given.
    pub(super) fn data(&self) -> Data {
        match (&self.vocabulary, &self.given) {
            (Some(encoder), _) => Data::Categories { sizes: encoder.sizes().unwrap_or_default() },
            (None, Some(given)) => given.clone(),
            (None, None) => Data::Categories { sizes: vec![1] },
        }
    }

    /// A graph's table as a network reads it, and how many of its categories are unseen.
    pub(super) fn encode(
        &self,
        what: &str,
        table: Option<&Features>,
        rows: usize,
    ) -> Result<(Features, u64), String> {
        let Some(given) = &self.given else {
            return Ok((Features::Categories { cols: 1, data: vec![0; rows] }, 0));
        };
        let other = || format!("has no {what} features like those the model was fitted on");
        match (table, given) {
            (Some(Features::Categories { cols, data }), Data::Categories { sizes })
                if *cols == sizes.len() =>
            {
                whole(what, *cols, rows, data.len())?;
                if let Some(encoder) = &self.vocabulary {
                    let cells: Vec<u64> = data.iter().map(|&c| u64::from(c)).collect();
                    let encoded = encoder.encode(&cells).map_err(|e| e.to_string())?;
                    let Codes::Categories(data) = encoded.codes else { return Err(other()) };
                    return Ok((Features::Categories { cols: *cols, data }, encoded.unseen));
                }
                for (at, &category) in data.iter().enumerate() {
                    let (row, column) = (at / cols, at % cols);
                    if category as usize >= sizes[column] {
                        return Err(format!(
                            "{what} {row}: category {category} of feature {column} is not one \
                             of the {} that the model knows",
                            sizes[column]
                        ));
                    }
                }
                Ok((Features::Categories { cols: *cols, data: data.clone() }, 0))
            }
            (Some(Features::Values { cols, data }), Data::Values { width }) if cols == width => {
                whole(what, *cols, rows, data.len())?;
                if let Some(at) = data.iter().position(|x| !x.is_finite()) {
                    let (row, column) = (at / cols, at % cols);
                    let x = data[at];
                    return Err(format!("{what} {row}: feature {column} is {x}, not a number"));
                }
                Ok((Features::Values { cols: *cols, data: data.clone() }, 0))
            }
            _ => Err(other()),
        }
    }
}

fn whole(what: &str, cols: usize, rows: usize, cells: usize) -> Result<(), String> {
    if cells == cols * rows {
        return Ok(());
    }
    Err(format!("has {cells} {what} features, not {rows} rows of {cols}"))
}
