//! What a search varies: keys of a recipe and the values they may take.

use crate::error::{Error, Result};
use crate::protocol::Protocol;
use crate::recipe::Recipe;
use crate::recipe::network::Kind;
use crate::user_data::{Family, Shape};
use gsn_core::random::{Random, derive};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Keys of a recipe, each with its values.
///
/// ```
/// use gsn_lab::tune::Space;
/// let space = Space::parse(r#"
///     "network.width" = [32, 64, 128]
///     "network.layers" = { from = 2, to = 5 }
///     "training.lr" = { log = [1e-4, 1e-2] }
///     "network.dropout" = { from = 0.0, to = 0.5 }
/// "#, "mine")?;
/// assert_eq!(space.draw(0, 1), space.draw(0, 1));
/// assert_ne!(space.draw(0, 1), space.draw(0, 2));
/// # Ok::<(), gsn_lab::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Space(BTreeMap<String, Values>);

/// The values of one key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Values {
    /// One of these, each as likely.
    OneOf(Vec<toml::Value>),
    /// A whole number, both ends included.
    Whole(Whole),
    /// A number, even between the ends.
    Even(Even),
    /// A number whose logarithm is even between those of the ends.
    Log(Log),
}

/// A whole number, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Whole {
    /// The least.
    pub from: i64,
    /// The largest.
    pub to: i64,
}

/// A number between two.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Even {
    /// The least.
    pub from: f64,
    /// The largest.
    pub to: f64,
}

/// A number whose logarithm is even.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Log {
    /// The least and the largest, both above 0.
    pub log: [f64; 2],
}

impl Space {
    /// Reads a space; `name` stands in errors.
    ///
    /// # Errors
    /// Names the key whose values make no sense.
    pub fn parse(text: &str, name: &str) -> Result<Self> {
        let fail = |what: String| Error::Recipe(format!("{name}: {what}"));
        let table: toml::Table = toml::from_str(text).map_err(|e| fail(e.to_string()))?;
        let mut space = BTreeMap::new();
        flatten("", table, &mut |key, value| {
            let read: Result<Values, _> = value.try_into();
            let values = read.ok().filter(Values::is_sound).ok_or_else(|| {
                fail(format!(
                    "{key}: write a list of values, {{ from = 2, to = 5 }} or {{ log = [1e-4, 1e-2] }}"
                ))
            })?;
            space.insert(key, values);
            Ok(())
        })?;
        match space.is_empty() {
            true => Err(fail("there is no key to vary".into())),
            false => Ok(Self(space)),
        }
    }

    /// Reads the space of a file.
    ///
    /// # Errors
    /// As [`Space::parse`].
    pub fn open(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .map_err(|e| Error::file(path, format!("cannot be read: {e}")))?;
        Self::parse(&text, &path.display().to_string())
    }

    /// What is worth trying around a recipe; of the user's own data the shape says which patterns.
    pub fn around(recipe: &Recipe, shape: Option<&Shape>) -> Self {
        let mut space = BTreeMap::new();
        let mut add = |key: &str, values: Values| drop(space.insert(key.to_owned(), values));
        let numbers = |list: &[f64]| Values::OneOf(list.iter().map(|&x| x.into()).collect());
        let words = |list: &[&str]| Values::OneOf(list.iter().map(|&word| word.into()).collect());
        let widths = [recipe.network.width / 2, recipe.network.width, 2 * recipe.network.width];
        let widths = widths.iter().filter(|&&w| w > 0).map(|&w| toml::Value::from(w as i64));
        add("network.width", Values::OneOf(widths.collect()));
        if let Some(layers) = recipe.network.layers {
            let from = layers.saturating_sub(2).max(1) as i64;
            add("network.layers", Values::Whole(Whole { from, to: layers as i64 + 2 }));
        }
        add("network.dropout", numbers(&[0.0, 0.1, 0.2, 0.3, 0.5]));
        if let Some(training) = &recipe.training {
            let ends = [training.lr / 5.0, training.lr * 5.0];
            add("training.lr", Values::Log(Log { log: ends.map(short) }));
            add("training.weight-decay", numbers(&[0.0, 1e-6, 1e-5, 1e-4, 1e-3]));
        }
        // The networks of the paper's other forms read counts in one way only.
        let free = matches!(recipe.network.kind, Kind::Gsn | Kind::Gin);
        if let (Some(shape), Some(counts), true) = (shape, &recipe.counts, free) {
            add("network.readout", words(&["sum", "mean"]));
            add("counts.encoding", words(&["one-hot", "log1p", "standardise"]));
            let others: &[&str] = match shape.family() {
                Family::Molecules => &["cycle:3..=6", "cycle:3..=8,path:4..=5", "tree:3..=5"],
                Family::Dense => &["cycle:3..=4,clique:4", "star:3..=5,clique:3..=4"],
                Family::Other => &["cycle:3..=8", "path:3..=5", "cycle:3..=6,clique:4"],
            };
            let patterns = std::iter::once(counts.patterns()).chain(others.iter().copied());
            add("counts.patterns", Values::OneOf(patterns.map(toml::Value::from).collect()));
        }
        Self(space)
    }

    /// The same without some keys.
    #[must_use]
    pub fn without(mut self, key: impl Fn(&str) -> bool) -> Self {
        self.0.retain(|name, _| !key(name));
        self
    }

    /// The keys, in their order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Settings `key=value` of a trial; the same for the same seed and trial.
    pub fn draw(&self, seed: u64, trial: u64) -> Vec<String> {
        let mut random = Random::new(derive(derive(0x7475_6e65, seed), trial));
        let setting =
            |(key, values): (&String, &Values)| format!("{key}={}", values.draw(&mut random));
        self.0.iter().map(setting).collect()
    }

    /// As TOML, as [`Space::parse`] reads it.
    pub fn to_toml(&self) -> String {
        let line = |(key, values): (&String, &Values)| {
            let value =
                toml::Value::try_from(values).map_or_else(|_| "[]".into(), |v| v.to_string());
            format!("{} = {value}\n", toml::Value::from(key.as_str()))
        };
        self.0.iter().map(line).collect()
    }
}

impl Values {
    fn is_sound(&self) -> bool {
        match self {
            Values::OneOf(list) => !list.is_empty(),
            Values::Whole(Whole { from, to }) => from <= to,
            Values::Even(Even { from, to }) => from <= to && from.is_finite() && to.is_finite(),
            Values::Log(Log { log: [from, to] }) => *from > 0.0 && from <= to && to.is_finite(),
        }
    }

    fn draw(&self, random: &mut Random) -> toml::Value {
        match self {
            Values::OneOf(list) => list[random.below(list.len())].clone(),
            Values::Whole(Whole { from, to }) => {
                let many = usize::try_from(to - from).unwrap_or(0).saturating_add(1);
                toml::Value::from(from + random.below(many) as i64)
            }
            Values::Even(Even { from, to }) => {
                toml::Value::from(short(from + (to - from) * random.unit()))
            }
            Values::Log(Log { log: [from, to] }) => {
                let at = from.ln() + (to.ln() - from.ln()) * random.unit();
                toml::Value::from(short(at.exp()))
            }
        }
    }
}

/// Three digits: enough for any setting, and short enough to be read.
fn short(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}

/// Calls `put` with every key, tables written out by points; a table of a range is a value.
fn flatten(
    under: &str,
    table: toml::Table,
    put: &mut impl FnMut(String, toml::Value) -> Result<()>,
) -> Result<()> {
    for (key, value) in table {
        let path = if under.is_empty() { key } else { format!("{under}.{key}") };
        match value {
            toml::Value::Table(inner)
                if !inner.contains_key("from") && !inner.contains_key("log") =>
            {
                flatten(&path, inner, put)?;
            }
            value => put(path, value)?,
        }
    }
    Ok(())
}

/// Refuses protocols under which the test part steers or nothing is chosen.
pub(super) fn check(recipe: &Recipe) -> Result<()> {
    match recipe.protocol {
        Protocol::TudPaper | Protocol::TudFair | Protocol::Separation { .. } => {
            Err(Error::Recipe(format!(
                "{}: a search chooses by a validation part, which the protocol `{}` does not have; \
                 use a recipe with a fixed split, or your own data",
                recipe.name,
                recipe.protocol.name()
            )))
        }
        _ => recipe.training().map(drop),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_named() {
        let error = |text: &str| Space::parse(text, "s").unwrap_err().to_string();
        assert!(error("").contains("no key to vary"));
        assert!(error("'a.b' = []").contains("a.b: write a list"));
        assert!(error("[a]\nb = 3").contains("a.b: write a list"));
        assert!(error("a = { from = 5, to = 2 }").contains("a: write"));
        assert!(error("a = { log = [0.0, 1.0] }").contains("a: write"));
    }

    #[test]
    fn draws_stay_inside_and_reach_everything() {
        let text = "[network]\nwidth = [8, 16]\nlayers = { from = 2, to = 4 }\n\
                    dropout = { from = 0.0, to = 0.5 }\n[training]\nlr = { log = [1e-4, 1e-2] }";
        let space = Space::parse(text, "s").unwrap();
        assert_eq!(Space::parse(&space.to_toml(), "again").unwrap(), space);
        let mut seen = std::collections::BTreeSet::new();
        for trial in 0..60 {
            for setting in space.draw(1, trial) {
                let (key, value) = setting.split_once('=').unwrap();
                let x: f64 = value.parse().unwrap();
                match key {
                    "network.width" | "network.layers" => drop(seen.insert(setting.clone())),
                    "network.dropout" => assert!((0.0..=0.5).contains(&x), "{setting}"),
                    "training.lr" => assert!((1e-4..=1e-2).contains(&x), "{setting}"),
                    other => panic!("{other}"),
                }
            }
        }
        assert_eq!(seen.len(), 5, "{seen:?}");
    }

    #[test]
    fn what_is_around_a_recipe_fits_it() {
        for name in ["zinc-gsn-ef-100k", "zinc-mpnn", "molhiv-gsn"] {
            let recipe = Recipe::find(name).unwrap();
            let space = Space::around(&recipe, None);
            for trial in 0..20 {
                let settings = space.draw(0, trial);
                let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
                recipe.with_settings(&settings).unwrap();
            }
        }
        assert!(check(&Recipe::find("mutag-gsn-e").unwrap()).is_err());
    }
}
