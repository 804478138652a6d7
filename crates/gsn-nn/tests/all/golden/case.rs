//! One golden case: a safetensors file and the json beside it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, SafeTensors};
use serde_json::Value;

/// A tensor as f64 (integers are exact there).
#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    pub(crate) shape: Vec<usize>,
    pub(crate) integer: bool,
    pub(crate) data: Vec<f64>,
}

impl Tensor {
    pub(crate) fn rows(&self) -> usize {
        self.shape.first().copied().unwrap_or(1)
    }
    pub(crate) fn cols(&self) -> usize {
        if self.rows() == 0 {
            self.shape[1..].iter().product()
        } else {
            self.data.len() / self.rows()
        }
    }
}

pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) json: Value,
    pub(crate) tensors: BTreeMap<String, Tensor>,
}

impl Case {
    pub(crate) fn get(&self, name: &str) -> &Tensor {
        self.tensors.get(name).unwrap_or_else(|| panic!("{}: no tensor {name}", self.name))
    }
    pub(crate) fn hyper(&self, key: &str) -> &Value {
        &self.json["hyper"][key]
    }
    /// Tensors whose names start with `prefix`, with the rest of the name.
    pub(crate) fn under<'a>(
        &'a self,
        prefix: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a Tensor)> {
        self.tensors.iter().filter_map(move |(k, v)| Some((k.strip_prefix(prefix)?, v)))
    }
}

fn read(path: &Path) -> Case {
    let text = std::fs::read_to_string(path).unwrap();
    let bytes = std::fs::read(path.with_extension("safetensors")).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let tensors = file.tensors().into_iter().map(|(name, t)| {
        let integer = t.dtype() == Dtype::I64;
        let data = t.data().as_chunks::<8>().0.iter();
        let data = match t.dtype() {
            Dtype::I64 => data.map(|b| i64::from_le_bytes(*b) as f64).collect(),
            Dtype::F64 => data.map(|b| f64::from_le_bytes(*b)).collect(),
            other => panic!("{name}: {other:?}"),
        };
        (name, Tensor { shape: t.shape().to_vec(), integer, data })
    });
    Case {
        name: path.file_stem().unwrap().to_string_lossy().into_owned(),
        json: serde_json::from_str(&text).unwrap(),
        tensors: tensors.collect(),
    }
}

/// Every case of the repository's `tests/golden/nn`.
pub(crate) fn all() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/nn");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "json"))
        .collect();
    files.sort();
    files.iter().map(|p| read(p)).collect()
}
