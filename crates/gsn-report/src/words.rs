//! Numbers and sentences as people read them.

use gsn_lab::chart::short;

/// `12 345 678`, with narrow spaces.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) && digits.len() > 4 {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// In few digits; whole numbers with all of them, in groups.
pub(crate) fn readable(x: f64) -> String {
    // Beyond this not every whole number is a number of the machine.
    let whole = x.fract() == 0.0 && x.abs() < 1e15;
    match whole {
        true if x < 0.0 => format!("-{}", grouped(-x as u64)),
        true => grouped(x as u64),
        false => short(x),
    }
}

/// `1 row`, `12 345 rows`.
pub(crate) fn plural(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number as u64), if number == 1 { one } else { many })
}

/// `12.5 %`
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// With a capital letter and a full stop.
pub(crate) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let stop = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{stop}", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(
            [8696, 20929, 1_234_567].map(grouped),
            ["8696", "20\u{202f}929", "1\u{202f}234\u{202f}567"]
        );
        let said = [-12_345.0, 0.5, 2_500_000.0, 2.5e20].map(readable);
        assert_eq!(said, ["-12\u{202f}345", "0.5", "2\u{202f}500\u{202f}000", "2.50e20"]);
    }

    #[test]
    fn sentences_begin_and_end() {
        assert_eq!(sentence("in the first fold 2 rows"), "In the first fold 2 rows.");
        assert_eq!(sentence("`c` is constant."), "`c` is constant.");
        assert_eq!([1, 2].map(|n| plural(n, "row", "rows")), ["1 row", "2 rows"]);
    }
}
