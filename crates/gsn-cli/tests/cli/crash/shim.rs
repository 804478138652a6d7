//! The program with something between it and the disk: `shim.c`, which counts the calls that change
//! or read files and lets one of them go wrong.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// What a call does that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// It changes the disk.
    Change,
    /// It opens or reads a file.
    Read,
}

/// What happens at the chosen call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Happens {
    /// The process is gone.
    Kill,
    /// The process is gone, and half of what it was writing is there.
    Torn,
    /// From now on there is no space.
    Full,
    /// From now on nothing may be changed.
    Deny,
    /// This call is an error of the device.
    Fail,
    /// The file is emptied and removed.
    Lose,
    /// From now on every read brings a single byte.
    Short,
}

/// The library, compiled once by the compiler that also links Rust programs.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/crash/shim.c");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let made = folder.join(format!("shim-{}.so", std::process::id()));
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&made).arg(source);
        assert!(compiler.status().expect("cc, which links Rust as well").success());
        // Several test programs may run: the file is always a complete one.
        let place = folder.join("shim.so");
        std::fs::rename(&made, &place).expect("a folder for the library");
        place
    })
}

/// Lets `command` run with its calls below `root` written to the file `log`.
pub(super) fn watch(command: &mut Command, root: &Path, of: Of, log: &Path) {
    let of = if of == Of::Read { "read" } else { "change" };
    command.env("LD_PRELOAD", library()).env("GSN_SHIM_ROOT", root);
    command.env("GSN_SHIM_OF", of).env("GSN_SHIM_LOG", log);
}

/// Lets it happen at the call of number `at`, from 1, of a command that is watched.
pub(super) fn arrange(command: &mut Command, at: usize, happens: Happens) {
    let word = format!("{happens:?}").to_lowercase();
    command.env("GSN_SHIM_AT", at.to_string()).env("GSN_SHIM_DO", word);
}
