//! Networks with random weights in evaluation mode, as in the paper's experiment.
//!
//! The network is that of the authors' command (OFFICIAL §g): two general layers of width 64
//! without BatchNorm behind them, identifiers one-hot in the first, sum readout, an MLP head. Ours:
//! f64, the embedding before the head, a pair fails when it is closer than 10⁻⁶ for every seed. The
//! authors': f32, the output, as wide as there are graphs, closer than 10⁻².
//!
//! "Closer than ε" is no equivalence, so pairs are looked at, but few of them: graphs are sorted
//! along one direction, and only pairs within ε along it can be closer than ε.

use super::{Options, Outcome, Pairing};
use crate::error::{Error, Result};
use gsn_core::wl::group;
use gsn_core::{CountSpec, Counter, Counts, EdgeOrbits, Graph, Scope};
use gsn_nn::config::{
    Data, Encoding, Form, GsnConfig, GsnLayer, Head, Ids, Input, Inputs, Network, Readout,
    Scope as IdScope,
};
use gsn_nn::{Batch, Features, GraphInput, Matrix, Model, ModelConfig, Pool, Scalar};
use rayon::prelude::*;

/// Embeddings (f64) closer than this are equal.
pub const EMBEDDING_LIMIT: f64 = 1e-6;
/// Outputs (f32) closer than this are equal to the authors' test.
pub const OFFICIAL_LIMIT: f64 = 1e-2;

const WIDTH: usize = 64;
/// Graphs in one pass.
const BATCH: usize = 64;
/// One-hot columns beyond which the first layer would not fit.
const WIDEST: usize = 50_000;
/// Graphs up to which the output is as wide as there are graphs: 10⁴ need 800 MB.
const MOST: usize = 6_000;
/// Pairs that may be kept from one seed to the next.
const KEPT: usize = 60_000_000;

/// The network without counts, and one for every way to count with exact orbits.
pub(super) fn run(graphs: &[Graph], options: &Options) -> Result<Vec<Outcome>> {
    let mut tests = Vec::new();
    let inputs: Vec<GraphInput> = graphs.iter().map(bare).collect();
    tests.extend(of(&inputs, None, &[], options)?);
    drop(inputs);
    if options.patterns.is_empty() {
        return Ok(tests);
    }
    for spec in options.specs() {
        if spec.orbits() == EdgeOrbits::Official {
            continue;
        }
        let counter = Counter::new(&spec);
        let bytes: u64 = graphs
            .iter()
            .map(|g| if spec.scope() == Scope::Vertex { g.order() } else { g.arc_count() } as u64)
            .sum::<u64>()
            * counter.columns().len() as u64
            * 12;
        if bytes > options.memory {
            let why = format!("left out: the counts of all graphs would take {} MB", bytes >> 20);
            tests.push(Outcome { note: Some(why), ..Outcome::of_spec("network-f64", &spec) });
            continue;
        }
        let counts = counter.count_many(graphs)?;
        let (inputs, sizes) = identified(graphs, &counts, spec.scope());
        drop(counts);
        tests.extend(of(&inputs, Some(&spec), &sizes, options)?);
    }
    Ok(tests)
}

fn bare(graph: &Graph) -> GraphInput {
    GraphInput {
        vertices: graph.order(),
        arcs: graph.arcs().map(|(u, v)| [u, v]).collect(),
        vertex: Some(Features::Values { cols: 1, data: vec![1.0; graph.order()] }),
        ..GraphInput::default()
    }
}

/// Inputs with the counts as ranks among the different values of their column, over all graphs.
fn identified(graphs: &[Graph], counts: &[Counts], scope: Scope) -> (Vec<GraphInput>, Vec<usize>) {
    let columns = counts.first().map_or(0, |counts| counts.columns().len());
    let values: Vec<Vec<u64>> = (0..columns)
        .into_par_iter()
        .map(|c| {
            let mut all: Vec<u64> = counts.iter().flat_map(|counts| counts.column(c)).collect();
            all.sort_unstable();
            all.dedup();
            all
        })
        .collect();
    let inputs = graphs
        .par_iter()
        .zip(counts)
        .map(|(graph, counts)| {
            let rank = |(at, value): (usize, &u64)| {
                values[at % columns].binary_search(value).unwrap_or_default() as u32
            };
            let data = counts.values().iter().enumerate().map(rank).collect();
            let ids = Some(Features::Categories { cols: columns, data });
            let mut input = bare(graph);
            match scope {
                Scope::Vertex => input.vertex_ids = ids,
                _ => input.arc_ids = ids,
            }
            input
        })
        .collect();
    (inputs, values.iter().map(|values| values.len().max(1)).collect())
}

fn config(sizes: &[usize], scope: Option<Scope>, outputs: usize) -> ModelConfig {
    let ids = scope.map(|scope| Ids {
        scope: if scope == Scope::Vertex { IdScope::Vertex } else { IdScope::Arc },
        input: Input { data: Data::Categories { sizes: sizes.to_vec() }, encode: Encoding::OneHot },
    });
    let layer = GsnLayer { norm: false, ..GsnLayer::new(WIDTH) };
    let head = Head::Mlp { hidden: vec![WIDTH] };
    ModelConfig {
        inputs: Inputs {
            vertex: Input { data: Data::Values { width: 1 }, encode: Encoding::None },
            arc: None,
            ids,
            degree: None,
            random: 0,
        },
        network: Network::Gsn(GsnConfig {
            form: Form::General,
            layers: vec![layer.clone(), layer],
            dummy_self: true,
            readout: Readout::Sum,
            heads: vec![None, None, Some(head)],
            dropout: Vec::new(),
            residual: false,
            mlp_norm: true,
            mlp_activation: Default::default(),
            activation: Default::default(),
        }),
        outputs,
    }
}

/// Both tests on one set of inputs.
fn of(
    inputs: &[GraphInput],
    spec: Option<&CountSpec>,
    sizes: &[usize],
    options: &Options,
) -> Result<Vec<Outcome>> {
    let scope = spec.map(CountSpec::scope);
    let new = |test: &str| match spec {
        Some(spec) => Outcome::of_spec(test, spec),
        None => Outcome::new(test),
    };
    let width: usize = sizes.iter().sum();
    if width > WIDEST {
        let why = format!("left out: {width} different counts make a one-hot row too wide");
        return Ok(vec![Outcome { note: Some(why), ..new("network-f64") }]);
    }
    // Ours.
    let mut outcome = new("network-f64");
    let mut alive: Option<Vec<(u32, u32)>> = None;
    for seed in 0..options.seeds {
        let model = Model::<f64>::new(config(sizes, scope, 1), seed)?;
        let points = points(inputs, |batch, pool| model.embed(batch, pool))?;
        let close = close_pairs(&points, EMBEDDING_LIMIT, options.pairing);
        outcome.by_seed.push(close.len() as u64);
        alive = Some(match alive {
            None => close,
            Some(before) => before.into_iter().filter(|p| close.binary_search(p).is_ok()).collect(),
        });
        if alive.as_ref().is_some_and(|pairs| pairs.len() > KEPT) {
            outcome.note = Some("one seed only: more pairs are left than can be kept".to_owned());
            break;
        }
    }
    outcome.failures = alive.map(|pairs| pairs.len() as u64);
    // The authors'.
    let mut official = new("network-f32");
    let outputs = inputs.len().min(MOST);
    for seed in 0..options.seeds {
        let model = Model::<f32>::new(config(sizes, scope, outputs), seed)?;
        let points = points(inputs, |batch, pool| model.predict(batch, pool))?;
        official.by_seed.push(close_pairs(&points, OFFICIAL_LIMIT, options.pairing).len() as u64);
        if outputs < inputs.len() {
            official.note = Some(format!(
                "the authors' output would be {} wide; {outputs} were used",
                inputs.len()
            ));
        }
    }
    official.failures = official.by_seed.first().copied();
    Ok(vec![outcome, official])
}

/// The vectors of all graphs, in order.
struct Points<T> {
    width: usize,
    data: Vec<T>,
}

fn points<T: Scalar>(
    inputs: &[GraphInput],
    run: impl Fn(&Batch<T>, &Pool<T>) -> gsn_nn::Result<Matrix<T>>,
) -> Result<Points<T>> {
    let pool = Pool::new();
    let mut all = Points { width: 0, data: Vec::new() };
    for some in inputs.chunks(BATCH) {
        let rows = run(&Batch::new(some)?, &pool)?;
        if rows.rows() != some.len() {
            return Err(Error::Separate("the network has no embedding".to_owned()));
        }
        all.width = rows.cols();
        all.data.extend_from_slice(rows.data());
    }
    Ok(all)
}

/// Pairs closer than `limit`, sorted.
fn close_pairs<T: Scalar>(points: &Points<T>, limit: f64, pairing: Pairing) -> Vec<(u32, u32)> {
    let width = points.width.max(1);
    let count = points.data.len() / width;
    let row = |at: usize| &points.data[at * width..(at + 1) * width];
    // Stops as soon as it is too far.
    let close = |i: usize, j: usize| {
        let mut sum = 0.0;
        for (a, b) in row(i).chunks(64).zip(row(j).chunks(64)) {
            let mut part = T::from_f64(0.0);
            for (&a, &b) in a.iter().zip(b) {
                part += (a - b) * (a - b);
            }
            sum += part.to_f64();
            if sum >= limit * limit {
                return false;
            }
        }
        sum < limit * limit
    };
    if pairing == Pairing::Consecutive {
        let pairs = (0..count / 2).filter(|&pair| close(2 * pair, 2 * pair + 1));
        return pairs.map(|pair| (2 * pair as u32, 2 * pair as u32 + 1)).collect();
    }
    // Rows that are equal to the last bit are compared once.
    let bits = |at: usize| {
        let mut bytes = Vec::with_capacity(width * size_of::<T>());
        row(at).iter().for_each(|value| value.write_le(&mut bytes));
        bytes
    };
    let class = group((0..count).map(bits));
    let mut members: Vec<Vec<u32>> = Vec::new();
    for (at, &class) in class.iter().enumerate() {
        if class as usize == members.len() {
            members.push(Vec::new());
        }
        members[class as usize].push(at as u32);
    }
    // A unit vector with all entries equal: distances along it are never larger than real ones.
    let scale = 1.0 / (width as f64).sqrt();
    let along = |at: u32| row(at as usize).iter().map(|v| v.to_f64()).sum::<f64>() * scale;
    let mut order: Vec<(f64, usize)> =
        members.iter().enumerate().map(|(class, of)| (along(of[0]), class)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut pairs: Vec<(u32, u32)> = (0..order.len())
        .into_par_iter()
        .flat_map_iter(|at| {
            let (here, class) = order[at];
            let mine = &members[class];
            let mut found: Vec<(u32, u32)> = (0..mine.len())
                .flat_map(|i| mine[i + 1..].iter().map(move |&j| (mine[i], j)))
                .collect();
            for &(there, other) in &order[at + 1..] {
                if there - here >= limit {
                    break;
                }
                let theirs = &members[other];
                if close(mine[0] as usize, theirs[0] as usize) {
                    let both = mine.iter().flat_map(|&i| theirs.iter().map(move |&j| (i, j)));
                    found.extend(both.map(|(i, j)| (i.min(j), i.max(j))));
                }
            }
            found
        })
        .collect();
    pairs.par_sort_unstable();
    pairs
}
