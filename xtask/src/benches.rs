//! `cargo xtask benches`: the tables of measurements made anew, each by its own command, which also says at
//! which commit. Hours of a quiet machine for all of them; names choose some.

use crate::command::{cargo, program, run, say};
use crate::{pages, python};
use anyhow::{Result, bail};
use std::process::Command;

/// Counting before it was rewritten around homomorphisms: what "before and after" compares with.
const BEFORE: &str = "f3ba949";

/// A table, and the command that measures it and puts it into its page.
struct Measured {
    name: &'static str,
    command: fn() -> Result<Command>,
}

const TABLES: [Measured; 10] = [
    Measured { name: "before-after", command: before_after },
    Measured { name: "predictions", command: || Ok(bench("predictions")) },
    Measured { name: "peers", command: || Ok(bench("peers")) },
    Measured { name: "growth", command: || Ok(bench("growth")) },
    Measured { name: "expressivity", command: || Ok(bench("expressivity")) },
    Measured { name: "training-loop", command: || Ok(bench("train")) },
    Measured { name: "cache", command: || Ok(bench("cache")) },
    Measured { name: "load", command: load },
    Measured { name: "training", command: || Ok(script("benches/nn/run.py")) },
    Measured { name: "python", command: from_python },
];

/// Measures the tables of these names, or all of them, then copies what first pages show of them.
pub(crate) fn measure(names: &[&str]) -> Result<()> {
    if let Some(name) = names.iter().find(|name| TABLES.iter().all(|table| table.name != **name)) {
        let known: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
        bail!("there is no table `{name}`; there are {}", known.join(", "));
    }
    for table in TABLES.iter().filter(|table| names.is_empty() || names.contains(&table.name)) {
        say(table.name);
        run(&mut (table.command)()?)?;
    }
    pages::write()
}

fn bench(name: &str) -> Command {
    cargo(&format!("bench -p gsn-bench --bench {name} -- --publish"))
}

fn script(path: &str) -> Command {
    let mut command = program("python3");
    command.args([path, "--write"]);
    command
}

fn before_after() -> Result<Command> {
    let mut command = script("benches/before_after.py");
    command.arg(BEFORE);
    Ok(command)
}

/// With the program as it is released.
fn load() -> Result<Command> {
    run(&mut cargo("build --release -p gsn-cli"))?;
    Ok(script("benches/load.py"))
}

/// With the package installed as it is released.
fn from_python() -> Result<Command> {
    let mut command = python::installed()?.command("python");
    command.args(["crates/gsn-py/benches/floors.py", "--write"]).current_dir(crate::root());
    Ok(command)
}
