//! Networks with random weights in evaluation mode, as in the paper's experiment.
//!
//! The network is that of the authors' command: two general layers of width 64 without BatchNorm
//! behind them, identifiers one-hot in the first, sum readout, an MLP head. Our test: f64, the
//! embedding before the head, a pair fails when it is closer than 10⁻⁶ for every seed. The
//! authors': f32, the output, as wide as there are graphs, closer than 10⁻².

use super::points::Points;
use super::{Options, Outcome};
use crate::error::Result;
use gsn_core::encode::Codes;
use gsn_core::{CountEncoder, CountSpec, Counter, Counts, EdgeOrbits, Graph, Scope, Unseen};
use gsn_nn::config::{Form, GsnConfig, GsnLayer, Head, IdScope, Ids, Input, InputEncoding, Inputs};
use gsn_nn::{Features, GraphInput, Model, ModelConfig};
use rayon::prelude::*;

/// Embeddings (f64) closer than this are equal.
pub const EMBEDDING_LIMIT: f64 = 1e-6;
/// Outputs (f32) closer than this are equal to the authors' test.
pub const OFFICIAL_LIMIT: f64 = 1e-2;

const WIDTH: usize = 64;
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
        let counts = counter.count_many(graphs)?.into_iter().zip(graphs);
        let counts: Vec<Counts> = counts.map(|(counts, graph)| counts.on_arcs(graph)).collect();
        let (inputs, sizes) = identified(graphs, &counts, &spec);
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

/// Inputs with the counts one-hot over all graphs, and the categories of every column.
fn identified(
    graphs: &[Graph],
    counts: &[Counts],
    spec: &CountSpec,
) -> (Vec<GraphInput>, Vec<usize>) {
    let columns = spec.columns().len();
    // Where no graph has a row there is nothing to learn, and nothing to encode.
    let encoder = CountEncoder::fit(counts, gsn_core::Encoding::OneHot, Unseen::Nearest).ok();
    let sizes = encoder.as_ref().and_then(CountEncoder::sizes);
    let codes = |counts: &Counts| match encoder.as_ref()?.encode(counts.values()).ok()?.codes {
        Codes::Categories(codes) => Some(codes),
        Codes::Values(_) => None,
    };
    let inputs = graphs.par_iter().zip(counts).map(|(graph, counts)| {
        let data = codes(counts).unwrap_or_default();
        let ids = Some(Features::Categories { cols: columns, data });
        let mut input = bare(graph);
        match spec.scope() {
            Scope::Vertex => input.vertex_ids = ids,
            _ => input.arc_ids = ids,
        }
        input.sort_arcs();
        input
    });
    (inputs.collect(), sizes.unwrap_or_else(|| vec![1; columns]))
}

fn config(sizes: &[usize], scope: Option<Scope>, outputs: usize) -> ModelConfig {
    let ids = scope.map(|scope| {
        let on = if scope == Scope::Vertex { IdScope::Vertex } else { IdScope::Arc };
        Ids::new(on, Input::categories(sizes).with_encode(InputEncoding::OneHot))
    });
    let head = Head::Mlp { hidden: vec![WIDTH] };
    let network = GsnConfig::new(Form::General, vec![GsnLayer::new(WIDTH).with_norm(false); 2])
        .with_heads(vec![None, None, Some(head)]);
    ModelConfig::new(Inputs::new(Input::values(1)).with_ids(ids), network, outputs)
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
    let mut outcome = new("network-f64");
    let mut alive: Option<Vec<(u32, u32)>> = None;
    for seed in 0..options.seeds {
        let model = Model::<f64>::new(config(sizes, scope, 1), seed)?;
        let points = Points::of(inputs, |batch, pool| model.embed(batch, pool))?;
        let close = points.failures(EMBEDDING_LIMIT, options.pairing);
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
    let mut official = new("network-f32");
    let outputs = inputs.len().min(MOST);
    for seed in 0..options.seeds {
        let model = Model::<f32>::new(config(sizes, scope, outputs), seed)?;
        let points = Points::of(inputs, |batch, pool| model.predict(batch, pool))?;
        official.by_seed.push(points.failures(OFFICIAL_LIMIT, options.pairing).len() as u64);
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
