//! What is known about one column after fitting, and the category of a value in it.

use super::histogram::Histogram;
use super::{EncodeError, Encoding, Unseen};
use serde::{Deserialize, Serialize};

/// Categories of a column at most, as many as a network's vocabulary may have.
const MOST: u64 = 1 << 20;

/// One fitted column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Fitted {
    /// The distinct values, increasing.
    Values(Vec<u64>),
    /// The largest value.
    UpTo(u64),
    /// Inclusive upper ends of all bins but the last.
    Bins(Vec<u64>),
    /// The number as it is.
    Raw,
    /// ln(1 + x)
    Log1p,
    /// Mean and deviation.
    Scaled(f64, f64),
}

/// The category of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Category {
    /// Its own.
    Seen(usize),
    /// It has none, as it did not occur at fitting time.
    Unseen { nearest: usize },
}

impl Fitted {
    pub(super) fn new(
        encoding: Encoding,
        unseen: Unseen,
        column: &str,
        histogram: &Histogram,
    ) -> Result<Self, EncodeError> {
        let distinct = || {
            let values = histogram.distinct();
            match values.is_empty() && unseen != Unseen::Unknown {
                true => Err(EncodeError::Nothing { encoding }),
                false => Ok(values),
            }
        };
        Ok(match encoding {
            Encoding::OneHot | Encoding::Embedding { .. } => Fitted::Values(distinct()?),
            Encoding::OneHotMax => match distinct()?.last() {
                Some(&value) if value >= MOST => {
                    return Err(EncodeError::Large { column: column.to_owned(), value });
                }
                Some(&value) => Fitted::UpTo(value),
                None => Fitted::Values(Vec::new()),
            },
            Encoding::Bins { count } => Fitted::Bins(histogram.quantiles(count)),
            Encoding::Raw => Fitted::Raw,
            Encoding::Log1p => Fitted::Log1p,
            Encoding::Standardise => {
                let (mean, deviation) = histogram.moments();
                Fitted::Scaled(mean, if deviation > 0.0 { deviation } else { 1.0 })
            }
        })
    }

    /// Whether the column consists of categories rather than numbers.
    pub(super) fn is_categories(&self) -> bool {
        matches!(self, Fitted::Values(_) | Fitted::UpTo(_) | Fitted::Bins(_))
    }

    /// Whether a value can be unseen.
    pub(super) fn is_closed(&self) -> bool {
        matches!(self, Fitted::Values(_) | Fitted::UpTo(_))
    }

    /// Categories, the one for unseen values left out; 0 for numbers.
    pub(super) fn size(&self) -> usize {
        match self {
            Fitted::Values(values) => values.len(),
            Fitted::UpTo(most) => *most as usize + 1,
            Fitted::Bins(ends) => ends.len() + 1,
            _ => 0,
        }
    }

    /// The category of a value.
    #[inline]
    pub(super) fn category(&self, value: u64) -> Category {
        match self {
            Fitted::Values(values) => {
                // Distinct and increasing: if v is at index v, the values below it are all there.
                if usize::try_from(value).is_ok_and(|at| values.get(at) == Some(&value)) {
                    return Category::Seen(value as usize);
                }
                match values.binary_search(&value) {
                    Ok(at) => Category::Seen(at),
                    Err(above) => Category::Unseen { nearest: nearest(values, above, value) },
                }
            }
            Fitted::UpTo(most) if value > *most => Category::Unseen { nearest: *most as usize },
            Fitted::Bins(ends) => Category::Seen(ends.partition_point(|&end| end < value)),
            _ => Category::Seen(value as usize),
        }
    }

    /// The number a value becomes.
    #[inline]
    pub(super) fn number(&self, value: u64) -> f64 {
        match self {
            Fitted::Log1p => (value as f64).ln_1p(),
            Fitted::Scaled(mean, deviation) => (value as f64 - mean) / deviation,
            _ => value as f64,
        }
    }

    /// Whether fitting with this encoding can give such a column.
    pub(super) fn fits(&self, encoding: Encoding) -> bool {
        let increasing = |values: &[u64]| values.windows(2).all(|pair| pair[0] < pair[1]);
        match (self, encoding) {
            (Fitted::Values(v), Encoding::OneHot | Encoding::Embedding { .. }) => increasing(v),
            (Fitted::Values(v), Encoding::OneHotMax) => v.is_empty(),
            (Fitted::UpTo(most), Encoding::OneHotMax) => *most < MOST,
            (Fitted::Bins(ends), Encoding::Bins { .. }) => increasing(ends),
            (Fitted::Raw, Encoding::Raw) | (Fitted::Log1p, Encoding::Log1p) => true,
            (Fitted::Scaled(mean, deviation), Encoding::Standardise) => {
                mean.is_finite() && deviation.is_finite() && *deviation > 0.0
            }
            _ => false,
        }
    }
}

/// The nearer of the values around `above`, the smaller of two; 0 if there are none.
fn nearest(values: &[u64], above: usize, value: u64) -> usize {
    match (above.checked_sub(1), values.get(above)) {
        (Some(below), Some(&next)) if next - value < value - values[below] => below + 1,
        (Some(below), _) => below,
        (None, _) => 0,
    }
}
