//! Our featurisations of SMILES against the featurised benchmark files, molecule by molecule.

use super::{lines, store};
use gsn_core::Graph;
use gsn_io::{Chematic, Featurisation, MoleculeReader};
use gsn_lab::{Sample, molecules};
use gsn_nn::Features;
use gsn_tests::benchmarks;
use rayon::prelude::*;

/// The column `name` of a packed CSV file without quotes.
fn column(file: &str, name: &str) -> Vec<String> {
    let mut lines = lines(&benchmarks().join(file)).inspect(|line| assert!(!line.contains('"')));
    let at = lines.next().unwrap().split(',').position(|column| column == name).unwrap();
    lines.map(|line| line.split(',').nth(at).unwrap().to_owned()).collect()
}

fn rows(features: &Features) -> &[u32] {
    match features {
        Features::Categories { data, .. } => data,
        Features::Values { .. } => panic!("molecules have categories"),
    }
}

/// A molecule to be compared: its graph and, for every vertex, what must be equal.
struct Labelled<'a> {
    graph: &'a Graph,
    labels: Vec<u64>,
}

impl<'a> Labelled<'a> {
    /// Atom type and sum of bond orders, which another Kekulé form does not change, refined by the
    /// neighbours until it tells most atoms apart.
    fn new(graph: &'a Graph, vertex: &Features, arc: &Features) -> Self {
        let n = graph.order() as u32;
        let orders =
            |v: u32| graph.arcs_of(v).map(|arc_id| u64::from(rows(arc)[arc_id])).sum::<u64>();
        let atom = |v: u32| u64::from(rows(vertex)[v as usize]);
        let mut labels: Vec<u64> = (0..n).map(|v| 64 * orders(v) + atom(v)).collect();
        for _ in 0..12 {
            let mixed = |v: u32| {
                let around = graph.neighbors(v).iter().map(|&w| mix(labels[w as usize]));
                mix(labels[v as usize])
                    .wrapping_mul(3)
                    .wrapping_add(around.fold(0, u64::wrapping_add))
            };
            labels = (0..n).map(mixed).collect();
        }
        Self { graph, labels }
    }

    /// Whether there is a way to map vertices `0..` that extends `image`.
    fn maps_to(&self, other: &Self, image: &mut Vec<u32>) -> bool {
        let v = image.len() as u32;
        if v as usize == self.graph.order() {
            return true;
        }
        (0..other.graph.order() as u32).any(|w| {
            let fits = self.labels[v as usize] == other.labels[w as usize]
                && !image.contains(&w)
                && (0..v)
                    .all(|u| self.graph.has_arc(u, v) == other.graph.has_arc(image[u as usize], w));
            if !fits {
                return false;
            }
            image.push(w);
            let found = self.maps_to(other, image);
            if !found {
                image.pop();
            }
            found
        })
    }
}

fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 31)).wrapping_mul(0x7fb5_d329_728e_a185);
    (x ^ (x >> 27)).wrapping_mul(0x81da_def4_bc2d_d44d)
}

/// Whether the SMILES and the sample are the same molecule, atoms perhaps in another order and
/// bonds in rings perhaps in another Kekulé form.
fn agrees(smiles: &str, sample: &Sample) -> Result<(), String> {
    let (ours, features) = Chematic.featurise(smiles, Featurisation::Zinc)?;
    if features.unknown > 0 {
        return Err("an atom of no known type".into());
    }
    let our = molecules::features(features);
    let (one, other) = (&ours, &sample.graph);
    if (one.order(), one.edge_count()) != (other.order(), other.edge_count()) {
        return Err("another size".into());
    }
    let triple = |arcs: &Features| rows(arcs).iter().filter(|&&bond| bond == 3).count();
    let (vertex, arc) = (sample.vertex.as_ref().unwrap(), sample.arc.as_ref().unwrap());
    let one = Labelled::new(one, &our.0, &our.1);
    let other = Labelled::new(other, vertex, arc);
    if triple(&our.1) == triple(arc) && one.maps_to(&other, &mut Vec::new()) {
        return Ok(());
    }
    Err("another molecule".into())
}

#[test]
#[cfg_attr(not(data = "zinc12k"), ignore = "needs zinc12k in GSN_DATA")]
fn zinc_is_read_from_smiles_as_it_was_published() {
    let smiles = column("zinc12k/zinc12k_smiles.csv.gz", "smiles");
    let set = store().load("ZINC-12k").unwrap();
    assert_eq!(smiles.len(), set.samples.len());
    let wrong: Vec<String> = smiles
        .par_iter()
        .zip(&set.samples)
        .filter_map(|(smiles, sample)| {
            let why = agrees(smiles, sample).err()?;
            Some(format!("{}: {why}: {smiles}", sample.row))
        })
        .collect();
    wrong.iter().take(20).for_each(|line| println!("{line}"));
    assert_eq!(wrong.len(), 0, "of {}", smiles.len());
}

#[test]
#[cfg_attr(not(data = "ogbg-molhiv"), ignore = "needs ogbg-molhiv in GSN_DATA")]
fn hiv_is_read_from_smiles_as_ogb_reads_it() {
    let smiles = column("ogbg-molhiv/HIV.csv.gz", "smiles");
    let set = store().load("ogbg-molhiv").unwrap();
    assert_eq!(smiles.len(), set.samples.len());
    let differs = |(smiles, sample): (&String, &Sample)| {
        let (graph, ours) = match Chematic.featurise(smiles, Featurisation::Ogb) {
            Ok(ours) => ours,
            Err(why) => return Some(format!("{}: refused ({why}): {smiles}", sample.row)),
        };
        if graph.order() != sample.graph.order() || !graph.arcs().eq(sample.graph.arcs()) {
            return Some(format!("{}: another graph: {smiles}", sample.row));
        }
        let how = Featurisation::Ogb;
        let (vertex, arc) = molecules::features(ours);
        let mut cells = Vec::new();
        for (ours, theirs, names) in
            [(&vertex, &sample.vertex, how.vertex_names()), (&arc, &sample.arc, how.arc_names())]
        {
            let pairs = rows(ours).iter().zip(rows(theirs.as_ref().unwrap())).enumerate();
            cells.extend(pairs.filter(|(_, (a, b))| a != b).map(|(at, (a, b))| {
                format!("{} {} {b} read as {a}", names[at % names.len()], at / names.len())
            }));
        }
        (!cells.is_empty()).then(|| format!("{}: {}: {smiles}", sample.row, cells.join(", ")))
    };
    let wrong: Vec<String> = smiles.par_iter().zip(&set.samples).filter_map(differs).collect();
    wrong.iter().for_each(|line| println!("{line}"));
    println!("{} of {} molecules differ", wrong.len(), smiles.len());
    assert!(1000 * wrong.len() <= smiles.len(), "{} of {}", wrong.len(), smiles.len());
}
