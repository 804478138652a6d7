//! The tables of a recipe beside `[counts]`, `[network]` and `[training]`.

use super::network;
use gsn_core::setters;
use gsn_core::{Encoding, Unseen};
use serde::{Deserialize, Serialize};

/// The `[data]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Data {
    /// A name of the catalogue (`gsn data list`), or a file or folder of your own, read as
    /// `reading` says.
    pub set: String,
    /// Share of the training part that is used, above 0 and at most 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub fraction: f64,
    /// Graphs with fewer vertices are left out of every part.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub min_vertices: usize,
    /// What a network of a regression learns.
    #[serde(default, skip_serializing_if = "is_default")]
    pub targets: Targets,
    /// Predictions of a regression are kept to the range of the training part's targets, widened
    /// by this share of it on both sides; to nothing if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// What becomes of a vertex or arc category that is not in the vocabulary.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unseen: UnseenCategory,
}

impl Data {
    /// A whole set of the catalogue, targets as they are, its own vocabulary.
    pub fn new(set: impl Into<String>) -> Self {
        Self {
            set: set.into(),
            fraction: 1.0,
            min_vertices: 0,
            targets: Targets::Raw,
            bound: None,
            unseen: UnseenCategory::Error,
        }
    }

    setters! {
        with_fraction(fraction: f64),
        with_min_vertices(min_vertices: usize),
        with_targets(targets: Targets),
        with_bound(bound: f64),
        with_unseen(unseen: UnseenCategory)
    }
}

/// What a network of a regression learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Targets {
    /// The targets as they are.
    #[default]
    Raw,
    /// (target − mean) / deviation over the training part; undone on output.
    Standardise,
}

/// What becomes of a vertex or arc category that is not in the vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnseenCategory {
    /// The vocabulary is the dataset's; anything else is an error.
    #[default]
    Error,
    /// The vocabulary is what occurs in the training part, and one category for all else.
    Unknown,
    /// The vocabulary is what occurs in at least two graphs of the training part, and one category
    /// for all else, so that it is trained as well.
    Rare,
}

/// The `[degrees]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Degrees {
    /// Instead of the features of the vertices, or beside them.
    #[serde(rename = "use")]
    pub usage: DegreeUse,
    /// Into the first layer, or into all.
    #[serde(default)]
    pub inject: network::Where,
    /// How degrees become input of the network.
    #[serde(default)]
    pub encoding: Encoding,
    /// What the encoder is fitted on.
    #[serde(default)]
    pub fit: Fit,
    /// Where unseen degrees go; as with counts if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unseen: Option<Unseen>,
}

impl Degrees {
    /// Degrees in the first layer, one-hot, fitted on the training part.
    pub fn new(usage: DegreeUse) -> Self {
        Self {
            usage,
            inject: network::Where::default(),
            encoding: Encoding::default(),
            fit: Fit::default(),
            unseen: None,
        }
    }

    setters! {
        with_inject(inject: network::Where),
        with_encoding(encoding: Encoding),
        with_fit(fit: Fit),
        with_unseen(unseen: Unseen)
    }

    /// Where unseen degrees go; see [`Counts::unseen`](super::Counts::unseen).
    pub fn unseen(&self) -> Unseen {
        self.unseen.unwrap_or(self.fit.unseen())
    }
}

/// What degrees do to the features of the vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DegreeUse {
    /// They replace them.
    Replace,
    /// They stand beside them.
    Append,
}

/// What an encoder is fitted on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// The training part, so that nothing leaks.
    #[default]
    Train,
    /// All graphs, as in the paper.
    All,
}

impl Fit {
    pub(super) fn unseen(self) -> Unseen {
        match self {
            Fit::Train => Unseen::Unknown,
            Fit::All => Unseen::Nearest,
        }
    }
}

/// The `[published]` table: the number a recipe aims for, in the unit of its metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Published {
    /// The number.
    pub mean: f64,
    /// Its spread over folds or seeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub std: Option<f64>,
    /// Where it is printed.
    pub printed: String,
    /// Parameters of the published network, as printed (often rounded to thousands).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<u64>,
}

fn one() -> f64 {
    1.0
}
fn is_one(x: &f64) -> bool {
    *x == 1.0
}
fn is_zero(n: &usize) -> bool {
    *n == 0
}
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
