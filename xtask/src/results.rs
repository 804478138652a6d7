//! `docs/src/results.md`, written from the `results.json` of runs and nothing else.
//!
//! `cargo xtask results RUN COMMAND` keeps a run's results under `docs/results` together with the
//! command that made them; `cargo xtask results` writes the page anew. A test holds the page
//! against the files.

use crate::root;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const HEAD: &str = "\
# What was trained, and the results

Written by `cargo xtask results` from the `results.json` of the runs, kept in `docs/results`. The spread is the sample standard
deviation over folds or seeds. `published` is the number the recipe aims for, as printed.

**Stale:** these runs were made before the rounding of the training core last changed. The program of today gives somewhat different
numbers; the runs are still to be repeated.

";

/// Keeps the results of the run in the folder `run`, which `command` made.
pub(crate) fn keep(run: &str, command: &str) -> Result<()> {
    let path = Path::new(run).join("results.json");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let results: Value = serde_json::from_str(&text)?;
    let name = Path::new(run).file_name().context("the run has no name")?;
    let folder = root().join("docs/results");
    std::fs::create_dir_all(&folder)?;
    let kept = json!({ "command": command, "results": results });
    let file = folder.join(name).with_extension("json");
    std::fs::write(file, serde_json::to_string_pretty(&kept)? + "\n")?;
    write()
}

/// Writes the page.
pub(crate) fn write() -> Result<()> {
    Ok(std::fs::write(root().join("docs/src/results.md"), page()?)?)
}

/// The page.
fn page() -> Result<String> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(root().join("docs/results"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    files.sort();
    let (mut rows, mut commands) = (String::new(), String::new());
    for file in files {
        let text = std::fs::read_to_string(&file)?;
        let kept: Value = serde_json::from_str(&text)?;
        let (row, command) =
            line(&kept).with_context(|| format!("{} is not a kept result", file.display()))?;
        rows += &row;
        commands += &format!("{command}\n");
    }
    let table = "| recipe | set | parameters | protocol | metric | ours | runs | epochs | published |\n\
                 |---|---|---|---|---|---|---|---|---|\n";
    Ok(format!(
        "{HEAD}{table}{rows}\nThe commands, in the order of the table:\n\n```sh\n{commands}```\n"
    ))
}

/// One row of the table, and the command behind it.
fn line(kept: &Value) -> Result<(String, &str)> {
    let results = &kept["results"];
    let text = |key: &str| results[key].as_str().with_context(|| format!("{key} is missing"));
    let percent = text("metric")? == "accuracy" || text("metric")? == "roc-auc";
    let spread = |from: &Value| -> Option<String> {
        let number = |x: f64| match percent {
            true => format!("{:.1} %", 100.0 * x),
            false => format!("{x:.4}"),
        };
        let mean = number(from["mean"].as_f64()?);
        Some(match from["std"].as_f64() {
            Some(std) => format!("{mean} ± {}", number(std)),
            None => mean,
        })
    };
    let Some(runs) = results["runs"].as_array() else { bail!("runs are missing") };
    let epochs: Vec<u64> = runs.iter().filter_map(|run| run["epochs"].as_u64()).collect();
    let epochs = match (epochs.iter().min(), epochs.iter().max()) {
        (Some(least), Some(most)) if least < most => format!("{least}–{most}"),
        (Some(all), _) => all.to_string(),
        _ => String::new(),
    };
    let row = format!(
        "| {} | {} | {} | {} | {} | {} | {} | {epochs} | {} |\n",
        text("recipe")?,
        text("dataset")?,
        results["parameters"],
        text("protocol")?,
        text("metric")?,
        spread(results).context("mean is missing")?,
        runs.len(),
        spread(&results["published"]).unwrap_or_default(),
    );
    Ok((row, kept["command"].as_str().context("command is missing")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_what_the_kept_results_say() {
        let there = std::fs::read_to_string(root().join("docs/src/results.md")).unwrap();
        assert_eq!(there, page().unwrap(), "write it anew with `cargo xtask results`");
    }

    #[test]
    fn what_is_no_result_is_refused() {
        assert!(line(&json!({ "command": "gsn train x", "results": {} })).is_err());
    }
}
