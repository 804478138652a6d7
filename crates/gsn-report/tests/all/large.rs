//! A table of a hundred thousand predictions becomes a small page that says what was drawn.

use super::markup::Markup;
use super::{report, rows, write_run};

#[test]
fn many_rows_stay_a_small_page() {
    let folder = tempfile::tempdir().unwrap();
    write_run(folder.path(), "many", &rows("molecule ", 100_000));
    let page = report(folder.path());
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    let markup = Markup::of(&page);
    assert!(markup.text.contains("100\u{202f}000 rows; the stronger the colour"));
    assert!(markup.text.contains("most wrong of 100\u{202f}000 test rows"));
}
