//! Which sums there are, which monomial each of them is, and what has to be looked at for it.

use super::super::rooted::{CYCLES5, Monomial, ONE, U, UV, V, edge, path, triangle};
use super::VertexTables;
use std::sync::atomic::Ordering::Relaxed;

/// Numbers that are added up at every vertex on the way. For an arc from the vertex u to v: d is the
/// degree of v, t the triangles on the arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sum {
    /// Over y two steps away, c walks: c² d(y), c³, c times the triangles on the second steps, c
    /// times the adjacent ordered pairs in the middle.
    EndDegrees,
    EndCubes,
    EndTriangles,
    EndPairs,
    /// Over ordered pairs of neighbours: c², and adjacent ordered pairs between them.
    MiddleWalks,
    MiddlePairs,
    /// Over neighbours x and ordered pairs in T: c.
    PairWalks,
    /// Walks round rims of wheels, from the hub and from the rim.
    Hub,
    Rim,
    /// Over ordered triangles u, v, x in k 4-cliques: k t(v, x), k²; k of the opposite one.
    CliqueTriangles,
    CliqueSquares,
    NearlyCliques,
    /// Ordered 5-cliques.
    Cliques5,
    /// Q(u → v) t; Q(v → u) alone, times d, times t.
    NearTriangles,
    Far,
    FarDegree,
    FarTriangles,
    /// P times d and times t.
    Degrees,
    DegreesTriangles,
    /// Walks of length 3 alone, times d, times t.
    Walks,
    WalksDegree,
    WalksTriangles,
    /// Adjacent ordered pairs in T alone, times d, times t.
    Cliques,
    CliquesDegree,
    CliquesTriangles,
    /// Over the edges opposite to u, both ways: P, t², walks of length 3, Q, adjacent pairs.
    OppositeDegrees,
    OppositeTriangles,
    OppositeWalks,
    OppositeNear,
    OppositeCliques,
}

impl Sum {
    pub(super) const NUMBER: usize = Self::OppositeCliques as usize + 1;
}

/// What a monomial is, summed over the arcs of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    /// Powers of both degrees and of t.
    Powers([u8; 3]),
    /// A sum around v (0 of degrees, 1 of triangles), times these.
    AroundOther(usize, [u8; 3]),
    /// A sum around u, times the sum of these.
    AroundOwn(usize, [u8; 3]),
    /// Σ of squares or beyond around v: d², t d, t²; then sums around of degrees, of triangles.
    Squares(usize),
    Beyond(usize),
    /// A sum, alone and times the degree.
    Added(Sum),
    TimesDegree(Sum),
    /// A sum of every neighbour.
    AtOther(Sum),
    Cycles,
}

impl Value {
    fn of(monomial: Monomial) -> Option<Self> {
        use Sum::*;
        let Monomial { base, powers } = monomial;
        let split = [powers & 3, powers >> 2 & 3, powers >> 4];
        let base = base as usize;
        let with = |sums: [Option<Sum>; 3]| match split {
            [0, 0, 0] => sums[0].map(Self::Added),
            [0, 1, 0] => sums[1].map(Self::Added),
            [0, 0, 1] => sums[2].map(Self::Added),
            _ => None,
        };
        let alone = |value: Self| (powers == 0).then_some(value);
        match base {
            ONE => Some(Self::Powers(split)),
            CYCLES5 => alone(Self::Cycles),
            _ if base == edge(V, 0) => Some(Self::AroundOther(0, split)),
            _ if base == edge(V, V) => Some(Self::AroundOther(1, split)),
            _ if base == edge(U, 0) => Some(Self::AroundOwn(0, split)),
            _ if base == edge(U, U) => Some(Self::AroundOwn(1, split)),
            _ if base == edge(UV, 0) => with([None, Some(Degrees), Some(DegreesTriangles)]),
            _ if base == edge(V, U) => with([Some(Walks), Some(WalksDegree), Some(WalksTriangles)]),
            _ if base == edge(UV, U) => with([None, None, Some(NearTriangles)]),
            _ if base == edge(UV, V) => with([Some(Far), Some(FarDegree), Some(FarTriangles)]),
            _ if base == edge(UV, UV) => {
                with([Some(Cliques), Some(CliquesDegree), Some(CliquesTriangles)])
            }
            _ => alone(match base {
                _ if base == path(0, U, U) => Self::TimesDegree(Walks),
                _ if base == triangle(U, U, 0) => Self::TimesDegree(Far),
                _ if base == triangle(U, U, U) => Self::TimesDegree(Cliques),
                _ if base == path(V, 0, 0) => Self::Squares(0),
                _ if base == path(V, V, 0) => Self::Squares(1),
                _ if base == path(V, V, V) => Self::Squares(2),
                _ if base == path(0, V, 0) => Self::Beyond(0),
                _ if base == triangle(V, 0, 0) => Self::Beyond(1),
                _ if base == path(0, V, V) => Self::AtOther(Walks),
                _ if base == triangle(V, V, 0) => Self::AtOther(Far),
                _ if base == triangle(V, V, V) => Self::AtOther(Cliques),
                _ => Self::Added(Self::added(base)?),
            }),
        }
    }

    /// Bases of five vertices that are sums of their own.
    fn added(base: usize) -> Option<Sum> {
        use Sum::*;
        let all = [
            (path(V, U, 0), EndDegrees),
            (path(V, U, U), EndCubes),
            (path(U, V, V), MiddleWalks),
            (path(V, V, U), EndTriangles),
            (path(V, UV, U), EndPairs),
            (triangle(V, V, U), MiddlePairs),
            (path(U, UV, V), PairWalks),
            (path(V, UV, 0), OppositeDegrees),
            (path(UV, V, V), OppositeTriangles),
            (path(0, UV, V), OppositeWalks),
            (path(V, UV, V), OppositeNear),
            (triangle(UV, V, V), OppositeCliques),
            (path(UV, UV, V), CliqueTriangles),
            (path(UV, UV, UV), CliqueSquares),
            (path(U, UV, UV), Hub),
            (path(V, UV, UV), Rim),
            (triangle(UV, UV, V), NearlyCliques),
            (triangle(UV, UV, UV), Cliques5),
        ];
        all.iter().find(|(own, _)| *own == base).map(|&(_, sum)| sum)
    }

    fn sum(self) -> Option<Sum> {
        match self {
            Self::Added(sum) | Self::TimesDegree(sum) | Self::AtOther(sum) => Some(sum),
            _ => None,
        }
    }
}

/// What some monomials are, and what has to be looked at.
#[derive(Clone, Debug)]
pub(in super::super) struct VertexNeeds {
    values: Vec<Value>,
    pub(super) cycles: bool,
    /// Walks of length 2, and what they add to the vertices in the middle.
    pub(super) walks: bool,
    pub(super) middle: bool,
    /// Edges between neighbours, vertices joined to both ends of them, and walks between them.
    pub(super) ego: bool,
    pub(super) pairs: bool,
    pub(super) inner: bool,
    pub(super) cliques: bool,
}

impl VertexNeeds {
    /// What these monomials ask for, if all of them are known here.
    pub(in super::super) fn of(monomials: &[Monomial]) -> Option<Self> {
        use Sum::*;
        let values: Vec<Value> = monomials.iter().map(|&m| Value::of(m)).collect::<Option<_>>()?;
        let any = |of: &[Sum]| values.iter().any(|v| v.sum().is_some_and(|s| of.contains(&s)));
        let pairs = any(&[EndPairs, MiddlePairs, PairWalks]);
        let middle = any(&[MiddleWalks, MiddlePairs, OppositeWalks])
            || any(&[Walks, WalksDegree, WalksTriangles]);
        let cliques = any(&[NearlyCliques, Cliques5]);
        let inner = cliques
            || any(&[Hub, Rim, CliqueTriangles, CliqueSquares, OppositeCliques])
            || any(&[Cliques, CliquesDegree, CliquesTriangles]);
        let near = any(&[NearTriangles, Far, FarDegree, FarTriangles, OppositeNear]);
        Some(Self {
            cycles: values.contains(&Value::Cycles),
            walks: pairs || middle || any(&[EndDegrees, EndCubes, EndTriangles]),
            middle,
            ego: pairs || inner || near,
            pairs,
            inner,
            cliques,
            values,
        })
    }

    /// Steps at a root, from what is around it: walks of length 2, common neighbours of the ends of
    /// edges between neighbours, and walks of length 2 between neighbours.
    pub(in super::super) fn steps(&self, walks: f64, diamonds: f64, inner: f64) -> f64 {
        // About a quarter of the wedges lead up from their middle.
        let times = [(self.walks, walks), (self.middle, walks), (self.ego, walks / 2.0)];
        let times = times.into_iter().chain([(self.pairs, diamonds)]);
        let half = times.chain([(self.inner, inner), (self.cliques, inner / 3.0)]);
        half.filter(|(needed, _)| *needed).map(|(_, steps)| steps / 2.0).sum()
    }

    /// The monomials at a rank, each summed over its arcs.
    pub(in super::super) fn values(&self, tables: &VertexTables, r: u32, out: &mut Vec<u64>) {
        let ranked = &tables.ranked;
        let own = u64::from(ranked.degree(r));
        let sum = |r: u32, sum: Sum| tables.sums[r as usize][sum as usize].load(Relaxed);
        // Products of d and t, and of those with sums around v, by exponents b + 4 c.
        let (mut powers, mut beyond) = ([0u64; 16], [[0u64; 16]; 2]);
        let (mut squares, mut further) = ([0u64; 3], [0u64; 2]);
        let (mut walks, mut far, mut cliques) = (0, 0, 0);
        for place in ranked.arcs(r) {
            let v = ranked.targets[place];
            let (d, t) = (u64::from(ranked.degree(v)), u64::from(tables.triangles[place]));
            let around = &tables.around[v as usize];
            let (dd, dt, tt) = (d * d, d * t, t * t);
            for (at, product) in
                [(0, 1), (1, d), (2, dd), (3, dd * d), (4, t), (5, dt), (6, dd * t)]
                    .into_iter()
                    .chain([(8, tt), (9, dt * t), (12, tt * t)])
            {
                powers[at] += product;
            }
            for (sums, value) in beyond.iter_mut().zip([around.degrees, around.triangles]) {
                sums[0] += value;
                sums[1] += value * d;
                sums[4] += value * t;
            }
            for (sum, value) in squares.iter_mut().zip(around.squares) {
                *sum += value;
            }
            for (sum, value) in further.iter_mut().zip(around.beyond) {
                *sum += value;
            }
            walks += sum(v, Sum::Walks);
            far += sum(v, Sum::Far);
            cliques += sum(v, Sum::Cliques);
        }
        let around = &tables.around[r as usize];
        let at = |[_, b, c]: [u8; 3]| usize::from(b) + 4 * usize::from(c);
        out.clear();
        out.extend(self.values.iter().map(|&value| match value {
            // Of four neighbours, which alone may be too many, the lower bits do.
            Value::Powers(split) => {
                powers[at(split)].wrapping_mul(own.wrapping_pow(split[0].into()))
            }
            Value::AroundOther(of, split) => beyond[of][at(split)] * own.pow(split[0].into()),
            Value::AroundOwn(of, split) => {
                [around.degrees, around.triangles][of]
                    * powers[at(split)]
                    * own.pow(split[0].into())
            }
            Value::Squares(of) => squares[of],
            Value::Beyond(of) => further[of],
            Value::Added(of) => sum(r, of),
            Value::TimesDegree(of) => sum(r, of) * own,
            Value::AtOther(Sum::Walks) => walks,
            Value::AtOther(Sum::Far) => far,
            Value::AtOther(_) => cliques,
            Value::Cycles => tables.cycles.at_vertex(r as usize),
        }));
    }

    /// The same where the choices of four neighbours go beyond 63 bits.
    pub(in super::super) fn wide_values(
        &self,
        tables: &VertexTables,
        r: u32,
        narrow: &mut Vec<u64>,
        out: &mut Vec<u128>,
    ) {
        self.values(tables, r, narrow);
        let stars = u128::from(tables.ranked.degree(r)).pow(4);
        out.clear();
        out.extend(self.values.iter().zip(narrow).map(|(&value, narrow)| match value {
            Value::Powers([3, 0, 0]) => stars,
            _ => u128::from(*narrow),
        }));
    }
}
