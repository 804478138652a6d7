//! A configuration of every kind of network, and graphs they can all read.

use gsn_nn::config::*;
use gsn_nn::{Features, GraphInput, ModelConfig};

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
        arcs: pairs,
        targets: vec![dice.below(100) as f64 / 50.0 - 1.0],
    }
}

/// The same graph with vertex v renamed `to[v]` and arcs in the order `order`.
pub(crate) fn rename(g: &GraphInput, to: &[usize], order: &[usize]) -> GraphInput {
    let mut from = vec![0; to.len()];
    to.iter().enumerate().for_each(|(v, &t)| from[t] = v);
    let pick = |f: &Option<Features>, rows: &[usize]| match f {
        Some(Features::Categories { cols, data }) => Some(Features::Categories {
            cols: *cols,
            data: rows.iter().flat_map(|&r| data[r * cols..(r + 1) * cols].to_vec()).collect(),
        }),
        _ => None,
    };
    GraphInput {
        vertices: g.vertices,
        arcs: order.iter().map(|&a| g.arcs[a].map(|v| to[v as usize] as u32)).collect(),
        vertex: pick(&g.vertex, &from),
        vertex_ids: pick(&g.vertex_ids, &from),
        degrees: pick(&g.degrees, &from),
        arc: pick(&g.arc, order),
        arc_ids: pick(&g.arc_ids, order),
        targets: g.targets.clone(),
    }
}

pub(crate) fn input(sizes: &[usize], encode: Encoding) -> Input {
    Input { data: Data::Categories { sizes: sizes.to_vec() }, encode }
}

fn inputs(vertex: Encoding, arc: Option<Encoding>, ids: Option<(Scope, Encoding)>) -> Inputs {
    Inputs {
        vertex: input(&[3, 3], vertex),
        arc: arc.map(|e| input(&[4], e)),
        ids: ids.map(|(scope, e)| Ids { scope, input: input(&[4, 4], e) }),
        degree: None,
        random: 0,
    }
}

fn gsn(form: Form, layers: Vec<GsnLayer>) -> GsnConfig {
    GsnConfig {
        form,
        layers,
        dummy_self: true,
        readout: Readout::Sum,
        heads: vec![],
        dropout: vec![],
        residual: false,
        mlp_norm: true,
        mlp_activation: Activation::Relu,
        activation: Activation::Relu,
    }
}

/// Every kind of network.
pub(crate) fn configs() -> Vec<(&'static str, ModelConfig)> {
    use Encoding::{Embedding, EmbeddingConcat, Linear, Log1p, OneHot};
    let two = || vec![GsnLayer::new(6), GsnLayer::new(5)];
    let of = |network, inputs| ModelConfig { inputs, network, outputs: 1 };
    let mut all = Vec::new();
    for form in [Form::General, Form::Gin] {
        let name = |a, b| if form == Form::General { a } else { b };
        for scope in [Scope::Vertex, Scope::Arc] {
            let net = Network::Gsn(gsn(form, two()));
            let i = inputs(OneHot, Some(OneHot), Some((scope, OneHot)));
            all.push((name("general one-hot", "gin one-hot"), of(net, i)));
            let mut c = gsn(form, two());
            c.dummy_self = scope == Scope::Vertex;
            c.readout = if scope == Scope::Vertex { Readout::Max } else { Readout::Mean };
            c.layers.iter_mut().for_each(|l| l.ids = Some(true));
            c.layers[0].learn_eps = form == Form::Gin;
            c.heads = vec![Some(Head::Linear), None, Some(Head::Mlp { hidden: vec![4] })];
            c.residual = true;
            let i = inputs(
                EmbeddingConcat { width: 3 },
                Some(Embedding { width: 3 }),
                Some((scope, Linear { width: 2 })),
            );
            all.push((
                name("general trained encoders", "gin trained encoders"),
                of(Network::Gsn(c), i),
            ));
        }
        let mut c = gsn(form, two());
        c.mlp_activation = Activation::Tanh;
        c.activation = Activation::Elu;
        c.layers[0].hidden = Some(vec![4, 3]);
        c.layers[1].norm = false;
        c.layers[1].degree = DegreeUse::Append;
        c.layers[0].degree = DegreeUse::Replace;
        let mut i = inputs(Log1p, None, None);
        i.degree = Some(input(&[5], OneHot));
        all.push((name("general deep, degrees", "gin deep, degrees"), of(Network::Gsn(c), i)));
    }
    for scope in [Scope::Vertex, Scope::Arc] {
        let e = || Embedding { width: 6 };
        let layers = vec![OgbLayerConfig::new(vec![7]); 3];
        let c = OgbConfig {
            layers,
            virtual_node: Some(VirtualNode {
                hidden: vec![5],
                readout: Readout::Sum,
                learn_start: true,
            }),
            residual: scope == Scope::Arc,
            readout: Readout::Mean,
            jumping: vec![],
            head: Head::Linear,
            mlp_norm: true,
            mlp_activation: Activation::Relu,
            activation: Activation::Relu,
        };
        all.push((
            "ogb with virtual node",
            of(Network::Ogb(c.clone()), inputs(e(), Some(e()), Some((scope, e())))),
        ));
        let c = OgbConfig { virtual_node: None, jumping: vec![true, false, true, true], ..c };
        all.push(("ogb", of(Network::Ogb(c), inputs(e(), None, Some((scope, e()))))));
        let names = "mean max min sum var std dir0-av dir1-dx dir0-dx-no-abs dir1-dx-balanced dir0-0.1 dir1-neg-0.1";
        let c = DgnConfig {
            layers: vec![6, 6],
            aggregators: names.split(' ').map(|n| n.parse().unwrap()).collect(),
            scalers: vec![Scaler::Identity, Scaler::Amplification, Scaler::Attenuation],
            avg_log_degree: 1.1,
            residual: true,
            norm: true,
            graph_norm: scope == Scope::Arc,
            depth: 1,
            readout: Readout::Mean,
            dropout: 0.0,
            input_dropout: 0.0,
        };
        let i = inputs(e(), None, Some((scope, Encoding::None)));
        all.push(("dgn", of(Network::Dgn(c), i)));
        let c = DeepSetsConfig {
            hidden: vec![5],
            width: 6,
            norm: true,
            readout: Readout::Sum,
            head: Head::Mlp { hidden: vec![4] },
            dropout: 0.0,
            mlp_norm: true,
            mlp_activation: Activation::Relu,
            activation: Activation::Relu,
        };
        all.push((
            "deep sets",
            of(Network::DeepSets(c), inputs(OneHot, Some(OneHot), Some((scope, OneHot)))),
        ));
    }
    all
}
