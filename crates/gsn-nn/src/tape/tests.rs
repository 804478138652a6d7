//! Numerical gradient checks in f64 for every operation, and fused operations against the plain
//! formula. L = Σ c·y with fixed random c; every parameter is moved both ways.

use super::affine::{Affine, Block, DeferredLinear, OneHot};
use super::aggregate::Eps;
use super::aggregator::Aggregator;
use super::direction::Directions;
use super::elementwise::Activation;
use super::loss::Loss;
use super::message::ArcTerms;
use super::segment::Readout;
use super::{Pass, Tape, Var};
use crate::batch::{Batch, FeatureTable, Features, GraphInput};
use crate::matrix::{Matrix, Pool};
use crate::params::{Grads, Init, NormIds, ParamId, Params};
use gsn_core::random;

/// Three directed graphs: 7 vertices (one isolated), one vertex alone, and 4 vertices.
fn batch() -> Batch<f64> {
    let graph = |n: u32, arcs: &[[u32; 2]], seed: u64| {
        let pick = |i: usize, k: u64| (random::derive(seed, i as u64) % k) as u32;
        GraphInput {
            vertices: n as usize,
            arcs: arcs.to_vec(),
            vertex: Some(Features::Categories {
                cols: 2,
                data: (0..2 * n as usize).map(|i| pick(i, 3)).collect(),
            }),
            arc: Some(Features::Categories {
                cols: 2,
                data: (0..2 * arcs.len()).map(|i| pick(i + 50, 3)).collect(),
            }),
            arc_ids: Some(Features::Values {
                cols: 2,
                data: (0..2 * arcs.len()).map(|i| f64::from(pick(i + 90, 5)) - 2.0).collect(),
            }),
            targets: vec![random::uniform(seed, 9), f64::NAN],
            ..GraphInput::default()
        }
    };
    Batch::new(&[
        graph(
            7,
            &[[0, 1], [1, 0], [1, 2], [2, 3], [3, 1], [4, 1], [5, 4], [0, 4], [2, 0], [4, 5]],
            1,
        ),
        graph(1, &[], 2),
        graph(4, &[[0, 1], [1, 2], [2, 0], [0, 2], [3, 0]], 3),
    ])
    .unwrap()
}

/// Parameters of a check, handed out by shape.
struct Setup {
    params: Params<f64>,
}

impl Setup {
    fn new() -> Self {
        Self { params: Params::new(11) }
    }
    fn matrix(&mut self, rows: usize, cols: usize) -> ParamId {
        let name = format!("p{}", self.params.entries.len());
        self.params.add(name, &[rows, cols], Init::Uniform(1.0))
    }
    fn norm(&mut self, width: usize) -> NormIds {
        let ids = self.params.add_norm(&format!("n{}", self.params.entries.len()), width);
        for (i, p) in [ids.gamma, ids.beta].into_iter().enumerate() {
            for c in 0..width {
                self.params.values[p.offset + c] = 0.7 + 0.3 * random::uniform(i as u64, c as u64);
            }
        }
        ids
    }
}

/// A trained matrix as a value on the tape.
fn leaf<'a>(tape: &mut Tape<'a, f64>, id: ParamId) -> Var {
    let all: &'static [u32] = Vec::leak((0..id.rows as u32).collect());
    tape.embed(all, &[id], false)
}

/// Checks ∂(Σ c·y)/∂parameter of `f` against differences, for every parameter.
fn check(
    params: &mut Params<f64>,
    batch: &Batch<f64>,
    f: impl for<'a> Fn(&mut Tape<'a, f64>) -> Var,
) {
    let pool = Pool::new();
    let weight = |i: usize| random::uniform(77, i as u64) - 0.4;
    let value = |params: &Params<f64>| {
        let mut tape = Tape::new(params, &pool, batch, Pass::Train, 5);
        let y = f(&mut tape);
        let y = tape.value(y).data().to_vec();
        y.iter().enumerate().map(|(i, y)| weight(i) * y).sum::<f64>()
    };
    let mut grads = Grads::new(params);
    {
        let mut tape = Tape::new(params, &pool, batch, Pass::Train, 5);
        let y = f(&mut tape);
        let (rows, cols) = (tape.value(y).rows(), tape.value(y).cols());
        let seed = Matrix::from_vec(rows, cols, (0..rows * cols).map(weight).collect()).unwrap();
        tape.backward_from(y, seed, &mut grads);
    }
    let largest = grads.values().iter().fold(0.0f64, |m, g| m.max(g.abs()));
    assert!(largest > 0.0, "nothing depends on anything");
    for i in 0..params.count() {
        let (old, h) = (params.values[i], 1e-5);
        params.values[i] = old + h;
        let up = value(params);
        params.values[i] = old - h;
        let down = value(params);
        params.values[i] = old;
        let (want, got) = ((up - down) / (2.0 * h), grads.values()[i]);
        let off = (want - got).abs();
        assert!(off < 1e-7 * (1.0 + largest), "parameter {i}: {got}, by differences {want}");
    }
}

fn hot<'a>(index: &'a [u32], sizes: [u32; 2]) -> Block<'a> {
    let starts = vec![0, sizes[0]];
    Block::OneHot(OneHot { index, starts: starts.into(), width: (sizes[0] + sizes[1]) as usize })
}

fn categories(t: &Option<FeatureTable<f64>>) -> &crate::batch::Categories {
    let Some(FeatureTable::Categories(c)) = t else { panic!("categories") };
    c
}

#[test]
fn affine() {
    let b = batch();
    let mut s = Setup::new();
    let (x, w, bias) = (s.matrix(12, 3), s.matrix(4, 9), s.matrix(1, 4));
    for scaled in [false, true] {
        check(&mut s.params, &b, |tape| {
            let batch = tape.batch;
            let x = leaf(tape, x);
            let blocks =
                vec![(0, Block::Dense(x)), (3, hot(&categories(&batch.vertex).index, [3, 3]))];
            let bias_scale = scaled.then_some(batch.in_degree.as_slice());
            tape.affine(12, Affine { weight: w, bias: Some(bias), bias_scale, blocks })
        });
    }
}

/// U·[x, W s + deg·b] with the inner Linear folded into U, by differences and against computing
/// it in two steps.
#[test]
fn inner_linear() {
    let b = batch();
    let mut s = Setup::new();
    let (x, sum, u) = (s.matrix(12, 2), s.matrix(12, 3), s.matrix(5, 6));
    let (weight, bias) = (s.matrix(4, 3), s.matrix(1, 4));
    let run = |tape: &mut Tape<'_, f64>, folded: bool| {
        let (x, sum) = (leaf(tape, x), leaf(tape, sum));
        let inner = Block::Deferred(DeferredLinear { s: sum, weight, bias });
        let inner =
            if folded { inner } else { Block::Dense(crate::layer::encoder::dense(tape, &inner)) };
        let blocks = vec![(0, Block::Dense(x)), (2, inner)];
        tape.affine(12, Affine { weight: u, bias: None, bias_scale: None, blocks })
    };
    check(&mut s.params, &b, |tape| run(tape, true));
    let pool = Pool::new();
    let mut tape = Tape::new(&s.params, &pool, &b, Pass::Train, 0);
    let (folded, two_steps) = (run(&mut tape, true), run(&mut tape, false));
    for (p, q) in tape.value(folded).data().iter().zip(tape.value(two_steps).data()) {
        assert!((p - q).abs() < 1e-13);
    }
}

#[test]
fn batch_norm() {
    let b = batch();
    let mut s = Setup::new();
    let (x, ids) = (s.matrix(12, 3), s.norm(3));
    for relu in [false, true] {
        check(&mut s.params, &b, |tape| {
            let x = leaf(tape, x);
            tape.norm(x, ids, relu)
        });
    }
}

/// All terms of a message: per target, source, arc category and arc.
fn terms<'a>(tape: &mut Tape<'a, f64>, p: &[ParamId; 4]) -> ArcTerms<'a> {
    let [a, b, t, r] = p.map(|p| leaf(tape, p));
    let of_arc = &categories(&tape.batch.arc).distinct.of_row;
    ArcTerms {
        target: Some(a),
        source: Some(b),
        tables: vec![(t, of_arc.as_slice())],
        arc: Some(r),
    }
}

fn term_params(s: &mut Setup, b: &Batch<f64>, width: usize) -> [ParamId; 4] {
    let distinct = categories(&b.arc).distinct.count;
    [12, 12, distinct, 15].map(|rows| s.matrix(rows, width))
}

#[test]
fn message_and_its_plain_formula() {
    let b = batch();
    let mut s = Setup::new();
    let p = term_params(&mut s, &b, 3);
    let ids = s.norm(3);
    check(&mut s.params, &b, |tape| {
        let terms = terms(tape, &p);
        tape.message(terms, 3, ids)
    });
    // s_v = Σ ReLU(BN(z)) with z, mean and variance written out.
    let pool = Pool::new();
    let mut tape = Tape::new(&s.params, &pool, &b, Pass::Train, 0);
    let terms = terms(&mut tape, &p);
    let y = tape.message(terms, 3, ids);
    let [cp, cq, ct, cr] = p.map(|p| s.params.get(p).to_vec());
    let index = &categories(&b.arc).distinct.of_row;
    for c in 0..3 {
        let z: Vec<f64> = (0..15)
            .map(|a| {
                let (u, v, t) = (b.source[a] as usize, b.target[a] as usize, index[a] as usize);
                cp[v * 3 + c] + cq[u * 3 + c] + ct[t * 3 + c] + cr[a * 3 + c]
            })
            .collect();
        let mean = z.iter().sum::<f64>() / 15.0;
        let var = z.iter().map(|z| (z - mean) * (z - mean)).sum::<f64>() / 15.0;
        let (gamma, beta) = (s.params.get(ids.gamma)[c], s.params.get(ids.beta)[c]);
        for v in 0..12 {
            let relu = |a: usize| (gamma * (z[a] - mean) / (var + 1e-5).sqrt() + beta).max(0.0);
            let want: f64 = (0..15).filter(|&a| b.target[a] as usize == v).map(relu).sum();
            assert!((tape.value(y).row(v)[c] - want).abs() < 1e-12);
        }
    }
}

#[test]
fn aggregate() {
    let b = batch();
    let mut s = Setup::new();
    let p = term_params(&mut s, &b, 3);
    let (own, eps, bias) = (s.matrix(1, 3), s.matrix(1, 1), s.matrix(1, 3));
    let fixed = s.params.add_buffer("eps".into(), 1, 0.25);
    for (relu, full) in [(false, true), (true, true), (false, false), (true, false)] {
        check(&mut s.params, &b, |tape| {
            let terms = terms(tape, &p);
            let own = leaf(tape, own);
            let x = terms.source.unwrap();
            if full {
                let eps = Eps::Learned(eps);
                tape.aggregate(x, (eps, Some(own)), (relu, Some(bias)), terms.tables, terms.arc)
            } else {
                tape.aggregate(x, (Eps::Fixed(fixed), None), (relu, None), terms.tables, None)
            }
        });
    }
}

#[test]
fn values_per_arc() {
    let b = batch();
    let mut s = Setup::new();
    let p = term_params(&mut s, &b, 2);
    check(&mut s.params, &b, |tape| {
        let terms = terms(tape, &p);
        let z = tape.arc_gather(terms, 2);
        let z = tape.activate(z, Activation::Tanh);
        tape.arc_sum(z)
    });
}

#[test]
fn activations_sums_factors_columns() {
    let b = batch();
    let mut s = Setup::new();
    let (x, y) = (s.matrix(12, 3), s.matrix(12, 2));
    for f in [Activation::Relu, Activation::Elu, Activation::Tanh, Activation::Identity] {
        check(&mut s.params, &b, |tape| {
            let (x, y) = (leaf(tape, x), leaf(tape, y));
            let a = tape.activate(x, f);
            let a = tape.add(a, x);
            let c = tape.concat(&[y, a, y]);
            let factor = |k: usize| (0..12).map(|i| (i + k) as f64 / 7.0).collect();
            tape.scale_rows(c, vec![factor(1), factor(3)])
        });
    }
}

#[test]
fn dropout() {
    let b = batch();
    let mut s = Setup::new();
    let x = s.matrix(12, 30);
    check(&mut s.params, &b, |tape| {
        let x = leaf(tape, x);
        tape.dropout(x, 0.4)
    });
    let pool = Pool::new();
    let mut tape = Tape::new(&s.params, &pool, &b, Pass::Train, 5);
    let v = leaf(&mut tape, x);
    let y = tape.dropout(v, 0.4);
    let pairs: Vec<(f64, f64)> =
        tape.value(v).data().iter().copied().zip(tape.value(y).data().iter().copied()).collect();
    assert!(pairs.iter().all(|&(x, y)| y == 0.0 || (y - x / 0.6).abs() < 1e-12));
    let dropped = pairs.iter().filter(|p| p.1 == 0.0).count() as f64 / 360.0;
    assert!((dropped - 0.4).abs() < 0.1, "{dropped}");
}

#[test]
fn embeddings() {
    let b = batch();
    let mut s = Setup::new();
    let tables = [s.matrix(3, 2), s.matrix(3, 2)];
    for concat in [false, true] {
        check(&mut s.params, &b, |tape| {
            let batch = tape.batch;
            tape.embed(&categories(&batch.vertex).index, &tables, concat)
        });
    }
}

#[test]
fn readouts_and_spread() {
    let b = batch();
    let mut s = Setup::new();
    let (x, g) = (s.matrix(12, 3), s.matrix(3, 3));
    for how in [Readout::Sum, Readout::Mean, Readout::Max] {
        check(&mut s.params, &b, |tape| {
            let batch = tape.batch;
            let (x, g) = (leaf(tape, x), leaf(tape, g));
            let h = tape.spread(x, g);
            tape.segment(h, &batch.vertex_offsets, how)
        });
    }
}

#[test]
fn directional_aggregators() {
    let b = batch();
    let mut s = Setup::new();
    let x = s.matrix(12, 3);
    let names = "mean sum max min var std dir0-av dir1-dx dir0-dx-no-abs dir1-dx-balanced dir0-0.3 dir1-neg-0.2";
    let kinds: Vec<Aggregator> = names.split(' ').map(|n| n.parse().unwrap()).collect();
    assert!(kinds.iter().zip(names.split(' ')).all(|(k, n)| k.to_string() == n));
    let Some(FeatureTable::Values(field)) = &b.arc_ids else { panic!() };
    for kind in &kinds {
        check(&mut s.params, &b, |tape| {
            let x = leaf(tape, x);
            tape.direction(x, &Directions::new(&b, &[*kind], Some(field)).into())
        });
    }
    check(&mut s.params, &b, |tape| {
        let x = leaf(tape, x);
        tape.direction(x, &Directions::new(&b, &kinds, Some(field)).into())
    });
    for bad in ["median", "dir-av", "dir0", "dir0-neg-x", "dir0--1", "dirx-av"] {
        assert!(bad.parse::<Aggregator>().is_err(), "{bad}");
    }
}

/// The authors' paw graph worked out by hand (golden `hand_check`).
#[test]
fn directional_averages_of_the_paw() {
    let arcs = [[0, 1], [1, 0], [1, 2], [2, 1], [2, 0], [0, 2], [2, 3], [3, 2]];
    let graph = GraphInput {
        vertices: 4,
        arcs: arcs.to_vec(),
        arc_ids: Some(Features::Values { cols: 1, data: vec![1., 1., 1., 1., 1., 1., 0., 0.] }),
        ..GraphInput::default()
    };
    let b = Batch::<f64>::new(&[graph]).unwrap();
    let (params, pool) = (Params::new(0), Pool::new());
    let mut tape = Tape::new(&params, &pool, &b, Pass::Evaluate, 0);
    let h = tape.constant(Matrix::from_vec(4, 1, vec![1.0, 2.0, 4.0, 8.0]).unwrap());
    let kinds = [Aggregator::Mean, Aggregator::Max, Aggregator::Min, Aggregator::Average(0)];
    let Some(FeatureTable::Values(field)) = &b.arc_ids else { panic!() };
    let y = tape.direction(h, &Directions::new(&b, &kinds, Some(field)).into());
    let want = [
        [3.0, 4.0, 2.0, 2.999999985],
        [2.5, 4.0, 1.0, 2.4999999875],
        [11.0 / 3.0, 8.0, 1.0, 1.4999999925],
        [4.0, 4.0, 4.0, 0.0],
    ];
    for (v, want) in want.iter().enumerate() {
        for (got, want) in tape.value(y).row(v).iter().zip(want) {
            assert!((got - want).abs() < 1e-12, "vertex {v}: {got} {want}");
        }
    }
}

#[test]
fn losses() {
    let b = batch();
    let mut s = Setup::new();
    let x = s.matrix(3, 2);
    for loss in [Loss::L1, Loss::Mse, Loss::BceWithLogits] {
        check(&mut s.params, &b, |tape| {
            let x = leaf(tape, x);
            tape.loss(x, loss).unwrap().0
        });
    }
    let mut classes = batch();
    classes.labels = Matrix::from_vec(3, 1, vec![1.0, f64::NAN, 0.0]).unwrap().into();
    check(&mut s.params, &classes, |tape| {
        let x = leaf(tape, x);
        tape.loss(x, Loss::CrossEntropy).unwrap().0
    });
    let logits = Matrix::from_vec(1, 2, vec![1000.0, 0.0]).unwrap();
    let class = |c: f64| Matrix::from_vec(1, 1, vec![c]).unwrap().into();
    let (value, _) = Loss::CrossEntropy.value_and_gradient(&logits, &class(1.0)).unwrap();
    assert_eq!(value, 1000.0);
    assert!(Loss::CrossEntropy.value_and_gradient(&logits, &class(2.0)).is_err());
    assert!(Loss::L1.value_and_gradient(&logits, &class(1.0)).is_err());
    let bce =
        Loss::BceWithLogits.value_and_gradient(&logits, &Matrix::zeros(1, 2).into()).unwrap().0;
    assert!((bce - (1000.0 + 2f64.ln()) / 2.0).abs() < 1e-12);
}
