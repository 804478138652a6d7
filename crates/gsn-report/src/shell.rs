//! Commands that can be pasted.

/// A word as a shell takes it.
///
/// ```
/// use gsn_report::shell_word;
/// assert_eq!(shell_word("runs/a"), "runs/a");
/// assert_eq!(shell_word("it's;rm"), r"'it'\''s;rm'");
/// ```
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=+@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
