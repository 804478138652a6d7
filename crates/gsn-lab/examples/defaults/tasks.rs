//! The tasks of the study: small sets from what is at hand, each as a file of a user's own.

use crate::Result;
use flate2::read::GzDecoder;
use gsn_core::random::derive;
use gsn_lab::user_data::{self, Options, Report, split::Split};
use gsn_lab::{Dataset, Sample};
use std::io::Read;
use std::path::{Path, PathBuf};

/// A file, and how it may be cut.
pub(crate) struct Task {
    /// Its name in the tables.
    pub(crate) name: &'static str,
    /// What is predicted, in a few words.
    pub(crate) what: &'static str,
    path: PathBuf,
    /// How it is cut.
    pub(crate) splits: &'static [&'static str],
}

/// Graphs of a small task at most, and of a large one: all active molecules of HIV and as many others.
const GRAPHS: usize = 480;
const MANY: usize = 2880;

impl Task {
    /// The data, cut in one way; a random cut depends on the seed.
    pub(crate) fn load(&self, split: &str, seed: u64) -> Result<(Dataset, Report)> {
        let options = Options::default()
            .with_split(split.parse::<Split>()?)
            .with_shares("60/20/20".parse()?)
            .with_seed(seed);
        Ok(user_data::load(&self.path, &options)?)
    }
}

/// The small tasks and the large ones, written as files into `folder`, from the benchmark sets in
/// `data`.
pub(crate) fn tasks(data: &Path, folder: &Path) -> Result<(Vec<Task>, Vec<Task>)> {
    const MOLECULES: &[&str] = &["random", "scaffold"];
    const GRAPHS_ONLY: &[&str] = &["stratified"];
    let zinc = table(&data.join("zinc12k/zinc12k_smiles.csv.gz"))?;
    let hiv = table(&data.join("ogbg-molhiv/HIV.csv.gz"))?;
    let rows = |table: &[Vec<String>], smiles: usize, target: usize, key: u64| {
        let mut rows: Vec<(String, String)> =
            table.iter().map(|row| (row[smiles].clone(), row[target].clone())).collect();
        shuffle(&mut rows, key);
        rows
    };
    let molecules = |name, what, rows: &[(String, String)]| -> Result<Task> {
        let path = folder.join(format!("{name}.csv"));
        let lines = rows.iter().map(|(smiles, y)| format!("{smiles},{y}\n"));
        std::fs::write(&path, format!("smiles,y\n{}", lines.collect::<String>()))?;
        Ok(Task { name, what, path, splits: MOLECULES })
    };
    let mut by_class = rows(&hiv, 0, 2, 1);
    by_class.sort_by_key(|(_, active)| active == "0");
    let actives = by_class.iter().filter(|(_, active)| active == "1").count();
    let balanced = |half: usize| {
        let mut rows = [&by_class[..half], &by_class[actives..actives + half]].concat();
        // Scaffolds of one size are dealt in the order of the file.
        shuffle(&mut rows, 6);
        rows
    };
    let mut graphs_only = Vec::new();
    for (name, set) in [("mutag", "MUTAG"), ("ptc", "PTC"), ("nci1", "NCI1")] {
        let path = folder.join(format!("{name}.gin"));
        let text = std::fs::read_to_string(data.join(format!("tud/{set}/{set}.txt")))?;
        std::fs::write(&path, some_graphs(&text)?)?;
        graphs_only.push(Task { name, what: "class", path, splits: GRAPHS_ONLY });
    }
    // The Wiener index grows with the cube of a chain's length, so large molecules lie far out.
    let plain = &rows(&hiv, 0, 2, 2)[..GRAPHS + 40];
    let given = molecules("wiener", "Wiener index / 1000 of HIV molecules", plain)?;
    let (read, _) = given.load("random", 0)?;
    let kept: Vec<(String, String)> = read
        .samples
        .iter()
        .filter(|sample| sample.graph.order() < 80)
        .map(|sample| (plain[sample.row as usize].0.clone(), format!("{:.3}", wiener(sample))))
        .take(GRAPHS)
        .collect();
    let (logp, sa) = (rows(&zinc, 4, 5, 3), rows(&zinc, 4, 6, 4));
    let mut small = vec![
        molecules("hiv", "active against HIV, balanced", &balanced(GRAPHS / 2))?,
        molecules("logp", "logP of ZINC molecules", &logp[..GRAPHS])?,
        molecules("sa", "ease of synthesis of ZINC molecules", &sa[..GRAPHS])?,
        molecules("wiener", "Wiener index / 1000 of HIV molecules", &kept)?,
    ];
    small.extend(graphs_only);
    let mut large = vec![
        molecules("large hiv", "active against HIV, balanced", &balanced(MANY / 2))?,
        molecules("large logp", "logP of ZINC molecules", &logp[..MANY])?,
        molecules("large sa", "ease of synthesis of ZINC molecules", &sa[..MANY])?,
    ];
    large.iter_mut().for_each(|task| task.splits = &["random"]);
    Ok((small, large))
}

/// The rows of a compressed table below its header.
fn table(path: &Path) -> Result<Vec<Vec<String>>> {
    let file = std::fs::File::open(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text)?;
    let row = |line: &str| line.split(',').map(|cell| cell.trim().to_owned()).collect();
    Ok(text.lines().skip(1).filter(|line| !line.is_empty()).map(row).collect())
}

fn shuffle<T>(items: &mut [T], key: u64) {
    for i in (1..items.len()).rev() {
        items.swap(i, (derive(key, i as u64) % (i as u64 + 1)) as usize);
    }
}

/// Some graphs of a file in GIN's format.
fn some_graphs(text: &str) -> Result<String> {
    let mut lines = text.lines().skip(1);
    let mut graphs: Vec<String> = Vec::new();
    while let Some(head) = lines.next() {
        let vertices: usize = head.split(' ').next().unwrap_or_default().parse()?;
        let rows = lines.by_ref().take(vertices).map(|line| format!("{line}\n"));
        graphs.push(format!("{head}\n{}", rows.collect::<String>()));
    }
    shuffle(&mut graphs, 5);
    graphs.truncate(GRAPHS);
    Ok(format!("{}\n{}", graphs.len(), graphs.concat()))
}

/// Σ of distances over pairs of atoms, in thousands.
fn wiener(sample: &Sample) -> f64 {
    let graph = &sample.graph;
    let mut sum = 0usize;
    for start in 0..graph.order() as u32 {
        let mut distance = vec![None; graph.order()];
        distance[start as usize] = Some(0usize);
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(v) = queue.pop_front() {
            let next = distance[v as usize].unwrap_or(0) + 1;
            for &u in graph.neighbors(v) {
                if distance[u as usize].is_none() {
                    distance[u as usize] = Some(next);
                    sum += next;
                    queue.push_back(u);
                }
            }
        }
    }
    sum as f64 / 2000.0
}
