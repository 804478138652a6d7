//! Sizes and ranges of sizes in the pattern grammar: `6`, `3..=8`, `3..9`.

use super::error::At;
use super::families::Family;

/// A number and how it was written; numbers beyond any limit need not be told apart.
type Size<'a> = (u64, &'a str);

/// Reads the argument of a family, which stands at byte `at`: the first and the last size.
pub(super) fn sizes(family: Family, argument: &str, at: usize) -> At<(usize, usize)> {
    let first = size(family, argument, at)?;
    let rest = &argument[first.1.len()..];
    let rest_at = at + first.1.len();
    if rest.is_empty() {
        let k = allowed(family, first, at)?;
        return Ok((k, k));
    }
    let dots = if rest.starts_with("..=") {
        3
    } else if rest.starts_with("..") {
        2
    } else {
        return Err((rest_at, "expected a comma, or a range such as `3..=8`".into()));
    };
    let last_at = rest_at + dots;
    let last = size(family, &rest[dots..], last_at)?;
    if rest.len() > dots + last.1.len() {
        return Err((last_at + last.1.len(), "expected a comma after the range".into()));
    }
    if last.0 < first.0 {
        let (low, high) = (shown(last.1), shown(first.1));
        return Err((at, format!("the range goes down; write `{low}..={high}`")));
    }
    let mut end = last;
    if dots == 2 {
        if last.0 == first.0 {
            let only = shown(first.1);
            return Err((at, format!("the range is empty; `{only}..={only}` has one size")));
        }
        end.0 -= 1;
    }
    Ok((allowed(family, first, at)?, allowed(family, end, last_at)?))
}

fn size<'a>(family: Family, text: &'a str, at: usize) -> At<Size<'a>> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    if length == 0 {
        let name = family.name();
        return Err((at, format!("expected a size, as in `{name}:4` or `{name}:3..=5`")));
    }
    Ok((text[..length].parse().unwrap_or(u64::MAX), &text[..length]))
}

fn allowed(family: Family, (value, written): Size<'_>, at: usize) -> At<usize> {
    let sizes = family.sizes();
    if let Some(k) = usize::try_from(value).ok().filter(|k| sizes.contains(k)) {
        return Ok(k);
    }
    let (least, most) = (sizes.start(), sizes.end());
    let (name, unit) = (family.name(), family.unit());
    // The end of `3..12` is 11; what no machine word holds is shown as it was written.
    let asked = match written.parse::<u64>() {
        Ok(_) => value.to_string(),
        Err(_) => shown(written),
    };
    Err((at, format!("`{name}` goes from {least} to {most} {unit}, not {asked}")))
}

/// Long numbers need not be shown in full.
fn shown(number: &str) -> String {
    if number.len() > 24 { format!("{}…", &number[..20]) } else { number.to_owned() }
}
