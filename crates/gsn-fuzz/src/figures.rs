//! How much has been run: a file that only grows, a line for every chunk, and the table of it.

use crate::{Kind, TARGETS};
use anyhow::{Context, Result, ensure};
use std::fmt;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::time::Duration;

/// What one chunk came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    commit: String,
    target: String,
    chunk: u64,
    /// Inputs that were run.
    pub executions: u64,
    /// Those that failed.
    pub failures: u64,
    /// Processor time of all of them.
    pub time: Duration,
    /// Processor time of the slowest.
    pub slowest: Duration,
}

impl Line {
    /// Nothing has been run yet.
    pub fn new(commit: &str, target: &str, chunk: u64) -> Self {
        let (commit, target) = (commit.to_owned(), target.to_owned());
        let (executions, failures, time, slowest) = Default::default();
        Self { commit, target, chunk, executions, failures, time, slowest }
    }

    /// Appends it to a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&self, path: &Path) -> Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        let Self { commit, target, chunk, executions, failures, time, slowest } = self;
        let (time, slowest) = (time.as_micros(), slowest.as_micros());
        let line =
            format!("{commit}\t{target}\t{chunk}\t{executions}\t{failures}\t{time}\t{slowest}\n");
        Ok(file.write_all(line.as_bytes())?)
    }

    fn parse(line: &str) -> Option<Self> {
        let cells: Vec<&str> = line.split('\t').collect();
        let &[commit, target, chunk, executions, failures, time, slowest] = &cells[..] else {
            return None;
        };
        Some(Self {
            executions: executions.parse().ok()?,
            failures: failures.parse().ok()?,
            time: Duration::from_micros(time.parse().ok()?),
            slowest: Duration::from_micros(slowest.parse().ok()?),
            ..Self::new(commit, target, chunk.parse().ok()?)
        })
    }
}

/// What all chunks of a target came to, at one version or at several after each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sum {
    /// The versions, the first one first.
    pub commits: Vec<String>,
    /// Chunks that are over.
    pub chunks: u64,
    /// Inputs that were run.
    pub executions: u64,
    /// Those that failed.
    pub failures: u64,
    time: Duration,
    slowest: Duration,
}

impl Sum {
    /// Processor time of one execution, in nanoseconds.
    pub fn cost(&self) -> u64 {
        self.time.as_nanos() as u64 / self.executions.max(1)
    }

    fn add(&mut self, other: &Line) {
        if !self.commits.contains(&other.commit) {
            self.commits.push(other.commit.clone());
        }
        self.chunks = self.chunks.max(other.chunk + 1);
        self.executions += other.executions;
        self.failures += other.failures;
        self.time += other.time;
        self.slowest = self.slowest.max(other.slowest);
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { executions, failures, time, slowest, .. } = self;
        let seconds = time.as_secs_f64();
        let rate = *executions as f64 / seconds.max(1e-6);
        write!(
            f,
            "{executions:>10} runs, {failures} failures, {seconds:.0} s, {rate:.0} a second, slowest {} ms",
            slowest.as_millis()
        )
    }
}

/// All lines of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures(Vec<Line>);

impl Figures {
    /// Reads a file; one that is not there is empty.
    ///
    /// # Errors
    /// When it cannot be read or a line is none of ours.
    pub fn read(path: &Path) -> Result<Self> {
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            text => text.with_context(|| path.display().to_string())?,
        };
        let lines: Option<Vec<Line>> = text.lines().map(Line::parse).collect();
        Ok(Self(lines.with_context(|| format!("{}: not a file of figures", path.display()))?))
    }

    /// What a target came to.
    pub fn of(&self, target: &str) -> Sum {
        let mut sum = Sum::default();
        self.0.iter().filter(|line| line.target == target).for_each(|line| sum.add(line));
        sum
    }

    /// The table of everything that was run.
    ///
    /// # Errors
    /// When nothing has been run.
    pub fn table(&self) -> Result<String> {
        ensure!(!self.0.is_empty(), "nothing has been run yet; `cargo xtask fuzz` does");
        let mut out = String::from(
            "| target | against | executions | failures | processor seconds | slowest | at |\n\
             |---|---|--:|--:|--:|--:|---|\n",
        );
        for target in TARGETS {
            let against = match target.kind {
                Kind::Reader => "panics, hangs, memory",
                Kind::Truth => "brute force",
                Kind::Threads => "brute force, by one thread and by 2, 3 or 8",
            };
            out += &row(target.name, against, &self.of(target.name));
        }
        let mut all = Sum::default();
        self.0.iter().for_each(|line| all.add(line));
        all.commits.clear();
        Ok(out + &row("all", "", &all))
    }
}

fn row(name: &str, against: &str, sum: &Sum) -> String {
    let (seconds, slowest) = (sum.time.as_secs(), sum.slowest.as_millis());
    let (executions, failures) = (grouped(sum.executions), sum.failures);
    let commits = sum.commits.iter().map(|commit| format!("`{commit}`")).collect::<Vec<_>>();
    let commits = commits.join(" ");
    format!(
        "| {name} | {against} | {executions} | {failures} | {seconds} | {slowest} ms | {commits} |\n"
    )
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|g| str::from_utf8(g).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_add_up_over_interruptions() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("figures.tsv");
        assert_eq!(Figures::read(&path).unwrap(), Figures::default());
        assert!(Figures::default().table().is_err());
        let chunks = [("abc", 0, 20_000, 0), ("abc", 1, 0, 1), ("abd", 2, 20_000, 0)];
        for (commit, chunk, executions, failures) in chunks {
            let line = Line { executions, failures, ..Line::new(commit, "graph6", chunk) };
            line.append(&path).unwrap();
        }
        let figures = Figures::read(&path).unwrap();
        let sum = figures.of("graph6");
        assert_eq!((sum.chunks, sum.executions, sum.failures), (3, 40_000, 1));
        assert_eq!(figures.of("sparse6"), Sum::default());
        let table = figures.table().unwrap();
        let row = "| graph6 | panics, hangs, memory | 40,000 | 1 | 0 | 0 ms | `abc` `abd` |";
        assert!(table.contains(row), "{table}");
        std::fs::write(&path, "nonsense\n").unwrap();
        assert!(Figures::read(&path).is_err());
    }

    #[test]
    fn thousands_are_told_apart() {
        assert_eq!([0, 999, 1000, 12_345_678].map(grouped), ["0", "999", "1,000", "12,345,678"]);
    }
}
