//! The arguments as typed. Each verb turns its own into checked options before it starts.

use crate::cmd;
use crate::outcome::EXIT_CODES;
use anyhow::Context;
use clap::{Args, Parser, Subcommand, ValueEnum};
use gsn_core::memory::Bytes;
use gsn_core::{EdgeOrbits, Matching, PatternSet, Scope};
use gsn_io::{Delimiter, Format, ReadOptions, VertexIds, VertexNaming};

/// Exact substructure counts for any pattern, from any common graph file.
#[derive(Debug, Parser)]
#[command(name = "gsn", version, after_help = EXIT_CODES, arg_required_else_help = true)]
#[command(infer_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// See what it does, on data that comes with the program
    #[command(after_help = cmd::demo::HELP)]
    Demo(cmd::demo::Arguments),
    /// Show patterns, their automorphisms and their orbits
    #[command(after_help = cmd::patterns::HELP)]
    Patterns(cmd::patterns::Arguments),
    /// Count patterns around every vertex, edge or arc of every graph of a file
    #[command(after_help = cmd::count::HELP)]
    Count(cmd::count::Arguments),
    /// Write the graphs of a file in another format
    #[command(after_help = cmd::convert::HELP)]
    Convert(cmd::convert::Arguments),
    /// List the experiments that come with the program, or show one
    #[command(after_help = cmd::recipes::HELP)]
    Recipes(cmd::recipes::Arguments),
    /// Train networks by a recipe and report beside the published number
    #[command(after_help = cmd::train::HELP)]
    Train(cmd::train::Arguments),
    /// Say which graphs can be told apart, by which test
    #[command(after_help = cmd::separate::HELP)]
    Separate(cmd::separate::Arguments),
    /// Rank patterns for a dataset, and pick a set
    #[command(after_help = cmd::suggest::HELP)]
    Suggest(cmd::suggest::Arguments),
    /// Write graphs of a named family
    #[command(after_help = cmd::generate::HELP)]
    Generate(cmd::generate::Arguments),
    /// Benchmarks: list them, find them, fetch them; and the cache of counts
    #[command(after_help = cmd::data::HELP)]
    Data(cmd::data::Arguments),
    /// Predict with a trained model, row by row
    #[command(after_help = cmd::predict::HELP)]
    Predict(cmd::predict::Arguments),
    /// Say which occurrences moved the predictions of a trained model, and by how much
    #[command(after_help = cmd::explain::HELP)]
    Explain(cmd::explain::Arguments),
    /// Train one recipe over a grid of settings, with a table and a plot
    #[command(after_help = cmd::sweep::HELP)]
    Sweep(cmd::sweep::Arguments),
    /// Search for better settings by the validation part
    #[command(after_help = cmd::tune::HELP)]
    Tune(cmd::tune::Arguments),
    /// Run the published tables and keep what comes of them
    #[command(after_help = cmd::reproduce::HELP)]
    Reproduce(cmd::reproduce::Arguments),
    /// Recount a sample of a count table by brute force
    #[command(after_help = cmd::verify::HELP)]
    Verify(cmd::verify::Arguments),
    /// Say what a file or folder is: a model, a run, a recipe, a count table, graphs
    #[command(after_help = cmd::info::HELP)]
    Info(cmd::info::Arguments),
    /// Show runs and other results as one HTML file
    #[command(after_help = cmd::report::HELP)]
    Report(cmd::report::Arguments),
    /// Print a script that completes commands in a shell
    #[command(after_help = cmd::completions::HELP)]
    Completions(cmd::completions::Arguments),
    /// Print the manual page of the program or of a verb, or write all of them
    #[command(after_help = cmd::man::HELP)]
    Man(cmd::man::Arguments),
}

/// What every verb understands.
#[derive(Clone, Debug, Args)]
pub(crate) struct Common {
    /// Say nothing but errors on standard error
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Number of threads; the numbers do not depend on it [default: one a core]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Memory to use at most, such as 800M or 4G; what does not fit is refused [default: what is free]
    #[arg(long, global = true, value_name = "SIZE")]
    pub(crate) max_memory: Option<Bytes>,
}

impl Common {
    /// Starts the threads that all work is done on; those nobody asked for start when they are
    /// needed.
    pub(crate) fn start_threads(&self) -> anyhow::Result<()> {
        let Some(threads) = self.threads else {
            gsn_core::threads::start_when_needed();
            return Ok(());
        };
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads.into())
            .build_global()
            .context("cannot start threads")
    }
}

/// How an input is read.
#[derive(Clone, Debug, Args)]
pub(crate) struct InputArguments {
    /// Format of the input, when its name and contents do not tell
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub(crate) format: Option<Format>,
    /// Edges have a direction (edge lists and tables, TU folders, GIN text, Parquet, Arrow)
    #[arg(long)]
    pub(crate) directed: bool,
    /// Column that holds SMILES [default: the one called `smiles`]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) smiles: Option<String>,
    /// What separates columns: comma, semicolon, tab, bar or space [default: the file tells]
    #[arg(long, value_name = "WHAT")]
    pub(crate) delimiter: Option<Delimiter>,
    /// Column with one end of each edge [default: source, src, from, …]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) source_column: Option<String>,
    /// Column with the other end of each edge [default: target, dst, to, …]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target_column: Option<String>,
    /// Column that says which graph an edge belongs to [default: one called `graph`]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) graph_column: Option<String>,
    /// How an edge list numbers its vertices
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub(crate) vertex_ids: VertexIdsArgument,
    /// What vertices are called in the output
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub(crate) vertex_names: VertexNamesArgument,
    /// GraphML key with the labels of the vertices [default: an integer key called `label`]
    #[arg(long, value_name = "KEY")]
    pub(crate) vertex_label: Option<String>,
    /// GraphML key with the labels of the edges [default: an integer key called `label`]
    #[arg(long, value_name = "KEY")]
    pub(crate) edge_label: Option<String>,
}

/// How an edge list numbers its vertices.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum VertexIdsArgument {
    /// As they are when a header gives the number of vertices, else compacted
    #[default]
    Auto,
    /// Renumbered from 0 in increasing order; numbers that do not occur vanish
    Compact,
    /// As they are; every number below the largest is a vertex
    Keep,
}

impl From<VertexIdsArgument> for VertexIds {
    fn from(ids: VertexIdsArgument) -> Self {
        match ids {
            VertexIdsArgument::Auto => VertexIds::Auto,
            VertexIdsArgument::Compact => VertexIds::Compact,
            VertexIdsArgument::Keep => VertexIds::Keep,
        }
    }
}

/// What vertices are called in the output.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum VertexNamesArgument {
    /// As the input calls them
    #[default]
    Auto,
    /// By whole numbers; graphs with other names are rejected
    Integers,
    /// By text, even if all of them are numbers
    Text,
    /// By their place in the graph, from 0
    Index,
}

impl From<VertexNamesArgument> for VertexNaming {
    fn from(names: VertexNamesArgument) -> Self {
        match names {
            VertexNamesArgument::Auto => VertexNaming::Auto,
            VertexNamesArgument::Integers => VertexNaming::Integers,
            VertexNamesArgument::Text => VertexNaming::Text,
            VertexNamesArgument::Index => VertexNaming::Index,
        }
    }
}

impl InputArguments {
    /// The options of the reader.
    pub(crate) fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.format,
            directed: self.directed,
            smiles_column: self.smiles.clone(),
            ids: self.vertex_ids.into(),
            vertex_names: self.vertex_names.into(),
            delimiter: self.delimiter,
            source_column: self.source_column.clone(),
            target_column: self.target_column.clone(),
            graph_column: self.graph_column.clone(),
            vertex_label_key: self.vertex_label.clone(),
            edge_label_key: self.edge_label.clone(),
            ..ReadOptions::default()
        }
    }
}

/// A format by its name.
pub(crate) fn format(text: &str) -> Result<Format, String> {
    text.parse().map_err(|error: gsn_io::UnknownFormat| error.to_string())
}

/// What the rows of a count are.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum ScopeArgument {
    /// A row a vertex, vertex orbits
    #[default]
    Vertex,
    /// A row an edge (source < target), edge orbits
    Edge,
    /// A row an arc, so both directions of every edge, arc orbits
    Arc,
}

impl From<ScopeArgument> for Scope {
    fn from(scope: ScopeArgument) -> Self {
        match scope {
            ScopeArgument::Vertex => Scope::Vertex,
            ScopeArgument::Edge => Scope::Edge,
            ScopeArgument::Arc => Scope::Arc,
        }
    }
}

/// Which subgraphs are occurrences, or that maps are counted.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum MatchingArgument {
    /// Graphlets: no further edges between the vertices
    #[default]
    Induced,
    /// Motifs: further edges do not matter
    Subgraph,
    /// Maps that keep edges and may send several vertices to one
    Homomorphism,
}

impl From<MatchingArgument> for Matching {
    fn from(matching: MatchingArgument) -> Self {
        match matching {
            MatchingArgument::Induced => Matching::Induced,
            MatchingArgument::Subgraph => Matching::Subgraph,
            MatchingArgument::Homomorphism => Matching::Homomorphism,
        }
    }
}

/// Which notion of edge and arc orbits to use.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum OrbitsArgument {
    /// Classes under the automorphisms of the pattern
    #[default]
    Exact,
    /// Pairs of vertex orbits, as in the code that came with the GSN paper
    Official,
}

impl From<OrbitsArgument> for EdgeOrbits {
    fn from(orbits: OrbitsArgument) -> Self {
        match orbits {
            OrbitsArgument::Exact => EdgeOrbits::Exact,
            OrbitsArgument::Official => EdgeOrbits::Official,
        }
    }
}

/// Reads pattern texts in the order given, with files and SMILES.
pub(crate) fn patterns(texts: &[String]) -> anyhow::Result<PatternSet> {
    let mut all = PatternSet::default();
    for text in texts {
        let set = PatternSet::parse_with(text, &gsn_io::PatternFiles::default())?;
        all = all.combine(set)?;
    }
    anyhow::ensure!(!all.is_empty(), "no patterns are given; try `cycle:3..=6`");
    Ok(all)
}

/// A number of steps such as `5000000`, `50M` or `2G`.
pub(crate) fn steps(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a number of steps; write 5000000, 50M or 2G");
    let (digits, unit) = match text.trim().char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1_000),
        Some((at, 'm' | 'M')) => (&text[..at], 1_000_000),
        Some((at, 'g' | 'G')) => (&text[..at], 1_000_000_000),
        Some((at, 't' | 'T')) => (&text[..at], 1_000_000_000_000),
        _ => (text, 1),
    };
    let number: u64 = digits.trim().replace('_', "").parse().map_err(|_| wrong())?;
    match number.checked_mul(unit) {
        Some(steps) if steps > 0 => Ok(steps),
        _ => Err(wrong()),
    }
}

/// A number of seconds above zero.
pub(crate) fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let wrong = || format!("`{text}` is not a number of seconds; write 30 or 0.5");
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    if seconds <= 0.0 {
        return Err(wrong());
    }
    std::time::Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn steps_are_numbers_with_an_optional_unit() {
        assert_eq!(steps("123"), Ok(123));
        assert_eq!(steps("50M"), Ok(50_000_000));
        assert_eq!(steps("2g"), Ok(2_000_000_000));
        assert_eq!(steps("1_000"), Ok(1000));
        for wrong in ["", "M", "0", "-1", "1.5M", "99999999999G", "1e9", "5ü"] {
            assert!(steps(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn seconds_are_positive() {
        assert_eq!(seconds("0.5"), Ok(std::time::Duration::from_millis(500)));
        for wrong in ["0", "-1", "nan", "inf", "soon", "1e300"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
