//! The numerical kernels below the tape: they know slices and strides, nothing of layers. The
//! README of this folder says which rules make their results the same for any number of threads.

pub(crate) mod exact;
pub(crate) mod gemm;
pub(crate) mod micro;
pub(crate) mod rows;

pub(crate) use micro::vectorised;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::matrix::Matrix;
use crate::scalar::Scalar;

/// Rows per chunk of an element-wise pass over rows of `cols` numbers: about 16 Ki numbers.
pub(crate) fn chunk_rows(cols: usize) -> usize {
    (16 * 1024 / cols.max(1)).clamp(16, 4096)
}

/// Cuts `data` into pieces of the given lengths.
pub(crate) fn split<T>(mut data: &mut [T], lens: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    let mut out = Vec::new();
    for len in lens {
        let (a, b) = data.split_at_mut(len);
        out.push(a);
        data = b;
    }
    out
}

/// Runs `f(first row, numbers)` over chunks of [`chunk_rows`] rows in parallel.
pub(crate) fn for_chunks<T: Scalar>(m: &mut Matrix<T>, f: impl Fn(usize, &mut [T]) + Sync) {
    let cols = m.cols().max(1);
    let per_chunk = chunk_rows(cols);
    m.data_mut().par_chunks_mut(per_chunk * cols).enumerate().for_each(|(i, chunk)| {
        vectorised(
            #[inline(always)]
            || f(i * per_chunk, chunk),
        )
    });
}

/// Runs `f(r, row r)` over all rows in parallel, in chunks of [`chunk_rows`] rows.
pub(crate) fn for_rows<T: Scalar>(m: &mut Matrix<T>, f: impl Fn(usize, &mut [T]) + Sync) {
    let cols = m.cols().max(1);
    for_chunks(
        m,
        #[inline(always)]
        |first, chunk| {
            for (i, row) in chunk.chunks_exact_mut(cols).enumerate() {
                f(first + i, row);
            }
        },
    );
}

/// Maps fixed chunks of `0..rows` in parallel; the answers come back in order.
pub(crate) fn map_chunks<R: Send>(
    rows: usize,
    per_chunk: usize,
    f: impl Fn(std::ops::Range<usize>) -> R + Sync,
) -> Vec<R> {
    let chunks = rows.div_ceil(per_chunk.max(1));
    (0..chunks)
        .into_par_iter()
        .map(|i| {
            let range = i * per_chunk..((i + 1) * per_chunk).min(rows);
            vectorised(
                #[inline(always)]
                || f(range),
            )
        })
        .collect()
}

/// How long a thread looks for the next piece of work before it may sleep.
const SPIN_TIME: Duration = Duration::from_micros(500);

/// Runs `work` and keeps the other threads of the pool from falling asleep between its passes.
///
/// A step of training is some hundred short passes; a thread that sleeps between two of them wakes
/// when much of the next is done. Threads that find nothing for [`SPIN_TIME`] go back to the pool,
/// so none waits for another's end.
pub(crate) fn with_spinning_threads<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    if rayon::current_num_threads() == 1 {
        return work();
    }
    let over = AtomicBool::new(false);
    rayon::scope(|scope| {
        let caller = rayon::current_thread_index();
        let over = &over;
        scope.spawn_broadcast(move |_, thread| {
            if Some(thread.index()) != caller {
                spin_for_work(over);
            }
        });
        let _guard = SetOnDrop(over);
        work()
    })
}

/// Takes up pieces of work until all is over or nothing has come for [`SPIN_TIME`].
fn spin_for_work(over: &AtomicBool) {
    let mut last = Instant::now();
    while !over.load(Ordering::Acquire) {
        if rayon::yield_now() == Some(rayon::Yield::Executed) {
            last = Instant::now();
        } else if last.elapsed() > SPIN_TIME {
            return;
        } else {
            std::hint::spin_loop();
        }
    }
}

/// Sets a flag when it is dropped, also by a panic.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}
