//! A sheet of molecules, patterns and social graphs to be looked at, and the places of the molecules' atoms for
//! `compare_rdkit.py`.
//!
//! ```sh
//! cargo run -p gsn-report --example contact_sheet -- molecules.csv.gz sheet.svg places.tsv [GRAPHS]
//! ```
//!
//! `GRAPHS` is any file or folder of graphs; without it social graphs are random ones with hubs.

use gsn_core::{Graph, PatternSet, generate};
use gsn_io::{GraphSource, ReadOptions};
use gsn_report::draw::{Drawing, Panel, grid};
use std::error::Error;
use std::fmt::Write;

/// Molecules on the sheet, and those whose places are compared.
const MOLECULES: usize = 60;
const COMPARED: usize = 2000;
const SOCIAL: usize = 10;
const PATTERNS: &str = "all:5, cycle:6, cycle:8, clique:6, star:6, path:6, tree:6";
/// Width and height of a picture, and pictures across.
const CELL: ((f64, f64), usize) = ((174.0, 134.0), 10);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [molecules, sheet, places, graphs @ ..] = &arguments[..] else {
        return Err("usage: contact_sheet MOLECULES SHEET.svg PLACES.tsv [GRAPHS]".into());
    };
    let all = smiles(molecules)?;
    let mut table = String::new();
    for smiles in spread(&all, COMPARED) {
        let drawing = Drawing::of_smiles(smiles)?;
        let place = |p: &(f64, f64)| format!("{:.4},{:.4}", p.0, p.1);
        let places: Vec<String> = drawing.places().iter().map(place).collect();
        writeln!(table, "{smiles}\t{}", places.join(" "))?;
    }
    let mut drawings: Vec<Drawing> = spread(&all, MOLECULES)
        .into_iter()
        .map(|smiles| Drawing::of_smiles(smiles))
        .collect::<Result<_, _>>()?;
    let patterns: PatternSet = PATTERNS.parse()?;
    drawings.extend(patterns.iter().take(30).map(|p| Drawing::of_pattern(p).with_title(p.name())));
    for graph in social(graphs.first())? {
        drawings.push(Drawing::of_graph(&graph).with_title("a social graph"));
    }
    let panel = |drawing| Panel { drawing, lines: Vec::new() };
    let panels: Vec<Panel> = drawings.into_iter().map(panel).collect();
    std::fs::write(sheet, grid(&panels, CELL.0, CELL.1, "a contact sheet"))?;
    std::fs::write(places, table)?;
    Ok(())
}

/// Some of a list, evenly spread over it.
fn spread<T>(all: &[T], some: usize) -> Vec<&T> {
    let step = (all.len() / some).max(1);
    all.iter().step_by(step).take(some).collect()
}

fn smiles(path: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let read = ReadOptions { keep_fields: true, ..ReadOptions::default() };
    let mut found = Vec::new();
    for row in GraphSource::open(path, &read)? {
        found.extend(row?.into_result().ok().and_then(|record| record.smiles));
    }
    Ok(found)
}

fn social(path: Option<&String>) -> Result<Vec<Graph>, Box<dyn Error>> {
    let Some(path) = path else {
        let seeds = 1..=SOCIAL as u64;
        return Ok(seeds
            .map(|seed| generate::chung_lu(60, 2.5, 4.0, seed))
            .collect::<Result<_, _>>()?);
    };
    let mut found = Vec::new();
    for row in GraphSource::open(path, &ReadOptions::default())? {
        found.extend(row?.into_result().ok().map(|record| record.graph));
    }
    Ok(spread(&found, SOCIAL).into_iter().cloned().collect())
}
