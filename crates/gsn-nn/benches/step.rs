//! Times training steps and inference on a batch written by `benches/nn/run.py`, which runs the
//! same batch through PyTorch beside it. Usage: `step FOLDER STEPS THREADS DROPOUT`.
//!
//! FOLDER holds `batch.safetensors`, `config.json` and `params.safetensors`. One line of JSON comes
//! out: losses, times of every step and every inference in milliseconds, peak memory.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use gsn_nn::config::Network;
use gsn_nn::{Adam, Batch, Features, Grads, GraphInput, Loss, Model, ModelConfig, Pool};
use safetensors::tensor::{Dtype, SafeTensors};

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let [folder, steps, threads, dropout] = args.as_slice() else {
        println!("nothing to time: run benches/nn/run.py, which calls this with a batch");
        return Ok(());
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build()?;
    let (steps, dropout) = (steps.parse()?, dropout.parse()?);
    pool.install(|| run(folder, steps, dropout))
}

fn run(folder: &str, steps: usize, dropout: f64) -> Result<(), Failure> {
    let bytes = std::fs::read(format!("{folder}/batch.safetensors"))?;
    let graphs = graphs(&SafeTensors::deserialize(&bytes)?)?;
    let text = std::fs::read_to_string(format!("{folder}/config.json"))?;
    let mut text: serde_json::Value = serde_json::from_str(&text)?;
    let loss: Loss = serde_json::from_value(text["loss"].take())?;
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

    let batch = Batch::<f32>::new(&graphs)?;
    let (buffers, mut grads) = (Pool::new(), Grads::new(model.params()));
    let mut adam = Adam::new(model.params().count(), 1e-3);
    let (mut losses, mut step_ms, mut infer_ms, mut batch_ms) = (vec![], vec![], vec![], vec![]);
    let (mut first, mut busy, warm) = (None, 0.0, 3.min(steps - 1));
    for step in 0..steps {
        if step == warm {
            busy = processor_ms();
        }
        let start = Instant::now();
        losses.push(model.gradients(&batch, loss, step as u64, &buffers, &mut grads)?);
        first.get_or_insert_with(|| fingerprints(&model, &grads));
        adam.step(model.params_mut().values_mut(), grads.values());
        step_ms.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let cpu_ms = (processor_ms() - busy) / (steps - warm) as f64;
    let peak_mb = peak_megabytes();
    for _ in 0..steps {
        let start = Instant::now();
        model.predict(&batch, &buffers)?;
        infer_ms.push(start.elapsed().as_secs_f64() * 1e3);
        let start = Instant::now();
        Batch::<f32>::new(&graphs)?;
        batch_ms.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let out = serde_json::json!({
        "losses": losses, "step_ms": step_ms, "infer_ms": infer_ms, "batch_ms": batch_ms,
        "cpu_ms": cpu_ms, "peak_mb": peak_mb, "gradients": first, "parameters": model.params().count(),
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
    let vertices: Vec<Vec<usize>> =
        (0..count).map(|g| (0..of.len()).filter(|&v| of[v] as usize == g).collect()).collect();
    let mut arcs: Vec<Vec<usize>> = vec![Vec::new(); count];
    for e in 0..m {
        arcs[of[edges[e] as usize] as usize].push(e);
    }
    let table = |name: &str, rows: &[usize]| -> Option<Features> {
        let (n, data) = floats(file, name).ok()?;
        let cols = data.len() / n.max(1);
        let cells = rows.iter().flat_map(|&r| data[r * cols..(r + 1) * cols].iter().copied());
        Some(match file.tensor(name).ok()?.dtype() {
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
                vertex: table("x", &vertices[g]),
                arc: table("edge_features", &arcs[g]),
                vertex_ids: table("vertex_ids", &vertices[g]),
                arc_ids: table("arc_ids", &arcs[g]),
                degrees: None,
                targets: y[g * tasks..(g + 1) * tasks].to_vec(),
            }
        })
        .collect())
}
