//! Times training steps and inference on a batch written by `benches/nn/run.py`, which runs the
//! same batch through PyTorch beside it. Usage: `step FOLDER STEPS THREADS DROPOUT [epoch]`.
//!
//! FOLDER holds `batch.safetensors`, `config.json` and `params.safetensors`. One line of JSON comes
//! out: losses, times of every step and every inference in milliseconds, peak memory. With `epoch`
//! the folder also says which graphs train and STEPS epochs are run, batches put together anew for
//! every step; the times are those of whole epochs, validation included.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use gsn_nn::config::Network;
use gsn_nn::{Adam, Batch, Features, Grads, GraphInput, Loss, Model, ModelConfig, Pool};
use safetensors::tensor::{Dtype, SafeTensors};

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let [folder, steps, threads, dropout, rest @ ..] = args.as_slice() else {
        println!("nothing to time: run benches/nn/run.py, which calls this with a batch");
        return Ok(());
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build()?;
    let (steps, dropout) = (steps.parse()?, dropout.parse()?);
    let whole = rest.iter().any(|a| a == "epoch");
    pool.install(|| run(folder, steps, dropout, whole))
}

fn run(folder: &str, steps: usize, dropout: f64, whole: bool) -> Result<(), Failure> {
    let bytes = std::fs::read(format!("{folder}/batch.safetensors"))?;
    let graphs = graphs(&SafeTensors::deserialize(&bytes)?)?;
    let text = std::fs::read_to_string(format!("{folder}/config.json"))?;
    let mut text: serde_json::Value = serde_json::from_str(&text)?;
    let loss: Loss = serde_json::from_value(text["loss"].take())?;
    let epoch: Option<Epoch> = serde_json::from_value(text["epoch"].take())?;
    let mut config: ModelConfig = serde_json::from_value(text["model"].take())?;
    if let Network::Ogb(c) = &mut config.network {
        c.layers.iter_mut().for_each(|l| l.dropout = dropout);
    }
    let mut model = Model::<f32>::new(config, 1)?;
    let bytes = std::fs::read(format!("{folder}/params.safetensors"))?;
    let params = SafeTensors::deserialize(&bytes)?;
    let names: Vec<String> = model.params().entries().iter().map(|e| e.name.clone()).collect();
    for name in &names {
        let data = floats(&params, name)?.1.iter().map(|&x| x as f32).collect::<Vec<_>>();
        if !model.params_mut().set(name, &data) {
            return Err(format!("{name} does not fit").into());
        }
    }

    if whole {
        let epoch = epoch.ok_or("config.json says nothing of an epoch")?;
        return epochs(&mut model, &graphs, loss, &epoch, steps);
    }
    let batch = Batch::<f32>::new(&graphs)?;
    let (buffers, mut grads) = (Pool::new(), Grads::new(model.params()));
    let mut adam = Adam::new(model.params().count(), 1e-3);
    let (mut losses, mut step_ms, mut infer_ms, mut batch_ms) = (vec![], vec![], vec![], vec![]);
    let (mut step_cpu_ms, mut infer_cpu_ms) = (vec![], vec![]);
    let mut first = None;
    for step in 0..steps {
        let busy = processor_ms();
        let start = Instant::now();
        losses.push(model.gradients(&batch, loss, step as u64, &buffers, &mut grads)?);
        first.get_or_insert_with(|| fingerprints(&model, &grads));
        adam.step(model.params_mut().values_mut(), grads.values())?;
        step_ms.push(start.elapsed().as_secs_f64() * 1e3);
        step_cpu_ms.push(processor_ms() - busy);
    }
    let peak_mb = peak_megabytes();
    let y = model.predict(&batch, &buffers)?;
    let predicted =
        y.data().iter().map(|&y| f64::from(y.abs())).sum::<f64>() / y.data().len() as f64;
    for _ in 0..steps {
        let busy = processor_ms();
        let start = Instant::now();
        model.predict(&batch, &buffers)?;
        infer_ms.push(start.elapsed().as_secs_f64() * 1e3);
        infer_cpu_ms.push(processor_ms() - busy);
        let start = Instant::now();
        Batch::<f32>::new(&graphs)?;
        batch_ms.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let out = serde_json::json!({
        "losses": losses, "step_ms": step_ms, "infer_ms": infer_ms, "batch_ms": batch_ms,
        "step_cpu_ms": step_cpu_ms, "infer_cpu_ms": infer_cpu_ms, "peak_mb": peak_mb, "gradients": first, "predicted": predicted,
        "parameters": model.params().count(),
    });
    println!("{out}");
    Ok(())
}

/// Graphs `0..train` train, the others validate; `order` says which graph comes when.
#[derive(serde::Deserialize)]
struct Epoch {
    train: usize,
    batch: usize,
    order: Vec<usize>,
}

/// Times whole epochs: training and validation.
fn epochs(
    model: &mut Model<f32>,
    graphs: &[GraphInput],
    loss: Loss,
    e: &Epoch,
    count: usize,
) -> Result<(), Failure> {
    let (buffers, mut grads) = (Pool::new(), Grads::new(model.params()));
    let mut adam = Adam::new(model.params().count(), 1e-3);
    let (mut first, mut losses, mut epoch_ms, mut epoch_cpu_ms) = (None, vec![], vec![], vec![]);
    for _ in 0..count {
        let (busy, start) = (processor_ms(), Instant::now());
        let (mut sum, mut error) = (0.0, 0.0);
        for (step, part) in e.order.chunks(e.batch).enumerate() {
            let part: Vec<&GraphInput> = part.iter().map(|&g| &graphs[g]).collect();
            let batch = Batch::<f32>::new(&part)?;
            let value = model.gradients(&batch, loss, step as u64, &buffers, &mut grads)?;
            first.get_or_insert(value);
            sum += value * part.len() as f64;
            adam.step(model.params_mut().values_mut(), grads.values())?;
        }
        for part in graphs[e.train..].chunks(e.batch) {
            let y = model.predict(&Batch::<f32>::new(part)?, &buffers)?;
            let off = (0..part.len()).map(|g| (f64::from(y.row(g)[0]) - part[g].targets[0]).abs());
            error += off.sum::<f64>();
        }
        losses.push([sum / e.train as f64, error / (graphs.len() - e.train) as f64]);
        epoch_ms.push(start.elapsed().as_secs_f64() * 1e3);
        epoch_cpu_ms.push(processor_ms() - busy);
    }
    let out = serde_json::json!({
        "first": first, "losses": losses, "epoch_ms": epoch_ms, "epoch_cpu_ms": epoch_cpu_ms,
        "peak_mb": peak_megabytes(),
    });
    println!("{out}");
    Ok(())
}

/// Two numbers per parameter that tell its gradient apart from others: its 2-norm and the sum of
/// its entries with weights 1, 2, …, 7 in turns.
fn fingerprints(model: &Model<f32>, grads: &Grads<f32>) -> serde_json::Value {
    let (mut at, mut out) = (0, serde_json::Map::new());
    for e in model.params().entries() {
        let len: usize = e.shape.iter().product();
        let g = grads.values()[at..at + len].iter().map(|&g| f64::from(g));
        let norm = g.clone().map(|g| g * g).sum::<f64>().sqrt();
        let sum: f64 = g.enumerate().map(|(i, g)| (i % 7 + 1) as f64 * g).sum();
        out.insert(e.name.clone(), serde_json::json!([norm, sum]));
        at += len;
    }
    out.into()
}

/// Processor time of all threads so far; 0 where the system does not say.
fn processor_ms() -> f64 {
    // The system brings the count of a running thread up to date when it gives way.
    std::thread::yield_now();
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let spent = tasks.filter_map(|t| {
        let text = std::fs::read_to_string(t.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    });
    spent.sum::<f64>() / 1e6
}

/// The largest resident size of this process so far; 0 where the system does not say.
fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let kilobytes =
        line.and_then(|l| l.split_whitespace().next()).and_then(|n| n.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}

/// A tensor as (rows, numbers).
fn floats(file: &SafeTensors<'_>, name: &str) -> Result<(usize, Vec<f64>), Failure> {
    let t = file.tensor(name).map_err(|_| format!("no tensor {name}"))?;
    let rows = t.shape().first().copied().unwrap_or(1);
    let data = match t.dtype() {
        Dtype::F32 => {
            t.data().as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b) as f64).collect()
        }
        Dtype::I64 => {
            t.data().as_chunks::<8>().0.iter().map(|b| i64::from_le_bytes(*b) as f64).collect()
        }
        other => return Err(format!("{name}: {other:?}").into()),
    };
    Ok((rows, data))
}

/// Cuts the batch of PyTorch Geometric into graphs.
fn graphs(file: &SafeTensors<'_>) -> Result<Vec<GraphInput>, Failure> {
    let of = floats(file, "batch")?.1;
    let edges = floats(file, "edge_index")?.1;
    let (y_rows, y) = floats(file, "y")?;
    let m = edges.len() / 2;
    let count = y_rows;
    let mut vertices: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (v, &g) in of.iter().enumerate() {
        vertices[g as usize].push(v);
    }
    let mut arcs: Vec<Vec<usize>> = vec![Vec::new(); count];
    for e in 0..m {
        arcs[of[edges[e] as usize] as usize].push(e);
    }
    let load = |name: &str| Some((floats(file, name).ok()?, file.tensor(name).ok()?.dtype()));
    let [x, e, vertex_ids, arc_ids] = ["x", "edge_features", "vertex_ids", "arc_ids"].map(load);
    let table = |t: &Option<((usize, Vec<f64>), Dtype)>, rows: &[usize]| {
        let ((n, data), kind) = t.as_ref()?;
        let cols = data.len() / (*n).max(1);
        let cells = rows.iter().flat_map(|&r| data[r * cols..(r + 1) * cols].iter().copied());
        Some(match kind {
            Dtype::I64 => Features::Categories { cols, data: cells.map(|x| x as u32).collect() },
            _ => Features::Values { cols, data: cells.collect() },
        })
    };
    let tasks = y.len() / count.max(1);
    Ok((0..count)
        .map(|g| {
            let first = vertices[g].first().copied().unwrap_or(0);
            let arc = |&e: &usize| {
                [(edges[e] as usize - first) as u32, (edges[m + e] as usize - first) as u32]
            };
            GraphInput {
                vertices: vertices[g].len(),
                arcs: arcs[g].iter().map(arc).collect(),
                vertex: table(&x, &vertices[g]),
                arc: table(&e, &arcs[g]),
                vertex_ids: table(&vertex_ids, &vertices[g]),
                arc_ids: table(&arc_ids, &arcs[g]),
                degrees: None,
                targets: y[g * tasks..(g + 1) * tasks].to_vec(),
                ..GraphInput::default()
            }
        })
        .collect())
}
