//! Single graphs and molecules as pictures for a page.

use crate::draw::{Colour, Drawing};
use crate::html::{Html, tag};
use gsn_core::Graph;
use gsn_lab::chart::clipped;

/// Vertices of a graph that is drawn, at most.
pub(crate) const MOST: usize = 120;
/// Pixels across and down, at most.
const ROOM: (f64, f64) = (230.0, 160.0);

/// The graph of a row, as a molecule if its SMILES is known, or why there is no picture of it.
pub(crate) fn of_row(graph: Option<&Graph>, smiles: &str, name: &str) -> Html {
    let fits = |drawing: &Drawing| {
        let atoms = drawing.places().len();
        atoms <= MOST && graph.is_none_or(|graph| graph.order() == atoms)
    };
    let molecule = Some(smiles).filter(|text| !text.is_empty());
    let molecule = molecule.and_then(|text| Drawing::of_smiles(text).ok()).filter(fits);
    match (molecule, graph) {
        (Some(molecule), _) => shown(molecule, name),
        (None, Some(graph)) if graph.order() <= MOST => shown(labelled(graph), name),
        (None, Some(graph)) => remark(format!("{} vertices are too many to draw", graph.order())),
        (None, None) => remark("the graph is not here".into()),
    }
}

/// A drawing in the size of a page's figures.
pub(crate) fn shown(drawing: Drawing, name: &str) -> Html {
    let title = clipped(name, 80);
    Html::picture(&drawing.with_title(title.as_ref()).with_room(ROOM.0, ROOM.1).svg(), name)
}

/// A graph whose vertices are coloured by their labels.
fn labelled(graph: &Graph) -> Drawing {
    let mut drawing = Drawing::of_graph(graph);
    for (v, &label) in graph.vertex_labels().unwrap_or_default().iter().enumerate() {
        drawing.highlight_vertex(v, Colour::Number(label as usize), format!("label {label}"));
    }
    drawing
}

fn remark(text: String) -> Html {
    tag("p").class("remark").with(text).into()
}
