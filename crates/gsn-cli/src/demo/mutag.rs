//! MUTAG, carried by the program: 188 molecules with atoms, bonds and classes.

use anyhow::{Context, ensure};
use gsn_core::{Graph, GraphBuilder};

/// Label of nitrogen atoms.
pub(crate) const NITROGEN: u32 = 1;
/// Label of oxygen atoms.
pub(crate) const OXYGEN: u32 = 2;

/// One molecule.
pub(crate) struct Molecule {
    /// Atoms without hydrogen, labelled by element, and bonds, labelled by kind.
    pub(crate) graph: Graph,
    /// Whether it changes the genes of a bacterium.
    pub(crate) mutagenic: bool,
}

/// All molecules in the order of the collection.
pub(crate) fn molecules() -> anyhow::Result<Vec<Molecule>> {
    let text = gsn_lab::catalogue::carried_file("tud/MUTAG/MUTAG_bonds.txt")?
        .context("this program was built without the cargo feature `carried-data`")?;
    let text = String::from_utf8(text).context("the carried MUTAG is damaged")?;
    text.lines().filter(|line| !line.starts_with('#')).map(molecule).collect()
}

/// `class atoms u-v:kind u-v:kind …`
fn molecule(line: &str) -> anyhow::Result<Molecule> {
    let mut words = line.split(' ');
    let class = words.next().unwrap_or_default();
    ensure!(class == "1" || class == "-1", "a class is 1 or -1, not `{class}`");
    let atoms = words.next().context("a molecule has atoms")?;
    let labels: Option<Vec<u32>> = atoms.chars().map(|atom| atom.to_digit(10)).collect();
    let labels = labels.context("atoms are digits")?;
    let mut builder = GraphBuilder::undirected(labels.len());
    for word in words {
        let bond = || {
            let (ends, kind) = word.split_once(':')?;
            let (u, v) = ends.split_once('-')?;
            Some((u.parse().ok()?, v.parse().ok()?, kind.parse().ok()?))
        };
        let (u, v, kind) = bond().with_context(|| format!("`{word}` is not a bond"))?;
        builder.labelled_edge(u, v, kind);
    }
    builder.vertex_labels(labels);
    Ok(Molecule { graph: builder.build()?, mutagenic: class == "1" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_carried_molecules_are_those_of_the_collection() {
        let all = molecules().unwrap();
        assert_eq!(all.len(), 188);
        assert_eq!(all.iter().filter(|m| m.mutagenic).count(), 125);
        assert_eq!(all.iter().map(|m| m.graph.order()).sum::<usize>(), 3371);
        assert_eq!(all.iter().map(|m| m.graph.edge_count()).sum::<usize>(), 7442 / 2);
        let labelled = |label| {
            all.iter()
                .flat_map(|m| m.graph.vertex_labels().unwrap())
                .filter(|&&l| l == label)
                .count()
        };
        assert_eq!((labelled(0), labelled(NITROGEN), labelled(OXYGEN)), (2395, 345, 593));
        let bonds = |kind| {
            all.iter().flat_map(|m| m.graph.arc_labels().unwrap()).filter(|&&l| l == kind).count()
        };
        assert_eq!([0, 1, 2, 3].map(bonds), [4708, 2008, 724, 2]);
    }
}
