//! The container of a `.gsn` file: a safetensors file whose metadata carry a card and a checksum.
//!
//! Every safetensors reader can open it for the weights. Eight bytes give the length of a JSON
//! header, tensors follow. In the header's `__metadata__` stand `gsn` (the network's
//! configuration), `gsn-model` (format number, program and card) and `gsn-sha256`: the sha256 of
//! the whole file with these 64 letters replaced by zeros, so that every bit is covered.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// Number of the format that this program writes, and the newest that it reads.
pub const FORMAT: u64 = 1;

const META: &str = "__metadata__";
const CARD: &str = "gsn-model";
const SUM: &str = "gsn-sha256";
const BLANK: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// The largest header of any safetensors file.
const MOST_HEADER: u64 = 100_000_000;

/// Puts a card into a safetensors file.
pub(super) fn pack(weights: &[u8], card: &Value) -> Result<Vec<u8>, String> {
    let (header, tensors) = cut(weights)?;
    let mut header: Map<String, Value> =
        serde_json::from_slice(header).map_err(|e| format!("the weights' header: {e}"))?;
    let meta = header.entry(META).or_insert_with(|| json!({}));
    let meta = meta.as_object_mut().ok_or("the weights' metadata are no object")?;
    let program = format!("gsn {}", env!("CARGO_PKG_VERSION"));
    let card = json!({ "format": FORMAT, "program": program, "card": card });
    meta.insert(CARD.into(), Value::String(card.to_string()));
    meta.insert(SUM.into(), Value::String(BLANK.into()));
    let mut text = serde_json::to_vec(&header).map_err(|e| e.to_string())?;
    // Tensors start at a multiple of eight bytes.
    text.resize(text.len().next_multiple_of(8), b' ');
    let mut out = (text.len() as u64).to_le_bytes().to_vec();
    out.extend(text);
    out.extend_from_slice(tensors);
    let sum = checksum(&out);
    let at = sum_place(&out).ok_or("the checksum has no place")?;
    out[at..at + BLANK.len()].copy_from_slice(sum.as_bytes());
    Ok(out)
}

/// The card of a file, after every check: what it is, its version, its length, its checksum.
pub(super) fn unpack(bytes: &[u8]) -> Result<Value, String> {
    let (text, tensors) = cut(bytes)?;
    let header: Map<String, Value> = serde_json::from_slice(text).map_err(|_| {
        if text.windows(CARD.len()).any(|w| w == CARD.as_bytes()) {
            "is damaged: its header is not JSON any more".to_owned()
        } else {
            "is not a gsn model file".to_owned()
        }
    })?;
    let text_of = |key: &str| header.get(META)?.get(key)?.as_str();
    let card = text_of(CARD).ok_or_else(|| match text_of("gsn") {
        Some(_) => "is a checkpoint of a run, not a model file; predict needs the .gsn file that \
                    training writes"
            .to_owned(),
        None => "holds tensors, but is not a gsn model file".to_owned(),
    })?;
    // The version first: a later program may have changed everything behind it.
    let card: Value = serde_json::from_str(card)
        .map_err(|e| format!("is damaged: its card is not JSON ({e})"))?;
    let format = card["format"].as_u64().ok_or("is damaged: it does not say its format")?;
    if format > FORMAT {
        let program = card["program"].as_str().unwrap_or("a later program");
        return Err(format!(
            "has format {format}, written by {program}; this program (gsn {}) reads formats up \
             to {FORMAT}: install a newer one",
            env!("CARGO_PKG_VERSION")
        ));
    }
    let end = |tensor: &Value| tensor["data_offsets"][1].as_u64();
    let wanted = header.iter().filter(|(key, _)| *key != META).filter_map(|(_, t)| end(t)).max();
    let (wanted, there) = (wanted.unwrap_or(0), tensors.len() as u64);
    if there < wanted {
        return Err(format!("is cut short: {} of its bytes are missing", wanted - there));
    }
    if there > wanted {
        return Err(format!("is damaged: {} bytes follow its end", there - wanted));
    }
    let told = text_of(SUM).ok_or("is damaged: it has no checksum")?.to_owned();
    if told != checksum(bytes) {
        return Err("is damaged: its contents do not fit its checksum".into());
    }
    Ok(card["card"].clone())
}

/// Header and tensors.
fn cut(bytes: &[u8]) -> Result<(&[u8], &[u8]), String> {
    let Some((length, rest)) = bytes.split_first_chunk::<8>() else {
        return Err(match bytes.len() {
            0 => "is empty".into(),
            n => format!("is not a gsn model file: it has only {n} bytes"),
        });
    };
    let length = u64::from_le_bytes(*length);
    if length > MOST_HEADER || rest.first() != Some(&b'{') {
        return Err("is not a gsn model file: it does not begin like one".into());
    }
    if length > rest.len() as u64 {
        let missing = length - rest.len() as u64;
        return Err(format!("is cut short: at least {missing} of its bytes are missing"));
    }
    Ok(rest.split_at(length as usize))
}

/// Where the 64 letters of the checksum stand.
fn sum_place(bytes: &[u8]) -> Option<usize> {
    let (header, _) = cut(bytes).ok()?;
    let key = format!("\"{SUM}\":\"");
    let at = header.windows(key.len()).position(|w| w == key.as_bytes())?;
    let start = 8 + at + key.len();
    (start + BLANK.len() <= bytes.len()).then_some(start)
}

fn checksum(bytes: &[u8]) -> String {
    let mut hash = Sha256::new();
    match sum_place(bytes) {
        Some(at) => {
            hash.update(&bytes[..at]);
            hash.update(BLANK);
            hash.update(&bytes[at + BLANK.len()..]);
        }
        None => hash.update(bytes),
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsn_nn::{Model, ModelConfig};

    fn weights() -> Vec<u8> {
        let config: ModelConfig = serde_json::from_str(
            r#"{ "inputs": { "vertex": { "data": { "categories": { "sizes": [3] } },
                 "encode": "one-hot" } },
                 "network": { "kind": "gsn", "form": "gin", "layers": [ { "width": 4 } ] },
                 "outputs": 1 }"#,
        )
        .unwrap();
        Model::<f32>::new(config, 7).unwrap().to_bytes().unwrap()
    }

    fn file() -> Vec<u8> {
        pack(&weights(), &json!({ "name": "test", "licence": "CC0" })).unwrap()
    }

    fn refused(bytes: &[u8]) -> String {
        unpack(bytes).unwrap_err()
    }

    #[test]
    fn a_file_comes_back_and_is_still_a_safetensors_file() {
        let bytes = file();
        assert_eq!(unpack(&bytes).unwrap()["licence"], "CC0");
        let (a, b) = (
            Model::<f32>::from_bytes(&bytes).unwrap(),
            Model::<f32>::from_bytes(&weights()).unwrap(),
        );
        assert_eq!(a.params().values(), b.params().values());
    }

    #[test]
    fn other_files_are_no_models() {
        assert_eq!(refused(b""), "is empty");
        assert!(refused(b"PAR1").contains("only 4 bytes"));
        assert!(refused(b"smiles,y\nCCO,1.0\nCCN,2.0\n").contains("does not begin like one"));
        assert!(refused(&weights()).contains("checkpoint of a run"));
        let other = br#"{"__metadata__":{}}     "#;
        let mut bytes = (other.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(other);
        assert_eq!(refused(&bytes), "holds tensors, but is not a gsn model file");
    }

    #[test]
    fn newer_formats_are_refused_by_number() {
        let bytes = file();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        // The network's own header has a format, too; ours comes last.
        let at = text.rfind(r#"format\":1"#).unwrap();
        let mut newer = bytes.clone();
        newer[at + r#"format\":"#.len()] = b'9';
        let reason = refused(&newer);
        assert!(reason.starts_with("has format 9, written by gsn "), "{reason}");
    }

    #[test]
    fn files_that_are_cut_short_say_so() {
        let bytes = file();
        for length in [9, 100, 500, bytes.len() / 2, bytes.len() - 1] {
            let reason = refused(&bytes[..length]);
            assert!(reason.starts_with("is cut short"), "{length}: {reason}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert_eq!(refused(&longer), "is damaged: 1 bytes follow its end");
    }

    #[test]
    fn every_single_flipped_bit_is_noticed() {
        let bytes = file();
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut bad = bytes.clone();
                bad[at] ^= 1 << bit;
                assert!(unpack(&bad).is_err(), "bit {bit} of byte {at}");
            }
        }
    }
}
