//! Matrix products on the `gemm` crate, cut into row blocks for the threads.
//!
//! The `gemm` crate reaches the machine's peak on one core for the skinny shapes of graph
//! networks but does not split them, so we do: over rows of the result where it is tall, over
//! the summed dimension (partial sums added in order) where it is a small weight gradient.
//! Cost of every product: 2·m·n·k operations.
//!
//! This is the only module with `unsafe`. Invariant: every call of a `gemm` kernel gets pointers into
//! slices whose length was checked against the strides and extents of the same call
//! (`View::check`), the output is borrowed mutably and so overlaps no input.
#![allow(unsafe_code)]

use rayon::prelude::*;

use crate::matrix::Pool;
use crate::scalar::Scalar;

/// A strided look at a slice: element (i, j) sits at `i * rs + j * cs`.
#[derive(Clone, Copy)]
struct View<'a, T> {
    data: &'a [T],
    rs: usize,
    cs: usize,
}

impl<T> View<'_, T> {
    fn check(&self, rows: usize, cols: usize) {
        if rows > 0 && cols > 0 {
            assert!((rows - 1) * self.rs + (cols - 1) * self.cs < self.data.len());
        }
    }
}

/// dst (m×n, row stride `drs`) = [dst +] a (m×k) · b (k×n), on the calling thread.
fn product<T: Scalar>(
    (m, n, k): (usize, usize, usize),
    (dst, drs): (&mut [T], usize),
    add: bool,
    a: View<'_, T>,
    b: View<'_, T>,
) {
    if m == 0 || n == 0 {
        return;
    }
    if k == 0 {
        if !add {
            for r in 0..m {
                dst[r * drs..r * drs + n].fill(T::ZERO);
            }
        }
        return;
    }
    assert!((m - 1) * drs + n <= dst.len());
    a.check(m, k);
    b.check(k, n);
    // SAFETY: the three extents were checked against the slices just above, and `dst` is a unique
    // borrow, so it overlaps neither input. The kernels want the destination by columns, so they
    // compute dstᵀ = bᵀ·aᵀ.
    unsafe {
        T::kernel()(
            n,
            m,
            k,
            dst.as_mut_ptr(),
            drs as isize,
            1,
            add,
            b.data.as_ptr(),
            b.rs as isize,
            b.cs as isize,
            a.data.as_ptr(),
            a.rs as isize,
            a.cs as isize,
            T::ONE,
            T::ONE,
            false,
            false,
            false,
            gemm_common::Parallelism::None,
        );
    }
}

/// The signature of the `gemm` kernels: sizes, destination (columns, rows stride), left and right
/// factor, dst = alpha·dst + beta·lhs·rhs, conjugations, threads.
#[rustfmt::skip]
#[allow(unreachable_pub)]
pub type Kernel<T> = unsafe fn(
    usize, usize, usize, *mut T, isize, isize, bool, *const T, isize, isize,
    *const T, isize, isize, T, T, bool, bool, bool, gemm_common::Parallelism,
);

/// The kernel of a number type for this CPU.
pub trait HasKernel: Sized {
    /// Chosen once per process from the CPU's features.
    fn kernel() -> Kernel<Self>;
}

impl HasKernel for f32 {
    fn kernel() -> Kernel<Self> {
        gemm_f32::gemm::f32::get_gemm_fn()
    }
}

impl HasKernel for f64 {
    fn kernel() -> Kernel<Self> {
        gemm_f64::gemm::f64::get_gemm_fn()
    }
}

/// Rows of a block: large enough to amortise packing of the weights, small enough that two
/// threads share evenly.
pub(crate) fn block_rows(rows: usize, n: usize, k: usize) -> usize {
    let wanted = (4 * 1024 * 1024 / (n * k).max(1)).clamp(256, 1024);
    // An even number of equal blocks leaves no thread waiting for a short tail.
    let blocks = rows.div_ceil(wanted).max(1).next_multiple_of(2);
    rows.div_ceil(blocks).next_multiple_of(8).max(16)
}

/// One block: out (rows×o) += x (rows×k) · w[:, off..off+k]ᵀ, with w stored o×`ws`.
pub(crate) fn add_x_wt<T: Scalar>(out: &mut [T], o: usize, x: &[T], k: usize, w: &[T], ws: usize) {
    if o == 0 || k == 0 {
        return;
    }
    let m = out.len() / o;
    product(
        (m, o, k),
        (out, o),
        true,
        View { data: x, rs: k, cs: 1 },
        View { data: w, rs: 1, cs: ws },
    );
}

/// dst (m×n) = a (m×k) · b (k×n) for weights, each factor given with its row and column stride.
pub(crate) fn small_ab<T: Scalar>(
    size: (usize, usize, usize),
    dst: &mut [T],
    a: (&[T], usize, usize),
    b: (&[T], usize, usize),
) {
    let (a, b) = (View { data: a.0, rs: a.1, cs: a.2 }, View { data: b.0, rs: b.1, cs: b.2 });
    product(size, (dst, size.1), false, a, b);
}

/// dx (rows×k) = [dx +] dy (rows×o) · w[:, off..off+k], parallel over row blocks.
pub(crate) fn dy_w<T: Scalar>(
    dx: &mut [T],
    k: usize,
    add: bool,
    dy: &[T],
    o: usize,
    w: &[T],
    ws: usize,
) {
    if dx.is_empty() {
        return;
    }
    let block = block_rows(dx.len() / k, k, o);
    dx.par_chunks_mut(block * k).enumerate().for_each(|(i, dx)| {
        let m = dx.len() / k;
        let dy = &dy[i * block * o..i * block * o + m * o];
        product(
            (m, k, o),
            (dx, k),
            add,
            View { data: dy, rs: o, cs: 1 },
            View { data: w, rs: ws, cs: 1 },
        );
    });
}

/// dw (o×k inside rows of `ws`) = [dw +] dyᵀ (o×rows) · x (rows×k).
pub(crate) fn dyt_x<T: Scalar>(
    pool: &Pool<T>,
    (dw, ws): (&mut [T], usize),
    add: bool,
    (dy, o): (&[T], usize),
    (x, k): (&[T], usize),
) {
    if o == 0 || k == 0 {
        return;
    }
    let rows = dy.len() / o;
    if o * k >= 32 * 1024 {
        // A large result: its own rows are the blocks.
        let blocks = o.div_ceil(160).next_multiple_of(2);
        let block = o.div_ceil(blocks).next_multiple_of(8);
        dw.par_chunks_mut(block * ws).enumerate().for_each(|(i, dw)| {
            let m = block.min(o - i * block);
            let a = View { data: &dy[(i * block).min(dy.len())..], rs: 1, cs: o };
            product((m, k, rows), (dw, ws), add, a, View { data: x, rs: k, cs: 1 });
        });
        return;
    }
    let block =
        (256 * 1024 / (o + k)).clamp(256, 4096).min(rows.div_ceil(4).max(64)).next_multiple_of(8);
    let blocks = rows.div_ceil(block).max(1);
    if blocks == 1 {
        let a = View { data: dy, rs: 1, cs: o };
        product((o, k, rows), (dw, ws), add, a, View { data: x, rs: k, cs: 1 });
        return;
    }
    let mut parts = pool.take(blocks, o * k);
    parts.data_mut().par_chunks_mut(o * k).enumerate().for_each(|(i, part)| {
        let n = block.min(rows - i * block);
        let a = View { data: &dy[i * block * o..(i * block + n) * o], rs: 1, cs: o };
        let b = View { data: &x[i * block * k..(i * block + n) * k], rs: k, cs: 1 };
        product((o, k, n), (part, k), false, a, b);
    });
    for r in 0..o {
        let to = &mut dw[r * ws..r * ws + k];
        for (i, part) in parts.data().chunks_exact(o * k).enumerate() {
            let from = &part[r * k..(r + 1) * k];
            if i == 0 && !add {
                to.copy_from_slice(from);
            } else {
                to.iter_mut().zip(from).for_each(|(t, &f)| *t += f);
            }
        }
    }
    pool.give(parts);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(n: usize, seed: u64) -> Vec<f64> {
        (0..n as u64).map(|i| crate::rng::uniform(seed, i) - 0.5).collect()
    }

    /// All three products against three nested loops, with strides, for shapes that take every
    /// branch (one block, several blocks, large result).
    #[test]
    fn products_equal_the_definition() {
        let pool = Pool::new();
        for &(rows, o, k, ws) in &[
            (1, 1, 1, 1),
            (5, 3, 2, 4),
            (700, 7, 9, 20),
            (900, 64, 70, 70),
            (50, 200, 190, 191),
            (0, 3, 2, 2),
        ] {
            let (x, w, y) = (numbers(rows * k, 1), numbers(o * ws, 2), numbers(rows * o, 3));
            let mut out = y.clone();
            if rows > 0 {
                add_x_wt(&mut out, o, &x, k, &w, ws);
            }
            let mut dx = numbers(rows * k, 4);
            let dx0 = dx.clone();
            dy_w(&mut dx, k, true, &y, o, &w, ws);
            let mut dw = w.clone();
            dyt_x(&pool, (&mut dw, ws), true, (&y, o), (&x, k));
            for r in 0..rows {
                for j in 0..o {
                    let s: f64 = (0..k).map(|i| x[r * k + i] * w[j * ws + i]).sum();
                    assert!((out[r * o + j] - y[r * o + j] - s).abs() < 1e-11);
                }
                for i in 0..k {
                    let s: f64 = (0..o).map(|j| y[r * o + j] * w[j * ws + i]).sum();
                    assert!((dx[r * k + i] - dx0[r * k + i] - s).abs() < 1e-11);
                }
            }
            for j in 0..o {
                for i in 0..ws {
                    let s: f64 = if i < k {
                        (0..rows).map(|r| y[r * o + j] * x[r * k + i]).sum()
                    } else {
                        0.0
                    };
                    assert!((dw[j * ws + i] - w[j * ws + i] - s).abs() < 1e-11);
                }
            }
        }
    }
}
