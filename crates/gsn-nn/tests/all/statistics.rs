//! Statistics of a whole part: their truth, and that no order and no number of threads matter.

use crate::networks::{self, Dice, graph};
use gsn_nn::{Batch, BatchStatistics, Grads, GraphInput, Loss, Matrix, Model, Pool};

fn graphs(count: usize) -> Vec<GraphInput> {
    let mut dice = Dice(11);
    (0..count).map(|i| graph(&mut dice, 4 + i % 7, 12 + i)).collect()
}

fn statistics(model: &Model<f64>, batches: &[Batch<f64>]) -> Vec<BatchStatistics> {
    let pool = Pool::new();
    batches.iter().map(|batch| model.batch_statistics(batch, &pool, 0).unwrap()).collect()
}

fn close(a: &Matrix<f64>, b: &Matrix<f64>) -> bool {
    let scale = |x: &f64| 1e-9 * (1.0 + x.abs());
    a.data().iter().zip(b.data()).all(|(x, y)| (x - y).abs() < scale(x))
}

/// A part of one batch is evaluated as a training pass sees it, which computes every formula
/// without stored statistics.
#[test]
fn one_batch_is_evaluated_as_it_is_trained_on() {
    let mut normalised = 0;
    for (name, config) in networks::configs() {
        let graphs = graphs(9);
        let batch = Batch::new(&graphs).unwrap();
        let mut model = Model::<f64>::new(config, 3).unwrap();
        let estimated = model.with_statistics(&statistics(&model, std::slice::from_ref(&batch)));
        let pool = Pool::new();
        let (said, before) =
            (estimated.predict(&batch, &pool).unwrap(), model.predict(&batch, &pool).unwrap());
        let mut grads = Grads::new(model.params());
        let truth = model.traced(&batch, Loss::L1, 0, &pool, &mut grads).unwrap().output;
        assert!(close(&said, &truth), "{name}: {said:?} is not {truth:?}");
        assert_eq!(model.params().values(), estimated.params().values());
        if model.has_statistics() {
            assert!(!close(&before, &truth), "{name}: stored statistics say the same");
            normalised += 1;
        }
    }
    assert!(normalised > 5);
}

/// The statistics of two batches pooled are those of all their rows, at the first BatchNorm, whose
/// input no BatchNorm has touched.
#[test]
fn batches_are_pooled_by_rows_in_any_order() {
    for (name, config) in networks::configs() {
        let graphs = graphs(14);
        let model = Model::<f64>::new(config, 3).unwrap();
        let Some(first) = model.params().buffer_entries().iter().find(|e| e.name.ends_with("mean"))
        else {
            continue;
        };
        let first = [first.name.clone(), first.name.replace("mean", "var")];
        let of = |batches: &[Batch<f64>]| model.with_statistics(&statistics(&model, batches));
        let whole = of(&[Batch::new(&graphs).unwrap()]);
        let cut = |sizes: [usize; 3]| {
            let mut rest = &graphs[..];
            sizes.map(|n| {
                let (batch, left) = rest.split_at(n);
                rest = left;
                Batch::new(batch).unwrap()
            })
        };
        let [a, b, c] = cut([3, 9, 2]);
        let parts = of(&[a.clone(), b.clone(), c.clone()]);
        for key in &first {
            let (x, y) = (whole.params().by_name(key), parts.params().by_name(key));
            for (x, y) in x.unwrap().iter().zip(y.unwrap()) {
                assert!((x - y).abs() < 1e-9 * (1.0 + x.abs()), "{name}: {key}: {x} and {y}");
            }
        }
        let other = of(&[c, a, b]);
        for entry in model.params().buffer_entries() {
            let bits = |m: &Model<f64>| -> Vec<u64> {
                m.params().by_name(&entry.name).unwrap().iter().map(|x| x.to_bits()).collect()
            };
            assert_eq!(bits(&parts), bits(&other), "{name}: {} depends on the order", entry.name);
        }
    }
}

#[test]
fn any_number_of_threads_measures_the_same_bits() {
    let graphs: Vec<GraphInput> = (0..40).flat_map(|_| graphs(30)).collect();
    for (name, config) in networks::configs() {
        let model = Model::<f32>::new(config, 3).unwrap();
        let of = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let batch = Batch::new(&graphs).unwrap();
                let seen = model.batch_statistics(&batch, &Pool::new(), 0).unwrap();
                model.with_statistics(&[seen]).to_bytes().unwrap()
            })
        };
        assert!(of(1) == of(3), "{name}");
    }
}
