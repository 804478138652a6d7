//! `gsn patterns`: patterns, the order of their automorphism groups and their orbits; as text
//! with drawings, as JSON, and as a sheet of SVG.

use crate::args::{self, Common, OrbitsArgument};
use crate::outcome::{Outcome, say};
use crate::style::{self, Style};
use anyhow::Context;
use clap::ValueEnum;
use gsn_core::pattern::Duplicate;
use gsn_core::{Orbits, Pattern, PatternSet};
use gsn_report::draw::{self, terminal};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::PathBuf;

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn patterns cycle:3..=6 path:4
  gsn patterns all:5 --svg five.svg
  gsn patterns 'edges:0>1,1>2,2>0' 'edges:0@6-1@8' --json
  gsn patterns tree:7 --draw never

Exit codes: 0 done, 2 failure";

/// Arguments of `gsn patterns`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Patterns: cycle:6, cycle:3..=8, path:4, clique:3, star:2..=4, tree:5, all:4, g6:DQc,
    /// edges:0-1,1-2,2-0, edges:0>1,1>2, edges:0@6-1@8:2, spasm:cycle:7, smiles:c1ccccc1,
    /// file:patterns.g6
    #[arg(required = true, value_name = "SPEC")]
    specs: Vec<String>,
    /// Notion of edge and arc orbits
    #[arg(long, value_enum, default_value_t, value_name = "NOTION")]
    orbits: OrbitsArgument,
    /// Drawings in the terminal; `auto` draws up to 30 patterns
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    draw: Draw,
    /// Write one sheet with all patterns
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print one JSON object instead
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Draw {
    #[default]
    Auto,
    Always,
    Never,
}

/// Patterns that `--draw auto` draws.
const FEW: usize = 30;
/// Columns and rows of a drawing.
const ROOM: (usize, usize) = (25, 9);

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments, common: &Common) -> anyhow::Result<Outcome> {
    let set = args::patterns(&arguments.specs)?;
    let notion = arguments.orbits.into();
    let orbits: Vec<Orbits> =
        set.patterns().par_iter().map(|pattern| Orbits::of(pattern, notion)).collect();
    let duplicates = set.duplicates();
    if !common.quiet {
        for duplicate in &duplicates {
            say(format_args!("note: {duplicate}"));
        }
    }
    if let Some(path) = &arguments.svg {
        let sheet = draw::sheet(&set.iter().zip(&orbits).collect::<Vec<_>>());
        gsn_io::atomic::replace(path, sheet.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
        if !common.quiet {
            say(format_args!("wrote {}", path.display()));
        }
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    if arguments.json {
        writeln!(out, "{:#}", as_json(&set, &orbits, &duplicates))?;
    } else if arguments.draw == Draw::Always || arguments.draw == Draw::Auto && set.len() <= FEW {
        let style = Style::of_stdout();
        for (at, (pattern, orbits)) in set.iter().zip(&orbits).enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            beside(&mut out, pattern, orbits, common.verbose, style)?;
        }
    } else {
        table(&mut out, &set, &orbits)?;
    }
    out.flush()?;
    Ok(Outcome::Done)
}

/// A drawing with the facts to its right.
fn beside(
    out: &mut impl Write,
    pattern: &Pattern,
    orbits: &Orbits,
    verbose: bool,
    style: Style,
) -> io::Result<()> {
    let edges: Vec<(usize, usize)> = pattern.edges().collect();
    let places = draw::layout(pattern.order(), &edges);
    let label = |v: usize| terminal::Label {
        place: places[v],
        text: draw::letter(orbits.vertex(v)).into(),
        colour: orbits.vertex(v),
    };
    let labels: Vec<_> = (0..pattern.order()).map(label).collect();
    let picture =
        terminal::draw(&places, &edges, pattern.is_directed(), &labels, ROOM, |colour, text| {
            style.orbit(colour, text)
        });
    let facts = facts(pattern, orbits, verbose, style);
    // Both columns are centred on the taller one.
    let height = picture.len().max(facts.len());
    let above = (height - facts.len()) / 2;
    let over = (height - picture.len()) / 2;
    let blank = " ".repeat(ROOM.0);
    for row in 0..height {
        let left = row.checked_sub(over).and_then(|at| picture.get(at)).unwrap_or(&blank);
        let right = row.checked_sub(above).and_then(|at| facts.get(at)).map_or("", |s| s);
        writeln!(out, "{}", format!("{left}  {right}").trim_end())?;
    }
    Ok(())
}

/// What there is to know about a pattern, line by line.
fn facts(pattern: &Pattern, orbits: &Orbits, verbose: bool, style: Style) -> Vec<String> {
    let most = if verbose { usize::MAX } else { 6 };
    let kind = |yes, word| if yes { word } else { "" };
    let mut lines = vec![
        style.bold(pattern.name()),
        format!(
            "{} vertices, {} {}, |Aut| = {}{}",
            pattern.order(),
            pattern.size(),
            if pattern.is_directed() { "arcs" } else { "edges" },
            orbits.group_order(),
            kind(pattern.is_labelled(), ", labelled"),
        ),
    ];
    let vertices: Vec<_> = orbits
        .vertex_orbits()
        .iter()
        .enumerate()
        .map(|(orbit, members)| {
            let name = style.orbit(orbit, &format!("v{orbit} {}", draw::letter(orbit)));
            format!("{name} {}", set(members.iter().map(|v| labelled(pattern, *v)), most))
        })
        .collect();
    lines.extend(wrapped("vertex orbits", &vertices));
    let pair = |sign: &'static str| move |&(a, b): &(usize, usize)| format!("{a}{sign}{b}");
    if !pattern.is_directed() {
        let edges: Vec<_> = edge_orbits(pattern, orbits)
            .iter()
            .enumerate()
            .map(|(at, edges)| format!("e{at} {}", set(edges.iter().map(pair("-")), most)))
            .collect();
        lines.extend(wrapped("edge orbits", &edges));
    }
    let arcs: Vec<_> = orbits
        .arc_orbits()
        .iter()
        .enumerate()
        .map(|(at, arcs)| format!("a{at} {}", set(arcs.iter().map(pair(">")), most)))
        .collect();
    lines.extend(wrapped("arc orbits", &arcs));
    lines
}

/// A vertex with the label it asks for.
fn labelled(pattern: &Pattern, v: usize) -> String {
    pattern.vertex_label(v).map_or_else(|| v.to_string(), |label| format!("{v}@{label}"))
}

/// `{0 1 2 …}`
fn set(members: impl ExactSizeIterator<Item = String>, most: usize) -> String {
    let all = members.len();
    let mut shown: Vec<String> = members.take(most).collect();
    if all > most {
        shown.push("…".into());
    }
    format!("{{{}}}", shown.join(" "))
}

/// Items behind a title, broken into lines that fit beside a drawing.
fn wrapped(title: &str, items: &[String]) -> Vec<String> {
    let room = style::columns().saturating_sub(ROOM.0 + 2 + 15).max(30);
    let mut lines = vec![format!("{title:<15}")];
    let mut used = 0;
    for item in items {
        let width = printed(item) + 2;
        if used > 0 && used + width > room {
            lines.push(" ".repeat(15));
            used = 0;
        }
        let last = lines.last_mut().expect("there is a first line");
        if used > 0 {
            last.push_str("  ");
        }
        last.push_str(item);
        used += width;
    }
    lines
}

/// Columns that a text takes, escape codes left out.
fn printed(text: &str) -> usize {
    let (mut columns, mut inside) = (0, false);
    for letter in text.chars() {
        match letter {
            '\x1b' => inside = true,
            'm' if inside => inside = false,
            _ if inside => {}
            _ => columns += 1,
        }
    }
    columns
}

/// One line a pattern.
fn table(out: &mut impl Write, set: &PatternSet, orbits: &[Orbits]) -> io::Result<()> {
    let name = |pattern: &Pattern| pattern.name().chars().count();
    let width = set.iter().map(name).max().unwrap_or(0).clamp(7, 48);
    let header = ["vertices", "edges", "|Aut|", "v orbits", "e orbits", "a orbits"];
    writeln!(
        out,
        "{:<width$} {:>8} {:>5} {:>20} {:>8} {:>8} {:>8}",
        "pattern", header[0], header[1], header[2], header[3], header[4], header[5]
    )?;
    for (pattern, orbits) in set.iter().zip(orbits) {
        writeln!(
            out,
            "{:<width$} {:>8} {:>5} {:>20} {:>8} {:>8} {:>8}",
            pattern.name(),
            pattern.order(),
            pattern.size(),
            orbits.group_order().to_string(),
            orbits.vertex_count(),
            orbits.edge_count(),
            orbits.arc_count()
        )?;
    }
    Ok(())
}

/// Edges of each edge orbit.
fn edge_orbits(pattern: &Pattern, orbits: &Orbits) -> Vec<Vec<(usize, usize)>> {
    let mut all = vec![Vec::new(); orbits.edge_count()];
    for (a, b) in pattern.edges() {
        all[orbits.edge_of_arc_orbit(orbits.arc(a, b))].push((a, b));
    }
    all
}

fn as_json(set: &PatternSet, orbits: &[Orbits], duplicates: &[Duplicate]) -> Value {
    let one = |(pattern, orbits): (&Pattern, &Orbits)| {
        let edges: Vec<_> = pattern.edges().collect();
        json!({
            "name": pattern.name(),
            "order": pattern.order(),
            "size": pattern.size(),
            "directed": pattern.is_directed(),
            // As text: `star:19` has more automorphisms than a JSON reader's number can hold.
            "automorphisms": orbits.group_order().to_string(),
            "edges": edges,
            "vertex_labels": labels(pattern.has_vertex_labels(), (0..pattern.order()).map(|v| pattern.vertex_label(v))),
            "edge_labels": labels(pattern.has_edge_labels(), edges.iter().map(|&(a, b)| pattern.arc_label(a, b))),
            "vertex_orbits": orbits.vertex_orbits(),
            "edge_orbits": edge_orbits(pattern, orbits),
            "arc_orbits": orbits.arc_orbits(),
        })
    };
    let repeated = |d: &Duplicate| json!({ "name": d.name, "same_as": d.first_name, "counted_once": d.index.is_none() });
    json!({
        "patterns": set.iter().zip(orbits).map(one).collect::<Vec<_>>(),
        "duplicates": duplicates.iter().map(repeated).collect::<Vec<_>>(),
    })
}

/// The labels asked for, or `null` where there are none at all.
fn labels(any: bool, labels: impl Iterator<Item = Option<u32>>) -> Value {
    if any { json!(labels.collect::<Vec<_>>()) } else { Value::Null }
}
