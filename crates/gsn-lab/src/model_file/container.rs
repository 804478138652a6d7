//! The container of a `.gsn` file: a safetensors file whose metadata carry a card and a checksum.
//!
//! Every safetensors reader can open it for the weights. Eight bytes give the length of a JSON
//! header, tensors follow. In the header's `__metadata__` stand `gsn` (the network's
//! configuration), `gsn-model` (format number, program and card) and `gsn-sha256`: the sha256 of
//! the whole file with these 64 letters replaced by zeros, so that every bit is covered.
//!
//! A file with several members has their tensors and configurations side by side, each under
//! `member-N.` and its own name.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// The newest format that this program reads. A file gets the oldest number that can say what it
/// holds: 1 for one network, 2 for several members or a calibration.
pub const FORMAT: u64 = 2;

const META: &str = "__metadata__";
const CARD: &str = "gsn-model";
const SUM: &str = "gsn-sha256";
const BLANK: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// The largest header of any safetensors file.
const MOST_HEADER: u64 = 100_000_000;

/// One safetensors file with the weights of all members and a card. Format 1 has one member.
pub(super) fn pack(weights: &[Vec<u8>], card: &Value, format: u64) -> Result<Vec<u8>, String> {
    let (mut header, tensors) = match weights {
        [one] => {
            let (header, tensors) = cut(one)?;
            (object(header)?, tensors.to_vec())
        }
        several => join(several)?,
    };
    let meta = header.entry(META).or_insert_with(|| json!({}));
    let meta = meta.as_object_mut().ok_or("the weights' metadata are no object")?;
    let program = format!("gsn {}", env!("CARGO_PKG_VERSION"));
    let card = json!({ "format": format, "program": program, "card": card });
    meta.insert(CARD.into(), Value::String(card.to_string()));
    meta.insert(SUM.into(), Value::String(BLANK.into()));
    let mut out = file(&header, &tensors)?;
    let sum = checksum(&out);
    let at = sum_place(&out).ok_or("the checksum has no place")?;
    out[at..at + BLANK.len()].copy_from_slice(sum.as_bytes());
    Ok(out)
}

/// A safetensors file of these pieces.
fn file(header: &Map<String, Value>, tensors: &[u8]) -> Result<Vec<u8>, String> {
    let mut text = serde_json::to_vec(header).map_err(|e| e.to_string())?;
    // Tensors start at a multiple of eight bytes.
    text.resize(text.len().next_multiple_of(8), b' ');
    let mut out = (text.len() as u64).to_le_bytes().to_vec();
    out.extend(text);
    out.extend_from_slice(tensors);
    Ok(out)
}

fn object(header: &[u8]) -> Result<Map<String, Value>, String> {
    serde_json::from_slice(header).map_err(|e| format!("the weights' header: {e}"))
}

/// What stands before the names of a member's tensors.
fn prefix(member: usize) -> String {
    format!("member-{member}.")
}

/// Header and tensors of several safetensors files in one.
fn join(files: &[Vec<u8>]) -> Result<(Map<String, Value>, Vec<u8>), String> {
    let mut pieces = Vec::new();
    let mut meta = Map::new();
    for (at, bytes) in files.iter().enumerate() {
        let (header, tensors) = cut(bytes)?;
        for (name, value) in object(header)? {
            match value {
                Value::Object(texts) if name == META => {
                    meta.extend(texts.into_iter().map(|(k, v)| (prefix(at) + &k, v)));
                }
                tensor => pieces.push((prefix(at) + &name, piece(&tensor, tensors)?, tensor)),
            }
        }
    }
    Ok(laid_out(meta, pieces))
}

/// A tensor's name, bytes and entry in the header.
type Piece<'a> = (String, &'a [u8], Value);

/// Tensors one behind the other, those of eight-byte numbers first, so that all are aligned.
fn laid_out(meta: Map<String, Value>, mut pieces: Vec<Piece<'_>>) -> (Map<String, Value>, Vec<u8>) {
    let is_narrow = |tensor: &Value| !matches!(tensor["dtype"].as_str(), Some("I64" | "F64"));
    pieces.sort_by_cached_key(|(name, _, tensor)| (is_narrow(tensor), name.clone()));
    let mut header = Map::from_iter([(META.to_owned(), Value::Object(meta))]);
    let mut out = Vec::new();
    for (name, bytes, mut tensor) in pieces {
        let start = out.len();
        out.extend_from_slice(bytes);
        tensor["data_offsets"] = json!([start, out.len()]);
        header.insert(name, tensor);
    }
    (header, out)
}

/// The bytes of a tensor.
fn piece<'a>(tensor: &Value, tensors: &'a [u8]) -> Result<&'a [u8], String> {
    let end = |at: usize| tensor["data_offsets"][at].as_u64().and_then(|n| n.try_into().ok());
    let range = end(0).zip(end(1)).and_then(|(start, end): (usize, usize)| tensors.get(start..end));
    range.ok_or_else(|| "is damaged: a tensor lies outside of it".to_owned())
}

/// The weights of every member, each as a safetensors file of its own.
pub(super) fn members(bytes: &[u8], count: usize) -> Result<Vec<Vec<u8>>, String> {
    let (text, tensors) = cut(bytes)?;
    let mut header = object(text)?;
    let texts = header.remove(META).unwrap_or_default();
    let mut files: Vec<(Map<String, Value>, Vec<Piece<'_>>)> = Vec::new();
    files.resize_with(count.min(header.len()), Default::default);
    let of = |name: &str| -> Option<(usize, String)> {
        let (member, name) = name.strip_prefix("member-")?.split_once('.')?;
        Some((member.parse().ok()?, name.to_owned()))
    };
    let lost = |name: &str| format!("is damaged: `{name}` belongs to no member");
    for (name, tensor) in header {
        let (member, short) = of(&name).ok_or_else(|| lost(&name))?;
        let (_, pieces) = files.get_mut(member).ok_or_else(|| lost(&name))?;
        pieces.push((short, piece(&tensor, tensors)?, tensor));
    }
    for (name, text) in texts.as_object().into_iter().flatten() {
        if let Some((member, short)) = of(name)
            && let Some((meta, _)) = files.get_mut(member)
        {
            meta.insert(short, text.clone());
        }
    }
    if files.len() < count {
        return Err(format!("is damaged: it names {count} members, but holds {}", files.len()));
    }
    let made = files.into_iter().map(|(meta, pieces)| {
        let (header, tensors) = laid_out(meta, pieces);
        file(&header, &tensors)
    });
    made.collect()
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

    fn weights(seed: u64) -> Vec<u8> {
        let config: ModelConfig = serde_json::from_str(
            r#"{ "inputs": { "vertex": { "data": { "categories": { "sizes": [3] } },
                 "encode": "one-hot" } },
                 "network": { "kind": "gsn", "form": "gin", "layers": [ { "width": 4 } ] },
                 "outputs": 1 }"#,
        )
        .unwrap();
        Model::<f32>::new(config, seed).unwrap().to_bytes().unwrap()
    }

    fn file() -> Vec<u8> {
        pack(&[weights(7)], &json!({ "name": "test", "licence": "CC0" }), 1).unwrap()
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
            Model::<f32>::from_bytes(&weights(7)).unwrap(),
        );
        assert_eq!(a.params().values(), b.params().values());
    }

    #[test]
    fn members_come_back_bit_for_bit() {
        let all = [weights(1), weights(2), weights(3)];
        let bytes = pack(&all, &json!({ "name": "three" }), 2).unwrap();
        assert_eq!(unpack(&bytes).unwrap()["name"], "three");
        for (found, written) in members(&bytes, 3).unwrap().iter().zip(&all) {
            let [found, written] = [found, written].map(|b| Model::<f32>::from_bytes(b).unwrap());
            assert_eq!(found.params().values(), written.params().values());
            assert_eq!(found.config(), written.config());
        }
        assert!(members(&bytes, 2).unwrap_err().contains("belongs to no member"));
        assert!(
            members(&bytes, 4)
                .unwrap()
                .pop()
                .is_some_and(|b| Model::<f32>::from_bytes(&b).is_err())
        );
        assert!(members(&bytes, usize::MAX).unwrap_err().contains("members"));
        assert!(members(&file(), 1).unwrap_err().contains("belongs to no member"));
    }

    #[test]
    fn a_tensor_outside_of_the_file_is_refused() {
        let bytes = pack(&[weights(1), weights(2)], &json!({}), 2).unwrap();
        let (text, tensors) = cut(&bytes).unwrap();
        let mut header = object(text).unwrap();
        let name = header.keys().find(|name| *name != META).unwrap().clone();
        header[&name]["data_offsets"] = json!([0, u64::MAX]);
        let wrong = super::file(&header, tensors).unwrap();
        assert!(members(&wrong, 2).unwrap_err().contains("outside"));
    }

    #[test]
    fn other_files_are_no_models() {
        assert_eq!(refused(b""), "is empty");
        assert!(refused(b"PAR1").contains("only 4 bytes"));
        assert!(refused(b"smiles,y\nCCO,1.0\nCCN,2.0\n").contains("does not begin like one"));
        assert!(refused(&weights(7)).contains("checkpoint of a run"));
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
