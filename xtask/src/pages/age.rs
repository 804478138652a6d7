//! Which published measurements are older than the code they measured. A table names the commit it
//! was made at; where the code under it reads otherwise today, a line above it says so. Comments and
//! tests are no code here.

use crate::command::program;
use crate::page::output;
use crate::root;
use anyhow::{Context, Result};
use std::path::Path;

/// A part of a page that a command measured, and the code that it measured.
struct Measured {
    page: &'static str,
    name: &'static str,
    code: &'static [&'static str],
}

const BENCHES: &str = "benches/README.md";
const CORE: &str = "crates/gsn-core/src";
const IO: &str = "crates/gsn-io/src";
const NN: &str = "crates/gsn-nn/src";
const PY: &str = "crates/gsn-py/src";
const PYTHON: &str = "crates/gsn-py/python";

const MEASURED: [Measured; 12] = [
    Measured { page: BENCHES, name: "peers", code: &[CORE, IO, NN] },
    Measured { page: BENCHES, name: "before-after", code: &[CORE, IO, NN] },
    Measured { page: BENCHES, name: "training-loop", code: &[NN, "crates/gsn-lab/src/train"] },
    Measured {
        page: BENCHES,
        name: "cache",
        code: &["crates/gsn-lab/src/cache", "crates/gsn-lab/src/catalogue"],
    },
    Measured { page: BENCHES, name: "predictions", code: &[CORE] },
    Measured { page: BENCHES, name: "expressivity", code: &[CORE, "crates/gsn-lab/src/separate"] },
    Measured { page: BENCHES, name: "python", code: &[CORE, PY, PYTHON] },
    Measured { page: BENCHES, name: "growth", code: &[CORE] },
    Measured { page: "benches/nn/README.md", name: "measured", code: &[NN] },
    Measured { page: "docs/src/reliability.md", name: "load", code: &[CORE, IO] },
    Measured {
        page: "docs/src/drawing.md",
        name: "compare-rdkit",
        code: &["crates/gsn-report/src/draw"],
    },
    Measured { page: "docs/src/scale.md", name: "scale", code: &[CORE, IO, PY, PYTHON] },
];

/// The first words of the line above a table that is older than its code.
pub(super) const STALE: &str = "**Stale:**";

/// The pages that have such tables, with the lines above them as they should be.
pub(super) fn pages() -> Result<Vec<(&'static str, String)>> {
    let mut pages: Vec<(&'static str, String)> = Vec::new();
    for measured in &MEASURED {
        let at = match pages.iter().position(|(page, _)| *page == measured.page) {
            Some(at) => at,
            None => {
                pages.push((measured.page, std::fs::read_to_string(root().join(measured.page))?));
                pages.len() - 1
            }
        };
        pages[at].1 = measured.marked(&pages[at].1)?;
    }
    Ok(pages)
}

/// Whether all commits can be looked at: not in an archive of the sources, nor in a clone without its history.
pub(super) fn has_history() -> bool {
    let shallow = output(program("git").args(["rev-parse", "--is-shallow-repository"]));
    shallow.is_ok_and(|said| said.trim() == "false")
}

impl Measured {
    /// The page with the right line above this part.
    fn marked(&self, page: &str) -> Result<String> {
        let (above, part, below) = self.cut(page)?;
        let mut older = Vec::new();
        for commit in commits(part) {
            let mut changed = Vec::new();
            for &code in self.code {
                let named = || format!("{}, {}: commit {commit}", self.page, self.name);
                if has_changed(commit, code).with_context(named)? {
                    changed.push(format!("`{code}`"));
                }
            }
            if !changed.is_empty() {
                older.push(format!("{} since commit {commit}", changed.join(", ")));
            }
        }
        let line = match older.is_empty() {
            true => String::new(),
            false => format!("{STALE} the code has changed: {}.\n\n", older.join("; ")),
        };
        Ok([without_mark(above), &line, part, below].concat())
    }

    /// What stands above this part, the part with the mark it begins with, and the rest.
    fn cut<'p>(&self, page: &'p str) -> Result<(&'p str, &'p str, &'p str)> {
        let name = self.name;
        let marks = [
            (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->\n")),
            (format!("<!-- {name}: begin -->\n"), format!("<!-- {name}: end -->\n")),
        ];
        let found = marks.iter().find_map(|(begin, end)| {
            let (begin, end) = (page.find(begin)?, page.find(end)?);
            Some((&page[..begin], page.get(begin..end)?, &page[end..]))
        });
        found.with_context(|| format!("{} has no part {name}", self.page))
    }
}

/// The text above a table without the line that calls it stale.
fn without_mark(above: &str) -> &str {
    match above.trim_end().rsplit_once('\n') {
        Some((before, last)) if last.starts_with(STALE) => &above[..=before.len()],
        _ => above,
    }
}

/// The commits at which a part says that it was made.
fn commits(part: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut before = "";
    for word in part.split_whitespace() {
        let quoted = word.starts_with('`');
        let named = before.eq_ignore_ascii_case("commit") || before == "after:";
        let id = word.trim_start_matches('`');
        let id = &id[..id.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(id.len())];
        if (quoted || named) && id.len() >= 7 && !found.contains(&id) {
            found.push(id);
        }
        before = word;
    }
    found
}

/// Whether code below a folder reads otherwise than it did at a commit.
fn has_changed(commit: &str, folder: &str) -> Result<bool> {
    let asked = ["diff", "--name-only", "--no-renames", commit, "--", folder];
    let files = output(program("git").args(asked))?;
    for file in files.lines().filter(|file| !is_of_tests(file)) {
        let before = program("git").args(["show", &format!("{commit}:{file}")]).output()?;
        let before = String::from_utf8_lossy(&before.stdout).into_owned();
        let today = std::fs::read_to_string(root().join(file)).unwrap_or_default();
        if !code(&before).eq(code(&today)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_of_tests(file: &str) -> bool {
    let path = Path::new(file);
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    ["tests", "testing", "toy"].contains(&name) || path.iter().any(|part| part == "tests")
}

/// The lines of a file that are compiled into the program.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let tests = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let says = |line: &&str| !line.is_empty() && !line.starts_with("//") && !line.starts_with("# ");
    text[..tests].lines().map(str::trim).filter(says)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_found_where_they_are_named() {
        let part = "At commit d68faea, x; deadbeef. Before: f3ba949; after: 2b34d14. 1885494 faults\n\
                    | `1.2 s` | `f8a3a7d3cf` |\nCommit `933eb680de+`; commit d68faea";
        assert_eq!(commits(part), ["d68faea", "2b34d14", "f8a3a7d3cf", "933eb680de"]);
    }

    #[test]
    fn comments_and_tests_are_no_code() {
        let old =
            "//! a\nfn f() {\n    // why\n    g();\n}\n\n#[cfg(test)]\nmod tests {\n    x\n}\n";
        let new = "//! b\nfn f() {\n    g();\n}\n";
        assert!(code(old).eq(code(new)));
        assert!(!code(old).eq(code("fn f() {\n    h();\n}\n")));
        assert!(is_of_tests("a/tests/all/x.rs") && is_of_tests("a/tests.rs"));
        assert!(!is_of_tests("a/src/count.rs"));
    }

    #[test]
    fn a_mark_is_taken_away_with_its_line_alone() {
        assert_eq!(without_mark("a\n\n**Stale:** x\n\n"), "a\n\n");
        assert_eq!(without_mark("a\n\nb\n\n"), "a\n\nb\n\n");
    }

    #[test]
    fn every_part_is_on_its_page_and_names_a_commit() {
        for measured in &MEASURED {
            let page = std::fs::read_to_string(root().join(measured.page)).unwrap();
            let (_, part, _) = measured.cut(&page).unwrap();
            assert!(!commits(part).is_empty(), "{}: {}", measured.page, measured.name);
            assert!(measured.code.iter().all(|code| root().join(code).is_dir()));
        }
    }
}
