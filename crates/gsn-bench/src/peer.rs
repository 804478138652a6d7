//! The peers: a Python process with networkx, igraph, rustworkx and ogb (or graph-tool), asked
//! line by line.
//!
//! The virtual environment is made once, inside the target directory, by `python3 -m venv` and
//! pip. graph-tool is not on PyPI; it is used when the system's own Python has it (Debian:
//! `python3-graph-tool`), through a second process.

use crate::work_dir;
use anyhow::{Context, Result, bail, ensure};
use gsn_core::Pattern;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/peer.py");
const REQUIREMENTS: &str = include_str!("../peers/requirements.txt");
/// ogb asks for torch, which `ogb.utils.smiles2graph` does not use: installed without.
const OGB: &str = "ogb==1.3.6";

/// A running peer process.
#[derive(Debug)]
pub struct Peer {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    /// The peers from PyPI, installed when they are not there yet.
    ///
    /// # Errors
    /// When there is no Python or the packages cannot be fetched.
    pub fn from_pypi() -> Result<Self> {
        Self::start(&environment()?)
    }

    /// The system's Python, for graph-tool; `GSN_BENCH_SYSTEM_PYTHON` names another one.
    ///
    /// # Errors
    /// When there is none.
    pub fn from_system() -> Result<Self> {
        let python = std::env::var_os("GSN_BENCH_SYSTEM_PYTHON")
            .map_or_else(|| PathBuf::from("/usr/bin/python3"), PathBuf::from);
        Self::start(&python)
    }

    fn start(python: &Path) -> Result<Self> {
        let mut child = Command::new(python)
            .arg(SCRIPT)
            .env("OMP_NUM_THREADS", "1")
            .env("RAYON_NUM_THREADS", "1")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", python.display()))?;
        let requests = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().context("no answers")?);
        Ok(Self { child, requests, answers })
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// When the peer has ended, or reports a failure.
    pub fn ask(&mut self, request: &Value) -> Result<Value> {
        let requests = self.requests.as_mut().context("the peer has ended")?;
        writeln!(requests, "{request}")?;
        requests.flush()?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let answer: Value = serde_json::from_str(&line).context("the peer process ended")?;
        match answer.get("error") {
            Some(error) => bail!("the peer failed: {error}"),
            None => Ok(answer),
        }
    }

    /// Version of a Python module.
    ///
    /// # Errors
    /// When it cannot be imported.
    pub fn version(&mut self, module: &str) -> Result<String> {
        let answer = self.ask(&json!({"command": "versions", "modules": [module]}))?;
        let found = &answer["modules"][module];
        match found["version"].as_str() {
            Some(version) => Ok(version.to_owned()),
            None => bail!("{}", found["missing"].as_str().unwrap_or("not there")),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The process ends with its input.
        drop(self.requests.take());
        let _ = self.child.wait();
    }
}

/// A pattern as the peers read it.
pub fn describe(pattern: &Pattern) -> Value {
    let labels: Option<Vec<u32>> = (0..pattern.order()).map(|v| pattern.vertex_label(v)).collect();
    json!({
        "order": pattern.order(),
        "edges": pattern.edges().collect::<Vec<_>>(),
        "labels": labels,
        "directed": pattern.is_directed(),
    })
}

/// The virtual environment's Python; made when it is not there or the list of packages changed.
fn environment() -> Result<PathBuf> {
    let folder = work_dir().join("venv");
    let python = folder.join("bin/python");
    let stamp = folder.join("installed.txt");
    let wanted = format!("{REQUIREMENTS}{OGB}\n");
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    std::fs::create_dir_all(work_dir())?;
    run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    let pip = |arguments: &[&str]| {
        let install = ["-m", "pip", "install", "-q", "--disable-pip-version-check"];
        run(Command::new(&python).args(install).args(arguments))
    };
    pip(&REQUIREMENTS.lines().collect::<Vec<_>>())?;
    pip(&["--no-deps", OGB])?;
    std::fs::write(stamp, wanted)?;
    Ok(python)
}

fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(status.success(), "{command:?} failed");
    Ok(())
}
