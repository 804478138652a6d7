//! Every golden case of the authors' networks, in f64: outputs, losses, activations, running
//! statistics, gradients, one Adam step and evaluation after it, once through the fused operations
//! and once in the plain order of the formulas.

mod case;
mod translate;

use case::{Case, Tensor};
use gsn_nn::{Adam, Batch, Grads, Matrix, Model, Params, Pool};

/// Worst deviation of each kind, each relative to its tolerance (1 is the limit).
#[derive(Default)]
struct Worst(Vec<(&'static str, f64, f64)>);

impl Worst {
    /// Notes `got` against `want` with tolerance `relative`·(largest or own entry) + `absolute`.
    fn compare(&mut self, kind: &'static str, name: &str, got: &[f64], want: &[f64], tol: Tol) {
        assert_eq!(got.len(), want.len(), "{kind} {name}");
        let largest = want.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        for (i, (g, w)) in got.iter().zip(want).enumerate() {
            let d = (g - w).abs();
            let scale = if tol.by_largest { largest } else { w.abs() };
            let limit = tol.relative * scale + tol.absolute;
            assert!(d <= limit, "{kind} {name}[{i}]: {g} instead of {w}, off by {d:e} > {limit:e}");
            match self.0.iter_mut().find(|k| k.0 == kind) {
                Some(k) => (k.1, k.2) = (k.1.max(d), k.2.max(d / limit)),
                None => self.0.push((kind, d, d / limit)),
            }
        }
    }
}

struct Tol {
    relative: f64,
    absolute: f64,
    by_largest: bool,
}

/// Tolerances of the golden files' README; an absolute 1e-12 lets exact zeros be round-off.
const VALUE: Tol = Tol { relative: 1e-9, absolute: 1e-12, by_largest: false };
const GRADIENT: Tol = Tol { relative: 1e-9, absolute: 1e-12, by_largest: true };
const STEP: Tol = Tol { relative: 0.0, absolute: 1e-13, by_largest: false };
const STEP_END_TO_END: Tol = Tol { relative: 0.0, absolute: 1e-8, by_largest: false };

/// Parameters, buffers and counters as stored; every stored one must have its place and the
/// other way round.
fn load(case: &Case, p: &mut Params<f64>) {
    let without: Vec<&str> = case.json["parameters_without_gradient"]
        .as_array()
        .map_or(vec![], |a| a.iter().filter_map(|v| v.as_str()).collect());
    let mut seen = 0;
    for (official, t) in case.under("param.").chain(case.under("buffer.")) {
        if official.ends_with("num_batches_tracked") {
            continue;
        }
        let name = translate::our_name(official);
        let known = p.set(&name, &t.data);
        // Modules the authors build but never call have parameters we do not.
        let idle = without.contains(&official)
            || case
                .tensors
                .get(&format!("grad.{official}"))
                .is_none_or(|g| g.data.iter().all(|&g| g == 0.0));
        assert!(known || idle, "{}: no place for {official}", case.name);
        seen += usize::from(known);
    }
    assert_eq!(seen, p.entries().len() + p.buffer_entries().len(), "{}: parameters", case.name);
}

/// A matrix per arc in the order of `in.edge_index`; others as they are.
fn in_given_order(m: &Matrix<f64>, want: &Tensor, rows: &[usize], batch: &Batch<f64>) -> Vec<f64> {
    if want.rows() != batch.arcs() || want.rows() == batch.vertices() {
        return m.data().to_vec();
    }
    let mut out = vec![0.0; m.data().len()];
    for (i, &r) in rows.iter().enumerate() {
        out[r * m.cols()..(r + 1) * m.cols()].copy_from_slice(m.row(i));
    }
    out
}

fn check_buffers(case: &Case, p: &Params<f64>, worst: &mut Worst) {
    for (official, t) in case.under("buffer_after.") {
        let name = translate::our_name(official);
        if official.ends_with("num_batches_tracked") {
            let ours = p.counters().iter().find(|c| c.0 == name).unwrap();
            assert_eq!(ours.1 as f64, t.data[0] - case.get(&format!("buffer.{official}")).data[0]);
        } else {
            worst.compare("statistics", official, p.by_name(&name).unwrap(), &t.data, VALUE);
        }
    }
}

fn check_gradients(case: &Case, p: &Params<f64>, grads: &Grads<f64>, worst: &mut Worst) {
    let mut at = 0;
    let mut ours = std::collections::HashMap::new();
    for e in p.entries() {
        let len: usize = e.shape.iter().product();
        ours.insert(e.name.as_str(), &grads.values()[at..at + len]);
        at += len;
    }
    for (official, t) in case.under("grad.") {
        match ours.remove(translate::our_name(official).as_str()) {
            Some(g) => worst.compare("gradients", official, g, &t.data, GRADIENT),
            None => assert!(t.data.iter().all(|&g| g == 0.0), "{official} has a gradient"),
        }
    }
    for (name, g) in ours {
        assert!(g.iter().all(|&g| g == 0.0), "{name}: a gradient where the authors have none");
    }
}

fn check(case: &Case) -> Worst {
    let mut worst = Worst::default();
    let config = translate::config(case);
    let (batch, rows) = translate::batch(case, &config);
    let pool = Pool::new();
    let mut model = Model::<f64>::new(config, 1).unwrap();
    load(case, model.params_mut());
    if let Some(count) = case.json["parameter_count"].as_u64() {
        assert!(model.params().count() as u64 <= count);
    }
    let Some(output) = case.tensors.get("train.output") else {
        // Evaluation only: the isomorphism test.
        let y = model.predict(&batch, &pool).unwrap();
        worst.compare("eval", "output", y.data(), &case.get("eval.output").data, VALUE);
        let pooled = model.embed(&batch, &pool).unwrap();
        worst.compare("eval", "pooled", pooled.data(), &case.get("eval.pooled").data, VALUE);
        let far = &case.get("eval.pairwise_distance").data;
        let apart = |i: usize, j: usize| {
            y.row(i).iter().zip(y.row(j)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
        };
        let n = y.rows();
        let ours: Vec<f64> = (0..n * n).map(|k| apart(k / n, k % n)).collect();
        let tol = Tol { relative: 1e-9, absolute: 1e-9, by_largest: false };
        worst.compare("eval", "pairwise_distance", &ours, far, tol);
        return worst;
    };
    let loss = translate::loss(case);

    // The plain order of the formulas, with every activation.
    let mut plain = model.clone();
    let mut grads = Grads::new(model.params());
    let traced = plain.traced(&batch, loss, 0, &pool, &mut grads).unwrap();
    for (name, want) in case.under("train.act.").chain(case.under("grad_act.")) {
        let found = traced.values.iter().find(|v| v.0 == name);
        let (_, value, gradient) =
            found.unwrap_or_else(|| panic!("{}: no value {name}", case.name));
        if case.tensors.get(&format!("train.act.{name}")).is_some_and(|t| std::ptr::eq(t, want)) {
            let got = in_given_order(value, want, &rows, &batch);
            worst.compare("activations", name, &got, &want.data, VALUE);
        } else {
            let got = in_given_order(gradient.as_ref().unwrap(), want, &rows, &batch);
            worst.compare("activation gradients", name, &got, &want.data, GRADIENT);
        }
    }
    worst.compare("output", "plain", traced.output.data(), &output.data, VALUE);
    check_buffers(case, plain.params(), &mut worst);
    check_gradients(case, plain.params(), &grads, &mut worst);

    // The fused operations.
    let value = model.gradients(&batch, loss, 0, &pool, &mut grads).unwrap();
    worst.compare(
        "loss",
        "train",
        &[value, traced.loss],
        &[case.get("train.loss").data[0]; 2],
        VALUE,
    );
    check_buffers(case, model.params(), &mut worst);
    check_gradients(case, model.params(), &grads, &mut worst);
    let eval = |model: &Model<f64>, want: &str, key: &str, worst: &mut Worst, tol: Tol| {
        let y = model.predict(&batch, &pool).unwrap();
        if let Some(t) = case.tensors.get(want) {
            worst.compare("eval", want, y.data(), &t.data, tol);
        }
        if let Some(text) = case.json[key].as_str() {
            let (l, _) = loss.value_and_gradient(&y, batch.labels()).unwrap();
            worst.compare("loss", key, &[l], &[text.parse().unwrap()], VALUE);
        }
    };
    eval(&model, "eval.output", "loss_eval_after_train_forward", &mut worst, VALUE);

    // One Adam step, from the stored gradient and end to end.
    let before = model.params().values().to_vec();
    let count = before.len();
    let mut stored = vec![0.0; count];
    let (mut after, mut at) = (vec![0.0; count], 0);
    for e in model.params().entries() {
        let len: usize = e.shape.iter().product();
        let official =
            case.under("param.").find(|(n, _)| translate::our_name(n) == e.name).unwrap().0;
        if let Some(g) = case.tensors.get(&format!("grad.{official}")) {
            stored[at..at + len].copy_from_slice(&g.data);
        }
        after[at..at + len].copy_from_slice(&case.get(&format!("param_after.{official}")).data);
        at += len;
    }
    let mut from_stored = before.clone();
    Adam::new(count, 1e-3).step(&mut from_stored, &stored).unwrap();
    worst.compare("adam", "from the stored gradient", &from_stored, &after, STEP);
    Adam::new(count, 1e-3).step(model.params_mut().values_mut(), grads.values()).unwrap();
    worst.compare("adam end to end", "step", model.params().values(), &after, STEP_END_TO_END);
    model.params_mut().values_mut().copy_from_slice(&from_stored);
    eval(&model, "eval_after_step.output", "loss_eval_after_step", &mut worst, VALUE);
    worst
}

#[test]
#[allow(clippy::print_stdout)]
fn golden_cases_of_the_authors_networks() {
    let cases = case::all();
    assert_eq!(cases.len(), 27);
    for case in &cases {
        let worst = check(case);
        let text: Vec<String> = worst.0.iter().map(|(k, d, _)| format!("{k} {d:.1e}")).collect();
        let share = worst.0.iter().fold(0.0f64, |m, w| m.max(w.2));
        println!("{:28} {} (worst at {:.1e} of its tolerance)", case.name, text.join(", "), share);
    }
    println!("{} cases", cases.len());
}
