//! `gsn recipes`: the experiments that come with the program, and what one of them says in full.

use crate::args::Common;
use crate::outcome::Outcome;
use crate::style::Style;
use gsn_lab::recipe::{Published, Recipe, library};
use serde_json::{Value, json};
use std::io::{self, Write};

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn recipes
  gsn recipes zinc
  gsn recipes zinc-gsn-ef-100k
  gsn recipes zinc-gsn-ef-100k --set network.width=128 > mine.toml
  gsn recipes mine.toml --json

A recipe is trained with `gsn train NAME`.

Exit codes: 0 done, 2 failure";

/// Arguments of `gsn recipes`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A recipe, by its name or its file: shown with everything it extends. The first part of
    /// several names lists those
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Change a key of the recipe, such as training.lr=0.01; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "name")]
    settings: Vec<String>,
    /// Print JSON instead
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments, common: &Common) -> anyhow::Result<Outcome> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let part = match &arguments.name {
        Some(name) if several(name).is_empty() => {
            let settings: Vec<&str> = arguments.settings.iter().map(String::as_str).collect();
            let recipe = Recipe::find_with(name, &settings)?;
            if arguments.json {
                writeln!(out, "{:#}", serde_json::to_value(&recipe)?)?;
            } else {
                write!(out, "{}", recipe.to_toml())?;
            }
            out.flush()?;
            return Ok(Outcome::Done);
        }
        part => part.as_deref().unwrap_or(""),
    };
    anyhow::ensure!(
        arguments.settings.is_empty(),
        "`{part}` is the first part of several recipes; --set changes one"
    );
    let recipes = several(part).into_iter().map(Recipe::find).collect::<Result<Vec<_>, _>>()?;
    if arguments.json {
        let all: Vec<Value> = recipes.iter().map(as_json).collect();
        writeln!(out, "{:#}", Value::Array(all))?;
    } else {
        table(&mut out, &recipes, common.verbose)?;
    }
    out.flush()?;
    Ok(Outcome::Done)
}

/// The recipes whose names start with these words, unless it is the name of one.
fn several(part: &str) -> Vec<&'static str> {
    let starts = |name: &&str| {
        part.is_empty() || name.strip_prefix(part).is_some_and(|rest| rest.starts_with('-'))
    };
    if library::names().any(|name| name == part) {
        return Vec::new();
    }
    library::names().filter(starts).collect()
}

/// What is measured.
fn metric(recipe: &Recipe) -> &'static str {
    recipe.training.as_ref().map_or("pairs not told apart", |training| training.metric.name())
}

/// `0.115 ± 0.012`
fn aim(published: &Published) -> String {
    match published.std {
        Some(std) => format!("{} ± {std}", published.mean),
        None => published.mean.to_string(),
    }
}

/// One line a recipe; two if verbose.
fn table(out: &mut impl Write, recipes: &[Recipe], verbose: bool) -> io::Result<()> {
    let style = Style::of_stdout();
    let width = recipes.iter().map(|r| r.name.len()).max().unwrap_or(0).max(6);
    let title = format!("{:<width$}  {:<12}  {:<19}  {}", "recipe", "data", "aims for", "of");
    writeln!(out, "{}", style.dim(&title))?;
    for recipe in recipes {
        let aim = recipe.published.as_ref().map_or_else(|| "-".to_owned(), aim);
        let name = style.bold(&format!("{:<width$}", recipe.name));
        writeln!(out, "{name}  {:<12}  {aim:<19}  {}", recipe.data.set, metric(recipe))?;
        if verbose {
            writeln!(out, "  {}", recipe.about)?;
            if let Some(published) = &recipe.published {
                writeln!(out, "  {}", style.dim(&format!("printed in: {}", published.printed)))?;
            }
        }
    }
    Ok(())
}

fn as_json(recipe: &Recipe) -> Value {
    json!({
        "name": recipe.name,
        "about": recipe.about,
        "data": recipe.data.set,
        "network": recipe.network.kind,
        "protocol": recipe.protocol.name(),
        "metric": metric(recipe),
        "published": recipe.published,
    })
}
