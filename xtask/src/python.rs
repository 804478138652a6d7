//! The Python package: packed as a source distribution, built as a wheel from that and nothing else,
//! installed into environments of their own below `target`, and tested there: alone, and with the
//! libraries it works with.

use crate::command::{program, run, succeeds};
use crate::stage::LeftOut;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

const PACKAGE: &str = "crates/gsn-py";
/// Held while packages are installed.
static INSTALLING: Mutex<()> = Mutex::new(());

/// Begins to install what the tests need: minutes of waiting, in which other stages compile. Whatever
/// fails here is tried again, and told, by [`check`].
pub(crate) fn begin() {
    std::thread::spawn(Environment::ready);
}

pub(crate) fn check() -> Result<Vec<LeftOut>> {
    let supported = "import sys, venv; sys.exit(sys.version_info < (3, 11))";
    if !succeeds(program("python3").args(["-c", supported]), Duration::from_secs(60)) {
        return Ok(vec![LeftOut("the Python package: python3, from 3.11 on, is not here".into())]);
    }
    let environment = Environment::ready()?;
    let package = crate::root().join(PACKAGE);
    run(environment.command("ruff").args(["check", "--quiet", "."]).current_dir(&package))?;

    let wheel = install(&environment)?;
    run(environment.command("mypy").current_dir(&package))?;
    let mut stubs = environment.command("python");
    // Away from the sources, so that the installed package is compared with its own stubs.
    stubs.args(["-m", "mypy.stubtest", "gsn._gsn", "--allowlist"]);
    run(stubs.arg(package.join("tests/stubtest.txt")).current_dir(&environment.0))?;
    let mut left_out = Vec::new();
    if !is_java_there() {
        left_out.push(LeftOut("Spark: it needs Java 17, which cannot be installed".into()));
    }
    let mut tests = environment.command("pytest");
    tests.current_dir(&package).env("GSN_BIN", environment.program("gsn"));
    run(tests.args(["--quiet", "-p", "no:cacheprovider"]))?;

    alone(&environment, &wheel)?;
    Ok(left_out)
}

/// The environment of the tests with the package as it is released.
pub(crate) fn installed() -> Result<Environment> {
    let environment = Environment::ready()?;
    install(&environment)?;
    Ok(environment)
}

/// Builds the wheel and puts it into the environment.
fn install(environment: &Environment) -> Result<PathBuf> {
    let wheel = wheel(environment)?;
    let mut install = environment.command("pip");
    run(install.args(["install", "--quiet", "--no-deps", "--force-reinstall"]).arg(&wheel))?;
    Ok(wheel)
}

/// Installs Java, which Spark needs, where that is possible without asking anyone.
fn is_java_there() -> bool {
    const SOON: Duration = Duration::from_secs(600);
    let there = || succeeds(program("java").arg("-version"), SOON);
    let install = ["install", "--yes", "openjdk-17-jre-headless"];
    there() || (succeeds(program("apt-get").args(install), SOON) && there())
}

/// An empty folder below `target/wheels`.
fn empty(name: &str) -> Result<PathBuf> {
    let folder = crate::root().join("target/wheels").join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// The only file of a folder.
fn only_file(folder: &Path) -> Result<PathBuf> {
    let first = std::fs::read_dir(folder)?.next();
    Ok(first.with_context(|| format!("nothing was built into {}", folder.display()))??.path())
}

/// The wheel as it is released, built from the source distribution, so that one build shows both that
/// the sources are complete and that what is built from them works.
fn wheel(environment: &Environment) -> Result<PathBuf> {
    let (source, folder) = (empty("source")?, empty("tested")?);
    let mut pack = environment.command("maturin");
    pack.args(["sdist", "-m"]).arg(format!("{PACKAGE}/Cargo.toml")).arg("--out").arg(&source);
    run(&mut pack)?;
    let mut build = environment.command("pip");
    build.args(["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir"]);
    build.arg(&folder).arg(only_file(&source)?);
    // Libraries from elsewhere may be compiled already.
    run(build.env("CARGO_TARGET_DIR", crate::root().join("target")))?;
    only_file(&folder)
}

/// Looks at a wheel from outside, then installs it where nothing else is and tries it.
fn alone(environment: &Environment, wheel: &Path) -> Result<()> {
    let tests = crate::root().join(PACKAGE).join("tests");
    run(environment.command("python").arg(tests.join("check_wheel.py")).arg(wheel))?;
    let bare = Environment(crate::root().join("target/python-alone"));
    run(program("python3").args(["-m", "venv", "--clear"]).arg(&bare.0))?;
    run(bare.command("pip").args(["install", "--quiet"]).arg(wheel))?;
    run(bare.command("python").arg(tests.join("smoke.py")))
}

/// A virtual environment.
pub(crate) struct Environment(PathBuf);

impl Environment {
    /// The one with what the tests need: made once, and again when the list of packages changes.
    fn ready() -> Result<Self> {
        let _alone = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// A program of the environment, which finds the others there first.
    pub(crate) fn command(&self, name: &str) -> Command {
        let mut command = program(&self.program(name).display().to_string());
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.0.join("bin")).chain(std::env::split_paths(&path));
        if let Ok(path) = std::env::join_paths(folders) {
            command.env("PATH", path);
        }
        command.env("VIRTUAL_ENV", &self.0);
        command
    }
}
