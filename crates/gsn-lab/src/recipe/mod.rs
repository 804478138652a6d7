//! Recipes: an experiment as one TOML file.
//!
//! [`Recipe`] and the structs below *are* the schema; `cargo xtask pages` writes their comments
//! into `docs/src/recipe-keys.md`. Reading is strict: a key that is not known, a value that is not
//! possible or two keys that contradict each other are errors that show file, line and place, and
//! the nearest name that would have been right.
//!
//! | file | what |
//! |---|---|
//! | `mod` | [`Recipe`], read, built and written |
//! | `tables` | the `[data]`, `[degrees]` and `[published]` tables, and what they hold |
//! | `seeds` | [`Seeds`] |
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
mod seeds;
mod select;
mod tables;
#[cfg(test)]
mod tests;

pub use counts::Counts;
pub(crate) use counts::stored as stored_counts;
pub use network::Network;
pub use seeds::Seeds;
pub use tables::{Data, DegreeUse, Degrees, Fit, Published, Targets, UnseenCategory};

use crate::error::{Error, Result};
use crate::protocol::Protocol;
use crate::train::Settings;
use crate::user_data;
use gsn_core::setters;
use serde::{Deserialize, Serialize};

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
    /// What it is called; the name of its file if not given.
    #[serde(default)]
    pub name: String,
    /// What it shows, in a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Seeds to repeat it with: `10` for 0, 1, …, 9, or a list.
    #[serde(default)]
    pub seeds: Seeds,
    /// Fit on all rows once the epoch is chosen; not if not given.
    #[serde(default, rename = "final", skip_serializing_if = "std::ops::Not::not")]
    pub refit: bool,
    /// What is trained on which part, and which epoch is reported.
    pub protocol: Protocol,
    /// The dataset.
    pub data: Data,
    /// How the data are read, where `data.set` is a file or folder of the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<user_data::Options>,
    /// Substructure counts; without them the network is its own baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// Degrees as features of the vertices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degrees: Option<Degrees>,
    /// The network.
    pub network: Network,
    /// How it is trained; left out with the protocol `separation`, which trains nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<Settings>,
    /// The number it aims for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<Published>,
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
            refit: false,
            protocol,
            data,
            reading: None,
            counts: None,
            degrees: None,
            network,
            training: None,
            published: None,
        }
    }

    setters! {
        with_name(name: String),
        with_about(about: String),
        with_seeds(seeds: Seeds),
        with_reading(reading: user_data::Options),
        with_refit(refit: bool),
        with_counts(counts: Counts),
        with_degrees(degrees: Degrees),
        with_training(training: Settings),
        with_published(published: Published)
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
        *self = self.with_settings(&[setting])?;
        Ok(())
    }

    /// The same with several settings, which only have to fit together; see [`Recipe::set`].
    ///
    /// # Errors
    /// As when reading.
    pub fn with_settings(&self, settings: &[&str]) -> Result<Self> {
        extends::read(extends::Layer::of_text(&self.name, &self.to_toml()), settings)
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

    /// The same without a path: patterns that are in files written out, and of a file of the user's
    /// own its name. For what is handed on.
    #[must_use]
    pub fn without_paths(mut self) -> Self {
        self.counts = self.counts.map(Counts::without_files);
        let name = std::path::Path::new(&self.data.set).file_name();
        if let Some(name) = name.map(|name| name.to_string_lossy().into_owned()) {
            self.data.set = name;
        }
        self
    }

    /// The recipe with everything it extends and every default, as TOML.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_else(|error| format!("# not representable: {error}\n"))
    }
}
