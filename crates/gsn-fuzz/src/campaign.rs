//! The loop: one process a target, which is started again when it dies.
//!
//! Work is done in chunks of [`CHUNK`] executions; of a comparison with the truth, each of its graphs
//! counts as one. A chunk begins with the seeds, takes its random numbers from its own number, and keeps
//! inputs whose answer was new in it, so that it can be repeated alone. After every chunk a line is
//! appended to the figures; what was interrupted goes on there. Targets that are cheap come first: a
//! chunk of each tells which.
//!
//! A panic is caught, an execution of more than `PATIENCE` of processor time is a hang, and memory is
//! limited twice: as for the program, and by the system far above that. Millions of executions of a few
//! microseconds leave no time to write every input down, so a chunk in which the process died is run
//! again with care: each input is written to a file before it is executed, and the last one is the
//! culprit.

use crate::figures::{Figures, Line, Sum};
use crate::mutate::mutate;
use crate::{Kind, TARGETS, Target};
use anyhow::{Context, Result, bail, ensure};
use gsn_core::memory::Bytes;
use gsn_core::random::{Random, derive};
use rustix::time::{ClockId, clock_gettime};
use std::cell::RefCell;
use std::collections::HashSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Executions between two lines of the figures.
pub const CHUNK: u64 = 20_000;
/// Processor time that one execution may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Inputs with new answers that a chunk keeps.
const POOL: usize = 1 << 10;
/// Memory that the libraries may ask for, and that the system gives at the most.
const MEMORY: [u64; 2] = [128 << 20, 4 << 30];
/// Failures of a target after which it is left alone.
const ENOUGH: u64 = 20;
/// Exit code of a process that hangs.
const HANG: i32 = 86;

/// What to run, and where.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// Executions of every reader.
    pub runs: u64,
    /// Graphs that are compared with the truth, and a tenth of them by several threads.
    pub cases: u64,
    /// Folders of seeds, by target.
    pub corpus: PathBuf,
    /// Where figures and failures go.
    pub out: PathBuf,
    /// The version that is run.
    pub commit: String,
}

impl Campaign {
    /// The folder of seeds in the repository.
    pub fn corpus() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
    }

    fn wanted(&self, target: &Target) -> u64 {
        match target.kind {
            Kind::Reader => self.runs,
            Kind::Truth => self.cases,
            Kind::Threads => self.cases / 10,
        }
    }

    /// The seeds of a target, in the order of their names.
    fn seeds(&self, target: &Target) -> Result<Vec<Vec<u8>>> {
        let folder = self.corpus.join(target.name);
        let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        let mut paths: Vec<PathBuf> =
            entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
        paths.sort();
        ensure!(!paths.is_empty(), "{} holds no seeds", folder.display());
        paths.iter().map(|path| Ok(fs::read(path)?)).collect()
    }

    fn figures(&self) -> PathBuf {
        self.out.join("figures.tsv")
    }

    fn current(&self, target: &Target) -> PathBuf {
        self.out.join(format!("current-{}", target.name))
    }

    /// Runs these targets, each in a process of its own, until all have been run as often as wanted.
    /// Gives the number of failures; their inputs are in the folder `failures`.
    ///
    /// # Errors
    /// When a process cannot be started or a file not be written.
    pub fn run(&self, targets: &[&Target], tell: &dyn Fn(&str)) -> Result<u64> {
        fs::create_dir_all(self.out.join("failures"))?;
        for target in targets {
            self.advance(target, self.wanted(target).min(CHUNK), tell)?;
        }
        let figures = Figures::read(&self.figures())?;
        let mut by_cost = targets.to_vec();
        by_cost.sort_by_key(|target| figures.of(target.name).cost() * self.wanted(target));
        for target in by_cost {
            let done = self.advance(target, self.wanted(target), tell)?;
            tell(&format!("{:14} {done}", target.name));
        }
        let figures = Figures::read(&self.figures())?;
        Ok(targets.iter().map(|target| figures.of(target.name).failures).sum())
    }

    /// Runs a target until it has been executed so often.
    fn advance(&self, target: &Target, wanted: u64, tell: &dyn Fn(&str)) -> Result<Sum> {
        loop {
            let done = Figures::read(&self.figures())?.of(target.name);
            if done.executions >= wanted || done.failures >= ENOUGH {
                return Ok(done);
            }
            if let Some(how) = self.process(target, wanted, Care::None)? {
                let again = self.process(target, wanted, Care::OneChunk)?;
                self.keep(target, &again.unwrap_or(format!("{how}, but not again")), tell)?;
            }
        }
    }

    /// Starts a process that works on a target; tells how it died, if it did.
    fn process(&self, target: &Target, wanted: u64, care: Care) -> Result<Option<String>> {
        let shared = Path::new("/dev/shm");
        let temporary = if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() };
        let folder = tempfile::tempdir_in(temporary)?;
        let kilobytes = MEMORY[1] >> 10;
        let status = Command::new("sh")
            .args(["-c", &format!("ulimit -v {kilobytes}; exec \"$@\""), "sh"])
            .arg(std::env::current_exe()?)
            .args(["work", target.name, care.name(), &wanted.to_string()])
            .args([&self.corpus, &self.out])
            .arg(&self.commit)
            .env("TMPDIR", folder.path())
            .stdin(Stdio::null())
            .status()?;
        Ok(match status.code() {
            Some(0) => None,
            Some(HANG) => Some("hangs".into()),
            _ => Some(status.to_string()),
        })
    }

    /// Keeps the input that killed a process and steps over its chunk.
    fn keep(&self, target: &Target, how: &str, tell: &dyn Fn(&str)) -> Result<()> {
        let bytes = fs::read(self.current(target)).unwrap_or_default();
        let path = self.fail(target, &bytes, how)?;
        tell(&format!("{:14} {how}: {}", target.name, path.display()));
        let chunk = Figures::read(&self.figures())?.of(target.name).chunks;
        let mut line = Line::new(&self.commit, target.name, chunk);
        line.failures = 1;
        line.append(&self.figures())
    }

    /// Writes down an input that fails.
    fn fail(&self, target: &Target, bytes: &[u8], how: &str) -> Result<PathBuf> {
        let hash = bytes.iter().fold(0, |hash, &byte| derive(hash, byte.into()));
        let path = self.out.join("failures").join(format!("{}-{hash:016x}", target.name));
        fs::write(&path, bytes)?;
        fs::write(path.with_extension("txt"), how)?;
        Ok(path)
    }

    /// Works on a target in this process until it has been executed so often, or with care on the next
    /// chunk alone.
    ///
    /// # Errors
    /// When seeds cannot be read or figures not be written.
    pub fn work(&self, target: &'static Target, care: Care, wanted: u64) -> Result<()> {
        limit_memory();
        // Readers work side by side where there is much to do; here there never is.
        rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global()?;
        catch_quietly();
        let seeds = self.seeds(target)?;
        let executed = watch();
        let before = Figures::read(&self.figures())?.of(target.name);
        let (mut done, mut number) = (before.executions, before.chunks);
        while done < wanted {
            let mut line = Line::new(&self.commit, target.name, number);
            let start = processor_time();
            let mut chunk = Chunk::new(target, number, &seeds);
            while line.executions < CHUNK.min(wanted - done) && line.failures < ENOUGH {
                let bytes = chunk.next();
                if care == Care::OneChunk {
                    fs::write(self.current(target), &bytes)?;
                }
                let answer = execute(target, &bytes, &mut line.slowest);
                line.executions += target.kind.many();
                executed.fetch_add(1, Relaxed);
                match answer {
                    Ok(answer) => chunk.keep(bytes, answer),
                    Err(said) => {
                        line.failures += 1;
                        self.fail(target, &bytes, &said)?;
                    }
                }
            }
            line.time = processor_time().saturating_sub(start);
            line.append(&self.figures())?;
            (done, number) = (done + line.executions, number + 1);
            if line.failures >= ENOUGH || care == Care::OneChunk {
                break;
            }
        }
        Ok(())
    }

    /// Runs one input; the panic of a failure is the caller's.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn replay(target: &Target, path: &Path) -> Result<()> {
        let bytes = fs::read(path).with_context(|| path.display().to_string())?;
        (target.run)(&bytes);
        Ok(())
    }

    /// Runs every seed of every target in this process.
    ///
    /// # Errors
    /// When there are none of a target.
    pub fn replay_corpus(&self) -> Result<usize> {
        let mut many = 0;
        for target in TARGETS {
            for bytes in self.seeds(target)? {
                (target.run)(&bytes);
                many += 1;
            }
        }
        for entry in fs::read_dir(&self.corpus)? {
            let name = entry?.file_name();
            let known = name.to_str().is_some_and(|name| crate::target(name).is_some());
            if !known {
                bail!("there is no target for the seeds in {}", name.display());
            }
        }
        Ok(many)
    }
}

/// Whether inputs are written down before they are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// They are not, and all chunks are run.
    None,
    /// They are, and one chunk is run.
    OneChunk,
}

impl Care {
    fn name(self) -> &'static str {
        match self {
            Care::None => "all",
            Care::OneChunk => "one-chunk",
        }
    }

    /// What [`Campaign::run`] tells the processes that it starts.
    pub fn parse(word: &str) -> Option<Self> {
        [Care::None, Care::OneChunk].into_iter().find(|care| care.name() == word)
    }
}

/// Executes a target once, and tells what its panic said if there was one. Asking for processor time
/// costs more than many executions, so that what the clock shows to be slow is executed again for it.
fn execute(target: &Target, bytes: &[u8], slowest: &mut Duration) -> Result<u64, String> {
    let run = || catch_unwind(AssertUnwindSafe(|| (target.run)(bytes))).map_err(|_| SAID.take());
    let start = Instant::now();
    let answer = run();
    if start.elapsed() > *slowest && answer.is_ok() {
        let before = thread_time();
        run()?;
        *slowest = (*slowest).max(thread_time().saturating_sub(before));
    }
    answer
}

/// The inputs of one chunk.
struct Chunk {
    random: Random,
    pool: Vec<Vec<u8>>,
    answers: HashSet<u64>,
    /// The seeds that are still to be run as they are, in the first chunk.
    plain: usize,
    /// The number of the next case, for a comparison with the truth.
    case: Option<u64>,
}

impl Chunk {
    fn new(target: &Target, number: u64, seeds: &[Vec<u8>]) -> Self {
        let key = target.name.bytes().fold(0, |key, byte| derive(key, byte.into()));
        Self {
            random: Random::new(derive(key, number)),
            pool: seeds.to_vec(),
            answers: HashSet::new(),
            plain: if number == 0 { seeds.len() } else { 0 },
            case: (target.kind != Kind::Reader).then_some((key >> 8) + number * CHUNK),
        }
    }

    fn next(&mut self) -> Vec<u8> {
        if let Some(plain) = self.plain.checked_sub(1) {
            self.plain = plain;
            return self.pool[plain].clone();
        }
        match &mut self.case {
            Some(case) => {
                *case += 1;
                case.to_le_bytes().to_vec()
            }
            None => mutate(&self.pool, &mut self.random),
        }
    }

    fn keep(&mut self, bytes: Vec<u8>, answer: u64) {
        if self.case.is_none() && self.pool.len() < POOL && self.answers.insert(answer) {
            self.pool.push(bytes);
        }
    }
}

thread_local! {
    /// What the last panic said.
    static SAID: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Panics are kept, not printed.
fn catch_quietly() {
    set_hook(Box::new(|panic| {
        let _ = SAID.try_with(|said| said.replace(panic.to_string()));
    }));
}

/// Limits the memory of this process as `--max-memory` does.
pub fn limit_memory() {
    gsn_cli::limit_memory(Some(Bytes(MEMORY[0])));
}

/// Ends this process when an execution takes too long; the number is to be raised after each.
fn watch() -> Arc<AtomicU64> {
    let executed = Arc::new(AtomicU64::new(0));
    let seen = executed.clone();
    std::thread::spawn(move || {
        let (mut last, mut since) = (0, processor_time());
        loop {
            std::thread::sleep(Duration::from_millis(200));
            let (now, time) = (seen.load(Relaxed), processor_time());
            if now != last {
                (last, since) = (now, time);
            } else if time.saturating_sub(since) > PATIENCE {
                std::process::exit(HANG);
            }
        }
    });
    executed
}

fn processor_time() -> Duration {
    duration(ClockId::ProcessCPUTime)
}

fn thread_time() -> Duration {
    duration(ClockId::ThreadCPUTime)
}

fn duration(clock: ClockId) -> Duration {
    clock_gettime(clock).try_into().unwrap_or_default()
}
