//! From values to places, and round values to write beside them.

/// From values to places.
pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) from: f64,
    pub(super) to: f64,
    /// Whether only whole numbers are drawn.
    pub(super) whole: bool,
}

impl Axis {
    pub(super) fn of(
        values: impl Iterator<Item = f64>,
        range: Option<[f64; 2]>,
        from: f64,
        to: f64,
    ) -> Self {
        // Bars of whole numbers reach from half to half.
        let (mut whole, mut halves) = (range.is_none(), range.is_none());
        let (low, high) = match range {
            Some([low, high]) => (low, high),
            None => values
                .filter(|v| v.is_finite())
                .inspect(|v| {
                    whole &= v.fract() == 0.0;
                    halves &= v.fract().abs() == 0.5;
                })
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v))),
        };
        let whole = whole || halves;
        let (low, high) = match low < high {
            true => (low, high),
            // Around the only value there is, in its own size.
            false if low.is_finite() && low != 0.0 && !whole => {
                (low - 0.5 * low.abs(), low + 0.5 * low.abs())
            }
            false if low.is_finite() => (low - 0.5, low + 0.5),
            false => (0.0, 1.0),
        };
        Self { low, high, from, to, whole }
    }

    pub(super) fn place(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// The same axis with room at both ends, but not below 0 if there is nothing.
    pub(super) fn with_room(self, share: f64) -> Self {
        let room = share * (self.high - self.low);
        let low = if self.low >= 0.0 { (self.low - room).max(0.0) } else { self.low - room };
        Self { low, high: self.high + room, ..self }
    }

    /// Round values, and with how many digits they are written.
    pub(super) fn ticks(&self) -> (Vec<f64>, usize) {
        let rough = (self.high - self.low) / 5.0;
        let power = rough.log10().floor();
        let unit = 10f64.powf(power);
        let step = [1.0, 2.0, 5.0, 10.0].iter().map(|f| f * unit).find(|&s| s >= rough * 0.999);
        let step = step.unwrap_or(10.0 * unit);
        let step = if self.whole { step.max(1.0) } else { step };
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
        let (ticks, digits) = Axis { low, high, from: 0.0, to: 1.0, whole: false }.ticks();
        ticks.iter().map(|tick| format!("{tick:.digits$}")).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(0.0, 1.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(ticks(-25.0, 3.0), ["-20", "-10", "0"]);
        assert_eq!(ticks(1.0, 1000.0), ["200", "400", "600", "800", "1000"]);
        assert_eq!(ticks(0.0011, 0.0019), ["0.0012", "0.0014", "0.0016", "0.0018"]);
    }

    #[test]
    fn whole_numbers_have_whole_ticks_and_one_value_has_room() {
        let few = Axis::of([1.0, 3.0].into_iter(), None, 0.0, 1.0);
        assert_eq!(few.ticks(), (vec![1.0, 2.0, 3.0], 0));
        let bars = Axis::of([-0.5, 0.5, 1.5].into_iter(), None, 0.0, 1.0);
        assert_eq!(bars.ticks(), (vec![0.0, 1.0], 0));
        let roomy = Axis::of([1.0, 3.0].into_iter(), None, 0.0, 1.0).with_room(0.1);
        assert_eq!((roomy.low, roomy.high), (0.8, 3.2));
        let same = Axis::of([0.001, 0.001].into_iter(), None, 0.0, 1.0);
        assert_eq!((same.low, same.high), (0.0005, 0.0015));
    }
}
