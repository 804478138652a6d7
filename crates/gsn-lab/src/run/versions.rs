//! `versions.json`: what a run was made with. A run is only taken up again on the same data.

use crate::dataset::{Dataset, Fold, Splits};
use gsn_nn::Features;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What a run was made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Versions {
    /// Version of gsn.
    pub gsn: String,
    /// Operating system and architecture.
    pub system: String,
    /// Name of the processor, where the system gives it.
    pub processor: String,
    /// Cores that the process may use.
    pub cores: usize,
    /// The data.
    pub data: DataVersion,
}

/// Which data a run was made with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataVersion {
    /// Name of the dataset.
    pub name: String,
    /// Graphs in it.
    pub graphs: usize,
    /// SHA-256 over graphs, features, targets and cuts.
    pub sha256: String,
}

impl Versions {
    /// Of this program, this machine and `dataset`.
    pub fn new(dataset: &Dataset) -> Self {
        let system = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
        Self {
            gsn: env!("CARGO_PKG_VERSION").into(),
            system,
            processor: processor(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            data: DataVersion {
                name: dataset.name.clone(),
                graphs: dataset.samples.len(),
                sha256: fingerprint(dataset),
            },
        }
    }
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    line.and_then(|line| line.split_once(':')).map_or("unknown", |(_, name)| name.trim()).into()
}

/// Bytes of memory that this process had at most so far, where the system tells.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(1024 * kilobytes)
}

/// Seconds of processor time that all threads of this process took so far, where the system tells.
/// Unlike the clock's, they hardly depend on what else the machine does.
pub(crate) fn processor_seconds() -> Option<f64> {
    // Ticks of a process, as the kernel shows them, are hundredths of a second on every Linux.
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in brackets, may have spaces; user and system time are fields 14 and 15.
    let (_, fields) = stat.rsplit_once(')')?;
    let times: Option<Vec<f64>> =
        fields.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse().ok()).collect();
    times.filter(|times| times.len() == 2).map(|times| times.iter().sum::<f64>() / TICKS)
}

/// The same since a moment at which so many had been taken.
pub(crate) fn processor_seconds_since(begun: Option<f64>) -> Option<f64> {
    Some(processor_seconds()? - begun?)
}

/// SHA-256 over everything a network can see of a dataset. Cost: one pass.
fn fingerprint(dataset: &Dataset) -> String {
    let mut hash = Sha256::new();
    let mut bytes: Vec<u8> = Vec::new();
    let number = |bytes: &mut Vec<u8>, n: usize| bytes.extend((n as u64).to_le_bytes());
    let features = |bytes: &mut Vec<u8>, f: &Option<Features>| match f {
        None => bytes.push(0),
        Some(Features::Categories { cols, data }) => {
            bytes.push(1);
            number(bytes, *cols);
            data.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
        }
        Some(Features::Values { cols, data }) => {
            bytes.push(2);
            number(bytes, *cols);
            data.iter().for_each(|x| bytes.extend(x.to_bits().to_le_bytes()));
        }
    };
    for sample in &dataset.samples {
        bytes.clear();
        number(&mut bytes, sample.graph.order());
        number(&mut bytes, sample.graph.arc_count());
        for (u, v) in sample.graph.arcs() {
            bytes.extend(u.to_le_bytes());
            bytes.extend(v.to_le_bytes());
        }
        features(&mut bytes, &sample.vertex);
        features(&mut bytes, &sample.arc);
        number(&mut bytes, sample.targets.len());
        sample.targets.iter().for_each(|t| bytes.extend(t.to_bits().to_le_bytes()));
        // Empty in runs of before there were such, which keep their hash.
        sample.columns.iter().for_each(|x| bytes.extend(x.to_bits().to_le_bytes()));
        sample.censoring.iter().for_each(|&side| bytes.push(side as u8));
        hash.update(&bytes);
    }
    bytes.clear();
    let fold = |bytes: &mut Vec<u8>, fold: &Fold| {
        for part in [&fold.train, &fold.validation, &fold.test] {
            number(bytes, part.len());
            part.iter().for_each(|i| bytes.extend(i.to_le_bytes()));
        }
        // Runs of before there was such a part keep their hash.
        fold.calibration.iter().for_each(|i| bytes.extend(i.to_le_bytes()));
    };
    match &dataset.splits {
        Splits::None => {}
        Splits::Fixed(one) => fold(&mut bytes, one),
        Splits::Folds(folds) => folds.iter().for_each(|f| fold(&mut bytes, f)),
    }
    hash.update(&bytes);
    hash.finalize().iter().map(|b| format!("{b:02x}")).collect()
}
