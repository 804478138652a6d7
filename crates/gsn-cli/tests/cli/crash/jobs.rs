//! The commands that are disturbed, each as small as it can be and still write everything it writes.

use super::super::data::{mirror, repository};
use super::super::user_data::molecules;
use super::super::{expect, finish, gsn};
use super::{Files, files, put};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

/// A command, what it starts from, and what may differ between two runs of it.
pub(super) struct Job {
    pub(super) name: &'static str,
    /// Whether a file under its own name is that of before or the finished one, at any time.
    pub(super) is_atomic: bool,
    /// Whether it goes on with a part of an earlier run.
    pub(super) resumes_parts: bool,
    before: Files,
    command: fn(&Path) -> Command,
    mirror: Option<String>,
}

impl Job {
    fn new(name: &'static str, before: &Files, command: fn(&Path) -> Command) -> Self {
        let (is_atomic, resumes_parts) = (true, false);
        Self { name, is_atomic, resumes_parts, before: before.clone(), command, mirror: None }
    }

    /// A job that keeps notes of how far it is.
    fn long(name: &'static str, before: &Files, command: fn(&Path) -> Command) -> Self {
        Self { is_atomic: false, ..Self::new(name, before, command) }
    }

    pub(super) fn prepare(&self, folder: &Path) {
        put(folder, &self.before);
    }

    /// The command; a second time it goes on where it stands.
    pub(super) fn command(&self, folder: &Path) -> Command {
        let mut command = (self.command)(folder);
        command.env("GSN_CACHE", folder.join("cache"));
        if let Some(url) = &self.mirror {
            command.args(["--mirror", url]);
        }
        command
    }

    /// Whether a file tells when or where it was written.
    pub(super) fn varies(&self, name: &Path) -> bool {
        let is = |file: &str| name.file_name().is_some_and(|name| name == file);
        is("sessions.jsonl")
            || is("report.html")
            || is("own.json")
            || is("versions.json")
            || name.components().any(|c| c.as_os_str() == "tensorboard")
    }
}

/// Dense enough that their counts are worth an entry in the cache.
fn dense() -> String {
    let mut text = String::from("24\n");
    for i in 0..24u32 {
        let n = 26 + i % 3;
        text += &format!("{n} {}\n", i % 3);
        for v in 0..n {
            let near = |u: &u32| *u != v && (u * v + u + v) % 5 < 3 + i % 2;
            let near: Vec<String> = (0..n).filter(near).map(|u| u.to_string()).collect();
            text += &format!("0 {} {}\n", near.len(), near.join(" "));
        }
    }
    text
}

const RECIPE: &str = r#"
seeds = 2
protocol = { fixed-split = { choose = "best-validation" } }
data.set = "dense.txt"
counts = { patterns = "cycle:3..=6", scope = "vertex", matching = "subgraph" }
network = { kind = "gin", layers = 1, width = 4, readout = "sum" }
training = { batch = 8, epochs = 3, lr = 0.01, loss = "cross-entropy", metric = "accuracy" }
"#;

fn words(folder: &Path, arguments: &str) -> Command {
    let mut command = gsn(folder);
    command.args(arguments.split_whitespace());
    command
}

/// `gsn VERB`, or its resumption if the folder `out` holds `mark`.
fn or_resume(folder: &Path, first: &str, out: &str, mark: &str) -> Command {
    let (verb, _) = first.split_once(' ').expect("a verb and its arguments");
    match folder.join(out).join(mark).exists() {
        true => words(folder, &format!("{verb} --resume {out} -q")),
        false => words(folder, first),
    }
}

/// Files that commands start from: inputs, a model, and tables of an earlier run.
fn begin() -> &'static Files {
    static BEGIN: OnceLock<Files> = OnceLock::new();
    BEGIN.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        // A complete graph, a bad row, a cycle, a path, over and over.
        let graphs = "D~{\nnonsense\nEhEG\nBg\n".repeat(300);
        for (name, text) in [
            ("graphs.g6", graphs.as_str()),
            ("m.csv", &molecules()),
            ("dense.txt", &dense()),
            ("recipe.toml", RECIPE),
            ("space.toml", "'network.width' = [4, 8]\n"),
        ] {
            std::fs::write(here.join(name), text).unwrap();
        }
        let mut train = words(here, "train m.csv --target size --epochs 1 --width 4 --out run -q");
        train.env("GSN_CACHE", "off");
        assert_eq!(finish(train).status.code(), Some(1));
        std::fs::rename(here.join("run/model.gsn"), here.join("model.gsn")).unwrap();
        std::fs::remove_dir_all(here.join("run")).unwrap();
        expect(1, here, "count graphs.g6 -p clique:3 -o table.csv");
        expect(1, here, "count graphs.g6 -p clique:3 -o table.parquet");
        expect(1, here, "predict model.gsn m.csv -o said.csv --batch 2");
        std::fs::write(here.join("said.csv"), "an earlier table\n").unwrap();
        files(here)
    })
}

/// Every verb that writes.
pub(super) fn jobs() -> Vec<Job> {
    let begin = begin();
    let of = |names: &[&str]| -> Files {
        let chosen =
            |name: &Path| names.iter().any(|wanted| name.to_str().unwrap().starts_with(wanted));
        begin.iter().filter(|(name, _)| chosen(name)).map(|(n, b)| (n.clone(), b.clone())).collect()
    };
    vec![
        Job::new("count", &of(&["graphs.g6", "table.csv"]), |folder| {
            words(folder, "count graphs.g6 -p cycle:3..=5 -o table.csv --threads 2")
        }),
        Job::new("count parquet", &of(&["graphs.g6", "table.parquet"]), |folder| {
            words(folder, "count graphs.g6 -p cycle:3..=5 -o table.parquet --threads 2")
        }),
        Job::new("convert", &of(&["m.csv"]), |folder| {
            words(folder, "convert m.csv molecules.parquet")
        }),
        Job::new("predict", &of(&["m.csv", "model.gsn", "said.csv"]), |folder| {
            words(folder, "predict model.gsn m.csv -o said.csv")
        }),
        Job {
            resumes_parts: true,
            mirror: Some(mirror(repository())),
            ..Job::new("fetch", &Files::new(), |folder| words(folder, "data fetch BREC --to data"))
        },
        Job::long("train", &of(&["dense.txt", "recipe.toml"]), |folder| {
            let first = "train recipe.toml --out run --checkpoint-seconds 0 --jobs 2 -q";
            or_resume(folder, first, "run", "recipe.toml")
        }),
        Job::long("sweep", &of(&["m.csv"]), |folder| {
            let words_of = "sweep m.csv --target size --grid network.width=2,4 --epochs 1 --layers 1 --out grid -q";
            words(folder, words_of)
        }),
        Job::long("tune", &of(&["m.csv", "space.toml"]), |folder| {
            let first =
                "tune m.csv --target size --space space.toml --trials 2 --epochs 2 --out search -q";
            or_resume(folder, first, "search", "tune.json")
        }),
    ]
}
