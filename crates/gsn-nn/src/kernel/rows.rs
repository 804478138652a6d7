//! Passes over rows of numbers: column sums, BatchNorm statistics, scattering rows into tables.

use crate::kernel::{chunk_rows, for_chunks, map_chunks};
use crate::matrix::{Matrix, Pool};
use crate::scalar::Scalar;

/// a += b
#[inline(always)]
pub(crate) fn add<T: Scalar>(a: &mut [T], b: &[T]) {
    for (x, &y) in a.iter_mut().zip(b) {
        *x += y;
    }
}

/// Columns whose sums [`add_rows`] keeps in registers.
const BLOCK: usize = 32;

/// a += Σ rows, in the order of the rows. A block of columns goes through all rows before the next, so that
/// its sums stay in registers; row by row they would be loaded and stored again for every row.
#[inline(always)]
pub(crate) fn add_rows<'r, T: Scalar>(a: &mut [T], rows: impl Iterator<Item = &'r [T]> + Clone) {
    let mut blocks = a.chunks_exact_mut(BLOCK);
    let mut first = 0;
    for block in &mut blocks {
        let mut sum = [T::ZERO; BLOCK];
        sum.copy_from_slice(block);
        for row in rows.clone() {
            add(&mut sum, &row[first..first + BLOCK]);
        }
        block.copy_from_slice(&sum);
        first += BLOCK;
    }
    let rest = blocks.into_remainder();
    if !rest.is_empty() {
        rows.for_each(|row| add(rest, &row[first..]));
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
            for r in range {
                let row = &data[r * cols..(r + 1) * cols];
                match weight {
                    Some(w) => add_scaled(&mut sum, w[r], row),
                    None => add(&mut sum, row),
                }
            }
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

/// Running sums of one chunk, shifted by its first row so that few digits cancel.
pub(crate) struct Shifted<T> {
    count: usize,
    shift: Vec<T>,
    sum: Vec<T>,
    square: Vec<T>,
}

impl<T: Scalar> Shifted<T> {
    #[inline(always)]
    pub(crate) fn new(cols: usize) -> Self {
        let zero = || vec![T::ZERO; cols];
        Self { count: 0, shift: zero(), sum: zero(), square: zero() }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, row: &[T]) {
        if self.count == 0 {
            self.shift.copy_from_slice(row);
        }
        self.count += 1;
        let n = row.len();
        let (shift, sum, square) = (&self.shift[..n], &mut self.sum[..n], &mut self.square[..n]);
        for i in 0..n {
            let d = row[i] - shift[i];
            sum[i] += d;
            square[i] += d * d;
        }
    }

    pub(crate) fn finish(mut self) -> Moments<T> {
        let n = T::from_f64(self.count.max(1) as f64);
        for i in 0..self.sum.len() {
            let d = self.sum[i] / n;
            let m2 = self.square[i] - d * self.sum[i];
            self.square[i] = if m2 > T::ZERO { m2 } else { T::ZERO };
            self.shift[i] += d;
        }
        Moments { count: self.count, mean: self.shift, m2: self.square }
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
            let mut s = Shifted::new(cols);
            for r in range {
                s.push(&data[r * cols..(r + 1) * cols]);
            }
            s.finish()
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
