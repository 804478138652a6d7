//! Triangles from their lowest vertex, and 4-cliques as triangles among its higher neighbours.

use super::super::ranked::add_narrow;
use super::{FourNeeds, FourTables};
use crate::count::budget::{Meter, Stop};
use std::sync::atomic::Ordering::Relaxed;

/// Memory of one thread.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// One more than the index among the root's higher neighbours; 0 elsewhere.
    index: Vec<u32>,
    /// What the edges of the root have gathered so far.
    own: Vec<[u32; 3]>,
    /// Adjacency of the higher neighbours, rows of bits.
    rows: Vec<u64>,
    /// Edges between them: the two indices and the number of the edge.
    links: Vec<(u32, u32, u32)>,
}

impl FourTables {
    /// Visits every triangle whose lowest vertex is `u`: the indices of the other two among the
    /// higher neighbours of u, and the number of the edge between them.
    #[inline]
    fn each_triangle(
        &self,
        u: u32,
        index: &mut Vec<u32>,
        meter: &mut Meter<'_>,
        mut visit: impl FnMut(usize, usize, usize),
    ) -> Result<(), Stop> {
        if index.len() < self.ranked.order() {
            index.resize(self.ranked.order(), 0);
        }
        let targets = &self.ranked.targets;
        let members = &targets[self.above(u)];
        for (i, &x) in members.iter().enumerate() {
            index[x as usize] = i as u32 + 1;
        }
        let mut result = Ok(());
        for (j, &v) in members.iter().enumerate() {
            let row = &targets[self.above(v)];
            result = meter.steps(row.len() as u64 + 1);
            if result.is_err() {
                break;
            }
            let base = self.up_base[v as usize] as usize;
            for (k, &x) in row.iter().enumerate() {
                let i = index[x as usize];
                if i != 0 {
                    visit(j, i as usize - 1, base + k);
                }
            }
        }
        for &x in members {
            index[x as usize] = 0;
        }
        result
    }

    /// t, and P if needed.
    pub(super) fn count_triangles<const SHARED: bool>(
        &self,
        needs: FourNeeds,
        u: u32,
        scratch: &mut Scratch,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let members = &self.ranked.targets[self.above(u)];
        if members.len() < 2 {
            return meter.steps(1);
        }
        let Scratch { index, own, .. } = scratch;
        own.clear();
        own.resize(members.len(), [0; 3]);
        let degree = |r: u32| self.ranked.degree(r);
        let lowest = degree(u);
        self.each_triangle(u, index, meter, |j, i, number| {
            let far = &self.numbers[number];
            add_narrow::<SHARED>(&far.triangles, 1);
            own[j][0] += 1;
            own[i][0] += 1;
            if needs.degrees {
                add_narrow::<SHARED>(&far.degrees, lowest);
                own[j][1] += degree(members[i]);
                own[i][1] += degree(members[j]);
            }
        })?;
        let first = self.up_base[u as usize] as usize;
        for (numbers, &[triangles, degrees, _]) in self.numbers[first..].iter().zip(&*own) {
            if triangles > 0 {
                add_narrow::<SHARED>(&numbers.triangles, triangles);
                add_narrow::<SHARED>(&numbers.degrees, degrees);
            }
        }
        Ok(())
    }

    /// Q and 4-cliques, as far as needed, when all triangles are counted.
    pub(super) fn look_inside<const SHARED: bool>(
        &self,
        needs: FourNeeds,
        u: u32,
        scratch: &mut Scratch,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let p = self.above(u).len();
        if p < 2 {
            return meter.steps(1);
        }
        let Scratch { index, own, rows, links } = scratch;
        own.clear();
        own.resize(p, [0; 3]);
        links.clear();
        let words = p.div_ceil(64);
        let first = self.up_base[u as usize] as usize;
        let spokes = &self.numbers[first..first + p];
        let triangles = |numbers: &super::EdgeNumbers| numbers.triangles.load(Relaxed);
        self.each_triangle(u, index, meter, |j, i, number| {
            if needs.near {
                let far = &self.numbers[number];
                let (at_j, at_i, at_far) =
                    (triangles(&spokes[j]), triangles(&spokes[i]), triangles(far));
                own[j][0] += at_i;
                own[j][1] += at_far;
                own[i][0] += at_j;
                own[i][1] += at_far;
                add_narrow::<SHARED>(&far.near[0], at_j);
                add_narrow::<SHARED>(&far.near[1], at_i);
            }
            if needs.cliques {
                links.push((j as u32, i as u32, number as u32));
            }
        })?;
        if links.len() >= 3 {
            rows.clear();
            rows.resize(p * words, 0);
            for &(j, i, _) in &*links {
                let (j, i) = (j as usize, i as usize);
                rows[j * words + i / 64] |= 1 << (i % 64);
                rows[i * words + j / 64] |= 1 << (j % 64);
            }
            for &(j, i, number) in &*links {
                let (j, i) = (j as usize, i as usize);
                meter.steps(words as u64)?;
                let (a, b) = (&rows[j * words..][..words], &rows[i * words..][..words]);
                let common: u32 = a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum();
                if common > 0 {
                    own[j][2] += common;
                    own[i][2] += common;
                    add_narrow::<SHARED>(&self.numbers[number as usize].cliques, 2 * common);
                }
            }
        }
        for (numbers, &[near, back, cliques]) in spokes.iter().zip(&*own) {
            if near > 0 {
                add_narrow::<SHARED>(&numbers.near[0], near);
                add_narrow::<SHARED>(&numbers.near[1], back);
            }
            if cliques > 0 {
                add_narrow::<SHARED>(&numbers.cliques, cliques);
            }
        }
        Ok(())
    }
}
