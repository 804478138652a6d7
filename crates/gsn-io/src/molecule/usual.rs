//! The atoms and bonds of a SMILES in the usual words, in one look at every byte.
//!
//! Most molecules of most files need no more: atoms of the organic subset, brackets with hydrogens,
//! charge or `@`, plain bonds, branches and rings. Whatever else a SMILES says, and whatever is wrong
//! with it, is left to chematic, so that there is one judge of what a molecule is; the two agree on
//! everything that is read here. A tenth of the time.

use gsn_core::pattern::MoleculeShape;

/// Branches inside each other, and bytes of a SMILES, up to which it is usual.
const DEEPEST: usize = 32;
const LONGEST: usize = 4096;

const SINGLE: u8 = 1;
const AROMATIC: u8 = 4;

/// The molecule, if its SMILES is a usual one.
pub(super) fn read(smiles: &str) -> Option<MoleculeShape> {
    if smiles.len() > LONGEST {
        return None;
    }
    let mut reader = Reader {
        text: smiles.as_bytes(),
        at: 0,
        shape: MoleculeShape::default(),
        aromatic: Vec::with_capacity(smiles.len()),
        rings: [None; 100],
        open: 0,
    };
    reader.shape.atoms.reserve(smiles.len());
    reader.shape.bonds.reserve(smiles.len());
    reader.shape.bond_labels.reserve(smiles.len());
    reader.all()?;
    Some(reader.shape)
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    shape: MoleculeShape,
    /// Whether each atom is written as an aromatic one.
    aromatic: Vec<bool>,
    /// Where the ring of each number was opened, and by which bond.
    rings: [Option<(u16, Option<Bond>)>; 100],
    open: usize,
}

/// A bond as it is written.
#[derive(Clone, Copy)]
enum Bond {
    /// With this label.
    Kind(u8),
    /// `/` or `\`: single, or between aromatic atoms aromatic.
    Direction,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn all(&mut self) -> Option<()> {
        let mut branches = [0; DEEPEST];
        let mut depth = 0;
        // The atom that the next one is joined to, and the bond that is written for it.
        let (mut before, mut bond): (Option<usize>, Option<Bond>) = (None, None);
        while let Some(byte) = self.peek() {
            match byte {
                b'(' => {
                    // Neither behind a bond nor in front of all atoms.
                    *branches.get_mut(depth)? = before.filter(|_| bond.is_none())?;
                    depth += 1;
                    self.at += 1;
                    bond = self.bond()?;
                    self.starts_atom()?;
                }
                b')' => {
                    depth = depth.checked_sub(1).filter(|_| bond.is_none())?;
                    before = Some(branches[depth]);
                    self.at += 1;
                }
                b'.' => {
                    before.filter(|_| bond.is_none() && depth == 0)?;
                    before = None;
                    self.at += 1;
                    self.starts_atom()?;
                }
                b'0'..=b'9' | b'%' => self.ring(before?, bond.take())?,
                b'-' | b'=' | b'#' | b':' | b'/' | b'\\' => {
                    before.filter(|_| bond.is_none())?;
                    bond = self.bond()?;
                }
                _ => {
                    self.atom()?;
                    let new = self.shape.atoms.len() - 1;
                    if let Some(before) = before {
                        self.join(before, new, bond.take());
                    }
                    before = Some(new);
                }
            }
        }
        (before.is_some() && bond.is_none() && depth == 0 && self.open == 0).then_some(())
    }

    /// Nothing but an atom may follow.
    fn starts_atom(&self) -> Option<()> {
        self.peek().filter(|byte| byte.is_ascii_alphabetic() || *byte == b'[').map(|_| ())
    }

    /// The bond that is written here, if there is one; `None` for unusual ones.
    fn bond(&mut self) -> Option<Option<Bond>> {
        let bond = match self.peek()? {
            b'-' if self.text.get(self.at + 1) == Some(&b'>') => return None,
            b'-' => Bond::Kind(SINGLE),
            b'=' => Bond::Kind(2),
            b'#' => Bond::Kind(3),
            b':' => Bond::Kind(AROMATIC),
            b'/' | b'\\' => Bond::Direction,
            _ => return Some(None),
        };
        self.at += 1;
        Some(Some(bond))
    }

    fn join(&mut self, a: usize, b: usize, bond: Option<Bond>) {
        let aromatic = self.aromatic[a] && self.aromatic[b];
        self.shape.bonds.push((a, b));
        let label = match bond {
            Some(Bond::Kind(label)) => label,
            Some(Bond::Direction) | None if aromatic => AROMATIC,
            Some(Bond::Direction) | None => SINGLE,
        };
        self.shape.bond_labels.push(label.into());
    }

    /// Opens or closes a ring at an atom.
    fn ring(&mut self, atom: usize, bond: Option<Bond>) -> Option<()> {
        let mut digit = || self.take().filter(u8::is_ascii_digit).map(|byte| byte - b'0');
        let number = match digit() {
            Some(digit) => digit,
            // It was a percent sign.
            None => 10 * digit()? + digit()?,
        };
        let Some((first, written)) = self.rings[usize::from(number)].take() else {
            // A usual SMILES has fewer atoms than 16 bits count.
            self.rings[usize::from(number)] = Some((u16::try_from(atom).ok()?, bond));
            self.open += 1;
            return Some(());
        };
        self.open -= 1;
        let first = usize::from(first);
        // A bond that is written twice must be the same, and two atoms have one bond at most.
        let bond = match (written, bond) {
            (Some(_), Some(_)) => return None,
            (one, other) => one.or(other),
        };
        let known = [(first, atom), (atom, first)];
        if first == atom || self.shape.bonds.iter().any(|pair| known.contains(pair)) {
            return None;
        }
        self.join(first, atom, bond);
        Some(())
    }

    fn atom(&mut self) -> Option<()> {
        let byte = self.take()?;
        if byte == b'[' {
            return self.bracket();
        }
        let next = self.peek();
        let (number, aromatic) = match (byte, next) {
            (b'C', Some(b'l')) => (17, false),
            (b'B', Some(b'r')) => (35, false),
            (b's', Some(b'e')) => return None,
            _ => organic(byte)?,
        };
        if number == 17 || number == 35 {
            self.at += 1;
        }
        // `@` stands in brackets.
        if self.peek() == Some(b'@') {
            return None;
        }
        self.put(number, aromatic);
        Some(())
    }

    fn put(&mut self, number: u32, aromatic: bool) {
        self.shape.atoms.push(number);
        self.aromatic.push(aromatic);
    }

    /// An atom in brackets, which are open: a symbol of the organic subset, `@` or `@@`, hydrogens
    /// and a charge of one digit.
    fn bracket(&mut self) -> Option<()> {
        let (number, aromatic) = organic(self.take()?)?;
        // A second letter makes another element.
        if self.peek()?.is_ascii_lowercase() {
            return None;
        }
        for _ in 0..2 {
            self.at += usize::from(self.peek() == Some(b'@'));
        }
        if self.peek() == Some(b'H') {
            self.at += 1;
            self.at += usize::from(self.peek()?.is_ascii_digit());
        }
        if matches!(self.peek(), Some(b'+' | b'-')) {
            self.at += 1;
            self.at += usize::from(self.peek()?.is_ascii_digit());
        }
        self.take().filter(|&byte| byte == b']')?;
        self.put(number, aromatic);
        Some(())
    }
}

/// The atomic number of a symbol of one letter, and whether it is an aromatic one.
fn organic(byte: u8) -> Option<(u32, bool)> {
    let number = match byte.to_ascii_uppercase() {
        b'B' => 5,
        b'C' => 6,
        b'N' => 7,
        b'O' => 8,
        b'F' => 9,
        b'P' => 15,
        b'S' => 16,
        b'I' => 53,
        _ => return None,
    };
    let aromatic = byte.is_ascii_lowercase();
    (!aromatic || (number != 9 && number != 53)).then_some((number, aromatic))
}
