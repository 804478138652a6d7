//! The types that read a recipe, as their sources define them: fields, words, defaults and what
//! the comments say of them. Nothing is compiled or run; `gsn-tests` compares what is found here
//! with what the reader of recipes accepts.

use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::Path;
use syn::{Attribute, Expr, Field, Fields, Item, Lit, Type};

/// Where the types stand: as a field names them, their name there, and the file.
const TYPES: [(&str, &str, &str); 31] = [
    ("Recipe", "Recipe", "gsn-lab/src/recipe/mod.rs"),
    ("Protocol", "Protocol", "gsn-lab/src/protocol/mod.rs"),
    ("Choose", "Choose", "gsn-lab/src/protocol/mod.rs"),
    ("Data", "Data", "gsn-lab/src/recipe/tables.rs"),
    ("Targets", "Targets", "gsn-lab/src/recipe/tables.rs"),
    ("UnseenCategory", "UnseenCategory", "gsn-lab/src/recipe/tables.rs"),
    ("Degrees", "Degrees", "gsn-lab/src/recipe/tables.rs"),
    ("DegreeUse", "DegreeUse", "gsn-lab/src/recipe/tables.rs"),
    ("Fit", "Fit", "gsn-lab/src/recipe/tables.rs"),
    ("Published", "Published", "gsn-lab/src/recipe/tables.rs"),
    ("Counts", "Table", "gsn-lab/src/recipe/counts.rs"),
    ("Scope", "Scope", "gsn-core/src/count/mod.rs"),
    ("Matching", "Matching", "gsn-core/src/count/mod.rs"),
    ("EdgeOrbits", "EdgeOrbits", "gsn-core/src/orbit/mod.rs"),
    ("Unseen", "Unseen", "gsn-core/src/encode/mod.rs"),
    ("Network", "Network", "gsn-lab/src/recipe/network.rs"),
    ("Kind", "Kind", "gsn-lab/src/recipe/network.rs"),
    ("Jumping", "Jumping", "gsn-lab/src/recipe/network.rs"),
    ("Head", "Head", "gsn-lab/src/recipe/network.rs"),
    ("Where", "Where", "gsn-lab/src/recipe/network.rs"),
    ("EdgeFeatures", "EdgeFeatures", "gsn-lab/src/recipe/network.rs"),
    ("FeatureEncoding", "FeatureEncoding", "gsn-lab/src/recipe/network.rs"),
    ("Readout", "Readout", "gsn-nn/src/tape/segment.rs"),
    ("Scaler", "Scaler", "gsn-nn/src/layer/dgn.rs"),
    ("Settings", "Settings", "gsn-lab/src/train/settings.rs"),
    ("Optimiser", "Optimiser", "gsn-lab/src/train/settings.rs"),
    ("Schedule", "Schedule", "gsn-lab/src/train/settings.rs"),
    ("Watched", "Watched", "gsn-lab/src/train/settings.rs"),
    ("BatchNorm", "BatchNorm", "gsn-lab/src/train/settings.rs"),
    ("Loss", "Loss", "gsn-nn/src/tape/loss.rs"),
    ("Metric", "Metric", "gsn-nn/src/metrics/mod.rs"),
];

/// More of them: how the user's own data are read.
const READING: [(&str, &str, &str); 7] = [
    ("user_data::Options", "Options", "gsn-lab/src/user_data/mod.rs"),
    ("task::Kind", "Kind", "gsn-lab/src/user_data/task.rs"),
    ("Split", "Split", "gsn-lab/src/user_data/split.rs"),
    ("Folds", "Folds", "gsn-lab/src/user_data/folds.rs"),
    ("Censored", "Censored", "gsn-lab/src/user_data/censored.rs"),
    ("Featurisation", "Featurisation", "gsn-io/src/molecule/features.rs"),
    ("Delimiter", "Delimiter", "gsn-io/src/delimiter.rs"),
];

/// Types that are written in a way of their own: what is written, and the default if there is one.
const PLAIN: [(&str, &str, &str); 13] = [
    ("String", "text", "\"\""),
    ("bool", "`true` or `false`", "false"),
    ("usize", "whole number", "0"),
    ("u32", "whole number", "0"),
    ("u64", "whole number", "0"),
    ("f64", "number", "0.0"),
    ("Seeds", "a number n for the seeds 0 to n − 1, or a list of seeds", "1"),
    ("W", "patterns, as in [What is counted](counting.md)", ""),
    (
        "Encoding",
        "`\"one-hot\"` (a category for every value that occurs), `\"one-hot-max\"` (one for every value up to the \
         largest), `\"embedding\"` or `\"embedding:64\"` (a trained row for every value, summed over columns), \
         `\"bins:8\"` (a category for each of so many quantiles), `\"raw\"` (the number itself), `\"log1p\"` \
         (ln(1 + count)) or `\"standardise\"` ((count − mean) / deviation)",
        "\"one-hot\"",
    ),
    (
        "DgnAggregator",
        "`\"mean\"`, `\"sum\"`, `\"max\"`, `\"min\"`, `\"var\"`, `\"std\"`, `\"dir-av\"`, `\"dir-dx\"`, \
         `\"dir-dx-no-abs\"`, `\"dir-dx-balanced\"`, `\"dir-0.1\"`, `\"dir-neg-0.1\"`; `\"dir0-av\"` for one column",
        "",
    ),
    ("ClassWeights", "`\"balanced\"` or a list of numbers above 0", ""),
    ("Format", "a name of [Files](formats.md)", ""),
    ("Shares", "three shares that add up to 1", "{ train = 0.8, validation = 0.1, test = 0.1 }"),
];

/// A struct of the schema, or what stands beside a word.
pub(super) struct Table {
    pub(super) keys: Vec<Key>,
}

/// One key.
pub(super) struct Key {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) presence: Presence,
    pub(super) value: Value,
}

/// Whether a key must be there.
pub(super) enum Presence {
    Required,
    /// It may be left out; the comment says what that means.
    Optional,
    /// It may be left out, and then it is this.
    Default(String),
}

/// What a key takes.
pub(super) enum Value {
    /// In words.
    Plain(String),
    /// One of several words.
    Words(Vec<Word>),
    /// A table.
    Table(Table),
}

/// A word that a key takes, and the keys that stand below it.
pub(super) struct Word {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) below: Below,
}

/// What a word brings along.
pub(super) enum Below {
    Nothing,
    Text,
    Keys(Vec<Key>),
}

/// The sources, parsed.
pub(super) struct Sources {
    files: BTreeMap<&'static str, syn::File>,
}

impl Sources {
    pub(super) fn read(root: &Path) -> Result<Self> {
        let mut files = BTreeMap::new();
        for (_, _, file) in TYPES.iter().chain(&READING) {
            let path = root.join("crates").join(file);
            let text =
                std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            files
                .insert(*file, syn::parse_file(&text).with_context(|| path.display().to_string())?);
        }
        Ok(Self { files })
    }

    /// The whole schema.
    pub(super) fn recipe(&self) -> Result<Table> {
        match self.value("Recipe")? {
            Value::Table(table) => Ok(table),
            _ => bail!("`Recipe` is no struct"),
        }
    }

    fn value(&self, written: &str) -> Result<Value> {
        if let Some((_, words, _)) = PLAIN.iter().find(|(name, ..)| *name == written) {
            return Ok(Value::Plain((*words).to_owned()));
        }
        let (item, file) = self.find(written)?;
        match item {
            Item::Struct(item) => {
                let all = serde(&item.attrs, "default").is_some();
                let keys = self.keys(&item.fields, file, all, cased(&item.attrs))?;
                Ok(Value::Table(Table { keys }))
            }
            Item::Enum(item) => {
                let word = |variant: &syn::Variant| -> Result<Word> {
                    let below = match &variant.fields {
                        Fields::Unit => Below::Nothing,
                        Fields::Unnamed(_) => Below::Text,
                        fields @ Fields::Named(_) => {
                            Below::Keys(self.keys(fields, file, false, false)?)
                        }
                    };
                    let name = kebab(&variant.ident.to_string());
                    Ok(Word { name, about: comment(&variant.attrs), below })
                };
                Ok(Value::Words(item.variants.iter().map(word).collect::<Result<_>>()?))
            }
            _ => bail!("`{written}` is neither a struct nor an enum"),
        }
    }

    /// A type by what a field calls it.
    fn find(&self, written: &str) -> Result<(&Item, &syn::File)> {
        let mut types = TYPES.iter().chain(&READING);
        let Some((_, name, file)) = types.find(|(known, ..)| *known == written) else {
            bail!("the type `{written}` of a recipe is not known to xtask/src/pages/schema.rs");
        };
        let file = &self.files[file];
        let named = |item: &&Item| match item {
            Item::Struct(item) => item.ident == name,
            Item::Enum(item) => item.ident == name,
            _ => false,
        };
        let item = file.items.iter().find(named);
        Ok((item.with_context(|| format!("there is no `{name}` for `{written}`"))?, file))
    }

    fn keys(&self, fields: &Fields, file: &syn::File, all: bool, cased: bool) -> Result<Vec<Key>> {
        fields.iter().map(|field| self.key(field, file, all, cased)).collect()
    }

    fn key(&self, field: &Field, file: &syn::File, all: bool, cased: bool) -> Result<Key> {
        let ident = field.ident.as_ref().context("a field without a name")?.to_string();
        let name = match serde(&field.attrs, "rename") {
            Some(Some(name)) => name,
            _ if cased => ident.replace('_', "-"),
            _ => ident,
        };
        let about = comment(&field.attrs);
        if about.is_empty() {
            bail!("the key `{name}` has no comment that says what it means");
        }
        let (form, written) = shape(&field.ty).with_context(|| format!("the key `{name}`"))?;
        let value = self.value(&written).with_context(|| format!("the key `{name}`"))?;
        let value = match (form, value) {
            (Form::List | Form::OptionalList, Value::Plain(words)) => {
                Value::Plain(format!("list of: {words}"))
            }
            (Form::List | Form::OptionalList, Value::Words(words)) => {
                let words: Vec<String> =
                    words.iter().map(|w| format!("`\"{}\"`", w.name)).collect();
                Value::Plain(format!("list of: {}", words.join(", ")))
            }
            (_, value) => value,
        };
        let presence = match (form, serde(&field.attrs, "default")) {
            (Form::Optional | Form::OptionalList, _) => Presence::Optional,
            (_, Some(Some(function))) => Presence::Default(literal(file, &function)?),
            (Form::List, Some(None)) => Presence::Default("[]".into()),
            (Form::List, None) if all => Presence::Default("[]".into()),
            (_, None) if !all => Presence::Required,
            _ => match self.default(&written)?.as_str() {
                "\"\"" => Presence::Optional,
                value => Presence::Default(value.to_owned()),
            },
        };
        Ok(Key { name, about, presence, value })
    }

    /// What a type is by default, as TOML.
    fn default(&self, written: &str) -> Result<String> {
        if let Some((_, _, default)) = PLAIN.iter().find(|(name, ..)| *name == written) {
            return Ok((*default).to_owned());
        }
        let (item, _) = self.find(written)?;
        let Item::Enum(item) = item else { bail!("the default of `{written}` is not known") };
        let chosen =
            item.variants.iter().find(|v| v.attrs.iter().any(|a| a.path().is_ident("default")));
        let chosen = chosen.with_context(|| format!("`{written}` has no default"))?;
        Ok(format!("\"{}\"", kebab(&chosen.ident.to_string())))
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    One,
    Optional,
    List,
    OptionalList,
}

/// A type without `Option` and `Vec` around it.
fn shape(of: &Type) -> Result<(Form, String)> {
    let Type::Path(path) = of else { bail!("is of a type that is not a name") };
    let last = path.path.segments.last().context("is of no type")?;
    let inner = match &last.arguments {
        syn::PathArguments::AngleBracketed(inner) => match inner.args.first() {
            Some(syn::GenericArgument::Type(inner)) => Some(inner),
            _ => None,
        },
        _ => None,
    };
    match (last.ident.to_string().as_str(), inner) {
        ("Option", Some(inner)) => Ok(match shape(inner)? {
            (Form::List, name) => (Form::OptionalList, name),
            (_, name) => (Form::Optional, name),
        }),
        ("Vec", Some(inner)) => Ok((Form::List, shape(inner)?.1)),
        _ => {
            let names: Vec<String> =
                path.path.segments.iter().map(|s| s.ident.to_string()).collect();
            // `network::Where` is the `Where` of that table.
            let name = names.join("::");
            Ok((Form::One, name.strip_prefix("network::").unwrap_or(&name).to_owned()))
        }
    }
}

/// The text of the comment above an item, up to its first empty line.
fn comment(attributes: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attribute in attributes.iter().filter(|a| a.path().is_ident("doc")) {
        if let syn::Meta::NameValue(pair) = &attribute.meta
            && let Expr::Lit(text) = &pair.value
            && let Lit::Str(text) = &text.lit
        {
            match text.value().trim() {
                "" => break,
                line => lines.push(line.to_owned()),
            }
        }
    }
    links_removed(&lines.join(" "))
}

/// Links to Rust items are names.
fn links_removed(text: &str) -> String {
    let mut plain = text.replace("[`", "`").replace("`]", "`");
    // `name`(super::path) is left of `[`name`](super::path)`.
    while let Some(at) = plain.find("`(") {
        let Some(end) = plain[at..].find(')') else { break };
        plain.replace_range(at + 1..=at + end, "");
    }
    plain
}

/// A word inside `#[serde(…)]`: `None` if it is not there, and its value if it has one.
fn serde(attributes: &[Attribute], word: &str) -> Option<Option<String>> {
    let mut found = None;
    for attribute in attributes.iter().filter(|a| a.path().is_ident("serde")) {
        // What this does not understand is not what is looked for.
        let _ = attribute.parse_nested_meta(|meta| {
            let value = match meta.value() {
                Ok(value) => Some(value.parse::<syn::LitStr>()?.value()),
                Err(_) => None,
            };
            if meta.path.is_ident(word) {
                found = Some(value);
            }
            Ok(())
        });
    }
    found
}

fn cased(attributes: &[Attribute]) -> bool {
    serde(attributes, "rename_all") == Some(Some("kebab-case".into()))
}

/// What a function without arguments returns, if it is a literal.
fn literal(file: &syn::File, function: &str) -> Result<String> {
    for item in &file.items {
        if let Item::Fn(item) = item
            && item.sig.ident == function
            && let [syn::Stmt::Expr(Expr::Lit(value), None)] = &item.block.stmts[..]
        {
            return Ok(match &value.lit {
                Lit::Bool(value) => value.value.to_string(),
                Lit::Int(value) => value.base10_digits().to_owned(),
                Lit::Float(value) => value.base10_digits().to_owned(),
                _ => bail!("the default `{function}` is no number"),
            });
        }
    }
    bail!("the default `{function}` is not a function that returns a literal")
}

/// As serde writes it.
fn kebab(name: &str) -> String {
    let mut text = String::new();
    for (at, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && at > 0 {
            text.push('-');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_written_as_serde_writes_them() {
        assert_eq!(kebab("BceWithLogits"), "bce-with-logits");
        assert_eq!(kebab("L1"), "l1");
        assert_eq!(
            links_removed("see [`Counts::unseen`](super::Counts) and [`X`]."),
            "see `Counts::unseen` and `X`."
        );
    }
}
