//! The tests without counts: 1-WL, then 2-FWL and 3-FWL on what the one before left.

use super::pairs::{equal_pairs, open_graphs, split};
use super::{Options, Outcome, Pairing};
use crate::error::{Error, Result};
use gsn_core::Graph;
use gsn_core::wl::{Fwl, Start, WlError, refine};
use rayon::prelude::*;

pub(super) fn run(
    graphs: &[Graph],
    starts: &[Start<'_>],
    options: &Options,
    together: &mut [u32],
) -> Result<Vec<Outcome>> {
    let pairing = options.pairing;
    let colours = refine(graphs, starts).map_err(|e| Error::Separate(e.to_string()))?;
    let mut classes = colours.classes();
    let mut outcome = Outcome::new("1-wl");
    outcome.failures = Some(equal_pairs(&classes, pairing));
    let mut tests = vec![outcome];
    for k in 2..=options.fwl.min(3) {
        let name = format!("{k}-fwl");
        // k-FWL refines what comes before it, so only what is left needs to be looked at.
        let open = open_graphs(&classes, pairing);
        let work: u64 = open
            .iter()
            .map(|&at| (graphs[at].order() as u64).saturating_pow(k as u32 + 1))
            .fold(0, u64::saturating_add);
        if work > options.fwl_work {
            let why = format!(
                "left out: a round would look at {work:.1e} entries, more than {:.1e}",
                options.fwl_work as f64,
                work = work as f64
            );
            tests.push(Outcome::left_out(&name, why));
            break;
        }
        match of_some(k, graphs, starts, &open, options) {
            Ok(finer) => {
                split(&mut classes, &open, &finer);
                let mut outcome = Outcome::new(&name);
                outcome.failures = Some(equal_pairs(&classes, pairing));
                tests.push(outcome);
            }
            Err(error @ WlError::Memory { .. }) => {
                tests.push(Outcome::left_out(&name, format!("left out: {error}")));
                break;
            }
            Err(error) => return Err(Error::Separate(error.to_string())),
        }
    }
    let everything: Vec<usize> = (0..graphs.len()).collect();
    split(together, &everything, &classes);
    Ok(tests)
}

/// Classes of the graphs `open`: all together, or partner by partner.
fn of_some(
    k: usize,
    graphs: &[Graph],
    starts: &[Start<'_>],
    open: &[usize],
    options: &Options,
) -> Result<Vec<u32>, WlError> {
    let fwl = Fwl::new(k)?.with_limit(options.memory);
    match options.pairing {
        Pairing::All => {
            let some: Vec<Graph> = open.iter().map(|&at| graphs[at].clone()).collect();
            let starts: Vec<Start<'_>> = open.iter().map(|&at| starts[at]).collect();
            fwl.classes(&some, &starts)
        }
        Pairing::Consecutive => {
            let verdicts: Vec<bool> = open
                .par_chunks_exact(2)
                .map(|pair| {
                    let (i, j) = (pair[0], pair[1]);
                    fwl.separates((&graphs[i], starts[i]), (&graphs[j], starts[j]))
                })
                .collect::<Result<_, _>>()?;
            Ok(verdicts.into_iter().flat_map(|apart| [0, u32::from(apart)]).collect())
        }
    }
}
