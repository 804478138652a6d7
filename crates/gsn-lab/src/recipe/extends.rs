//! `extends` and `--set`: several texts put over each other, read as one.
//!
//! Every text is parsed with the places of its keys; the places of the n-th text are shifted
//! behind those of the texts before it, the tables are merged, and the result is read once.
//! Whatever is wrong then has a place in exactly one text, which is shown.
//!
//! Rules: the tables of a recipe (`[data]`, `[network]`, …) are merged key by key; a table further
//! in is merged where it only changes keys that are there and replaced elsewhere; everything else
//! is replaced. `false` takes a table or a key away, unless it is a switch. `name`, `about` and
//! `[published]` belong to one recipe and are not inherited.

use super::diagnostic::{self, Source};
use super::{Recipe, check, library};
use crate::error::{Error, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Tables that are merged key by key.
const TABLES: [&str; 7] =
    ["data", "reading", "counts", "degrees", "network", "training", "published"];
/// What belongs to one recipe alone.
const OWN: [&str; 3] = ["name", "about", "published"];
/// Recipes that extend each other, at most.
const DEPTH: usize = 64;

/// One text of a recipe.
#[derive(Debug, Clone)]
pub(super) struct Layer {
    /// What errors call it.
    place: String,
    /// The recipe's name, if it says none.
    name: String,
    /// Where the recipes it extends are looked for; embedded ones have no folder.
    folder: Option<PathBuf>,
    text: String,
}

impl Layer {
    /// A text that is no file.
    pub(super) fn of_text(name: &str, text: &str) -> Self {
        Self { place: name.into(), name: name.into(), folder: None, text: text.into() }
    }

    /// A file.
    pub(super) fn of_file(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .map_err(|e| Error::file(path, format!("cannot be read: {e}")))?;
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        Ok(Self {
            place: path.display().to_string(),
            name: name.unwrap_or_default(),
            folder: Some(path.parent().unwrap_or(Path::new("")).to_owned()),
            text,
        })
    }

    /// A setting `key=value`.
    fn of_setting(setting: &str) -> Result<Self> {
        let Some((key, value)) = setting.split_once('=') else {
            let what = format!("`{setting}` is no setting; write key=value, as training.lr=0.01");
            return Err(Error::Recipe(what));
        };
        let (key, value) = (key.trim(), value.trim());
        let value = match DeValue::parse(value) {
            Ok(_) => value.to_owned(),
            Err(_) => toml::Value::String(value.to_owned()).to_string(),
        };
        Ok(Self::of_text("--set", &format!("{key} = {value}")))
    }

    fn source(&self) -> Source<'_> {
        Source { name: &self.place, text: &self.text }
    }

    fn parse(&self) -> Result<DeTable<'_>> {
        match DeTable::parse(&self.text) {
            Ok(table) => Ok(table.into_inner()),
            Err(e) => Err(diagnostic::error(self.source(), e.span().unwrap_or(0..0), e.message())),
        }
    }

    /// Whether both are the same text, by whatever path it was reached.
    fn is(&self, other: &Layer) -> bool {
        let whole = |layer: &Layer| {
            layer.folder.as_ref().and_then(|_| Path::new(&layer.place).canonicalize().ok())
        };
        match (whole(self), whole(other)) {
            (Some(a), Some(b)) => a == b,
            _ => self.place == other.place,
        }
    }

    /// The recipe this one extends, if any.
    fn parent(&self) -> Result<Option<Layer>> {
        let table = self.parse()?;
        let Some(value) = table.get("extends") else { return Ok(None) };
        let fail = |what: &str| diagnostic::error(self.source(), value.span(), what);
        let Some(name) = value.get_ref().as_str() else {
            return Err(fail("`extends` takes the name of a recipe or the path of a file"));
        };
        let opened = match &self.folder {
            Some(folder) if name.ends_with(".toml") => Layer::of_file(&folder.join(name)),
            _ => library::open(name),
        };
        opened.map(Some).map_err(|e| fail(&e.to_string()))
    }
}

/// Reads `top` over what it extends, and the settings over it.
pub(super) fn read(top: Layer, settings: &[&str]) -> Result<Recipe> {
    let mut layers = vec![top];
    while let Some(parent) = layers[layers.len() - 1].parent()? {
        let (first, last) = (&layers[0].place, &parent.place);
        if layers.iter().any(|layer| layer.is(&parent)) {
            return Err(Error::Recipe(format!("{first} extends itself by way of {last}")));
        }
        if layers.len() == DEPTH {
            let what = format!("{first} extends {DEPTH} recipes, each by way of the one before");
            return Err(Error::Recipe(format!("{what}; put some of them together")));
        }
        layers.push(parent);
    }
    layers.reverse();
    let top = layers.len() - 1;
    for setting in settings {
        layers.push(Layer::of_setting(setting)?);
    }
    read_layers(&layers, top)
}

fn read_layers(layers: &[Layer], top: usize) -> Result<Recipe> {
    let mut starts = Vec::with_capacity(layers.len());
    let mut merged = DeTable::new();
    let mut at = 0;
    for (i, layer) in layers.iter().enumerate() {
        starts.push(at);
        let mut table = shifted_table(layer.parse()?, at);
        if i <= top {
            table.remove("extends");
        }
        if i == top {
            OWN.iter().for_each(|key| _ = merged.remove(*key));
        }
        merge(&mut merged, table, true);
        // One more, so that the end of a text is not the start of the next.
        at += layer.text.len() + 1;
    }
    let fail = |span: Range<usize>, message: &str| {
        let layer = starts.partition_point(|&start| start <= span.start).saturating_sub(1);
        let span = span.start - starts[layer]..span.end.saturating_sub(starts[layer]);
        diagnostic::error(layers[layer].source(), span, message)
    };
    let mut places = BTreeMap::new();
    note_places(&merged, "", &mut places);
    // A missing table is missed in the recipe itself.
    let whole = Spanned::new(starts[top]..starts[top], merged);
    let read = Recipe::deserialize(toml::de::Deserializer::from(whole));
    let mut recipe = read.map_err(|e| fail(e.span().unwrap_or(starts[top]..0), e.message()))?;
    if recipe.name.is_empty() {
        recipe.name = layers[top].name.clone();
    }
    match check::check(&recipe) {
        Ok(()) => Ok(recipe),
        Err((key, what)) => {
            let span = place_of(&places, key.as_str()).unwrap_or(starts[top]..starts[top]);
            Err(fail(span, &what))
        }
    }
}

/// The place of a key, or of the table it would be in.
fn place_of(places: &BTreeMap<String, Range<usize>>, key: &str) -> Option<Range<usize>> {
    let mut key = key;
    loop {
        if let Some(span) = places.get(key) {
            return Some(span.clone());
        }
        key = key.rsplit_once('.')?.0;
    }
}

fn note_places(table: &DeTable<'_>, under: &str, places: &mut BTreeMap<String, Range<usize>>) {
    for (key, value) in table {
        let path = match under {
            "" => key.get_ref().to_string(),
            _ => format!("{under}.{}", key.get_ref()),
        };
        if let DeValue::Table(inner) = value.get_ref() {
            note_places(inner, &path, places);
        }
        places.insert(path, key.span());
    }
}

fn shifted_table(table: DeTable<'_>, by: usize) -> DeTable<'_> {
    let moved = |span: Range<usize>| span.start + by..span.end + by;
    let entry = |(key, value): (Spanned<_>, Spanned<_>)| {
        let span = moved(key.span());
        (Spanned::new(span, key.into_inner()), shifted(value, by))
    };
    table.into_iter().map(entry).collect()
}

fn shifted(value: Spanned<DeValue<'_>>, by: usize) -> Spanned<DeValue<'_>> {
    let span = value.span();
    let inner = match value.into_inner() {
        DeValue::Table(table) => DeValue::Table(shifted_table(table, by)),
        DeValue::Array(array) => {
            DeValue::Array(array.into_iter().map(|one| shifted(one, by)).collect())
        }
        other => other,
    };
    Spanned::new(span.start + by..span.end + by, inner)
}

/// Puts `new` over `old`.
fn merge<'i>(old: &mut DeTable<'i>, new: DeTable<'i>, outermost: bool) {
    for (key, value) in new {
        let name = key.get_ref().clone();
        // Removed and put in again, so that the place of the key is the newest.
        let before = old.remove(name.as_ref()).map(Spanned::into_inner);
        let is_table = outermost && TABLES.contains(&name.as_ref());
        let span = value.span();
        let value = match (before, value.into_inner()) {
            (_, DeValue::Boolean(false)) if is_table => continue,
            (Some(before), DeValue::Boolean(false)) if !matches!(before, DeValue::Boolean(_)) => {
                continue;
            }
            (Some(DeValue::Table(mut inner)), DeValue::Table(over))
                if is_table || over.keys().all(|k| inner.contains_key(k.get_ref().as_ref())) =>
            {
                merge(&mut inner, over, false);
                DeValue::Table(inner)
            }
            (_, value) => value,
        };
        old.insert(key, Spanned::new(span, value));
    }
}
