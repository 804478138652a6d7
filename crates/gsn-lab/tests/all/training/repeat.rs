//! The same seed gives the same run, whatever the threads, the jobs and the batches of a restart.

use super::*;
use gsn_lab::protocol::Choose;
use gsn_lab::train::{BatchNorm, Optimiser, Schedule};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

const BEST: Protocol = Protocol::FixedSplit { choose: Choose::BestValidation };

#[test]
fn threads_and_jobs_change_nothing() {
    let (dataset, settings) = (classes(), classes_settings());
    let folder = tempfile::tempdir().unwrap();
    let runs = [(1, Some(1)), (3, Some(1)), (4, Some(3)), (2, None)];
    for (i, (threads, jobs)) in runs.into_iter().enumerate() {
        let out = folder.path().join(i.to_string());
        run(&dataset, Protocol::TudFair, &settings, &[0, 1], &options(&out, threads, jobs))
            .unwrap();
        assert_same(&folder.path().join("0"), &out);
    }
}

/// Re-estimated statistics are the same for any threads, are stored with the model that was
/// judged by them, and leave the state that training goes on with alone.
#[test]
fn re_estimated_statistics_belong_to_evaluation_alone() {
    let dataset = numbers();
    let settings = Settings::new(16, 3, 0.02, Loss::L1, Metric::Mae);
    let estimated = settings.clone().with_batch_norm(BatchNorm::ReEstimated);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let last = Protocol::FixedSplit { choose: Choose::Last };
    for (name, settings, threads) in
        [("running", &settings, 1), ("one", &estimated, 1), ("three", &estimated, 3)]
    {
        run(&dataset, last, settings, &[0], &options(&at(name), threads, None)).unwrap();
    }
    assert_same(&at("one"), &at("three"));
    let bytes = |name: &str, file: &str| std::fs::read(at(name).join(file)).unwrap();
    let (a, b) = ["running", "one"].map(|name| bytes(name, "units/seed-0/last.ckpt")).into();
    assert!(a == b, "the trained states differ");
    let model = |name: &str| gsn_lab::model_file::ModelFile::open(at(name).join("model.gsn"));
    let (a, b) = (model("running").unwrap(), model("one").unwrap());
    assert_eq!(a.first.model.params().values(), b.first.model.params().values());
    let mut means =
        a.first.model.params().buffer_entries().iter().filter(|e| e.name.ends_with("running_mean"));
    let mean = &means.next().unwrap().name;
    assert_ne!(a.first.model.params().by_name(mean), b.first.model.params().by_name(mean));
    assert_ne!(a.card.metrics, b.card.metrics);
}

#[test]
fn seeds_and_folds_differ() {
    let (dataset, settings) = (numbers(), numbers_settings());
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let last = Protocol::FixedSplit { choose: Choose::Last };
    let results = run(&dataset, last, &settings, &[0, 1], &options(&out, 1, None)).unwrap();
    assert_ne!(results.report.runs[0].value, results.report.runs[1].value);
}

/// Stops a run after some steps, takes it up again, and so on to the end.
struct Stopper {
    left: AtomicU64,
    stop: Arc<AtomicBool>,
}

impl gsn_lab::experiment::Observer for Stopper {
    fn event(&self, event: gsn_lab::experiment::Event<'_>) {
        if matches!(event, gsn_lab::experiment::Event::Step { .. })
            && self.left.fetch_sub(1, Ordering::SeqCst) == 1
        {
            self.stop.store(true, Ordering::SeqCst);
        }
    }
}

#[test]
fn a_run_that_was_stopped_ends_as_if_it_was_not() {
    for (dataset, settings, protocol) in [
        (classes(), classes_settings(), Protocol::TudFair),
        (numbers(), numbers_settings(), BEST),
        (numbers(), numbers_settings().with_optimiser(Optimiser::Sgd { momentum: 0.9 }), BEST),
        (numbers(), numbers_settings().with_batch_norm(BatchNorm::ReEstimated), BEST),
        (
            numbers(),
            numbers_settings()
                .with_optimiser(Optimiser::AdamW)
                .with_weight_decay(0.01)
                .with_schedule(Schedule::Cosine { warm_up: 2, least: 1e-4 })
                .with_batch_norm(BatchNorm::ReEstimated)
                .with_average(0.9),
            BEST,
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (whole, pieces) = (folder.path().join("whole"), folder.path().join("pieces"));
        let seeds = [0, 1];
        run(&dataset, protocol, &settings, &seeds, &options(&whole, 2, Some(2))).unwrap();
        let mut sessions = 0;
        loop {
            let stop = Arc::new(AtomicBool::new(false));
            let left = AtomicU64::new(1 + derive(4, sessions) % 60);
            let mut options = options(&pieces, 2, Some(2));
            options.resume = sessions > 0;
            options.stop = stop.clone();
            options.checkpoint_every = Duration::from_secs(derive(5, sessions) % 2 * 60);
            let recipe = recipe(&dataset, protocol, &settings, &seeds);
            sessions += 1;
            match run_recipe(recipe, &dataset, &options, &Stopper { left, stop }) {
                Ok(_) => break,
                Err(gsn_lab::Error::Stopped) => {}
                Err(other) => panic!("{other}"),
            }
        }
        assert!(sessions > 2, "it was not stopped often enough to tell");
        assert_same(&whole, &pieces);
    }
}

#[test]
fn a_finished_run_can_be_resumed_and_says_the_same() {
    let (dataset, settings) = (numbers(), numbers_settings());
    let folder = tempfile::tempdir().unwrap();
    let (out, copy) = (folder.path().join("run"), folder.path().join("copy"));
    let mut options = options(&out, 1, None);
    let first = run(&dataset, BEST, &settings, &[0], &options).unwrap();
    run(&dataset, BEST, &settings, &[0], &Options { out: copy.clone(), ..options.clone() })
        .unwrap();
    let again = run(&dataset, BEST, &settings, &[0], &options).unwrap_err().to_string();
    assert!(again.contains("--resume"), "{again}");
    options.resume = true;
    assert_eq!(run(&dataset, BEST, &settings, &[0], &options).unwrap(), first);
    assert_same(&out, &copy);
}

#[test]
fn a_run_goes_on_with_its_own_data_only() {
    let (mut dataset, settings) = (numbers(), numbers_settings());
    let folder = tempfile::tempdir().unwrap();
    let mut options = options(&folder.path().join("run"), 1, None);
    run(&dataset, BEST, &settings, &[0], &options).unwrap();
    dataset.samples[3].targets[0] += 1e-9;
    options.resume = true;
    let said = run(&dataset, BEST, &settings, &[0], &options).unwrap_err().to_string();
    assert!(said.contains("not those the run was started with"), "{said}");
}
