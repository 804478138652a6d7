//! Plots of many numbers that stay small: histograms, maps of cells, thinned curves.

use crate::words::{grouped, readable};
use gsn_lab::chart::{Block, Dot, Line, Plot, short};

/// Dots of a plot at most; of more rows a map of cells is drawn.
const DOTS: usize = 2000;
/// Cells of a map, along each side.
const CELLS: usize = 48;
/// Bars of a histogram at most, of many values and of few.
const BARS: usize = 30;
const FEW_BARS: usize = 5;

/// How often which value occurs. Whole numbers have a bar each where they are few.
pub(crate) fn histogram(title: &str, x: &str, y: &str, values: &[f64]) -> Plot {
    let values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    let (low, high) = ends(values.iter().copied());
    let plot = Plot { title: title.into(), x: x.into(), y: y.into(), ..Plot::default() };
    if values.is_empty() {
        return plot;
    }
    let whole = values.iter().all(|value| value.fract() == 0.0);
    // Bars of a value or two say nothing about the shape.
    let most = ((2.0 * (values.len() as f64).sqrt()).ceil() as usize).clamp(FEW_BARS, BARS);
    let (from, width, bars) = match (whole, high - low) {
        // A bar of one number each, or of as many as fit.
        (true, range) => {
            let width = ((range + 1.0) / most as f64).ceil().max(1.0);
            (low - 0.5, width, ((range + 1.0) / width).ceil() as usize)
        }
        (false, range) if range > 0.0 => (low, range / most as f64, most),
        (false, _) => (low - 0.5, 1.0, 1),
    };
    let mut counts = vec![0u64; bars.max(1)];
    for value in &values {
        let at = (((value - from) / width) as usize).min(counts.len() - 1);
        counts[at] += 1;
    }
    let block = |(at, &count): (usize, &u64)| {
        let left = from + at as f64 * width;
        let range = match whole {
            true if width == 1.0 => readable(left + 0.5),
            true => format!("{} to {}", readable(left + 0.5), readable(left + width - 0.5)),
            false => format!("{} to {}", short(left), short(left + width)),
        };
        Block {
            x: [left, left + width],
            y: [0.0, count as f64],
            opacity: 0.75,
            title: format!("{range}: {} {y}", grouped(count)),
            colour: 0,
        }
    };
    let blocks = counts.iter().enumerate().filter(|(_, count)| **count > 0).map(block).collect();
    Plot { blocks, ..plot }
}

/// Predictions against targets with the name of every row; of many rows how many lie where.
pub(crate) fn parity(name: &str, rows: &[(f64, f64, String)]) -> Plot {
    let (low, high) = ends(rows.iter().flat_map(|(x, y, _)| [*x, *y]));
    let margin = if high > low { 0.03 * (high - low) } else { 0.5 };
    let mut plot = Plot {
        title: format!("{name}: prediction against target"),
        x: "target".into(),
        y: "prediction".into(),
        ..Plot::default()
    };
    if rows.is_empty() {
        return plot;
    }
    let (low, high) = (low - margin, high + margin);
    plot.range = Some([low, high]);
    let exact = Line::new("exact", vec![(low, low), (high, high)]).with_colour(7).with_dashes(true);
    plot.lines.push(exact);
    if rows.len() <= DOTS {
        let dot = |(x, y, name): &(f64, f64, String)| {
            let title = format!("{name}: target {}, prediction {}", short(*x), short(*y));
            Dot::new(*x, *y).with_title(title)
        };
        plot.dots = rows.iter().map(dot).collect();
        return plot;
    }
    let all = grouped(rows.len() as u64);
    plot.title += &format!(" ({all} rows; the stronger the colour, the more)");
    let width = (high - low) / CELLS as f64;
    let place = |value: f64| (((value - low) / width) as usize).min(CELLS - 1);
    let mut counts = vec![0u64; CELLS * CELLS];
    rows.iter().for_each(|(x, y, _)| counts[place(*y) * CELLS + place(*x)] += 1);
    let most = counts.iter().copied().max().unwrap_or(1) as f64;
    for (at, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let start = |place: usize| low + place as f64 * width;
        let (x, y) = (start(at % CELLS), start(at / CELLS));
        plot.blocks.push(Block {
            x: [x, x + width],
            y: [y, y + width],
            opacity: 0.12 + 0.88 * ((count as f64).ln_1p() / most.ln_1p()),
            title: format!("target {}, prediction {}: {} rows", short(x), short(y), grouped(count)),
            colour: 0,
        });
    }
    plot
}

/// The points of a curve without those that lie too close to the one before; the ends stay.
pub(crate) fn thinned(curve: &[(f64, f64)]) -> Vec<(f64, f64)> {
    const STEP: f64 = 1.0 / 256.0;
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for (at, &(x, y)) in curve.iter().enumerate() {
        let far =
            kept.last().is_none_or(|last| (last.0 - x).abs() >= STEP || (last.1 - y).abs() >= STEP);
        if far || at + 1 == curve.len() {
            kept.push((x, y));
        }
    }
    kept
}

/// The least and the largest number.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(plot: &Plot) -> f64 {
        plot.blocks.iter().map(|block| block.y[1]).sum()
    }

    #[test]
    fn a_histogram_counts_every_number_once() {
        let few = histogram("", "", "rows", &[3.0, 3.0, 5.0]);
        assert_eq!((few.blocks.len(), total(&few)), (2, 3.0));
        assert_eq!(few.blocks[0].title, "3: 2 rows");
        let wide: Vec<f64> = (0..1000).map(f64::from).collect();
        let many = histogram("", "", "rows", &wide);
        assert!(many.blocks.len() <= BARS && total(&many) == 1000.0);
        let real = histogram("", "", "rows", &[0.1, 0.25, f64::NAN, 0.9]);
        assert_eq!(total(&real), 3.0);
        assert_eq!(total(&histogram("", "", "rows", &[0.5, 0.5])), 2.0);
        assert!(histogram("", "", "rows", &[]).blocks.is_empty());
        let few: Vec<f64> = (0..9).map(|i| f64::from(i) * 0.37).collect();
        assert_eq!(histogram("", "", "rows", &few).blocks.len(), 6);
    }

    #[test]
    fn many_rows_become_cells() {
        let rows: Vec<(f64, f64, String)> =
            (0..5000).map(|i| (f64::from(i % 70), f64::from(i % 7), String::new())).collect();
        let plot = parity("y", &rows);
        assert!(plot.dots.is_empty() && !plot.blocks.is_empty());
        assert!(plot.title.contains("5000 rows"));
        assert_eq!(parity("y", &rows[..100]).dots.len(), 100);
    }

    #[test]
    fn thinning_keeps_the_shape() {
        let curve: Vec<(f64, f64)> =
            (0..=100_000).map(|i| (f64::from(i) / 1e5, (f64::from(i) / 1e5).sqrt())).collect();
        let thin = thinned(&curve);
        assert!(thin.len() < 600 && thin.first() == curve.first() && thin.last() == curve.last());
    }
}
