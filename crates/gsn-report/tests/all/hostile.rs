//! Whatever things are called, a page has the elements it always has, and says the names.

use super::markup::Markup;
use super::{report, rows, write_run};
use proptest::prelude::*;

fn page(name: &str) -> Markup {
    let folder = tempfile::tempdir().unwrap();
    write_run(folder.path(), name, &rows(name, 20));
    Markup::of(&report(folder.path()))
}

/// A name as a page says it.
fn said(name: &str) -> String {
    let shown = |c: char| match c {
        '\t' | '\n' => c,
        c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => '\u{fffd}',
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c => c,
    };
    name.chars().map(shown).collect()
}

fn check(name: &str) {
    let (plain, hostile) = (page("plain"), page(name));
    assert_eq!(plain.elements, hostile.elements, "{name:?}");
    assert_eq!(plain.attributes, hostile.attributes, "{name:?}");
    assert_eq!(plain.links, hostile.links, "{name:?}");
    assert_eq!(hostile.scripts, 1);
    assert!(hostile.attributes.iter().all(|name| !name.starts_with("on")));
    // Nothing is asked from elsewhere.
    assert!(hostile.links.iter().all(|link| link.starts_with('#') || link == "data:,"));
    // As it stands at the top of the page.
    let title = format!("{} on {}", said(name), said(name));
    assert!(hostile.text.contains(&title), "{name:?}");
}

#[test]
fn known_tricks_do_nothing() {
    for name in [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onload='alert(1)",
        "</title></style></script><b>",
        "<!-- ]]> &lt;script&gt; &#60;",
        "javascript:alert(1)",
        "\0\u{7}\u{1b}[31m\r\u{202e}evil\u{ffff}",
        "{{7*7}} ${x} `x` %s",
        "=cmd|'/c calc'!A1",
        "a,b;c\td\ne",
    ] {
        check(name);
    }
}

#[test]
fn a_name_of_any_length_leaves_the_page_small() {
    let folder = tempfile::tempdir().unwrap();
    let name = "W<".repeat(50_000);
    write_run(folder.path(), &name, &rows(&name, 20));
    let html = report(folder.path());
    // The recipe is there in full, with both its texts; the rest says the beginning.
    assert!(html.len() < 2 * name.len() * 4 + 200_000, "{} bytes", html.len());
    let hostile = Markup::of(&html);
    assert_eq!(hostile.elements, page("plain").elements);
    assert!(hostile.text.contains(&format!("{}…", &name[..119])));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn names_are_inert(name in "(<|>|&|\"|'|/|script|on|=|\\PC|[\\x00-\\x1f\\x7f]){1,12}") {
        check(&name);
    }
}
