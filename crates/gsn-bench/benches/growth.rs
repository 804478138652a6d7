//! How counting time grows with the size k of the pattern and the size n of the graph, on
//! molecules, proteins and social graphs, beside the n^k of the worst case.
//!
//! `cargo bench -p gsn-bench --bench growth` writes a table (Markdown) and a plot (SVG) into the
//! target directory; `-- --publish` puts them into `benches/`, too. One thread, CPU time, vertex
//! scope, induced matching.
#![allow(clippy::print_stdout, reason = "a benchmark is a program that prints")]

use anyhow::Result;
use gsn_bench::table::Table;
use gsn_bench::{clock, data, publish, workspace};
use gsn_core::{Budget, CountSpec, Counter, Graph};
use gsn_lab::chart::{self, Line, Panel};
use std::time::Duration;

/// Families, and the sizes that are tried until one takes too long.
const FAMILIES: [(&str, std::ops::RangeInclusive<usize>); 5] =
    [("cycle", 3..=12), ("path", 3..=8), ("clique", 3..=8), ("tree", 3..=7), ("all", 3..=6)];
/// A cell may take this long; larger sizes of the family are then left out.
const LIMIT: Duration = Duration::from_secs(6);
/// Graphs of a set that are counted in; fewer of dense ones.
const GRAPHS: usize = 300;
const DENSE_GRAPHS: usize = 40;

struct Set {
    name: &'static str,
    graphs: Vec<Graph>,
}

impl Set {
    fn mean_order(&self) -> f64 {
        mean(self.graphs.iter().map(|graph| graph.order() as f64))
    }
}

fn main() -> Result<()> {
    let Some(mut words) = gsn_bench::arguments() else { return Ok(()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let (text, svg) = pool.install(measure)?;
    let published = gsn_bench::flag(&mut words, "--publish");
    publish::result("growth", &text, published)?;
    println!("written to {}", publish::save("growth.svg", &svg)?.display());
    if published {
        std::fs::write(workspace().join("benches/growth.svg"), &svg)?;
    }
    Ok(())
}

fn measure() -> Result<(String, String)> {
    let mut panels = Vec::new();
    let made_at = publish::made_at()?;
    let mut text = format!("{made_at}.\n\nSeconds a graph, against the size k of the pattern\n\n");
    let (table, more) = against_k(&sets())?;
    text += &table.to_string();
    panels.extend(more);
    text += "\nSeconds a graph, against its number of vertices n\n\n";
    let (table, more) = against_n()?;
    text += &table.to_string();
    panels.extend(more);
    Ok((text, chart::seconds(&panels, 2)))
}

/// The sets whose data is there.
fn sets() -> Vec<Set> {
    let one = |name: &str| data::single(name).map(|graph| vec![graph]);
    let all = [
        ("ZINC", data::unlabelled("ZINC-12k", 12_000)),
        ("HIV", data::unlabelled("ogbg-molhiv", 50_000)),
        ("PROTEINS", data::labelled("PROTEINS")),
        ("IMDB-B", data::labelled("IMDBBINARY")),
        ("COLLAB", data::labelled("COLLAB")),
        ("ca-GrQc", one("ca-GrQc")),
    ];
    let mut found = Vec::new();
    for (name, graphs) in all {
        match graphs {
            Ok(graphs) => {
                let count = if name == "COLLAB" { DENSE_GRAPHS } else { GRAPHS };
                found.push(Set { name, graphs: data::spread(&graphs, count) });
            }
            Err(error) => println!("{name}: skipped, {error:#}"),
        }
    }
    found
}

/// One panel a family: time against k, a line for every set.
fn against_k(sets: &[Set]) -> Result<(Table, Vec<Panel>)> {
    let mut head = vec!["patterns".to_owned()];
    head.extend(sets.iter().map(|set| format!("{} (n = {:.0})", set.name, set.mean_order())));
    let mut table = Table::new(head.iter().map(String::as_str));
    let mut panels = Vec::new();
    for (family, sizes) in FAMILIES {
        let mut lines: Vec<Line> = sets.iter().map(|set| line(set.name)).collect();
        for k in sizes.clone() {
            let mut cells = vec![format!("{family}:{k}")];
            for (set, line) in sets.iter().zip(&mut lines) {
                // A size that took too long ends its line.
                let ended =
                    line.points.last().map_or(k > *sizes.start(), |last| last.0 < k as f64 - 1.0);
                let seconds = if ended { None } else { seconds_a_graph(&set.graphs, family, k)? };
                cells.push(seconds.map_or("–".to_owned(), clock::show));
                line.points.extend(seconds.map(|seconds| (k as f64, seconds)));
            }
            println!("{}", cells.join("  "));
            table.row(cells);
        }
        // The worst case for the first set, from its first point on.
        if let (Some(set), Some(&(k, seconds))) =
            (sets.first(), lines.first().and_then(|line| line.points.first()))
        {
            let order = set.mean_order();
            let worst = sizes.clone().map(|at| (at as f64, seconds * order.powf(at as f64 - k)));
            let name = format!("n^k, n = {order:.0}");
            lines.push(Line::new(name, worst.collect()).with_dashes(true));
        }
        lines.retain(|line| !line.points.is_empty());
        let title = format!("{family}:k, all patterns of one size");
        panels.push(Panel::new(title, "k", lines));
    }
    Ok((table, panels))
}

/// One panel a kind of data: time against n, a line for every collection of patterns.
fn against_n() -> Result<(Table, Vec<Panel>)> {
    let social = ["jazz", "email-Eu-core", "ca-GrQc", "ca-HepTh", "ca-CondMat", "musae-github"];
    let social: Vec<Graph> = social.iter().filter_map(|name| data::single(name).ok()).collect();
    let kinds = [
        ("molecules (HIV)", data::unlabelled("ogbg-molhiv", 50_000).unwrap_or_default()),
        ("proteins (PROTEINS)", data::labelled("PROTEINS").unwrap_or_default()),
        ("ego networks (COLLAB)", data::labelled("COLLAB").unwrap_or_default()),
        ("social graphs (SNAP and others)", social),
    ];
    let patterns = [("cycle", 5), ("path", 4), ("clique", 5), ("all", 4), ("all", 5)];
    let mut head = vec!["graphs".to_owned(), "mean n".to_owned(), "mean m".to_owned()];
    head.extend(patterns.iter().map(|(family, k)| format!("{family}:{k}")));
    let mut table = Table::new(head.iter().map(String::as_str));
    let mut panels = Vec::new();
    for (title, graphs) in kinds {
        let mut lines: Vec<Line> =
            patterns.iter().map(|(family, k)| line(&format!("{family}:{k}"))).collect();
        for bin in bins(graphs) {
            let order = mean(bin.iter().map(|graph| graph.order() as f64));
            let size = mean(bin.iter().map(|graph| graph.edge_count() as f64));
            let mut cells = vec![
                format!("{title}, {}", bin.len()),
                format!("{order:.0}"),
                format!("{size:.0}"),
            ];
            for (&(family, k), line) in patterns.iter().zip(&mut lines) {
                let seconds = seconds_a_graph(&bin, family, k)?;
                cells.push(seconds.map_or("–".to_owned(), clock::show));
                line.points.extend(seconds.map(|seconds| (order, seconds)));
            }
            println!("{}", cells.join("  "));
            table.row(cells);
        }
        let worst = lines.last().map(|line| (line.name.clone(), line.points.clone()));
        if let Some((name, points)) = worst
            && let Some(&(first, seconds)) = points.first()
        {
            let k: i32 = name.rsplit(':').next().and_then(|k| k.parse().ok()).unwrap_or(5);
            let points = points.iter().map(|&(n, _)| (n, seconds * (n / first).powi(k)));
            lines.push(Line::new(format!("n^{k}"), points.collect()).with_dashes(true));
        }
        lines.retain(|line| !line.points.is_empty());
        panels.push(Panel::new(title, "n", lines).with_log_x(true));
    }
    Ok((table, panels))
}

/// Graphs of similar order together, each bin twice as wide as the one before; single large
/// graphs stay alone, and of many some fifty are taken.
fn bins(mut graphs: Vec<Graph>) -> Vec<Vec<Graph>> {
    graphs.sort_by_key(Graph::order);
    if graphs.len() < 20 {
        return graphs.into_iter().map(|graph| vec![graph]).collect();
    }
    let mut bins: Vec<Vec<Graph>> = Vec::new();
    let mut edge = 0;
    for graph in graphs {
        if graph.order() >= edge {
            edge = (graph.order().max(6) * 3).div_ceil(2);
            bins.push(Vec::new());
        }
        if let Some(bin) = bins.last_mut() {
            bin.push(graph);
        }
    }
    bins.iter().filter(|bin| bin.len() >= 3).map(|bin| data::spread(bin, 50)).collect()
}

/// CPU seconds of a count in one graph, on average; `None` when it takes too long.
fn seconds_a_graph(graphs: &[Graph], family: &str, k: usize) -> Result<Option<f64>> {
    let spec = CountSpec::new(format!("{family}:{k}").parse()?);
    let counter = Counter::new(&spec).budget(Budget::time(LIMIT));
    // Tables that depend on the patterns alone are made before the clock starts.
    let tiny = Graph::from_edges(3, [(0, 1), (1, 2)])?;
    counter.count(&tiny)?;
    let begin = clock::cpu();
    for graph in graphs {
        if counter.count(graph).is_err() || clock::cpu() - begin > LIMIT {
            return Ok(None);
        }
    }
    let first = (clock::cpu() - begin).as_secs_f64();
    if first > 1.0 {
        return Ok(Some(first / graphs.len() as f64));
    }
    let again = (0..3)
        .map(|_| clock::cpu_seconds(Duration::from_millis(20), || counter.count_each(graphs)));
    Ok(Some(clock::median(&again.collect::<Vec<_>>()) / graphs.len() as f64))
}

fn line(name: &str) -> Line {
    Line::new(name, Vec::new())
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}
