//! In evaluation mode a graph's prediction does not depend on its neighbours in the batch, to the
//! last bit.

use super::*;
use gsn_lab::cache::Cache;
use gsn_lab::prepare::CountedDataset;
use gsn_nn::{Batch, Model, ModelConfig, Pool};

/// Wide and narrow networks, with plain and with deep heads.
fn networks() -> Vec<serde_json::Value> {
    let mut all = Vec::new();
    for width in [7, 32, 64, 150, 300] {
        for form in ["gin", "general"] {
            let layers = vec![serde_json::json!({ "width": width }); 3];
            let head = serde_json::json!({ "mlp": { "hidden": [width] } });
            all.push(serde_json::json!({ "kind": "gsn", "form": form, "layers": layers }));
            all.push(serde_json::json!({
                "kind": "gsn", "form": form, "layers": layers,
                "heads": [head, head, head, head], "readout": "mean",
            }));
        }
    }
    all
}

#[test]
fn predictions_do_not_depend_on_the_batch() {
    let dataset = numbers();
    let recipe = recipe(&dataset, Protocol::TudPaper, &numbers_settings(), &[0]);
    let counted = CountedDataset::new(&recipe, dataset, &Cache::off(), None).unwrap();
    let inputs = counted.encode(&recipe, &[0, 1, 2]).unwrap().inputs;
    for network in networks() {
        let text = serde_json::json!({
            "inputs": { "vertex": {
                "data": { "categories": { "sizes": [3] } }, "encode": "one-hot"
            } },
            "network": network,
            "outputs": 1,
        });
        let config: ModelConfig = serde_json::from_value(text.clone()).unwrap();
        let model = Model::<f32>::new(config, 5).unwrap();
        let pool = Pool::new();
        let predict = |size: usize| -> Vec<u32> {
            let batches = inputs.chunks(size).map(|graphs| Batch::new(graphs).unwrap());
            batches
                .flat_map(|b| model.predict(&b, &pool).unwrap().data().to_vec())
                .map(f32::to_bits)
                .collect()
        };
        let one = predict(1);
        for size in [2, 3, 5, 16, 61, 62] {
            assert_eq!(predict(size), one, "batches of {size}, {text}");
        }
    }
}
