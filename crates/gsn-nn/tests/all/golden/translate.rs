//! From the authors' flags (`hyper` of a golden case) to a `ModelConfig` and a `Batch`.
//!
//! Nothing is read from the name of a case. Sizes that the flags leave open (tables, hidden widths
//! of heads) are taken from the shapes of the stored parameters.

use gsn_nn::config::*;
use gsn_nn::{Batch, Features, GraphInput, Loss, ModelConfig};
use serde_json::Value;

use super::case::{Case, Tensor};

fn flag(v: &Value) -> bool {
    v.as_bool().unwrap_or(false)
}

fn number(v: &Value) -> f64 {
    v.as_f64().or_else(|| v.as_str().and_then(|s| s.parse().ok())).unwrap_or_else(|| panic!("{v}"))
}

fn size(v: &Value) -> usize {
    number(v) as usize
}

/// Entry `i` of a per-layer list; a single value stands for all layers.
fn at(v: &Value, i: usize) -> &Value {
    match v.as_array() {
        Some(a) => a.get(i).or(a.last()).unwrap_or(&Value::Null),
        None => v,
    }
}

fn activation(v: &Value) -> Activation {
    match v.as_str() {
        Some("relu") | None => Activation::Relu,
        Some("elu") => Activation::Elu,
        Some("tanh") => Activation::Tanh,
        Some("identity" | "None") => Activation::Identity,
        Some(other) => panic!("activation {other}"),
    }
}

fn readout(v: &Value) -> Readout {
    match v.as_str() {
        Some("sum") | None => Readout::Sum,
        Some("mean") => Readout::Mean,
        Some("max") => Readout::Max,
        Some(other) => panic!("readout {other}"),
    }
}

pub(crate) fn loss(case: &Case) -> Loss {
    match case.hyper("loss_fn").as_str() {
        Some("L1Loss") => Loss::L1,
        Some("MSELoss") => Loss::Mse,
        Some("CrossEntropyLoss") => Loss::CrossEntropy,
        Some("BCEWithLogitsLoss") | None => Loss::BceWithLogits,
        Some(other) => panic!("loss {other}"),
    }
}

const ATOMS: [usize; 9] = [119, 5, 12, 12, 10, 6, 6, 2, 2];
const BONDS: [usize; 3] = [5, 6, 2];

/// Vocabulary sizes of a table of category indices: of the stored embedding tables if there are
/// any, else as the json says, else ogb's.
fn sizes(case: &Case, table: &Tensor, prefix: &str, json: &[usize], ogb: &[usize]) -> Vec<usize> {
    let stored: Vec<usize> = (0..)
        .map_while(|c| {
            let name = |list: &str| format!("param.{prefix}{list}.{c}.weight");
            [
                "encoder.encoder",
                "encoder.atom_embedding_list",
                "encoder.bond_embedding_list",
                "atom_embedding_list",
            ]
            .iter()
            .find_map(|l| case.tensors.get(&name(l)))
            .map(|t| t.shape[0])
        })
        .collect();
    if stored.len() == table.cols() {
        return stored;
    }
    if json.len() == table.cols() { json.to_vec() } else { ogb[..table.cols()].to_vec() }
}

fn encoding(case: &Case, name: &Value, width: &Value) -> InputEncoding {
    let width = || size(at(width, 0));
    let concat = case.hyper("multi_embedding_aggr").as_str() == Some("concat");
    match name.as_str().unwrap_or("None") {
        "None" => InputEncoding::None,
        "one_hot_encoder" | "atom_one_hot_encoder" | "bond_one_hot_encoder" => {
            InputEncoding::OneHot
        }
        "embedding" if concat => InputEncoding::EmbeddingConcat { width: width() },
        "embedding" | "atom_encoder" | "bond_encoder" => {
            InputEncoding::Embedding { width: width() }
        }
        "linear" => InputEncoding::Linear { width: width() },
        "zero_encoder" => InputEncoding::Zero { width: width() },
        other => panic!("encoder {other}"),
    }
}

/// A table of a case: categories if the encoder needs them, numbers otherwise.
fn input(
    case: &Case,
    table: &Tensor,
    encode: InputEncoding,
    sizes: impl Fn() -> Vec<usize>,
) -> Input {
    let categories = matches!(
        encode,
        InputEncoding::OneHot
            | InputEncoding::Embedding { .. }
            | InputEncoding::EmbeddingConcat { .. }
    );
    assert!(!categories || table.integer, "{}: categories wanted", case.name);
    let data = if categories {
        Data::Categories { sizes: sizes() }
    } else {
        Data::Values { width: table.cols() }
    };
    Input { data, encode }
}

fn list(v: &Value) -> Vec<usize> {
    v.as_array().map_or(vec![], |a| a.iter().filter(|x| !x.is_null()).map(size).collect())
}

fn ids_table(case: &Case) -> &Tensor {
    // With id_encoding None there are raw counts only.
    case.tensors.get("in.identifiers_index").unwrap_or_else(|| case.get("in.identifiers_counts"))
}

fn scope(case: &Case) -> IdScope {
    match case.hyper("id_scope").as_str() {
        Some("global") => IdScope::Vertex,
        Some("local") => IdScope::Arc,
        // The DGN cases do not say: a row per vertex, or one per arc.
        _ => {
            let rows = case.get("in.identifiers_counts").rows();
            if rows == case.get("in.edge_index").cols() { IdScope::Arc } else { IdScope::Vertex }
        }
    }
}

pub(crate) fn config(case: &Case) -> ModelConfig {
    let outputs = ["train.output", "eval.output"].iter().find_map(|n| case.tensors.get(*n));
    let outputs = outputs.map(Tensor::cols).unwrap();
    let (inputs, network) =
        if case.hyper("aggregators").is_string() { dgn(case) } else { gsn(case) };
    ModelConfig { inputs, network, outputs }
}

fn gsn(case: &Case) -> (Inputs, Network) {
    let h = |key: &str| case.hyper(key);
    let name = h("model_name").as_str().unwrap();
    let deep_sets = name == "MLP";
    let uses_ids = name.starts_with("GSN") || deep_sets;
    let uses_arcs =
        name.contains("edge") || (deep_sets && h("edge_encoder").as_str() != Some("None"));
    let x = case.get("in.x");
    let data = &case.json["data"];
    let vertex_encode = encoding(case, h("input_node_encoder"), h("d_out_node_encoder"));
    let vertex = input(case, x, vertex_encode, || {
        sizes(case, x, "input_node_encoder.", &list(&data["atom_vocabulary"]), &ATOMS)
    });
    let arc = uses_arcs.then(|| {
        let e = case.get("in.edge_features");
        let encode = encoding(case, h("edge_encoder"), h("d_out_edge_encoder"));
        input(case, e, encode, || {
            sizes(case, e, "edge_encoder.0.", &list(&data["bond_vocabulary"]), &BONDS)
        })
    });
    let ids = uses_ids.then(|| {
        let table = ids_table(case);
        let encode = encoding(case, h("id_embedding"), h("d_out_id_embedding"));
        let widths = list(&data["identifier_widths"]);
        let input =
            input(case, table, encode, || sizes(case, table, "id_encoder.0.", &widths, &[]));
        Ids { scope: scope(case), input }
    });
    let layers = size(h("num_layers"));
    let uses_degree = (0..layers).any(|i| flag(at(h("degree_as_tag"), i))) && !deep_sets;
    let degree = uses_degree.then(|| {
        let d = case.tensors.get("in.degrees_index").unwrap_or_else(|| case.get("in.degrees"));
        let width = match h("d_out_degree_embedding") {
            Value::Null => h("d_out"),
            w => w,
        };
        let encode = encoding(case, h("degree_embedding"), width);
        let vocabulary = vec![list(&data["degree_vocabulary"]).len()];
        input(case, d, encode, || sizes(case, d, "degree_encoder.", &vocabulary, &[]))
    });
    let random = if flag(h("random_features")) { size(at(h("d_out"), 0)) } else { 0 };
    let inputs = Inputs { vertex, arc, ids, degree, numbers: 0, random, graph: 0 };
    let mlp = (flag(h("bn_mlp")), activation(h("activation_mlp")), activation(h("activation")));
    let depth = size(h("num_mlp_layers"));
    let hidden = |i: usize| -> Vec<usize> {
        let mut v = match at(h("d_h"), i) {
            Value::Array(a) => a.iter().map(size).collect(),
            one => vec![size(one)],
        };
        let last = v.last().copied().unwrap_or(1);
        v.resize(depth - 1, last);
        v
    };
    let head = |name: String| {
        let hidden = (0..depth - 1).map_while(|k| {
            case.tensors.get(&format!("param.{name}.fc.{k}.weight")).map(|t| t.shape[0])
        });
        if flag(h("jk_mlp")) && case.tensors.contains_key(&format!("param.{name}.fc.0.weight")) {
            Head::Mlp { hidden: hidden.collect() }
        } else {
            Head::Linear
        }
    };
    let dropout = |i: usize| at(h("dropout_features"), i).as_f64().unwrap_or(0.0);
    let reads_arcs = |i: usize| uses_arcs && (i == 0 || flag(h("inject_edge_features")));
    let reads_ids = |i: usize| uses_ids && (i == 0 || flag(h("inject_ids")));
    let projected: Vec<bool> = (0..=layers).map(|i| flag(at(h("final_projection"), i))).collect();
    let network = if deep_sets {
        Network::DeepSets(DeepSetsConfig {
            hidden: hidden(0),
            width: size(at(h("d_out"), 0)),
            norm: flag(at(h("bn"), 0)),
            readout: readout(h("readout")),
            head: head("lin_proj".into()),
            dropout: dropout(0),
            mlp_norm: mlp.0,
            mlp_activation: mlp.1,
            activation: mlp.2,
        })
    } else if h("msg_kind").as_str() == Some("ogb") {
        let vn = flag(h("vn")).then(|| VirtualNode {
            hidden: case
                .tensors
                .get("param.mlp_vn.0.fc.0.weight")
                .map_or(hidden(0), |t| vec![t.shape[0]]),
            readout: readout(h("vn_pooling")),
            learn_start: h("input_vn_encoder").as_str() == Some("embedding"),
        });
        let layer = |i: usize| OgbLayerConfig {
            hidden: hidden(i),
            norm: flag(at(h("bn"), i)),
            ids: Some(reads_ids(i)),
            arcs: Some(reads_arcs(i)),
            learn_eps: flag(at(h("train_eps"), i)),
            dropout: dropout(i),
        };
        Network::Ogb(OgbConfig {
            beside: Vec::new(),
            layers: (0..layers).map(layer).collect(),
            virtual_node: vn,
            residual: flag(h("residual")),
            readout: readout(h("readout")),
            jumping: projected,
            head: head("lin_proj".into()),
            mlp_norm: mlp.0,
            mlp_activation: mlp.1,
            activation: mlp.2,
        })
    } else {
        let form = match h("msg_kind").as_str() {
            Some("general") => Form::General,
            Some("gin") => Form::Gin,
            other => panic!("msg_kind {other:?}"),
        };
        let layer = |i: usize| GsnLayer {
            width: size(at(h("d_out"), i)),
            hidden: Some(hidden(i)),
            message: (form == Form::General).then(|| size(at(h("d_msg"), i))),
            norm: flag(at(h("bn"), i)),
            ids: Some(reads_ids(i)),
            arcs: Some(reads_arcs(i)),
            arc_width: Some(at(h("d_out_edge_encoder"), i)).filter(|v| !v.is_null()).map(size),
            degree: match (flag(at(h("degree_as_tag"), i)), flag(at(h("retain_features"), i))) {
                (false, _) => DegreeUse::None,
                (true, false) => DegreeUse::Replace,
                (true, true) => DegreeUse::Append,
            },
            learn_eps: form == Form::Gin && flag(at(h("train_eps"), i)),
        };
        let heads =
            projected.iter().enumerate().map(|(i, on)| on.then(|| head(format!("lin_proj.{i}"))));
        Network::Gsn(GsnConfig {
            beside: Vec::new(),
            arc_states: None,
            form,
            layers: (0..layers).map(layer).collect(),
            dummy_self: flag(h("extend_dims")),
            readout: readout(h("readout")),
            heads: heads.collect(),
            dropout: (0..=layers).map(dropout).collect(),
            // The flag reaches the authors' ogb network only.
            residual: false,
            mlp_norm: mlp.0,
            mlp_activation: mlp.1,
            activation: mlp.2,
        })
    };
    (inputs, network)
}

fn dgn(case: &Case) -> (Inputs, Network) {
    let h = |key: &str| case.hyper(key);
    assert_eq!(h("type_net").as_str(), Some("simple"), "only the simple net has a class");
    let x = case.get("in.x");
    let vertex = Input {
        data: Data::Categories { sizes: sizes(case, x, "embedding_h.", &[], &ATOMS) },
        encode: InputEncoding::Embedding { width: size(h("hidden_dim")) },
    };
    let words =
        |key: &str| h(key).as_str().unwrap().split_whitespace().map(str::to_string).collect();
    let aggregators: Vec<String> = words("aggregators");
    let scalers: Vec<String> = words("scalers");
    let aggregators: Vec<Aggregator> = aggregators.iter().map(|a| a.parse().unwrap()).collect();
    // The authors' layer multiplies only if there is more than one scaler.
    let scalers = if scalers.len() < 2 {
        vec![Scaler::Identity]
    } else {
        let scaler = |s: &String| match s.as_str() {
            "identity" => Scaler::Identity,
            "amplification" => Scaler::Amplification,
            "attenuation" => Scaler::Attenuation,
            other => panic!("scaler {other}"),
        };
        scalers.iter().map(scaler).collect()
    };
    let directional = aggregators.iter().any(|a| a.to_string().starts_with("dir"));
    let ids = directional.then(|| {
        let width = case.get("in.identifiers_counts").cols();
        let input = Input { data: Data::Values { width }, encode: InputEncoding::None };
        Ids { scope: scope(case), input }
    });
    let layers = size(h("L"));
    let mut widths = vec![size(h("hidden_dim")); layers - 1];
    widths.push(size(h("out_dim")));
    let network = Network::Dgn(DgnConfig {
        layers: widths,
        aggregators,
        scalers,
        avg_log_degree: number(&h("avg_d")["log"]),
        residual: flag(h("residual")),
        norm: flag(h("batch_norm")),
        graph_norm: flag(h("graph_norm")),
        depth: size(h("posttrans_layers")),
        readout: readout(h("readout")),
        dropout: number(h("dropout")),
        input_dropout: number(h("in_feat_dropout")),
    });
    let inputs = Inputs { vertex, arc: None, ids, degree: None, numbers: 0, random: 0, graph: 0 };
    (inputs, network)
}

/// Rows `keep` of a table.
fn features(t: &Tensor, keep: &[usize], categories: bool) -> Features {
    let cols = t.cols();
    let cells = keep.iter().flat_map(|&r| t.data[r * cols..(r + 1) * cols].iter().copied());
    if categories {
        Features::Categories { cols, data: cells.map(|x| x as u32).collect() }
    } else {
        Features::Values { cols, data: cells.collect() }
    }
}

/// The batch of a case and, for each of its arcs, the row of `in.edge_index`.
pub(crate) fn batch(case: &Case, config: &ModelConfig) -> (Batch<f64>, Vec<usize>) {
    let of: Vec<usize> = case.get("in.batch").data.iter().map(|&g| g as usize).collect();
    let graphs =
        of.iter().max().map_or(0, |m| m + 1).max(case.tensors.get("in.y").map_or(0, Tensor::rows));
    let edges = case.get("in.edge_index");
    let m = edges.cols();
    let flip = case.hyper("flow").as_str() == Some("target_to_source");
    let ends = |e: usize| {
        let (a, b) = (edges.data[e] as usize, edges.data[m + e] as usize);
        if flip { (b, a) } else { (a, b) }
    };
    let is_categories = |i: &Input| matches!(i.data, Data::Categories { .. });
    let (mut pieces, mut order) = (Vec::new(), Vec::new());
    for g in 0..graphs {
        let vertices: Vec<usize> = (0..of.len()).filter(|&v| of[v] == g).collect();
        let first = vertices.first().copied().unwrap_or(0);
        let arcs: Vec<usize> = (0..m).filter(|&e| of[ends(e).0] == g).collect();
        let inputs = &config.inputs;
        let ids = inputs.ids.as_ref().map(|i| {
            let t = match config.network {
                Network::Dgn(_) => case.get("in.identifiers_counts"),
                _ => ids_table(case),
            };
            let rows = if i.scope == IdScope::Vertex { &vertices } else { &arcs };
            (i.scope, features(t, rows, is_categories(&i.input)))
        });
        let scoped = |s: IdScope| ids.as_ref().filter(|i| i.0 == s).map(|i| i.1.clone());
        let degrees = case.tensors.get("in.degrees_index").or(case.tensors.get("in.degrees"));
        let y = case.tensors.get("in.y");
        pieces.push(GraphInput {
            vertices: vertices.len(),
            arcs: arcs
                .iter()
                .map(|&e| [(ends(e).0 - first) as u32, (ends(e).1 - first) as u32])
                .collect(),
            vertex: Some(features(case.get("in.x"), &vertices, is_categories(&inputs.vertex))),
            arc: inputs
                .arc
                .as_ref()
                .map(|a| features(case.get("in.edge_features"), &arcs, is_categories(a))),
            vertex_ids: scoped(IdScope::Vertex),
            arc_ids: scoped(IdScope::Arc),
            degrees: inputs
                .degree
                .as_ref()
                .map(|d| features(degrees.unwrap(), &vertices, is_categories(d))),
            targets: y.map_or(vec![], |y| y.data[g * y.cols()..(g + 1) * y.cols()].to_vec()),
            ..GraphInput::default()
        });
        order.extend(arcs);
    }
    let batch = Batch::new(&pieces).unwrap();
    let rows = batch.given_order().iter().map(|&a| order[a as usize]).collect();
    (batch, rows)
}

/// Our name of a parameter or buffer the authors call `official`.
pub(crate) fn our_name(official: &str) -> String {
    let mut name = official
        .replace("embedding_h.atom_embedding_list.", "embedding_h.encoder.encoder.")
        .replace(".atom_embedding_list.", ".encoder.")
        .replace(".bond_embedding_list.", ".encoder.");
    if let Some(rest) = name.strip_prefix("degree_encoder.encoder") {
        name = format!("degree_encoder.0.encoder{rest}");
    }
    // The centre's trained vector, whatever modules it is wrapped in.
    if let Some(at) = name.find("central") {
        let kind = if name[at..].contains("edge") { "edge" } else { "id" };
        name = format!("{}central_node_{kind}_encoder.weight", &name[..at]);
    }
    name
}
