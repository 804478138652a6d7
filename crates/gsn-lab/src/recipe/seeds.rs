//! The `seeds` key: a number or a list.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// The seeds of an experiment.
///
/// ```
/// use gsn_lab::recipe::Seeds;
/// #[derive(serde::Deserialize)]
/// struct Recipe { seeds: Seeds }
/// let read = |text| toml::from_str::<Recipe>(text).unwrap().seeds;
/// assert_eq!(read("seeds = 3"), Seeds(vec![0, 1, 2]));
/// assert_eq!(read("seeds = [41]"), Seeds(vec![41]));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seeds(pub Vec<u64>);

impl Default for Seeds {
    /// The seed 0.
    fn default() -> Self {
        Seeds(vec![0])
    }
}

impl Serialize for Seeds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.iter().copied().eq(0..self.0.len() as u64) {
            return serializer.serialize_u64(self.0.len() as u64);
        }
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Seeds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Seeds;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of seeds (1 to 10000) or a list of different seeds")
            }

            fn visit_u64<E: de::Error>(self, n: u64) -> Result<Seeds, E> {
                match n {
                    1..=10_000 => Ok(Seeds((0..n).collect())),
                    _ => Err(E::invalid_value(de::Unexpected::Unsigned(n), &self)),
                }
            }

            fn visit_i64<E: de::Error>(self, n: i64) -> Result<Seeds, E> {
                match u64::try_from(n) {
                    Ok(n) => self.visit_u64(n),
                    Err(_) => Err(E::invalid_value(de::Unexpected::Signed(n), &self)),
                }
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Seeds, A::Error> {
                let mut seeds = Vec::new();
                while let Some(seed) = list.next_element::<u64>()? {
                    if seeds.contains(&seed) {
                        return Err(de::Error::custom(format!("seed {seed} is given twice")));
                    }
                    seeds.push(seed);
                }
                match seeds.is_empty() {
                    true => Err(de::Error::invalid_length(0, &self)),
                    false => Ok(Seeds(seeds)),
                }
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}
