//! TensorBoard event files: TFRecord frames around `Event` messages, just as much of both formats
//! as scalars need.
//!
//! Frame: length (u64), masked CRC-32C of the length, data, masked CRC-32C of the data.
//! `Event`: 1 wall_time (double), 2 step (int64), 3 file_version (string), 5 summary;
//! `Summary`: 1 value; `Value`: 1 tag (string), 2 simple_value (float).

/// The first record of every file.
pub(crate) fn opening(time: f64) -> Vec<u8> {
    let mut event = vec![0x09];
    event.extend(time.to_le_bytes());
    bytes(&mut event, 3, b"brain.Event:2");
    record(&event)
}

/// A record with some numbers of one step.
pub(crate) fn scalars(time: f64, step: u64, values: &[(&str, f64)]) -> Vec<u8> {
    let mut summary = Vec::new();
    for (tag, value) in values {
        let mut entry = Vec::new();
        bytes(&mut entry, 1, tag.as_bytes());
        entry.push(0x15);
        entry.extend((*value as f32).to_le_bytes());
        bytes(&mut summary, 1, &entry);
    }
    let mut event = vec![0x09];
    event.extend(time.to_le_bytes());
    event.push(0x10);
    varint(&mut event, step);
    bytes(&mut event, 5, &summary);
    record(&event)
}

fn bytes(out: &mut Vec<u8>, field: u8, data: &[u8]) {
    out.push(field << 3 | 2);
    varint(out, data.len() as u64);
    out.extend(data);
}

fn varint(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

fn record(data: &[u8]) -> Vec<u8> {
    let len = (data.len() as u64).to_le_bytes();
    let mut out = len.to_vec();
    out.extend(masked(&len).to_le_bytes());
    out.extend(data);
    out.extend(masked(data).to_le_bytes());
    out
}

fn masked(data: &[u8]) -> u32 {
    crc32c(data).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// CRC with the Castagnoli polynomial, bit by bit: records are short.
fn crc32c(data: &[u8]) -> u32 {
    !data.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |c, _| (c >> 1) ^ (0x82f6_3b78 & (c & 1).wrapping_neg()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of the CRC catalogue, and a record laid out by hand.
    #[test]
    fn frames_are_as_the_format_says() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        let record = scalars(1.0, 300, &[("a", 0.5)]);
        let data = &record[12..record.len() - 4];
        assert_eq!(u64::from_le_bytes(record[..8].try_into().unwrap()), data.len() as u64);
        let mut want = vec![0x09];
        want.extend(1.0f64.to_le_bytes());
        want.extend([0x10, 0xac, 0x02, 0x2a, 10, 0x0a, 8, 0x0a, 1, b'a', 0x15]);
        want.extend(0.5f32.to_le_bytes());
        assert_eq!(data, want);
        assert!(opening(0.0).windows(13).any(|w| w == b"brain.Event:2"));
    }
}
