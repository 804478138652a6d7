//! Reports in a real browser: Chromium opens one of every kind, at three sizes, light and dark.
//!
//! `xtask/browser/check.mjs` says what is looked at, and the lock file beside it which packages do
//! the looking. Pages, screenshots and what was found are left in `target/report`. Chromium, Node.js
//! and npm come from the system and are installed where that is possible without asking anyone; where
//! it is not, the stage says that it checked nothing.

mod pages;

use crate::command::{is_ci, program, run, say, succeeds};
use crate::stage::LeftOut;
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const SOON: Duration = Duration::from_secs(600);
/// What playwright-core needs.
const NODE: &str = "process.exit(Number(process.versions.node.split('.')[0]) >= 20 ? 0 : 1)";

pub(crate) fn check() -> Result<Vec<LeftOut>> {
    let Some(chromium) = found(browser, &["chromium"])? else {
        return left_out("Chromium is not here and cannot be installed");
    };
    let node = || succeeds(program("node").args(["-e", NODE]), SOON).then_some(());
    let npm = || succeeds(program("npm").arg("--version"), SOON).then_some(());
    if found(|| node().and(npm()), &["nodejs", "npm"])?.is_none() {
        return left_out("Node.js, from 20 on, and npm are not here and cannot be installed");
    }
    let Some(packages) = packages()? else {
        return left_out("the packages in xtask/browser cannot be fetched");
    };
    let folder = crate::root().join("target/report");
    pages::write(&folder)?;
    let mut node = program("node");
    node.arg(packages.join("check.mjs")).arg(&folder).arg(chromium);
    run(&mut node)?;
    Ok(vec![])
}

/// In continuous integration, what could be checked must be.
fn left_out(why: &str) -> Result<Vec<LeftOut>> {
    let can_install = succeeds(program("apt-get").arg("--version"), SOON) && is_root();
    if is_ci() && can_install {
        bail!("reports cannot be opened in a browser: {why}");
    }
    say(&format!("not checked: reports in a browser: {why}"));
    Ok(vec![LeftOut(format!("reports in a browser: {why}"))])
}

/// Something that is there, or is after installing packages of the system.
fn found<T>(there: impl Fn() -> Option<T>, packages: &[&str]) -> Result<Option<T>> {
    let here = there();
    if here.is_some() || !is_root() {
        return Ok(here);
    }
    say(&format!("installing {}", packages.join(" and ")));
    let quietly = |words: &[&str]| {
        let mut apt = program("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive").args(words);
        succeeds(&mut apt, SOON)
    };
    // The lists of a fresh machine may be old or missing; installing tells whether that matters.
    quietly(&["update"]);
    quietly(&[&["install", "--yes", "--no-install-recommends"], packages].concat());
    Ok(there())
}

/// Whether packages can be installed without a password.
fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// Chromium, that starts.
fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let folders = std::env::var_os("PATH")?;
    let mut all = std::env::split_paths(&folders).flat_map(|path| names.map(|n| path.join(n)));
    all.find(|path| {
        path.is_file() && succeeds(Command::new(path).args(["--no-sandbox", "--version"]), SOON)
    })
}

/// A folder below `target` with the script and the packages of the lock file; nothing if they cannot
/// be had.
fn packages() -> Result<Option<PathBuf>> {
    let (from, to) =
        (crate::root().join("xtask/browser"), crate::root().join("target/tools/browser"));
    std::fs::create_dir_all(&to)?;
    let copy = |name: &str| std::fs::copy(from.join(name), to.join(name));
    copy("check.mjs")?;
    let done = to.join("installed.json");
    let lock = std::fs::read(from.join("package-lock.json"))?;
    if std::fs::read(&done).is_ok_and(|before| before == lock) {
        return Ok(Some(to));
    }
    copy("package.json")?;
    copy("package-lock.json")?;
    if !installed(&to) {
        return Ok(None);
    }
    std::fs::write(done, lock)?;
    Ok(Some(to))
}

fn installed(folder: &Path) -> bool {
    let mut npm = program("npm");
    npm.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]);
    succeeds(npm.current_dir(folder), SOON)
}
