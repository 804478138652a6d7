//! Triangles from their lowest vertex, and 4-cliques as triangles among its higher neighbours.

use super::super::ranked::{add, add_narrow};
use super::{CLIQUES, DEGREES, FAR, FourNeeds, FourTables, NEAR};
use crate::count::budget::{Meter, Stop};
use crate::count::members::Members;
use std::sync::atomic::Ordering::Relaxed;

/// Memory of one thread.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The root's higher neighbours.
    members: Members,
    /// What the edges of the root have gathered so far.
    own: Vec<Spoke>,
    /// Adjacency of the higher neighbours, rows of bits.
    rows: Vec<u64>,
    /// Edges between them: the two indices and the number of the edge.
    links: Vec<(u32, u32, u32)>,
}

/// What an edge of the root has gathered from the triangles on it.
#[derive(Clone, Copy, Debug, Default)]
struct Spoke {
    triangles: u32,
    sums: [u32; 2],
    /// Twice the triangles at its end among the higher neighbours.
    cliques: u32,
}

impl Spoke {
    #[inline]
    fn add(&mut self, terms: [u32; 2]) {
        self.triangles += 1;
        self.sums[0] += terms[0];
        self.sums[1] += terms[1];
    }
}

impl FourTables {
    /// Visits every triangle whose lowest vertex is `u`: the indices of the other two among the
    /// higher neighbours of u, and the number of the edge between them.
    #[inline]
    fn each_triangle(
        &self,
        u: u32,
        index: &mut Members,
        meter: &mut Meter<'_>,
        mut visit: impl FnMut(usize, usize, usize),
    ) -> Result<(), Stop> {
        let targets = &self.ranked.targets;
        let members = &targets[self.above(u)];
        self.ranked.touch(members.iter().map(|&v| self.up[v as usize]));
        index.set(members, self.ranked.order());
        let mut result = Ok(());
        for (j, &v) in members.iter().enumerate() {
            let row = &targets[self.above(v)];
            result = meter.steps(row.len() as u64 + 1);
            if result.is_err() {
                break;
            }
            let base = self.up_base[v as usize] as usize;
            for (k, &x) in row.iter().enumerate() {
                if let Some(i) = index.place(x) {
                    visit(j, i, base + k);
                }
            }
        }
        index.clear(members);
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
        let Scratch { members: index, own, .. } = scratch;
        own.clear();
        own.resize(members.len(), Spoke::default());
        let degree = |r: u32| self.ranked.degree(r);
        let lowest = degree(u);
        let by_edge = needs.by_edge && needs.bases[DEGREES];
        self.each_triangle(u, index, meter, |j, i, number| {
            add_narrow::<SHARED>(&self.triangles[number], 1);
            own[j].triangles += 1;
            own[i].triangles += 1;
            if needs.bases[DEGREES] {
                own[j].sums[0] += degree(members[i]);
                own[i].sums[0] += degree(members[j]);
                if by_edge {
                    add_narrow::<SHARED>(&self.numbers[number].degrees, lowest);
                }
            }
        })?;
        let first = self.up_base[u as usize] as usize;
        let (mut all, mut degrees) = (0, 0);
        for (j, (spoke, &v)) in own.iter().zip(members).enumerate() {
            if spoke.triangles == 0 {
                continue;
            }
            add_narrow::<SHARED>(&self.triangles[first + j], spoke.triangles);
            add_narrow::<SHARED>(&self.triangles_at[v as usize], 2 * spoke.triangles);
            all += spoke.triangles;
            if by_edge {
                add_narrow::<SHARED>(&self.numbers[first + j].degrees, spoke.sums[0]);
            } else if needs.bases[DEGREES] {
                let triangles = u64::from(spoke.triangles);
                let sum = triangles * u64::from(lowest) + u64::from(spoke.sums[0]);
                add::<SHARED>(&self.sums[DEGREES][v as usize], sum);
                degrees += triangles * u64::from(degree(v));
            }
        }
        add_narrow::<SHARED>(&self.triangles_at[u as usize], all);
        if degrees > 0 {
            add::<SHARED>(&self.sums[DEGREES][u as usize], degrees);
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
        let Scratch { members: index, own, rows, links } = scratch;
        own.clear();
        own.resize(p, Spoke::default());
        links.clear();
        let first = self.up_base[u as usize] as usize;
        let triangles = |number: usize| self.triangles[number].load(Relaxed);
        self.each_triangle(u, index, meter, |j, i, number| {
            if needs.near() {
                let (at_j, at_i) = (triangles(first + j), triangles(first + i));
                let far = triangles(number);
                own[j].add([at_i, far]);
                own[i].add([at_j, far]);
                if needs.by_edge {
                    let [up, back] = &self.numbers[number].near;
                    add_narrow::<SHARED>(up, at_j);
                    add_narrow::<SHARED>(back, at_i);
                }
            }
            if needs.bases[CLIQUES] {
                links.push((j as u32, i as u32, number as u32));
            }
        })?;
        if links.len() >= 3 {
            count_cliques(p, links, rows, meter, |j, i, number, common| {
                own[j].cliques += common;
                own[i].cliques += common;
                if needs.by_edge {
                    add_narrow::<SHARED>(&self.numbers[number].cliques, 2 * common);
                }
            })?;
        }
        let members = &self.ranked.targets[self.above(u)];
        let mut all = [0u64; 3];
        for (j, (spoke, &v)) in own.iter().zip(members).enumerate() {
            if needs.by_edge {
                let numbers = &self.numbers[first + j];
                add_narrow::<SHARED>(&numbers.near[0], spoke.sums[0]);
                add_narrow::<SHARED>(&numbers.near[1], spoke.sums[1]);
                add_narrow::<SHARED>(&numbers.cliques, spoke.cliques);
                continue;
            }
            // Of a triangle every corner gets the other two edges at it, and the far edge twice.
            let mine = u64::from(spoke.triangles) * u64::from(triangles(first + j));
            let [others, far] = spoke.sums.map(u64::from);
            let at_v = [mine + far, 2 * others, 3 * u64::from(spoke.cliques)];
            self.add_sums::<SHARED>(v, at_v);
            for (all, more) in all.iter_mut().zip([mine, far, u64::from(spoke.cliques)]) {
                *all += more;
            }
        }
        if !needs.by_edge {
            self.add_sums::<SHARED>(u, all);
        }
        Ok(())
    }

    /// Adds to the sums of a rank of [`NEAR`], [`FAR`] and [`CLIQUES`] that are needed.
    fn add_sums<const SHARED: bool>(&self, r: u32, values: [u64; 3]) {
        for (table, value) in [NEAR, FAR, CLIQUES].into_iter().zip(values) {
            if value > 0 && !self.sums[table].is_empty() {
                add::<SHARED>(&self.sums[table][r as usize], value);
            }
        }
    }
}

/// The common neighbours among `p` vertices of the ends of every link, where there are any.
fn count_cliques(
    p: usize,
    links: &[(u32, u32, u32)],
    rows: &mut Vec<u64>,
    meter: &mut Meter<'_>,
    mut found: impl FnMut(usize, usize, usize, u32),
) -> Result<(), Stop> {
    let words = p.div_ceil(64);
    rows.clear();
    rows.resize(p * words, 0);
    for &(j, i, _) in links {
        let (j, i) = (j as usize, i as usize);
        rows[j * words + i / 64] |= 1 << (i % 64);
        rows[i * words + j / 64] |= 1 << (j % 64);
    }
    for &(j, i, number) in links {
        let (j, i) = (j as usize, i as usize);
        meter.steps(words as u64)?;
        let (a, b) = (&rows[j * words..][..words], &rows[i * words..][..words]);
        let common: u32 = a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum();
        if common > 0 {
            found(j, i, number as usize, common);
        }
    }
    Ok(())
}
