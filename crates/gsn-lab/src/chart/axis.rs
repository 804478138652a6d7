//! From values to places, and round values to write beside them.

/// From values to places.
pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Axis {
    pub(super) fn of(
        values: impl Iterator<Item = f64>,
        range: Option<[f64; 2]>,
        from: f64,
        to: f64,
    ) -> Self {
        let (low, high) = match range {
            Some([low, high]) => (low, high),
            None => values
                .filter(|v| v.is_finite())
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v))),
        };
        let (low, high) = match low < high {
            true => (low, high),
            false if low.is_finite() => (low - 0.5, low + 0.5),
            false => (0.0, 1.0),
        };
        Self { low, high, from, to }
    }

    pub(super) fn place(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Round values, and with how many digits they are written.
    pub(super) fn ticks(&self) -> (Vec<f64>, usize) {
        let rough = (self.high - self.low) / 5.0;
        let power = rough.log10().floor();
        let unit = 10f64.powf(power);
        let step = [1.0, 2.0, 5.0, 10.0].iter().map(|f| f * unit).find(|&s| s >= rough * 0.999);
        let step = step.unwrap_or(10.0 * unit);
        let first = (self.low / step - 1e-9).ceil();
        let digits = (-(step * 1.000_001).log10().floor()).clamp(0.0, 12.0) as usize;
        let ticks = (0..20)
            .map(|n| (first + f64::from(n)) * step)
            .take_while(|&v| v <= self.high + 1e-9 * step)
            // No negative zero.
            .map(|v| if v.abs() < 1e-9 * step { 0.0 } else { v });
        (ticks.collect(), digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(low: f64, high: f64) -> Vec<String> {
        let (ticks, digits) = Axis { low, high, from: 0.0, to: 1.0 }.ticks();
        ticks.iter().map(|tick| format!("{tick:.digits$}")).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(0.0, 1.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(ticks(-25.0, 3.0), ["-20", "-10", "0"]);
        assert_eq!(ticks(1.0, 1000.0), ["200", "400", "600", "800", "1000"]);
        assert_eq!(ticks(0.0011, 0.0019), ["0.0012", "0.0014", "0.0016", "0.0018"]);
    }
}
