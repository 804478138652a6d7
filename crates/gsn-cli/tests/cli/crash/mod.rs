//! Every verb that writes, killed, out of space, without rights, with inputs that fail: the next run
//! ends as if nothing had happened, and what is there under its own name is always whole.
//!
//! `shim.c` counts the calls that change or read files, so that each of them can be the one that goes
//! wrong. 20 of them for every verb and fault, evenly spread, are what the test command looks at;
//! `cargo xtask faults` looks at 200, or at all there are, and tells their number.

mod jobs;
mod shim;

use super::{finish, within_limit};
use jobs::{Job, jobs};
use shim::{Happens, Of};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

/// When a run was begun and how fast it was, for people.
const LOG: &str = "sessions.jsonl";

/// Faults for every verb and kind.
fn cases() -> usize {
    std::env::var("GSN_CASES").map_or(20, |cases| cases.parse().expect("a number of cases"))
}

/// Numbers from 1 to `total`, at most as many as there are cases, evenly spread.
fn picked(total: usize) -> Vec<usize> {
    let n = cases().min(total);
    (0..n).map(|i| 1 + i * (total - 1) / (n - 1).max(1)).collect()
}

/// All files below a folder. Where a text names the folder itself, it says `HERE`.
type Files = BTreeMap<PathBuf, Vec<u8>>;

fn files(folder: &Path) -> Files {
    let mut found = Files::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in next.read_dir().expect("a folder").map(Result::unwrap) {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path => {
                    let name = path.strip_prefix(folder).unwrap().to_owned();
                    let bytes = std::fs::read(&path).unwrap();
                    let here = folder.to_str().unwrap();
                    let bytes = match String::from_utf8(bytes) {
                        Ok(text) => text.replace(here, "HERE").into_bytes(),
                        Err(other) => other.into_bytes(),
                    };
                    found.insert(name, bytes);
                }
            }
        }
    }
    found
}

fn put(folder: &Path, files: &Files) {
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

/// Whether a file is in the making.
fn is_part(name: &Path) -> bool {
    name.extension().is_some_and(|ending| ending == "part")
}

/// When a run was disturbed, and at which call where it is known.
struct When {
    said: String,
    call: Option<String>,
}

impl When {
    fn said(said: impl Into<String>) -> Self {
        Self { said: said.into(), call: None }
    }

    fn at(happens: Happens, (at, calls): (usize, usize), call: Option<&String>) -> Self {
        let call = call.cloned();
        Self { said: format!("{happens:?} at {at} of {calls} ({call:?})"), call }
    }
}

impl std::fmt::Display for When {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.said)
    }
}

/// A command, the files it starts from, and those it ends with when nothing goes wrong.
struct Whole {
    job: Job,
    before: Files,
    after: Files,
    code: Option<i32>,
    took: Duration,
}

impl Whole {
    fn of(job: Job) -> Self {
        let folder = tempfile::tempdir().unwrap();
        job.prepare(folder.path());
        let before = files(folder.path());
        let start = Instant::now();
        let output = finish(job.command(folder.path()));
        let took = start.elapsed();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}: {said}", job.name);
        let after = files(folder.path());
        assert!(after.keys().all(|name| !is_part(name)), "{}: {:?}", job.name, after.keys());
        Self { job, before, after, code: output.status.code(), took }
    }

    /// The calls of an undisturbed run, as `call path`.
    fn calls(&self, of: Of) -> Vec<String> {
        let (folder, output, calls) = self.disturbed(of, None);
        assert_eq!(output.status.code(), self.code, "{}", self.job.name);
        self.check_end(folder.path(), &When::said("watched"));
        calls
    }

    /// A run in a folder of its own in which something happens at a call; what it left, and the
    /// calls up to its end.
    fn disturbed(
        &self,
        of: Of,
        fault: Option<(usize, Happens)>,
    ) -> (tempfile::TempDir, Output, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), &self.before);
        let log = tempfile::NamedTempFile::new().unwrap();
        let mut command = self.job.command(folder.path());
        shim::watch(&mut command, folder.path(), of, log.path());
        if let Some((at, happens)) = fault {
            shim::arrange(&mut command, at, happens);
        }
        let output = finish(command);
        let calls = std::fs::read_to_string(log.path()).unwrap();
        (folder, output, calls.lines().map(str::to_owned).collect())
    }

    /// Fails unless every file under its own name is that of before or that of the end.
    fn check_whole_files(&self, folder: &Path, when: &When) {
        if !self.job.is_atomic {
            return;
        }
        for (name, bytes) in files(folder).iter().filter(|(name, _)| !is_part(name)) {
            let known = [self.before.get(name), self.after.get(name)];
            let whole = known.into_iter().flatten().any(|known| known == bytes);
            assert!(whole, "{} {when}: {} is half a file", self.job.name, name.display());
        }
    }

    /// Fails unless the folder holds what an undisturbed run leaves, and nothing else.
    fn check_end(&self, folder: &Path, when: &When) {
        let found = files(folder);
        // The cache does without an entry that could not be written, and a trial that was over for
        // now without the line of its session, which plays no part in results.
        let no_log = when.call.as_ref().is_some_and(|call| target(call) == LOG);
        let is_needed = |name: &&PathBuf| {
            let is_log = name.file_name().is_some_and(|last| last == LOG);
            !(name.starts_with("cache") || no_log && is_log)
        };
        let names = |files: &Files| files.keys().filter(is_needed).cloned().collect::<Vec<_>>();
        assert_eq!(names(&found), names(&self.after), "{} {when}", self.job.name);
        for (name, bytes) in &found {
            let known = self.after.get(name).or(Some(bytes).filter(|_| !is_part(name)));
            let same = self.job.varies(name) || known == Some(bytes);
            assert!(same, "{} {when}: {} differs", self.job.name, name.display());
        }
    }

    /// Runs the command again, undisturbed: it must end as if nothing had happened.
    fn check_next(&self, folder: &Path, when: &When) {
        let output = finish(self.job.command(folder));
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), self.code, "{} {when}, next: {said}", self.job.name);
        self.check_end(folder, when);
    }

    /// Fails unless a run that met an error says so in a sentence that names the file, or did not
    /// need what failed. Returns whether it was an error.
    fn check_said(&self, output: &Output, calls: &[String], when: &When) -> bool {
        let said = String::from_utf8_lossy(&output.stderr);
        let name = self.job.name;
        assert!(!said.contains("panicked"), "{name} {when}: {said}");
        if output.status.code() == self.code {
            return false;
        }
        assert_eq!(output.status.code(), Some(2), "{name} {when}: {said}");
        let is_named = |call: &String| said.contains(target(call));
        assert!(calls.iter().any(is_named), "{name} {when}: the file is not named in {said}");
        true
    }
}

/// The name of the file that a call is about; of a temporary one that which it is to have.
fn target(call: &str) -> &str {
    let name = call.rsplit('/').next().unwrap_or(call);
    let inner = name.strip_suffix(".part").and_then(|name| name.rsplit_once('.'));
    inner.map_or(name, |(name, _)| name.trim_start_matches('.'))
}

/// How many faults of a kind there were for every verb, as `cargo xtask faults` reads it.
#[allow(clippy::print_stdout)]
fn tell(what: &str, done: &[(&str, usize)]) {
    done.iter().for_each(|(name, n)| println!("faults\t{what}\t{name}\t{n}"));
}

#[test]
fn a_kill_at_any_write_or_rename_leaves_no_trace() {
    let mut done = Vec::new();
    for whole in jobs().into_iter().map(Whole::of) {
        let calls = whole.calls(Of::Change);
        let at = picked(calls.len());
        for (round, &at) in at.iter().enumerate() {
            let happens = if round % 2 == 0 { Happens::Kill } else { Happens::Torn };
            let (folder, output, made) = whole.disturbed(Of::Change, Some((at, happens)));
            let when = When::at(happens, (at, calls.len()), made.last());
            // Threads may make fewer calls this time.
            assert!(output.status.code().is_none() || made.len() < at, "{when}");
            whole.check_whole_files(folder.path(), &when);
            whole.check_next(folder.path(), &when);
        }
        done.push((whole.job.name, at.len()));
    }
    tell("kill before a call, or in the middle of a write", &done);
}

#[test]
fn a_kill_at_any_moment_leaves_no_trace() {
    let mut done = Vec::new();
    // The golden ratio spreads moments evenly, however many they are.
    let moment = |i: usize| (i as f64 * 0.618_033_988_749_895).fract();
    for whole in jobs().into_iter().map(Whole::of) {
        let mut killed = 0;
        for round in 0..cases() {
            let folder = tempfile::tempdir().unwrap();
            put(folder.path(), &whole.before);
            let mut command = whole.job.command(folder.path());
            command.stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = command.spawn().unwrap();
            std::thread::sleep(whole.took.mul_f64(moment(round)));
            killed += usize::from(child.try_wait().unwrap().is_none());
            // A process that has ended is killed as well.
            let _ = child.kill();
            within_limit(move || child.wait()).unwrap();
            let when = When::said(format!("killed after {} of its time", moment(round)));
            whole.check_whole_files(folder.path(), &when);
            whole.check_next(folder.path(), &when);
        }
        assert!(killed > 0, "{} was always over before", whole.job.name);
        done.push((whole.job.name, killed));
    }
    tell("kill at a moment", &done);
}

#[test]
fn a_full_disk_a_device_that_fails_and_a_folder_without_rights_are_errors_that_name_the_file() {
    for happens in [Happens::Full, Happens::Fail, Happens::Deny] {
        let mut done = Vec::new();
        for whole in jobs().into_iter().map(Whole::of) {
            let calls = whole.calls(Of::Change);
            let (mut faults, mut errors) = (0, 0);
            for at in picked(calls.len()) {
                let (folder, output, made) = whole.disturbed(Of::Change, Some((at, happens)));
                let since = made.get(at - 1..).unwrap_or_default();
                let when = When::at(happens, (at, calls.len()), since.first());
                let is_error = whole.check_said(&output, since, &when);
                errors += usize::from(is_error);
                // Who may change nothing cannot clean up either.
                if is_error && happens != Happens::Deny && !whole.job.resumes_parts {
                    let left: Vec<PathBuf> =
                        files(folder.path()).into_keys().filter(|name| is_part(name)).collect();
                    assert!(left.is_empty(), "{} {when}: {left:?}", whole.job.name);
                }
                whole.check_whole_files(folder.path(), &when);
                whole.check_next(folder.path(), &when);
                faults += 1;
            }
            assert!(errors > 0, "{} never noticed {happens:?}", whole.job.name);
            done.push((whole.job.name, faults));
        }
        let what = match happens {
            Happens::Full => "disk full",
            Happens::Fail => "device fails",
            _ => "no right to write",
        };
        tell(what, &done);
    }
}

#[test]
fn an_input_that_cannot_be_read_or_vanishes_is_an_error_that_names_it() {
    for happens in [Happens::Fail, Happens::Lose] {
        let mut done = Vec::new();
        for whole in jobs().into_iter().map(Whole::of) {
            let calls = whole.calls(Of::Read);
            // Inputs vanish; what the program wrote itself is its own.
            let may = |at: &usize| {
                let (_, path) = calls[at - 1].split_once(" /").unwrap_or_default();
                let is_input = whole.before.contains_key(Path::new(path));
                is_input || (happens == Happens::Fail && !path.ends_with(".part"))
            };
            let inputs: Vec<usize> = (1..=calls.len()).filter(may).collect();
            let mut faults = 0;
            for at in picked(inputs.len()).into_iter().map(|i| inputs[i - 1]) {
                let (folder, output, made) = whole.disturbed(Of::Read, Some((at, happens)));
                let since = made.get(at - 1..).unwrap_or_default();
                let when = When::at(happens, (at, calls.len()), since.first());
                whole.check_said(&output, since, &when);
                // What was lost comes back, as a user would bring it back.
                let lost =
                    whole.before.iter().filter(|(name, _)| !folder.path().join(name).exists());
                let lost = lost.map(|(name, bytes)| (name.clone(), bytes.clone())).collect();
                put(folder.path(), &lost);
                whole.check_whole_files(folder.path(), &when);
                if output.status.code() == whole.code {
                    whole.check_end(folder.path(), &when);
                }
                whole.check_next(folder.path(), &when);
                faults += 1;
            }
            done.push((whole.job.name, faults));
        }
        tell(if happens == Happens::Fail { "read fails" } else { "input vanishes" }, &done);
    }
}

#[test]
fn reads_of_a_single_byte_change_nothing() {
    let mut done = Vec::new();
    for whole in jobs().into_iter().map(Whole::of) {
        let (folder, output, calls) = whole.disturbed(Of::Read, Some((1, Happens::Short)));
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), whole.code, "{}: {said}", whole.job.name);
        assert!(calls.len() > 20, "{}: {} reads", whole.job.name, calls.len());
        whole.check_end(folder.path(), &When::said("one byte at a time"));
        done.push((whole.job.name, calls.len()));
    }
    tell("reads cut to one byte", &done);
}
