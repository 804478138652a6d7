//! Binomial coefficients, exact or refused: a table up to 64, a product beyond.

const ROWS: usize = 65;

/// Pascal's triangle; every entry up to C(64, 32) fits.
static TRIANGLE: [[u64; ROWS]; ROWS] = triangle();

const fn triangle() -> [[u64; ROWS]; ROWS] {
    let mut rows = [[0; ROWS]; ROWS];
    let mut n = 0;
    while n < ROWS {
        rows[n][0] = 1;
        let mut k = 1;
        while k <= n {
            rows[n][k] = rows[n - 1][k - 1] + rows[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    rows
}

/// C(n, k), or `None` when it does not fit.
#[inline]
pub(super) fn binomial(n: usize, k: usize) -> Option<u64> {
    match TRIANGLE.get(n) {
        Some(row) => Some(row.get(k).copied().unwrap_or(0)),
        None => product(n, k),
    }
}

fn product(n: usize, k: usize) -> Option<u64> {
    if k > n {
        return Some(0);
    }
    let k = k.min(n - k);
    let mut value = 1u128;
    for i in 0..k {
        // C(n, i) grows up to the middle, so what is too large now stays so.
        value = value * (n - i) as u128 / (i + 1) as u128;
        if value > u128::from(u64::MAX) {
            return None;
        }
    }
    Some(value as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_and_product_agree_and_overflow_is_refused() {
        for n in 0..ROWS {
            for k in 0..70 {
                assert_eq!(binomial(n, k), product(n, k), "C({n}, {k})");
            }
        }
        assert_eq!(binomial(67, 33), Some(14_226_520_737_620_288_370));
        assert_eq!(binomial(68, 34), None);
        assert_eq!(binomial(1000, 998), Some(499_500));
        assert_eq!(binomial(1000, 1001), Some(0));
    }
}
