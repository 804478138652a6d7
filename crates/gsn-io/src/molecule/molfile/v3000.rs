//! Version 3000: words behind `M  V30`, and settings such as `CHG=1` behind them; a line that ends
//! in `-` goes on in the next.

use super::{BadMolfile, Draft, DraftAtom, DraftBond, Line, bad, charge, electrons, element};
use std::collections::HashMap;

/// Reads what follows the line that says V3000.
pub(super) fn draft<'a>(lines: &mut dyn Iterator<Item = Line<'a>>) -> Result<Draft, BadMolfile> {
    let mut draft = Draft::default();
    // Atoms are named by any numbers.
    let mut names: HashMap<String, usize> = HashMap::new();
    let (mut block, mut ended, mut last) = (String::new(), false, 4);
    while let Some((line, text)) = logical(lines) {
        last = line;
        if text.starts_with("M  END") {
            break;
        }
        let Some(rest) = text.strip_prefix("M  V30 ") else { continue };
        let words: Vec<&str> = rest.split_whitespace().collect();
        match (&words[..], &*block) {
            (["BEGIN", "CTAB", ..], "") => {}
            (["BEGIN", kind @ ("ATOM" | "BOND"), ..], "") => block = (*kind).to_owned(),
            (["BEGIN", other, ..], "") => block = format!("other {other}"),
            (["END", "CTAB", ..], _) => ended = true,
            (["END", ..], _) => block.clear(),
            (words, "ATOM") => {
                let &[name, symbol, _, _, _, _, ..] = words else {
                    return Err(bad(line, "an atom needs a number, an element and its place"));
                };
                if names.insert(name.to_owned(), draft.atoms.len()).is_some() {
                    return Err(bad(line, format!("there are two atoms {name}")));
                }
                draft.atoms.push(atom(line, symbol, &words[6..])?);
            }
            (words, "BOND") => {
                let &[_, kind, a, b, ..] = words else {
                    return Err(bad(line, "a bond needs a number, a type and two atoms"));
                };
                let kind =
                    kind.parse().map_err(|_| bad(line, format!("there is no bond type {kind}")))?;
                let end = |name: &str| {
                    let known = names.get(name).copied();
                    known.ok_or_else(|| bad(line, format!("there is no atom {name}")))
                };
                draft.bonds.push(DraftBond { line, ends: [end(a)?, end(b)?], kind });
            }
            _ => {}
        }
    }
    if !ended {
        return Err(bad(last, "ends before `END CTAB`"));
    }
    Ok(draft)
}

/// The next line with all lines that go on from it.
fn logical<'a>(lines: &mut dyn Iterator<Item = Line<'a>>) -> Option<(usize, String)> {
    let (number, text) = lines.next()?;
    let mut text = text.trim_end().to_owned();
    while text.starts_with("M  V30") && text.ends_with('-') {
        text.pop();
        let Some((_, more)) = lines.next() else { break };
        text.push_str(more.trim_end().strip_prefix("M  V30 ").unwrap_or(more));
    }
    Some((number, text))
}

fn atom(line: usize, symbol: &str, settings: &[&str]) -> Result<DraftAtom, BadMolfile> {
    if symbol.starts_with('[') || symbol.eq_ignore_ascii_case("NOT") {
        return Err(bad(line, "a list of elements is a query, not an atom"));
    }
    let (element, isotope) = element(line, symbol.trim_matches('"'))?;
    let mut atom = DraftAtom { element, charge: 0, isotope, electrons: 0, valence: None };
    for setting in settings {
        let Some((key, value)) = setting.split_once('=') else { continue };
        let wrong = || bad(line, format!("`{setting}` cannot be read"));
        let number = || value.parse::<i64>().map_err(|_| wrong());
        match key {
            "CHG" => atom.charge = charge(line, number()?)?,
            "RAD" => atom.electrons = electrons(line, number()?)?,
            "MASS" => {
                let mass: f64 = value.parse().map_err(|_| wrong())?;
                if !(0.0..=500.0).contains(&mass) {
                    return Err(wrong());
                }
                atom.isotope = Some(mass.round() as u16).filter(|&mass| mass > 0);
            }
            "VAL" => {
                atom.valence = match number()? {
                    0 => None,
                    -1 => Some(0),
                    n @ 1..=14 => Some(n as u8),
                    _ => return Err(wrong()),
                }
            }
            _ => {}
        }
    }
    Ok(atom)
}
