//! The modules that contain `unsafe`, under tools that see what the compiler cannot.

use crate::command::{cargo, program, succeeds, tests};
use crate::stage::LeftOut;
use anyhow::{Result, bail};
use std::process::Command;
use std::time::Duration;

/// Crates whose sources say `unsafe`, the unit tests that reach it, and those of them that are small
/// enough for Miri.
const UNSAFE: [(&str, &str, &str); 2] = [
    ("gsn-core", "count::atomic::", "count::atomic::"),
    ("gsn-nn", "kernel::", "plain_and_vector_tiles_agree"),
];

/// An answer to `--version` comes at once; Miri may have to build its standard library first.
const SOON: Duration = Duration::from_secs(600);

pub(crate) fn check() -> Result<Vec<LeftOut>> {
    let mut left_out = Vec::new();
    if is_valgrind_there() {
        for (_, module, _) in UNSAFE {
            let runner = "target.'cfg(all())'.runner = ['valgrind', '-q', '--error-exitcode=1']";
            let mut command = cargo("test --workspace --lib --config");
            some(command.args([runner, "--", module]))?;
        }
    } else {
        left_out.push(LeftOut("unsafe code under valgrind, which cannot be installed".into()));
    }
    if succeeds(miri().arg("setup"), SOON) {
        for (package, _, test) in UNSAFE {
            some(miri().args(["test", "--package", package, "--lib", test]))?;
        }
    } else {
        left_out.push(LeftOut("unsafe code under Miri, which is not installed".into()));
    }
    Ok(left_out)
}

/// Runs tests, of which there must be at least one.
fn some(command: &mut Command) -> Result<()> {
    match tests(command)?.passed {
        0 => bail!("no test of this name was found"),
        _ => Ok(()),
    }
}

/// Installs valgrind where that is possible without asking anyone.
fn is_valgrind_there() -> bool {
    let there = || succeeds(program("valgrind").arg("--version"), SOON);
    there()
        || (succeeds(program("apt-get").args(["install", "--yes", "valgrind"]), SOON) && there())
}

fn miri() -> Command {
    let mut command = program("rustup");
    command.args(["run", "nightly", "cargo", "miri"]);
    // Of the toolchain that runs this program.
    command.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_other_crate_contains_unsafe() {
        for package in crate::dependencies::packages().unwrap() {
            let allows = |line: &str| line.starts_with('#') && line.contains("allow(unsafe_code)");
            let mut sources = package.sources("src").into_iter();
            let found = sources.any(|text| text.lines().any(|line| allows(line.trim_start())));
            let listed = UNSAFE.iter().any(|(name, ..)| *name == package.name);
            assert_eq!(found, listed, "{}", package.name);
        }
    }
}
