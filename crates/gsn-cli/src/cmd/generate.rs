//! `gsn generate`: graphs of named families, seeded where they are random.

use crate::args::{self, Common};
use crate::outcome::{Outcome, say, several};
use anyhow::{Context, ensure};
use clap::Subcommand;
use gsn_core::Graph;
use gsn_core::generate::{self, GenerateError};
use gsn_io::{Format, GraphRecord, GraphSink};
use std::path::PathBuf;

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn generate cfi --base clique:4 --pair -o rook-and-shrikhande.g6
  gsn generate cfi --base cycle:5 --twist -o decagon.g6
  gsn generate csl --order 41 --skip 2 --skip 3 --skip 5 -o csl.g6
  gsn generate regular --order 20 --degree 3 --count 100 --seed 7 -o cubic.g6
  gsn generate erdos-renyi --order 50 --probability 0.1 -o random.g6
  gsn generate paley --order 29

Exit codes: 0 done, 2 failure";

/// Arguments of `gsn generate`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    family: Family,
    /// File to write, by its ending; `-` is graph6 on standard output
    #[arg(short, long, value_name = "OUT", default_value = "-", global = true)]
    output: PathBuf,
    /// Graphs to draw from a random family
    #[arg(long, default_value_t = 1, global = true, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    count: u64,
    /// Decides random families: graph i has the seed plus i
    #[arg(long, default_value_t = 0, global = true)]
    seed: u64,
}

#[derive(Debug, Subcommand)]
enum Family {
    /// Cai, Fürer and Immerman's graph over a base, or its twisted companion
    Cfi {
        /// The base, a pattern such as clique:4 or g6:IheA@GUAo; several give several graphs
        #[arg(long, required = true, value_name = "SPEC")]
        base: Vec<String>,
        /// The twisted one
        #[arg(long)]
        twist: bool,
        /// Both, one after the other: a file of pairs
        #[arg(long, conflicts_with = "twist")]
        pair: bool,
    },
    /// Vertices on a circle, joined at fixed distances
    Circulant {
        /// Vertices
        #[arg(long)]
        order: usize,
        /// A distance; may be repeated
        #[arg(long, required = true)]
        jump: Vec<usize>,
    },
    /// Circular skip links: a cycle with links to the vertices SKIP further on
    Csl {
        /// Vertices
        #[arg(long, default_value_t = 41)]
        order: usize,
        /// The skip; several give several graphs
        #[arg(long, required = true)]
        skip: Vec<usize>,
    },
    /// The rook's graph of a board
    Rook {
        /// Rows of the board
        #[arg(long, default_value_t = 4)]
        rows: usize,
        /// Columns of the board
        #[arg(long, default_value_t = 4)]
        columns: usize,
    },
    /// The Shrikhande graph
    Shrikhande,
    /// Paley's graph over the field of ORDER
    Paley {
        /// A prime or its square, 1 modulo 4
        #[arg(long)]
        order: usize,
    },
    /// Random regular graphs
    Regular {
        /// Vertices
        #[arg(long)]
        order: usize,
        /// Neighbours of every vertex
        #[arg(long)]
        degree: usize,
    },
    /// Every pair an edge with the same probability
    ErdosRenyi {
        /// Vertices
        #[arg(long)]
        order: usize,
        /// Chance of each pair to be an edge
        #[arg(long)]
        probability: f64,
    },
    /// Random graphs with a power law of degrees
    ChungLu {
        /// Vertices
        #[arg(long)]
        order: usize,
        /// Exponent of the power law, above 2
        #[arg(long, default_value_t = 2.5)]
        exponent: f64,
        /// Mean number of neighbours
        #[arg(long, default_value_t = 4.0)]
        mean_degree: f64,
    },
    /// Random trees
    Tree {
        /// Vertices
        #[arg(long)]
        order: usize,
    },
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments, common: &Common) -> anyhow::Result<Outcome> {
    let output = &arguments.output;
    let format = if output.as_os_str() == "-" {
        Format::Graph6
    } else {
        Format::from_path(output).with_context(|| {
            format!("{}: the ending does not tell a format; use .g6", output.display())
        })?
    };
    let graphs = graphs(arguments)?;
    let mut sink = GraphSink::create(output, format, &[])?;
    for (row, graph) in graphs.enumerate() {
        sink.push(&GraphRecord::new(row as u64, graph?))?;
    }
    let written = sink.written();
    sink.finish()?;
    if !common.quiet && output.as_os_str() != "-" {
        say(format_args!("wrote {} to {}", several(written, "graph"), output.display()));
    }
    Ok(Outcome::Done)
}

/// One graph after the other.
type Graphs<'a> = Box<dyn Iterator<Item = anyhow::Result<Graph>> + 'a>;

fn graphs(arguments: &Arguments) -> anyhow::Result<Graphs<'_>> {
    let one = |made: Result<Graph, GenerateError>| -> anyhow::Result<Graphs<'_>> {
        Ok(Box::new(std::iter::once(Ok(made?))))
    };
    match &arguments.family {
        Family::Cfi { base, twist, pair } => {
            let mut all = Vec::new();
            for pattern in &args::patterns(base)? {
                ensure!(
                    !pattern.is_directed() && !pattern.is_labelled(),
                    "{}: the base of a CFI graph has no directions and no labels",
                    pattern.name()
                );
                let edges = pattern.edges().map(|(a, b)| (a as u32, b as u32));
                let base = Graph::from_edges(pattern.order(), edges)?;
                let twists: &[bool] = match (pair, twist) {
                    (true, _) => &[false, true],
                    (_, true) => &[true],
                    _ => &[false],
                };
                for &twist in twists {
                    all.push(Ok(generate::cfi(&base, twist)?));
                }
            }
            Ok(Box::new(all.into_iter()))
        }
        Family::Circulant { order, jump } => one(generate::circulant(*order, jump)),
        Family::Csl { order, skip } => {
            let made = skip.iter().map(|&skip| Ok(generate::csl(*order, skip)?));
            Ok(Box::new(made.collect::<Vec<_>>().into_iter()))
        }
        Family::Rook { rows, columns } => one(generate::rook(*rows, *columns)),
        Family::Shrikhande => one(Ok(generate::shrikhande())),
        Family::Paley { order } => one(generate::paley(*order)),
        Family::Regular { order, degree } => {
            random(arguments, |seed| generate::random_regular(*order, *degree, seed))
        }
        Family::ErdosRenyi { order, probability } => {
            random(arguments, |seed| generate::erdos_renyi(*order, *probability, seed))
        }
        Family::ChungLu { order, exponent, mean_degree } => {
            random(arguments, |seed| generate::chung_lu(*order, *exponent, *mean_degree, seed))
        }
        Family::Tree { order } => random(arguments, |seed| generate::random_tree(*order, seed)),
    }
}

/// Graphs of a random family, made as they are written. The first is made before the output is
/// begun, since whatever is wrong with the family is wrong with all of them.
fn random<'a>(
    arguments: &Arguments,
    make: impl Fn(u64) -> Result<Graph, GenerateError> + 'a,
) -> anyhow::Result<Graphs<'a>> {
    let seed = arguments.seed;
    let first = make(seed)?;
    let others = (1..arguments.count).map(move |at| Ok(make(seed.wrapping_add(at))?));
    Ok(Box::new(std::iter::once(Ok(first)).chain(others)))
}
