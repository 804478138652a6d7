//! Checkpoints and configurations: what is written can be read, what does not fit is refused with
//! a sentence that says why.

use crate::networks::{self, Dice, graph};
use gsn_nn::config::{Data, IdScope, Input, InputEncoding, Network};
use gsn_nn::{Adam, Batch, Features, Grads, GraphInput, Loss, Model, ModelConfig, Pool};

fn graphs() -> Vec<GraphInput> {
    let mut dice = Dice(5);
    (0..4).map(|_| graph(&mut dice, 9, 30)).collect()
}

#[test]
fn checkpoints_bring_every_model_back() {
    for (name, config) in networks::configs() {
        let batch = Batch::<f32>::new(&graphs()).unwrap();
        let mut model = Model::<f32>::new(config, 3).unwrap();
        let (pool, mut grads) = (Pool::new(), Grads::new(model.params()));
        model.gradients(&batch, Loss::L1, 0, &pool, &mut grads).unwrap();
        Adam::new(model.params().count(), 0.01)
            .step(model.params_mut().values_mut(), grads.values())
            .unwrap();
        let bytes = model.to_bytes().unwrap();
        let again = Model::<f32>::from_bytes(&bytes).unwrap();
        assert_eq!(again.config(), model.config(), "{name}");
        assert_eq!(again.params().values(), model.params().values(), "{name}");
        assert_eq!(again.params().counters(), model.params().counters(), "{name}");
        let y = model.predict(&batch, &pool).unwrap();
        assert_eq!(again.predict(&batch, &pool).unwrap().data(), y.data(), "{name}");
        // f32 widens to f64; writing again gives the same bytes.
        let wide = Model::<f64>::from_bytes(&bytes).unwrap();
        assert!(
            wide.params()
                .values()
                .iter()
                .zip(model.params().values())
                .all(|(a, &b)| *a == f64::from(b))
        );
        assert!(bytes == again.to_bytes().unwrap(), "{name}");
    }
}

#[test]
fn checkpoints_that_do_not_fit_are_refused() {
    let refusal = |bytes: &[u8]| Model::<f32>::from_bytes(bytes).unwrap_err().to_string();
    let (_, config) = networks::configs().swap_remove(0);
    let model = Model::<f32>::new(config.clone(), 3).unwrap();
    let good = model.to_bytes().unwrap();

    assert!(refusal(b"not a checkpoint at all").contains("is not a safetensors file"));
    assert!(refusal(&good[..good.len() / 2]).contains("is not a safetensors file"));

    // The header is text: change it without changing its length.
    let swap = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len());
        let mut bytes = good.clone();
        let at = bytes.windows(from.len()).position(|w| w == from.as_bytes()).unwrap();
        bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
        refusal(&bytes)
    };
    assert!(
        swap(r#"\"format\":1"#, r#"\"format\":7"#)
            .contains("format 7; this program reads format 1")
    );
    let other = swap(r#"\"width\":6"#, r#"\"width\":7"#);
    assert!(other.contains("the configuration asks for"), "{other}");
    let unknown = swap("dummy_self", "dummy_zelf");
    assert!(unknown.contains("dummy_zelf"), "{unknown}");
    let renamed = swap("conv.0.msg_fn.fc.0.bias", "conv.0.msg_fn.fc.0.bios");
    assert!(renamed.contains("lacks the tensor conv.0.msg_fn.fc.0.bias"), "{renamed}");
    let foreign = swap(r#""gsn":"#, r#""gzn":"#);
    assert!(foreign.contains("no gsn configuration"), "{foreign}");

    let wide = Model::<f64>::new(config, 3).unwrap();
    let narrow = refusal(&wide.to_bytes().unwrap());
    assert!(narrow.contains("cannot be read as F32 without loss"), "{narrow}");
}

#[test]
fn batches_that_do_not_fit_are_refused() {
    let (_, config) = networks::configs().swap_remove(0);
    let model = Model::<f32>::new(config, 3).unwrap();
    let refusal = |change: &dyn Fn(&mut GraphInput)| {
        let mut all = graphs();
        all.iter_mut().for_each(change);
        model.predict(&Batch::new(&all).unwrap(), &Pool::new()).unwrap_err().to_string()
    };
    assert!(refusal(&|g| g.vertex_ids = None).contains("identifiers are missing"));
    let big =
        refusal(&|g| g.arc = Some(Features::Categories { cols: 1, data: vec![9; g.arcs.len()] }));
    assert!(big.contains("category 9, but the vocabulary has 4"), "{big}");
    let wrong =
        refusal(&|g| g.vertex = Some(Features::Values { cols: 1, data: vec![0.0; g.vertices] }));
    assert!(wrong.contains("1 columns of values"), "{wrong}");
}

#[test]
fn contradictory_configurations_are_refused() {
    type Change = fn(&mut ModelConfig);
    fn gsn(c: &mut ModelConfig) -> &mut gsn_nn::config::GsnConfig {
        let Network::Gsn(c) = &mut c.network else { panic!() };
        c
    }
    let cases: [(Change, &str); 10] = [
        (|c| c.outputs = 0, "outputs"),
        (|c| gsn(c).layers.clear(), "at least one layer"),
        (|c| gsn(c).layers[0].width = 0, "width 0"),
        (|c| c.inputs.ids = None, ""),
        (|c| gsn(c).layers[0].ids = Some(false), "identifiers are given"),
        (|c| gsn(c).layers[1].learn_eps = true, "gin form"),
        (|c| gsn(c).heads = vec![None, None], "heads"),
        (|c| gsn(c).dropout = vec![1.0; 3], "dropout 1"),
        (|c| gsn(c).layers[0].degree = gsn_nn::config::DegreeUse::Append, "degrees"),
        (
            |c| {
                c.inputs.vertex =
                    Input { data: Data::Values { width: 2 }, encode: InputEncoding::OneHot }
            },
            "needs categories",
        ),
    ];
    for (change, says) in cases {
        let (_, mut config) = networks::configs().swap_remove(0);
        change(&mut config);
        match config.validate() {
            // Without identifiers it is a plain MPNN.
            Ok(()) => assert!(says.is_empty()),
            Err(e) => assert!(!says.is_empty() && e.to_string().contains(says), "{e} / {says}"),
        }
    }
    for (name, mut config) in networks::configs() {
        let text = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<ModelConfig>(&text).unwrap(), config, "{name}");
        config.validate().unwrap();
        match &mut config.network {
            Network::Ogb(_) => config.inputs.vertex.encode = InputEncoding::Embedding { width: 5 },
            Network::Dgn(c) => c.aggregators.push("dir7-av".parse().unwrap()),
            _ => continue,
        }
        assert!(config.validate().is_err(), "{name}");
    }
    let scopes = serde_json::to_string(&[IdScope::Vertex, IdScope::Arc]).unwrap();
    assert_eq!(scopes, r#"["vertex","arc"]"#);
}

/// What a file leaves out is what `new` sets: the defaults are said in one way.
#[test]
fn defaults_of_files_and_of_new_agree() {
    use gsn_nn::config::*;
    let agree = |network: Network, text: &str| {
        let config = ModelConfig::new(Inputs::new(Input::values(3)), network, 1);
        let text = format!(
            r#"{{"inputs": {{"vertex": {{"data": {{"values": {{"width": 3}}}}}}}},
                "network": {text}, "outputs": 1}}"#
        );
        assert_eq!(serde_json::from_str::<ModelConfig>(&text).unwrap(), config);
    };
    agree(
        GsnConfig::new(Form::Gin, vec![GsnLayer::new(4)]).into(),
        r#"{"kind": "gsn", "form": "gin", "layers": [{"width": 4}]}"#,
    );
    agree(
        OgbConfig::new(vec![OgbLayerConfig::new(vec![4])])
            .with_virtual_node(VirtualNode::new(vec![5]))
            .into(),
        r#"{"kind": "ogb", "layers": [{"hidden": [4]}], "virtual_node": {"hidden": [5]}}"#,
    );
    agree(
        DgnConfig::new(vec![4], vec![Aggregator::Mean]).into(),
        r#"{"kind": "dgn", "layers": [4], "aggregators": ["mean"]}"#,
    );
    agree(
        DeepSetsConfig::new(vec![4], 5).into(),
        r#"{"kind": "deep-sets", "hidden": [4], "width": 5}"#,
    );
}
