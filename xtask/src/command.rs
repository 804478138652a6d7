//! Running other programs from the root of the workspace, none of them for ever.

use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Longer than any command takes on a slow machine.
const LIMIT: Duration = Duration::from_secs(40 * 60);

/// `cargo` with arguments separated by blanks, and nothing newer than the lock file says.
pub(crate) fn cargo(arguments: &str) -> Command {
    let mut words = arguments.split_whitespace();
    let mut command = program(&std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    command.args(words.next()).arg("--locked").args(words);
    if is_ci() {
        // A build from nothing has nothing to compare with, and nobody builds there again.
        command.env("CARGO_INCREMENTAL", "0");
    }
    command
}

/// Whether this is continuous integration, where everything is built once.
pub(crate) fn is_ci() -> bool {
    std::env::var_os("CI").is_some_and(|ci| ci == "true" || ci == "1")
}

/// Any program, seen from the root of the workspace.
pub(crate) fn program(name: &str) -> Command {
    let mut command = Command::new(name);
    command.current_dir(super::root());
    command
}

/// Runs a command that must succeed.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = show(command);
    say(&format!("$ {shown}"));
    let child = command.spawn().with_context(|| format!("cannot start {shown}"))?;
    match wait(child, LIMIT)?.success() {
        true => Ok(()),
        false => bail!("failed: {shown}"),
    }
}

/// Whether a command, whose output nobody needs, succeeds within `limit`.
pub(crate) fn succeeds(command: &mut Command, limit: Duration) -> bool {
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    child.is_ok_and(|child| wait(child, limit).is_ok_and(|status| status.success()))
}

/// What a test runner reported, over all its programs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) ignored: usize,
}

impl Tally {
    /// Adds a line such as `test result: ok. 3 passed; 0 failed; 1 ignored; ...`.
    fn add(&mut self, line: &str) {
        let Some((_, counts)) = line.strip_prefix("test result: ").and_then(|l| l.split_once(". "))
        else {
            return;
        };
        for count in counts.split(';') {
            match count.trim().split_once(' ') {
                Some((number, "passed")) => self.passed += number.parse::<usize>().unwrap_or(0),
                Some((number, "ignored")) => self.ignored += number.parse::<usize>().unwrap_or(0),
                _ => {}
            }
        }
    }
}

/// Runs tests, which must pass, and tells what the runner reported.
pub(crate) fn tests(command: &mut Command) -> Result<Tally> {
    let shown = show(command);
    say(&format!("$ {shown}"));
    let spawned = command.stdout(Stdio::piped()).spawn();
    let mut child = spawned.with_context(|| format!("cannot start {shown}"))?;
    let output = BufReader::new(child.stdout.take().context("no standard output")?);
    let reader = std::thread::spawn(move || {
        let mut tally = Tally::default();
        for line in output.split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            tally.add(&line);
            let _ = writeln!(std::io::stdout(), "{line}");
        }
        tally
    });
    let status = wait(child, LIMIT)?;
    let Ok(tally) = reader.join() else { bail!("the output of {shown} cannot be read") };
    match status.success() {
        true => Ok(tally),
        false => bail!("failed: {shown}"),
    }
}

/// Waits until the child ends, and ends it when it takes longer than `limit`.
fn wait(mut child: Child, limit: Duration) -> Result<ExitStatus> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if start.elapsed() > limit {
            child.kill()?;
            bail!("not finished after {} minutes", limit.as_secs() / 60);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn show(command: &Command) -> String {
    let name = std::path::Path::new(command.get_program()).file_name().unwrap_or_default();
    let words = std::iter::once(name).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// One line on standard error, where cargo writes as well; a closed pipe is no reason to stop.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runners_lines_are_added_up() {
        let mut tally = Tally::default();
        for line in [
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out",
            "test result: FAILED. 4 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out",
            "test a_test ... ok",
        ] {
            tally.add(line);
        }
        assert_eq!(tally, Tally { passed: 7, ignored: 3 });
    }

    #[test]
    fn what_takes_too_long_is_ended() {
        assert!(!succeeds(Command::new("sleep").arg("60"), Duration::from_millis(30)));
        assert!(succeeds(Command::new("sleep").arg("0"), LIMIT));
    }
}
