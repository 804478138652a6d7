//! Checkpoints: the bytes of one safetensors file, tensors under the names a PyTorch user expects,
//! with the [`ModelConfig`] in its metadata. Reading needs nothing but the bytes and refuses what
//! does not fit: another format, another configuration's tensors, lost precision.

use std::collections::{HashMap, HashSet};

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};

use crate::config::ModelConfig;
use crate::error::{Error, Result};
use crate::model::{Model, outline};
use crate::params::{Entry, Params};
use crate::scalar::Scalar;

/// Key of our entry in the file's metadata.
const KEY: &str = "gsn";
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Header {
    format: u32,
    config: ModelConfig,
}

impl<T: Scalar> Model<T> {
    /// Parameters, running statistics and configuration as the bytes of a safetensors file.
    ///
    /// # Errors
    /// If the tensors cannot be laid out.
    ///
    /// ```
    /// use gsn_nn::config::{Form, GsnConfig, GsnLayer, Input, Inputs};
    /// use gsn_nn::{Model, ModelConfig};
    /// let network = GsnConfig::new(Form::Gin, vec![GsnLayer::new(16)]);
    /// let config = ModelConfig::new(Inputs::new(Input::values(3)), network, 1);
    /// let model = Model::<f32>::new(config, 7)?;
    /// let again = Model::<f32>::from_bytes(&model.to_bytes()?)?;
    /// assert_eq!(again.params().values(), model.params().values());
    /// # Ok::<(), gsn_nn::Error>(())
    /// ```
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.encode().map_err(Error::Checkpoint)
    }

    /// Reads a model that [`Model::to_bytes`] wrote.
    ///
    /// # Errors
    /// If the bytes are not a checkpoint, are damaged, or the tensors do not fit the configuration.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::decode(bytes).map_err(Error::Checkpoint)
    }

    fn encode(&self) -> Result<Vec<u8>, String> {
        let p = self.params();
        let header = Header { format: FORMAT, config: self.config().clone() };
        let header = serde_json::to_string(&header).map_err(|e| e.to_string())?;
        let dtype = if T::NAME == "F32" { Dtype::F32 } else { Dtype::F64 };
        let mut raw: Vec<(&str, Dtype, Vec<usize>, Vec<u8>)> = Vec::new();
        for (entries, values) in [(&p.entries, &p.values), (&p.buffer_entries, &p.buffers)] {
            for e in entries {
                let mut bytes = Vec::with_capacity(8 * e.len);
                values[e.offset..e.offset + e.len].iter().for_each(|x| x.write_le(&mut bytes));
                raw.push((&e.name, dtype, e.shape.clone(), bytes));
            }
        }
        for (name, count) in &p.counters {
            raw.push((name, Dtype::I64, vec![], count.to_le_bytes().to_vec()));
        }
        let views: Result<Vec<_>, _> = raw
            .iter()
            .map(|(name, dtype, shape, bytes)| {
                TensorView::new(*dtype, shape.clone(), bytes).map(|v| (*name, v))
            })
            .collect();
        let views = views.map_err(|e| e.to_string())?;
        let metadata = HashMap::from([(KEY.to_string(), header)]);
        safetensors::serialize(views, Some(metadata)).map_err(|e| e.to_string())
    }

    fn decode(bytes: &[u8]) -> Result<Self, String> {
        let not_ours = |e: &dyn std::fmt::Display| format!("is not a safetensors file: {e}");
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|e| not_ours(&e))?;
        let tensors = SafeTensors::deserialize(bytes).map_err(|e| not_ours(&e))?;
        let header = metadata.metadata().as_ref().and_then(|m| m.get(KEY));
        let header = header.ok_or("holds tensors but no gsn configuration")?;
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let version: Version =
            serde_json::from_str(header).map_err(|e| format!("has a damaged header: {e}"))?;
        if version.format != FORMAT {
            let v = version.format;
            return Err(format!("has format {v}; this program reads format {FORMAT}"));
        }
        let header: Header = serde_json::from_str(header)
            .map_err(|e| format!("has a configuration that does not parse: {e}"))?;
        check_size(&header.config, bytes.len())?;
        // Shapes are compared before a number is allocated: the tensors lie in the file.
        let outline = outline::<T>(&header.config).map_err(not_sensible)?;
        check_tensors(&outline, &tensors)?;
        let mut model = Model::filled(header.config, 0);
        let p = model.params_mut();
        for (entries, values) in [(&p.entries, &mut p.values), (&p.buffer_entries, &mut p.buffers)]
        {
            for e in entries {
                read(&tensors, e, &mut values[e.offset..e.offset + e.len])?;
            }
        }
        for (name, count) in &mut p.counters {
            let t = tensors.tensor(name).map_err(|_| format!("lacks the tensor {name}"))?;
            let bytes: [u8; 8] = t
                .data()
                .try_into()
                .map_err(|_| format!("has {name}, which is not one 64-bit integer"))?;
            *count = i64::from_le_bytes(bytes);
        }
        Ok(model)
    }
}

fn not_sensible(error: Error) -> String {
    format!("does not make sense: {error}")
}

/// Refuses a configuration that could not have so few bytes of tensors: layers and columns are
/// counted before any of them is built.
fn check_size(config: &ModelConfig, bytes: usize) -> Result<(), String> {
    let pieces = config.pieces();
    if pieces > bytes.max(1 << 16) {
        return Err(format!("has {bytes} bytes, too few for the {pieces} pieces of its network"));
    }
    Ok(())
}

/// Are the tensors exactly those of the outline, in name and shape?
fn check_tensors<T: Scalar>(outline: &Params<T>, tensors: &SafeTensors<'_>) -> Result<(), String> {
    let mut left: HashSet<&str> = tensors.names().into_iter().collect();
    for e in outline.entries.iter().chain(&outline.buffer_entries) {
        let t = tensors.tensor(&e.name).map_err(|_| format!("lacks the tensor {}", e.name))?;
        if t.shape() != e.shape {
            let (got, want) = (t.shape(), &e.shape);
            return Err(format!(
                "has {} in shape {got:?}; the configuration asks for {want:?}",
                e.name
            ));
        }
        left.remove(e.name.as_str());
    }
    for (name, _) in &outline.counters {
        left.remove(name.as_str());
    }
    match left.into_iter().min() {
        Some(name) => Err(format!("has the tensor {name}, which its configuration does not know")),
        None => Ok(()),
    }
}

/// Reads one tensor; `f32` may become `f64`, not the other way round.
fn read<T: Scalar>(tensors: &SafeTensors<'_>, e: &Entry, to: &mut [T]) -> Result<(), String> {
    let t = tensors.tensor(&e.name).map_err(|_| format!("lacks the tensor {}", e.name))?;
    match (t.dtype(), T::NAME) {
        (Dtype::F32, _) => {
            for (x, b) in to.iter_mut().zip(t.data().as_chunks::<4>().0) {
                *x = T::from_f64(f64::from(f32::from_le_bytes(*b)));
            }
        }
        (Dtype::F64, "F64") => {
            for (x, b) in to.iter_mut().zip(t.data().as_chunks::<8>().0) {
                *x = T::from_f64(f64::from_le_bytes(*b));
            }
        }
        (dtype, name) => {
            return Err(format!(
                "has {} in {dtype:?}, which cannot be read as {name} without loss",
                e.name
            ));
        }
    }
    Ok(())
}
