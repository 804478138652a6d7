//! What the program wrote earlier and reads again: tables, sidecars, models, checkpoints, run folders
//! and entries of the cache. Checksums are made right again after a change, or little would be seen but
//! the checksum.

use crate::said;
use gsn_core::{CountSpec, Counts, Graph};
use gsn_io::{CountTable, GraphSource, VerifyRequest, verify};
use gsn_lab::cache::{Cache, Request, counts_of};
use gsn_lab::info::RunInfo;
use gsn_lab::model_file::ModelFile;
use gsn_lab::predict::{Predictor, Tally};
use gsn_lab::recipe::Recipe;
use gsn_lab::train::State;
use sha2::{Digest, Sha256};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::path::PathBuf;
use tempfile::TempDir;

/// The folder of this thread, and the files that it holds. An input differs from the last one in few of
/// its files, and writing takes longer than reading, so that only what differs is written and removed.
struct Place {
    folder: TempDir,
    files: BTreeMap<String, Vec<u8>>,
}

impl Place {
    fn hold(&mut self, wanted: BTreeMap<String, Vec<u8>>) -> std::io::Result<()> {
        for name in self.files.keys().filter(|name| !wanted.contains_key(*name)) {
            let mut path = self.folder.path().join(name);
            std::fs::remove_file(&path)?;
            // Folders go with their last file.
            while path.pop() && path != self.folder.path() && std::fs::remove_dir(&path).is_ok() {}
        }
        for (name, content) in &wanted {
            if self.files.get(name) != Some(content) {
                let path = self.folder.path().join(name);
                if let Some((inner, _)) = name.rsplit_once('/') {
                    std::fs::create_dir_all(self.folder.path().join(inner))?;
                }
                std::fs::write(path, content)?;
            }
        }
        self.files = wanted;
        Ok(())
    }
}

/// A folder with these files and no others, until the next call.
fn hold(files: BTreeMap<String, Vec<u8>>) -> Option<PathBuf> {
    thread_local! {
        static PLACE: RefCell<Option<Place>> = const { RefCell::new(None) };
    }
    PLACE.with_borrow_mut(|place| {
        let mut now = match place.take() {
            Some(now) => now,
            None => Place { folder: tempfile::tempdir().ok()?, files: BTreeMap::new() },
        };
        // What cannot be held, such as a file below a file, makes the next input begin anew.
        now.hold(files).ok()?;
        Some(place.insert(now).folder.path().to_owned())
    })
}

/// A folder of files in one text: `--- NAME` on a line of its own, and what stands in the file.
pub(crate) fn folder(bytes: &[u8]) -> Option<PathBuf> {
    hold(files(bytes).into_iter().map(|(name, content)| (name, content.to_vec())).collect())
}

fn files(bytes: &[u8]) -> Vec<(String, &[u8])> {
    let mut files = Vec::new();
    let mut rest = bytes;
    while let Some(behind) = rest.strip_prefix(b"--- ") {
        let end = behind.iter().position(|&byte| byte == b'\n').unwrap_or(behind.len());
        let name = String::from_utf8_lossy(&behind[..end]).into_owned();
        let content = behind.get(end + 1..).unwrap_or_default();
        let next = content.windows(5).position(|five| five == b"\n--- ");
        let (content, after) = content.split_at(next.map_or(content.len(), |at| at + 1));
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
        let inside = name.split('/').all(|part| !part.is_empty() && !part.starts_with(".."));
        if inside && name.chars().all(plain) && name.len() < 100 && files.len() < 16 {
            files.push((name, content));
        }
        rest = after;
    }
    files
}

/// A table of counts in any format.
pub(crate) fn table(bytes: &[u8]) -> u64 {
    let ending = match bytes {
        [b'P', b'K', ..] => "npz",
        [b'P', b'A', ..] => "parquet",
        [b'A', b'R', ..] => "arrow",
        _ => "csv",
    };
    let name = format!("t.{ending}");
    let Some(folder) = hold([(name.clone(), bytes.to_vec())].into()) else { return 0 };
    let table = match CountTable::open(folder.join(name)) {
        Ok(table) => table,
        Err(error) => return said(&error.to_string()),
    };
    let width = table.columns().len();
    let mut seen = 1;
    for graph in table {
        match graph {
            Ok(graph) => assert_eq!(graph.values.len(), graph.rows() * width),
            Err(error) => seen ^= said(&error.to_string()),
        }
    }
    seen
}

/// A table, its sidecar and its graphs in one text: `t.csv`, `t.csv.json` and `g.g6`.
pub(crate) fn sidecar(bytes: &[u8]) -> u64 {
    let Some(folder) = folder(bytes) else { return 0 };
    let request = VerifyRequest::new(folder.join("t.csv")).with_input(folder.join("g.g6"));
    match verify(&request) {
        Ok(report) => 1 + report.differences.len().min(3) as u64,
        Err(error) => said(&error.to_string()),
    }
}

/// A model file, and three predictions with it.
pub(crate) fn model(bytes: &[u8]) -> u64 {
    let bytes = with_checksum(bytes.to_vec());
    let file = match ModelFile::from_bytes(&bytes) {
        Ok(file) => file,
        Err(error) => return said(&error),
    };
    let predictor = match Predictor::new(file) {
        Ok(predictor) => predictor,
        Err(error) => return said(&error.to_string()),
    };
    let options = predictor.read_options(None);
    let molecules = &b"smiles\nCCO\nC1CCCC1\n"[..];
    let rows = GraphSource::from_reader("x.csv", molecules, &options);
    let mut seen = 1;
    for batch in rows.into_iter().flat_map(|rows| rows.read_batches(10)).flatten() {
        for answer in predictor.predict(batch, &mut Tally::default()) {
            seen ^= answer.said.map_or_else(|error| said(&error), |_| 7);
        }
    }
    seen
}

/// Puts the checksum into a model file where one stands.
fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    const BEFORE: &[u8] = b"\"gsn-sha256\":\"";
    let found = bytes.windows(BEFORE.len()).position(|window| window == BEFORE);
    if let Some(at) = found.map(|at| at + BEFORE.len())
        && bytes.len() >= at + 64
    {
        bytes[at..at + 64].fill(b'0');
        let sum = Sha256::digest(&bytes);
        let letters: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
        bytes[at..at + 64].copy_from_slice(letters.as_bytes());
    }
    bytes
}

/// The smallest model there is, written by format 1.
pub(crate) const MODEL: &[u8] = include_bytes!("../../../tests/golden/models/format-1.gsn");

/// The state of a training that has not begun.
pub(crate) fn state() -> State {
    let file = ModelFile::from_bytes(MODEL).expect("a model");
    let config = file.members().next().expect("a member").model.config().clone();
    let recipe = Recipe::find("mutag-gsn-e").expect("a recipe that comes with the program");
    State::new(config, recipe.training().expect("it trains"), 1).expect("a small network")
}

/// A checkpoint that a training takes up.
pub(crate) fn checkpoint(bytes: &[u8]) -> u64 {
    thread_local! {
        static FRESH: OnceCell<State> = const { OnceCell::new() };
    }
    let mut state = FRESH.with(|fresh| fresh.get_or_init(state).clone());
    let mut bytes = bytes.to_vec();
    if let Some((body, digest)) = bytes.split_last_chunk_mut::<32>() {
        digest.copy_from_slice(&Sha256::digest(body));
    }
    match state.restore("seed-0", &bytes) {
        Ok(()) => 1,
        Err(error) => said(&error),
    }
}

/// A run folder in one text.
pub(crate) fn run_folder(bytes: &[u8]) -> u64 {
    let Some(folder) = folder(bytes) else { return 0 };
    match RunInfo::of(&folder) {
        Ok(info) => 1 + info.units.len() as u64,
        Err(error) => said(&error.to_string()),
    }
}

/// The entry of a cache, which must give what was counted unless it says itself that it is right.
pub(crate) fn cache(bytes: &[u8]) -> u64 {
    thread_local! {
        static KEPT: OnceCell<Kept> = const { OnceCell::new() };
    }
    KEPT.with(|kept| {
        let kept = kept.get_or_init(Kept::new);
        let mut bytes = bytes.to_vec();
        let claims_to_be_right = !bytes.len().is_multiple_of(4);
        if let Some((body, sum)) = bytes.split_last_chunk_mut::<4>().filter(|_| claims_to_be_right)
        {
            *sum = crc32fast::hash(body).to_le_bytes();
        }
        std::fs::write(&kept.entry, &bytes).expect("a folder of our own");
        let (counts, report) = kept.counts();
        if !claims_to_be_right && bytes != kept.good {
            assert_eq!(counts, kept.truth);
        }
        report
    })
}

/// A cache with one entry.
pub(crate) struct Kept {
    cache: Cache,
    graphs: Vec<Graph>,
    spec: CountSpec,
    entry: PathBuf,
    /// The entry as it was written.
    pub(crate) good: Vec<u8>,
    truth: Vec<Counts>,
    _folder: TempDir,
}

impl Kept {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let cycle = |n: u32| Graph::from_edges(n as usize, (0..n).map(move |v| (v, (v + 1) % n)));
        let graphs = (3..9).map(|n| cycle(n).expect("a cycle")).collect();
        let spec = CountSpec::new("path:3,cycle:4".parse().expect("patterns"));
        let cache = Cache::always(folder.path());
        let (entry, good, truth) = Default::default();
        let mut kept = Self { cache, graphs, spec, entry, good, truth, _folder: folder };
        kept.truth = kept.counts().0;
        let stored = kept.cache.list().expect("a list");
        kept.entry = stored.into_iter().next().expect("an entry").path;
        kept.good = std::fs::read(&kept.entry).expect("the entry");
        // From here on entries are read only: graphs of this size are not worth writing one.
        kept.cache = Cache::at(kept._folder.path());
        kept
    }

    fn counts(&self) -> (Vec<Counts>, u64) {
        let counted = counts_of(&self.graphs, &Request::new(&self.spec), &self.cache);
        let (counts, report) = counted.expect("small graphs");
        (counts, (report.found + 4 * report.damaged.len()) as u64)
    }
}
