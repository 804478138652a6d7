//! Passes over rows of numbers: column sums, BatchNorm statistics, scattering rows into tables.
//!
//! A pass that sums over rows takes few columns at a time ([`by_columns`]), so that its sums stay in
//! registers while the rows pass by. Every column meets its rows in the same order as ever, so this
//! changes no bit.

use crate::kernel::{chunk_rows, for_chunks, map_chunks};
use crate::matrix::{Matrix, Pool};
use crate::scalar::Scalar;

/// Runs an expression for columns `at..at + N`, sixteen at a time, then four, then one, until all
/// `width` are done: `by_columns!(width, |N, at| …)`.
macro_rules! by_columns {
    ($width:expr, |$n:ident, $at:ident| $run:expr) => {{
        let mut $at = 0;
        by_columns!($width, $n, $at, $run, 16);
        by_columns!($width, $n, $at, $run, 4);
        by_columns!($width, $n, $at, $run, 1);
    }};
    ($width:expr, $n:ident, $at:ident, $run:expr, $columns:literal) => {{
        const $n: usize = $columns;
        while $at + $n <= $width {
            $run;
            $at += $n;
        }
    }};
}
pub(crate) use by_columns;

/// Numbers `at..at + N`.
#[inline(always)]
pub(crate) fn part<T, const N: usize>(data: &[T], at: usize) -> &[T; N] {
    data[at..].first_chunk().expect("columns within their row")
}

/// Numbers `at..at + N`, to be changed.
#[inline(always)]
pub(crate) fn part_mut<T, const N: usize>(data: &mut [T], at: usize) -> &mut [T; N] {
    data[at..].first_chunk_mut().expect("columns within their row")
}

/// a += b
#[inline(always)]
pub(crate) fn add<T: Scalar>(a: &mut [T], b: &[T]) {
    for (x, &y) in a.iter_mut().zip(b) {
        *x += y;
    }
}

/// a += s·b
#[inline(always)]
pub(crate) fn add_scaled<T: Scalar>(a: &mut [T], s: T, b: &[T]) {
    for (x, &y) in a.iter_mut().zip(b) {
        *x += s * y;
    }
}

/// Adds matrices of equal shape in parallel.
pub(crate) fn add_all<T: Scalar>(a: &mut Matrix<T>, b: &Matrix<T>) {
    for_chunks(
        a,
        #[inline(always)]
        |first, a| add(a, &b.data()[first * b.cols()..][..a.len()]),
    );
}

/// Adds up rows of partial answers in their order.
pub(crate) fn fold<T: Scalar>(parts: Vec<Vec<T>>, len: usize) -> Vec<T> {
    let mut parts = parts.into_iter();
    let mut sum = parts.next().unwrap_or_else(|| vec![T::ZERO; len]);
    for p in parts {
        add(&mut sum, &p);
    }
    sum
}

/// Sum of each column, every row multiplied by `weight` if given.
pub(crate) fn column_sums<T: Scalar>(data: &[T], cols: usize, weight: Option<&[T]>) -> Vec<T> {
    if cols == 0 {
        return Vec::new();
    }
    let parts = map_chunks(
        data.len() / cols,
        4 * chunk_rows(cols),
        #[inline(always)]
        |range| {
            let mut sum = vec![T::ZERO; cols];
            by_columns!(cols, |N, at| {
                let sum = part_mut::<T, N>(&mut sum, at);
                for r in range.clone() {
                    let row = part::<T, N>(data, r * cols + at);
                    match weight {
                        Some(w) => add_scaled(sum, w[r], row),
                        None => add(sum, row),
                    }
                }
            });
            sum
        },
    );
    fold(parts, cols)
}

/// What one chunk of rows says about its columns: how many, their mean and Σ(x − mean)².
pub(crate) struct Moments<T> {
    pub(crate) count: usize,
    pub(crate) mean: Vec<T>,
    pub(crate) m2: Vec<T>,
}

impl<T: Scalar> Moments<T> {
    /// Of `count` rows, columns yet to be filled in.
    #[inline(always)]
    pub(crate) fn new(count: usize, cols: usize) -> Self {
        Self { count, mean: vec![T::ZERO; cols], m2: vec![T::ZERO; cols] }
    }
}

/// Running sums of N columns of one chunk, shifted by its first row so that few digits cancel.
pub(crate) struct Shifted<T, const N: usize> {
    empty: bool,
    shift: [T; N],
    sum: [T; N],
    square: [T; N],
}

impl<T: Scalar, const N: usize> Shifted<T, N> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        let zero = [T::ZERO; N];
        Self { empty: true, shift: zero, sum: zero, square: zero }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, row: &[T; N]) {
        if self.empty {
            (self.empty, self.shift) = (false, *row);
        }
        for i in 0..N {
            let d = row[i] - self.shift[i];
            self.sum[i] += d;
            self.square[i] += d * d;
        }
    }

    /// Fills in columns `at..at + N`.
    #[inline(always)]
    pub(crate) fn finish(self, of: &mut Moments<T>, at: usize) {
        let n = T::from_f64(of.count.max(1) as f64);
        let (mean, m2) = (part_mut::<T, N>(&mut of.mean, at), part_mut::<T, N>(&mut of.m2, at));
        for i in 0..N {
            let d = self.sum[i] / n;
            let rest = self.square[i] - d * self.sum[i];
            m2[i] = if rest > T::ZERO { rest } else { T::ZERO };
            mean[i] = self.shift[i] + d;
        }
    }
}

/// Joins the chunks' moments in order (Chan, Golub, LeVeque 1979), in f64.
/// Returns the number of rows, the means and the biased variances.
pub(crate) fn join_moments<T: Scalar>(
    parts: &[Moments<T>],
    cols: usize,
) -> (usize, Vec<f64>, Vec<f64>) {
    let (mut count, mut mean, mut m2) = (0usize, vec![0.0; cols], vec![0.0; cols]);
    for p in parts.iter().filter(|p| p.count > 0) {
        let total = (count + p.count) as f64;
        let (share, cross) = (p.count as f64 / total, count as f64 * p.count as f64 / total);
        for i in 0..cols {
            let d = p.mean[i].to_f64() - mean[i];
            mean[i] += d * share;
            m2[i] += p.m2[i].to_f64() + d * d * cross;
        }
        count += p.count;
    }
    if count > 0 {
        m2.iter_mut().for_each(|v| *v /= count as f64);
    }
    (count, mean, m2)
}

/// Mean and biased variance of every column.
pub(crate) fn moments<T: Scalar>(data: &[T], cols: usize) -> (usize, Vec<f64>, Vec<f64>) {
    if cols == 0 {
        return (0, Vec::new(), Vec::new());
    }
    let parts = map_chunks(
        data.len() / cols,
        chunk_rows(cols),
        #[inline(always)]
        |range| {
            let mut moments = Moments::new(range.len(), cols);
            by_columns!(cols, |N, at| {
                let mut s = Shifted::<T, N>::new();
                for r in range.clone() {
                    s.push(part(data, r * cols + at));
                }
                s.finish(&mut moments, at);
            });
            moments
        },
    );
    join_moments(&parts, cols)
}

/// table[index(i)] += row(i) for `count` rows; the table has `size` rows of `cols` numbers.
///
/// Chunks fill tables of their own that are added in order; the larger the table, the fewer.
pub(crate) fn scatter<'r, T: Scalar>(
    pool: &Pool<T>,
    size: usize,
    cols: usize,
    count: usize,
    index: impl Fn(usize) -> usize + Sync,
    row: impl Fn(usize) -> &'r [T] + Sync,
) -> Matrix<T> {
    let groups = (count / (2 * size).max(256)).clamp(1, 8);
    let parts = map_chunks(
        count,
        count.div_ceil(groups).max(1),
        #[inline(always)]
        |range| {
            let mut table = pool.take_zeroed(size, cols);
            let data = table.data_mut();
            for i in range {
                let at = index(i) * cols;
                add(&mut data[at..at + cols], row(i));
            }
            table
        },
    );
    let mut parts = parts.into_iter();
    let mut sum = parts.next().unwrap_or_else(|| pool.take_zeroed(size, cols));
    for p in parts {
        add(sum.data_mut(), p.data());
        pool.give(p);
    }
    sum
}
