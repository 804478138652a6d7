//! Writes the tables of `docs/src/expressivity.md`: which test tells which graphs apart.
//!
//! `cargo run --release -p gsn-lab --example expressivity -- --write` works everything out (some
//! twenty minutes of one core) and writes the page; without `--write` the page goes to standard
//! output. Words select sections: `examples`, `regular`, `brec`, `others`, `small`,
//! `cfi`; with `--write` the others stay as they are. Data is looked up in the catalogue; a section
//! whose data is missing says so.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints")]

mod brec;
mod cfi;
mod others;
mod regular;
mod small;
mod table;
mod worked;

use std::error::Error;
use std::path::Path;

/// The result of a section.
type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A part of the page: its word, its title, and what works it out.
type Section = (&'static str, &'static str, fn() -> Result<String>);

const SECTIONS: [Section; 6] = [
    ("examples", "Two textbook pairs", worked::section),
    ("regular", "Strongly regular graphs", regular::section),
    ("brec", "BREC", brec::section),
    ("others", "EXP, CEXP, CSL and all graphs of eight vertices", others::section),
    ("small", "Are counts of smaller patterns enough?", small::section),
    ("cfi", "Cai, Fürer and Immerman's graphs", cfi::section),
];

const HEAD: &str = "\
# What can be told apart

<!-- Written by: cargo run --release -p gsn-lab --example expressivity -- --write -->

For those who study expressivity: exact results for the published collections.

A test *fails* on a pair of different graphs when it gives both the same answer. Numbers are failures unless a column says
otherwise. `counts` compares the multisets of rows of a count table; `counts + 1-WL` starts colour refinement from them and is the
exact upper bound of what a Graph Substructure Network can do: from vertex counts GSN-v, from arc counts GSN-e, with any weights,
widths and depths. 2-FWL is the test that the literature on graph networks often calls 3-WL. All tests are exact except the networks
with random weights, whose results depend on seeds and thresholds. Every table is made by `gsn separate` or the functions behind it
(`gsn_lab::separate`).
";

fn main() -> Result<()> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let write = words.iter().any(|word| word == "--write");
    words.retain(|word| word != "--write");
    let path = docs().join("expressivity.md");
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    let mut page = HEAD.to_owned();
    for (word, title, work) in SECTIONS {
        let text = if words.is_empty() || words.iter().any(|asked| asked == word) {
            eprintln!("{title} …");
            let begin = std::time::Instant::now();
            let text = work().unwrap_or_else(|error| format!("Not worked out: {error}.\n"));
            eprintln!("  {:.1} s", begin.elapsed().as_secs_f64());
            text
        } else if write {
            section_of(&before, title).unwrap_or("Not worked out yet.").to_owned()
        } else {
            continue;
        };
        page += &format!("\n## {title}\n\n{}\n", text.trim());
    }
    if write {
        std::fs::write(&path, page)?;
        eprintln!("wrote {}", path.display());
    } else {
        print!("{page}");
    }
    Ok(())
}

/// The text below a title of the page as it is.
fn section_of<'a>(page: &'a str, title: &str) -> Option<&'a str> {
    let head = format!("\n## {title}\n");
    let begin = page.find(&head)? + head.len();
    let end = page[begin..].find("\n## ").map_or(page.len(), |end| begin + end);
    Some(&page[begin..end])
}

/// Where the pages are.
fn docs() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src")
}
