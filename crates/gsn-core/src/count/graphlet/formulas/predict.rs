//! How many steps the formulas will take, from a sample of roots: what is around each of them is
//! looked at as the passes will, without counting anything.

use super::Needs;
use super::cycles::Cycles;
use super::four::FourNeeds;
use super::work::Work;
use crate::count::budget::out_of_patience;
use crate::count::probe::{fixed_random, sum_over_roots};
use crate::graph::Graph;

/// What a root has around it.
#[derive(Default)]
struct Around {
    /// Walks of length 2.
    walks: f64,
    /// Σ over edges between neighbours of the common neighbours of their ends.
    diamonds: f64,
    /// Σ over neighbours of their number of neighbours among them, and of its square.
    links: f64,
    squares: f64,
}

impl Around {
    /// Steps of one pass at the root.
    fn steps(&self, work: &Work) -> f64 {
        let mut steps = 1.0;
        if work.walks || work.ego {
            steps += self.walks;
        }
        if work.walks {
            steps += self.walks;
        }
        if work.diamonds {
            steps += self.diamonds;
        }
        if work.codegrees {
            steps += self.squares * if work.spread_wheels { 1.5 } else { 1.0 };
        }
        if work.cliques {
            steps += self.squares * if work.both_ways { 1.0 } else { 0.5 };
        }
        steps
    }
}

/// Entries of lists that are gone through for patterns of four vertices.
pub(super) fn entries(four: &FourNeeds, graph: &Graph) -> f64 {
    four.passes() * shorter_lists(graph)
}

/// Σ min(d(u), d(v)) over the edges uv; less where nobody waits for it any more.
fn shorter_lists(graph: &Graph) -> f64 {
    let mut sum = 0;
    for u in 0..graph.order() as u32 {
        if u.is_multiple_of(1 << 11) && out_of_patience() {
            break;
        }
        let later = graph.neighbors(u).iter().filter(|&&v| v > u);
        sum += later.map(|&v| graph.degree(u).min(graph.degree(v))).sum::<usize>();
    }
    sum as f64
}

/// Steps of all passes over `graph`. Costs about a hundred roots.
pub(super) fn steps(needs: &Needs, graph: &Graph) -> f64 {
    if let Some(four) = &needs.four {
        let reading = graph.order() + 2 * graph.arc_count();
        return reading as f64 + entries(four, graph);
    }
    let summed = needs.summed_in(graph);
    let mut order: Vec<u32> = (0..graph.order() as u32).collect();
    order.sort_unstable_by_key(|&v| (std::cmp::Reverse(graph.degree(v)), v));
    // By vertex: whether it is next to the root, and to a neighbour of the root.
    let (mut near, mut stamp) = (vec![0u32; graph.order()], vec![0u32; graph.order()]);
    let (mut root_mark, mut mark) = (0u32, 0u32);
    let passes = sum_over_roots(graph.order(), &mut fixed_random(), |root, _| {
        root_mark += 1;
        let u = order[root];
        let mut around = Around::default();
        if summed.is_some() && graph.degree(u) < 2 {
            return 1.0;
        }
        graph.neighbors(u).iter().for_each(|&x| near[x as usize] = root_mark);
        for &x in graph.neighbors(u) {
            mark += 1;
            let row = graph.neighbors(x);
            row.iter().for_each(|&z| stamp[z as usize] = mark);
            around.walks += row.len() as f64;
            let mut inside = 0u32;
            for &y in row.iter().filter(|&&y| near[y as usize] == root_mark) {
                inside += 1;
                // Each edge once, from the end with more neighbours.
                if (graph.degree(y), y) < (row.len(), x) {
                    let common = |z: &&u32| stamp[**z as usize] == mark;
                    around.diamonds += graph.neighbors(y).iter().filter(common).count() as f64;
                }
            }
            around.links += f64::from(inside);
            around.squares += f64::from(inside).powi(2);
        }
        if let Some(sums) = summed {
            // Links are looked at as such, as ends of edges and from the corners opposite to them.
            let inside = sums.steps(around.walks, around.diamonds, around.squares);
            return 1.0 + inside + 2.0 * around.links;
        }
        let first = if needs.first_pass { around.steps(&needs.first) } else { 0.0 };
        first + around.steps(&needs.second)
    });
    let triangles: f64 = match needs.triangles {
        true => shorter_lists(graph),
        false => 0.0,
    };
    let cycles = needs.cycles.map_or(0.0, |_| Cycles::predicted_steps(graph));
    // Ranks, what edges hand out, and the sums at vertices.
    let reading = if summed.is_some() { 2 * (graph.order() + graph.arc_count()) } else { 0 };
    passes + triangles + cycles + reading as f64
}
