//! Whether the program is the same, to the bit, wherever it is built: two builds of the last commit in
//! two folders. About five minutes each on two cores.

use crate::command::{program, run, say};
use crate::page;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};

/// Builds twice and compares; tells the hash of both.
pub(crate) fn check() -> Result<String> {
    let place = crate::root().join("target/reproducible");
    let [one, other] = ["one", "another-place"].map(|name| build(&place.join(name)));
    let (one, other) = (hash(&one?)?, hash(&other?)?);
    say(&format!("{one}\n{other}"));
    ensure!(one == other, "two builds of the same sources differ: {}", place.display());
    std::fs::remove_dir_all(&place).context("cannot clean up")?;
    let compiler = page::output(program("rustc").arg("--version"))?;
    let (commit, compiler) = (page::commit()?, compiler.trim());
    Ok(format!("Both are `{one}` (sha256), at `{commit}`, {compiler}, Linux."))
}

fn hash(path: &Path) -> Result<String> {
    let said = page::output(program("sha256sum").arg(path))?;
    said.split_whitespace().next().map(str::to_owned).context("sha256sum says nothing")
}

/// The program, built in a fresh copy of the last commit.
fn build(folder: &Path) -> Result<PathBuf> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    let root = crate::root().canonicalize()?;
    run(program("git").args(["clone", "--quiet", "--shared"]).arg(&root).arg(folder))?;
    let folder = folder.canonicalize()?;
    // Messages of panics name source files; they are to name no folder of the machine.
    let home = std::env::var_os("CARGO_HOME").map_or_else(
        || std::env::home_dir().context("no home folder").map(|home| home.join(".cargo")),
        |home| Ok(PathBuf::from(home)),
    )?;
    let flags = [(&folder, "gsn"), (&home, "cargo")];
    let flags = flags.map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
    let mut build = program("cargo");
    build.current_dir(&folder).args(["build", "--release", "--locked", "-p", "gsn-cli"]);
    build.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    // The allocator, which is written in C, notes when it was compiled; compilers take that from here.
    let moment = page::output(program("git").args(["log", "-1", "--format=%ct"]))?;
    build.env("SOURCE_DATE_EPOCH", moment.trim());
    run(build.env("CARGO_TARGET_DIR", folder.join("target")))?;
    Ok(folder.join("target/release/gsn"))
}
