//! Pieces of work handed out one by one to the threads of the pool.
//!
//! A few roots of a graph, its hubs, are most of the work. Where threads are given ranges, one of
//! them soon has nothing to do; here each takes the next piece when it is done with the last, so
//! all of them end within one piece of each other. What a thread needs it makes once, not for
//! every piece: it may be as large as the graph.

use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Does `work` for every number below `pieces`, in about increasing order, and gives what the
/// threads have made for themselves.
///
/// # Errors
/// One of the errors of `work`; pieces that were not begun then are left out.
pub(super) fn hand_out<S: Send, E: Send>(
    pieces: usize,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> Result<(), E> + Sync,
) -> Result<Vec<S>, E> {
    let next = AtomicUsize::new(0);
    let threads = crate::threads::number().min(pieces);
    let thread = |_| -> Result<Option<S>, E> {
        let mut state = None;
        loop {
            let piece = next.fetch_add(1, Relaxed);
            if piece >= pieces {
                return Ok(state);
            }
            if let Err(error) = work(state.get_or_insert_with(&start), piece) {
                next.store(pieces, Relaxed);
                return Err(error);
            }
        }
    };
    // A thread of the pool that is busy elsewhere finds nothing left when it comes.
    let threads = (0..threads).into_par_iter().with_max_len(1);
    let states: Vec<Option<S>> = threads.map(thread).collect::<Result<_, E>>()?;
    Ok(states.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn every_piece_is_done_once_by_as_few_states_as_threads() {
        for (threads, pieces) in [(1, 0), (1, 9), (3, 1), (3, 100), (8, 1000)] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let done = pool.install(|| {
                hand_out(pieces, Vec::new, |done, piece| {
                    done.push(piece);
                    Ok::<(), ()>(())
                })
            });
            let done = done.unwrap();
            assert!(done.len() <= threads);
            let mut all: Vec<usize> = done.into_iter().flatten().collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..pieces));
        }
    }

    #[test]
    fn an_error_ends_it() {
        let begun = Mutex::new(Vec::new());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let result = pool.install(|| {
            hand_out(
                100,
                || (),
                |(), piece| {
                    begun.lock().unwrap().push(piece);
                    if piece == 7 { Err("seven") } else { Ok(()) }
                },
            )
        });
        assert_eq!(result.unwrap_err(), "seven");
        assert_eq!(begun.into_inner().unwrap().len(), 8);
    }
}
