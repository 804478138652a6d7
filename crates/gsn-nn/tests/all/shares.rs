//! Shares of the cells of identifiers: they sum to the slope along the line, one by one and together, for every network.

use crate::networks::{self, Dice, graph, trained};
use gsn_nn::config::Network;
use gsn_nn::{Batch, Features, GraphInput, Matrix, Model, ModelConfig, Pool};

/// The tables of identifiers of a graph.
fn tables(graph: &mut GraphInput) -> impl Iterator<Item = &mut Vec<u32>> {
    [&mut graph.vertex_ids, &mut graph.arc_ids].into_iter().filter_map(|table| match table {
        Some(Features::Categories { data, .. }) => Some(data),
        _ => None,
    })
}

/// The same graph with every count absent.
fn absent(graph: &GraphInput) -> GraphInput {
    let mut graph = graph.clone();
    tables(&mut graph).for_each(|data| data.fill(0));
    graph
}

/// Predictions of all graphs at this place of the line, and their shares.
fn at(
    model: &Model<f64>,
    start: &[GraphInput],
    end: &[GraphInput],
    t: f64,
) -> (Vec<f64>, Vec<f64>) {
    let (start, end) = (Batch::new(start).unwrap(), Batch::new(end).unwrap());
    let all = |output: &Matrix<f64>| {
        Matrix::from_vec(output.rows(), 1, vec![1.0; output.rows()]).unwrap()
    };
    let places = vec![t; end.graphs()];
    let found = model.identifier_shares((&start, &end), &places, all, &Pool::new()).unwrap();
    (found.output.data().to_vec(), found.shares)
}

fn differentiable() -> impl Iterator<Item = (String, ModelConfig)> {
    networks::configs().into_iter().filter(|(_, config)| {
        config.inputs.ids.is_some() && !matches!(config.network, Network::Dgn(_))
    })
}

#[test]
fn the_ends_of_the_line_are_the_predictions_and_shares_sum_to_the_slope() {
    let mut networks_seen = 0;
    for (name, config) in differentiable() {
        let mut dice = Dice(17);
        let end: Vec<GraphInput> =
            [(7, 20), (1, 0), (9, 30), (4, 2)].map(|(n, m)| graph(&mut dice, n, m)).into();
        let start: Vec<GraphInput> = end.iter().map(absent).collect();
        let model = trained(&config, &end);
        for (graphs, t) in [(&start, 0.0), (&end, 1.0)] {
            let said = model.predict(&Batch::new(graphs).unwrap(), &Pool::new()).unwrap();
            for (a, b) in at(&model, &start, &end, t).0.iter().zip(said.data()) {
                assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "{name} at {t}: {a}, not {b}");
            }
        }
        let h = 1e-6;
        let sum = |t| at(&model, &start, &end, t).0.iter().sum::<f64>();
        let slope = (sum(0.37 + h) - sum(0.37 - h)) / (2.0 * h);
        let shares = at(&model, &start, &end, 0.37).1.iter().sum::<f64>();
        assert!(
            (slope - shares).abs() < 1e-5 * (1.0 + slope.abs()),
            "{name}: {shares}, not {slope}"
        );
        networks_seen += usize::from(slope.abs() > 1e-6);
    }
    assert!(networks_seen >= 8, "{networks_seen}");
}

#[test]
fn every_cell_has_the_share_of_its_own_change() {
    for (name, config) in differentiable() {
        let mut dice = Dice(23);
        let end = graph(&mut dice, 5, 9);
        let model = trained(&config, &[end.clone(), graph(&mut dice, 6, 12)]);
        let far = absent(&end);
        let end = std::slice::from_ref(&end);
        let all = at(&model, &[far], end, 1.0).1;
        for cell in 0..all.len() {
            // The line on which this cell alone changes ends at the same place.
            let mut start = end[0].clone();
            for data in tables(&mut start).filter(|data| data.len() == all.len()) {
                data[cell] = 0;
            }
            let (said, shares) = at(&model, std::slice::from_ref(&start), end, 1.0);
            let h = 1e-6;
            let before = at(&model, std::slice::from_ref(&start), end, 1.0 - h).0;
            let slope = (said[0] - before[0]) / h;
            assert!((shares[cell] - all[cell]).abs() < 1e-9, "{name}, cell {cell}");
            assert!((slope - all[cell]).abs() < 1e-4 * (1.0 + slope.abs()), "{name}, cell {cell}");
            assert!(shares.iter().enumerate().all(|(at, share)| at == cell || *share == 0.0));
        }
    }
}

#[test]
fn what_cannot_be_differentiated_is_refused() {
    let mut dice = Dice(5);
    let graphs = [graph(&mut dice, 5, 9)];
    let batch = Batch::new(&graphs).unwrap();
    for (name, config) in networks::configs() {
        let directed = matches!(config.network, Network::Dgn(_));
        let refused = directed || config.inputs.ids.is_none();
        let model = Model::<f64>::new(config.clone(), 1).unwrap();
        let asked = |output: &Matrix<f64>| Matrix::zeros(output.rows(), output.cols());
        let pool = Pool::new();
        let shares = model.identifier_shares((&batch, &batch), &[0.5], asked, &pool);
        assert_eq!(shares.is_err(), refused, "{name}");
        if !refused {
            assert!(model.identifier_shares((&batch, &batch), &[], asked, &pool).is_err());
            let single = Model::<f32>::new(config, 1).unwrap().in_double().unwrap();
            let (a, b) =
                (single.predict(&batch, &pool).unwrap(), model.predict(&batch, &pool).unwrap());
            assert!((a.data()[0] - b.data()[0]).abs() < 1e-4 * (1.0 + b.data()[0].abs()), "{name}");
        }
    }
}
