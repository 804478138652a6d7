//! The `sh` blocks of the reference of commands and of the page on the paper's results are run, in a folder
//! that has the files they name. What would take minutes or hours is asked for in smaller numbers.

use super::{finish, folder, text};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use tempfile::TempDir;

/// The files that examples name.
const PREPARE: &str = "
printf 'name,smiles,canonical,y,logp\n' > molecules.csv
for r in C1CCCC1 C1CCCCC1 CCC c1ccccc1 C1CC1 C1CCC1 C1CCNCC1; do
  for t in C CC O N CO F; do echo \"$r$t,$r$t,$r$t,${#r}.${#t},${#t}.${#r}\"; done
done >> molecules.csv
cut -d, -f2 molecules.csv | tail -n +2 > molecules.smi
head -4 molecules.csv > new.csv
printf 'ethanol\n\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n' > molecules.sdf
printf '    0.0000    0.0000    0.0000 C   0  0\n    1.0000    0.0000    0.0000 C   0  0\n' >> molecules.sdf
printf '    2.0000    0.0000    0.0000 O   0  0\n  1  2  1  0\n  2  3  1  0\nM  END\n$$$$\n' >> molecules.sdf
mkdir moved runs && cp molecules.csv moved
gsn generate erdos-renyi --order 40 --probability 0.2 -o graph.edges -q
cp graph.edges network.txt
gzip -c graph.edges > social.txt.gz
gsn generate regular --order 12 --degree 3 --count 30 --seed 7 -o graphs.g6 -q
gsn generate regular --order 16 --degree 6 --count 10 --seed 7 -o sr25.g6 -q
gsn generate cfi --base clique:4 --pair -o pairs.g6 -q
gsn count molecules.csv -p cycle:3..=6 -o rings.parquet -q
gsn count molecules.csv -p cycle:3..=6 -o counts.parquet -q
gsn train molecules.csv --target y --epochs 1 --seeds 1 --out run -q
gsn predict run/model.gsn molecules.csv --keep canonical -o molecules.parquet -q
gsn recipes mutag-gsn-e > my-recipe.toml
printf '\"training.lr\" = { log = [1e-3, 1e-2] }\n' > space.toml
mkdir -p .zfunc .config/fish/completions .local/share/bash-completion/completions .local/share/man
";

/// What only the commands below one heading need.
const ALSO: [(&str, &str); 4] = [
    ("gsn convert", "gsn convert graphs.g6 MUTAG --to tu -q"),
    ("gsn info", "mkdir -p runs && cp -r run runs/zinc"),
    ("gsn sweep", "cp sweeps/zinc-fraction.toml mine.toml"),
    (
        "gsn report",
        "for name in mutag-gsn-e zinc-gsn-ef-100k zinc-mpnn-ef-64; do cp -r run runs/$name; done
         gsn sweep molecules.csv --target y --grid network.width=4,8 --epochs 1 --out runs/my-sweep -q
         gsn tune molecules.csv --target y --trials 2 --epochs 1 --out runs/my-search -q",
    ),
];

/// What an example asks for, and what is asked for here.
const SMALLER: [(&str, &str); 26] = [
    // Trainings.
    ("imdb-b-gsn-e --set protocol", "mutag-gsn-e --set protocol"),
    ("gsn train mutag-gsn-e", "gsn train mutag-gsn-e --epochs 1 --set training.steps-per-epoch=1"),
    ("zinc-gsn-ef-100k --seeds 2", "zinc-gsn-ef-100k"),
    ("gsn train zinc-gsn-ef-100k", "gsn train zinc-gsn-ef-100k --epochs 1 --seeds 1"),
    ("gsn train zinc", "gsn train --set training.steps-per-epoch=1 zinc"),
    ("my-recipe.toml", "my-recipe.toml --epochs 1 --set training.steps-per-epoch=1"),
    ("--epochs 50 --lr", "--lr"),
    ("--seeds 5 --final", "--seeds 2 --final"),
    ("gsn train molecules.csv", "gsn train molecules.csv --epochs 1"),
    ("sr351668", "sr16622"),
    // Sweeps: grids of trainings on ZINC are listed.
    ("gsn sweep zinc-families", "gsn sweep zinc-families --list"),
    ("zinc-families.toml", "zinc-families.toml --list"),
    ("zinc-fraction.toml", "zinc-fraction.toml --list"),
    ("gsn sweep molecules.csv", "gsn sweep molecules.csv --epochs 1"),
    ("gsn sweep zinc-gsn-ef-100k", "gsn sweep mutag-gsn-e --set training.steps-per-epoch=1"),
    ("layers=2,3,4 --epochs 50", "layers=2,3 --epochs 1"),
    // Searches.
    ("--trials 27", "--trials 2 --epochs 1"),
    ("--minutes 60", "--minutes 1 --trials 2 --epochs 1"),
    (
        "space.toml --epochs 100",
        "space.toml --epochs 1 --trials 1 --set training.steps-per-epoch=1",
    ),
    // Others.
    ("-p all:3..=5 -p cycle:6..=8", "-p cycle:3..=4"),
    ("ZINC-12k --max-size 8", "ZINC-12k --max-size 4"),
    ("reproduce zinc --quick", "reproduce sr-mpnn-sr16622 --quick"),
    ("reproduce zinc --seed", "reproduce sr-gsn-e-sr16622 --seed"),
    ("reproduce mutag-gsn-e zinc-gsn-ef-100k", "reproduce sr-mpnn-sr16622"),
    ("reproduce mutag-gsn-e", "reproduce sr-mpnn-sr16622"),
    ("man -l -", "cat"),
];

/// How commands begin that are not run, and why.
const NOT_RUN: [(&str, &str); 3] = [
    ("gsn data fetch", "downloads"),
    ("gsn data path", "names a set that has to be downloaded first"),
    ("gsn train molhiv-gsn", "trains on a set that has to be downloaded first"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs a script; what it printed, if it ended well.
fn shell(script: &str, here: &Path) -> Result<(), String> {
    let program = Path::new(env!("CARGO_BIN_EXE_gsn")).parent().unwrap();
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(program.to_owned()).chain(std::env::split_paths(&paths));
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", script]).current_dir(here);
    shell.env("PATH", std::env::join_paths(paths).unwrap());
    // The user's own files and caches are none of an example's business.
    shell.env("HOME", here).env_remove("GSN_DATA");
    for name in ["XDG_CACHE_HOME", "XDG_DATA_HOME"] {
        shell.env(name, here.join(name));
    }
    let output = finish(shell);
    let said = [output.stdout, output.stderr].concat();
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&said).into_owned()),
    }
}

/// A folder with what examples name; made once.
fn prepared() -> &'static Path {
    static PREPARED: OnceLock<TempDir> = OnceLock::new();
    PREPARED
        .get_or_init(|| {
            let made = folder(&[]);
            let root = root().display().to_string();
            let more = format!(
                "cp -r '{root}/sweeps' . && mkdir docs && cp -r '{root}/docs/results' docs"
            );
            shell(&format!("{PREPARE}{more}"), made.path()).unwrap_or_else(|said| panic!("{said}"));
            made
        })
        .path()
}

/// The commands in the `sh` blocks of a page, by heading.
fn commands(page: &str) -> Vec<(String, Vec<String>)> {
    let mut all: Vec<(String, Vec<String>)> = vec![Default::default()];
    let mut inside = false;
    for line in page.lines() {
        match line {
            "```sh" => inside = true,
            "```" => inside = false,
            _ if inside => all.last_mut().unwrap().1.push(line.to_owned()),
            _ if line.starts_with("## ") => all.push((line[3..].to_owned(), Vec::new())),
            _ => {}
        }
    }
    all.retain(|(_, commands)| !commands.is_empty());
    all
}

/// The command with less to do.
fn smaller(command: &str) -> String {
    let command = command.split(" # ").next().unwrap_or_default().trim_end().to_owned();
    SMALLER.iter().fold(command, |command, (asked, here)| command.replace(asked, here))
}

/// Runs the commands of a page, those below one heading in a folder of their own.
fn run_all(page: &str) -> usize {
    let (mut run, mut failed) = (0, String::new());
    for (heading, commands) in commands(&text(root().join(page))) {
        let own = folder(&[]);
        let copy = format!("cp -R '{}/.' .", prepared().display());
        let also = ALSO.iter().filter(|(name, _)| *name == heading).map(|(_, script)| *script);
        for script in std::iter::once(copy.as_str()).chain(also) {
            shell(script, own.path()).unwrap_or_else(|said| panic!("{heading}: {script}\n{said}"));
        }
        for command in commands {
            if NOT_RUN.iter().any(|(start, _)| command.starts_with(start)) {
                continue;
            }
            let here = smaller(&command);
            if let Err(said) = shell(&here, own.path()) {
                failed += &format!("{page}, {heading}: {command}\nas {here}\n{said}\n");
            }
            run += 1;
        }
    }
    assert!(failed.is_empty(), "{failed}");
    run
}

#[test]
fn the_examples_of_the_reference_run() {
    let run = run_all("docs/src/cli.md");
    assert!(run >= 90, "{run}");
}

#[test]
fn the_commands_that_repeat_the_paper_run() {
    let run = run_all("docs/src/reproducing.md");
    assert!(run >= 10, "{run}");
}

#[test]
fn every_exception_is_needed() {
    let pages = ["cli.md", "reproducing.md"].map(|page| text(root().join("docs/src").join(page)));
    let all: Vec<String> =
        pages.iter().flat_map(|page| commands(page)).flat_map(|(_, c)| c).collect();
    for (start, why) in NOT_RUN {
        assert!(all.iter().any(|command| command.starts_with(start)), "{start}: {why}");
    }
    let headings: Vec<String> =
        pages.iter().flat_map(|page| commands(page)).map(|(h, _)| h).collect();
    for (heading, _) in ALSO {
        assert!(headings.iter().any(|name| name == heading), "{heading}: {headings:?}");
    }
    for (at, (asked, _)) in SMALLER.iter().enumerate() {
        let before = |command: &String| {
            let plain = command.split(" # ").next().unwrap_or_default().to_owned();
            SMALLER[..at].iter().fold(plain, |c, (asked, here)| c.replace(asked, here))
        };
        assert!(all.iter().any(|command| before(command).contains(asked)), "{asked}");
    }
}
