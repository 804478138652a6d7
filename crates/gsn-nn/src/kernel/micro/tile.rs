//! The tiles of a product: for AVX2, for AVX-512, and for any machine, which find the same bits.

use super::{Micro, ROWS, Raw, Unit};

/// The largest tile of any number type.
const TILE: usize = ROWS * 16;
/// Panels an AVX-512 tile is wide.
const WIDE: usize = 4;

/// Makes a small number a constant: the rows of a tile, 1 to [`ROWS`], or its panels, 1 to [`WIDE`].
macro_rules! constant {
    (rows $rows:expr, $r:ident => $run:expr) => {
        constant!($rows, $r => $run, 1 2 3 4 5 6)
    };
    (panels $panels:expr, $v:ident => $run:expr) => {
        constant!($panels, $v => $run, 1 2 3 4)
    };
    ($number:expr, $c:ident => $run:expr, $($n:literal)*) => {
        match $number {
            $($n => {
                const $c: usize = $n;
                $run
            })*
            _ => {}
        }
    };
}

macro_rules! micro {
    ($t:ty, $panel:literal, $lanes:literal, $tile:ident, $plain:ident, $name:ident,
     $zero:ident, $load:ident, $store:ident, $splat:ident, $fma:ident, $add:ident, $max:ident,
     $fused:path,
     $wide_tile:ident, $wide_strip:ident, $mask:ty, $wide_zero:ident, $wide_load:ident, $wide_mask_load:ident,
     $wide_mask_store:ident, $wide_splat:ident, $wide_fma:ident, $wide_add:ident,
     $wide_max:ident) => {
        /// One tile of R rows on AVX2.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        #[inline]
        unsafe fn $tile<const R: usize, const PACKED: bool>(k: usize, raw: Raw<$t>) {
            use std::arch::x86_64::*;
            let (rs, ks) = if PACKED { (1, ROWS) } else { (raw.rs, raw.ks) };
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
                    b = b.wrapping_add(raw.bs);
                }
                for (i, acc) in acc.iter().enumerate() {
                    for (h, &sum) in acc.iter().enumerate() {
                        let sum = match raw.d.is_null() {
                            true => sum,
                            false => $add($load(raw.d.add(i * raw.ldd + h * $lanes)), sum),
                        };
                        // Of two zeros, and beside no number, the second is taken.
                        let sum = if raw.relu { $max($zero(), sum) } else { sum };
                        $store(c.add(i * raw.ldc + h * $lanes), sum);
                    }
                }
            }
        }

        /// One tile of R rows and V panels on AVX-512, `last` columns of the last panel.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f")]
        #[inline]
        unsafe fn $wide_tile<const R: usize, const V: usize>(k: usize, last: usize, raw: Raw<$t>) {
            use std::arch::x86_64::*;
            let (rs, ks) = (raw.rs, raw.ks);
            let inside = |v: usize| if v + 1 < V { <$mask>::MAX } else { <$mask>::MAX >> ($panel - last) };
            // SAFETY: the caller vouches for R rows of k numbers, V panels of k rows, and R rows of
            // all columns but those beyond `last` in the destination and in what is added.
            unsafe {
                let (mut a, mut b, c) = (raw.a, raw.b, raw.c);
                let mut acc = [[$wide_zero(); V]; R];
                for i in 0..R {
                    for v in 0..V {
                        let row = c.wrapping_add(i * raw.ldc + v * $panel);
                        _mm_prefetch::<_MM_HINT_T0>(row.cast());
                    }
                }
                for _ in 0..k {
                    let mut row = [$wide_zero(); V];
                    for (v, row) in row.iter_mut().enumerate() {
                        *row = $wide_load(b.add(v * raw.ps));
                    }
                    for (i, acc) in acc.iter_mut().enumerate() {
                        let x = $wide_splat(*a.add(i * rs));
                        for (acc, &b) in acc.iter_mut().zip(&row) {
                            *acc = $wide_fma(x, b, *acc);
                        }
                    }
                    a = a.wrapping_add(ks);
                    b = b.wrapping_add(raw.bs);
                }
                for (i, acc) in acc.iter().enumerate() {
                    for (v, &sum) in acc.iter().enumerate() {
                        let sum = match raw.d.is_null() {
                            true => sum,
                            false => {
                                let d = raw.d.add(i * raw.ldd + v * $panel);
                                $wide_add($wide_mask_load(inside(v), d), sum)
                            }
                        };
                        let sum = if raw.relu { $wide_max($wide_zero(), sum) } else { sum };
                        $wide_mask_store(c.add(i * raw.ldc + v * $panel), inside(v), sum);
                    }
                }
            }
        }

        /// All tiles of m rows and V panels on AVX-512. Full tiles have a loop of their own: with the
        /// smaller ones in it, the compiler keeps a pointer for every row of each of them, in memory.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f")]
        unsafe fn $wide_strip<const V: usize>((m, k): (usize, usize), last: usize, afar: bool, raw: Raw<$t>) {
            let rest = m % ROWS;
            // SAFETY: the caller vouches for m rows; the rest as in the tile.
            unsafe {
                for i in (0..m - rest).step_by(ROWS) {
                    let part = raw.tile(i);
                    if afar {
                        part.prefetch_below(m - i - ROWS, k);
                    }
                    $wide_tile::<ROWS, V>(k, last, part);
                }
                if rest > 0 {
                    constant!(rows rest, R => $wide_tile::<R, V>(k, last, raw.tile(m - rest)));
                }
            }
        }

        /// The same tile for any machine.
        #[inline]
        unsafe fn $plain<const R: usize>(k: usize, raw: Raw<$t>) {
            let (rs, ks) = (raw.rs, raw.ks);
            let mut acc = [[0.0; $panel]; R];
            // SAFETY: as above.
            unsafe {
                for p in 0..k {
                    let b: &[$t; $panel] = &*raw.b.add(p * raw.bs).cast();
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
                    return match (raw.rs, raw.ks) == (1, ROWS) {
                        true => constant!(rows rows, R => $tile::<R, true>(k, raw)),
                        false => constant!(rows rows, R => $tile::<R, false>(k, raw)),
                    };
                }
                let _ = wide;
                constant!(rows rows, R => $plain::<R>(k, raw))
            }
        }

        impl Micro for $t {
            const PANEL: usize = $panel;

            unsafe fn tiles(unit: Unit, (m, n, k): (usize, usize, usize), raw: Raw<Self>) {
                // So many columns of b stay in the first cache while the rows of a pass by.
                let width = if unit == Unit::Avx512 { WIDE * $panel } else { $panel };
                for j in (0..n).step_by(width) {
                    let cols = width.min(n - j);
                    // SAFETY: strip, tile and panel lie inside the extents the caller vouches for; a
                    // panel that sticks out of the destination goes through `tile`.
                    unsafe {
                        let strip = raw.strip(j, $panel);
                        // Rows are read once from afar, with the first strip.
                        let afar = j == 0 && raw.ks == 1;
                        #[cfg(target_arch = "x86_64")]
                        if unit == Unit::Avx512 {
                            let (panels, last) = (cols.div_ceil($panel), (cols - 1) % $panel + 1);
                            constant!(panels panels, V => $wide_strip::<V>((m, k), last, afar, strip));
                            continue;
                        }
                        for i in (0..m).step_by(ROWS) {
                            let rows = ROWS.min(m - i);
                            let part = strip.tile(i);
                            if afar {
                                part.prefetch_below(m - i - rows, k);
                            }
                            let wide = unit == Unit::Avx2;
                            if cols == $panel {
                                $name(wide, rows, k, part);
                                continue;
                            }
                            let mut tile = [0.0; TILE];
                            let (to, none) = (tile.as_mut_ptr(), std::ptr::null());
                            let inside = Raw { c: to, ldc: $panel, d: none, relu: false, ..part };
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
    _mm256_max_ps,
    super::fused,
    wide_tile_f32,
    wide_strip_f32,
    u16,
    _mm512_setzero_ps,
    _mm512_loadu_ps,
    _mm512_maskz_loadu_ps,
    _mm512_mask_storeu_ps,
    _mm512_set1_ps,
    _mm512_fmadd_ps,
    _mm512_add_ps,
    _mm512_max_ps
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
    _mm256_max_pd,
    f64::mul_add,
    wide_tile_f64,
    wide_strip_f64,
    u8,
    _mm512_setzero_pd,
    _mm512_loadu_pd,
    _mm512_maskz_loadu_pd,
    _mm512_mask_storeu_pd,
    _mm512_set1_pd,
    _mm512_fmadd_pd,
    _mm512_add_pd,
    _mm512_max_pd
);
