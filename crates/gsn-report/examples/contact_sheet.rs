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
use gsn_report::draw::Drawing;
use std::error::Error;
use std::fmt::Write;

const MOLECULES: usize = 60;
const SOCIAL: usize = 10;
const PATTERNS: &str = "all:5, cycle:6, cycle:8, clique:6, star:6, path:6, tree:6";
/// Width and height of a cell, and cells across.
const CELL: (usize, usize, usize) = (190, 150, 10);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [molecules, sheet, places, graphs @ ..] = &arguments[..] else {
        return Err("usage: contact_sheet MOLECULES SHEET.svg PLACES.tsv [GRAPHS]".into());
    };
    let mut drawings = Vec::new();
    let mut table = String::new();
    for smiles in spread(smiles(molecules)?, MOLECULES) {
        let drawing = Drawing::of_smiles(&smiles)?;
        let place = |p: &(f64, f64)| format!("{:.4},{:.4}", p.0, p.1);
        let all: Vec<String> = drawing.places().iter().map(place).collect();
        writeln!(table, "{smiles}\t{}", all.join(" "))?;
        drawings.push(drawing);
    }
    let patterns: PatternSet = PATTERNS.parse()?;
    drawings.extend(patterns.iter().take(30).map(|p| Drawing::of_pattern(p).with_title(p.name())));
    for graph in social(graphs.first())? {
        drawings.push(Drawing::of_graph(&graph).with_title("a social graph"));
    }
    std::fs::write(sheet, page(drawings))?;
    std::fs::write(places, table)?;
    Ok(())
}

/// Some of a list, evenly spread over it.
fn spread<T>(all: Vec<T>, some: usize) -> Vec<T> {
    let step = (all.len() / some).max(1);
    all.into_iter().step_by(step).take(some).collect()
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
    Ok(spread(found, SOCIAL))
}

/// All drawings in one grid.
fn page(drawings: Vec<Drawing>) -> String {
    let (wide, high, across) = CELL;
    let rows = drawings.len().div_ceil(across);
    let mut page = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" \
         color=\"#1f2328\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
        wide * across,
        high * rows
    );
    for (at, drawing) in drawings.into_iter().enumerate() {
        let svg = drawing.with_room(wide as f64 - 16.0, high as f64 - 16.0).svg();
        let (x, y) = (wide * (at % across) + 8, high * (at / across) + 8);
        page += &svg.replacen("<svg ", &format!("<svg x=\"{x}\" y=\"{y}\" "), 1);
    }
    page + "</svg>\n"
}
