//! Weights and censoring of targets, and numbers of graphs as wholes: what they mean, and gradients by
//! finite differences through every kind of network.

use crate::networks::{self, Dice, graph};
use gsn_nn::{Batch, Censoring, Grads, GraphInput, Labels, Loss, Matrix, Model, ModelConfig, Pool};

fn column(cells: &[f64]) -> Matrix<f64> {
    Matrix::from_vec(cells.len(), 1, cells.to_vec()).unwrap()
}

/// Target, weights, censoring.
type Row<'a> = (f64, &'a [f64], &'a [Censoring]);

/// Graphs without structure, for their labels.
fn labelled(rows: &[Row]) -> Labels<f64> {
    let graphs: Vec<GraphInput> = rows
        .iter()
        .map(|&(target, weights, censoring)| GraphInput {
            targets: vec![target],
            weights: weights.to_vec(),
            censoring: censoring.to_vec(),
            ..GraphInput::default()
        })
        .collect();
    Labels::new(&graphs.iter().collect::<Vec<_>>()).unwrap()
}

#[test]
fn a_weight_is_as_good_as_that_many_rows() {
    let said = column(&[0.3, -0.7]);
    let thrice = column(&[0.3, 0.3, 0.3, -0.7]);
    for loss in [Loss::L1, Loss::Mse, Loss::BceWithLogits] {
        let weighted = labelled(&[(1.0, &[3.0], &[]), (0.0, &[], &[])]);
        let (yes, no): (Row, Row) = ((1.0, &[], &[]), (0.0, &[], &[]));
        let repeated = labelled(&[yes, yes, yes, no]);
        let (one, by) = loss.value_and_gradient(&said, &weighted).unwrap();
        let (other, by_rows) = loss.value_and_gradient(&thrice, &repeated).unwrap();
        assert!((one - other).abs() < 1e-12, "{loss:?}");
        assert!((by.data()[0] - 3.0 * by_rows.data()[0]).abs() < 1e-12);
    }
    let logits = Matrix::from_vec(2, 2, vec![0.1, 0.5, -0.2, 0.9]).unwrap();
    let weighted = labelled(&[(1.0, &[0.5], &[]), (0.0, &[0.5], &[])]);
    let plain = labelled(&[(1.0, &[], &[]), (0.0, &[], &[])]);
    let loss = |labels| Loss::CrossEntropy.value_and_gradient(&logits, labels).unwrap().0;
    assert!((loss(&weighted) - loss(&plain)).abs() < 1e-12, "only shares matter");
    let nothing = labelled(&[(1.0, &[0.0], &[]), (0.0, &[0.0], &[])]);
    assert_eq!(loss(&nothing), 0.0);
}

#[test]
fn a_bound_costs_only_on_its_wrong_side() {
    let said = column(&[1.0, 1.0, 1.0, 1.0]);
    let labels = labelled(&[
        (2.0, &[], &[Censoring::Below]),
        (0.5, &[], &[Censoring::Below]),
        (0.5, &[], &[Censoring::Above]),
        (4.0, &[], &[Censoring::Above]),
    ]);
    let (value, by) = Loss::L1.value_and_gradient(&said, &labels).unwrap();
    assert_eq!(value, (0.5 + 3.0) / 4.0);
    assert_eq!(by.data(), [0.0, 0.25, 0.0, -0.25]);
    let (value, _) = Loss::Mse.value_and_gradient(&said, &labels).unwrap();
    assert_eq!(value, (0.25 + 9.0) / 4.0);
}

fn graphs() -> Vec<GraphInput> {
    let mut dice = Dice(5);
    (0..6)
        .map(|at| GraphInput {
            graph: vec![dice.below(100) as f64 / 50.0 - 1.0, dice.below(100) as f64 / 50.0],
            weights: vec![1.0 + at as f64 / 2.0],
            censoring: vec![[Censoring::None, Censoring::Below, Censoring::Above][at % 3]],
            ..graph(&mut dice, 4 + at, 14)
        })
        .collect()
}

fn wide(config: &ModelConfig) -> ModelConfig {
    let mut config = config.clone();
    config.inputs.graph = 2;
    config
}

#[test]
fn gradients_agree_with_differences_in_every_network() {
    let (graphs, pool) = (graphs(), Pool::new());
    let batch = Batch::new(&graphs).unwrap();
    for (name, config) in networks::configs() {
        let model = Model::<f64>::new(wide(&config), 3).unwrap();
        let mut grads = Grads::new(model.params());
        let loss = |model: &Model<f64>, grads: &mut Grads<f64>| {
            model.clone().gradients(&batch, Loss::Mse, 0, &pool, grads).unwrap()
        };
        loss(&model, &mut grads);
        let slopes = grads.values().to_vec();
        let mut dice = Dice(9);
        let mut scratch = Grads::new(model.params());
        for _ in 0..40 {
            let at = dice.below(slopes.len());
            let mut moved = |by: f64| {
                let mut model = model.clone();
                model.params_mut().values_mut()[at] += by;
                loss(&model, &mut scratch)
            };
            let step = 1e-6;
            let difference = (moved(step) - moved(-step)) / (2.0 * step);
            let close = 1e-4 * (1.0 + difference.abs());
            assert!((slopes[at] - difference).abs() < close, "{name}: {} {difference}", slopes[at]);
        }
    }
}

#[test]
fn numbers_of_a_graph_change_its_prediction_alone_and_must_be_as_many_as_are_read() {
    let pool = Pool::new();
    for (name, config) in networks::configs() {
        let mut graphs = graphs();
        let model = Model::<f64>::new(wide(&config), 3).unwrap();
        let said = |graphs: &[GraphInput]| {
            model.predict(&Batch::new(graphs).unwrap(), &pool).unwrap().data().to_vec()
        };
        let before = said(&graphs);
        graphs[1].graph[0] += 1.0;
        let after = said(&graphs);
        for at in 0..before.len() {
            assert_eq!(before[at] == after[at], at != 1, "{name}");
        }
        let plain = Model::<f64>::new(config, 3).unwrap();
        let batch = Batch::new(&graphs).unwrap();
        let refused = plain.predict(&batch, &pool).unwrap_err().to_string();
        assert!(refused.contains("2 numbers of its own, but 0 are read"), "{refused}");
    }
}
