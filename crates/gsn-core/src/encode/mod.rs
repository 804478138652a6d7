//! Encoders: how counts become what a network reads.
//!
//! An encoder is fitted once on the counts of some graphs, kept with the model, and applied to
//! any other graph. Every column is encoded by itself.
//!
//! | encoding | a count becomes | known at fitting time |
//! |---|---|---|
//! | `one-hot` | its rank among the distinct values | the distinct values |
//! | `one-hot-max` | itself, as a category | the largest value |
//! | `embedding`, `embedding:64` | as `one-hot`; the network has a trained row per category | the distinct values |
//! | `bins:8` | the number of its bin, bins of about equally many rows | quantiles |
//! | `raw` | itself, as a number | nothing |
//! | `log1p` | ln(1 + count) | nothing |
//! | `standardise` | (count − mean) / deviation | mean and deviation |
//!
//! A value is *unseen* where the first three have no category for it; [`Unseen`] says where it
//! goes. The outermost bins are open and numbers need no category, so for the others no value is
//! unseen.

mod encoder;
mod fit;
mod histogram;
#[cfg(test)]
mod tests;
mod walks;

pub use encoder::{Codes, CountEncoder, Encoded};
pub use walks::closed_walks;

use crate::graph::Graph;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How a column of counts is encoded; see the [module](self) for what each does.
///
/// ```
/// use gsn_core::Encoding;
/// assert_eq!("bins:8".parse(), Ok(Encoding::Bins { count: 8 }));
/// assert_eq!(Encoding::Embedding { width: Some(64) }.to_string(), "embedding:64");
/// assert!("one-hit".parse::<Encoding>().unwrap_err().to_string().contains("one-hot"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Encoding {
    /// Rank among the distinct values, one-hot in the network (the paper's).
    #[default]
    OneHot,
    /// The value itself as a category, one-hot in the network.
    OneHotMax,
    /// The value as a number.
    Raw,
    /// (value − mean) / deviation.
    Standardise,
    /// ln(1 + value).
    Log1p,
    /// Quantile bins, one-hot in the network.
    Bins {
        /// Bins at most; equal quantiles are merged.
        count: usize,
    },
    /// Rank among the distinct values; the network sums a trained row per column.
    Embedding {
        /// Width of a row; the network's own if not given.
        width: Option<usize>,
    },
}

/// The names of the encodings, as [`Encoding::from_str`] reads them.
const NAMES: &str = "`one-hot`, `one-hot-max`, `raw`, `standardise`, `log1p`, `bins:N`, \
                     `embedding`, `embedding:N`";

/// A text that is no encoding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown encoding `{0}`, expected one of {NAMES}")]
pub struct UnknownEncoding(String);

impl FromStr for Encoding {
    type Err = UnknownEncoding;

    fn from_str(text: &str) -> Result<Self, UnknownEncoding> {
        let unknown = || UnknownEncoding(text.to_owned());
        let number = |digits: &str| match digits.parse::<usize>() {
            Ok(n) if n > 0 => Ok(n),
            _ => Err(unknown()),
        };
        Ok(match text {
            "one-hot" => Self::OneHot,
            "one-hot-max" => Self::OneHotMax,
            "raw" => Self::Raw,
            "standardise" => Self::Standardise,
            "log1p" => Self::Log1p,
            "embedding" => Self::Embedding { width: None },
            _ => match text.split_once(':') {
                Some(("bins", count)) => Self::Bins { count: number(count)? },
                Some(("embedding", width)) => Self::Embedding { width: Some(number(width)?) },
                _ => return Err(unknown()),
            },
        })
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneHot => f.write_str("one-hot"),
            Self::OneHotMax => f.write_str("one-hot-max"),
            Self::Raw => f.write_str("raw"),
            Self::Standardise => f.write_str("standardise"),
            Self::Log1p => f.write_str("log1p"),
            Self::Bins { count } => write!(f, "bins:{count}"),
            Self::Embedding { width: None } => f.write_str("embedding"),
            Self::Embedding { width: Some(width) } => write!(f, "embedding:{width}"),
        }
    }
}

impl TryFrom<String> for Encoding {
    type Error = UnknownEncoding;

    fn try_from(text: String) -> Result<Self, UnknownEncoding> {
        text.parse()
    }
}

impl From<Encoding> for String {
    fn from(encoding: Encoding) -> Self {
        encoding.to_string()
    }
}

/// Where a value goes that was not there when the encoder was fitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unseen {
    /// To a category of its own, one more than there are values.
    #[default]
    Unknown,
    /// To the category of the nearest value, the smaller of two.
    Nearest,
    /// Nowhere: an error that names column and value.
    Error,
}

/// Why counts cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// A value that was not there at fitting time, under [`Unseen::Error`].
    #[error(
        "column `{column}`: {value} did not occur when the encoder was fitted, and unseen values \
         are errors; fit with `unseen = \"unknown\"` or `\"nearest\"` to give them a category"
    )]
    Unseen {
        /// Name of the column.
        column: String,
        /// The value.
        value: u64,
    },
    /// A category per value up to the largest would be too many.
    #[error(
        "column `{column}`: values up to {value} are too many categories for `one-hot-max`; \
         `one-hot`, `bins:N` or `log1p` take them"
    )]
    Large {
        /// Name of the column.
        column: String,
        /// The largest value.
        value: u64,
    },
    /// There is no row to learn the values from.
    #[error("there are no rows to fit `{encoding}` on, and no category for unseen values")]
    Nothing {
        /// The encoding asked for.
        encoding: Encoding,
    },
    /// No counts at all.
    #[error("there are no counts to fit an encoder on, and so no columns to encode")]
    NoCounts,
    /// Counts by another spec than the first.
    #[error("graph {graph} has other columns than graph 0")]
    Columns {
        /// Index of the counts.
        graph: usize,
    },
    /// A table that does not consist of whole rows.
    #[error("{length} numbers are no rows of {columns} columns")]
    Shape {
        /// Columns of the encoder.
        columns: usize,
        /// Numbers given.
        length: usize,
    },
    /// A stored encoder that cannot have been fitted.
    #[error("a damaged encoder: {0}")]
    Damaged(String),
}

/// Degrees of the vertices as a table of one column, for [`CountEncoder::fit_tables`]. In a directed
/// graph: arcs that leave.
///
/// ```
/// use gsn_core::encode::{Codes, degrees};
/// use gsn_core::{CountEncoder, Encoding, Graph, Unseen};
///
/// let star = Graph::from_edges(4, [(0, 1), (0, 2), (0, 3)])?;
/// let degrees = degrees(&star);
/// assert_eq!(degrees, [3, 1, 1, 1]);
/// let tables = [degrees.as_slice()];
/// let encoder =
///     CountEncoder::fit_tables(["degree"], tables, Encoding::OneHot, Unseen::Nearest)?;
/// assert_eq!(encoder.encode(&degrees)?.codes, Codes::Categories(vec![1, 0, 0, 0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn degrees(graph: &Graph) -> Vec<u64> {
    (0..graph.order() as u32).map(|v| graph.degree(v) as u64).collect()
}
