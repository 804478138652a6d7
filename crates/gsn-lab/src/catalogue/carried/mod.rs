//! The sets that the program carries, so that it works without a network: MUTAG, ZINC-12k, BREC,
//! CSL and the strongly regular graphs.
//!
//! A carried file has the path that the catalogue gives it and, unpacked, the same bytes, so that
//! it is verified and read like any other. CSL is generated and ZINC-12k is rebuilt from SMILES;
//! the rest is stored. `data/NOTICE.md` in this crate names sources and terms. Without the cargo
//! feature `carried-data` nothing is carried, without `chemistry` not ZINC-12k.

mod csl;
mod zinc;

use crate::error::{Error, Result};

/// Lists stored files by their path below `data`.
#[cfg(feature = "carried-data")]
macro_rules! stored {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_bytes!(concat!("../../../data/", $path)))),*]
    };
}

/// Stored files: path and bytes, packed if the path ends in `.gz`.
#[cfg(feature = "carried-data")]
const STORED: &[(&str, &[u8])] = stored![
    "brec/brec.g6",
    "brec/categories.tsv",
    "csl/CSL_test.index",
    "csl/CSL_train.index",
    "csl/CSL_val.index",
    "sr/sr16622.g6",
    "sr/sr251256.g6",
    "sr/sr261034.g6",
    "sr/sr281264.g6",
    "sr/sr291467.g6",
    "sr/sr351668.g6",
    "sr/sr351899.g6",
    "sr/sr361446.g6",
    "sr/sr401224.g6",
    "tud/MUTAG/MUTAG.txt.gz",
    "tud/MUTAG/MUTAG_bonds.txt.gz",
    "tud/MUTAG/10fold_idx/test_idx-1.txt",
    "tud/MUTAG/10fold_idx/test_idx-2.txt",
    "tud/MUTAG/10fold_idx/test_idx-3.txt",
    "tud/MUTAG/10fold_idx/test_idx-4.txt",
    "tud/MUTAG/10fold_idx/test_idx-5.txt",
    "tud/MUTAG/10fold_idx/test_idx-6.txt",
    "tud/MUTAG/10fold_idx/test_idx-7.txt",
    "tud/MUTAG/10fold_idx/test_idx-8.txt",
    "tud/MUTAG/10fold_idx/test_idx-9.txt",
    "tud/MUTAG/10fold_idx/test_idx-10.txt",
    "tud/MUTAG/10fold_idx/train_idx-1.txt",
    "tud/MUTAG/10fold_idx/train_idx-2.txt",
    "tud/MUTAG/10fold_idx/train_idx-3.txt",
    "tud/MUTAG/10fold_idx/train_idx-4.txt",
    "tud/MUTAG/10fold_idx/train_idx-5.txt",
    "tud/MUTAG/10fold_idx/train_idx-6.txt",
    "tud/MUTAG/10fold_idx/train_idx-7.txt",
    "tud/MUTAG/10fold_idx/train_idx-8.txt",
    "tud/MUTAG/10fold_idx/train_idx-9.txt",
    "tud/MUTAG/10fold_idx/train_idx-10.txt",
    "zinc12k/zinc12k.csv.gz",
];

#[cfg(not(feature = "carried-data"))]
const STORED: &[(&str, &[u8])] = &[];

/// Whether [`file`] gives anything for `path`.
pub(super) fn has(path: &str) -> bool {
    made(path).is_some() || stored(path).is_some()
}

/// The unpacked bytes of a carried file, by its path in the catalogue without `.gz`; `None` if
/// the program does not carry it.
///
/// # Errors
/// When the carried bytes are damaged, which means that the program is.
pub fn file(path: &str) -> Result<Option<Vec<u8>>> {
    if let Some(make) = made(path) {
        return make().map(Some);
    }
    let Some((name, bytes)) = stored(path) else { return Ok(None) };
    if !name.ends_with(".gz") {
        return Ok(Some(bytes.to_vec()));
    }
    let mut unpacked = Vec::with_capacity(bytes.len() * 4);
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(*bytes), &mut unpacked)
        .map_err(|e| Error::file(path, format!("the carried copy is damaged ({e})")))?;
    Ok(Some(unpacked))
}

fn stored(path: &str) -> Option<&'static (&'static str, &'static [u8])> {
    STORED.iter().find(|(name, _)| name.strip_suffix(".gz").unwrap_or(name) == path)
}

/// How the file `path` is made, if it is not stored as it is.
fn made(path: &str) -> Option<fn() -> Result<Vec<u8>>> {
    if !cfg!(feature = "carried-data") {
        return None;
    }
    Some(match path {
        "csl/csl.g6" => csl::graphs,
        "csl/csl_labels.txt" => csl::labels,
        // The rest is rebuilt from SMILES.
        _ if !cfg!(feature = "chemistry") => return None,
        "zinc12k/zinc12k_train.txt" => || zinc::part("train"),
        "zinc12k/zinc12k_val.txt" => || zinc::part("val"),
        "zinc12k/zinc12k_test.txt" => || zinc::part("test"),
        _ => return None,
    })
}
