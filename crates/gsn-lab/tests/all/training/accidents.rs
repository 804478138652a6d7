//! Full disks, wild losses and damaged files: a clear stop, and nothing lost.

use super::*;
use gsn_lab::protocol::Choose;
use gsn_lab::run::{Disk, Stage};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const LAST: Protocol = Protocol::FixedSplit { choose: Choose::Last };

/// The disk fails at the `n`-th time a stage is reached, at every stage and for many n; the run
/// taken up afterwards ends like one without accidents.
#[test]
fn a_full_disk_loses_nothing() {
    let dataset = numbers();
    let settings = Settings { epochs: 4, ..numbers_settings() };
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    run(&dataset, LAST, &settings, &[0], &options(&whole, 1, Some(1))).unwrap();
    let stages = [Stage::Create, Stage::Write, Stage::Sync, Stage::Rename, Stage::Append];
    let (mut failures, mut placed) = (0, 0);
    for (i, stage) in stages.into_iter().enumerate() {
        for n in [1, 2, 4, 5, 7, 11] {
            let out = folder.path().join(format!("{i}-{n}"));
            let reached = Arc::new(AtomicU64::new(0));
            let mut options = options(&out, 1, Some(1));
            options.checkpoint_every = Duration::ZERO;
            options.disk = Disk::with_fault(Arc::new(move |_: &Path, at| {
                let full = at == stage && reached.fetch_add(1, Ordering::SeqCst) + 1 == n;
                if full { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
            }));
            if let Err(error) = run(&dataset, LAST, &settings, &[0], &options) {
                let said = error.to_string();
                assert!(said.contains("cannot be written") && said.contains("--resume"), "{said}");
                placed += usize::from(said.contains("epoch") && said.contains("batch"));
                failures += 1;
            }
            options.disk = Disk::default();
            options.resume = out.join("recipe.toml").exists();
            options.checkpoint_every = Duration::from_secs(60);
            run(&dataset, LAST, &settings, &[0], &options).unwrap();
            assert_same(&whole, &out);
        }
    }
    assert!(failures > 20 && placed > 8, "{failures} failures, {placed} within training");
}

/// Killed after `last.ckpt` and before `best.safetensors`, a run has newer best weights in the first
/// than in the second; taken up again, done or not, both are the same, and nothing half-written stays.
#[test]
fn a_run_killed_between_checkpoint_and_best_weights_has_the_best_weights_again() {
    const BEST: Protocol = Protocol::FixedSplit { choose: Choose::BestValidation };
    let (dataset, settings) = (numbers(), Settings { epochs: 4, ..numbers_settings() });
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    run(&dataset, BEST, &settings, &[0], &options(&whole, 1, None)).unwrap();
    let weights = "units/seed-0/best.safetensors";
    let right = std::fs::read(whole.join(weights)).unwrap();
    // The first weights that were kept, as a kill would have left them.
    let mut early = options(&folder.path().join("early"), 1, None);
    (early.checkpoint_every, early.until) = (Duration::ZERO, Some(1));
    run(&dataset, BEST, &settings, &[0], &early).unwrap_err();
    let old = std::fs::read(early.out.join(weights)).unwrap();
    assert_ne!(old, right);
    std::fs::write(whole.join(weights), &old).unwrap();
    for left in [".results.json.killed.part", "units/seed-0/.last.ckpt.killed.part"] {
        std::fs::write(whole.join(left), "half").unwrap();
    }
    let resumed = Options { resume: true, ..options(&whole, 1, None) };
    run(&dataset, BEST, &settings, &[0], &resumed).unwrap();
    assert_eq!(std::fs::read(whole.join(weights)).unwrap(), right);
    assert!(!whole.join(".results.json.killed.part").exists());
    assert!(!whole.join("units/seed-0/.last.ckpt.killed.part").exists());
}

#[test]
fn a_loss_that_is_not_a_number_is_named_and_the_epochs_before_are_kept() {
    let mut dataset = numbers();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mild = numbers_settings();
    run(&dataset, LAST, &mild, &[0], &options(&folder.path().join("mild"), 1, None)).unwrap();
    dataset.samples[7].targets = vec![1e300];
    let mut raw = recipe(&dataset, LAST, &mild, &[0]);
    raw.data.targets = Targets::Raw;
    let said = run_recipe(raw, &dataset, &options(&out, 1, None), &()).unwrap_err().to_string();
    assert!(said.contains("seed-0: loss is inf at epoch 1, batch"), "{said}");
    assert!(said.contains("training.lr"), "{said}");
    assert!(out.join("units/seed-0/last.ckpt").exists());
    // A wild learning rate runs for a while first.
    let wild = Settings { lr: 1e18, clip: None, ..numbers_settings() };
    let dataset = numbers();
    let out = folder.path().join("wild");
    let said = run(&dataset, LAST, &wild, &[0], &options(&out, 1, None)).unwrap_err().to_string();
    assert!(said.contains(" at ") && said.contains("epoch"), "{said}");
}

#[test]
fn damaged_checkpoints_are_refused_by_name() {
    let (dataset, settings) = (numbers(), numbers_settings());
    let folder = tempfile::tempdir().unwrap();
    let mut options = options(&folder.path().join("run"), 1, None);
    run(&dataset, LAST, &settings, &[0], &options).unwrap();
    options.resume = true;
    let path = options.out.join("units/seed-0/last.ckpt");
    let good = std::fs::read(&path).unwrap();
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 1;
    for bad in [
        &flipped[..],
        &good[..good.len() - 1],
        &good[..20],
        b"",
        b"something else entirely, but long enough",
    ] {
        std::fs::write(&path, bad).unwrap();
        let said = run(&dataset, LAST, &settings, &[0], &options).unwrap_err().to_string();
        assert!(said.contains("last.ckpt") && said.contains("is "), "{said}");
    }
    std::fs::write(&path, &good).unwrap();
    run(&dataset, LAST, &settings, &[0], &options).unwrap();
}

#[test]
fn a_folder_serves_one_run_at_a_time() {
    let (dataset, settings) = (numbers(), numbers_settings());
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let held = gsn_lab::run::Folder::create(&out, Disk::default()).unwrap();
    let said = run(&dataset, LAST, &settings, &[0], &options(&out, 1, None)).unwrap_err();
    assert!(said.to_string().contains("another gsn"), "{said}");
    drop(held);
    run(&dataset, LAST, &settings, &[0], &options(&out, 1, None)).unwrap();
    std::fs::create_dir(folder.path().join("taken")).unwrap();
    std::fs::write(folder.path().join("taken/notes.txt"), "mine").unwrap();
    let taken = options(&folder.path().join("taken"), 1, None);
    let said = run(&dataset, LAST, &settings, &[0], &taken).unwrap_err().to_string();
    assert!(said.contains("notes.txt"), "{said}");
}

/// A session that was killed while it wrote its line leaves a part of it, which the next one replaces.
#[test]
fn a_line_cut_by_a_kill_is_replaced_by_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let run = gsn_lab::run::Folder::create(folder.path(), Disk::default()).unwrap();
    let log = folder.path().join("sessions.jsonl");
    let line = |n: u64| serde_json::json!({ "seconds": n });
    run.log("sessions.jsonl", &line(1)).unwrap();
    let mut cut = std::fs::read(&log).unwrap();
    cut.extend_from_slice(b"{\"seco");
    std::fs::write(&log, cut).unwrap();
    run.log("sessions.jsonl", &line(2)).unwrap();
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "{\"seconds\":1}\n{\"seconds\":2}\n");
}
