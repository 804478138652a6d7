//! Columns of numbers in little space that are quick to read.
//!
//! A column is cut into chunks of [`CHUNK`] numbers. A chunk is kept as the differences from its
//! smallest number in 0, 1, 2, 4 or 8 bytes each, or, if that is shorter, as a list of its distinct
//! numbers (256 at most) and a byte for each. Both sides cost about a nanosecond a number.

/// Numbers in a chunk.
pub(super) const CHUNK: usize = 1024;

/// The way of a chunk that lists its distinct numbers.
const LISTED: u8 = 16;

/// One packed column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Packed {
    /// For each chunk: bytes per number, or [`LISTED`].
    pub(super) ways: Vec<u8>,
    /// For each chunk: its smallest number, or how many distinct ones there are.
    pub(super) bases: Vec<u64>,
    /// The chunks one after the other.
    pub(super) data: Vec<u8>,
    /// Where each chunk starts in `data`.
    starts: Vec<usize>,
}

/// A column in the making.
#[derive(Default)]
pub(super) struct Packer {
    packed: Packed,
    pending: Vec<u64>,
}

impl Packer {
    pub(super) fn push(&mut self, number: u64) {
        self.pending.push(number);
        if self.pending.len() == CHUNK {
            self.close();
        }
    }

    pub(super) fn finish(mut self) -> Packed {
        if !self.pending.is_empty() {
            self.close();
        }
        self.packed
    }

    fn close(&mut self) {
        let Packed { ways, bases, data, starts } = &mut self.packed;
        let numbers = &self.pending;
        let low = numbers.iter().copied().min().unwrap_or(0);
        let spread = numbers.iter().copied().max().unwrap_or(0) - low;
        let way: u8 = match spread {
            0 => 0,
            1..=0xff => 1,
            0x100..=0xffff => 2,
            0x1_0000..=0xffff_ffff => 4,
            _ => 8,
        };
        starts.push(data.len());
        if way > 1
            && let Some(list) = listed(numbers)
            && 8 * list.len() + numbers.len() < usize::from(way) * numbers.len()
        {
            ways.push(LISTED);
            bases.push(list.len() as u64);
            list.iter().for_each(|number| data.extend(number.to_le_bytes()));
            let place = |number: &u64| list.binary_search(number).unwrap_or_default() as u8;
            data.extend(numbers.iter().map(place));
        } else {
            ways.push(way);
            bases.push(low);
            for number in numbers {
                data.extend_from_slice(&(number - low).to_le_bytes()[..usize::from(way)]);
            }
        }
        self.pending.clear();
    }
}

/// The distinct numbers in order, if a byte can tell them apart.
fn listed(numbers: &[u64]) -> Option<Vec<u64>> {
    let mut list = numbers.to_vec();
    list.sort_unstable();
    list.dedup();
    (list.len() <= 256).then_some(list)
}

impl Packed {
    /// A column out of its parts; `None` if they do not make `rows` numbers.
    pub(super) fn new(ways: Vec<u8>, bases: Vec<u64>, data: Vec<u8>, rows: usize) -> Option<Self> {
        if ways.len() != rows.div_ceil(CHUNK) || bases.len() != ways.len() {
            return None;
        }
        let mut starts = Vec::with_capacity(ways.len());
        let mut at = 0usize;
        for (chunk, (&way, &base)) in ways.iter().zip(&bases).enumerate() {
            let numbers = CHUNK.min(rows - chunk * CHUNK);
            starts.push(at);
            let bytes = match way {
                0 | 1 | 2 | 4 | 8 => usize::from(way) * numbers,
                LISTED if base <= 256 => {
                    let list = 8 * base as usize;
                    let places = data.get(at + list..at + list + numbers)?;
                    if places.iter().any(|&place| u64::from(place) >= base) {
                        return None;
                    }
                    list + numbers
                }
                _ => return None,
            };
            at += bytes;
        }
        (at == data.len()).then_some(Self { ways, bases, data, starts })
    }

    /// Hands the numbers of `rows` to `put`, with their place in the range. Sums of what was packed are
    /// never too large; those of a forged file must not stop the program.
    pub(super) fn read(&self, rows: std::ops::Range<usize>, mut put: impl FnMut(usize, u64)) {
        let mut row = rows.start;
        while row < rows.end {
            let (chunk, from) = (row / CHUNK, row % CHUNK);
            let n = (CHUNK - from).min(rows.end - row);
            let (base, data) = (self.bases[chunk], &self.data[self.starts[chunk]..]);
            let first = row - rows.start;
            match self.ways[chunk] {
                0 => (0..n).for_each(|i| put(first + i, base)),
                1 => {
                    let bytes = data[from..from + n].iter();
                    bytes
                        .enumerate()
                        .for_each(|(i, &byte)| put(first + i, base.wrapping_add(u64::from(byte))));
                }
                2 => each(&data[2 * from..2 * (from + n)], |i, bytes| {
                    put(first + i, base.wrapping_add(u64::from(u16::from_le_bytes(bytes))));
                }),
                4 => each(&data[4 * from..4 * (from + n)], |i, bytes| {
                    put(first + i, base.wrapping_add(u64::from(u32::from_le_bytes(bytes))));
                }),
                8 => each(&data[8 * from..8 * (from + n)], |i, bytes| {
                    put(first + i, base.wrapping_add(u64::from_le_bytes(bytes)));
                }),
                _ => {
                    let (list, places) = data.split_at(8 * base as usize);
                    let list = list.as_chunks::<8>().0;
                    for (i, &place) in places[from..from + n].iter().enumerate() {
                        put(first + i, u64::from_le_bytes(list[usize::from(place)]));
                    }
                }
            }
            row += n;
        }
    }
}

fn each<const N: usize>(data: &[u8], mut put: impl FnMut(usize, [u8; N])) {
    for (i, &bytes) in data.as_chunks::<N>().0.iter().enumerate() {
        put(i, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packed(numbers: &[u64]) -> Packed {
        let mut packer = Packer::default();
        numbers.iter().for_each(|&number| packer.push(number));
        packer.finish()
    }

    fn numbers() -> impl Strategy<Value = Vec<u64>> {
        let number = prop_oneof![
            Just(7u64),
            0..300u64,
            0..70_000u64,
            0..5_000_000_000u64,
            any::<u64>(),
            (0..200u64).prop_map(|n| n * 1_000_003),
        ];
        // Runs of one kind, so that chunks differ.
        let run = (number.clone(), 0..1500usize, any::<bool>());
        prop::collection::vec(run, 0..5).prop_map(|runs| {
            let mut all = Vec::new();
            for (number, length, grows) in runs {
                let step = u64::from(grows);
                all.extend((0..length as u64).map(|i| number.wrapping_add(i % 190 * step)));
            }
            all
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn what_is_packed_comes_back(numbers in numbers(), cut in any::<(prop::sample::Index, prop::sample::Index)>()) {
            let packed = packed(&numbers);
            let Packed { ways, bases, data, .. } = packed.clone();
            let again = Packed::new(ways, bases, data, numbers.len()).unwrap();
            prop_assert_eq!(&again, &packed);
            let (a, b) = (cut.0.index(numbers.len() + 1), cut.1.index(numbers.len() + 1));
            let rows = a.min(b)..a.max(b);
            let mut read = vec![0; rows.len()];
            again.read(rows.clone(), |i, number| read[i] = number);
            prop_assert_eq!(&read[..], &numbers[rows]);
        }

        #[test]
        fn parts_that_do_not_fit_are_refused(ways in prop::collection::vec(any::<u8>(), 0..4), bases in prop::collection::vec(any::<u64>(), 0..4), data in prop::collection::vec(any::<u8>(), 0..3000), rows in 0..4000usize) {
            if let Some(packed) = Packed::new(ways, bases, data, rows) {
                packed.read(0..rows, |_, _| ());
            }
        }
    }

    #[test]
    fn few_distinct_numbers_take_a_byte_each() {
        let numbers: Vec<u64> = (0..CHUNK as u64).map(|i| i % 5 * 1_000_000).collect();
        assert_eq!(packed(&numbers).data.len(), 5 * 8 + CHUNK);
        assert!(packed(&[3; 5000]).data.is_empty());
    }
}
