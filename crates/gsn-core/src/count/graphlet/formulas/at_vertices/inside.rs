//! The edges between neighbours of a root u: its ego network, and what its triangles, squares and
//! cliques add to the sums of u, of its neighbours and of the edges to them.

use super::super::ranked::add_narrow;
use super::walks::WalkScratch;
use super::{Sum, VertexNeeds, VertexTables};
use crate::count::budget::{Meter, Stop};

/// Words of a row of bits at a time; few in tests, so that there are several.
const BLOCK: usize = if cfg!(test) { 1 } else { 16 };

/// Memory of one thread. Neighbours of the root are known by their index.
#[derive(Debug, Default)]
pub(super) struct EgoScratch {
    /// One more than the index of a neighbour of the root; 0 elsewhere, between two roots everywhere.
    index: Vec<u32>,
    /// Links of neighbour i are `links[starts[i]..starts[i + 1]]`, increasing.
    starts: Vec<u32>,
    /// The other end, and the place of an arc between the two.
    links: Vec<(u32, u32)>,
    /// Where the links of each neighbour go on.
    next: Vec<u32>,
    /// Adjacent ordered pairs inside T, by neighbour.
    cliques: Vec<u32>,
    /// Common neighbours inside the ego network of one neighbour and each other; those with some
    /// are in `touched`.
    common: Vec<u32>,
    touched: Vec<u32>,
    /// One more than the place in T of one neighbour, for each other; 0 elsewhere.
    place: Vec<u32>,
    /// Edges inside T below a neighbour, by place, larger end first.
    edges: Vec<(u32, u32)>,
    /// Their rows of bits, and the triangles on the edges of every place.
    rows: Vec<u64>,
    seen: Vec<u32>,
}

impl EgoScratch {
    /// Edges between the neighbours of the last root.
    pub(super) fn size(&self, needs: &VertexNeeds) -> u64 {
        if needs.ego { self.links.len() as u64 / 2 } else { 0 }
    }

    /// Adds what the ego network of `u` amounts to.
    pub(super) fn look<const SHARED: bool>(
        &mut self,
        tables: &VertexTables,
        needs: &VertexNeeds,
        u: u32,
        walks: &mut WalkScratch,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        self.link(tables, u, meter)?;
        if self.links.is_empty() {
            return Ok(());
        }
        self.credit_near::<SHARED>(tables, u);
        if needs.pairs {
            self.credit_pairs::<SHARED>(tables, u, walks, meter)?;
        }
        if needs.inner {
            self.credit_inner::<SHARED>(tables, needs, u, meter)?;
        }
        Ok(())
    }

    /// Finds all links: each edge from its lower end, whose higher neighbours are few.
    fn link(&mut self, tables: &VertexTables, u: u32, meter: &mut Meter<'_>) -> Result<(), Stop> {
        let ranked = &tables.ranked;
        self.starts.clear();
        self.starts.push(0);
        let mut end = 0;
        for &t in &tables.triangles[ranked.arcs(u)] {
            end += t;
            self.starts.push(end);
        }
        self.links.clear();
        if end == 0 {
            return Ok(());
        }
        self.links.resize(end as usize, (0, 0));
        self.next.clear();
        self.next.extend_from_slice(&self.starts);
        let row = &ranked.targets[ranked.arcs(u)];
        self.index.resize(ranked.order(), 0);
        for (i, &x) in row.iter().enumerate() {
            self.index[x as usize] = i as u32 + 1;
        }
        let mut steps = 0;
        for (i, &x) in row.iter().enumerate() {
            if self.starts[i] == self.starts[i + 1] {
                continue;
            }
            let above = tables.above(x);
            steps += above.len();
            for place in above {
                let Some(j) = self.index[ranked.targets[place] as usize].checked_sub(1) else {
                    continue;
                };
                // Lower neighbours come first and in order, so that lists are in order.
                for (from, to) in [(i as u32, j), (j, i as u32)] {
                    let next = &mut self.next[from as usize];
                    self.links[*next as usize] = (to, place as u32);
                    *next += 1;
                }
            }
        }
        for &x in row {
            self.index[x as usize] = 0;
        }
        meter.steps(steps as u64)
    }

    /// Links of a neighbour.
    #[inline]
    fn links(&self, i: usize) -> &[(u32, u32)] {
        &self.links[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    /// Q(u → x) = Σ_T t(u, y).
    fn credit_near<const SHARED: bool>(&mut self, tables: &VertexTables, u: u32) {
        let own = u64::from(tables.ranked.degree(u));
        for (i, place) in tables.ranked.arcs(u).enumerate() {
            let t = u64::from(self.starts[i + 1] - self.starts[i]);
            if t == 0 {
                continue;
            }
            let length =
                |&(j, _): &(u32, u32)| self.starts[j as usize + 1] - self.starts[j as usize];
            let near: u32 = self.links(i).iter().map(length).sum();
            add_narrow::<SHARED>(&tables.near[tables.edges[place] as usize], near);
            let (x, near) = (tables.ranked.targets[place], u64::from(near));
            tables.add::<SHARED>(u, Sum::NearTriangles, near * t);
            tables.add::<SHARED>(x, Sum::Far, near);
            tables.add::<SHARED>(x, Sum::FarDegree, near * own);
            tables.add::<SHARED>(x, Sum::FarTriangles, near * t);
        }
    }

    /// For every edge between neighbours: the vertices y below u that are joined to both its ends.
    fn credit_pairs<const SHARED: bool>(
        &mut self,
        tables: &VertexTables,
        u: u32,
        walks: &mut WalkScratch,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let ranked = &tables.ranked;
        let row = &ranked.targets[ranked.arcs(u)];
        let own = u64::from(ranked.degree(u));
        for (i, &x) in row.iter().enumerate() {
            for &(j, place) in self.links(i).iter().take_while(|link| (link.0 as usize) < i) {
                let (mut sum, mut steps) = (0, 1);
                for &y in tables.common(tables.edges[place as usize] as usize) {
                    if y >= u {
                        break;
                    }
                    let cell = &mut walks.cells[y as usize];
                    cell.pairs += 2;
                    sum += u64::from(cell.walks);
                    steps += 1;
                }
                meter.steps(steps)?;
                // Either of u and y may come first; y may be u.
                for end in [x, row[j as usize]] {
                    tables.add::<SHARED>(end, Sum::PairWalks, 2 * sum + own);
                }
            }
        }
        Ok(())
    }

    /// s(y) = |T ∩ N(y)| for every neighbour x of u and each y before it among the neighbours.
    fn credit_inner<const SHARED: bool>(
        &mut self,
        tables: &VertexTables,
        needs: &VertexNeeds,
        u: u32,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let ranked = &tables.ranked;
        let arcs = ranked.arcs(u);
        let row = &ranked.targets[arcs.clone()];
        let lower = tables.up[u as usize] as usize - arcs.start;
        self.common.clear();
        self.common.resize(row.len(), 0);
        self.touched.resize(row.len() + 1, 0);
        self.cliques.clear();
        self.cliques.resize(row.len(), 0);
        self.place.clear();
        self.place.resize(row.len(), 0);
        let (mut hub, mut joined, mut squares) = (0u64, 0u64, 0u64);
        for i in 0..row.len() {
            let (mut touched, mut steps) = (0, 1);
            let own = self.starts[i] as usize..self.starts[i + 1] as usize;
            for &(x, _) in &self.links[own.clone()] {
                let of_x = self.starts[x as usize] as usize..self.starts[x as usize + 1] as usize;
                for &(y, _) in &self.links[of_x] {
                    if y as usize >= i {
                        break;
                    }
                    steps += 1;
                    let common = &mut self.common[y as usize];
                    self.touched[touched] = y;
                    touched += usize::from(*common == 0);
                    *common += 1;
                }
            }
            meter.steps(steps + own.len() as u64)?;
            let t = own.len() as u64;
            // Round the rim of a wheel with hub u: from x to y and back, and from x to x.
            let mut rim = t * t;
            hub += t * t;
            for &y in &self.touched[..touched] {
                let square = u64::from(self.common[y as usize]).pow(2);
                rim += square;
                hub += 2 * square;
                tables.add::<SHARED>(row[y as usize], Sum::Rim, square);
            }
            tables.add::<SHARED>(row[i], Sum::Rim, rim);
            for at in own.clone() {
                let (y, place) = self.links[at];
                if y as usize >= i {
                    break;
                }
                let cliques = self.common[y as usize];
                joined += 2 * u64::from(cliques) * u64::from(tables.triangles[place as usize]);
                squares += 2 * u64::from(cliques).pow(2);
                self.cliques[i] += cliques;
                self.cliques[y as usize] += cliques;
            }
            if needs.cliques && i < lower {
                self.credit_cliques::<SHARED>(tables, u, i, meter)?;
            }
            for at in 0..touched {
                let y = self.touched[at];
                self.common[y as usize] = 0;
            }
        }
        tables.add::<SHARED>(u, Sum::Hub, hub);
        tables.add::<SHARED>(u, Sum::CliqueTriangles, joined);
        tables.add::<SHARED>(u, Sum::CliqueSquares, squares);
        for (place, &cliques) in arcs.zip(&self.cliques[..lower]) {
            tables.cliques[tables.edges[place] as usize]
                .store(cliques, std::sync::atomic::Ordering::Relaxed);
        }
        Ok(())
    }

    /// 4-cliques on the triangles of u, its neighbour `i` and a third vertex, from highest to
    /// lowest, and 5-cliques below u and `i`.
    fn credit_cliques<const SHARED: bool>(
        &mut self,
        tables: &VertexTables,
        u: u32,
        i: usize,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let row = &tables.ranked.targets[tables.ranked.arcs(u)];
        let own = self.starts[i] as usize..self.starts[i + 1] as usize;
        let below = self.links[own.clone()].partition_point(|link| (link.0 as usize) < i);
        for (place, at) in own.clone().enumerate() {
            self.place[self.links[at].0 as usize] = place as u32 + 1;
        }
        self.edges.clear();
        let mut steps = 0;
        for place in 0..below {
            let y = self.links[own.start + place].0 as usize;
            let cliques = u64::from(self.common[y]);
            if cliques == 0 {
                continue;
            }
            steps += self.starts[y + 1] - self.starts[y];
            for &(w, _) in &self.links[self.starts[y] as usize..self.starts[y + 1] as usize] {
                let other = self.place[w as usize];
                if other > 0 {
                    // A triangle has six orders.
                    tables.add::<SHARED>(row[w as usize], Sum::NearlyCliques, 6 * cliques);
                    if (w as usize) < y {
                        self.edges.push((place as u32, other - 1));
                    }
                }
            }
        }
        for at in own.clone() {
            self.place[self.links[at].0 as usize] = 0;
        }
        meter.steps(steps.into())?;
        if self.edges.len() < 3 {
            return Ok(());
        }
        let found = self.triangles(below, meter)?;
        if found > 0 {
            // 24 for every 5-clique; it was seen from three edges, two of them at each of their ends.
            for end in [u, row[i]] {
                tables.add::<SHARED>(end, Sum::Cliques5, 8 * found);
            }
            for (at, &seen) in own.zip(&self.seen) {
                let w = row[self.links[at].0 as usize];
                tables.add::<SHARED>(w, Sum::Cliques5, 12 * u64::from(seen));
            }
        }
        Ok(())
    }

    /// Triangles that the edges inside T make, as bits common to the rows of two of `places`: those
    /// on every edge in all, and on the edges of each place in `seen`.
    fn triangles(&mut self, places: usize, meter: &mut Meter<'_>) -> Result<u64, Stop> {
        let all_words = places.div_ceil(64);
        let mut found = 0;
        self.seen.clear();
        self.seen.resize(places, 0);
        for first in (0..all_words).step_by(BLOCK) {
            let words = BLOCK.min(all_words - first);
            let block = first * 64..(first + words) * 64;
            self.rows.clear();
            self.rows.resize(places * words, 0);
            for &(a, b) in &self.edges {
                for (a, b) in [(a as usize, b as usize), (b as usize, a as usize)] {
                    if block.contains(&b) {
                        self.rows[a * words + (b - block.start) / 64] |= 1 << (b % 64);
                    }
                }
            }
            for &(a, b) in &self.edges {
                let [of_a, of_b] =
                    [a, b].map(|at| &self.rows[at as usize * words..(at as usize + 1) * words]);
                let common = of_a.iter().zip(of_b).map(|(a, b)| (a & b).count_ones()).sum::<u32>();
                found += u64::from(common);
                self.seen[a as usize] += common;
                self.seen[b as usize] += common;
                meter.steps(words as u64)?;
            }
        }
        Ok(found)
    }
}
