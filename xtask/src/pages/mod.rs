//! Pages that are written from the code and from measurements: `cargo xtask pages`.
//!
//! | page | made from |
//! |---|---|
//! | `docs/src/recipe-keys.md` | the types that read recipes |
//! | `docs/src/cli.md` | `gsn man --markdown` |
//! | the lines that call measured tables stale | the commits they name, and what was changed since |
//! | the tables in `README.md` and `docs/src/limits.md` | rows of `benches/README.md` |
//!
//! Tests fail when a page is behind: here, and for the command line among those of `gsn-cli`.

mod age;
mod figures;
mod recipe;
mod schema;

use crate::command::cargo;
use crate::root;
use anyhow::{Context, Result, ensure};
use std::process::Stdio;

const KEYS: &str = "docs/src/recipe-keys.md";

/// Writes all of them.
pub(crate) fn write() -> Result<()> {
    std::fs::write(root().join(KEYS), recipe::page(&root())?)?;
    if age::has_history() {
        for (page, text) in age::pages()? {
            std::fs::write(root().join(page), text)?;
        }
    }
    for (page, text) in figures::pages(&root())? {
        std::fs::write(root().join(page), text)?;
    }
    // As tests build it, so that it is there already.
    let mut program = cargo("run --quiet --profile test -p gsn-cli -- man --markdown");
    let ran = program.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    ensure!(ran.status.success(), "`gsn man --markdown` failed");
    Ok(std::fs::write(root().join("docs/src/cli.md"), ran.stdout)?)
}

/// The pages whose lines about stale tables are wrong; `None` where the history is not there to tell.
pub(crate) fn behind() -> Result<Option<Vec<&'static str>>> {
    if !age::has_history() {
        return Ok(None);
    }
    let mut behind = Vec::new();
    for (page, text) in age::pages()? {
        if std::fs::read_to_string(root().join(page))? != text {
            behind.push(page);
        }
    }
    Ok(Some(behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REMEDY: &str = "is behind; `cargo xtask pages` writes it anew";

    #[test]
    fn the_keys_of_recipes_are_those_of_the_code() {
        let there = std::fs::read_to_string(root().join(KEYS)).unwrap();
        assert!(there == recipe::page(&root()).unwrap(), "{KEYS} {REMEDY}");
    }

    #[test]
    fn figures_are_those_that_were_measured() {
        for (page, text) in figures::pages(&root()).unwrap() {
            let there = std::fs::read_to_string(root().join(page)).unwrap();
            assert!(there == text, "{page} {REMEDY}");
        }
    }
}
