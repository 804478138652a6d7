//! Figures in `docs/src/reliability.md`: they stand between marks, and only a chore changes them.

use crate::command::program;
use anyhow::{Context, Result, ensure};
use std::process::Command;

const PAGE: &str = "docs/src/reliability.md";

/// Puts a text between the marks of this name.
pub(crate) fn put(name: &str, text: &str) -> Result<()> {
    let path = crate::root().join(PAGE);
    let page = std::fs::read_to_string(&path)?;
    Ok(std::fs::write(&path, between_marks(&page, name, text)?)?)
}

fn between_marks(page: &str, name: &str, text: &str) -> Result<String> {
    let [begin, end] = ["begin", "end"].map(|which| format!("<!-- {name}: {which} -->\n"));
    let no_place = || format!("{PAGE} has no place for {name}");
    let (before, rest) = page.split_once(&begin).with_context(no_place)?;
    let (_, after) = rest.split_once(&end).with_context(no_place)?;
    Ok([before, &begin, "\n", text.trim(), "\n\n", &end, after].concat())
}

/// The version that is run, with a sign where files were changed since.
pub(crate) fn commit() -> Result<String> {
    let id = output(program("git").args(["rev-parse", "--short=10", "HEAD"]))?;
    let changes = output(program("git").args(["status", "--porcelain", "--untracked-files=no"]))?;
    Ok(format!("{}{}", id.trim(), if changes.is_empty() { "" } else { "+" }))
}

/// What a command, which must succeed, says on standard output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.stderr(std::process::Stdio::inherit()).output()?;
    ensure!(output.status.success(), "{} failed", command.get_program().display());
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let page =
            "a\n<!-- x: begin -->\nold\n<!-- x: end -->\n<!-- y: begin -->\n<!-- y: end -->\n";
        let new = between_marks(page, "x", "new\n").unwrap();
        assert_eq!(new, page.replace("old", "\nnew\n"));
        assert_eq!(between_marks(&new, "x", "new").unwrap(), new);
        assert!(between_marks(page, "z", "new").is_err());
    }
}
