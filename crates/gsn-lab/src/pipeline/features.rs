//! Features of vertices and arcs: what the dataset has, as a network reads it.

use super::vocabulary::ColumnVocabularies;
use crate::recipe::UnseenCategory;
use gsn_nn::Features;
use gsn_nn::config::Data;
use serde::{Deserialize, Serialize};

/// A table of features and the vocabulary of its categories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct FeatureTable {
    /// What graphs bring; `None`: nothing, every row gets the same category.
    given: Option<Data>,
    /// The categories that occurred (often enough) at fitting time and a place for others; without it the
    /// vocabulary is the dataset's.
    vocabulary: Option<ColumnVocabularies>,
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
            (Some(Data::Categories { sizes }), UnseenCategory::Unknown | UnseenCategory::Rare) => {
                let table = |table: Option<&'a Features>| match table {
                    Some(Features::Categories { cols, data }) if *cols == sizes.len() => {
                        Ok(data.as_slice())
                    }
                    _ => Err(format!("a graph without the {what} features of the set")),
                };
                let tables = tables.map(table).collect::<Result<Vec<_>, _>>()?;
                let graphs = if unseen == UnseenCategory::Rare { 2 } else { 1 };
                Some(ColumnVocabularies::fit(what, sizes.len(), tables, graphs))
            }
            _ => None,
        };
        Ok(Self { given: given.cloned(), vocabulary })
    }

    /// What a network is given.
    pub(super) fn data(&self) -> Data {
        match (&self.vocabulary, &self.given) {
            (Some(vocabulary), _) => Data::Categories { sizes: vocabulary.sizes() },
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
        match (table, given) {
            (Some(Features::Categories { cols, data }), Data::Categories { sizes })
                if *cols == sizes.len() =>
            {
                whole(what, *cols, rows, data.len())?;
                if let Some(vocabulary) = &self.vocabulary {
                    let (data, unseen) = vocabulary.encode(data);
                    return Ok((Features::Categories { cols: *cols, data }, unseen));
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
            _ => Err(format!("has no {what} features like those the model was fitted on")),
        }
    }
}

fn whole(what: &str, cols: usize, rows: usize, cells: usize) -> Result<(), String> {
    if cells == cols * rows {
        return Ok(());
    }
    Err(format!("has {cells} {what} features, not {rows} rows of {cols}"))
}
