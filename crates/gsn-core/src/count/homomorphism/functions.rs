//! The functions of a graph: what sums over neighbours and over triangles give.

use super::expression::{Expressions, Function, FunctionForm, ONE, ONE_ARC};
use super::host::Host;
use super::number::Number;
use super::program::Program;
use crate::count::budget::{Meter, Stop};
use crate::graph::Graph;

/// The values of all functions that are worked out already.
#[derive(Debug)]
pub(super) struct Values<T> {
    of: Vec<Vec<T>>,
    /// Whether a function is zero everywhere.
    zero: Vec<bool>,
    done: Vec<bool>,
    triangles: TriangleMemory,
}

impl<T> Default for Values<T> {
    fn default() -> Self {
        let triangles = TriangleMemory::default();
        Self { of: Vec::new(), zero: Vec::new(), done: Vec::new(), triangles }
    }
}

/// Which vertices are next to the one at work, and by which arc.
#[derive(Debug, Default)]
struct TriangleMemory {
    arc_to: Vec<u32>,
    /// Arcs to vertices of larger degree: where those of each vertex start, ends and arcs.
    starts: Vec<u32>,
    upward: Vec<(u32, u32)>,
}

/// Arcs from which on memory is given back; in smaller graphs the next one uses it.
pub(super) const LARGE: usize = 1 << 16;

/// Marks a vertex that is not next to the one at work.
const NOT_NEXT: u32 = u32::MAX;

impl<T: Number> Values<T> {
    /// Forgets the last graph.
    pub(super) fn reset(&mut self, functions: usize) {
        self.of.resize_with(functions, Vec::new);
        self.zero.clear();
        self.zero.resize(functions, false);
        self.done.clear();
        self.done.resize(functions, false);
    }

    /// The values of a function that is not 1 everywhere.
    #[inline]
    pub(super) fn get(&self, function: Function) -> &[T] {
        &self.of[function as usize]
    }

    /// The value at a vertex or arc.
    #[inline]
    pub(super) fn at(&self, function: Function, at: usize) -> T {
        match function {
            ONE | ONE_ARC => T::ONE,
            _ => self.of[function as usize][at],
        }
    }

    /// Whether a function is zero everywhere.
    #[inline]
    pub(super) fn is_zero(&self, function: Function) -> bool {
        self.zero[function as usize]
    }

    /// Takes the memory of a function, to be put back with its values.
    pub(super) fn take(&mut self, function: Function, length: usize) -> Vec<T> {
        let mut values = std::mem::take(&mut self.of[function as usize]);
        values.clear();
        values.resize(length, T::default());
        values
    }

    pub(super) fn put(&mut self, function: Function, values: Vec<T>) {
        let zero = values.iter().all(|value| value.is_zero());
        self.put_known(function, values, zero);
    }

    /// Puts back values of which is known whether all are zero.
    fn put_known(&mut self, function: Function, values: Vec<T>, zero: bool) {
        self.zero[function as usize] = zero;
        self.of[function as usize] = values;
        self.done[function as usize] = true;
    }

    /// Gives back the memory of functions that nothing reads any more.
    pub(super) fn forget(&mut self, functions: &[Function]) {
        for &function in functions {
            self.of[function as usize] = Vec::new();
        }
    }

    /// Works out the functions of a stage, each behind those that it is made of.
    pub(super) fn work_out(
        &mut self,
        program: &Program,
        stage: usize,
        graph: &Graph,
        host: &Host,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let (expressions, functions) = (&program.expressions, &program.stages[stage].functions);
        let large = host.arc_count() >= LARGE;
        for (at, &function) in functions.iter().enumerate() {
            if at > 0 && large {
                self.forget(program.lifetimes.ended(stage, at - 1));
            }
            if self.done[function as usize] {
                continue;
            }
            let arcs = expressions.is_arc(function);
            let length = if arcs { host.arc_count() } else { host.order() };
            let mut values = self.take(function, length);
            meter.steps(length as u64)?;
            match expressions.form(function) {
                FunctionForm::Product(factors) => {
                    if factors.iter().any(|&factor| self.is_zero(factor)) {
                        self.put_known(function, values, true);
                        continue;
                    }
                    self.product(factors, &mut values);
                }
                FunctionForm::NeighborSum { of, along } => {
                    if self.is_zero(*of) || self.is_zero(*along) {
                        self.put_known(function, values, true);
                        continue;
                    }
                    meter.steps(host.arc_count() as u64)?;
                    self.neighbor_sum(*of, *along, host, &mut values);
                }
                FunctionForm::Source(of) => {
                    for v in 0..host.order() as u32 {
                        values[host.arcs_of(v)].fill(self.at(*of, v as usize));
                    }
                }
                FunctionForm::Reverse(of) => {
                    let of = self.get(*of);
                    for (value, &back) in values.iter_mut().zip(&host.reverse) {
                        *value = of[back as usize];
                    }
                }
                FunctionForm::Triangle { .. } => {
                    self.of[function as usize] = values;
                    self.triangles(&functions[at..], expressions, host, meter)?;
                    continue;
                }
                FunctionForm::VertexLabel(label) => {
                    let labels = graph.vertex_labels().unwrap_or_default();
                    for (value, _) in values.iter_mut().zip(labels).filter(|(_, l)| *l == label) {
                        *value = T::ONE;
                    }
                }
                FunctionForm::ArcLabel(label) => {
                    let labels = graph.arc_labels().unwrap_or_default();
                    for (arc, _) in labels.iter().enumerate().filter(|(_, l)| *l == label) {
                        values[host.position(arc)] = T::ONE;
                    }
                }
                FunctionForm::Forward => {
                    (0..graph.arc_count()).for_each(|arc| values[host.position(arc)] = T::ONE);
                }
                FunctionForm::OneVertex | FunctionForm::OneArc | FunctionForm::Gathered(_) => {
                    values.fill(T::ONE);
                }
            }
            self.put(function, values);
        }
        if large && !functions.is_empty() {
            self.forget(program.lifetimes.ended(stage, functions.len() - 1));
        }
        Ok(())
    }

    fn product(&self, factors: &[Function], values: &mut [T]) {
        let (first, rest) = (self.get(factors[0]), &factors[1..]);
        values.copy_from_slice(first);
        for &factor in rest {
            for (value, by) in values.iter_mut().zip(self.get(factor)) {
                *value = value.times(*by);
            }
        }
    }

    fn neighbor_sum(&self, of: Function, along: Function, host: &Host, values: &mut [T]) {
        let sum = |terms: &mut dyn Iterator<Item = T>| terms.fold(T::default(), T::plus);
        for (v, value) in values.iter_mut().enumerate() {
            let arcs = host.arcs_of(v as u32);
            let around = &host.targets[arcs.clone()];
            *value = match (of, along) {
                (ONE, ONE_ARC) => sum(&mut around.iter().map(|_| T::ONE)),
                (of, ONE_ARC) => {
                    let of = self.get(of);
                    around.iter().fold(T::default(), |sum, &w| sum.plus(of[w as usize]))
                }
                (ONE, along) => {
                    self.get(along)[arcs].iter().fold(T::default(), |sum, &by| sum.plus(by))
                }
                (of, along) => {
                    let (of, along) = (self.get(of), &self.get(along)[arcs]);
                    let terms = around.iter().zip(along);
                    terms.fold(T::default(), |sum, (&w, &by)| sum.plus(of[w as usize].times(by)))
                }
            };
        }
    }

    /// Works out the first of some functions and all further sums over triangles that are made of
    /// known functions, in one listing of the triangles.
    fn triangles(
        &mut self,
        functions: &[Function],
        expressions: &Expressions,
        host: &Host,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let mut sums = Vec::new();
        for (at, &function) in functions.iter().enumerate() {
            if let &FunctionForm::Triangle { first, middle, second } = expressions.form(function) {
                let known = |&f: &Function| f == ONE || f == ONE_ARC || self.done[f as usize];
                if at == 0
                    || (!self.done[function as usize] && [first, middle, second].iter().all(known))
                {
                    let zero = [first, middle, second].iter().any(|&f| self.is_zero(f));
                    let values = self.take(function, host.arc_count());
                    sums.push(TriangleSum { function, first, middle, second, values, zero });
                }
            }
        }
        let mut memory = std::mem::take(&mut self.triangles);
        let listed = if sums.iter().all(|sum| sum.zero) {
            Ok(())
        } else {
            memory.list(host, meter, |corners| {
                for sum in sums.iter_mut().filter(|sum| !sum.zero) {
                    sum.add(self, corners, host);
                }
            })
        };
        self.triangles = memory;
        for TriangleSum { function, values, zero, .. } in sums {
            if zero {
                self.put_known(function, values, true);
            } else {
                self.put(function, values);
            }
        }
        listed
    }
}

/// A sum over triangles that is being worked out.
struct TriangleSum<T> {
    function: Function,
    first: Function,
    middle: Function,
    second: Function,
    values: Vec<T>,
    zero: bool,
}

/// The vertices u, v, w of a triangle and the arcs u → v, u → w, v → w.
struct Corners {
    vertices: [u32; 3],
    arcs: [usize; 3],
}

impl<T: Number> TriangleSum<T> {
    fn add(&mut self, known: &Values<T>, corners: &Corners, host: &Host) {
        let [u, v, w] = corners.vertices;
        let [uv, uw, vw] = corners.arcs;
        let back = |arc: usize| host.reverse[arc] as usize;
        let (vu, wu, wv) = (back(uv), back(uw), back(vw));
        if (self.first, self.middle, self.second) == (ONE_ARC, ONE, ONE_ARC) {
            for arc in [uv, vu, uw, wu, vw, wv] {
                self.values[arc] = self.values[arc].plus(T::ONE);
            }
            return;
        }
        // The arc a → b gets first(a, z) · middle(z) · second(z, b).
        for (arc, to, z, from) in [
            (uv, uw, w, wv),
            (vu, vw, w, wu),
            (uw, uv, v, vw),
            (wu, wv, v, vu),
            (vw, vu, u, uw),
            (wv, wu, u, uv),
        ] {
            let value = known.at(self.first, to).times(known.at(self.middle, z as usize));
            let value = value.times(known.at(self.second, from));
            self.values[arc] = self.values[arc].plus(value);
        }
    }
}

impl TriangleMemory {
    /// Every triangle once. Arcs point to vertices of larger degree, so no vertex has many.
    fn list(
        &mut self,
        host: &Host,
        meter: &mut Meter<'_>,
        mut call: impl FnMut(&Corners),
    ) -> Result<(), Stop> {
        let n = host.order() as u32;
        self.starts.clear();
        self.upward.clear();
        self.starts.push(0);
        for u in 0..n {
            for arc in host.arcs_of(u) {
                let v = host.targets[arc];
                if (host.degree(u), u) < (host.degree(v), v) {
                    self.upward.push((v, arc as u32));
                }
            }
            self.starts.push(self.upward.len() as u32);
        }
        self.arc_to.clear();
        self.arc_to.resize(n as usize, NOT_NEXT);
        let upward = |u: u32| {
            let range = self.starts[u as usize] as usize..self.starts[u as usize + 1] as usize;
            &self.upward[range]
        };
        for u in 0..n {
            let around = upward(u);
            if around.len() < 2 {
                continue;
            }
            for &(v, arc) in around {
                self.arc_to[v as usize] = arc;
            }
            for &(v, uv) in around {
                let next = upward(v);
                meter.steps(1 + next.len() as u64)?;
                for &(w, vw) in next {
                    let uw = self.arc_to[w as usize];
                    if uw != NOT_NEXT {
                        let arcs = [uv, uw, vw].map(|arc| arc as usize);
                        call(&Corners { vertices: [u, v, w], arcs });
                    }
                }
            }
            for &(v, _) in around {
                self.arc_to[v as usize] = NOT_NEXT;
            }
        }
        Ok(())
    }
}
