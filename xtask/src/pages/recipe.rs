//! `docs/src/recipe-keys.md`: every key of a recipe with what it takes, its default and its meaning.

use super::schema::{Below, Key, Presence, Sources, Table, Value, Word};
use anyhow::Result;
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# Every key of a recipe

For those who write or change a [recipe](recipes.md): each key, what it takes, and what it is when it is left out.
`gsn recipes NAME --set key=value` checks a change, and its error lists the keys or words that would have been right.

<!-- Written by `cargo xtask pages` from the types that read recipes; do not edit. -->

A key that is neither *required* nor has a default may be left out; its text says what happens then.

## At the top
";

/// The page.
pub(super) fn page(root: &Path) -> Result<String> {
    let recipe = Sources::read(root)?.recipe()?;
    let mut page = HEAD.to_owned();
    let (tables, keys): (Vec<&Key>, Vec<&Key>) =
        recipe.keys.iter().partition(|key| matches!(key.value, Value::Table(_)));
    // It is taken away before the rest is read, so no type has it.
    page += "\n- **`extends`** · text: The recipe of the program, or the file beside this one, that it starts from.\n";
    keys.iter().for_each(|key| item(&mut page, key, 0));
    for key in tables {
        if let Value::Table(table) = &key.value {
            section(&mut page, key, table);
        }
    }
    Ok(page)
}

fn section(page: &mut String, key: &Key, table: &Table) {
    let _ = writeln!(page, "\n## {}\n\n{}{}\n", key.name, key.about, required(key));
    table.keys.iter().for_each(|key| item(page, key, 0));
}

fn required(key: &Key) -> &'static str {
    match key.presence {
        Presence::Required => " Required.",
        _ => "",
    }
}

/// A key, and below it the words it takes.
fn item(page: &mut String, key: &Key, level: usize) {
    let indent = "  ".repeat(level);
    let _ = write!(page, "{indent}- **`{}`**", key.name);
    if let Value::Plain(words) = &key.value {
        let _ = write!(page, " · {words}");
    }
    match &key.presence {
        Presence::Required => *page += " · *required*",
        Presence::Optional => {}
        Presence::Default(value) => {
            let _ = write!(page, " · default `{value}`");
        }
    }
    let _ = writeln!(page, ": {}", escaped(&key.about));
    match &key.value {
        Value::Plain(_) => {}
        Value::Words(words) => words.iter().for_each(|word| choice(page, word, level + 1)),
        Value::Table(table) => table.keys.iter().for_each(|key| item(page, key, level + 1)),
    }
}

fn choice(page: &mut String, word: &Word, level: usize) {
    let (indent, name) = ("  ".repeat(level), &word.name);
    let written = match &word.below {
        Below::Nothing => format!("\"{name}\""),
        Below::Text => format!("{{ {name} = \"…\" }}"),
        Below::Keys(keys) => {
            let keys: Vec<String> = keys.iter().map(|key| format!("{} = …", key.name)).collect();
            format!("{{ {name} = {{ {} }} }}", keys.join(", "))
        }
    };
    let _ = writeln!(page, "{indent}- `{written}`: {}", escaped(&word.about));
    if let Below::Keys(keys) = &word.below {
        keys.iter().for_each(|key| item(page, key, level + 1));
    }
}

/// Signs that Markdown would read, except between backticks.
fn escaped(text: &str) -> String {
    let part = |(at, part): (usize, &str)| match at % 2 {
        0 => part.replace('*', "\\*").replace('<', "&lt;").replace('_', "\\_"),
        _ => part.to_owned(),
    };
    text.split('`').enumerate().map(part).collect::<Vec<_>>().join("`")
}
