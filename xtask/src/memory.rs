//! The modules that contain `unsafe`, under tools that see what the compiler cannot.

use crate::command::{cargo, program, say, succeeds, tests};
use crate::stage::LeftOut;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Stdio};
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
        let built = built()?;
        for (package, module, _) in UNSAFE {
            let mut valgrind = program("valgrind");
            valgrind.args(["-q", "--error-exitcode=1"]).arg(unit_tests(&built, package)?);
            some(valgrind.arg(module))?;
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

/// What cargo tells of all test programs, built as the stage `tests` builds them: asking for some
/// of them only would build more, with other features.
fn built() -> Result<String> {
    let mut build = cargo("test --workspace --no-run --message-format json-render-diagnostics");
    say("$ cargo test --workspace --no-run");
    let output = build.stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "the tests cannot be built");
    Ok(String::from_utf8(output.stdout)?)
}

/// The program with the unit tests of a library.
fn unit_tests(built: &str, package: &str) -> Result<PathBuf> {
    let library = package.replace('-', "_");
    let mut told = built.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let tests = told.find(|told| {
        told["target"]["name"] == library.as_str()
            && told["target"]["kind"][0] == "lib"
            && told["profile"]["test"] == true
    });
    let program = tests.as_ref().and_then(|told| told["executable"].as_str());
    Ok(program.with_context(|| format!("cargo tells no unit tests of {package}"))?.into())
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
    fn the_program_of_a_library_is_found() {
        let of = |name: &str, test: bool, program: &str| {
            format!(
                r#"{{"target": {{"name": "{name}", "kind": ["lib"]}}, "profile": {{"test": {test}}},
                "executable": {program}}}"#
            )
            .replace('\n', "")
        };
        let lines = [
            of("gsn_core", false, "null"),
            of("gsn_io", true, "\"io\""),
            of("gsn_core", true, "\"core\""),
            "Finished".into(),
        ];
        let told = lines.join("\n");
        assert_eq!(unit_tests(&told, "gsn-core").unwrap(), PathBuf::from("core"));
        assert!(unit_tests(&told, "gsn-nn").is_err());
    }

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
