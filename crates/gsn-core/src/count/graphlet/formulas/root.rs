//! The bases of all arcs u → v of one root u.
//!
//! Everything is gathered from the two-step neighbourhood of u: walks of length 2 in one dense
//! table, and the ego network (edges between neighbours of u) as local lists. N(u) is written
//! x, T = N(u) ∩ N(v), c(y) = |N(u) ∩ N(y)|, s(y) = |T ∩ N(y)|; the README has the list of sums.
//! Costs O(Σ_{x∈N(u)} deg x) and, as far as wanted, the wedges of the ego network and one scan
//! of the smaller neighbourhood for each of its edges.

use super::cliques::InnerEdges;
use super::prepared::Prepared;
use super::rooted::{BASES, U, UV, V, edge, path, triangle};
use super::work::{CLIQUES4, DIAMONDS, WALKS3, WHEELS, Work};
use crate::count::budget::{Meter, Stop};
use crate::graph::Graph;

/// BaseValues of all bases on one arc.
pub(super) type BaseValues = [u64; BASES];

/// What two-step walks from the root to a vertex w gather on the way; every sum is at most the
/// number of arcs.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    /// Σ deg x over walks u – x – w.
    degrees: u32,
    /// Σ t(u, x).
    near: u32,
    /// Σ t(x, w).
    far: u32,
    /// Ordered pairs of adjacent common neighbours of u and w.
    pairs: u32,
    /// Last neighbour of the root that had w as its neighbour in the scan for diamonds.
    stamp: u32,
}

/// One entry of the ego network: the arc v → x between two neighbours of the root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// Index of x among the neighbours of the root.
    pub(super) to: u32,
    /// Arc id of v → x.
    pub(super) arc: u32,
}

/// Memory for one root at a time.
#[derive(Debug, Default)]
pub(super) struct RootScratch {
    /// One more than the index among the root's neighbours; 0 elsewhere.
    index: Vec<u32>,
    /// c(w): walks of length 2 from the root.
    walks: Vec<u32>,
    cells: Vec<Cell>,
    /// Vertices with walks.
    reached: Vec<u32>,
    /// Links of neighbour j are `links[starts[j]..starts[j + 1]]`.
    starts: Vec<usize>,
    links: Vec<Link>,
    /// Common neighbours inside the ego network of the two ends of each link.
    codegrees: Vec<u32>,
    /// s(y) for one v at a time, by index of y.
    common: Vec<u32>,
    touched: Vec<u32>,
    /// Σ s(y)² by index of v.
    squares: Vec<u64>,
    /// Σ over diamonds on each arc u → v of c(z), by index of v.
    diamonds: Vec<u64>,
    inside: InnerEdges,
}

/// A root and what is to be found out at its arcs.
#[derive(Clone, Copy)]
pub(super) struct AtRoot<'a> {
    pub(super) graph: &'a Graph,
    pub(super) prepared: &'a Prepared,
    pub(super) u: u32,
    pub(super) work: &'a Work,
}

impl RootScratch {
    /// Bytes for the vertices of a graph.
    pub(super) fn memory(graph: &Graph) -> usize {
        (12 + size_of::<Cell>()) * graph.order()
    }

    /// Computes the bases in `work` for the arcs u → v with `v` in `wanted` and hands them over
    /// with the index of v. BaseValues of other bases are stale.
    pub(super) fn bases(
        &mut self,
        at: AtRoot<'_>,
        wanted: impl Fn(u32) -> bool,
        meter: &mut Meter<'_>,
        take: impl FnMut(usize, &mut BaseValues) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let n = at.graph.order();
        if self.index.len() < n {
            self.index.resize(n, 0);
            self.walks.resize(n, 0);
            self.cells.resize(n, Cell::default());
        }
        let result = self.all(at, wanted, meter, take);
        for &x in at.graph.neighbors(at.u) {
            self.index[x as usize] = 0;
        }
        for w in self.reached.drain(..) {
            self.walks[w as usize] = 0;
            self.cells[w as usize] = Cell::default();
        }
        result
    }

    fn all(
        &mut self,
        at: AtRoot<'_>,
        wanted: impl Fn(u32) -> bool,
        meter: &mut Meter<'_>,
        mut take: impl FnMut(usize, &mut BaseValues) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let AtRoot { graph, prepared, u, work } = at;
        self.look_around(at, meter)?;
        if work.diamonds {
            self.scan_diamonds(at, meter)?;
        }
        if work.codegrees {
            self.count_codegrees(at, meter)?;
        }
        let mut values = [0; BASES];
        for (j, &v) in graph.neighbors(u).iter().enumerate() {
            if !wanted(v) {
                continue;
            }
            meter.steps(1)?;
            if work.walks {
                self.gather(at, v, &mut values, meter)?;
            }
            if work.ego {
                self.sum_common(at, j, &mut values);
            }
            if work.cliques && (work.both_ways || v > u) {
                let (starts, links) = (&self.starts, &self.links);
                let found = self.inside.count(
                    |j| &links[starts[j]..starts[j + 1]],
                    |j| self.codegrees.get(starts[j]..starts[j + 1]).unwrap_or(&[]),
                    &prepared.triangles,
                    (graph.degree(u), j, work.cliques5 && v > u),
                    meter,
                )?;
                values[triangle(UV, UV, 0)] = found.triangles;
                values[triangle(UV, UV, U)] = found.codegrees;
                values[triangle(UV, UV, UV)] = found.cliques;
            }
            take(j, &mut values)?;
        }
        Ok(())
    }

    /// Walks of length 2 and the ego network.
    fn look_around(&mut self, at: AtRoot<'_>, meter: &mut Meter<'_>) -> Result<(), Stop> {
        let AtRoot { graph, prepared, u, work } = at;
        for (i, &x) in graph.neighbors(u).iter().enumerate() {
            self.index[x as usize] = i as u32 + 1;
        }
        self.links.clear();
        self.codegrees.clear();
        self.starts.clear();
        self.starts.push(0);
        if !work.walks && !work.ego {
            return Ok(());
        }
        for (&x, arc) in graph.neighbors(u).iter().zip(graph.arcs_of(u)) {
            let row = graph.neighbors(x);
            meter.steps(row.len() as u64)?;
            if work.walks {
                self.walk(row);
            }
            if work.gather {
                let degree = row.len() as u32;
                let near = prepared.triangles[arc];
                let triangles = &prepared.triangles[graph.arcs_of(x)];
                for (&w, &far) in row.iter().zip(triangles) {
                    let cell = &mut self.cells[w as usize];
                    cell.degrees += degree;
                    cell.near += near;
                    cell.far += far;
                }
            }
            if work.ego {
                for (&y, arc) in row.iter().zip(graph.arcs_of(x)) {
                    let index = self.index[y as usize];
                    if index != 0 {
                        self.links.push(Link { to: index - 1, arc: arc as u32 });
                    }
                }
                self.starts.push(self.links.len());
            }
        }
        Ok(())
    }

    fn walk(&mut self, row: &[u32]) {
        for &w in row {
            let walks = &mut self.walks[w as usize];
            if *walks == 0 {
                self.reached.push(w);
            }
            *walks += 1;
        }
    }

    /// For every edge xy between neighbours of u: the vertices z joined to both.
    fn scan_diamonds(&mut self, at: AtRoot<'_>, meter: &mut Meter<'_>) -> Result<(), Stop> {
        let AtRoot { graph, prepared, u, work } = at;
        let row = graph.neighbors(u);
        self.diamonds.clear();
        self.diamonds.resize(row.len(), 0);
        for (i, &x) in row.iter().enumerate() {
            let stamp = i as u32 + 1;
            let mut stamped = false;
            // Each edge once, from the end with more neighbours: the other end's are scanned.
            let rank = (graph.degree(x), i);
            for at in self.starts[i]..self.starts[i + 1] {
                let Link { to, arc } = self.links[at];
                let y = row[to as usize];
                if (graph.degree(y), to as usize) > rank {
                    continue;
                }
                let mut sum = 0;
                if let Some(list) = prepared.common_neighbors(graph, arc as usize) {
                    meter.steps(list.len() as u64)?;
                    for &z in list {
                        self.cells[z as usize].pairs += 2;
                        sum += u64::from(self.walks[z as usize]);
                    }
                } else {
                    if !stamped {
                        stamped = true;
                        for &z in graph.neighbors(x) {
                            self.cells[z as usize].stamp = stamp;
                        }
                        meter.steps(rank.0 as u64)?;
                    }
                    let scanned = graph.neighbors(y);
                    meter.steps(scanned.len() as u64)?;
                    for &z in scanned {
                        let cell = &mut self.cells[z as usize];
                        if cell.stamp == stamp {
                            cell.pairs += 2;
                            sum += u64::from(self.walks[z as usize]);
                        }
                    }
                }
                self.diamonds[i] += sum;
                self.diamonds[to as usize] += sum;
                if work.spread_diamonds {
                    prepared.spread[0].add(graph.edge_id(arc as usize), sum);
                }
            }
        }
        Ok(())
    }

    /// s(y) for every v, kept where y is joined to v; Σ s²; rims of wheels with hub u.
    fn count_codegrees(&mut self, at: AtRoot<'_>, meter: &mut Meter<'_>) -> Result<(), Stop> {
        let AtRoot { graph, prepared, work, .. } = at;
        let degree = self.starts.len() - 1;
        self.common.clear();
        self.common.resize(degree, 0);
        self.codegrees.clear();
        self.squares.clear();
        for j in 0..degree {
            let own = self.starts[j]..self.starts[j + 1];
            let mut steps = 0;
            for link in &self.links[own.clone()] {
                let (from, to) = (self.starts[link.to as usize], self.starts[link.to as usize + 1]);
                steps += (to - from) as u64;
                for second in &self.links[from..to] {
                    let common = &mut self.common[second.to as usize];
                    if *common == 0 {
                        self.touched.push(second.to);
                    }
                    *common += 1;
                }
            }
            let common = &self.common;
            self.codegrees.extend(self.links[own.clone()].iter().map(|l| common[l.to as usize]));
            if work.spread_wheels {
                for link in self.links[own].iter().filter(|link| (link.to as usize) < j) {
                    let i = link.to as usize;
                    let rim = &self.links[self.starts[i]..self.starts[i + 1]];
                    steps += rim.len() as u64;
                    let sum = rim.iter().map(|l| u64::from(common[l.to as usize])).sum();
                    prepared.spread[1].add(graph.edge_id(link.arc as usize), sum);
                }
            }
            let mut squares = 0;
            for y in self.touched.drain(..) {
                squares += u64::from(self.common[y as usize]).pow(2);
                self.common[y as usize] = 0;
            }
            self.squares.push(squares);
            meter.steps(steps)?;
        }
        Ok(())
    }

    /// Sums over N(v) of what walks from u have gathered there.
    fn gather(
        &self,
        at: AtRoot<'_>,
        v: u32,
        values: &mut BaseValues,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let AtRoot { graph, prepared, work, .. } = at;
        let row = graph.neighbors(v);
        meter.steps(row.len() as u64)?;
        values[WALKS3] = row.iter().map(|&y| u64::from(self.walks[y as usize])).sum();
        if !work.gather {
            return Ok(());
        }
        let [mut by_degree, mut squares, mut by_triangles] = [0u64; 3];
        let [mut degrees, mut near, mut far, mut pairs] = [0u64; 4];
        let triangles = &prepared.triangles[graph.arcs_of(v)];
        for (&y, &t) in row.iter().zip(triangles) {
            let walks = u64::from(self.walks[y as usize]);
            let cell = &self.cells[y as usize];
            by_degree += walks * graph.degree(y) as u64;
            squares += walks * walks;
            by_triangles += walks * u64::from(t);
            degrees += u64::from(cell.degrees);
            near += u64::from(cell.near);
            far += u64::from(cell.far);
            pairs += u64::from(cell.pairs);
        }
        values[path(V, U, 0)] = by_degree;
        values[path(V, U, U)] = squares;
        values[path(V, U, V)] = by_triangles;
        values[path(U, V, 0)] = degrees;
        values[path(U, U, V)] = near;
        values[triangle(U, V, 0)] = far;
        values[triangle(U, U, V)] = pairs;
        Ok(())
    }

    /// Sums over the common neighbours x of u and v.
    fn sum_common(&self, at: AtRoot<'_>, j: usize, values: &mut BaseValues) {
        let AtRoot { graph, prepared, u, work } = at;
        let row = graph.neighbors(u);
        let first_arc = graph.arcs_of(u).start;
        let own = self.starts[j]..self.starts[j + 1];
        let mut sum = [0u64; 9];
        let mut by_codegree = [0u64; 5];
        let mut kept = [0u64; 12];
        for at in own {
            let Link { to, arc } = self.links[at];
            let x = row[to as usize];
            let degree = graph.degree(x) as u64;
            let from_u = u64::from(prepared.triangles[first_arc + to as usize]);
            let from_v = u64::from(prepared.triangles[arc as usize]);
            let terms = [
                degree,
                from_u,
                from_v,
                degree * degree,
                from_u * degree,
                from_v * degree,
                from_u * from_u,
                from_u * from_v,
                from_v * from_v,
            ];
            add(&mut sum, terms);
            if work.codegrees {
                let k = u64::from(self.codegrees[at]);
                add(&mut by_codegree, [k, k * degree, k * from_u, k * from_v, k * k]);
            }
            if work.sums {
                let (at_u, at_v) =
                    (graph.edge_id(first_arc + to as usize), graph.edge_id(arc as usize));
                let (u_below, v_below) = (u < x, row[j] < x);
                add(&mut kept, prepared.kept_at(work.kept, x, (at_u, u_below), (at_v, v_below)));
            }
        }
        let sums = [edge(UV, 0), edge(UV, U), edge(UV, V)].into_iter().chain([
            path(UV, 0, 0),
            path(UV, U, 0),
            path(UV, V, 0),
            path(UV, U, U),
            path(UV, U, V),
            path(UV, V, V),
        ]);
        put(values, sums, sum);
        if work.codegrees {
            let by =
                [CLIQUES4, path(UV, UV, 0), path(UV, UV, U), path(UV, UV, V), path(UV, UV, UV)];
            put(values, by, by_codegree);
            values[path(U, UV, UV)] = self.squares[j];
        }
        if work.diamonds {
            values[path(V, UV, U)] = self.diamonds[j];
        }
        if work.sums {
            let order = [path(0, UV, 0), triangle(UV, 0, 0), path(U, UV, 0), path(V, UV, 0)]
                .into_iter()
                .chain([path(U, U, UV), path(V, V, UV), triangle(UV, U, 0), triangle(UV, V, 0)])
                .chain([path(0, U, UV), path(0, V, UV), triangle(UV, U, U), triangle(UV, V, V)]);
            put(values, order, kept);
        }
        // Filled in the first pass.
        let id = graph.edge_id(first_arc + j);
        if work.read_cliques {
            values[CLIQUES4] = prepared.cliques(id);
        }
        if work.bases[DIAMONDS] {
            values[DIAMONDS] = prepared.spread[0].get(id);
        }
        if work.bases[WHEELS] {
            values[WHEELS] = prepared.spread[1].get(id);
        }
    }
}

fn add<const N: usize>(sums: &mut [u64; N], terms: [u64; N]) {
    for (sum, term) in sums.iter_mut().zip(terms) {
        *sum += term;
    }
}

fn put<const N: usize>(
    values: &mut BaseValues,
    bases: impl IntoIterator<Item = usize>,
    sums: [u64; N],
) {
    for (base, sum) in bases.into_iter().zip(sums) {
        values[base] = sum;
    }
}
