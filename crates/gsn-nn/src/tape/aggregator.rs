//! The aggregators of the DGN form by their names; `direction` computes them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How a vertex sums up its neighbours. Text form as in the DGN code: `mean`, `dir0-av`,
/// `dir1-dx-no-abs`, `dir2-neg-0.1`, …
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Aggregator {
    /// Average of the neighbours.
    Mean,
    /// Sum of the neighbours.
    Sum,
    /// Largest entry per channel.
    Max,
    /// Smallest entry per channel.
    Min,
    /// Variance per channel, cut at 0.
    Var,
    /// √(variance + 1e-8).
    Std,
    /// `dir{d}-av`: w = |F|/(Σ|F| + 1e-8).
    Average(usize),
    /// `dir{d}-dx`: |Σ w h_u − (Σ w) h_v| with signed w = F/(Σ|F| + 1e-8).
    Derivative(usize),
    /// `dir{d}-dx-no-abs`: the same without |·|.
    SignedDerivative(usize),
    /// `dir{d}-dx-balanced`: w from the positive and the negative part of F, half each.
    BalancedDerivative(usize),
    /// `dir{d}-a` or `dir{d}-neg-a`: w = softmax(±a·|F|) over the neighbours.
    Softmax(usize, f64),
}

impl Aggregator {
    /// The column of the field it reads.
    pub(crate) fn direction(self) -> Option<usize> {
        match self {
            Aggregator::Average(d)
            | Aggregator::Derivative(d)
            | Aggregator::SignedDerivative(d)
            | Aggregator::BalancedDerivative(d)
            | Aggregator::Softmax(d, _) => Some(d),
            _ => None,
        }
    }

    /// Does |·| stand around the sum?
    pub(crate) fn is_absolute(self) -> bool {
        matches!(self, Aggregator::Derivative(_) | Aggregator::BalancedDerivative(_))
    }

    /// Is it a difference from the vertex itself?
    pub(crate) fn is_derivative(self) -> bool {
        self.is_absolute() || matches!(self, Aggregator::SignedDerivative(_))
    }

    /// Is it the entry of one neighbour?
    pub(crate) fn is_extreme(self) -> bool {
        matches!(self, Aggregator::Max | Aggregator::Min)
    }

    /// Does it tell how far neighbours are from their mean?
    pub(crate) fn is_spread(self) -> bool {
        matches!(self, Aggregator::Var | Aggregator::Std)
    }
}

impl fmt::Display for Aggregator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Aggregator::Mean => write!(f, "mean"),
            Aggregator::Sum => write!(f, "sum"),
            Aggregator::Max => write!(f, "max"),
            Aggregator::Min => write!(f, "min"),
            Aggregator::Var => write!(f, "var"),
            Aggregator::Std => write!(f, "std"),
            Aggregator::Average(d) => write!(f, "dir{d}-av"),
            Aggregator::Derivative(d) => write!(f, "dir{d}-dx"),
            Aggregator::SignedDerivative(d) => write!(f, "dir{d}-dx-no-abs"),
            Aggregator::BalancedDerivative(d) => write!(f, "dir{d}-dx-balanced"),
            Aggregator::Softmax(d, a) if a < 0.0 => write!(f, "dir{d}-neg-{}", -a),
            Aggregator::Softmax(d, a) => write!(f, "dir{d}-{a}"),
        }
    }
}

impl FromStr for Aggregator {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let unknown = || format!("unknown aggregator `{s}`");
        let plain = match s {
            "mean" => Some(Aggregator::Mean),
            "sum" => Some(Aggregator::Sum),
            "max" => Some(Aggregator::Max),
            "min" => Some(Aggregator::Min),
            "var" => Some(Aggregator::Var),
            "std" => Some(Aggregator::Std),
            _ => None,
        };
        if let Some(a) = plain {
            return Ok(a);
        }
        let (d, rest) =
            s.strip_prefix("dir").and_then(|s| s.split_once('-')).ok_or_else(unknown)?;
        let d: usize = d.parse().map_err(|_| unknown())?;
        Ok(match rest {
            "av" => Aggregator::Average(d),
            "dx" => Aggregator::Derivative(d),
            "dx-no-abs" => Aggregator::SignedDerivative(d),
            "dx-balanced" => Aggregator::BalancedDerivative(d),
            _ => {
                let (sign, a) = rest.strip_prefix("neg-").map_or((1.0, rest), |a| (-1.0, a));
                let a: f64 = a.parse().map_err(|_| unknown())?;
                if !(a.is_finite() && a > 0.0) {
                    return Err(unknown());
                }
                Aggregator::Softmax(d, sign * a)
            }
        })
    }
}

impl TryFrom<String> for Aggregator {
    type Error = String;
    fn try_from(s: String) -> Result<Self, String> {
        s.parse()
    }
}

impl From<Aggregator> for String {
    fn from(a: Aggregator) -> String {
        a.to_string()
    }
}
