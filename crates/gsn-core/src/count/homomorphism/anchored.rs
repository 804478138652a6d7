//! Blocks: what neither folding nor splitting takes apart, such as cycles of four vertices or
//! more.
//!
//! Some vertices, the *anchors*, are chosen so that without them no cycle is left. Loops run over
//! the images of the anchors, and inside them the rest is trees, whose maps are counted from the
//! leaves up, one row for every vertex of a tree. One anchor does for most patterns of treewidth
//! two; the bags of the decomposition are an edge of a tree and the anchors.

use super::anchors::{self, Sketch};
use super::expression::{
    Expressions, Function, Gathering, Loop, ONE, ONE_ARC, Place, Row, RowForm, Scalar, ScalarForm,
    TOP,
};
use super::shape::{Root, Shape};
use crate::pattern::bits;

/// The number of maps of a block as a function of the image of its root, whose own functions are
/// left out.
pub(super) fn block(shape: &Shape, root: Root, all: &mut Expressions) -> Function {
    let mut nest = Nest::new(shape, root, anchors::choose(shape, root), all);
    match root {
        Root::Vertex(r) => {
            let place = match nest.loop_of(r) {
                Some(at) => Place::Vertex(at),
                None => Place::Row(nest.tree_row(r)),
            };
            nest.gather(place)
        }
        Root::Arc(r, s) => match (nest.loop_of(r), nest.loop_of(s)) {
            (Some(first), Some(second)) => nest.gather(Place::Arc(first, second)),
            (Some(first), None) => {
                let row = nest.tree_row(s);
                nest.gather(Place::ArcsFrom(first, row))
            }
            (None, Some(second)) => {
                let row = nest.tree_row(r);
                let back = nest.gather(Place::ArcsFrom(second, row));
                nest.all.reverse(back)
            }
            (None, None) => {
                let (one, other) = (nest.row(r, Some(s)), nest.row(s, Some(r)));
                nest.gather(Place::Arcs(one, ONE_ARC, other))
            }
        },
    }
}

/// The loops over the anchors of a block, and the trees inside.
struct Nest<'a> {
    shape: Shape,
    root: Root,
    sketch: Sketch,
    /// The loop of each anchor.
    loops: Vec<Loop>,
    all: &'a mut Expressions,
}

impl<'a> Nest<'a> {
    fn new(shape: &Shape, root: Root, anchors: Vec<usize>, all: &'a mut Expressions) -> Self {
        let shape = shape.part(shape.alive, root);
        let sketch = Sketch::new(&shape, anchors);
        let mut nest = Self { shape, root, sketch, loops: vec![TOP], all };
        for at in 1..nest.sketch.anchors.len() {
            let row = nest.domain(at);
            let parent = nest.loops[at - 1];
            let inner = nest.all.nested(parent, row);
            nest.loops.push(inner);
        }
        nest
    }

    fn loop_of(&self, v: usize) -> Option<Loop> {
        let at = self.sketch.anchors.iter().position(|&anchor| anchor == v)?;
        Some(self.loops[at])
    }

    /// The row of the vertices that an anchor may be sent to, given the anchors before it.
    fn domain(&mut self, at: usize) -> Row {
        let anchor = self.sketch.anchors[at];
        let masks = self.masks(anchor, at);
        if !masks.is_empty() {
            return self.all.row(RowForm::Join { rows: masks, steps: Vec::new(), weight: ONE });
        }
        // Not next to any of them: it is as many steps away from one as in the pattern.
        let (from, distance) = self.sketch.nearest(&self.shape, at);
        let of = self.loops[from];
        let mut row = self.all.row(RowForm::Edge { of, along: ONE_ARC, weight: ONE });
        for _ in 1..distance {
            row = self.all.row(RowForm::Reach { of: row });
        }
        row
    }

    /// The rows of the arcs from the first anchors to a vertex.
    fn masks(&mut self, v: usize, first: usize) -> Vec<Row> {
        let mut masks = Vec::new();
        for at in 0..first {
            let anchor = self.sketch.anchors[at];
            if self.shape.around(v) >> anchor & 1 == 1 {
                let (of, along) = (self.loops[at], self.shape.arc(anchor, v));
                masks.push(self.all.row(RowForm::Edge { of, along, weight: ONE }));
            }
        }
        masks
    }

    /// The row of a tree vertex: maps of it and of what hangs on it, away from its parent.
    fn row(&mut self, v: usize, parent: Option<usize>) -> Row {
        let children: Vec<usize> = bits(self.sketch.children(&self.shape, v, parent)).collect();
        let weight = self.shape.weight(v);
        let mut masks = self.masks(v, self.sketch.anchors.len());
        if let ([only], true) = (&masks[..], children.is_empty())
            && let RowForm::Edge { of, along, .. } = self.all.rows()[*only as usize]
        {
            return self.all.row(RowForm::Edge { of, along, weight });
        }
        let mut steps = Vec::new();
        for child in children {
            let along = self.shape.arc(child, v);
            let of = self.row(child, Some(v));
            steps.push((of, along));
        }
        if masks.is_empty() {
            let step = |(of, along)| RowForm::Step { of, along };
            let rows = steps.into_iter().map(|one| self.all.row(step(one))).collect();
            return self.all.row(RowForm::Join { rows, steps: Vec::new(), weight });
        }
        if masks.len() > 1 {
            // Common neighbours serve many patterns.
            let common = RowForm::Join { rows: masks, steps: Vec::new(), weight: ONE };
            masks = vec![self.all.row(common)];
        }
        self.all.row(RowForm::Join { rows: masks, steps, weight })
    }

    /// The row of a tree vertex as the root of its tree.
    fn tree_row(&mut self, v: usize) -> Row {
        self.row(v, None)
    }

    /// The number of maps of a tree, counted from where that is cheapest.
    fn tree(&mut self, tree: u64) -> Scalar {
        match self.sketch.best_middle(&self.shape, tree) {
            (v, None) => {
                let row = self.row(v, None);
                let dot = match &self.all.rows()[row as usize] {
                    RowForm::Join { rows, steps, weight: ONE } if steps.is_empty() => {
                        if let [one, other] = rows[..] { Some((one, other)) } else { None }
                    }
                    _ => None,
                };
                match dot {
                    Some((one, other)) => self.all.scalar(ScalarForm::Dot(one, other)),
                    None => self.all.scalar(ScalarForm::Sum(row)),
                }
            }
            (v, Some(w)) => {
                let (one, other) = (self.row(v, Some(w)), self.row(w, Some(v)));
                let along = self.shape.arc(v, w);
                self.all.scalar(ScalarForm::Across(one, along, other))
            }
        }
    }

    /// What the innermost loop adds at a place: all trees but the root's, and the anchors.
    fn gather(&mut self, place: Place) -> Function {
        let trees = self.sketch.trees.clone();
        let root = self.root.set();
        let rest = trees.into_iter().filter(|tree| tree & root == 0);
        let factors: Vec<Scalar> = rest.map(|tree| self.tree(tree)).collect();
        let anchors = self.sketch.anchors.iter();
        let weights = self.loops.iter().copied().zip(anchors.map(|&a| self.shape.weight(a)));
        let gathering = Gathering {
            inside: self.loops[self.loops.len() - 1],
            factors,
            weights: weights.collect(),
            place,
        };
        self.all.gathered(gathering)
    }
}
