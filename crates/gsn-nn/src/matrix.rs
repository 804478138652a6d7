//! Dense row-major matrices and the pool their memory comes from.
//!
//! A training step needs the same buffer sizes again and again, and fresh pages cost more than the
//! arithmetic done on them. So a buffer keeps its full length for life, is handed out by size
//! class, and comes back when the tape that used it is dropped or earlier. A buffer from the pool
//! holds old numbers: all of it must be overwritten.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::scalar::Scalar;

/// A dense row-major matrix.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matrix<T> {
    rows: usize,
    cols: usize,
    /// At least `rows * cols` long; what lies beyond is never read.
    buf: Vec<T>,
}

impl<T: Scalar> Matrix<T> {
    /// All zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { rows, cols, buf: vec![T::ZERO; rows * cols] }
    }

    /// From row-major data, if there are exactly `rows * cols` numbers.
    ///
    /// ```
    /// use gsn_nn::Matrix;
    /// let m = Matrix::from_vec(2, 2, vec![1.0f32, 2.0, 3.0, 4.0]).unwrap();
    /// assert_eq!(m.row(1), &[3.0, 4.0]);
    /// assert!(Matrix::from_vec(2, 2, vec![1.0f32]).is_none());
    /// ```
    pub fn from_vec(rows: usize, cols: usize, data: Vec<T>) -> Option<Self> {
        (data.len() == rows * cols).then_some(Self { rows, cols, buf: data })
    }

    /// A shape without numbers, for a value whose memory went back early.
    pub(crate) fn shape_only(rows: usize, cols: usize) -> Self {
        Self { rows, cols, buf: Vec::new() }
    }

    /// Number of rows.
    #[inline(always)]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[inline(always)]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// All numbers, row after row.
    #[inline(always)]
    pub fn data(&self) -> &[T] {
        &self.buf[..self.rows * self.cols]
    }

    /// All numbers, row after row, to be changed.
    #[inline(always)]
    pub fn data_mut(&mut self) -> &mut [T] {
        &mut self.buf[..self.rows * self.cols]
    }

    /// One row.
    #[inline(always)]
    pub fn row(&self, r: usize) -> &[T] {
        &self.buf[r * self.cols..(r + 1) * self.cols]
    }
}

/// Buffers waiting to be used again. Shared by all tapes of a training run.
#[derive(Debug, Default)]
pub struct Pool<T> {
    free: Mutex<BTreeMap<usize, Vec<Vec<T>>>>,
}

impl<T: Scalar> Pool<T> {
    /// An empty pool.
    pub fn new() -> Self {
        Self { free: Mutex::new(BTreeMap::new()) }
    }

    /// A matrix with unspecified contents.
    pub(crate) fn take(&self, rows: usize, cols: usize) -> Matrix<T> {
        let len = rows * cols;
        let class = size_class(len);
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let found = free.get_mut(&class).and_then(Vec::pop);
        drop(free);
        let buf = found.unwrap_or_else(|| vec![T::ZERO; class]);
        Matrix { rows, cols, buf }
    }

    /// A matrix of zeros.
    pub(crate) fn take_zeroed(&self, rows: usize, cols: usize) -> Matrix<T> {
        let mut m = self.take(rows, cols);
        m.data_mut().fill(T::ZERO);
        m
    }

    /// A copy of `of`.
    pub(crate) fn take_copy(&self, of: &Matrix<T>) -> Matrix<T> {
        let mut m = self.take(of.rows, of.cols);
        m.data_mut().copy_from_slice(of.data());
        m
    }

    /// Hands a matrix back.
    pub(crate) fn give(&self, m: Matrix<T>) {
        let class = m.buf.len();
        if class == 0 || size_class(class) != class {
            return; // made outside the pool
        }
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.entry(class).or_default().push(m.buf);
    }
}

/// Rounds up to one of four sizes per power of two, so that batches of varying size share buffers.
fn size_class(len: usize) -> usize {
    if len <= 64 {
        return if len == 0 { 0 } else { 64 };
    }
    let step = (len.next_power_of_two() / 8).max(1);
    len.div_ceil(step) * step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_classes_are_fixed_points_and_waste_little() {
        for len in 1..5000 {
            let c = size_class(len);
            assert!(c >= len && size_class(c) == c, "{len} -> {c}");
            assert!(len <= 64 || c * 4 <= len * 5 + 16, "{len} -> {c}");
        }
    }

    #[test]
    fn buffers_come_back() {
        let pool = Pool::<f32>::new();
        let a = pool.take(100, 7);
        let at = a.buf.as_ptr();
        pool.give(a);
        assert_eq!(pool.take(99, 7).buf.as_ptr(), at);
    }
}
