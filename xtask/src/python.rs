//! The Python package: built as a wheel, installed into an environment of its own below `target`,
//! and tested there with the libraries it works with.

use crate::command::{program, run, succeeds};
use crate::stage::LeftOut;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const PACKAGE: &str = "crates/gsn-py";

pub(crate) fn check() -> Result<Vec<LeftOut>> {
    let supported = "import sys, venv; sys.exit(sys.version_info < (3, 11))";
    if !succeeds(program("python3").args(["-c", supported]), Duration::from_secs(60)) {
        return Ok(vec![LeftOut("the Python package: python3, from 3.11 on, is not here".into())]);
    }
    let environment = Environment::ready()?;
    let wheels = crate::root().join("target/wheels/tested");
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels)?;
    }
    let mut build = environment.command("maturin");
    build.args(["build", "--release", "--locked", "-m"]);
    build.arg(format!("{PACKAGE}/Cargo.toml")).arg("--out").arg(&wheels);
    build.arg("--interpreter").arg(environment.program("python"));
    run(&mut build)?;
    let wheel = std::fs::read_dir(&wheels)?.next().context("maturin left no wheel")??.path();
    let mut install = environment.command("pip");
    run(install.args(["install", "--quiet", "--no-deps", "--force-reinstall"]).arg(wheel))?;
    let package = crate::root().join(PACKAGE);
    run(environment.command("ruff").args(["check", "--quiet", "."]).current_dir(&package))?;
    run(environment.command("mypy").current_dir(&package))?;
    let mut tests = environment.command("pytest");
    tests.current_dir(&package).env("GSN_BIN", environment.program("gsn"));
    run(tests.args(["--quiet", "-p", "no:cacheprovider"]))?;
    Ok(vec![])
}

/// A virtual environment with what the tests need.
struct Environment(PathBuf);

impl Environment {
    /// Made once, and again when the list of packages changes.
    fn ready() -> Result<Self> {
        let folder = crate::root().join("target/python");
        let wanted = crate::root().join(PACKAGE).join("tests/requirements.txt");
        let done = folder.join("installed.txt");
        let environment = Self(folder.clone());
        let list = std::fs::read(&wanted)?;
        if std::fs::read(&done).is_ok_and(|before| before == list) {
            return Ok(environment);
        }
        run(program("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        run(environment.command("pip").args(["install", "--quiet", "--requirement"]).arg(&wanted))?;
        std::fs::write(done, list)?;
        Ok(environment)
    }

    fn program(&self, name: &str) -> PathBuf {
        self.0.join("bin").join(name)
    }

    fn command(&self, name: &str) -> Command {
        let mut command = program(&Path::new(&self.program(name)).display().to_string());
        command.env("VIRTUAL_ENV", &self.0);
        command
    }
}
