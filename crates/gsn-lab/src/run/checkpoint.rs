//! A unit's state as one file.
//!
//! Layout: 8 bytes of magic, the length of a JSON header (u64, little endian), the header, the
//! pieces whose lengths it names (model, best model, optimiser's memory), and the SHA-256 of all
//! before. One file, so that no two pieces can be of different ages. Reading refuses what is
//! damaged or of another unit. Cost: about four times the parameters.

use crate::error::Result;
use crate::train::state::{OptimiserState, ScheduleState};
use crate::train::{Best, Row, State};
use gsn_nn::Model;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::sync::Arc;

const MAGIC: &[u8; 8] = b"gsnrun\x01\n";

#[derive(Serialize, Deserialize)]
struct Header {
    unit: String,
    epoch: u64,
    step: u64,
    done: bool,
    lr: f64,
    loss_sum: f64,
    loss_graphs: u64,
    pace: ScheduleState,
    curve: Vec<Row>,
    best: Option<(u64, f64)>,
    optimiser_steps: u64,
    /// Steps and length of the mean of the weights, which comes last, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    average: Option<(u64, usize)>,
    /// Lengths: model, best model, first and second memory of the optimiser.
    pieces: [usize; 4],
}

impl State {
    /// The state as bytes; `unit` names whose it is.
    ///
    /// # Errors
    /// If the model cannot be laid out.
    pub fn to_bytes(&self, unit: &str) -> Result<Vec<u8>> {
        let raw = |x: &[f32]| x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        let best = self.best.as_ref();
        let (optimiser_steps, first, second) = match &self.optimiser {
            OptimiserState::Adam(adam) => {
                let (steps, first, second) = adam.state();
                (steps, raw(first), raw(second))
            }
            OptimiserState::Sgd(sgd) => (0, raw(sgd.state()), Vec::new()),
        };
        let kept = best.and_then(|b| b.model.as_ref()).map(|m| m.to_bytes()).transpose()?;
        let pieces = [self.model.to_bytes()?, kept.unwrap_or_default(), first, second];
        let average = self.average.as_ref().map(|a| (a.steps, raw(&a.mean)));
        let header = Header {
            unit: unit.to_string(),
            epoch: self.epoch,
            step: self.step,
            done: self.done,
            lr: self.lr(),
            loss_sum: self.loss_sum,
            loss_graphs: self.loss_graphs,
            pace: self.pace.clone(),
            curve: self.curve.clone(),
            best: best.map(|b| (b.epoch, b.value)),
            optimiser_steps,
            average: average.as_ref().map(|(steps, piece)| (*steps, piece.len())),
            pieces: [0, 1, 2, 3].map(|i| pieces[i].len()),
        };
        let header = serde_json::to_vec(&header)
            .map_err(|e| crate::Error::Training(format!("{unit}: state cannot be written: {e}")))?;
        let mut out = MAGIC.to_vec();
        out.extend((header.len() as u64).to_le_bytes());
        out.extend(header);
        pieces.iter().for_each(|piece| out.extend(piece));
        average.iter().for_each(|(_, piece)| out.extend(piece));
        let digest = Sha256::digest(&out);
        out.extend(digest);
        Ok(out)
    }

    /// Takes up what [`State::to_bytes`] gave; `self` is the unit's state at the start.
    ///
    /// # Errors
    /// In words that follow the file's name, if the bytes are damaged or of something else.
    pub fn restore(&mut self, unit: &str, bytes: &[u8]) -> Result<(), String> {
        let (header, mut rest) = open(unit, bytes)?;
        let mut take = |len: usize| {
            let (piece, left) = rest.split_at_checked(len).ok_or_else(damaged)?;
            rest = left;
            Ok::<_, String>(piece)
        };
        let [model, best, first, second] = header.pieces;
        let [model, best, first, second] = [take(model)?, take(best)?, take(first)?, take(second)?];
        let read = |bytes: &[u8]| Model::<f32>::from_bytes(bytes).map_err(|e| e.to_string());
        let model = read(model)?;
        if model.config() != self.model.config() {
            return Err("holds another network than the recipe describes".into());
        }
        self.model = model;
        let kept = (!best.is_empty()).then(|| read(best)).transpose()?.map(Arc::new);
        self.best = header.best.map(|(epoch, value)| Best { epoch, value, model: kept });
        let numbers = |bytes: &[u8]| -> Vec<f32> {
            bytes.as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b)).collect()
        };
        match &mut self.optimiser {
            OptimiserState::Adam(adam) => adam
                .restore(header.optimiser_steps, numbers(first), numbers(second))
                .map_err(|e| e.to_string())?,
            OptimiserState::Sgd(sgd) => sgd.restore(numbers(first)),
        }
        match (&mut self.average, header.average) {
            (None, None) => {}
            (Some(average), Some((steps, length))) => {
                let mean = numbers(take(length)?);
                if mean.len() != average.mean.len() {
                    return Err(damaged());
                }
                (average.steps, average.mean) = (steps, mean);
            }
            _ => return Err("does not agree with the recipe on a mean of the weights".into()),
        }
        if std::mem::discriminant(&self.pace) != std::mem::discriminant(&header.pace) {
            return Err("has another schedule than the recipe".into());
        }
        self.pace = header.pace;
        self.set_lr(header.lr);
        (self.epoch, self.step, self.done) = (header.epoch, header.step, header.done);
        (self.loss_sum, self.loss_graphs) = (header.loss_sum, header.loss_graphs);
        self.curve = header.curve;
        Ok(())
    }
}

/// The finished epochs of a saved state, and whether it is done.
pub(super) fn peek(unit: &str, bytes: &[u8]) -> Result<(Vec<Row>, bool), String> {
    open(unit, bytes).map(|(header, _)| (header.curve, header.done))
}

fn damaged() -> String {
    "is damaged; delete it to start this unit again".to_string()
}

/// The header and what follows it, after all checks.
fn open<'a>(unit: &str, bytes: &'a [u8]) -> Result<(Header, &'a [u8]), String> {
    let (body, digest) = bytes.split_last_chunk::<32>().ok_or_else(damaged)?;
    let rest = body.strip_prefix(MAGIC).ok_or("is not a checkpoint of this version")?;
    if Sha256::digest(body).as_slice() != digest {
        return Err(damaged());
    }
    let (len, rest) = rest.split_first_chunk::<8>().ok_or_else(damaged)?;
    let len = usize::try_from(u64::from_le_bytes(*len)).map_err(|_| damaged())?;
    let (header, rest) = rest.split_at_checked(len).ok_or_else(damaged)?;
    let header: Header =
        serde_json::from_slice(header).map_err(|e| format!("is of another version of gsn: {e}"))?;
    if header.unit != unit {
        return Err(format!("is of {}, not of {unit}", header.unit));
    }
    Ok((header, rest))
}
