//! SMILES as OpenSMILES writes it, in the words that chematic reads.
//!
//! Charges may be written sign by sign (`[Fe+++]`) and ring numbers in brackets (`C%(12)`, up to
//! five digits); a branch or a part without an atom (`C()C`, `C..C`) is no SMILES. One look at every byte,
//! and a copy only of the few that are written otherwise.

use std::borrow::Cow;

/// Ring numbers that chematic knows.
const RINGS: usize = 100;

/// The same molecule in words that chematic reads.
///
/// # Errors
/// Why it is no SMILES, for the user to read.
pub(super) fn plain(smiles: &str) -> Result<Cow<'_, str>, String> {
    let bytes = smiles.as_bytes();
    let mut rewrite = false;
    for (at, &byte) in bytes.iter().enumerate() {
        let next = bytes.get(at + 1);
        match byte {
            b'(' if next == Some(&b')') => return Err(empty("branch", at)),
            b'.' if next.is_none_or(|&next| next == b'.' || next == b')') => {
                return Err(empty("part", at + 1));
            }
            b'.' if at == 0 => return Err(empty("part", 0)),
            b'%' => rewrite |= next == Some(&b'('),
            b'+' | b'-' => rewrite |= bytes.get(at + 2) == Some(&byte) && next == Some(&byte),
            _ => {}
        }
    }
    if !rewrite {
        return Ok(Cow::Borrowed(smiles));
    }
    rewritten(smiles).map(Cow::Owned)
}

fn empty(what: &str, at: usize) -> String {
    format!("a {what} without an atom at position {at}")
}

fn rewritten(smiles: &str) -> Result<String, String> {
    let mut out = String::with_capacity(smiles.len());
    let mut rings = Rings::of(smiles);
    let mut inside = false;
    let mut rest = smiles;
    while let Some(letter) = rest.chars().next() {
        let at = smiles.len() - rest.len();
        match letter {
            '[' => inside = true,
            ']' => inside = false,
            '+' | '-' if inside => {
                let signs = rest.bytes().take_while(|&byte| byte == letter as u8).count();
                if signs > 2 {
                    out += &format!("{letter}{signs}");
                    rest = &rest[signs..];
                    continue;
                }
            }
            '%' if !inside && rest[1..].starts_with('(') => {
                let wrong = || format!("the number of a ring is open at position {at}");
                let (digits, after) = rest[2..].split_once(')').ok_or_else(wrong)?;
                out += &rings.number(digits, at)?;
                rest = after;
                continue;
            }
            _ => {}
        }
        out.push(letter);
        rest = &rest[letter.len_utf8()..];
    }
    Ok(out)
}

/// Numbers for rings whose own are too large for chematic.
struct Rings {
    /// Numbers that the SMILES uses itself.
    used: [bool; RINGS],
    /// Large numbers and what stands for them.
    large: Vec<(u32, usize)>,
}

impl Rings {
    /// Looks which numbers are used. A digit that is none (an isotope, a charge) does no harm: one
    /// number less is free.
    fn of(smiles: &str) -> Self {
        let mut used = [false; RINGS];
        let bytes = smiles.as_bytes();
        for (at, &byte) in bytes.iter().enumerate() {
            let digit = |at: usize| {
                bytes
                    .get(at)
                    .filter(|byte| byte.is_ascii_digit())
                    .map(|byte| (byte - b'0') as usize)
            };
            if let Some(one) = digit(at) {
                used[one] = true;
            }
            if let (b'%', Some(tens), Some(ones)) = (byte, digit(at + 1), digit(at + 2)) {
                used[10 * tens + ones] = true;
            }
            if let (b'(', Some(tens), Some(ones)) = (byte, digit(at + 1), digit(at + 2)) {
                used[10 * tens + ones] = true;
            }
        }
        Self { used, large: Vec::new() }
    }

    /// How chematic reads the ring number `digits`.
    fn number(&mut self, digits: &str, at: usize) -> Result<String, String> {
        let known = (1..=5).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        let number: u32 =
            digits.parse().ok().filter(|_| known).ok_or_else(|| {
                format!("`{digits}` is not the number of a ring at position {at}")
            })?;
        if (number as usize) < RINGS {
            return Ok(format!("%{number:02}"));
        }
        if let Some((_, stands)) = self.large.iter().find(|(large, _)| *large == number) {
            return Ok(format!("%{stands:02}"));
        }
        let free = (10..RINGS).rev().find(|&number| !self.used[number]);
        let free = free.ok_or_else(|| format!("too many numbers of rings at position {at}"))?;
        self.used[free] = true;
        self.large.push((number, free));
        Ok(format!("%{free:02}"))
    }
}

#[cfg(test)]
mod tests {
    use crate::molecule::{Chematic, MoleculeReader};

    #[test]
    fn charges_written_sign_by_sign_are_charges() {
        let charge = |smiles: &str| {
            let molecule = crate::molecule::shape::parse(smiles).unwrap();
            molecule.atoms().next().unwrap().1.charge
        };
        assert_eq!(charge("[Fe+++]"), 3);
        assert_eq!(charge("[Ti++++]"), 4);
        assert_eq!(charge("[P---]"), -3);
        assert_eq!(charge("[Ca++]"), 2);
        assert_eq!(charge("[Fe+3]"), 3);
    }

    #[test]
    fn ring_numbers_in_brackets_close_rings() {
        let ring = Chematic.read("C1CCCCC1").unwrap();
        for same in [
            "C%(12)CCCCC%(12)",
            "C%(12)CCCCC%12",
            "C%(1)CCCCC1",
            "C%(00099)CCCCC%99",
            "C%(12345)CCCCC%(12345)",
        ] {
            assert_eq!(Chematic.read(same).unwrap(), ring, "{same}");
        }
        // Two large numbers and one that is used already stay apart.
        let three = Chematic.read("C%(100)C%(101)C%99CC%(101)C%(100)C%99").unwrap();
        assert_eq!(three, Chematic.read("C1C2C3CC2C1C3").unwrap());
        for bad in ["C%(12", "C%()CC", "C%(123456)CC", "C%(1a)CC", "C%(12)CC"] {
            assert!(Chematic.read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn branches_and_parts_without_atoms_are_refused() {
        for bad in ["C()C", "C..C", ".C", "C.", "C(.)C", "CC(C.)C", "()"] {
            let reason = Chematic.read(bad).unwrap_err();
            assert!(reason.contains("without an atom"), "{bad}: {reason}");
        }
        for good in ["C(C)C", "C.C", "[Na+].[Cl-]"] {
            assert!(Chematic.read(good).is_ok(), "{good}");
        }
    }
}
