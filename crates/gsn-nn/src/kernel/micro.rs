//! The innermost loop of every matrix product: tiles of up to six rows and one panel of columns.
//!
//! c (m×n) = [d +] a (m×k) · b, with b packed into panels of [`Micro::PANEL`] columns, and d
//! nothing, what c held before, or one row for all rows of c; a ReLU may follow. An entry is one chain of
//! multiply-adds over k in order, started at zero; d is added last. So an entry depends on its row of a, its
//! column of b and its d alone: not on the number of rows, not on the place of the row in a block,
//! not on threads, and not on the processor: a multiply-add rounds once everywhere ([`fused`]).
//! Cost: 2·m·n·k operations; six rows × two vectors keep twelve accumulators and both FMA units of
//! an AVX2 core busy, six rows × four vectors those of an AVX-512 core.
//!
//! This is the only module of the crate with `unsafe`; the loops themselves stand in `tile`. Its
//! invariants: [`block`] checks the extents of all slices against the strides before the tiles get
//! their pointers; the destination is borrowed mutably and so overlaps no factor; code compiled for
//! AVX2 and FMA or for AVX-512 is called only after [`Unit::best`] found them.
#![allow(unsafe_code)]

mod tile;

/// Rows of a tile.
pub(crate) const ROWS: usize = 6;

/// What the processor computes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(unreachable_pub)]
pub enum Unit {
    /// Single numbers, on any machine.
    Plain,
    /// Vectors of 32 bytes and multiply-adds.
    Avx2,
    /// Vectors of 64 bytes.
    Avx512,
}

impl Unit {
    /// The widest one this machine has.
    #[inline]
    pub(crate) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if has_avx2_fma() {
            return if is_x86_feature_detected!("avx512f") { Self::Avx512 } else { Self::Avx2 };
        }
        Self::Plain
    }
}

/// The left factor m×k: element (i, p) at `i·rs + p·ks`, tiles of [`ROWS`] rows `step` apart.
#[derive(Clone, Copy)]
pub(crate) struct Left<'a, T> {
    data: &'a [T],
    rs: usize,
    ks: usize,
    /// `ROWS·rs` unless packed.
    step: usize,
}

impl<'a, T> Left<'a, T> {
    /// Rows `rs` numbers apart.
    pub(crate) fn rows(data: &'a [T], rs: usize) -> Self {
        Self { data, rs, ks: 1, step: ROWS * rs }
    }

    /// Columns `ks` numbers apart.
    pub(crate) fn columns(data: &'a [T], ks: usize) -> Self {
        Self { data, rs: 1, ks, step: ROWS }
    }

    /// Tiles of [`ROWS`] rows and k columns, each column of a tile together, the last tile filled up.
    pub(crate) fn packed(data: &'a [T], k: usize) -> Self {
        Self { data, rs: 1, ks: ROWS, step: ROWS * k }
    }
}

/// The right factor k×n.
#[derive(Clone, Copy)]
pub(crate) enum Right<'a, T> {
    /// ⌈n / PANEL⌉ panels of k rows, one after the other, the last one filled up.
    Panels(&'a [T]),
    /// Rows so many numbers apart; n must be a multiple of PANEL.
    Rows(&'a [T], usize),
}

/// Sizes of a block.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) k: usize,
}

/// What the product is added to.
#[derive(Clone, Copy)]
pub(crate) enum Plus<'a, T> {
    Nothing,
    /// What the destination holds already.
    Destination,
    /// One row, the same for all rows of the product.
    Row(&'a [T]),
}

impl<T> Plus<'_, T> {
    /// The destination if `add`, else nothing.
    pub(crate) fn destination_if(add: bool) -> Self {
        if add { Self::Destination } else { Self::Nothing }
    }
}

/// Pointers of one block, checked by [`block`].
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, unreachable_pub)]
pub struct Raw<T> {
    a: *const T,
    rs: usize,
    ks: usize,
    step: usize,
    /// Rows of a panel `bs` apart, panels `ps`.
    b: *const T,
    bs: usize,
    ps: usize,
    c: *mut T,
    ldc: usize,
    /// What is added, its rows `ldd` apart; nothing if null.
    d: *const T,
    ldd: usize,
    /// Negative entries become zero.
    relu: bool,
}

impl<T: Copy + Default + PartialOrd + std::ops::Add<Output = T>> Raw<T> {
    /// All rows from column `j` on, which begins a panel of `panel` columns.
    ///
    /// # Safety
    /// The column must lie in the destination.
    #[inline(always)]
    unsafe fn strip(self, j: usize, panel: usize) -> Self {
        let d = if self.d.is_null() { self.d } else { self.d.wrapping_add(j) };
        // SAFETY: the caller vouches for the column.
        let (b, c) = unsafe { (self.b.add(j / panel * self.ps), self.c.add(j)) };
        Self { b, c, d, ..self }
    }

    /// The rows from `i` on, a multiple of [`ROWS`].
    ///
    /// # Safety
    /// The row must lie in the destination.
    #[inline(always)]
    unsafe fn tile(self, i: usize) -> Self {
        let d = if self.d.is_null() { self.d } else { self.d.wrapping_add(i * self.ldd) };
        // SAFETY: the caller vouches for the row.
        let c = unsafe { self.c.add(i * self.ldc) };
        Self { a: self.a.wrapping_add(i / ROWS * self.step), c, d, ..self }
    }

    /// Asks for the rows of a below this tile, of which there are `left`.
    #[inline(always)]
    fn prefetch_below(self, left: usize, k: usize) {
        prefetch(self.a.wrapping_add(ROWS * self.rs), ROWS.min(left), self.rs, k);
    }

    /// Stores one entry of the product, added to what it is to be added to.
    ///
    /// # Safety
    /// The entry must lie in the destination, and in what is added.
    #[inline(always)]
    unsafe fn store(self, row: usize, column: usize, sum: T) {
        // SAFETY: the caller vouches for the place.
        unsafe {
            let y = match self.d.is_null() {
                true => sum,
                false => *self.d.add(row * self.ldd + column) + sum,
            };
            let cut = self.relu & (y < T::default());
            *self.c.add(row * self.ldc + column) = if cut { T::default() } else { y };
        }
    }
}

/// A number type with tiles of its own.
#[allow(unreachable_pub)]
pub trait Micro: Sized + Copy {
    /// Columns of a panel: two vectors of AVX2, one of AVX-512.
    const PANEL: usize;

    /// All tiles of a block.
    ///
    /// # Safety
    /// The extents must fit the pointers (see [`block`]); `unit` may not exceed [`Unit::best`].
    unsafe fn tiles(unit: Unit, size: (usize, usize, usize), raw: Raw<Self>);
}

/// c (rows `ldc` apart) = [plus +] a · b, then ReLU if asked, by `unit` or the widest one below it that the machine has.
pub(crate) fn block<T: Micro>(
    s: Shape,
    a: Left<'_, T>,
    b: Right<'_, T>,
    (c, ldc): (&mut [T], usize),
    (plus, relu): (Plus<'_, T>, bool),
    unit: Unit,
) {
    let Shape { m, n, k } = s;
    if m == 0 || n == 0 {
        return;
    }
    assert!(n <= ldc && (m - 1) * ldc + n <= c.len());
    let Left { data, rs, ks, step } = a;
    let (tiles, last) = ((m - 1) / ROWS, (m - 1) % ROWS);
    assert!(k == 0 || tiles * step + last * rs + (k - 1) * ks < data.len());
    let (b, bs, ps, length) = match b {
        Right::Panels(b) => (b, T::PANEL, k * T::PANEL, n.div_ceil(T::PANEL) * T::PANEL * k),
        Right::Rows(b, bs) => {
            assert!(n.is_multiple_of(T::PANEL));
            (b, bs, T::PANEL, if k == 0 { 0 } else { (k - 1) * bs + n })
        }
    };
    assert!(length <= b.len());
    let (b, c) = (b.as_ptr(), c.as_mut_ptr());
    let (d, ldd) = match plus {
        Plus::Nothing => (std::ptr::null(), 0),
        Plus::Destination => (c.cast_const(), ldc),
        Plus::Row(row) => {
            assert!(n <= row.len());
            (row.as_ptr(), 0)
        }
    };
    let raw = Raw { a: data.as_ptr(), rs, ks, step, b, bs, ps, c, ldc, d, ldd, relu };
    // SAFETY: the extents were checked against the slices just above, and the unit is one that the
    // machine has.
    unsafe { T::tiles(unit.min(Unit::best()), (m, n, k), raw) }
}

/// Does this machine have the instructions [`vectorised`] is compiled for? The standard library asks
/// the processor once and keeps the answer.
#[inline]
fn has_avx2_fma() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Runs `f` compiled for AVX2 where the processor has it. The closure must be written
/// `#[inline(always)] || …`: only what is inlined here is compiled for the wider unit. Vectors
/// change no bit of a loop: the compiler neither reorders sums nor fuses multiply-adds.
#[inline(always)]
pub(crate) fn vectorised<R>(f: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        fn compiled_for_avx2<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
        if has_avx2_fma() {
            // SAFETY: `has_avx2_fma` found every feature the function is compiled for.
            return unsafe { compiled_for_avx2(f) };
        }
    }
    f()
}

/// Asks for the cache line of `data[at]` (or beyond its end) ahead of its use.
#[inline]
pub(crate) fn prefetch_line<T>(data: &[T], at: usize) {
    prefetch(data.as_ptr().wrapping_add(at), 1, 0, 1);
}

/// Asks for `rows` rows of `k` numbers, `rs` apart, ahead of their use.
#[inline]
fn prefetch<T>(from: *const T, rows: usize, rs: usize, k: usize) {
    #[cfg(target_arch = "x86_64")]
    for r in 0..rows {
        for p in (0..k).step_by(64 / size_of::<T>()) {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a prefetch reads nothing, so any address will do; SSE is always there.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(from.wrapping_add(r * rs + p).cast()) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (from, rows, rs, k);
}

/// x·y + z, rounded once, also where the processor has no instruction for it and the library's call
/// would be slow. The product of two `f32` is exact in `f64`. Their sum is rounded there to a number
/// whose last bit is one unless it is exact, so that the second rounding errs as a single one would.
#[inline(always)]
pub(super) fn fused(x: f32, y: f32, z: f32) -> f32 {
    if cfg!(any(target_arch = "aarch64", target_feature = "fma")) {
        return x.mul_add(y, z);
    }
    let (product, z) = (f64::from(x) * f64::from(y), f64::from(z));
    let sum = product + z;
    let part = sum - product;
    // What the sum lost; no number at all where it is not finite.
    let lost = (product - (sum - part)) + (z - part);
    let bits = sum.to_bits();
    let step = if (lost > 0.0) == (sum > 0.0) { 1 } else { u64::MAX };
    let is_even = bits & 1 == 0;
    let odd = if is_even & (lost.abs() > 0.0) { bits.wrapping_add(step) } else { bits };
    f64::from_bits(odd) as f32
}
