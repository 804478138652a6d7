//! A picture of one graph or molecule: what is drawn, what is highlighted, how large it may be.

use super::colour::Colour;
use super::figure;
use super::place::{Chemistry, layout, molecule_layout};
use super::plane::Point;
use gsn_core::{Graph, Pattern};
use gsn_io::{Chematic, DrawnMolecule, MoleculeReader};
use std::collections::BTreeMap;

/// How a vertex is shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mark {
    /// A dot, with a name in or beside it.
    Dot(Option<String>),
    /// The letters of an atom; none for a carbon atom in a chain.
    Atom(Option<Letters>),
}

/// What is written at an atom.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Letters {
    pub(super) symbol: String,
    pub(super) isotope: Option<u16>,
    pub(super) hydrogens: u8,
    pub(super) charge: i8,
}

/// How an edge is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stroke {
    /// A thin line.
    Edge,
    /// A thin line with a head at its second end.
    Arrow,
    /// A bond of 1 to 4 lines.
    Bond(u8),
    /// A bond with a dashed line inside its ring.
    Aromatic,
}

/// A colour and a text for the mouse.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Note {
    pub(super) colour: Colour,
    pub(super) title: String,
}

/// A picture of a graph or molecule. The same input gives the same bytes on every machine.
///
/// ```
/// use gsn_core::Graph;
/// use gsn_report::draw::{Colour, Drawing};
/// let graph = Graph::from_edges(4, [(0, 1), (1, 2), (2, 0), (2, 3)])?;
/// let mut drawing = Drawing::of_graph(&graph).with_title("a triangle with a tail");
/// for v in 0..3 {
///     drawing.highlight_vertex(v, Colour::Number(0), "in the triangle");
/// }
/// let svg = drawing.svg();
/// assert!(svg.starts_with("<svg ") && svg.contains("<title>in the triangle</title>"));
/// # Ok::<(), gsn_core::graph::GraphError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    pub(super) places: Vec<Point>,
    pub(super) marks: Vec<Mark>,
    pub(super) edges: Vec<((usize, usize), Stroke)>,
    pub(super) vertices: BTreeMap<usize, Note>,
    pub(super) highlighted: BTreeMap<(usize, usize), Note>,
    pub(super) title: Option<String>,
    pub(super) room: (f64, f64),
}

/// Width and height that a drawing may take if nothing else is said.
const ROOM: (f64, f64) = (360.0, 280.0);

impl Drawing {
    fn new(places: Vec<Point>, marks: Vec<Mark>, edges: Vec<((usize, usize), Stroke)>) -> Self {
        let (vertices, highlighted) = (BTreeMap::new(), BTreeMap::new());
        Self { places, marks, edges, vertices, highlighted, title: None, room: ROOM }
    }

    /// Vertices as dots; arcs of directed graphs have heads.
    pub fn of_graph(graph: &Graph) -> Self {
        let pairs = graph.edges().map(|(a, b)| (a as usize, b as usize));
        let stroke = if graph.is_directed() { Stroke::Arrow } else { Stroke::Edge };
        Self::of_edges(graph.order(), pairs.collect(), stroke)
    }

    /// A pattern without its orbits; [`sheet`](super::sheet) shows these.
    pub fn of_pattern(pattern: &Pattern) -> Self {
        let stroke = if pattern.is_directed() { Stroke::Arrow } else { Stroke::Edge };
        Self::of_edges(pattern.order(), pattern.edges().collect(), stroke)
    }

    fn of_edges(order: usize, edges: Vec<(usize, usize)>, stroke: Stroke) -> Self {
        let places = layout(order, &edges);
        let edges = edges.into_iter().map(|ends| (ends, stroke)).collect();
        Self::new(places, vec![Mark::Dot(None); order], edges)
    }

    /// A molecule as chemists draw it. Vertices have the numbers they have in the graph of the
    /// same SMILES.
    ///
    /// ```
    /// # #[cfg(feature = "chemistry")] {
    /// use gsn_io::{Chematic, MoleculeReader};
    /// let aspirin = Chematic.drawn("CC(=O)Oc1ccccc1C(=O)O")?;
    /// let svg = gsn_report::draw::Drawing::of_molecule(&aspirin).svg();
    /// assert!(svg.contains(">O</text>"));
    /// # }
    /// # Ok::<(), String>(())
    /// ```
    pub fn of_molecule(molecule: &DrawnMolecule) -> Self {
        let order = molecule.atoms.len();
        let bonds: Vec<(usize, usize)> = molecule.bonds.iter().map(|bond| bond.ends).collect();
        let mut lines = vec![0; order];
        let mut most = vec![0; order];
        let mut degree = vec![0; order];
        for bond in &molecule.bonds {
            for v in [bond.ends.0, bond.ends.1] {
                degree[v] += 1;
                lines[v] += bond.order;
                most[v] = most[v].max(bond.order);
            }
        }
        // A triple bond, or two double bonds at one atom, are straight.
        let straight =
            (0..order).map(|v| degree[v] == 2 && (most[v] == 3 || lines[v] == 4)).collect();
        let chemistry = Chemistry { straight, sides: molecule.sides.clone() };
        let letters = |(v, atom): (usize, &gsn_io::DrawnAtom)| {
            let plain = atom.element == 6 && atom.charge == 0 && atom.isotope.is_none();
            Mark::Atom((!plain || degree[v] == 0).then(|| Letters {
                symbol: atom.symbol.clone(),
                isotope: atom.isotope,
                hydrogens: atom.hydrogens,
                charge: atom.charge,
            }))
        };
        let marks = molecule.atoms.iter().enumerate().map(letters).collect();
        let edges = molecule.bonds.iter().map(|bond| (bond.ends, Stroke::Bond(bond.order)));
        Self::new(molecule_layout(order, &bonds, &chemistry), marks, edges.collect())
    }

    /// The molecule of a SMILES.
    ///
    /// # Errors
    /// Why it is no molecule, for the user to read.
    pub fn of_smiles(smiles: &str) -> Result<Self, String> {
        Ok(Self::of_molecule(&Chematic.drawn(smiles)?).with_title(smiles))
    }

    /// A graph whose vertex labels are atomic numbers and whose edge labels are kinds of bonds, as readers of molecules
    /// give them: 1, 2, 3, 4 aromatic. Hydrogens and charges are not known then and not drawn.
    pub fn of_molecule_graph(graph: &Graph) -> Self {
        let order = graph.order();
        let bonds: Vec<(usize, usize)> =
            graph.edges().map(|(a, b)| (a as usize, b as usize)).collect();
        let kind = |&(a, b): &(usize, usize)| {
            let arc = graph.arc_id(a as u32, b as u32)?;
            graph.arc_labels().map(|labels| labels[arc])
        };
        let stroke = |ends: &(usize, usize)| match kind(ends) {
            Some(order @ 2..=3) => Stroke::Bond(order as u8),
            Some(4) => Stroke::Aromatic,
            Some(5) => Stroke::Bond(4),
            _ => Stroke::Bond(1),
        };
        let triple = |v: usize| {
            let mine = bonds.iter().filter(|&&(a, b)| a == v || b == v);
            mine.clone().count() == 2 && mine.clone().any(|ends| kind(ends) == Some(3))
        };
        let chemistry = Chemistry { straight: (0..order).map(triple).collect(), sides: vec![] };
        let letters = |v: usize| {
            let element = graph.vertex_labels().map_or(6, |labels| labels[v]);
            let symbol = super::element::symbol(element);
            let (isotope, hydrogens, charge) = (None, 0, 0);
            Mark::Atom((element != 6).then_some(Letters { symbol, isotope, hydrogens, charge }))
        };
        let marks = (0..order).map(letters).collect();
        let edges = bonds.iter().map(|ends| (*ends, stroke(ends))).collect();
        Self::new(molecule_layout(order, &bonds, &chemistry), marks, edges)
    }

    /// What the picture is called; browsers show it under the mouse and read it aloud.
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Names in the order of the vertices; atoms keep their letters. Missing ones stay without.
    pub fn with_names(mut self, names: impl IntoIterator<Item = String>) -> Self {
        for (mark, name) in self.marks.iter_mut().zip(names) {
            if let Mark::Dot(shown) = mark {
                *shown = Some(name);
            }
        }
        self
    }

    /// The most pixels that the picture takes across and down; it is never made larger than its
    /// natural size.
    pub fn with_room(mut self, width: f64, height: f64) -> Self {
        self.room = (width.max(16.0), height.max(16.0));
        self
    }

    /// Colours a vertex; `title` is shown under the mouse. A vertex that is not there is left alone.
    pub fn highlight_vertex(&mut self, v: usize, colour: Colour, title: impl Into<String>) {
        if v < self.places.len() {
            self.vertices.insert(v, Note { colour, title: title.into() });
        }
    }

    /// Colours an edge; an edge that is not there is left alone.
    pub fn highlight_edge(&mut self, a: usize, b: usize, colour: Colour, title: impl Into<String>) {
        let pairs = [(a, b), (b, a)];
        let found = self.edges.iter().find(|(ends, stroke)| {
            *ends == pairs[0] || *ends == pairs[1] && *stroke != Stroke::Arrow
        });
        if let Some(&(ends, _)) = found {
            self.highlighted.insert(ends, Note { colour, title: title.into() });
        }
    }

    /// Where the vertices are; edges are 1 long in the mean.
    pub fn places(&self) -> &[Point] {
        &self.places
    }

    /// The edges, as they are drawn.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.edges.iter().map(|(ends, _)| *ends)
    }

    /// The picture as an element of a page, in the colour of the text around it.
    pub fn svg(&self) -> String {
        figure::svg(self, false).0
    }

    /// The picture as a file of its own, with a background that follows the reader's choice of
    /// light or dark.
    pub fn document(&self) -> String {
        figure::svg(self, true).0
    }
}
