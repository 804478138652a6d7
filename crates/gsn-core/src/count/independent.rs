//! Independent sets of at most five vertices, counted at every vertex and not listed.
//!
//! Let every vertex w have a variable and I be the sum over all independent sets of the product of
//! theirs. The logarithm of I is a sum over connected vertex sets S of terms that depend on the
//! graph inside S alone: L(S) = Σ_{T⊆S} (−1)^{|S|−|T|} log I(T). Hence, with all variables set to
//! x, the independent sets that contain w are I_w = I · ℓ_w, where ℓ_w = x + … is a sum over the
//! connected sets that contain w, one power series for each pattern and orbit, and
//! x I′ = I · Σ_w ℓ_w. L(S) starts with x^{|S|}, so sets of at most k vertices need the induced
//! counts of connected patterns of at most k vertices: those of the formulas for small patterns.
//!
//! All series have whole coefficients. O(n) beyond the formulas, whatever the number of sets.

use super::budget::{Meter, Stop};
use super::cells::{CountTable, CountTables, PatternColumns, WantedTables};
use super::cost::nanoseconds;
use super::graphlet::FormulaKernel;
use super::kernel::{Kernel, Piece};
use crate::graph::Graph;
use crate::pattern::{Pattern, connected};
use std::sync::OnceLock;

/// Vertices of the largest sets.
pub(super) const MAX_SET: usize = 5;

/// Coefficients of x⁰ to x⁵.
type Series = [i128; MAX_SET + 1];

/// Independent sets by number of vertices; `None` where 64 bits do not suffice.
pub(super) type SetCounts = [Option<u64>; MAX_SET + 1];

/// Counts independent sets of at most some number of vertices.
pub(super) struct IndependentSets {
    largest: usize,
    kernel: FormulaKernel,
    /// What one occurrence adds to ℓ, by column.
    terms: Vec<Series>,
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub(super) struct Memory {
    prepared: <FormulaKernel as Kernel>::Prepared,
    scratch: <FormulaKernel as Kernel>::Scratch,
    at_vertices: Vec<Series>,
}

impl IndependentSets {
    /// For sets of at most `largest` vertices, 2 to [`MAX_SET`]; worked out once.
    pub(super) fn of(largest: usize) -> &'static Self {
        static SIZES: [OnceLock<IndependentSets>; MAX_SET + 1] =
            [const { OnceLock::new() }; MAX_SET + 1];
        SIZES[largest].get_or_init(|| Self::new(largest))
    }

    fn new(largest: usize) -> Self {
        let patterns: Vec<Pattern> = (2..=largest).flat_map(connected).cloned().collect();
        let columns = PatternColumns::of(&patterns);
        let wanted = WantedTables { vertices: true, arcs: false, matchings: [true, false, false] };
        let width = columns.last().map_or(0, |last| last.end().0);
        let mut terms = vec![[0; MAX_SET + 1]; width];
        for own in &columns {
            let rows: Vec<u32> = (0..own.pattern.order()).map(|a| row(&own.pattern, a)).collect();
            for a in 0..rows.len() {
                terms[own.vertex(a)] = connected_term(&rows, a);
            }
        }
        Self { largest, kernel: FormulaKernel::new(&columns, wanted), terms }
    }

    /// Predicted nanoseconds of a count.
    pub(super) fn nanoseconds(&self, graph: &Graph) -> f64 {
        self.kernel.estimate(graph) * nanoseconds(FormulaKernel::NAME)
    }

    /// Predicted steps of a count.
    pub(super) fn predicted_steps(&self, graph: &Graph) -> f64 {
        self.kernel.predicted_steps(graph)
    }

    /// Counts the sets in `graph`, tells `put` how many contain each vertex, and returns how many
    /// there are. `None` when the numbers on the way are too large; then nothing was put.
    pub(super) fn count(
        &self,
        graph: &Graph,
        memory: &mut Memory,
        meter: &mut Meter<'_>,
        mut put: impl FnMut(usize, &SetCounts),
    ) -> Result<Option<SetCounts>, Stop> {
        let Some(at_vertices) = self.logarithms(graph, memory, meter)? else { return Ok(None) };
        let Some(all) = self.totals(at_vertices) else { return Ok(None) };
        let with = |term: &Series| self.product(term, &all);
        if at_vertices.iter().any(|term| with(term).is_none()) {
            return Ok(None);
        }
        for (w, term) in at_vertices.iter().enumerate() {
            put(w, &with(term).unwrap_or_default().map(|count| count.try_into().ok()));
        }
        Ok(Some(all.map(|count| count.try_into().ok())))
    }

    /// ℓ at every vertex.
    fn logarithms<'a>(
        &self,
        graph: &Graph,
        memory: &'a mut Memory,
        meter: &mut Meter<'_>,
    ) -> Result<Option<&'a [Series]>, Stop> {
        let Memory { prepared, scratch, at_vertices } = memory;
        let n = graph.order();
        let Ok(table) = CountTable::zeros(n, self.terms.len()) else { return Ok(None) };
        let mut tables = CountTables { vertex: [Some(table), None, None], arc: [None, None, None] };
        match self.kernel.prepare(graph, prepared, meter) {
            Err(Stop::Overflow) => return Ok(None),
            done => done?,
        }
        let (roots, out) = (0..self.kernel.roots(graph, prepared), &mut tables.plain());
        match self.kernel.run(Piece { graph, prepared, roots, scratch, out, meter }) {
            Err(Stop::Overflow) => return Ok(None),
            done => done?,
        }
        let [Some(table), ..] = tables.vertex else { return Ok(None) };
        at_vertices.clear();
        for counts in table.values().chunks_exact(self.terms.len()) {
            let mut sum = connected_term(&[0], 0);
            for (&count, term) in counts.iter().zip(&self.terms) {
                if count == 0 {
                    continue;
                }
                for (sum, &term) in sum.iter_mut().zip(term) {
                    let more = i128::from(count).checked_mul(term);
                    match more.and_then(|more| sum.checked_add(more)) {
                        Some(new) => *sum = new,
                        None => return Ok(None),
                    }
                }
            }
            at_vertices.push(sum);
        }
        Ok(Some(at_vertices))
    }

    /// I, from x I′ = I · Σ ℓ.
    fn totals(&self, at_vertices: &[Series]) -> Option<Series> {
        let mut sum = [0i128; MAX_SET + 1];
        for term in at_vertices {
            for (sum, &term) in sum.iter_mut().zip(term) {
                *sum = sum.checked_add(term)?;
            }
        }
        let mut all = [0i128; MAX_SET + 1];
        all[0] = 1;
        for size in 1..=self.largest {
            let mut found = 0i128;
            for i in 1..=size {
                found = found.checked_add(sum[i].checked_mul(all[size - i])?)?;
            }
            all[size] = found / size as i128;
        }
        Some(all)
    }

    fn product(&self, a: &Series, b: &Series) -> Option<Series> {
        let mut product = [0i128; MAX_SET + 1];
        for size in 0..=self.largest {
            for i in 0..=size {
                product[size] = product[size].checked_add(a[i].checked_mul(b[size - i])?)?;
            }
        }
        Some(product)
    }
}

/// Neighbours of a pattern's vertex, as bits.
fn row(pattern: &Pattern, a: usize) -> u32 {
    pattern.edges().fold(0, |row, (b, c)| match a {
        _ if a == b => row | 1 << c,
        _ if a == c => row | 1 << b,
        _ => row,
    })
}

/// What a connected set adds to ℓ at its vertex `a`: x ∂L/∂a.
fn connected_term(rows: &[u32], a: usize) -> Series {
    let mut term = [0; MAX_SET + 1];
    for inside in (0u32..1 << rows.len()).filter(|inside| inside >> a & 1 == 1) {
        let sign = if (rows.len() as u32 - inside.count_ones()).is_multiple_of(2) { 1 } else { -1 };
        // I and I_a inside, then their quotient; I starts with 1.
        let (mut all, mut with) = ([0; MAX_SET + 1], [0; MAX_SET + 1]);
        for set in (0..=inside).filter(|set| set & !inside == 0) {
            let independent = (0..rows.len()).all(|b| set >> b & 1 == 0 || rows[b] & set == 0);
            if independent {
                all[set.count_ones() as usize] += 1;
                with[set.count_ones() as usize] += i128::from(set >> a & 1);
            }
        }
        let mut quotient: Series = [0; MAX_SET + 1];
        for size in 0..=MAX_SET {
            let before: i128 = (0..size).map(|i| quotient[i] * all[size - i]).sum();
            quotient[size] = with[size] - before;
            term[size] += sign * quotient[size];
        }
    }
    term
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::budget::{Budget, Limits};
    use crate::count::testing::{choose, graphs};
    use proptest::prelude::*;

    fn counted(largest: usize, graph: &Graph) -> (SetCounts, Vec<SetCounts>) {
        let limits = Limits::new(Budget::unlimited(), None);
        let mut at = vec![[None; MAX_SET + 1]; graph.order()];
        let sets = IndependentSets::of(largest);
        let (memory, meter) = (&mut Memory::default(), &mut limits.meter());
        let all = sets.count(graph, memory, meter, |w, counts| at[w] = *counts);
        (all.unwrap().unwrap(), at)
    }

    proptest! {
        #[test]
        fn sets_that_are_listed(graph in graphs(0..12), largest in 2..=MAX_SET) {
            let (all, at) = counted(largest, &graph);
            let n = graph.order();
            let (mut expected, mut expected_at) = ([0; MAX_SET + 1], vec![[0; MAX_SET + 1]; n]);
            for set in (0u32..1 << n).filter(|set| set.count_ones() as usize <= largest) {
                let members: Vec<u32> = (0..n as u32).filter(|v| set >> v & 1 == 1).collect();
                if members.iter().all(|&v| members.iter().all(|&w| !graph.has_arc(v, w))) {
                    expected[members.len()] += 1;
                    members.iter().for_each(|&v| expected_at[v as usize][members.len()] += 1);
                }
            }
            prop_assert_eq!(all, expected.map(Some));
            for (found, expected) in at.iter().zip(expected_at) {
                prop_assert_eq!(*found, expected.map(Some));
            }
        }
    }

    #[test]
    fn a_large_sparse_graph() {
        let graph = Graph::from_edges(1000, [(0, 1)]).unwrap();
        let (all, at) = counted(5, &graph);
        assert_eq!(all[5], Some(choose(1000, 5) - choose(998, 3)));
        assert_eq!(at[0][5], Some(choose(998, 4)));
        assert_eq!(at[2][5], Some(choose(999, 4) - choose(997, 2)));
    }
}
