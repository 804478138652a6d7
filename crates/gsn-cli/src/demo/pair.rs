//! First act: decalin and bicyclopentyl, which colour refinement cannot tell apart.

use crate::style::Style;
use gsn_core::wl::{Colouring, refine};
use gsn_core::{CountSpec, Counter, Counts, Graph, Scope};
use gsn_report::draw::{self, terminal};
use std::io::Write;

const ATOMS: usize = 10;
/// Two hexagons that share the bond 0-5.
const DECALIN: [(u32, u32); 11] =
    [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (5, 6), (6, 7), (7, 8), (8, 9), (9, 0)];
/// Two pentagons joined by the bond 0-5.
const BICYCLOPENTYL: [(u32, u32); 11] =
    [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 5), (5, 6), (6, 7), (7, 8), (8, 9), (9, 5)];
const RINGS: [usize; 2] = [5, 6];

/// A molecule with its ring counts.
struct Actor {
    name: &'static str,
    graph: Graph,
    vertex: Counts,
    edge: Counts,
}

impl Actor {
    fn new(name: &'static str, bonds: &[(u32, u32)]) -> anyhow::Result<Self> {
        let graph = Graph::from_edges(ATOMS, bonds.iter().copied())?;
        let spec = CountSpec::new("cycle:5, cycle:6".parse()?);
        let vertex = Counter::new(&spec).count(&graph)?;
        let edge = Counter::new(&spec.with_scope(Scope::Edge)).count(&graph)?;
        Ok(Self { name, graph, vertex, edge })
    }

    /// The sizes of the rings through atom `v`.
    fn rings(&self, v: usize) -> String {
        let row = self.vertex.row(v);
        let sizes: Vec<String> = RINGS
            .iter()
            .zip(row)
            .flat_map(|(size, &count)| (0..count).map(move |_| size.to_string()))
            .collect();
        sizes.join("·")
    }

    fn draw(&self, room: (usize, usize), style: Style) -> Vec<String> {
        let edges: Vec<(usize, usize)> =
            self.graph.edges().map(|(u, v)| (u as usize, v as usize)).collect();
        let places = draw::layout(ATOMS, &edges);
        let label = |v: usize| {
            let colour = self.vertex.row(v)[1] as usize;
            terminal::Label { place: places[v], text: self.rings(v), colour }
        };
        let labels: Vec<_> = (0..ATOMS).map(label).collect();
        terminal::draw(&places, &edges, false, &labels, room, |colour, text| {
            style.orbit(colour, text)
        })
    }

    /// How many rows lie on a ring, and how many of them on more than one.
    fn on_rings(counts: &Counts, column: usize) -> String {
        let (once, more) = counts.column(column).fold((0, 0), |(once, more), count| match count {
            0 => (once, more),
            1 => (once + 1, more),
            _ => (once, more + 1),
        });
        match more {
            0 => format!("{once} of {}", counts.rows()),
            _ => format!("{} of {}, {more} twice", once + more, counts.rows()),
        }
    }
}

/// Vertices of every colour of one graph, most first.
fn class_sizes(colours: &Colouring, graph: usize) -> Vec<u32> {
    let mut sizes: Vec<u32> = colours.histogram(graph).iter().map(|&(_, size)| size).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes
}

/// Both by their names.
pub(crate) fn molecules() -> anyhow::Result<Vec<(&'static str, Graph)>> {
    let of = |name, bonds: &[(u32, u32)]| -> anyhow::Result<_> {
        Ok((name, Graph::from_edges(ATOMS, bonds.iter().copied())?))
    };
    Ok(vec![of("decalin", &DECALIN)?, of("bicyclopentyl", &BICYCLOPENTYL)?])
}

/// Draws both and compares what a plain network and what the counts see.
pub(crate) fn show(out: &mut impl Write, style: Style) -> anyhow::Result<()> {
    let (left, right) =
        (Actor::new("decalin", &DECALIN)?, Actor::new("bicyclopentyl", &BICYCLOPENTYL)?);
    const WIDTH: usize = 37;
    writeln!(
        out,
        "{}\n",
        style.bold("Two molecules that ordinary graph networks cannot tell apart")
    )?;
    let heads = format!("{:^WIDTH$}{:^WIDTH$}", left.name, right.name);
    writeln!(out, "{}", heads.trim_end())?;
    let (a, b) = (left.draw((WIDTH, 9), style), right.draw((WIDTH, 9), style));
    let height = a.len().max(b.len());
    let blank = " ".repeat(WIDTH);
    for row in 0..height {
        let of = |rows: &[String]| {
            let top = (height - rows.len()) / 2;
            row.checked_sub(top).and_then(|at| rows.get(at)).cloned().unwrap_or(blank.clone())
        };
        writeln!(out, "{}", format!("{}{}", of(&a), of(&b)).trim_end())?;
    }
    writeln!(out, "{}\n", style.dim("  An atom shows the sizes of the rings it lies on."))?;

    let seen = refine(&[left.graph.clone(), right.graph.clone()], &[])?;
    let sizes = |graph: usize| {
        let sizes: Vec<String> = class_sizes(&seen, graph).iter().map(u32::to_string).collect();
        sizes.join(" + ") + " atoms"
    };
    let line = |out: &mut dyn Write, title: &str, a: &str, b: &str| {
        writeln!(out, "  {title:<28}{a:<22}{b}").map(|()| a == b)
    };
    writeln!(out, "  {}", style.dim(&format!("{:28}{:22}{}", "", left.name, right.name)))?;
    let same = line(out, "classes of 1-WL", &sizes(0), &sizes(1))?;
    let mut differ = false;
    for (column, size) in RINGS.iter().enumerate() {
        for (what, of) in [("atoms", Scope::Vertex), ("bonds", Scope::Edge)] {
            let counts = |actor: &Actor| match of {
                Scope::Vertex => Actor::on_rings(&actor.vertex, column),
                _ => Actor::on_rings(&actor.edge, column),
            };
            let title = format!("{what} on a {size}-ring");
            differ |= !line(out, &title, &counts(&left), &counts(&right))?;
        }
    }
    anyhow::ensure!(same && differ, "the two molecules do not behave as they should");
    writeln!(
        out,
        "\n  Colour refinement (1-WL), and so every network that only passes messages between\n  \
         neighbours, sees the same thing twice. The ring counts differ at every single atom."
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refinement_sees_one_molecule_and_the_counts_see_two() {
        let left = Actor::new("decalin", &DECALIN).unwrap();
        let right = Actor::new("bicyclopentyl", &BICYCLOPENTYL).unwrap();
        let seen = refine(&[left.graph.clone(), right.graph.clone()], &[]).unwrap();
        assert_eq!(seen.histogram(0), seen.histogram(1));
        assert_eq!(class_sizes(&seen, 0), [4, 4, 2]);
        assert!((0..ATOMS).all(|v| left.vertex.row(v)[0] == 0 && left.vertex.row(v)[1] > 0));
        assert!((0..ATOMS).all(|v| right.vertex.row(v) == [1, 0]));
        assert_eq!(
            (left.rings(0), left.rings(1), right.rings(0)),
            ("6·6".into(), "6".into(), "5".into())
        );
        assert_eq!(Actor::on_rings(&left.vertex, 1), "10 of 10, 2 twice");
    }
}
