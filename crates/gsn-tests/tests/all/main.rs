//! The program against what others have published: files, counts, sizes of networks, and which
//! graphs can be told apart.
#![allow(clippy::print_stdout)] // a failing test lists what differs

mod catalogue;
mod files;
mod graphs;
mod molecules;
mod parameters;
mod recipe_keys;
mod reference_counts;
mod results;
mod separate;
mod separation;
mod suggest;

use gsn_lab::catalogue::Store;
use gsn_tests::benchmarks;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// The sets in `GSN_DATA`, and no others.
fn store() -> Store {
    Store::at(benchmarks())
}

/// Lines of a file, unpacked when its name ends in `gz`.
fn lines(file: &Path) -> impl Iterator<Item = String> + use<> {
    let raw = std::fs::File::open(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let reader: Box<dyn BufRead> = if file.extension().is_some_and(|e| e == "gz") {
        Box::new(BufReader::new(flate2::read::MultiGzDecoder::new(raw)))
    } else {
        Box::new(BufReader::new(raw))
    };
    reader.lines().map(Result::unwrap)
}
