//! A toy layer, added by the steps of the README of this folder and nothing else:
//!
//! h'_v = MLP([h_v, Σ_{u→v} h_u]).
//!
//! # Shapes
//! h: vertices × d; h': vertices × `width`. It reads neither identifiers nor arc features.

use super::encoder::dense_all;
use super::mlp::{After, Mlp};
use super::{Block, Layer, LayerInput, LayerSpec};
use crate::config::GsnLayer;
use crate::params::Params;
use crate::scalar::Scalar;
use crate::tape::message::ArcTerms;
use crate::tape::{Tape, Var};

/// See the module documentation.
#[derive(Debug)]
pub(super) struct Toy {
    update: Mlp,
}

impl Toy {
    /// Parameters `{name}.update_fn.*`.
    pub(super) fn new<T: Scalar>(p: &mut Params<T>, spec: &LayerSpec<'_>) -> Self {
        Self { update: spec.mlp(p, "update_fn", 2 * spec.widths.vertex, spec.layer.width) }
    }

    pub(super) fn check(layer: &GsnLayer) -> Result<(), &'static str> {
        if layer.learn_eps { Err("the toy form has no ε") } else { Ok(()) }
    }
}

impl<T: Scalar> Layer<T> for Toy {
    fn forward<'a>(
        &self,
        tape: &mut Tape<'a, T>,
        input: &LayerInput<'a>,
        after: &After<'_>,
    ) -> Var {
        let h = dense_all(tape, &input.h);
        let neighbours = tape.arc_gather(ArcTerms::of_source(h), tape.cols(h));
        let sum = tape.arc_sum(neighbours);
        let both = [Block::Dense(h), Block::Dense(sum)];
        self.update.forward_then(tape, tape.batch.vertices, &both, after)
    }
}

mod tests {
    use crate::config::{Activation, Form, GsnConfig, GsnLayer, Input, Inputs};
    use crate::{Adam, Batch, Features, Grads, GraphInput, Loss, Model, ModelConfig, Pool};

    fn config() -> ModelConfig {
        // tanh has a derivative everywhere, as differences need it.
        let network = GsnConfig::new(Form::Toy, vec![GsnLayer::new(4); 2])
            .with_activation(Activation::Tanh)
            .with_mlp_activation(Activation::Tanh);
        ModelConfig::new(Inputs::new(Input::values(2)), network, 1)
    }

    fn batch() -> Batch<f64> {
        let graph = |shift: f64| GraphInput {
            vertices: 3,
            arcs: vec![[0, 1], [1, 0], [1, 2], [2, 1]],
            vertex: Some(Features::Values {
                cols: 2,
                data: [0.1, -0.4, 0.7, 0.2, -0.9, 0.5].map(|x| x + shift).to_vec(),
            }),
            targets: vec![shift],
            ..GraphInput::default()
        };
        Batch::new(&[graph(0.3), graph(-1.0), graph(2.0)]).unwrap()
    }

    #[test]
    fn its_gradient_is_right_and_a_step_lowers_the_loss() {
        let (batch, pool) = (batch(), Pool::new());
        let mut model = Model::<f64>::new(config(), 3).unwrap();
        let mut grads = Grads::new(model.params());
        let loss = |model: &Model<f64>, grads: &mut Grads<f64>| {
            model.clone().gradients(&batch, Loss::Mse, 0, &pool, grads).unwrap()
        };
        let before = loss(&model, &mut grads);
        let exact = grads.values().to_vec();
        for (i, exact) in exact.iter().enumerate() {
            let moved = |by: f64| {
                let mut model = model.clone();
                model.params_mut().values_mut()[i] += by;
                loss(&model, &mut Grads::new(model.params()))
            };
            let by_differences = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            let off = (exact - by_differences).abs();
            assert!(off < 1e-6 * (1.0 + exact.abs()), "{i}: {exact} {by_differences}");
        }
        Adam::new(exact.len(), 0.01).step(model.params_mut().values_mut(), &exact).unwrap();
        assert!(loss(&model, &mut grads) < before);
    }

    #[test]
    fn a_configuration_and_a_checkpoint_know_it_by_name() {
        let text = serde_json::to_string(&config()).unwrap();
        assert!(text.contains(r#""form":"toy""#), "{text}");
        let model = Model::<f64>::new(serde_json::from_str(&text).unwrap(), 3).unwrap();
        let again = Model::<f64>::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(again.config(), &config());
        let network = GsnConfig::new(Form::Toy, vec![GsnLayer::new(4).with_learn_eps(true)]);
        let refused = ModelConfig { network: network.into(), ..config() }.validate().unwrap_err();
        assert_eq!(refused.to_string(), "model configuration: layer 0: the toy form has no ε");
        assert!(Form::ALL.contains(&Form::Toy));
    }
}
