//! Second act: MUTAG, counted while you watch.

use super::mutag::{self, Molecule, NITROGEN, OXYGEN};
use crate::style::Style;
use gsn_core::{
    CountSpec, Counter, EdgeOrbits, Graph, Matching, Orbits, Pattern, PatternSet, Scope,
};
use std::io::Write;
use std::time::Instant;

/// What is counted to compare the classes, and what to call it.
fn motifs() -> anyhow::Result<Vec<(&'static str, Pattern)>> {
    let ring = |size: usize| (0..size).map(|v| (v, (v + 1) % size)).collect::<Vec<_>>();
    let mut fused = ring(6);
    fused.extend([(5, 6), (6, 7), (7, 8), (8, 9), (9, 0)]);
    let nitro = Pattern::new("nitro", 3, &[(0, 1), (0, 2)])?
        .with_vertex_label(0, NITROGEN)?
        .with_vertex_label(1, OXYGEN)?
        .with_vertex_label(2, OXYGEN)?;
    Ok(vec![
        ("rings of five", Pattern::new("cycle:5", 5, &ring(5))?),
        ("rings of six", Pattern::new("cycle:6", 6, &ring(6))?),
        ("two fused rings of six", Pattern::new("naphthalene", 10, &fused)?),
        ("nitro groups (N with two O)", nitro),
    ])
}

/// Occurrences of each pattern in each graph.
fn occurrences(graphs: &[Graph], patterns: &[Pattern]) -> anyhow::Result<Vec<Vec<u64>>> {
    let spec = CountSpec::new(PatternSet::from_patterns(patterns.to_vec())?);
    let counter = Counter::new(&spec);
    let firsts: Vec<(usize, u64)> = patterns
        .iter()
        .enumerate()
        .map(|(at, pattern)| {
            let orbits = Orbits::of(pattern, EdgeOrbits::Exact);
            let column = counter.columns().iter().position(|c| c.pattern() == at).unwrap_or(0);
            (column, orbits.vertex_orbits()[0].len() as u64)
        })
        .collect();
    let mut all = Vec::new();
    for counts in counter.count_many(graphs)? {
        // Σ_v x_i(v) = |orbit i| · occurrences
        let of = |&(column, size): &(usize, u64)| counts.column(column).sum::<u64>() / size;
        all.push(firsts.iter().map(of).collect());
    }
    Ok(all)
}

/// Counts, says how long it took, and compares the classes.
pub(crate) fn show(out: &mut impl Write, verbose: bool, style: Style) -> anyhow::Result<()> {
    let molecules = mutag::molecules()?;
    let (atoms, bonds) = molecules.iter().fold((0, 0), |(atoms, bonds), Molecule { graph, .. }| {
        (atoms + graph.order(), bonds + graph.edge_count())
    });
    let classes: Vec<bool> = molecules.iter().map(|m| m.mutagenic).collect();
    let graphs: Vec<Graph> = molecules.into_iter().map(|m| m.graph).collect();
    let title = format!("MUTAG: {} molecules, {atoms} atoms, {bonds} bonds", graphs.len());
    writeln!(out, "{}\n", style.bold(&title))?;

    let motifs = motifs()?;
    let patterns: Vec<Pattern> = motifs.iter().map(|(_, pattern)| pattern.clone()).collect();
    let found = occurrences(&graphs, &patterns)?;
    let members = |class: bool| classes.iter().filter(|&&c| c == class).count();
    let head = [true, false]
        .map(|class| format!("{} ({})", if class { "mutagenic" } else { "not" }, members(class)));
    let head = format!("{:<30}{:<22}{}", "mean number a molecule", head[0], head[1]);
    writeln!(out, "  {}", style.dim(&head))?;
    for (at, (name, _)) in motifs.iter().enumerate() {
        let mean = |class: bool| {
            let own = found.iter().zip(&classes).filter(|(_, c)| **c == class);
            own.map(|(row, _)| row[at]).sum::<u64>() as f64 / members(class) as f64
        };
        let cell = |class: bool| {
            let bar = "█".repeat((4.0 * mean(class)).round() as usize);
            let pad = " ".repeat(16usize.saturating_sub(bar.chars().count()));
            format!("{:5.2} {}{pad}", mean(class), style.orbit(usize::from(class), &bar))
        };
        writeln!(out, "{}", format!("  {name:<30}{}{}", cell(true), cell(false)).trim_end())?;
    }

    let counter = Counter::new(&CountSpec::new("cycle:3..=8".parse()?));
    let views = [
        (Scope::Vertex, Matching::Induced),
        (Scope::Arc, Matching::Induced),
        (Scope::Vertex, Matching::Subgraph),
        (Scope::Arc, Matching::Subgraph),
    ];
    if verbose {
        writeln!(out, "\n  Plan for the first molecule:\n{}", counter.plan(&graphs[0])?)?;
    }
    // The first count also prepares the kernels and wakes the threads.
    counter.count_views(&graphs[0], &views)?;
    let start = Instant::now();
    let mut numbers = 0;
    for counts in counter.count_views_each(&graphs, &views) {
        numbers += counts?.iter().map(|table| table.values().len()).sum::<usize>();
    }
    let seconds = start.elapsed().as_secs_f64();
    writeln!(
        out,
        "\n  All cycles of 3 to 8 atoms, around every atom and along every bond in both directions,\n  \
         induced and not: {} exact numbers in {:.2} ms on {} thread{},\n  {} molecules a second.",
        grouped(numbers as f64),
        seconds * 1e3,
        rayon::current_num_threads(),
        if rayon::current_num_threads() == 1 { "" } else { "s" },
        grouped((graphs.len() as f64 / seconds.max(1e-9)).round())
    )?;
    Ok(())
}

/// A whole number with its digits in groups of three.
fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped() {
        assert_eq!(grouped(999.0), "999");
        assert_eq!(grouped(1234567.0), "1,234,567");
    }

    #[test]
    fn occurrences_are_counted_once() {
        let motifs = motifs().unwrap();
        let patterns: Vec<Pattern> = motifs.into_iter().map(|(_, pattern)| pattern).collect();
        let graphs: Vec<Graph> = mutag::molecules().unwrap().into_iter().map(|m| m.graph).collect();
        let found = occurrences(&graphs, &patterns).unwrap();
        // The first molecule: three fused rings of six and one nitro group.
        assert_eq!(found[0], [0, 3, 2, 1]);
    }
}
