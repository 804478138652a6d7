//! What the graphs of a dataset look like, from which defaults are chosen.

use gsn_io::GraphRecord;

/// What the graphs look like, for choosing defaults.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Graphs that can be used.
    pub graphs: usize,
    /// They are molecules.
    pub molecules: bool,
    /// Mean number of vertices.
    pub vertices: f64,
    /// Mean number of edges.
    pub edges: f64,
    /// Share of connected triples that are triangles.
    pub clustering: f64,
}

/// What kind of graphs a dataset holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Molecules, or graphs as sparse as they are.
    Molecules,
    /// Networks with many triangles.
    Dense,
    /// Anything else.
    Other,
}

impl Shape {
    /// Of these records, or a sample of them.
    pub(super) fn of(molecules: bool, records: &[GraphRecord]) -> Self {
        // A sample is enough to tell a molecule from a social network.
        const SAMPLE: usize = 500;
        let step = records.len().div_ceil(SAMPLE).max(1);
        let sample: Vec<&GraphRecord> = records.iter().step_by(step).collect();
        let mean = |of: fn(&GraphRecord) -> usize| {
            sample.iter().map(|record| of(record)).sum::<usize>() as f64
                / sample.len().max(1) as f64
        };
        let (mut triangles, mut triples) = (0u64, 0u64);
        for record in &sample {
            let graph = &record.graph;
            for v in 0..graph.order() as u32 {
                let around = graph.neighbors(v);
                let d = around.len() as u64;
                triples += d * d.saturating_sub(1) / 2;
                // Hubs of a few hundred neighbours decide enough.
                for (at, &u) in around.iter().take(200).enumerate() {
                    let rest = &around[at + 1..around.len().min(200)];
                    triangles += rest.iter().filter(|&&w| graph.has_arc(u, w)).count() as u64;
                }
            }
        }
        Self {
            graphs: records.len(),
            molecules,
            vertices: mean(|record| record.graph.order()),
            edges: mean(|record| record.graph.edge_count()),
            clustering: if triples == 0 { 0.0 } else { triangles as f64 / triples as f64 },
        }
    }

    /// What kind of graphs these are.
    ///
    /// ```
    /// use gsn_lab::user_data::{Family, Shape};
    /// let shape = Shape { graphs: 9, molecules: false, vertices: 20.0, edges: 97.0, clustering: 0.9 };
    /// assert_eq!(shape.family(), Family::Dense);
    /// ```
    pub fn family(&self) -> Family {
        let degree = 2.0 * self.edges / self.vertices.max(1.0);
        if self.molecules {
            Family::Molecules
        } else if self.clustering >= 0.3 && degree >= 4.0 {
            Family::Dense
        } else {
            Family::Other
        }
    }
}
