//! Version 2000: counts, atoms and bonds in columns of fixed width, properties in `M` lines.

use super::{BadMolfile, Draft, DraftAtom, DraftBond, Line, bad, charge, electrons, element};

/// Reads what follows the line `counts`.
pub(super) fn draft<'a>(
    counts: Line<'a>,
    lines: &mut dyn Iterator<Item = Line<'a>>,
) -> Result<Draft, BadMolfile> {
    let (atoms, bonds) = (count(counts, 0, "atoms")?, count(counts, 3, "bonds")?);
    let mut draft = Draft::default();
    let mut last = counts.0;
    let mut next = |what: &str| {
        let line = lines.next().filter(|(_, text)| !text.starts_with("M  END"));
        let line = line.ok_or_else(|| bad(last, format!("the next line should be {what}")))?;
        last = line.0;
        Ok(line)
    };
    for at in 0..atoms {
        draft.atoms.push(atom(next(&format!("atom {} of {atoms}", at + 1))?)?);
    }
    for at in 0..bonds {
        draft.bonds.push(bond(next(&format!("bond {} of {bonds}", at + 1))?)?);
    }
    // The first line about charges or radicals makes those of the atoms' own lines void.
    let mut replaced = false;
    for (line, text) in lines {
        let (kind, rest) = text.split_at_checked(6).unwrap_or((text, ""));
        if kind == "M  END" {
            break;
        }
        if !matches!(kind, "M  CHG" | "M  RAD" | "M  ISO") {
            continue;
        }
        if kind != "M  ISO" && !std::mem::replace(&mut replaced, true) {
            draft.atoms.iter_mut().for_each(|atom| (atom.charge, atom.electrons) = (0, 0));
        }
        let wrong = || bad(line, format!("cannot be read: {}", text.trim_end()));
        let numbers: Option<Vec<i64>> =
            rest.split_whitespace().skip(1).map(|word| word.parse().ok()).collect();
        for pair in numbers.ok_or_else(wrong)?.chunks(2) {
            let &[at, value] = pair else { return Err(wrong()) };
            let at = usize::try_from(at).ok().and_then(|at| at.checked_sub(1));
            let atom = at.and_then(|at| draft.atoms.get_mut(at)).ok_or_else(wrong)?;
            match kind {
                "M  CHG" => atom.charge = charge(line, value)?,
                "M  RAD" => atom.electrons = electrons(line, value)?,
                _ => atom.isotope = u16::try_from(value).ok().filter(|&mass| mass > 0),
            }
        }
    }
    Ok(draft)
}

/// The number in three columns.
fn count((line, text): Line<'_>, from: usize, what: &str) -> Result<usize, BadMolfile> {
    let found = text.get(from..from + 3).and_then(|cell| cell.trim().parse().ok());
    found.ok_or_else(|| bad(line, format!("the number of {what} cannot be read")))
}

/// A number where there is one; 0 where the line is blank or ends before.
fn cell((line, text): Line<'_>, from: usize, to: usize) -> Result<i64, BadMolfile> {
    let end = to.min(text.len());
    let cell = text.get(from..end).unwrap_or("").trim();
    match cell {
        "" => Ok(0),
        _ => cell.parse().map_err(|_| bad(line, format!("`{cell}` is no whole number"))),
    }
}

fn atom(line: Line<'_>) -> Result<DraftAtom, BadMolfile> {
    let (number, text) = line;
    let end = text.len().min(34);
    let symbol = text.get(31..end).unwrap_or("").trim();
    if symbol.is_empty() {
        return Err(bad(number, "there is no element in columns 32 to 34"));
    }
    let (element, own) = element(number, symbol)?;
    let shift = cell(line, 34, 36)?;
    let heavier = || {
        let mass = element?.atomic_mass().round() as i64 + shift;
        u16::try_from(mass).ok()
    };
    let (mut charge, mut electrons) = (0, 0);
    match cell(line, 36, 39)? {
        0 => {}
        4 => electrons = 1,
        code @ 1..=7 => charge = (4 - code) as i8,
        code => return Err(bad(number, format!("{code} is no code for a charge"))),
    }
    let valence = match cell(line, 48, 51)? {
        0 => None,
        15 => Some(0),
        n @ 1..=14 => Some(n as u8),
        n => return Err(bad(number, format!("{n} is no valence"))),
    };
    let isotope = if shift != 0 { heavier() } else { own };
    Ok(DraftAtom { element, charge, isotope, electrons, valence })
}

fn bond(line: Line<'_>) -> Result<DraftBond, BadMolfile> {
    let end = |from: usize| match cell(line, from, from + 3)? {
        0 => Err(bad(line.0, "a bond needs two atoms")),
        n => usize::try_from(n)
            .map(|n| n - 1)
            .map_err(|_| bad(line.0, format!("there is no atom {n}"))),
    };
    let ends = [end(0)?, end(3)?];
    let kind = cell(line, 6, 9)?;
    let kind = u32::try_from(kind).map_err(|_| bad(line.0, format!("no bond type is {kind}")))?;
    Ok(DraftBond { line: line.0, ends, kind })
}
