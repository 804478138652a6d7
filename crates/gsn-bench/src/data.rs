//! Benchmark inputs: sets of the catalogue, single graphs, and one text form that both sides read.
//!
//! Single graphs are looked for in the folder that `GSN_DATA` names. Missing data is an error;
//! benchmarks skip such a row and print the reason.

use anyhow::{Context, Result, bail};
use flate2::read::GzDecoder;
use gsn_core::{Graph, GraphBuilder};
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The text of a data file, decompressed when its name ends with `.gz`.
///
/// # Errors
/// When the data is not there.
pub fn text(relative: &str) -> Result<String> {
    let path = root()?.join(relative);
    let bytes = std::fs::read(&path).with_context(|| format!("no {}", path.display()))?;
    if !relative.ends_with(".gz") {
        return Ok(String::from_utf8(bytes)?);
    }
    let mut text = String::new();
    GzDecoder::new(&bytes[..])
        .read_to_string(&mut text)
        .with_context(|| format!("cannot decompress {}", path.display()))?;
    Ok(text)
}

fn root() -> Result<PathBuf> {
    let folder = std::env::var_os("GSN_DATA").context("GSN_DATA names no folder with data")?;
    Ok(PathBuf::from(folder))
}

/// The first `count` graphs of a set of the catalogue, without labels.
///
/// # Errors
/// When the set is not there or is not what the catalogue says.
pub fn unlabelled(set: &str, count: usize) -> Result<Vec<Graph>> {
    let graphs = labelled(set)?.into_iter().take(count);
    graphs.map(|graph| Ok(Graph::from_edges(graph.order(), graph.edges())?)).collect()
}

/// The graphs of a set of the catalogue, with the labels it gives them.
///
/// # Errors
/// When the set is not there or is not what the catalogue says.
pub fn labelled(set: &str) -> Result<Vec<Graph>> {
    Ok(gsn_lab::catalogue::graphs(set)?.graphs)
}

/// One of the single graphs.
///
/// # Errors
/// When the data is missing or malformed.
pub fn single(name: &str) -> Result<Graph> {
    let text = text(&format!("graphs/{name}.txt.gz"))?;
    let (head, body) = text.split_once('\n').context("an empty edge list")?;
    let head: Vec<&str> = head.split_whitespace().collect();
    let order = match head[..] {
        ["#", _, "nodes", order, "edges", _] => order.parse()?,
        _ => bail!("{name} has no head line"),
    };
    let mut words = Words::new(body);
    let mut builder = GraphBuilder::undirected(order);
    while !words.is_empty() {
        builder.edge(words.next()?, words.next()?);
    }
    Ok(builder.build()?)
}

/// Every edge of `graph` as an arc from the smaller to the larger vertex.
///
/// # Errors
/// Never for a graph that could be built.
pub fn oriented(graph: &Graph) -> Result<Graph> {
    Ok(Graph::from_arcs(graph.order(), graph.edges())?)
}

/// `count` graphs spread evenly over all.
pub fn spread<T: Clone>(all: &[T], count: usize) -> Vec<T> {
    let count = count.min(all.len());
    (0..count).map(|i| all[i * all.len() / count].clone()).collect()
}

/// Writes graphs in the form the peers read: a line `graphs labelled directed`, then for every
/// graph a line `order size`, a line of edge ends and, if labelled, a line of vertex labels.
///
/// # Errors
/// When the file cannot be written.
pub fn write(graphs: &[Graph], path: &Path) -> Result<()> {
    let labelled = graphs.iter().all(|graph| graph.vertex_labels().is_some());
    let directed = graphs.iter().any(Graph::is_directed);
    let mut text = format!("{} {} {}\n", graphs.len(), u8::from(labelled), u8::from(directed));
    for graph in graphs {
        writeln!(text, "{} {}", graph.order(), graph.edge_count())?;
        for (u, v) in graph.edges() {
            write!(text, "{u} {v} ")?;
        }
        text.push('\n');
        if let (true, Some(labels)) = (labelled, graph.vertex_labels()) {
            for label in labels {
                write!(text, "{label} ")?;
            }
            text.push('\n');
        }
    }
    let folder = path.parent().context("a file without a folder")?;
    std::fs::create_dir_all(folder)?;
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Numbers between white space.
struct Words<'a>(std::iter::Peekable<std::str::SplitAsciiWhitespace<'a>>);

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        Self(text.split_ascii_whitespace().peekable())
    }

    fn next<T: FromStr>(&mut self) -> Result<T> {
        let word = self.0.next().context("the file ends early")?;
        word.parse().map_err(|_| anyhow::anyhow!("`{word}` is not a number"))
    }

    fn is_empty(&mut self) -> bool {
        self.0.peek().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_covers_the_whole() {
        let all: Vec<u32> = (0..10).collect();
        assert_eq!(spread(&all, 5), [0, 2, 4, 6, 8]);
        assert_eq!(spread(&all, 20), all);
    }

    #[test]
    fn graphs_are_written_with_labels_when_all_have_them() -> Result<()> {
        let mut builder = GraphBuilder::undirected(3);
        builder.edge(2, 1).vertex_labels(vec![7, 8, 9]);
        let path = std::env::temp_dir().join(format!("gsn-bench-{}.txt", std::process::id()));
        write(&[builder.build()?], &path)?;
        let text = std::fs::read_to_string(&path)?;
        std::fs::remove_file(&path)?;
        assert_eq!(text, "1 1 0\n3 1\n1 2 \n7 8 9 \n");
        Ok(())
    }
}
