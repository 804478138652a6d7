//! Programs that checks need and Rust does not bring: installed once, below `target`, at exactly
//! these versions.

use crate::command::{cargo, run};
use anyhow::Result;
use std::process::Command;

/// A program on crates.io.
pub(crate) struct Tool {
    name: &'static str,
    version: &'static str,
}

pub(crate) const CARGO_DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2" };
pub(crate) const MDBOOK: Tool = Tool { name: "mdbook", version: "0.5.4" };

impl Tool {
    /// The program, which is installed if it is not there yet.
    pub(crate) fn command(&self) -> Result<Command> {
        let Self { name, version } = self;
        let root = crate::root();
        let folder = root.join(format!("target/tools/{name}-{version}"));
        let program = folder.join("bin").join(name);
        if !program.is_file() {
            let mut install = cargo(&format!("install {name} --version ={version} --debug"));
            install.args(["--no-default-features", "--root"]).arg(&folder);
            // An interrupted build goes on from here.
            install.arg("--target-dir").arg(root.join("target/tools/build"));
            // Seconds of running against minutes of building.
            run(install.env("CARGO_PROFILE_DEV_DEBUG", "false"))?;
        }
        let mut command = Command::new(program);
        command.current_dir(root);
        Ok(command)
    }
}
