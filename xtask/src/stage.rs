//! The stages of `cargo xtask test`, in one list. Cheap checks come first and tests last, so that
//! the end of the output is the test runner's own summary.

use anyhow::{Context, Result, bail};
use std::fmt;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// One command that must succeed.
pub(crate) struct Stage {
    name: &'static str,
    program: String,
    arguments: Vec<&'static str>,
    variables: &'static [(&'static str, &'static str)],
}

/// Everything that is checked. A new kind of check is one more entry; keep the tests last.
pub(crate) fn all() -> Vec<Stage> {
    vec![
        cargo("formatting", &["fmt", "--all", "--check"]),
        cargo("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
        cargo("documentation", &["doc", "--workspace", "--no-deps"])
            .with(&[("RUSTDOCFLAGS", "-D warnings")]),
        cargo("tests", &["test", "--workspace", "--no-fail-fast"]),
    ]
}

fn cargo(name: &'static str, arguments: &[&'static str]) -> Stage {
    let program = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    Stage { name, program, arguments: arguments.to_vec(), variables: &[] }
}

impl Stage {
    fn with(self, variables: &'static [(&'static str, &'static str)]) -> Self {
        Self { variables, ..self }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = Path::new(&self.program).file_name().unwrap_or_default();
        write!(f, "{}:", self.name)?;
        for (name, value) in self.variables {
            write!(f, " {name}='{value}'")?;
        }
        write!(f, " {} {}", program.display(), self.arguments.join(" "))
    }
}

/// Runs the stages in order, from the root of the workspace, and stops at the first that fails.
pub(crate) fn run(stages: &[Stage]) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (index, stage) in stages.iter().enumerate() {
        say(&format!("[{}/{}] {stage}", index + 1, stages.len()));
        let status = Command::new(&stage.program)
            .args(&stage.arguments)
            .envs(stage.variables.iter().copied())
            .current_dir(&root)
            .status()
            .with_context(|| format!("cannot start `{}`", stage.program))?;
        if !status.success() {
            bail!("stage `{}` failed: {stage}", stage.name);
        }
    }
    Ok(())
}

/// One line on standard error, where cargo writes as well; a closed pipe is no reason to stop.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
