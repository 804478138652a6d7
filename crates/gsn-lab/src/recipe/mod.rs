//! Recipes: an experiment as one TOML file.
//!
//! [`Recipe`] and the structs below *are* the schema; `docs/src/recipes.md` says every key in
//! words. Reading is strict: a key that is not known, a value that is not possible or two keys
//! that contradict each other are errors that show file, line and place, and the nearest name
//! that would have been right.
//!
//! | file | what |
//! |---|---|
//! | `mod` | the tables of a recipe |
//! | `counts` | the `[counts]` table |
//! | [`network`] | the `[network]` table |
//! | `extends` | `extends`, `--set`, and where each key was written |
//! | `diagnostic` | errors with line, caret and the nearest name |
//! | `check` | keys that contradict each other |
//! | [`library`] | the recipes that come with the program |

mod check;
mod counts;
mod diagnostic;
mod extends;
pub mod library;
pub mod network;
mod select;
#[cfg(test)]
mod tests;

pub use counts::Counts;
pub use network::Network;

use crate::builder::setters;
use crate::error::{Error, Result};
use crate::protocol::Protocol;
use crate::train::Settings;
use gsn_core::{Encoding, Unseen};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// An experiment: which data, which counts, which network, how it is trained and what is
/// reported.
///
/// ```
/// use gsn_lab::recipe::Recipe;
///
/// let recipe = Recipe::find("zinc-gsn-ef-100k")?;
/// assert_eq!(recipe.data.set, "ZINC-12k");
/// assert_eq!(recipe.counts.as_ref().unwrap().patterns(), "cycle:3..=8");
///
/// // Changed as with `--set`, with the same checks.
/// let wide = Recipe::find_with("zinc-gsn-ef-100k", &["network.width=128"])?;
/// assert_eq!(wide.network.width, 128);
/// let error = Recipe::find_with("zinc-gsn-ef-100k", &["network.widht=128"]).unwrap_err();
/// assert!(error.to_string().contains("did you mean `width`?"));
/// # Ok::<(), gsn_lab::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Recipe {
    /// What it is called; the name of its file.
    #[serde(default)]
    pub name: String,
    /// What it shows, in a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Seeds to repeat it with: `10` for 0, 1, …, 9, or a list.
    #[serde(default)]
    pub seeds: Seeds,
    /// What is trained on which part, and which epoch is reported.
    pub protocol: Protocol,
    /// The dataset.
    pub data: Data,
    /// Substructure counts; without them the network is its own baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// Degrees as features of the vertices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degrees: Option<Degrees>,
    /// The network.
    pub network: Network,
    /// How it is trained; a [`Protocol::Separation`] is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<Settings>,
    /// The number it aims for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<Published>,
}

/// The `[data]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Data {
    /// A name of the catalogue (`gsn data list`).
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
            unseen: UnseenCategory::Error,
        }
    }

    setters! {
        with_fraction => fraction: f64,
        with_min_vertices => min_vertices: usize,
        with_targets => targets: Targets,
        with_unseen => unseen: UnseenCategory
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
        with_inject => inject: network::Where,
        with_encoding => encoding: Encoding,
        with_fit => fit: Fit,
        with_unseen => unseen: Some(Unseen)
    }

    /// Where unseen degrees go; see [`Counts::unseen`].
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
    fn unseen(self) -> Unseen {
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

/// The seeds of an experiment.
///
/// ```
/// use gsn_lab::recipe::Seeds;
/// #[derive(serde::Deserialize)]
/// struct Recipe { seeds: Seeds }
/// let read = |text| toml::from_str::<Recipe>(text).unwrap().seeds;
/// assert_eq!(read("seeds = 3"), Seeds(vec![0, 1, 2]));
/// assert_eq!(read("seeds = [41]"), Seeds(vec![41]));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seeds(pub Vec<u64>);

impl Default for Seeds {
    /// The seed 0.
    fn default() -> Self {
        Seeds(vec![0])
    }
}

impl Serialize for Seeds {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        if self.0.iter().copied().eq(0..self.0.len() as u64) {
            return serializer.serialize_u64(self.0.len() as u64);
        }
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Seeds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Seeds;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of seeds (1 to 10000) or a list of different seeds")
            }

            fn visit_u64<E: de::Error>(self, n: u64) -> std::result::Result<Seeds, E> {
                match n {
                    1..=10_000 => Ok(Seeds((0..n).collect())),
                    _ => Err(E::invalid_value(de::Unexpected::Unsigned(n), &self)),
                }
            }

            fn visit_i64<E: de::Error>(self, n: i64) -> std::result::Result<Seeds, E> {
                match u64::try_from(n) {
                    Ok(n) => self.visit_u64(n),
                    Err(_) => Err(E::invalid_value(de::Unexpected::Signed(n), &self)),
                }
            }

            fn visit_seq<A: de::SeqAccess<'de>>(
                self,
                mut list: A,
            ) -> std::result::Result<Seeds, A::Error> {
                let mut seeds = Vec::new();
                while let Some(seed) = list.next_element::<u64>()? {
                    if seeds.contains(&seed) {
                        return Err(de::Error::custom(format!("seed {seed} is given twice")));
                    }
                    seeds.push(seed);
                }
                match seeds.is_empty() {
                    true => Err(de::Error::invalid_length(0, &self)),
                    false => Ok(Seeds(seeds)),
                }
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl Recipe {
    /// A recipe without a name, counts, degrees or training, for the seed 0. Give it a training
    /// unless its protocol is [`Protocol::Separation`].
    ///
    /// ```
    /// use gsn_lab::protocol::{Choose, Protocol};
    /// use gsn_lab::recipe::network::{Kind, Readout};
    /// use gsn_lab::recipe::{Data, Network, Recipe};
    /// use gsn_lab::train::{Loss, Metric, Settings};
    ///
    /// let network = Network::new(Kind::Gin, 32, Readout::Sum).with_layers(3);
    /// let protocol = Protocol::FixedSplit { choose: Choose::Last };
    /// let recipe = Recipe::new(Data::new("ZINC-12k"), protocol, network)
    ///     .with_training(Settings::new(128, 100, 1e-3, Loss::L1, Metric::Mae));
    /// recipe.check()?;
    /// assert_eq!(Recipe::parse(&recipe.to_toml(), "the same")?.network, recipe.network);
    /// # Ok::<(), gsn_lab::Error>(())
    /// ```
    pub fn new(data: Data, protocol: Protocol, network: Network) -> Self {
        Self {
            name: String::new(),
            about: String::new(),
            seeds: Seeds::default(),
            protocol,
            data,
            counts: None,
            degrees: None,
            network,
            training: None,
            published: None,
        }
    }

    setters! {
        with_name => name: String,
        with_about => about: String,
        with_seeds => seeds: Seeds,
        with_counts => counts: Some(Counts),
        with_degrees => degrees: Some(Degrees),
        with_training => training: Some(Settings),
        with_published => published: Some(Published)
    }

    /// Refuses keys that contradict each other and numbers that are not possible, as reading does.
    ///
    /// # Errors
    /// Names the key.
    pub fn check(&self) -> Result<()> {
        check::check(self).map_err(|(key, what)| Error::Recipe(format!("{key}: {what}")))
    }

    /// A recipe of the [`library`] by its name, or a file by its path.
    ///
    /// # Errors
    /// When there is none, or it cannot be read; see [`Recipe::parse`].
    pub fn find(name_or_path: &str) -> Result<Self> {
        Self::find_with(name_or_path, &[])
    }

    /// [`Recipe::find`] with settings `key=value` put over it, as with `--set`.
    ///
    /// # Errors
    /// As [`Recipe::find`], also for the settings.
    pub fn find_with(name_or_path: &str, settings: &[&str]) -> Result<Self> {
        extends::read(library::open(name_or_path)?, settings)
    }

    /// Reads a recipe. `name` stands in errors, and for the recipe's name if it has none.
    ///
    /// # Errors
    /// With line, caret and the nearest valid name.
    pub fn parse(text: &str, name: &str) -> Result<Self> {
        extends::read(extends::Layer::of_text(name, text), &[])
    }

    /// Changes one setting: `training.lr=0.01`. The value is TOML; what is no TOML value is taken
    /// as a text, so that `counts.patterns=path:3..=5` needs no quotes. `counts=false` takes a
    /// whole table away.
    ///
    /// # Errors
    /// As when reading; the recipe is not changed then.
    pub fn set(&mut self, setting: &str) -> Result<()> {
        let text = self.to_toml();
        *self = extends::read(extends::Layer::of_text(&self.name, &text), &[setting])?;
        Ok(())
    }

    /// How it is trained.
    ///
    /// # Errors
    /// When it is not trained at all.
    pub fn training(&self) -> Result<&Settings> {
        self.training.as_ref().ok_or_else(|| {
            let (name, protocol) = (&self.name, self.protocol.name());
            Error::Recipe(format!("{name}: the protocol `{protocol}` trains nothing"))
        })
    }

    /// The recipe with everything it extends and every default, as TOML.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_else(|error| format!("# not representable: {error}\n"))
    }
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
