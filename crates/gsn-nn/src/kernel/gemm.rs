//! Matrix products of graph networks: few columns, many rows, weights shared by all rows.
//!
//! Three forms: rows times weights (forward, and backward to the input), weight gradients (a sum
//! over all rows), and products of weights among each other. In the first and the last the right
//! factor is packed once per product into panels, then blocks of rows are worked on in parallel by
//! [`micro`], whose tiles read the rows where they are. A weight gradient packs both factors, some
//! rows at a time: its left factor is dyᵀ.
//!
//! The first form gives a row the same bits whatever other rows there are (see [`micro`]), so its
//! blocks may be cut anywhere. The sums over rows of the second are cut by shapes alone; only the
//! rows of a large result, which do not touch each other, are shared out by the number of threads.
//! Cost of every product: 2·m·n·k operations.

use rayon::prelude::*;

use super::micro::{self, Left, Plus, ROWS, Right, Shape, Unit};
use crate::matrix::{Matrix, Pool};
use crate::scalar::Scalar;

/// Rows summed in one chain of a weight gradient; their panel of 16 KiB fits the first cache.
const DEPTH: usize = 256;
/// Panels of a weight gradient packed at a time: as many as the widest tile takes.
const GROUP: usize = 4;

/// A matrix k×n given by strides: element (p, j) at `p·rs + j·cs`.
#[derive(Clone, Copy)]
pub(crate) struct View<'a, T> {
    pub(crate) data: &'a [T],
    pub(crate) rs: usize,
    pub(crate) cs: usize,
}

/// A right factor k×n in panels.
pub(crate) struct Packed<T> {
    panels: Matrix<T>,
    k: usize,
    n: usize,
}

impl<T: Scalar> Packed<T> {
    /// Copies the k×n matrix `b`.
    pub(crate) fn new(pool: &Pool<T>, (k, n): (usize, usize), b: View<'_, T>) -> Self {
        let mut panels = pool.take(n.div_ceil(T::PANEL).max(1), k * T::PANEL);
        let size = (k * T::PANEL).max(1);
        let fill = |(j, panel): (usize, &mut [T])| pack_panel(panel, (0, k), (j * T::PANEL, n), b);
        if k * n >= 64 * 1024 {
            panels.data_mut().par_chunks_mut(size).enumerate().for_each(fill);
        } else {
            panels.data_mut().chunks_mut(size).enumerate().for_each(fill);
        }
        Self { panels, k, n }
    }

    /// Multiplies column j by `factors[j]`.
    pub(crate) fn scale_columns(&mut self, factors: &[T]) {
        for (j, panel) in self.panels.data_mut().chunks_mut((self.k * T::PANEL).max(1)).enumerate()
        {
            let factors = &factors[(j * T::PANEL).min(self.n)..self.n];
            for row in panel.chunks_exact_mut(T::PANEL) {
                row.iter_mut().zip(factors).for_each(|(x, &f)| *x *= f);
            }
        }
    }

    /// out (rows×n) = [plus +] x (rows×k) · b, on the calling thread.
    pub(crate) fn times(&self, out: &mut [T], plus: Plus<'_, T>, x: &[T]) {
        self.times_then(out, plus, x, false);
    }

    /// The same, then ReLU if asked.
    pub(crate) fn times_then(&self, out: &mut [T], plus: Plus<'_, T>, x: &[T], relu: bool) {
        let (n, k) = (self.n, self.k);
        let shape = Shape { m: out.len() / n.max(1), n, k };
        let b = Right::Panels(self.panels.data());
        micro::block(shape, Left::rows(x, k), b, (out, n), (plus, relu), Unit::best());
    }

    pub(crate) fn recycle(self, pool: &Pool<T>) {
        pool.give(self.panels);
    }
}

/// Rows `first..first + depth` and the panel of columns at `at` (of `n`) of b; beyond n zeros.
fn pack_panel<T: Scalar>(
    panel: &mut [T],
    (first, depth): (usize, usize),
    (at, n): (usize, usize),
    b: View<'_, T>,
) {
    let cols = T::PANEL.min(n - at);
    if cols < T::PANEL {
        panel.fill(T::ZERO);
    }
    let b = View { data: &b.data[first * b.rs + at * b.cs..], ..b };
    if b.cs == 1 && cols == T::PANEL {
        for (p, row) in panel.chunks_exact_mut(T::PANEL).take(depth).enumerate() {
            row.copy_from_slice(&b.data[p * b.rs..p * b.rs + T::PANEL]);
            // The next panel will read what lies beside it.
            micro::prefetch_line(b.data, p * b.rs + 2 * T::PANEL - 1);
        }
        return;
    }
    for j in 0..cols {
        let column = &b.data[j * b.cs..];
        if b.rs == 1 {
            // A transposed matrix: its columns lie together.
            for (row, &x) in panel.chunks_exact_mut(T::PANEL).zip(&column[..depth]) {
                row[j] = x;
            }
        } else {
            for (p, row) in panel.chunks_exact_mut(T::PANEL).take(depth).enumerate() {
                row[j] = column[p * b.rs];
            }
        }
    }
}

/// Rows `first..first + depth` of x (rows of `width`) as tiles of a left factor: columns
/// `at..at + count` of x become its rows.
fn pack_left<T: Scalar>(
    tiles: &mut [T],
    (first, depth): (usize, usize),
    (at, count): (usize, usize),
    (x, width): (&[T], usize),
) {
    for (t, tile) in tiles.chunks_exact_mut((ROWS * depth).max(1)).enumerate() {
        let from = at + t * ROWS;
        let cols = ROWS.min((at + count).saturating_sub(from));
        for (p, to) in tile.chunks_exact_mut(ROWS).enumerate() {
            let row = &x[(first + p) * width + from..][..cols];
            if cols == ROWS {
                to.copy_from_slice(row);
            } else {
                to.fill(T::ZERO);
                to[..cols].copy_from_slice(row);
            }
        }
    }
}

/// Rows of a block: enough work to be worth a task, few enough that their part of the result
/// stays in the second cache, and an even number of equal blocks so that no thread waits for a
/// short tail.
pub(crate) fn block_rows(rows: usize, n: usize, k: usize) -> usize {
    let wanted = (2 * 1024 * 1024 / (n * k).max(1)).clamp(8 * ROWS, 86 * ROWS);
    let blocks = rows.div_ceil(wanted).max(1);
    let blocks = if blocks > 1 { blocks.next_multiple_of(2) } else { 1 };
    rows.div_ceil(blocks).next_multiple_of(ROWS).max(ROWS)
}

/// dx (rows×k) = [dx +] dy (rows×o) · w[:, ..k], w stored o×`ws`; parallel over row blocks.
pub(crate) fn input_gradient<T: Scalar>(
    pool: &Pool<T>,
    (dx, k): (&mut [T], usize),
    add: bool,
    (dy, o): (&[T], usize),
    (w, ws): (&[T], usize),
) {
    if dx.is_empty() {
        return;
    }
    let w = Packed::new(pool, (o, k), View { data: w, rs: ws, cs: 1 });
    let block = block_rows(dx.len() / k, k, o);
    dx.par_chunks_mut(block * k).enumerate().for_each(|(i, dx)| {
        w.times(dx, Plus::destination_if(add), &dy[i * block * o..][..dx.len() / k * o]);
    });
    w.recycle(pool);
}

/// dst (m×n) = a (m×k) · b (k×n) for weights; a by rows, or by columns if `transposed`.
pub(crate) fn weight_product<T: Scalar>(
    pool: &Pool<T>,
    (m, n, k): (usize, usize, usize),
    dst: &mut [T],
    (a, lda, transposed): (&[T], usize, bool),
    b: View<'_, T>,
) {
    if dst.is_empty() {
        return;
    }
    let b = Packed::new(pool, (k, n), b);
    let block = block_rows(m, n, k);
    dst.par_chunks_mut(block * n).enumerate().for_each(|(i, dst)| {
        let (first, m) = (i * block, dst.len() / n);
        let left = match transposed {
            true => Left::columns(&a[first..], lda),
            false => Left::rows(&a[first * lda..], lda),
        };
        let (shape, right) = (Shape { m, n, k }, Right::Panels(b.panels.data()));
        micro::block(shape, left, right, (dst, n), (Plus::Nothing, false), Unit::best());
    });
    b.recycle(pool);
}

/// dw (o×k inside rows of `ws`) = [dw +] dyᵀ (o×rows) · x (rows×k).
pub(crate) fn weight_gradient<T: Scalar>(
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
        // A large result: bands of its own rows are the blocks.
        let bands = 2 * rayon::current_num_threads();
        let band = o.div_ceil(bands).next_multiple_of(ROWS).clamp(4 * ROWS, 32 * ROWS);
        dw.par_chunks_mut(band * ws).enumerate().for_each(|(i, dw)| {
            let of = (i * band, band.min(o - i * band));
            sum_rows(pool, (dw, ws), add, (0, rows), of, (dy, o), (x, k));
        });
        return;
    }
    let block =
        (256 * 1024 / (o + k)).clamp(256, 4096).min(rows.div_ceil(4).max(64)).next_multiple_of(8);
    let blocks = rows.div_ceil(block).max(1);
    if blocks == 1 {
        return sum_rows(pool, (dw, ws), add, (0, rows), (0, o), (dy, o), (x, k));
    }
    let mut parts = pool.take(blocks, o * k);
    parts.data_mut().par_chunks_mut(o * k).enumerate().for_each(|(i, part)| {
        let of = (i * block, block.min(rows - i * block));
        sum_rows(pool, (part, k), false, of, (0, o), (dy, o), (x, k));
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

/// dw (count×k) = [dw +] Σ over rows `first..first + len` of dy[row, at..at + count]ᵀ · x[row], on
/// the calling thread, in chains of [`DEPTH`] rows.
fn sum_rows<T: Scalar>(
    pool: &Pool<T>,
    (dw, ws): (&mut [T], usize),
    add: bool,
    (first, len): (usize, usize),
    (at, count): (usize, usize),
    (dy, o): (&[T], usize),
    (x, k): (&[T], usize),
) {
    if len == 0 && !add {
        dw.chunks_mut(ws).take(count).for_each(|row| row[..k].fill(T::ZERO));
    }
    // Vectors as wide as a panel read the factors where they are; others share a panel's lines out
    // over too many sets of the first cache.
    let in_place = Unit::best() == Unit::Avx512 && k.is_multiple_of(T::PANEL);
    let copies = if in_place { 0 } else { DEPTH };
    let mut tiles = pool.take(count.div_ceil(ROWS), ROWS * copies);
    let mut panels = pool.take(copies, GROUP * T::PANEL);
    let from = View { data: x, rs: k, cs: 1 };
    for start in (0..len).step_by(DEPTH) {
        let (row, depth) = (first + start, DEPTH.min(len - start));
        let plus = Plus::destination_if(add || start > 0);
        if in_place {
            let (shape, left) = (Shape { m: count, n: k, k: depth }, &dy[row * o + at..]);
            let (left, right) = (Left::columns(left, o), Right::Rows(&x[row * k..], k));
            micro::block(shape, left, right, (dw, ws), (plus, false), Unit::best());
            continue;
        }
        let tiles = &mut tiles.data_mut()[..count.div_ceil(ROWS) * ROWS * depth];
        pack_left(tiles, (row, depth), (at, count), (dy, o));
        for j in (0..k).step_by(GROUP * T::PANEL) {
            let n = (GROUP * T::PANEL).min(k - j);
            let each = panels.data_mut().chunks_exact_mut(depth * T::PANEL);
            for (p, panel) in each.take(n.div_ceil(T::PANEL)).enumerate() {
                pack_panel(panel, (row, depth), (j + p * T::PANEL, k), from);
            }
            let right = Right::Panels(panels.data());
            let shape = Shape { m: count, n, k: depth };
            let (left, to) = (Left::packed(tiles, depth), (&mut dw[j..], ws));
            micro::block(shape, left, right, to, (plus, false), Unit::best());
        }
    }
    pool.give(tiles);
    pool.give(panels);
}

#[cfg(test)]
mod tests {
    use super::super::micro::Micro;
    use super::*;

    fn numbers<T: Scalar>(n: usize, seed: u64) -> Vec<T> {
        (0..n as u64).map(|i| T::from_f64(gsn_core::random::uniform(seed, i) - 0.5)).collect()
    }

    /// All products against three nested loops, with strides, for shapes that take every branch
    /// (one block, several blocks, large result, cut tiles and panels).
    fn products_equal_the_definition<T: Scalar>(tolerance: f64) {
        let pool = Pool::new();
        for &(rows, o, k, ws) in &[
            (1, 1, 1, 1),
            (5, 3, 2, 4),
            (700, 7, 9, 20),
            (900, 64, 70, 70),
            (50, 200, 190, 191),
            (13, 400, 256, 300),
            (600, 20, 32, 40),
            (0, 3, 2, 2),
        ] {
            let [x, w, y]: [Vec<T>; 3] =
                [numbers(rows * k, 1), numbers(o * ws, 2), numbers(rows * o, 3)];
            let mut out = y.clone();
            let wt = Packed::new(&pool, (k, o), View { data: &w, rs: 1, cs: ws });
            wt.times(&mut out, Plus::Destination, &x);
            let mut dx: Vec<T> = numbers(rows * k, 4);
            let dx0 = dx.clone();
            input_gradient(&pool, (&mut dx, k), true, (&y, o), (&w, ws));
            let mut dw = w.clone();
            weight_gradient(&pool, (&mut dw, ws), true, (&y, o), (&x, k));
            let mut fresh = w.clone();
            weight_gradient(&pool, (&mut fresh, ws), false, (&y, o), (&x, k));
            let close = |a: T, b: f64| assert!((a.to_f64() - b).abs() < tolerance, "{a:?} {b}");
            let dot = |n: usize, f: &dyn Fn(usize) -> (T, T)| -> f64 {
                (0..n).map(|i| f(i).0.to_f64() * f(i).1.to_f64()).sum()
            };
            for r in 0..rows {
                for j in 0..o {
                    let s = dot(k, &|i| (x[r * k + i], w[j * ws + i]));
                    close(out[r * o + j], y[r * o + j].to_f64() + s);
                }
                for i in 0..k {
                    let s = dot(o, &|j| (y[r * o + j], w[j * ws + i]));
                    close(dx[r * k + i], dx0[r * k + i].to_f64() + s);
                }
            }
            for j in 0..o {
                for i in 0..ws {
                    let old = w[j * ws + i].to_f64();
                    let s = dot(rows, &|r| (y[r * o + j], x[r * k + i.min(k - 1)]));
                    close(dw[j * ws + i], if i < k { old + s } else { old });
                    close(fresh[j * ws + i], if i < k { s } else { old });
                }
            }
            // y is rows×o: yᵀ·y and w·wᵀ.
            let mut square = vec![T::ZERO; o * o];
            let b = View { data: &y, rs: o, cs: 1 };
            weight_product(&pool, (o, o, rows), &mut square, (&y, o, true), b);
            let mut gram = vec![T::ZERO; o * o];
            let b = View { data: &w, rs: 1, cs: ws };
            weight_product(&pool, (o, o, k), &mut gram, (&w, ws, false), b);
            for i in 0..o {
                for j in 0..o {
                    close(square[i * o + j], dot(rows, &|r| (y[r * o + i], y[r * o + j])));
                    close(gram[i * o + j], dot(k, &|p| (w[i * ws + p], w[j * ws + p])));
                }
            }
        }
    }

    #[test]
    fn products_equal_the_definition_in_both_precisions() {
        products_equal_the_definition::<f64>(1e-11);
        products_equal_the_definition::<f32>(1e-3);
    }

    /// A row of a product has the same bits alone, anywhere in a block and beside other columns.
    fn a_row_stands_alone<T: Scalar>() {
        let pool = Pool::new();
        for &(k, n) in &[(1, 1), (3, 40), (64, 64), (129, 17), (600, 30)] {
            let (x, w): (Vec<T>, Vec<T>) = (numbers(23 * k, 1), numbers(n * k, 2));
            let wt = Packed::new(&pool, (k, n), View { data: &w, rs: 1, cs: k });
            let mut all = vec![T::ONE; 23 * n];
            wt.times(&mut all, Plus::Destination, &x);
            for r in 0..23 {
                for count in 1..=23 - r {
                    let mut some = vec![T::ONE; count * n];
                    wt.times(&mut some, Plus::Destination, &x[r * k..(r + count) * k]);
                    assert!(some == all[r * n..(r + count) * n], "{k} {n} {r} {count}");
                }
            }
            let one = Packed::new(&pool, (k, 1), View { data: &w[(n - 1) * k..], rs: 1, cs: k });
            let mut last = vec![T::ONE; 23];
            one.times(&mut last, Plus::Destination, &x);
            assert!((0..23).all(|r| last[r] == all[r * n + n - 1]));
        }
    }

    #[test]
    fn scaled_columns_scale_the_product() {
        let (k, n, pool) = (5, 19, Pool::new());
        let (x, w): (Vec<f64>, Vec<f64>) = (numbers(3 * k, 1), numbers(n * k, 2));
        let by: Vec<f64> = (0..n).map(|j| 2f64.powi(j as i32 - 9)).collect();
        let mut wt = Packed::new(&pool, (k, n), View { data: &w, rs: 1, cs: k });
        let mut product = || {
            let mut out = vec![0.0; 3 * n];
            wt.times(&mut out, Plus::Nothing, &x);
            wt.scale_columns(&by);
            out
        };
        let (plain, scaled) = (product(), product());
        assert!((0..3 * n).all(|i| scaled[i] == plain[i] * by[i % n]));
    }

    #[test]
    fn a_row_has_the_same_bits_in_any_company() {
        a_row_stands_alone::<f32>();
        a_row_stands_alone::<f64>();
    }

    /// The tiles for machines without AVX2 and FMA find the same bits.
    fn plain_tiles_agree<T: Scalar>() {
        for &(m, n, k) in &[
            (1usize, 5usize, 3usize),
            (6, 16, 20),
            (17, 37, 50),
            (9, 64, 11),
            (8, 83, 7),
            (4, 8, 0),
        ] {
            let a: Vec<T> = numbers(m * k, 1);
            let b: Vec<T> = numbers(n.next_multiple_of(T::PANEL) * k, 2);
            let (shape, row) = (Shape { m, n, k }, vec![T::ONE; n]);
            let product = |plus: Plus<'_, T>, relu: bool, unit: Unit| {
                let (mut c, b) = (vec![T::ONE; m * n], Right::Panels(&b));
                micro::block(shape, Left::rows(&a, k), b, (&mut c, n), (plus, relu), unit);
                c
            };
            for unit in [Unit::Plain, Unit::Avx2, Unit::Avx512] {
                for plus in [Plus::Nothing, Plus::Destination, Plus::Row(&row)] {
                    let mut right = product(plus, false, Unit::Plain);
                    assert_eq!(product(plus, false, unit), right, "{m} {n} {k}");
                    right.iter_mut().filter(|x| **x < T::ZERO).for_each(|x| *x = T::ZERO);
                    assert_eq!(product(plus, true, unit), right, "{m} {n} {k}");
                }
                // The destination held the same ones.
                let [held, row] = [Plus::Destination, Plus::Row(&row)];
                assert_eq!(product(held, false, unit), product(row, false, unit));
            }
        }
    }

    #[test]
    fn plain_and_vector_tiles_agree() {
        plain_tiles_agree::<f32>();
        plain_tiles_agree::<f64>();
        assert_eq!((f32::PANEL, f64::PANEL), (16, 8));
    }

    /// On numbers of every size, on those that nearly cancel, and on those that are none.
    #[test]
    fn a_multiply_add_is_rounded_once_without_the_instruction() {
        let mut state = 1u64;
        let mut bits = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 32) as u32
        };
        let same = |x: f32, y: f32, z: f32| {
            let (ours, right) = (micro::fused(x, y, z), x.mul_add(y, z));
            let same = ours.to_bits() == right.to_bits() || (ours.is_nan() && right.is_nan());
            assert!(same, "{x:e} · {y:e} + {z:e} = {right:e}, not {ours:e}");
        };
        for _ in 0..200_000 {
            let [x, y, z] = [bits(), bits(), bits()].map(f32::from_bits);
            same(x, y, z);
            // Of like size, so that all bits of the product and of what is added matter.
            let near = |bits: u32| f32::from_bits((bits & 0x83ff_ffff) | 0x3c00_0000);
            let [x, y, z] = [bits(), bits(), bits()].map(near);
            same(x, y, z);
            same(x, y, -(x * y));
            // Halves of the last place of a sum, where two roundings go wrong.
            same(1.0 + f32::EPSILON, 1.0 - f32::EPSILON, z);
            same(x, f32::from_bits(bits() & 0x3fff_ffff), f32::from_bits(bits() & 0x0080_ffff));
        }
        for wild in
            [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN_POSITIVE, -0.0, 0.0]
        {
            for (x, y) in [(1.0, wild), (wild, wild), (wild, -1.0)] {
                same(x, y, wild);
                same(x, y, -wild);
                same(x, y, 1.0);
            }
        }
    }
}
