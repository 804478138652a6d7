//! The innermost loop of every matrix product: tiles of up to six rows and one panel of columns.
//!
//! c (m×n) = [d +] a (m×k) · b, with b packed into panels of [`Micro::PANEL`] columns, and d
//! nothing, what c held before, or one row for all rows of c. An entry is one chain of multiply-adds
//! over k in order, started at zero; d is added last. So an entry depends on its row of a, its
//! column of b and its d alone: not on the number of rows, not on the place of the row in a block,
//! not on threads, and not on the processor: a multiply-add rounds once everywhere ([`fused`]).
//! Cost: 2·m·n·k operations; six rows × two vectors keep twelve accumulators and both FMA units of
//! an AVX2 core busy.
//!
//! This is the only module of the crate with `unsafe`. Its invariants: [`block`] checks the extents
//! of all slices against the strides before the tiles get their pointers; the destination is
//! borrowed mutably and so overlaps no factor; code compiled for AVX2 and FMA is called only after
//! [`has_avx2_fma`] found them.
#![allow(unsafe_code)]

/// Rows of a tile.
pub(crate) const ROWS: usize = 6;
/// The largest tile of any number type.
const TILE: usize = ROWS * 16;

/// The left factor m×k: rows `rs` apart, or packed tile after tile, each column of a tile together.
#[derive(Clone, Copy)]
pub(crate) struct Left<'a, T> {
    data: &'a [T],
    rs: usize,
    packed: bool,
}

impl<'a, T> Left<'a, T> {
    /// Rows `rs` numbers apart.
    pub(crate) fn rows(data: &'a [T], rs: usize) -> Self {
        Self { data, rs, packed: false }
    }

    /// Tiles of [`ROWS`] rows, the last one filled up.
    pub(crate) fn packed(data: &'a [T]) -> Self {
        Self { data, rs: 1, packed: true }
    }
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
    packed: bool,
    b: *const T,
    c: *mut T,
    ldc: usize,
    /// What is added, its rows `ldd` apart; nothing if null.
    d: *const T,
    ldd: usize,
}

impl<T: Copy + std::ops::Add<Output = T>> Raw<T> {
    /// Stores one entry of the product, added to what it is to be added to.
    ///
    /// # Safety
    /// The entry must lie in the destination, and in what is added.
    #[inline(always)]
    unsafe fn store(self, row: usize, column: usize, sum: T) {
        // SAFETY: the caller vouches for the place.
        unsafe {
            *self.c.add(row * self.ldc + column) = match self.d.is_null() {
                true => sum,
                false => *self.d.add(row * self.ldd + column) + sum,
            };
        }
    }
}

/// A number type with tiles of its own.
#[allow(unreachable_pub)]
pub trait Micro: Sized + Copy {
    /// Columns of a panel: two vectors of AVX2.
    const PANEL: usize;

    /// All tiles of a block.
    ///
    /// # Safety
    /// The extents must fit the pointers (see [`block`]); `wide` only where [`has_avx2_fma`] says so.
    unsafe fn tiles(wide: bool, size: (usize, usize, usize), raw: Raw<Self>);
}

/// c (rows `ldc` apart) = [plus +] a · b; b holds ⌈n / PANEL⌉ panels of k·PANEL numbers.
pub(crate) fn block<T: Micro>(
    s: Shape,
    a: Left<'_, T>,
    b: &[T],
    (c, ldc): (&mut [T], usize),
    plus: Plus<'_, T>,
    wide: bool,
) {
    let Shape { m, n, k } = s;
    if m == 0 || n == 0 {
        return;
    }
    assert!(n <= ldc && (m - 1) * ldc + n <= c.len());
    assert!(n.div_ceil(T::PANEL) * T::PANEL * k <= b.len());
    let length = if a.packed { m.next_multiple_of(ROWS) * k } else { (m - 1) * a.rs + k };
    assert!(k == 0 || length <= a.data.len());
    let Left { data, rs, packed } = a;
    let (b, c) = (b.as_ptr(), c.as_mut_ptr());
    let (d, ldd) = match plus {
        Plus::Nothing => (std::ptr::null(), 0),
        Plus::Destination => (c.cast_const(), ldc),
        Plus::Row(row) => {
            assert!(n <= row.len());
            (row.as_ptr(), 0)
        }
    };
    let raw = Raw { a: data.as_ptr(), rs, packed, b, c, ldc, d, ldd };
    // SAFETY: the extents were checked against the slices just above, and the first argument is
    // true only where `has_avx2_fma` said so.
    unsafe { T::tiles(wide && has_avx2_fma(), (m, n, k), raw) }
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

/// Makes the number of rows of a tile, 1 to [`ROWS`], a constant.
macro_rules! by_rows {
    ($rows:expr, $r:ident => $run:expr) => {
        by_rows!($rows, $r => $run, 1 2 3 4 5 6)
    };
    ($rows:expr, $r:ident => $run:expr, $($n:literal)*) => {
        match $rows {
            $($n => {
                const $r: usize = $n;
                $run
            })*
            _ => {}
        }
    };
}

macro_rules! micro {
    ($t:ty, $panel:literal, $lanes:literal, $tile:ident, $plain:ident, $name:ident,
     $zero:ident, $load:ident, $store:ident, $splat:ident, $fma:ident, $add:ident, $fused:path) => {
        /// One tile of R rows on AVX2.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        #[inline]
        unsafe fn $tile<const R: usize, const PACKED: bool>(k: usize, raw: Raw<$t>) {
            use std::arch::x86_64::*;
            let (rs, ks) = if PACKED { (1, ROWS) } else { (raw.rs, 1) };
            // SAFETY: the caller vouches for R rows of k numbers, a panel of k rows, and R rows of
            // `$panel` numbers in the destination and in what is added, which may be the
            // destination itself. Prefetching is allowed anywhere.
            unsafe {
                let (mut a, mut b, c) = (raw.a, raw.b, raw.c);
                let mut acc = [[$zero(); 2]; R];
                for i in 0..R {
                    // Unaligned rows reach into a second cache line.
                    let row = c.wrapping_add(i * raw.ldc);
                    _mm_prefetch::<_MM_HINT_T0>(row.cast());
                    _mm_prefetch::<_MM_HINT_T0>(row.wrapping_add($panel - 1).cast());
                }
                for _ in 0..k {
                    let (b0, b1) = ($load(b), $load(b.add($lanes)));
                    for (i, acc) in acc.iter_mut().enumerate() {
                        let x = $splat(&*a.add(i * rs));
                        acc[0] = $fma(x, b0, acc[0]);
                        acc[1] = $fma(x, b1, acc[1]);
                    }
                    a = a.wrapping_add(ks);
                    b = b.add($panel);
                }
                for (i, acc) in acc.iter().enumerate() {
                    for (h, &sum) in acc.iter().enumerate() {
                        let sum = match raw.d.is_null() {
                            true => sum,
                            false => $add($load(raw.d.add(i * raw.ldd + h * $lanes)), sum),
                        };
                        $store(c.add(i * raw.ldc + h * $lanes), sum);
                    }
                }
            }
        }

        /// The same tile for any machine.
        #[inline]
        unsafe fn $plain<const R: usize>(k: usize, raw: Raw<$t>) {
            let (rs, ks) = if raw.packed { (1, ROWS) } else { (raw.rs, 1) };
            let mut acc = [[0.0; $panel]; R];
            // SAFETY: as above.
            unsafe {
                for p in 0..k {
                    let b: &[$t; $panel] = &*raw.b.add(p * $panel).cast();
                    for (i, acc) in acc.iter_mut().enumerate() {
                        let x = *raw.a.add(i * rs + p * ks);
                        for (s, &b) in acc.iter_mut().zip(b) {
                            *s = $fused(x, b, *s);
                        }
                    }
                }
                for (i, acc) in acc.iter().enumerate() {
                    acc.iter().enumerate().for_each(|(j, &sum)| raw.store(i, j, sum));
                }
            }
        }

        /// Up to [`ROWS`] rows and one full panel.
        #[inline]
        unsafe fn $name(wide: bool, rows: usize, k: usize, raw: Raw<$t>) {
            // SAFETY: handed on from the caller.
            unsafe {
                #[cfg(target_arch = "x86_64")]
                if wide {
                    return match raw.packed {
                        true => by_rows!(rows, R => $tile::<R, true>(k, raw)),
                        false => by_rows!(rows, R => $tile::<R, false>(k, raw)),
                    };
                }
                let _ = wide;
                by_rows!(rows, R => $plain::<R>(k, raw))
            }
        }

        impl Micro for $t {
            const PANEL: usize = $panel;

            unsafe fn tiles(wide: bool, (m, n, k): (usize, usize, usize), raw: Raw<Self>) {
                // A panel of b stays in the first cache while the rows of a pass by.
                for j in (0..n).step_by($panel) {
                    let cols = $panel.min(n - j);
                    for i in (0..m).step_by(ROWS) {
                        let rows = ROWS.min(m - i);
                        // SAFETY: tile and panel lie inside the extents the caller vouches for; a
                        // panel that sticks out of the destination goes through `tile`.
                        unsafe {
                            let (c, d) = (raw.c.add(i * raw.ldc + j), raw.d);
                            let part = Raw {
                                a: raw.a.wrapping_add(i * if raw.packed { k } else { raw.rs }),
                                b: raw.b.add(j * k),
                                c,
                                d: if d.is_null() { d } else { d.add(i * raw.ldd + j) },
                                ..raw
                            };
                            if j == 0 && !raw.packed {
                                // Rows are read once from afar, with the first panel.
                                let next = part.a.wrapping_add(ROWS * raw.rs);
                                prefetch(next, ROWS.min(m - i - rows), raw.rs, k);
                            }
                            if cols == $panel {
                                $name(wide, rows, k, part);
                                continue;
                            }
                            let mut tile = [0.0; TILE];
                            let (to, none) = (tile.as_mut_ptr(), std::ptr::null());
                            let inside = Raw { c: to, ldc: $panel, d: none, ..part };
                            $name(wide, rows, k, inside);
                            for (r, row) in tile.chunks_exact($panel).take(rows).enumerate() {
                                let row = row[..cols].iter().enumerate();
                                row.for_each(|(j, &sum)| part.store(r, j, sum));
                            }
                        }
                    }
                }
            }
        }
    };
}

micro!(
    f32,
    16,
    8,
    tile_f32,
    plain_f32,
    any_f32,
    _mm256_setzero_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_broadcast_ss,
    _mm256_fmadd_ps,
    _mm256_add_ps,
    fused
);
micro!(
    f64,
    8,
    4,
    tile_f64,
    plain_f64,
    any_f64,
    _mm256_setzero_pd,
    _mm256_loadu_pd,
    _mm256_storeu_pd,
    _mm256_broadcast_sd,
    _mm256_fmadd_pd,
    _mm256_add_pd,
    f64::mul_add
);
