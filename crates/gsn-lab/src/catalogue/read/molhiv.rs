//! ogbg-molhiv: nine columns a vertex, three an arc, one binary target, OGB's scaffold split.
//!
//! There are two forms. Text: a file with the number of graphs, then for each `n m label`, n lines
//! of atom features and m lines `u v` with bond features. OGB's archive: a zip with every column
//! of numbers in a packed CSV file of its own, bonds listed once. Graphs carry atomic numbers and
//! kinds of bonds as labels.

use super::{Numbers, Raw, arc_rows, broken, fixed, indices, line, one_cut, one_target, within};
use crate::arrays::Arrays;
use crate::catalogue::store::Files;
use crate::dataset::{Dataset, Sample, Splits, Task};
use crate::error::{Error, Result};
use gsn_core::GraphBuilder;
use gsn_io::guard::{GuardedRead, guarded};
use gsn_nn::Features;
use gsn_nn::config::Data;
use std::io::Read;
use std::path::Path;

/// Vocabulary of each column of OGB's atoms.
const ATOM: [usize; 9] = [119, 5, 12, 12, 10, 6, 6, 2, 2];
/// Vocabulary of each column of OGB's bonds.
const BOND: [usize; 3] = [5, 6, 2];
/// More than any file in the archive holds unpacked.
const LARGEST_MEMBER: u64 = 1 << 28;

/// The set as text.
pub(super) fn text(files: &Files) -> Result<Raw> {
    let name = "molhiv_graphs.txt.gz";
    let bytes = files.bytes(name)?;
    let mut numbers = Numbers::new(files, name, &bytes);
    let mut samples = Vec::new();
    for row in 0..u64::from(numbers.whole()?) {
        let (order, edges, target) = (numbers.whole()?, numbers.whole()?, numbers.below(2)?);
        let next = |_, end| numbers.below(end);
        samples.push(sample(files, row, [order, edges, target], next)?);
    }
    if !numbers.is_at_end() {
        return Err(broken(files, name, "something follows the graphs promised"));
    }
    let part = |part: &str| indices(files, &format!("{part}_idx-0.txt"), samples.len());
    let splits = fixed(part("train")?, part("val")?, part("test")?);
    Ok(raw(files, samples, splits))
}

/// The set in the archive that OGB serves.
pub(super) fn archive(files: &Files, path: &Path) -> Result<Raw> {
    let fail = |e: &dyn std::fmt::Display| Error::file(path, format!("is not OGB's archive: {e}"));
    let file = std::fs::File::open(path).map_err(|e| Error::file(path, e))?;
    let opened = guarded(|| zip::ZipArchive::new(std::io::BufReader::new(file)));
    let mut zip = opened.map_err(|e| fail(&e))?.map_err(|e| fail(&e))?;
    // The unpacked bytes of `hiv/NAME.csv.gz`; the outer folder may have any name.
    let mut member = |name: &str| -> Result<Vec<u8>> {
        let ending = format!("/{name}.csv.gz");
        let whole = zip
            .file_names()
            .filter_map(|known| Some(known.ok()?.into_owned()))
            .find(|known| known.ends_with(&ending))
            .ok_or_else(|| fail(&format!("there is no {name}.csv.gz")))?;
        let packed =
            guarded(|| zip.by_name(&whole)).map_err(|e| fail(&e))?.map_err(|e| fail(&e))?;
        let mut bytes = Vec::new();
        GuardedRead::new(flate2::read::MultiGzDecoder::new(packed))
            .take(LARGEST_MEMBER)
            .read_to_end(&mut bytes)
            .map_err(|e| fail(&format!("{whole}: {e}")))?;
        Ok(bytes)
    };
    let names = ["num-node-list", "num-edge-list", "graph-label", "node-feat", "edge", "edge-feat"]
        .map(|name| format!("raw/{name}"));
    let columns = names.iter().map(|name| member(name)).collect::<Result<Vec<_>>>()?;
    let mut columns: Vec<Numbers> =
        names.iter().zip(&columns).map(|(name, bytes)| Numbers::new(files, name, bytes)).collect();
    let mut samples = Vec::new();
    while !columns[0].is_at_end() {
        let head = [columns[0].whole()?, columns[1].whole()?, columns[2].below(2)?];
        let next = |column: Column, end| columns[3 + column as usize].below(end);
        samples.push(sample(files, samples.len() as u64, head, next)?);
    }
    if let Some(at) = columns.iter_mut().position(|column| !column.is_at_end()) {
        return Err(broken(files, &names[at], "something follows the graphs promised"));
    }
    let mut part = |part: &str| {
        let name = format!("split/scaffold/{part}");
        Numbers::new(files, &name, &member(&name)?).rest_below(samples.len())
    };
    let splits = fixed(part("train")?, part("valid")?, part("test")?);
    Ok(raw(files, samples, splits))
}

/// The files of arrays that hold such a set.
pub(in crate::catalogue) fn to_text(arrays: &Arrays) -> Result<Vec<(String, Vec<u8>)>, String> {
    let atoms = within(arrays.vertex.as_ref(), &ATOM, "vertex")?;
    within(arrays.arc.as_ref(), &BOND, "edge")?;
    let (targets, parts, firsts) = (one_target(arrays)?, one_cut(arrays)?, arrays.vertex_starts());
    let mut text = format!("{}\n", arrays.orders.len());
    for (graph, target) in targets.into_iter().enumerate() {
        if target != 0.0 && target != 1.0 {
            return Err(format!("the target of graph {graph} is {target}, not 0 or 1"));
        }
        let edges = arrays.edges(graph)?;
        text += &format!("{} {} {target}\n", arrays.orders[graph], edges.len());
        for vertex in firsts[graph]..firsts[graph + 1] {
            text += &line(atoms.slice(vertex..vertex + 1).iter().copied());
        }
        for (u, v, bond) in edges {
            text += &line([u, v].into_iter().chain(bond.iter().copied()));
        }
    }
    let mut files = vec![("molhiv_graphs.txt".to_owned(), text.into_bytes())];
    for (name, part) in ["train", "val", "test"].into_iter().zip(parts) {
        let text: String = part.iter().map(|graph| format!("{graph}\n")).collect();
        files.push((format!("{name}_idx-0.txt"), text.into_bytes()));
    }
    Ok(files)
}

fn raw(files: &Files, samples: Vec<Sample>, splits: Splits) -> Raw {
    Raw::of(Dataset {
        name: files.entry.name.clone(),
        samples,
        task: Task::Binary(1),
        columns: Vec::new(),
        target_names: vec!["HIV_active".into()],
        vertex: Some(Data::Categories { sizes: ATOM.to_vec() }),
        arc: Some(Data::Categories { sizes: BOND.to_vec() }),
        splits,
        licence: files.licence(),
    })
}

/// What a number of a graph is.
#[derive(Clone, Copy)]
enum Column {
    Atom,
    End,
    Bond,
}

/// A graph with so many vertices and edges and this target; `next` reads the next number of a
/// column, which is below the number it is given.
fn sample(
    files: &Files,
    row: u64,
    [order, edges, target]: [u32; 3],
    mut next: impl FnMut(Column, usize) -> Result<u32>,
) -> Result<Sample> {
    let mut atoms = Vec::new();
    for _ in 0..order {
        for size in ATOM {
            atoms.push(next(Column::Atom, size)?);
        }
    }
    let order = atoms.len() / ATOM.len();
    let mut builder = GraphBuilder::undirected(order);
    // OGB numbers elements from 0 and uses the last number for anything else.
    let element = |row: &[u32]| if row[0] as usize + 1 == ATOM[0] { 0 } else { row[0] + 1 };
    builder.vertex_labels(atoms.chunks_exact(ATOM.len()).map(element).collect());
    let (mut ends, mut bonds) = (Vec::new(), Vec::new());
    for _ in 0..edges {
        let (u, v) = (next(Column::End, order)?, next(Column::End, order)?);
        ends.push((u, v));
        for size in BOND {
            bonds.push(next(Column::Bond, size)?);
        }
        // Single, double, triple, aromatic; the fifth kind, misc, holds dative bonds.
        let kind = [1, 2, 3, 4, 6][bonds[bonds.len() - BOND.len()] as usize];
        builder.labelled_edge(u, v, kind);
    }
    let fail = |what: &dyn std::fmt::Display| broken(files, &format!("graph {row}"), what);
    let graph = builder.build().map_err(|e| fail(&e))?;
    let arc = arc_rows(&graph, &ends, &bonds, BOND.len()).ok_or_else(|| fail(&"a self-loop"))?;
    let vertex = Features::Categories { cols: ATOM.len(), data: atoms };
    let targets = vec![f64::from(target)];
    Ok(Sample {
        row,
        graph,
        vertex: Some(vertex),
        arc: Some(arc),
        columns: Vec::new(),
        targets,
        censoring: Vec::new(),
    })
}
