//! Properties of every network: renaming vertices changes nothing (or renames the result),
//! degenerate graphs work, any number of threads gives the same bits.

use crate::networks::{self, Dice, graph, trained};
use gsn_nn::config::{Network, Readout};
use gsn_nn::{Adam, Batch, Grads, GraphInput, Loss, Matrix, Model, ModelConfig, Pool, Scalar};

fn some_graphs(seed: u64) -> Vec<GraphInput> {
    let mut dice = Dice(seed);
    let sizes = [(7, 20), (1, 0), (9, 30), (4, 2), (12, 60), (3, 9)];
    sizes.iter().map(|&(n, m)| graph(&mut dice, n, m)).collect()
}

fn shuffled(dice: &mut Dice, n: usize) -> Vec<usize> {
    let mut v: Vec<usize> = (0..n).collect();
    (1..n).rev().for_each(|i| v.swap(i, dice.below(i + 1)));
    v
}

#[test]
fn renaming_vertices_and_arcs_leaves_predictions() {
    for (name, config) in networks::configs() {
        let graphs = some_graphs(5);
        let model = trained(&config, &graphs);
        let pool = Pool::new();
        let y = model.predict(&Batch::new(&graphs).unwrap(), &pool).unwrap();
        assert!(
            (0..y.rows() - 1).any(|g| (y.row(g)[0] - y.row(g + 1)[0]).abs() > 1e-9),
            "{name} is constant"
        );
        let mut dice = Dice(8);
        // Graphs change places too.
        let places = shuffled(&mut dice, graphs.len());
        let renamed: Vec<GraphInput> = places
            .iter()
            .map(|&g| {
                let to = shuffled(&mut dice, graphs[g].vertices);
                let order = shuffled(&mut dice, graphs[g].arcs.len());
                networks::rename(&graphs[g], &to, &order)
            })
            .collect();
        let z = model.predict(&Batch::new(&renamed).unwrap(), &pool).unwrap();
        for (i, &g) in places.iter().enumerate() {
            let (a, b) = (y.row(g)[0], z.row(i)[0]);
            assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "{name}: graph {g}: {a} became {b}");
        }
    }
}

/// Values per vertex move with their vertex; statistics of the batch stay, so training mode too.
#[test]
fn renaming_vertices_renames_their_values() {
    for (name, config) in networks::configs() {
        let mut dice = Dice(21);
        let g = graph(&mut dice, 15, 60);
        let (to, order) = (shuffled(&mut dice, 15), shuffled(&mut dice, g.arcs.len()));
        let h = networks::rename(&g, &to, &order);
        let run = |g: &GraphInput| {
            let mut model = Model::<f64>::new(config.clone(), 3).unwrap();
            let mut grads = Grads::new(model.params());
            let batch = Batch::new(&[g.clone(), g.clone()]).unwrap();
            let traced = model.traced(&batch, Loss::Mse, 0, &Pool::new(), &mut grads).unwrap();
            (traced, grads)
        };
        let ((a, da), (b, db)) = (run(&g), run(&h));
        let mut compared = 0;
        for ((n, x, _), (_, y, _)) in
            a.values.iter().zip(&b.values).filter(|(v, _)| v.1.rows() == 30)
        {
            for v in 0..15 {
                for (p, q) in x.row(v).iter().zip(y.row(to[v])) {
                    assert!((p - q).abs() < 1e-8 * (1.0 + p.abs()), "{name}, {n}: {p} {q}");
                }
            }
            compared += 1;
        }
        assert!(compared > 0 || matches!(config.network, Network::DeepSets(_)), "{name}");
        for (p, q) in da.values().iter().zip(db.values()) {
            assert!((p - q).abs() < 1e-7 * (1.0 + p.abs()), "{name}: gradients {p} {q}");
        }
    }
}

/// No arcs, no vertices, one vertex, one graph: finite numbers everywhere, in training as well.
#[test]
fn degenerate_graphs_give_finite_numbers() {
    let mut dice = Dice(4);
    let mut empty = graph(&mut dice, 3, 0);
    empty.targets = vec![0.5];
    let lone = graph(&mut dice, 1, 0);
    let nothing = graph(&mut dice, 0, 0);
    let path = graph(&mut dice, 2, 4);
    let batches = [
        vec![empty.clone()],
        vec![lone.clone()],
        vec![nothing.clone(), lone.clone()],
        vec![path.clone()],
        vec![lone, path, empty, nothing],
    ];
    for (name, config) in networks::configs() {
        for graphs in &batches {
            let mut model = Model::<f64>::new(config.clone(), 3).unwrap();
            let batch = Batch::new(graphs).unwrap();
            let (pool, mut grads) = (Pool::new(), Grads::new(model.params()));
            let loss = model.gradients(&batch, Loss::L1, 0, &pool, &mut grads).unwrap();
            assert!(loss.is_finite(), "{name}");
            assert!(grads.values().iter().all(|g| g.is_finite()), "{name}");
            assert!(
                model
                    .params()
                    .by_name("batch_norms.0.running_var")
                    .is_none_or(|v| v.iter().all(|x| x.is_finite()))
            );
            let y = model.predict(&batch, &pool).unwrap();
            assert_eq!(y.rows(), graphs.len());
            assert!(y.data().iter().all(|y| y.is_finite()), "{name}");
            assert!(model.traced(&batch, Loss::L1, 0, &pool, &mut grads).unwrap().loss.is_finite());
        }
    }
}

/// Prediction and embedding of every graph, in batches of the given sizes (the last over and over).
fn in_batches<T: Scalar>(
    model: &Model<T>,
    graphs: &[GraphInput],
    sizes: &[usize],
) -> Vec<(Vec<T>, Vec<T>)> {
    let (pool, mut out) = (Pool::new(), Vec::new());
    for i in 0.. {
        let size = sizes[i.min(sizes.len() - 1)].min(graphs.len() - out.len());
        if size == 0 {
            break;
        }
        let batch = Batch::new(&graphs[out.len()..out.len() + size]).unwrap();
        let y = model.predict(&batch, &pool).unwrap();
        let embedding = model.embed(&batch, &pool).unwrap();
        out.extend((0..size).map(|g| (y.row(g).to_vec(), embedding.row(g).to_vec())));
    }
    out
}

fn predictions_stand_alone<T: Scalar>(name: &str, config: &ModelConfig) {
    let mut dice = Dice(31);
    let mut graphs: Vec<GraphInput> =
        (0..9).map(|i| graph(&mut dice, 1 + 13 * i, 40 * i)).collect();
    graphs.push(graph(&mut dice, 300, 1500));
    let mut model = Model::<T>::new(config.clone(), 3).unwrap();
    let batch = Batch::new(&graphs).unwrap();
    let (pool, mut grads) = (Pool::new(), Grads::new(model.params()));
    let mut adam = Adam::new(model.params().count(), 0.01);
    for step in 0..3 {
        model.gradients(&batch, Loss::Mse, step, &pool, &mut grads).unwrap();
        adam.step(model.params_mut().values_mut(), grads.values()).unwrap();
    }
    let mut together = in_batches(&model, &graphs, &[graphs.len()]);
    for sizes in [&[1][..], &[2], &[3, 1, 4], &[5, 2, 3], &[9, 1]] {
        assert_eq!(together, in_batches(&model, &graphs, sizes), "{name}, batches of {sizes:?}");
    }
    graphs.reverse();
    together.reverse();
    assert_eq!(together, in_batches(&model, &graphs, &[4]), "{name}, in reverse");
}

/// A prediction does not depend on the company of other graphs, not in a single bit.
#[test]
fn a_graph_is_predicted_alike_alone_and_in_any_batch() {
    for (name, mut config) in networks::configs() {
        predictions_stand_alone::<f32>(&name, &config);
        predictions_stand_alone::<f64>(&name, &config);
        // Widths of whole and of cut panels.
        match &mut config.network {
            Network::Gsn(c) => {
                c.layers[0].width = 64;
                c.layers[1].width = 41;
            }
            Network::Ogb(c) => c.layers.iter_mut().for_each(|l| l.hidden = vec![150]),
            Network::Dgn(_) => continue,
            Network::DeepSets(c) => (c.hidden, c.width) = (vec![48], 97),
        }
        predictions_stand_alone::<f32>(&name, &config);
        predictions_stand_alone::<f64>(&name, &config);
    }
}

/// Losses, gradients, weights and predictions after some steps, as bits.
fn bits(config: &ModelConfig, graphs: &[GraphInput], threads: usize) -> Vec<u32> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut model = Model::<f32>::new(config.clone(), 3).unwrap();
        let batch = Batch::new(graphs).unwrap();
        let (pool, mut grads) = (Pool::new(), Grads::new(model.params()));
        let mut adam = Adam::new(model.params().count(), 0.01);
        let mut out = Vec::new();
        for step in 0..3 {
            let loss = model.gradients(&batch, Loss::Mse, step, &pool, &mut grads).unwrap();
            out.push((loss as f32).to_bits());
            out.extend(grads.values().iter().map(|g| g.to_bits()));
            adam.step(model.params_mut().values_mut(), grads.values()).unwrap();
        }
        out.extend(model.params().values().iter().map(|p| p.to_bits()));
        out.extend(model.predict(&batch, &pool).unwrap().data().iter().map(|p| p.to_bits()));
        out
    })
}

/// Bit for bit the same for 1, 2 and 5 threads, dropout and random features included; graphs
/// large enough that every pass is cut into several chunks.
#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let mut dice = Dice(77);
    let graphs: Vec<GraphInput> = (0..12).map(|i| graph(&mut dice, 150 + 10 * i, 700)).collect();
    for (name, mut config) in networks::configs() {
        match &mut config.network {
            Network::Gsn(c) => {
                c.dropout = vec![0.3; c.layers.len() + 1];
                c.layers.iter_mut().for_each(|l| l.width = 96);
                c.readout = Readout::Mean;
                c.residual = false;
                config.inputs.random = 5;
            }
            Network::Ogb(c) => c.layers.iter_mut().for_each(|l| l.dropout = 0.5),
            Network::Dgn(c) => (c.dropout, c.input_dropout) = (0.3, 0.1),
            Network::DeepSets(c) => (c.width, c.dropout) = (96, 0.2),
        }
        let one = bits(&config, &graphs, 1);
        for threads in [2, 5] {
            assert!(one == bits(&config, &graphs, threads), "{name} with {threads} threads");
        }
    }
}

/// Another seed gives other masks, the same seed the same.
#[test]
fn dropout_follows_its_seed() {
    let (_, mut config) = networks::configs().swap_remove(0);
    let Network::Gsn(c) = &mut config.network else { panic!() };
    c.dropout = vec![0.5; 3];
    let batch = Batch::<f64>::new(&some_graphs(5)).unwrap();
    let loss = |seed: u64| {
        let mut model = Model::<f64>::new(config.clone(), 3).unwrap();
        let mut grads = Grads::new(model.params());
        model.gradients(&batch, Loss::Mse, seed, &Pool::new(), &mut grads).unwrap()
    };
    assert_eq!(loss(1).to_bits(), loss(1).to_bits());
    assert!((2..10).any(|s| loss(s) != loss(1)));
}

/// The fused operations and the plain order of the formulas are the same function.
#[test]
fn fused_and_plain_agree() {
    let mut dice = Dice(3);
    let graphs: Vec<GraphInput> = (0..5).map(|_| graph(&mut dice, 20, 90)).collect();
    let batch = Batch::new(&graphs).unwrap();
    for (name, config) in networks::configs() {
        let mut fused = Model::<f64>::new(config.clone(), 3).unwrap();
        let mut plain = fused.clone();
        let (pool, mut df, mut dp) =
            (Pool::new(), Grads::new(fused.params()), Grads::new(fused.params()));
        let a = fused.gradients(&batch, Loss::Mse, 0, &pool, &mut df).unwrap();
        let b = plain.traced(&batch, Loss::Mse, 0, &pool, &mut dp).unwrap().loss;
        assert!((a - b).abs() < 1e-12 * (1.0 + a), "{name}: {a} {b}");
        for (p, q) in df.values().iter().zip(dp.values()) {
            assert!((p - q).abs() < 1e-10 * (1.0 + p.abs()), "{name}: {p} {q}");
        }
        let same = |m: &Model<f64>| m.predict(&batch, &pool).unwrap();
        let (a, b): (Matrix<f64>, Matrix<f64>) = (same(&fused), same(&plain));
        for (p, q) in a.data().iter().zip(b.data()) {
            assert!((p - q).abs() < 1e-10 * (1.0 + p.abs()), "{name}: {p} {q}");
        }
    }
}

/// MPNN-r: fresh noise at every pass, the same for the same seed.
#[test]
fn random_features_follow_their_seed() {
    let (_, mut config) = networks::configs().swap_remove(0);
    config.inputs.random = 4;
    let model = Model::<f64>::new(config, 3).unwrap();
    let batch = Batch::new(&some_graphs(5)).unwrap();
    let y = |seed| model.predict_with_seed(&batch, &Pool::new(), seed).unwrap();
    assert_eq!(y(1), y(1));
    assert_ne!(y(1), y(2));
}

/// Single precision stays close to double precision, gradients included.
#[test]
fn f32_follows_f64() {
    let mut dice = Dice(9);
    let graphs: Vec<GraphInput> = (0..60).map(|_| graph(&mut dice, 23, 50)).collect();
    for (name, config) in networks::configs() {
        let mut wide = Model::<f64>::new(config.clone(), 3).unwrap();
        let mut narrow = Model::<f32>::new(config, 3).unwrap();
        let exact: Vec<f64> = narrow.params().values().iter().map(|&x| f64::from(x)).collect();
        wide.params_mut().values_mut().copy_from_slice(&exact);
        let (mut dw, mut dn) = (Grads::new(wide.params()), Grads::new(narrow.params()));
        let a = wide
            .gradients(&Batch::new(&graphs).unwrap(), Loss::Mse, 0, &Pool::new(), &mut dw)
            .unwrap();
        let b = narrow
            .gradients(&Batch::new(&graphs).unwrap(), Loss::Mse, 0, &Pool::new(), &mut dn)
            .unwrap();
        assert!((a - b).abs() < 1e-4 * a, "{name}: {a} {b}");
        let largest = dw.values().iter().fold(0.0f64, |m, g| m.max(g.abs()));
        let mut at = 0;
        for e in wide.params().entries() {
            let len: usize = e.shape.iter().product();
            let (w, n) = (&dw.values()[at..at + len], &dn.values()[at..at + len]);
            let size = w.iter().fold(0.0f64, |m, g| m.max(g.abs()));
            let off = w.iter().zip(n).fold(0.0f64, |m, (w, &n)| m.max((w - f64::from(n)).abs()));
            // A ReLU input within round-off of 0 may fall to the other side.
            assert!(off < 2e-3 * size + 1e-4 * largest, "{name}, {}: {off:e} of {size:e}", e.name);
            at += len;
        }
    }
}
