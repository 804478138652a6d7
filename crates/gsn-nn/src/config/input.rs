//! A table of a batch and how it becomes numbers a Linear can read.

use serde::{Deserialize, Serialize};

use super::{setters, wrong};
use crate::error::Result;

/// What a table of the batch holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Data {
    /// Category indices; column c has `sizes[c]` categories.
    Categories {
        /// Vocabulary size of every column.
        sizes: Vec<usize>,
    },
    /// Real numbers.
    Values {
        /// Number of columns.
        width: usize,
    },
}

/// How a table is encoded.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum InputEncoding {
    /// As it is (categories as numbers).
    #[default]
    None,
    /// One-hot blocks of the columns side by side.
    OneHot,
    /// A trained row per category, of this width, summed over the columns.
    Embedding {
        /// Width of a row.
        width: usize,
    },
    /// The same, side by side instead of summed.
    EmbeddingConcat {
        /// Width of a row of each column.
        width: usize,
    },
    /// A Linear with bias over the columns as numbers.
    Linear {
        /// Output width.
        width: usize,
    },
    /// ln(1 + x); numbers below 0 count as 0.
    Log1p,
    /// (x − mean)/std per column; a std of 0 counts as 1.
    Standardise {
        /// Mean of every column.
        mean: Vec<f64>,
        /// Standard deviation of every column.
        std: Vec<f64>,
    },
    /// Zeros, to leave a feature out without changing shapes.
    Zero {
        /// Width.
        width: usize,
    },
}

/// A table and its encoding.
///
/// ```
/// use gsn_nn::config::{InputEncoding, Input};
/// let atoms = Input::categories([28, 4]).with_encode(InputEncoding::OneHot);
/// assert_eq!(atoms.width(), 32);
/// assert_eq!(Input::values(3).width(), 3);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What the batch holds.
    pub data: Data,
    /// What the network reads. Default: [`InputEncoding::None`].
    #[serde(default)]
    pub encode: InputEncoding,
}

impl Input {
    /// A table read as it is.
    pub fn new(data: Data) -> Self {
        Self { data, encode: InputEncoding::None }
    }

    /// A table of category indices; column c has `sizes[c]` categories.
    pub fn categories(sizes: impl Into<Vec<usize>>) -> Self {
        Self::new(Data::Categories { sizes: sizes.into() })
    }

    /// A table of `width` columns of numbers.
    pub fn values(width: usize) -> Self {
        Self::new(Data::Values { width })
    }

    setters! { with_encode(encode: InputEncoding) }

    pub(crate) fn cols(&self) -> usize {
        match &self.data {
            Data::Categories { sizes } => sizes.len(),
            Data::Values { width } => *width,
        }
    }

    /// Width after encoding.
    pub fn width(&self) -> usize {
        match (&self.encode, &self.data) {
            (InputEncoding::OneHot, Data::Categories { sizes }) => sizes.iter().sum(),
            (InputEncoding::EmbeddingConcat { width }, _) => width.saturating_mul(self.cols()),
            (
                InputEncoding::Embedding { width }
                | InputEncoding::Linear { width }
                | InputEncoding::Zero { width },
                _,
            ) => *width,
            _ => self.cols(),
        }
    }

    /// The same input with another width, where the encoding has one to choose.
    pub(crate) fn with_width(&self, to: Option<usize>) -> Self {
        let mut new = self.clone();
        if let (
            Some(to),
            InputEncoding::Embedding { width }
            | InputEncoding::EmbeddingConcat { width }
            | InputEncoding::Linear { width }
            | InputEncoding::Zero { width },
        ) = (to, &mut new.encode)
        {
            *width = to;
        }
        new
    }

    pub(super) fn validate(&self, what: &str) -> Result<()> {
        if let Data::Categories { sizes } = &self.data
            && (sizes.contains(&0) || sizes.iter().any(|&s| s > u32::MAX as usize / 2))
        {
            return wrong(format!("{what}: vocabulary sizes {sizes:?}"));
        }
        let needs_categories = matches!(
            self.encode,
            InputEncoding::OneHot
                | InputEncoding::Embedding { .. }
                | InputEncoding::EmbeddingConcat { .. }
        );
        if needs_categories && !matches!(self.data, Data::Categories { .. }) {
            let how = if self.encode == InputEncoding::OneHot { "one-hot" } else { "an embedding" };
            return wrong(format!("{what}: {how} needs categories, but these are numbers"));
        }
        if let InputEncoding::Standardise { mean, std } = &self.encode {
            let (m, s, c) = (mean.len(), std.len(), self.cols());
            if m != c || s != c {
                return wrong(format!("{what}: {m} means and {s} deviations for {c} columns"));
            }
            if !mean.iter().chain(std).all(|x| x.is_finite()) || std.iter().any(|&s| s < 0.0) {
                return wrong(format!("{what}: means and deviations must be finite, std >= 0"));
            }
        }
        if let Data::Values { width } = self.data
            && width > super::MAX_WIDTH
        {
            return wrong(format!("{what}: {width} columns are more than {}", super::MAX_WIDTH));
        }
        super::widths(what, &[self.width()])
    }
}
