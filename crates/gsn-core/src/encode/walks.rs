//! Closed random walks: how likely a walk is back where it started.
//!
//! With A the adjacency matrix and D the degrees, p_k(v) = ((D⁻¹A)^k)_vv is the chance that a walk
//! of k steps from v, each to a random neighbour, ends in v. It is computed from the symmetric
//! S = D^-½ A D^-½, whose powers have the same diagonal: with x_j = S^j e_v,
//! p_2j(v) = ⟨x_j, x_j⟩ and p_{2j+1}(v) = ⟨x_j, x_{j+1}⟩, so ⌈k/2⌉ products reach k.
//! Cost: vertices · ⌈steps/2⌉ · arcs, less where few steps do not reach the whole graph.

use crate::graph::Graph;

/// p_1(v), …, p_steps(v) for every vertex v, row by row. A vertex without neighbours has zeros.
///
/// # Arguments
/// * `graph`: an undirected graph.
/// * `steps`: the length of the longest walk, from 1 on.
///
/// # Returns
/// `graph.order() · steps` numbers between 0 and 1.
///
/// # Complexity
/// O(n · steps · m) in time, O(n) beyond the result in memory.
///
/// # Example
/// ```
/// use gsn_core::Graph;
/// use gsn_core::encode::closed_walks;
/// let triangle = Graph::from_edges(3, [(0, 1), (1, 2), (2, 0)])?;
/// let p = closed_walks(&triangle, 3);
/// // Never back after one step; half of the time after two; a quarter after three.
/// for (found, expected) in p[..3].iter().zip([0.0, 0.5, 0.25]) {
///     assert!((found - expected).abs() < 1e-12);
/// }
/// # Ok::<(), gsn_core::graph::GraphError>(())
/// ```
///
/// # Reference
/// Dwivedi, Luu, Laurent, Bengio, Bresson: "Graph Neural Networks with Learnable Structural and
/// Positional Representations", 2022.
pub fn closed_walks(graph: &Graph, steps: usize) -> Vec<f64> {
    let n = graph.order();
    let root: Vec<f64> =
        (0..n).map(|v| 1.0 / (graph.degree(v as u32).max(1) as f64).sqrt()).collect();
    let (mut x, mut next) = (Frontier::new(n), Frontier::new(n));
    let mut rows = Vec::with_capacity(n.saturating_mul(steps));
    for v in 0..n as u32 {
        let begin = rows.len();
        x.start(v);
        while rows.len() - begin < steps {
            next.spread(&x, graph, &root);
            rows.push(x.times(&next));
            if rows.len() - begin < steps {
                rows.push(next.times(&next));
            }
            std::mem::swap(&mut x, &mut next);
        }
    }
    rows
}

/// A vector of which only the entries that a walk can have reached are looked at.
struct Frontier {
    value: Vec<f64>,
    reached: Vec<u32>,
}

impl Frontier {
    fn new(n: usize) -> Self {
        Self { value: vec![0.0; n], reached: Vec::new() }
    }

    fn clear(&mut self) {
        self.reached.drain(..).for_each(|v| self.value[v as usize] = 0.0);
    }

    /// e_v
    fn start(&mut self, v: u32) {
        self.clear();
        self.value[v as usize] = 1.0;
        self.reached.push(v);
    }

    /// S x
    fn spread(&mut self, x: &Self, graph: &Graph, root: &[f64]) {
        self.clear();
        for &u in &x.reached {
            let share = x.value[u as usize] * root[u as usize];
            for &w in graph.neighbors(u) {
                // All values are above zero, so a zero is a vertex that is new.
                if self.value[w as usize] == 0.0 {
                    self.reached.push(w);
                }
                self.value[w as usize] += share * root[w as usize];
            }
        }
    }

    /// ⟨self, other⟩
    fn times(&self, other: &Self) -> f64 {
        self.reached.iter().map(|&v| self.value[v as usize] * other.value[v as usize]).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::erdos_renyi;

    /// Names of vertices decide nothing but the place of a row.
    #[test]
    fn closed_walks_follow_the_vertices_when_they_are_renamed() {
        let (n, steps) = (11u32, 8);
        for seed in 0..10 {
            let graph = erdos_renyi(n as usize, 0.3, seed).unwrap();
            let to = |v: u32| (v * 4 + 3) % n;
            let edges = graph.edges().map(|(u, v)| (to(u), to(v)));
            let renamed = Graph::from_edges(n as usize, edges.collect::<Vec<_>>()).unwrap();
            let (p, q) = (closed_walks(&graph, steps), closed_walks(&renamed, steps));
            for v in 0..n {
                let row = |p: &[f64], v: u32| p[v as usize * steps..][..steps].to_vec();
                let pairs = row(&p, v).into_iter().zip(row(&q, to(v)));
                pairs.for_each(|(x, y)| assert!((x - y).abs() < 1e-12, "{x} {y}"));
            }
        }
    }

    /// The same by powers of D⁻¹A.
    #[test]
    fn closed_walks_are_the_diagonal_of_powers() {
        for seed in 0..20 {
            let graph = erdos_renyi(9, 0.3, seed).unwrap();
            let (n, steps) = (9, 7);
            let p = closed_walks(&graph, steps);
            for v in 0..n as u32 {
                let mut at = vec![0.0; n];
                at[v as usize] = 1.0;
                for k in 0..steps {
                    let mut then = vec![0.0; n];
                    for u in 0..n as u32 {
                        let share = at[u as usize] / graph.degree(u).max(1) as f64;
                        graph.neighbors(u).iter().for_each(|&w| then[w as usize] += share);
                    }
                    at = then;
                    let found = p[v as usize * steps + k];
                    assert!((found - at[v as usize]).abs() < 1e-12, "{found} {at:?}");
                }
            }
        }
    }
}
