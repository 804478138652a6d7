//! Patterns, network, width and training chosen from the data, as a [`Recipe`] to be printed,
//! saved and changed.
//!
//! Molecules get the rings of the paper's ZINC experiments, dense networks the cliques of its
//! social ones, anything else small cycles; the more graphs, the wider the network and the fewer
//! passes over them.

use super::{Report, Shape};
use crate::dataset::{Dataset, Splits, Task};
use crate::error::Result;
use crate::recipe::Recipe;
use std::fmt::Write;

/// What kind of graphs a dataset holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Molecules, or graphs as sparse as they are.
    Molecules,
    /// Networks with many triangles.
    Dense,
    /// Anything else.
    Other,
}

impl Shape {
    /// What kind of graphs these are.
    ///
    /// ```
    /// use gsn_lab::user_data::{Shape, defaults::Family};
    /// let shape = Shape { graphs: 9, molecules: false, vertices: 20.0, edges: 97.0, clustering: 0.9 };
    /// assert_eq!(shape.family(), Family::Dense);
    /// ```
    pub fn family(&self) -> Family {
        let degree = 2.0 * self.edges / self.vertices.max(1.0);
        if self.molecules {
            Family::Molecules
        } else if self.clustering >= 0.3 && degree >= 4.0 {
            Family::Dense
        } else {
            Family::Other
        }
    }
}

/// A recipe for the user's own data, and a sentence for every choice.
///
/// # Errors
/// Never for data that [`load`](super::load) gave.
pub fn recipe(dataset: &Dataset, report: &Report) -> Result<(Recipe, Vec<String>)> {
    let shape = &report.shape;
    let family = shape.family();
    let train = match &dataset.splits {
        Splits::Fixed(fold) => fold.train.len(),
        _ => dataset.samples.len(),
    };
    let validated = matches!(&dataset.splits, Splits::Fixed(fold) if !fold.validation.is_empty());
    let mut reasons = Vec::new();
    let mut text = String::new();
    let mut line = |of: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{of}");
    };

    let choose = if validated { "best-validation" } else { "last" };
    line(format_args!("about = \"Chosen from the data.\""));
    line(format_args!("protocol = {{ fixed-split = {{ choose = \"{choose}\" }} }}"));
    line(format_args!("[data]\nset = {}", toml::Value::String(dataset.name.clone())));
    if matches!(dataset.task, Task::Regression(_)) {
        line(format_args!("targets = \"standardise\""));
    }
    if report.reader.featurised() {
        line(format_args!("unseen = \"unknown\""));
    }

    let (patterns, scope, why) = match family {
        Family::Molecules => {
            ("cycle:3..=8", "vertex", "rings up to 8, since the graphs are molecules")
        }
        Family::Dense => ("clique:3..=5", "edge", "cliques up to 5, since the graphs are dense"),
        Family::Other => ("cycle:3..=6", "vertex", "cycles up to 6, since the graphs are sparse"),
    };
    reasons.push(format!("patterns {patterns}: {why}"));
    line(format_args!(
        "[counts]\npatterns = \"{patterns}\"\nscope = \"{scope}\"\nmatching = \"subgraph\""
    ));
    // Counts in large or dense graphs take too many values for a category each.
    if family != Family::Molecules {
        line(format_args!("encoding = \"log1p\""));
    }

    let plain = dataset.vertex.is_none();
    if plain && family != Family::Molecules {
        line(format_args!("[degrees]\nuse = \"replace\"\nencoding = \"log1p\""));
        reasons.push("degrees as features: the vertices have none".into());
    }

    let width = match train {
        0..500 => 32,
        500..100_000 => 64,
        _ => 128,
    };
    let layers = if train < 500 { 3 } else { 4 };
    let (kind, head) = match family {
        Family::Dense => ("gin", "linear"),
        _ => ("gsn", "mlp"),
    };
    reasons.push(format!(
        "network {kind}, {layers} layers of width {width}: {train} graphs to learn from"
    ));
    line(format_args!(
        "[network]\nkind = \"{kind}\"\nlayers = {layers}\nwidth = {width}\nreadout = \"{}\"\n\
         head = \"{head}\"",
        if matches!(dataset.task, Task::Regression(_)) { "sum" } else { "mean" }
    ));
    if dataset.arc.is_some() {
        line(format_args!("edge-features = \"all\""));
    }
    if family == Family::Dense {
        line(format_args!("jumping = \"all\""));
    }
    if train < 2000 && !matches!(dataset.task, Task::Regression(_)) {
        line(format_args!("dropout = 0.2"));
    }

    let batch = match train {
        0..200 => 16,
        200..2000 => 32,
        2000..50_000 => 128,
        _ => 256,
    };
    // About as many steps whatever the size: small sets are passed over more often.
    let steps = train.div_ceil(batch).max(1);
    let epochs = (12_000 / steps).clamp(30, 200);
    let (loss, metric) = match &dataset.task {
        Task::Regression(_) => ("l1", "mae"),
        Task::Binary(_) => ("bce-with-logits", "roc-auc"),
        Task::Classes(_) => ("cross-entropy", "accuracy"),
    };
    reasons.push(format!("{epochs} epochs at most, batches of {batch}; judged by {metric}"));
    line(format_args!(
        "[training]\nbatch = {batch}\nepochs = {epochs}\nlr = 1e-3\n\
         schedule = {{ plateau = {{ factor = 0.5, patience = {} }} }}\nmin-lr = 1e-5\n\
         clip = 5.0\nloss = \"{loss}\"\nmetric = \"{metric}\"",
        if steps < 50 { 10 } else { 5 }
    ));
    Ok((Recipe::parse(&text, "own")?, reasons))
}
