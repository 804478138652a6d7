//! What the benchmarks share: inputs, clocks, the process that runs the peers, and tables.
//!
//! See `benches/README.md` for the benchmarks, how to run them and their results.

pub mod clock;
pub mod data;
pub mod generate;
pub mod memory;
pub mod peer;
pub mod publish;
pub mod table;

use std::path::PathBuf;

/// The allocator of the program itself, so that both are measured alike.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Where benchmarks keep their files: inside the target directory, never among the sources.
pub fn work_dir() -> PathBuf {
    // A benchmark runs as <target>/<profile>/deps/<name>.
    let target = std::env::current_exe()
        .ok()
        .and_then(|exe| exe.ancestors().nth(3).map(PathBuf::from))
        .unwrap_or_else(std::env::temp_dir);
    target.join("gsn-bench")
}

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The arguments of a benchmark, without those that cargo adds; `None` when it was started by
/// something else than `cargo bench` and should do nothing.
pub fn arguments() -> Option<Vec<String>> {
    let all: Vec<String> = std::env::args().skip(1).collect();
    all.iter()
        .any(|argument| argument == "--bench")
        .then(|| all.into_iter().filter(|argument| argument != "--bench").collect())
}

/// Whether this flag is among the arguments; it is taken out of them.
pub fn flag(arguments: &mut Vec<String>, name: &str) -> bool {
    let before = arguments.len();
    arguments.retain(|argument| argument != name);
    arguments.len() < before
}
