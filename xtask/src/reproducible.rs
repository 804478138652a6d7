//! Whether the program is the same, to the bit, wherever it is built: two builds of the last commit in
//! two folders. About five minutes each on two cores.

use crate::command::{program, run, say};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds twice and compares.
pub(crate) fn check() -> Result<()> {
    let place = crate::root().join("target/reproducible");
    let [one, other] = ["one", "another-place"].map(|name| build(&place.join(name)));
    let (one, other) = (one?, other?);
    let (first, second) = (std::fs::read(&one)?, std::fs::read(&other)?);
    let hash = |path: &Path| -> Result<String> {
        let output = Command::new("sha256sum").arg(path).output().context("sha256sum")?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        said.split_whitespace().next().map(str::to_owned).context("sha256sum says nothing")
    };
    say(&format!("{}  {}", hash(&one)?, one.display()));
    say(&format!("{}  {}", hash(&other)?, other.display()));
    match first == second {
        true => {
            say("the same to the bit");
            std::fs::remove_dir_all(&place).context("cannot clean up")
        }
        false => bail!("two builds of the same sources differ"),
    }
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
    run(build.env("CARGO_TARGET_DIR", folder.join("target")))?;
    Ok(folder.join("target/release/gsn"))
}
