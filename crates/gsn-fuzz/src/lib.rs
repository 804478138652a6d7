//! Hostile input for every reader, and random cases for every kernel.
//!
//! A [`Target`] takes any bytes and must come back: with rows, with an error, never with a panic, an
//! abort or a hang, and never with a wrong count. The same targets are run
//!
//! - by a plain loop on stable Rust (`cargo xtask fuzz`, [`campaign`]), which changes the seeds in
//!   `fuzz/corpus` and keeps what gave an answer that was new,
//! - by libFuzzer (`cargo fuzz run TARGET`, see `fuzz/README.md`),
//! - on the seeds themselves and for some seconds in `cargo xtask test`.
//!
//! | file | what |
//! |---|---|
//! | `reader` | graph files of every format |
//! | `text` | patterns and recipes |
//! | `kept` | what the program wrote earlier: tables, sidecars, models, checkpoints, runs, cache |
//! | `truth` | every kernel against the oracle, and on any number of threads |
//! | `mutate` | how bytes are changed |
//! | `campaign` | the loop, one process a target |
//! | `figures` | how much has been run, and the table of it |
//! | `seeds` | what the corpus is made from |

pub mod campaign;
pub mod figures;
mod kept;
mod mutate;
mod reader;
pub mod seeds;
mod text;
mod truth;

use gsn_core::count::differential::GRAPHS;

/// What a target is about, which decides how often a long run calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bytes from outside.
    Reader,
    /// Numbers of random cases.
    Truth,
    /// The same by several threads, who spend most of the time waking each other.
    Threads,
}

impl Kind {
    /// What one execution counts as: an input, or the graphs of a case.
    fn many(self) -> u64 {
        match self {
            Kind::Reader => 1,
            Kind::Truth | Kind::Threads => GRAPHS as u64,
        }
    }
}

/// Something that must survive any bytes.
pub struct Target {
    /// Its name, which is that of its folder of seeds as well.
    pub name: &'static str,
    /// What it is about.
    pub kind: Kind,
    /// Works on the bytes; the number stands for what came of them.
    pub run: fn(&[u8]) -> u64,
}

const fn reader(name: &'static str, run: fn(&[u8]) -> u64) -> Target {
    Target { name, kind: Kind::Reader, run }
}

/// All of them.
pub const TARGETS: &[Target] = &[
    reader("graph6", |bytes| reader::read("graph6", bytes)),
    reader("sparse6", |bytes| reader::read("sparse6", bytes)),
    reader("edge-list", |bytes| reader::read("edge-list", bytes)),
    reader("gin", |bytes| reader::read("gin", bytes)),
    reader("graphml", |bytes| reader::read("graphml", bytes)),
    reader("gml", |bytes| reader::read("gml", bytes)),
    reader("node-link", |bytes| reader::read("node-link", bytes)),
    reader("matrix-market", |bytes| reader::read("matrix-market", bytes)),
    reader("dimacs", |bytes| reader::read("dimacs", bytes)),
    reader("csv", |bytes| reader::read("csv", bytes)),
    reader("tsv", |bytes| reader::read("tsv", bytes)),
    reader("smi", |bytes| reader::read("smi", bytes)),
    reader("sdf", |bytes| reader::read("sdf", bytes)),
    reader("parquet", |bytes| reader::read("parquet", bytes)),
    reader("arrow", |bytes| reader::read("arrow", bytes)),
    reader("arrow-stream", |bytes| reader::read("arrow-stream", bytes)),
    reader("tu", reader::tu),
    reader("detect", reader::detect),
    reader("patterns", text::patterns),
    reader("recipe", text::recipe),
    reader("table", kept::table),
    reader("sidecar", kept::sidecar),
    reader("model", kept::model),
    reader("checkpoint", kept::checkpoint),
    reader("run-folder", kept::run_folder),
    reader("cache", kept::cache),
    Target { name: "kernels", kind: Kind::Truth, run: truth::kernels },
    Target { name: "threads", kind: Kind::Threads, run: truth::threads },
];

/// The target of this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// Runs a target once.
///
/// # Panics
/// If there is no such target, or if it fails.
pub fn run(name: &str, bytes: &[u8]) -> u64 {
    let target = target(name).expect("a target that there is");
    (target.run)(bytes)
}

/// A number for an answer in words; numbers and names in it do not count.
fn said(words: &str) -> u64 {
    let letters =
        words.bytes().filter(|byte| byte.is_ascii_alphabetic() || *byte == b' ').take(120);
    letters.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
