//! Figures on pages that people read first: chosen rows of `benches/README.md`, copied and never
//! typed. README.md shows ratios, `docs/src/limits.md` times of large counts.

use super::age::STALE;
use anyhow::{Context, Result};
use std::fmt::Write;
use std::path::Path;

/// A row to show: the table of `benches/README.md` it stands in, how its first cells begin, and how
/// README.md calls it.
struct Shown {
    table: &'static str,
    work: &'static str,
    against: &'static str,
    name: &'static str,
    peer: &'static str,
}

const SHOWN: [Shown; 6] = [
    Shown {
        table: "peers",
        work: "2,000 ZINC molecules, cycle:3..=8",
        against: "rustworkx VF2, induced, maps counted by vertex, arc",
        name: "rings up to 8 around every atom and bond of 2,000 molecules",
        peer: "rustworkx, VF2",
    },
    Shown {
        table: "peers",
        work: "1,000 IMDB-B graphs, clique:3..=5",
        against: "igraph cliques",
        name: "cliques up to 5 in 1,000 film casts (IMDB-B)",
        peer: "igraph, `cliques`",
    },
    Shown {
        table: "peers",
        work: "ca-GrQc, all:5",
        against: "igraph RAND-ESU",
        name: "all graphlets of 5 vertices at every vertex of ca-GrQc",
        peer: "igraph, totals only",
    },
    Shown {
        table: "peers",
        work: "HIV.csv (41,127 SMILES) to predictions",
        against: "ogb smiles2graph",
        name: "41,127 SMILES to predictions of a network",
        peer: "ogb, features alone",
    },
    Shown {
        table: "python",
        work: "a dataset, vertex",
        against: "networkx GraphMatcher",
        name: "PyG transform, 10,000 molecules",
        peer: "networkx, GraphMatcher",
    },
    Shown {
        table: "expressivity",
        work: "SR(35,16,6,8), 7.4 million pairs, arcs, induced cycle:3..=6: `separate`",
        against: "rustworkx VF2",
        name: "7.4 million pairs of strongly regular graphs told apart",
        peer: "rustworkx, counting alone",
    },
];

/// The commands that make the tables.
const MADE_BY: [(&str, &str); 3] = [
    ("peers", "cargo bench -p gsn-bench --bench peers"),
    ("python", "python crates/gsn-py/benches/floors.py"),
    ("expressivity", "cargo bench -p gsn-bench --bench expressivity"),
];

/// Large counts: the name that the table `before-after` has for them, what is counted, and where.
const LARGE: [(&str, &str, &str); 8] = [
    ("clique:5, power law 1M/10M", "`clique:5`", "1,000,000 vertices, 10,000,000 edges"),
    ("all:3..=4, power law 1M/10M", "`all:3..=4`", "the same"),
    ("star:5, musae-github", "`star:5`", "37,700 vertices, 289,003 edges"),
    ("cycle:5, wiki-Vote", "`cycle:5` as motif", "7,115 vertices, 100,762 edges"),
    ("path:7, power law 1k/10k", "`path:7` as motif", "1,000 vertices, 10,000 edges, hubs"),
    ("cycle:7, power law 1k/10k", "`cycle:7` as motif", "the same"),
    ("all:6, random 1k/10k", "`all:6`", "1,000 vertices, 10,000 edges at random"),
    ("all:4, near-clique of 400", "`all:4`", "400 vertices, almost all of them joined"),
];

/// The pages with their figures made anew, by their paths.
pub(super) fn pages(root: &Path) -> Result<Vec<(&'static str, String)>> {
    let benches = read(root, "benches/README.md")?;
    let filled = |page: &'static str, text: String| -> Result<(&'static str, String)> {
        Ok((page, fill(&read(root, page)?, &text).context(page)?))
    };
    Ok(vec![
        filled("README.md", ratios(&benches)?)?,
        filled("docs/src/limits.md", times(&benches)?)?,
    ])
}

fn read(root: &Path, path: &str) -> Result<String> {
    std::fs::read_to_string(root.join(path)).context(path.to_owned())
}

/// Puts figures between their marks.
fn fill(page: &str, figures: &str) -> Result<String> {
    let (before, rest) = page.split_once("<!-- figures -->").context("no <!-- figures -->")?;
    let (_, after) = rest.split_once("<!-- /figures -->").context("no <!-- /figures -->")?;
    Ok(format!("{before}<!-- figures -->\n\n{figures}\n<!-- /figures -->{after}"))
}

fn times(benches: &str) -> Result<String> {
    let part = part(benches, "before-after")?;
    let commit =
        part.split_once("after: ").and_then(|(_, rest)| rest.split(['.', ',', ' ']).next());
    let commit = commit.context("benches/README.md: `before-after` names no commit")?;
    let stale = if is_stale(benches, "before-after") {
        ", which is *stale*: the code was changed since"
    } else {
        ""
    };
    let mut text = format!(
        "One thread, processor time of whole commands at commit {commit}{stale}, from `python3 benches/before_after.py`.\n\n\
         | counted | graph | time |\n|---|---|---:|\n"
    );
    for (work, counted, graph) in LARGE {
        let cells = part.lines().filter(|line| line.starts_with('|')).map(cells);
        let row = cells.into_iter().find(|cells| cells[0].starts_with(work));
        let row =
            row.with_context(|| format!("benches/README.md, `before-after`: no row `{work}`"))?;
        writeln!(text, "| {counted} | {graph} | {} |", row.get(2).context("no time")?)?;
    }
    Ok(text)
}

fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split('|').map(str::trim).collect()
}

fn ratios(benches: &str) -> Result<String> {
    let mut text = String::from(
        "| work | beside | ours | theirs | ratio | commit | made by |\n|---|---|---:|---:|---:|---|---|\n",
    );
    for shown in &SHOWN {
        let Shown { table, work, against, name, peer } = shown;
        let part = part(benches, table)?;
        let row = row(part, work, against).with_context(|| {
            format!("benches/README.md, `{table}`: no row `{work}` against `{against}`")
        })?;
        let (_, command) =
            MADE_BY.iter().find(|(known, _)| known == table).context("no command")?;
        let commit = commit(part).unwrap_or("not recorded");
        let stale = if is_stale(benches, table) { ", *stale*" } else { "" };
        let [ours, theirs, ratio] = row;
        writeln!(
            text,
            "| {name} | {peer} | {ours} | {theirs} | {ratio} | {commit}{stale} | `{command}` |"
        )?;
    }
    if text.contains("*stale*") {
        text += "\n*Stale*: the code was changed since that commit, and the row is to be measured again.\n";
    }
    Ok(text)
}

/// What stands between the marks of a table.
fn part<'a>(benches: &'a str, table: &str) -> Result<&'a str> {
    let (open, close) = (format!("<!-- {table} -->"), format!("<!-- /{table} -->"));
    let rest = benches.split_once(&open).map(|(_, rest)| rest);
    let part = rest.and_then(|rest| rest.split_once(&close)).map(|(part, _)| part);
    part.with_context(|| format!("benches/README.md has no part {open}"))
}

/// Whether the line above a table calls it stale.
fn is_stale(benches: &str, table: &str) -> bool {
    let above = benches.split(&format!("<!-- {table} -->")).next().unwrap_or_default();
    above.trim_end().lines().last().is_some_and(|line| line.starts_with(STALE))
}

/// Ours, theirs and the ratio of a row.
fn row(part: &str, work: &str, against: &str) -> Option<[String; 3]> {
    let mut of = "";
    for line in part.lines().filter(|line| line.starts_with('|')) {
        let [first, second, ours, theirs, ratio, ..] = cells(line)[..] else { continue };
        if first != "the same" {
            of = first;
        }
        if of.starts_with(work) && second.starts_with(against) {
            // How far the turns were apart is told where it was measured.
            let ratio = ratio.split(" (").next()?;
            // Some tables write 7.87e+03.
            let ratio = match ratio.trim_end_matches('×').parse::<f64>() {
                Ok(times) if ratio.contains('e') => format!("{times:.0}×"),
                _ => ratio.to_owned(),
            };
            return Some([ours.to_owned(), theirs.to_owned(), ratio]);
        }
    }
    None
}

/// The commit that the text above a table names.
fn commit(part: &str) -> Option<&str> {
    let words = part.split_once("commit ")?.1;
    Some(words.split(|letter: char| !letter.is_ascii_hexdigit()).next()?).filter(|c| c.len() >= 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_commits_are_found() {
        let part = "At commit abc1234; x.\n\n| work | against | o | t | r |\n|--|--|--|--|--|\n| a b | p | 1 s | 2 s | 2× (1–3) | 9 |\n| the same | q | 3 s | 9 s | 3.1e+03× | 9 |\n";
        assert_eq!(row(part, "a", "q"), Some(["3 s", "9 s", "3100×"].map(str::to_owned)));
        assert_eq!(row(part, "a", "p"), Some(["1 s", "2 s", "2×"].map(str::to_owned)));
        assert_eq!(row(part, "b", "p"), None);
        assert_eq!(commit(part), Some("abc1234"));
        assert_eq!(commit("none"), None);
        let page = "## A\n**Stale:** x\n\n<!-- a -->\n## B\n<!-- b -->";
        assert!(is_stale(page, "a") && !is_stale(page, "b"));
    }
}
