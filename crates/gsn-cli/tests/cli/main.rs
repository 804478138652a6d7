//! The program from the outside: every verb, its exit codes, and what it does with bad input.

mod bad_input;
mod convert;
mod count;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod crash;
mod data;
mod defaults;
mod demo;
#[cfg(unix)]
mod examples;
mod explain;
mod help;
mod homomorphism;
mod info;
mod inputs;
mod list;
mod load;
mod members;
mod memory;
mod molecules;
mod names;
mod options;
mod patterns;
mod recipes;
mod report;
mod reproduce;
mod run_folder;
mod separate;
mod sessions;
mod streams;
mod train;
mod tune;
mod user_data;
mod verify;
#[path = "../../../../tests/within.rs"]
mod within;

use std::path::Path;
use std::process::{Command, Output};
use within::within_limit;

/// The program, with `folder` as its working directory.
fn gsn(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gsn"));
    command.current_dir(folder).env("NO_COLOR", "1");
    command
}

/// What a run left.
struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Runs `gsn` with arguments separated by blanks.
fn run(folder: &Path, arguments: &str) -> Ran {
    run_with(folder, &arguments.split_whitespace().collect::<Vec<_>>())
}

/// Runs `gsn` with these arguments.
fn run_with(folder: &Path, arguments: &[&str]) -> Ran {
    let mut command = gsn(folder);
    command.args(arguments);
    finish(command).into()
}

/// Runs a command to its end.
fn finish(mut command: Command) -> Output {
    within_limit(move || command.output()).expect("the program starts")
}

/// Runs `gsn`, which must end with `code`.
#[track_caller]
fn expect(code: i32, folder: &Path, arguments: &str) -> Ran {
    let ran = run(folder, arguments);
    assert_eq!(ran.code, code, "gsn {arguments}\n{}\n{}", ran.out, ran.err);
    ran
}

/// A folder of its own with these files.
fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, contents) in files {
        std::fs::write(folder.path().join(name), contents).expect("a file in it");
    }
    folder
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The contents of a text file.
fn text(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path).expect("a text file")
}
