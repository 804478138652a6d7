//! A configuration of every kind of network, and graphs they can all read.

use gsn_nn::config::*;
use gsn_nn::{Adam, Batch, Features, Grads, GraphInput, Loss, Model, ModelConfig, Pool};

/// A small deterministic generator.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n
    }
}

/// A random directed graph with all tables; `arcs` pairs are tried.
pub(crate) fn graph(dice: &mut Dice, vertices: usize, arcs: usize) -> GraphInput {
    let mut pairs: Vec<[u32; 2]> = Vec::new();
    for _ in 0..arcs {
        let (u, v) = (dice.below(vertices.max(1)) as u32, dice.below(vertices.max(1)) as u32);
        if u != v && !pairs.contains(&[u, v]) {
            pairs.push([u, v]);
        }
    }
    let m = pairs.len();
    let numbers: Vec<f64> = (0..2 * vertices).map(|_| dice.below(64) as f64 / 32.0).collect();
    let mut some = |rows: usize, cols: usize, k: usize| Features::Categories {
        cols,
        data: (0..rows * cols).map(|_| dice.below(k) as u32).collect(),
    };
    GraphInput {
        vertices,
        vertex: Some(some(vertices, 2, 3)),
        arc: Some(some(m, 1, 4)),
        vertex_ids: Some(some(vertices, 2, 4)),
        arc_ids: Some(some(m, 2, 4)),
        degrees: Some(some(vertices, 1, 5)),
        numbers: Some(Features::Values { cols: 2, data: numbers }),
        arcs: pairs,
        targets: vec![dice.below(100) as f64 / 50.0 - 1.0],
        ..GraphInput::default()
    }
}

/// The same graph with vertex v renamed `to[v]` and arcs in the order `order`.
pub(crate) fn rename(g: &GraphInput, to: &[usize], order: &[usize]) -> GraphInput {
    let mut from = vec![0; to.len()];
    to.iter().enumerate().for_each(|(v, &t)| from[t] = v);
    fn rows_of<X: Copy>(cols: usize, data: &[X], rows: &[usize]) -> Vec<X> {
        rows.iter().flat_map(|&r| &data[r * cols..(r + 1) * cols]).copied().collect()
    }
    let pick = |f: &Option<Features>, rows: &[usize]| {
        f.as_ref().map(|f| match f {
            Features::Categories { cols, data } => {
                Features::Categories { cols: *cols, data: rows_of(*cols, data, rows) }
            }
            Features::Values { cols, data } => {
                Features::Values { cols: *cols, data: rows_of(*cols, data, rows) }
            }
        })
    };
    GraphInput {
        vertices: g.vertices,
        arcs: order.iter().map(|&a| g.arcs[a].map(|v| to[v as usize] as u32)).collect(),
        vertex: pick(&g.vertex, &from),
        vertex_ids: pick(&g.vertex_ids, &from),
        degrees: pick(&g.degrees, &from),
        numbers: pick(&g.numbers, &from),
        arc: pick(&g.arc, order),
        arc_ids: pick(&g.arc_ids, order),
        targets: g.targets.clone(),
        graph: g.graph.clone(),
        ..GraphInput::default()
    }
}

pub(crate) fn input(sizes: &[usize], encode: InputEncoding) -> Input {
    Input::categories(sizes).with_encode(encode)
}

fn inputs(
    vertex: InputEncoding,
    arc: Option<InputEncoding>,
    ids: Option<(IdScope, InputEncoding)>,
) -> Inputs {
    Inputs::new(input(&[3, 3], vertex))
        .with_arc(arc.map(|e| input(&[4], e)))
        .with_ids(ids.map(|(scope, e)| Ids::new(scope, input(&[4, 4], e))))
}

/// Every kind of network.
pub(crate) fn configs() -> Vec<(String, ModelConfig)> {
    let scopes = [IdScope::Vertex, IdScope::Arc];
    let of_form = |&form: &Form| {
        let named = move |(name, config)| (format!("{form:?} {name}"), config);
        scopes
            .map(|scope| gsn(form, scope))
            .into_iter()
            .flatten()
            .chain([deep(form), states(form)])
            .map(named)
    };
    let others = scopes.map(others).into_iter().flatten();
    Form::ALL.iter().flat_map(of_form).chain(others.map(|(n, c)| (n.to_string(), c))).collect()
}

fn gsn(form: Form, scope: IdScope) -> [(&'static str, ModelConfig); 2] {
    use InputEncoding::{Embedding, EmbeddingConcat, Linear, OneHot};
    let plain = GsnConfig::new(form, vec![GsnLayer::new(6), GsnLayer::new(5)]);
    let one_hot = inputs(OneHot, Some(OneHot), Some((scope, OneHot)));
    let mut trained = plain
        .clone()
        .with_dummy_self(scope == IdScope::Vertex)
        .with_readout(if scope == IdScope::Vertex { Readout::Max } else { Readout::Mean })
        .with_beside(vec![Readout::Sum, Readout::Max])
        .with_heads(vec![Some(Head::Linear), None, Some(Head::Mlp { hidden: vec![4] })])
        .with_residual(true);
    trained.layers.iter_mut().for_each(|l| l.ids = Some(true));
    trained.layers[0].learn_eps = form == Form::Gin;
    let encoders = inputs(
        EmbeddingConcat { width: 3 },
        Some(Embedding { width: 3 }),
        Some((scope, Linear { width: 2 })),
    )
    .with_numbers(2);
    [
        ("one-hot", ModelConfig::new(one_hot, plain, 1)),
        ("trained encoders", ModelConfig::new(encoders, trained, 1)),
    ]
}

fn deep(form: Form) -> (&'static str, ModelConfig) {
    let layers = vec![
        GsnLayer::new(6).with_hidden(vec![4, 3]).with_degree(DegreeUse::Replace),
        GsnLayer::new(5).with_norm(false).with_degree(DegreeUse::Append),
    ];
    let network = GsnConfig::new(form, layers)
        .with_mlp_activation(Activation::Tanh)
        .with_activation(Activation::Elu);
    let degrees = input(&[5], InputEncoding::OneHot);
    let inputs = inputs(InputEncoding::Log1p, None, None).with_degree(degrees);
    ("deep, degrees", ModelConfig::new(inputs, network, 1))
}

fn states(form: Form) -> (&'static str, ModelConfig) {
    let network =
        GsnConfig::new(form, vec![GsnLayer::new(6); 3]).with_arc_states(4).with_residual(true);
    let ids = Some((IdScope::Arc, InputEncoding::OneHot));
    let inputs = inputs(InputEncoding::OneHot, Some(InputEncoding::OneHot), ids);
    ("states of arcs", ModelConfig::new(inputs, network, 1))
}

fn others(scope: IdScope) -> [(&'static str, ModelConfig); 4] {
    use InputEncoding::OneHot;
    let e = || InputEncoding::Embedding { width: 6 };
    let ogb = OgbConfig::new(vec![OgbLayerConfig::new(vec![7]); 3])
        .with_virtual_node(VirtualNode::new(vec![5]))
        .with_residual(scope == IdScope::Arc);
    let plain = ogb
        .clone()
        .with_virtual_node(None)
        .with_beside(vec![Readout::Max])
        .with_jumping(vec![true, false, true, true]);
    let names = "mean max min sum var std dir0-av dir1-dx dir0-dx-no-abs dir1-dx-balanced dir0-0.1 dir1-neg-0.1";
    let dgn = DgnConfig::new(vec![6, 6], names.split(' ').map(|n| n.parse().unwrap()).collect())
        .with_scalers(vec![Scaler::Identity, Scaler::Amplification, Scaler::Attenuation])
        .with_avg_log_degree(1.1)
        .with_graph_norm(scope == IdScope::Arc);
    let sets = DeepSetsConfig::new(vec![5], 6).with_head(Head::Mlp { hidden: vec![4] });
    [
        (
            "ogb with virtual node",
            ModelConfig::new(inputs(e(), Some(e()), Some((scope, e()))), ogb, 1),
        ),
        ("ogb", ModelConfig::new(inputs(e(), None, Some((scope, e()))).with_numbers(2), plain, 1)),
        ("dgn", ModelConfig::new(inputs(e(), None, Some((scope, InputEncoding::None))), dgn, 1)),
        (
            "deep sets",
            ModelConfig::new(inputs(OneHot, Some(OneHot), Some((scope, OneHot))), sets, 1),
        ),
    ]
}

/// A model after a few steps, so that no statistic is at its start.
pub(crate) fn trained(config: &ModelConfig, graphs: &[GraphInput]) -> Model<f64> {
    let mut model = Model::<f64>::new(config.clone(), 3).unwrap();
    let batch = Batch::new(graphs).unwrap();
    let (pool, mut grads) = (Pool::new(), Grads::new(model.params()));
    let mut adam = Adam::new(model.params().count(), 0.01);
    for step in 0..3 {
        model.gradients(&batch, Loss::L1, step, &pool, &mut grads).unwrap();
        adam.step(model.params_mut().values_mut(), grads.values()).unwrap();
    }
    model
}
