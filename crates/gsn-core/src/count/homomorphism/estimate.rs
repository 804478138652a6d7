//! How many steps a program takes in a graph.
//!
//! What a row costs depends on how many vertices are one, two, three steps away from the vertices
//! of the loops. That is measured around a few vertices; rows are then priced by how far they
//! reach.

use super::columns::Columns;
use super::expression::{FunctionForm, Loop, Place, RowForm, ScalarForm, TOP};
use super::program::Program;
use crate::count::budget::out_of_patience;
use crate::count::probe::fixed_random;
use crate::graph::Graph;

/// Steps from a vertex up to which its surroundings are measured; farther is taken for the same.
const REACH: usize = 3;
/// Vertices around which is measured, at most, and one for how many there are.
const SAMPLES: usize = 16;
const SHARE: usize = 32;
/// Vertices between two looks at whether somebody still waits.
const PERIOD: usize = 1 << 10;

/// How many vertices are around a vertex, and the sum of their degrees.
#[derive(Clone, Copy, Default)]
struct Size {
    vertices: f64,
    degrees: f64,
}

/// What is known of a graph.
struct Profile {
    order: f64,
    arcs: f64,
    /// Ends of walks of 1, 2, 3 steps.
    around: [Size; REACH + 1],
    /// Degree of a vertex that is met by an arc.
    met: f64,
    /// Common neighbours of two vertices that have some.
    common: f64,
}

impl Profile {
    fn of(graph: &Graph, reach: usize) -> Self {
        let n = graph.order();
        let (order, arcs) = (n.max(1) as f64, graph.arc_count() as f64);
        let squares: f64 = (0..n as u32).map(|v| (graph.degree(v) as f64).powi(2)).sum();
        let mut around = [Size { vertices: order, degrees: arcs }; REACH + 1];
        around[0] = Size { vertices: 1.0, degrees: arcs / order };
        around[1] = Size { vertices: arcs / order, degrees: squares / order };
        if reach > 1 && n > 0 {
            let samples = (n / SHARE).clamp(1, SAMPLES);
            let mut random = fixed_random();
            let mut sums = [Size::default(); REACH + 1];
            let mut seen = vec![0u32; n];
            let (mut near, mut next) = (Vec::new(), Vec::new());
            for sample in 0..samples {
                near.clear();
                near.push(random.below(n) as u32);
                for (step, sum) in sums.iter_mut().enumerate().take(reach.min(REACH) + 1).skip(1) {
                    next.clear();
                    let mark = (sample * (REACH + 1) + step) as u32;
                    for (at, &v) in near.iter().enumerate() {
                        if at % PERIOD == PERIOD - 1 && out_of_patience() {
                            break;
                        }
                        for &w in graph.neighbors(v).iter().chain(backward(graph, v)) {
                            if seen[w as usize] != mark {
                                seen[w as usize] = mark;
                                next.push(w);
                                sum.vertices += 1.0;
                                sum.degrees += graph.degree(w) as f64;
                            }
                        }
                    }
                    std::mem::swap(&mut near, &mut next);
                }
            }
            for step in 2..=reach.min(REACH) {
                let mean = |sum: f64| sum / samples as f64;
                let Size { vertices, degrees } = sums[step];
                around[step] = Size { vertices: mean(vertices), degrees: mean(degrees) };
            }
        }
        let met = squares / arcs.max(1.0);
        let common = (squares / order / around[2].vertices.max(1.0)).max(0.1);
        Self { order, arcs, around, met, common }
    }

    fn around(&self, steps: usize) -> Size {
        self.around[steps.min(REACH)]
    }
}

/// The vertices that point to one, in a directed graph.
fn backward(graph: &Graph, v: u32) -> &[u32] {
    if graph.is_directed() { graph.in_neighbors(v) } else { &[] }
}

/// A row: how far it reaches from the loops, how large it is, whose it is.
#[derive(Clone, Copy)]
struct RowGuess {
    reach: usize,
    size: Size,
    of: Loop,
}

/// Predicted steps.
pub(super) fn steps(program: &Program, columns: &Columns, graph: &Graph) -> f64 {
    let all = &program.expressions;
    let mut reach = vec![0; all.rows().len()];
    for (at, form) in all.rows().iter().enumerate() {
        reach[at] = match form {
            RowForm::Edge { .. } => 1,
            RowForm::Step { of, .. } | RowForm::Reach { of } => reach[*of as usize] + 1,
            RowForm::Join { rows, .. } => {
                rows.iter().map(|&row| reach[row as usize]).min().unwrap_or(1)
            }
        };
    }
    let farthest = reach.iter().copied().max().unwrap_or(0);
    let profile = Profile::of(graph, farthest);
    let mut total = profile.arcs;
    for stage in &program.stages {
        for &function in &stage.functions {
            total += match all.form(function) {
                FunctionForm::NeighborSum { .. } => profile.order + profile.arcs,
                FunctionForm::Triangle { .. } => {
                    profile.arcs * profile.met.min(profile.arcs.sqrt()) / 4.0
                }
                _ if all.is_arc(function) => profile.arcs,
                _ => profile.order,
            };
        }
        let Some(pass) = &stage.pass else { continue };
        let needed = program.rows_and_scalars(pass);
        let mut rounds = vec![0.0; all.loops().len()];
        rounds[TOP as usize] = profile.order;
        let mut rows: Vec<RowGuess> = Vec::with_capacity(all.rows().len());
        for (at, form) in all.rows().iter().enumerate() {
            let of = all.loop_of_row(at as u32);
            let (size, cost) = row(&profile, &rows, form, reach[at], of);
            rows.push(RowGuess { reach: reach[at], size, of });
            // Loops around come before the loops and the rows inside.
            for (l, inner) in all.loops().iter().enumerate() {
                if let Some((around, domain)) = inner.domain
                    && domain as usize == at
                {
                    rounds[l] = rounds[around as usize] * size.vertices;
                }
            }
            if needed.0.contains(&(at as u32)) {
                total += rounds[of as usize] * (1.0 + cost);
            }
        }
        for &scalar in &needed.1 {
            let cost = match all.scalars()[scalar as usize] {
                ScalarForm::Sum(row) => rows[row as usize].size.vertices,
                ScalarForm::Dot(one, other) => {
                    let [one, other] = [one, other].map(|row| rows[row as usize].size.vertices);
                    one.min(other)
                }
                ScalarForm::Across(one, _, other) => {
                    let [one, other] = [one, other].map(|row| rows[row as usize].size.degrees);
                    one.min(other)
                }
            };
            total += rounds[all.loop_of_scalar(scalar) as usize] * (1.0 + cost);
        }
        for &function in &pass.gathered {
            let FunctionForm::Gathered(gathering) = all.form(function) else { continue };
            let cost = match gathering.place {
                Place::Row(row) => rows[row as usize].size.vertices,
                Place::ArcsFrom(..) => profile.arcs / profile.order,
                Place::Arcs(one, ..) => rows[one as usize].size.degrees,
                Place::Vertex(_) | Place::Arc(..) => 0.0,
            };
            total += rounds[gathering.inside as usize] * (1.0 + cost);
        }
    }
    total
        + profile.order * columns.vertex_terms() as f64
        + profile.arcs / 2.0 * columns.arc_terms() as f64
}

/// The size of a row and what it costs.
fn row(
    profile: &Profile,
    rows: &[RowGuess],
    form: &RowForm,
    reach: usize,
    of: Loop,
) -> (Size, f64) {
    let met = Size { vertices: profile.met, degrees: profile.met * profile.met };
    let around = |steps: usize| match (of, steps) {
        (TOP, steps) => profile.around(steps),
        (_, 1) => Size { degrees: met.degrees.min(profile.arcs), ..met },
        (_, steps) => profile.around(steps),
    };
    match form {
        RowForm::Edge { .. } => (around(1), around(1).vertices),
        RowForm::Step { of, .. } | RowForm::Reach { of } => {
            let from = rows[*of as usize];
            let size = around(reach);
            let few = from.size.degrees.min(size.vertices);
            let share = if size.vertices > 0.0 { few / size.vertices } else { 0.0 };
            (Size { vertices: few, degrees: size.degrees * share }, from.size.degrees)
        }
        RowForm::Join { rows: joined, steps, .. } => {
            let parts: Vec<RowGuess> = joined.iter().map(|&row| rows[row as usize]).collect();
            let least = parts.iter().map(|part| part.size.vertices).fold(f64::INFINITY, f64::min);
            let edges = parts.iter().filter(|part| part.reach == 1).count();
            let loops = parts.windows(2).any(|two| two[0].of != two[1].of);
            let mut vertices = least;
            if edges > 1 && loops {
                vertices = vertices.min(profile.common);
            }
            let degree = match parts.first() {
                Some(part) if part.size.vertices > 0.0 => part.size.degrees / part.size.vertices,
                _ => profile.met,
            };
            let size = Size { vertices, degrees: vertices * degree };
            (size, least + size.degrees * steps.len() as f64)
        }
    }
}
