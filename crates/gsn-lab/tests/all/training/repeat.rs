//! The same seed gives the same run, whatever the threads, the jobs and the batches of a restart.

use super::*;
use gsn_lab::protocol::Choose;
use gsn_lab::train::Optimiser;
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
