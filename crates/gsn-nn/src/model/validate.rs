//! Rejects contradictory configurations, each with a sentence that says what to change.

use super::config::*;
use crate::error::{Result, config};

/// Largest width taken seriously; guards against sizes that overflow when multiplied.
const MAX_WIDTH: usize = 1 << 20;

fn widths(what: &str, all: &[usize]) -> Result<()> {
    match all.iter().find(|&&w| w == 0 || w > MAX_WIDTH) {
        Some(w) => Err(config(format!("{what}: width {w} is not within 1..={MAX_WIDTH}"))),
        None => Ok(()),
    }
}

fn probability(what: &str, p: f64) -> Result<()> {
    if (0.0..1.0).contains(&p) {
        return Ok(());
    }
    Err(config(format!("{what}: dropout {p} is not within 0 <= p < 1")))
}

fn head(what: &str, h: &Head) -> Result<()> {
    match h {
        Head::Linear => Ok(()),
        Head::Mlp { hidden } => widths(what, hidden),
    }
}

fn length(what: &str, got: usize, wanted: usize) -> Result<()> {
    if got == 0 || got == wanted {
        return Ok(());
    }
    Err(config(format!("{what}: {got} entries, but there are {wanted} (input and layers)")))
}

impl ModelConfig {
    /// Checks every setting against the others.
    ///
    /// # Errors
    /// Names the first contradiction.
    pub fn validate(&self) -> Result<()> {
        widths("outputs", &[self.outputs])?;
        let inputs = &self.inputs;
        inputs.vertex.validate("vertex features")?;
        if let Some(i) = &inputs.arc {
            i.validate("arc features")?;
        }
        if let Some(i) = &inputs.ids {
            i.input.validate("identifiers")?;
        }
        if let Some(i) = &inputs.degree {
            i.validate("degrees")?;
        }
        let all = [Some(&inputs.vertex), inputs.arc.as_ref(), inputs.degree.as_ref()];
        for i in all.into_iter().flatten().chain(inputs.ids.as_ref().map(|i| &i.input)) {
            widths("inputs", &[i.width()])?;
        }
        if inputs.random > MAX_WIDTH {
            return Err(config("random features are too wide"));
        }
        match &self.network {
            Network::Gsn(c) => c.validate(inputs),
            Network::Ogb(c) => c.validate(inputs),
            Network::Dgn(c) => c.validate(inputs),
            Network::DeepSets(c) => c.validate(inputs),
        }
    }
}

fn unused(what: &str, network: &str, is: bool) -> Result<()> {
    if is {
        Err(config(format!("{what} are given, but the {network} does not read them")))
    } else {
        Ok(())
    }
}

impl GsnConfig {
    fn validate(&self, inputs: &Inputs) -> Result<()> {
        if self.layers.is_empty() {
            return Err(config("a network needs at least one layer"));
        }
        for (i, l) in self.layers.iter().enumerate() {
            let what = format!("layer {i}");
            widths(&what, &[l.width])?;
            widths(&what, l.hidden.as_deref().unwrap_or(&[]))?;
            widths(&what, l.message.as_slice())?;
            widths(&what, l.arc_width.as_slice())?;
            if l.ids == Some(true) && inputs.ids.is_none() {
                return Err(config(format!(
                    "{what} reads identifiers, but there are none in inputs"
                )));
            }
            if l.arcs == Some(true) && inputs.arc.is_none() {
                return Err(config(format!(
                    "{what} reads arc features, but there are none in inputs"
                )));
            }
            if l.degree != DegreeUse::None && inputs.degree.is_none() {
                return Err(config(format!("{what} reads degrees, but there are none in inputs")));
            }
            if self.form == Form::General && l.learn_eps {
                return Err(config(format!("{what}: learn_eps belongs to the gin form")));
            }
            if self.form == Form::Gin && l.message.is_some() {
                return Err(config(format!("{what}: the gin form has no message width")));
            }
        }
        let reads = |f: &dyn Fn(usize, &GsnLayer) -> bool| {
            self.layers.iter().enumerate().any(|(i, l)| f(i, l))
        };
        let ids = reads(&|i, l| l.ids.unwrap_or(i == 0));
        unused("identifiers", "network", inputs.ids.is_some() && !ids)?;
        let arcs = reads(&|_, l| l.arcs.unwrap_or(true));
        unused("arc features", "network", inputs.arc.is_some() && !arcs)?;
        let degrees = reads(&|_, l| l.degree != DegreeUse::None);
        unused("degrees", "network", inputs.degree.is_some() && !degrees)?;
        length("heads", self.heads.len(), self.layers.len() + 1)?;
        length("dropout", self.dropout.len(), self.layers.len() + 1)?;
        if !self.heads.is_empty() && self.heads.iter().all(Option::is_none) {
            return Err(config("heads: at least one must be there"));
        }
        self.heads.iter().flatten().try_for_each(|h| head("heads", h))?;
        self.dropout.iter().try_for_each(|&p| probability("heads", p))
    }
}

impl OgbConfig {
    fn validate(&self, inputs: &Inputs) -> Result<()> {
        if self.layers.is_empty() {
            return Err(config("a network needs at least one layer"));
        }
        let width = inputs.vertex.width() + inputs.random;
        unused("degrees", "ogb form", inputs.degree.is_some())?;
        let mut parts = vec![("arc features", inputs.arc.as_ref())];
        parts.push(("identifiers", inputs.ids.as_ref().map(|i| &i.input)));
        for (what, i) in parts {
            if let Some(w) = i.map(Input::width).filter(|&w| w != width) {
                return Err(config(format!(
                    "{what} are {w} wide and are added to vertices of width {width}"
                )));
            }
        }
        for (i, l) in self.layers.iter().enumerate() {
            let what = format!("layer {i}");
            widths(&what, &l.hidden)?;
            probability(&what, l.dropout)?;
            if l.ids == Some(true) && inputs.ids.is_none() {
                return Err(config(format!(
                    "{what} reads identifiers, but there are none in inputs"
                )));
            }
            if l.arcs == Some(true) && inputs.arc.is_none() {
                return Err(config(format!(
                    "{what} reads arc features, but there are none in inputs"
                )));
            }
        }
        let ids = self.layers.iter().enumerate().any(|(i, l)| l.ids.unwrap_or(i == 0));
        unused("identifiers", "network", inputs.ids.is_some() && !ids)?;
        let arcs = self.layers.iter().any(|l| l.arcs.unwrap_or(true));
        unused("arc features", "network", inputs.arc.is_some() && !arcs)?;
        if let Some(vn) = &self.virtual_node {
            widths("virtual node", &vn.hidden)?;
        }
        length("jumping", self.jumping.len(), self.layers.len() + 1)?;
        if !self.jumping.is_empty() && !self.jumping.contains(&true) {
            return Err(config("jumping: at least one must be true"));
        }
        head("head", &self.head)
    }
}

impl DgnConfig {
    fn validate(&self, inputs: &Inputs) -> Result<()> {
        if self.layers.is_empty() || self.aggregators.is_empty() || self.scalers.is_empty() {
            return Err(config("the dgn form needs layers, aggregators and scalers"));
        }
        widths("layers", &self.layers)?;
        widths("depth", &[self.depth])?;
        unused("arc features", "dgn form", inputs.arc.is_some())?;
        unused("degrees", "dgn form", inputs.degree.is_some())?;
        let directions = match &inputs.ids {
            Some(i) => {
                let symbolic = Encoding::OneHot == i.input.encode;
                let trained = matches!(
                    i.input.encode,
                    Encoding::Embedding { .. }
                        | Encoding::EmbeddingConcat { .. }
                        | Encoding::Linear { .. }
                );
                if symbolic || trained {
                    return Err(config(
                        "the dgn form reads identifiers as numbers: encode them as none, log1p or standardise",
                    ));
                }
                i.input.width()
            }
            None => 0,
        };
        let used = self.aggregators.iter().filter_map(|a| a.direction()).max().map_or(0, |d| d + 1);
        if used > directions {
            return Err(config(format!(
                "an aggregator reads direction {}, but there are {directions}",
                used - 1
            )));
        }
        unused("identifiers", "list of aggregators", directions > 0 && used == 0)?;
        if !(self.avg_log_degree.is_finite() && self.avg_log_degree > 0.0) {
            return Err(config("avg_log_degree must be positive"));
        }
        probability("dropout", self.dropout)?;
        probability("input_dropout", self.input_dropout)
    }
}

impl DeepSetsConfig {
    fn validate(&self, inputs: &Inputs) -> Result<()> {
        widths("hidden", &self.hidden)?;
        widths("width", &[self.width])?;
        unused("degrees", "deep-sets network", inputs.degree.is_some())?;
        head("head", &self.head)?;
        probability("dropout", self.dropout)
    }
}
