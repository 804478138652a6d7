//! A table of `gsn count`: what was counted, and how the counts are spread. Cost: one pass over the
//! table.

use super::name_of;
use crate::html::{Cell, Html, Section, Table, figures, paragraph, plot, warning};
use crate::run::{patterns, word};
use gsn_core::Pattern;
use gsn_io::{CountTable, Sidecar};
use gsn_lab::Result;
use gsn_lab::chart::{Block, Plot};
use std::path::{Path, PathBuf};

/// Columns with a picture of their own, at most.
const DRAWN: usize = 12;

/// Counts below this have a bar each, unless there are larger ones.
const SMALL: usize = 32;

/// A count table.
pub(crate) struct CountsFile {
    path: PathBuf,
    sidecar: Sidecar,
    columns: Vec<Spread>,
    graphs: u64,
    rows: u64,
}

/// How the counts of one column are spread.
#[derive(Clone)]
struct Spread {
    name: String,
    above: u64,
    sum: f64,
    most: u64,
    /// Where the most are.
    place: String,
    /// Rows by their count, where it is small.
    small: [u64; SMALL],
    /// Rows by the number of bits of 1 + count, less one.
    bits: [u64; 65],
}

impl CountsFile {
    /// Reads a table and its sidecar.
    ///
    /// # Errors
    /// If one of them is damaged, or they do not belong together.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let sidecar = Sidecar::read(path)?;
        sidecar.check_table(path)?;
        let table = CountTable::open(path)?;
        let fresh = |name: &String| Spread {
            name: name.clone(),
            above: 0,
            sum: 0.0,
            most: 0,
            place: String::new(),
            small: [0; SMALL],
            bits: [0; 65],
        };
        let mut columns: Vec<Spread> = table.columns().iter().map(fresh).collect();
        let (mut graphs, mut rows) = (0, 0);
        for counts in table {
            let counts = counts?;
            graphs += 1;
            rows += counts.rows() as u64;
            for (row, values) in counts.values.chunks_exact(columns.len().max(1)).enumerate() {
                for (column, &value) in columns.iter_mut().zip(values) {
                    column.add(value, || {
                        let ends: Vec<String> =
                            counts.ends.iter().map(|end| end.get(row).to_string()).collect();
                        let what = if ends.len() == 1 { "vertex " } else { "" };
                        format!("graph {}, {what}{}", counts.graph, ends.join(" to "))
                    });
                }
            }
        }
        Ok(Self { path: path.to_owned(), sidecar, columns, graphs, rows })
    }

    pub(crate) fn title(&self) -> String {
        format!("Counts in {}", name_of(&self.path))
    }

    pub(crate) fn opening(&self) -> Html {
        let spec = &self.sidecar.spec;
        let input = self.sidecar.input.as_ref();
        let of = input.map(|input| format!(" of {}", input.digest.path)).unwrap_or_default();
        let mut opening = paragraph(format!(
            "{} rows of {} graph{}{of}: {} counts, {} matching, {} orbits. Made by gsn {}.",
            self.rows,
            self.graphs,
            if self.graphs == 1 { "" } else { "s" },
            word(spec.scope()),
            word(spec.matching()),
            word(spec.orbits()),
            self.sidecar.gsn
        ));
        if let Some(table) = self.sidecar.table.as_ref().filter(|table| table.rejected > 0) {
            let text = format!("{} rows of the input were left out.", table.rejected);
            opening.push(warning(text));
        }
        opening
    }

    pub(crate) fn sections(&self) -> Vec<Section> {
        let mut table = Table::new(
            "How counts are spread",
            ["column", "rows above 0", "share", "mean", "most", "where"],
        );
        for column in &self.columns {
            let share = column.above as f64 / self.rows.max(1) as f64;
            table.push([
                column.name.as_str().into(),
                Cell::whole(column.above),
                Cell::share(share),
                Cell::number(column.sum / self.rows.max(1) as f64),
                Cell::whole(column.most),
                column.place.as_str().into(),
            ]);
        }
        let pictures = figures(self.columns.iter().take(DRAWN).map(|column| plot(column.plot())));
        let all: Vec<Pattern> =
            self.sidecar.patterns.iter().filter_map(|pattern| pattern.pattern().ok()).collect();
        let all: Vec<&Pattern> = all.iter().collect();
        vec![
            Section::new("Columns", Html::from(table).and(pictures)),
            Section::new("Patterns", patterns::drawn(&all, self.sidecar.spec.orbits())),
        ]
    }
}

impl Spread {
    fn add(&mut self, value: u64, place: impl FnOnce() -> String) {
        self.above += u64::from(value > 0);
        self.sum += value as f64;
        if value > self.most {
            (self.most, self.place) = (value, place());
        }
        if let Some(rows) = usize::try_from(value).ok().and_then(|at| self.small.get_mut(at)) {
            *rows += 1;
        }
        let bits = u128::BITS - (u128::from(value) + 1).leading_zeros() - 1;
        self.bits[bits as usize] += 1;
    }

    /// A bar for every count where all are small, else for every number of bits.
    fn plot(&self) -> Plot {
        type Bar = fn(usize) -> ([f64; 2], String);
        let (x, rows, bar): (&str, &[u64], Bar) = match self.most < SMALL as u64 {
            true => {
                ("count", &self.small, |at| ([at as f64 - 0.5, at as f64 + 0.5], at.to_string()))
            }
            false => ("log₂(1 + count)", &self.bits, |at| {
                let (low, high) = ((1u128 << at) - 1, (1u128 << (at + 1)) - 2);
                let range = if low == high { low.to_string() } else { format!("{low} to {high}") };
                ([at as f64, at as f64 + 1.0], range)
            }),
        };
        let block = |(at, &rows): (usize, &u64)| {
            let (x, range) = bar(at);
            let title = format!("counts of {range}: {rows} rows");
            Block { x, y: [0.0, rows as f64], opacity: 0.75, title, colour: 0 }
        };
        Plot {
            title: self.name.clone(),
            x: x.into(),
            y: "rows".into(),
            blocks: rows.iter().enumerate().filter(|(_, rows)| **rows > 0).map(block).collect(),
            ..Plot::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_count_has_its_place() {
        let mut spread = Spread {
            name: "c".into(),
            above: 0,
            sum: 0.0,
            most: 0,
            place: String::new(),
            small: [0; SMALL],
            bits: [0; 65],
        };
        for value in [0, 1, 2, 3, u64::MAX] {
            spread.add(value, || value.to_string());
        }
        assert_eq!((spread.bits[0], spread.bits[1], spread.bits[2], spread.bits[64]), (1, 2, 1, 1));
        assert_eq!((spread.above, spread.place.as_str()), (4, "18446744073709551615"));
        assert_eq!(spread.plot().blocks[1].title, "counts of 1 to 2: 2 rows");
    }
}
