//! Tables of a run for other programs: which row is in which part (`split.csv`), and what every
//! unit predicts for every row (`predictions.csv`).
//!
//! Rows are those of the input, from 0, as `rejected.csv` and `gsn predict` count them.

use crate::dataset::{Dataset, Sample, Task};
use crate::model_file::Part;
use crate::protocol::Plan;
use crate::train::PartPredictions;
use crate::user_data::InputColumns;
use gsn_io::{csv_field, shortest};
use gsn_nn::{Censoring, Matrix};

/// Names that columns of the input must not have.
const OWN: [&str; 4] = ["unit", "row", "id", "part"];

/// What the tables are about.
#[derive(Clone, Copy)]
pub(super) struct Tables<'a> {
    pub(super) dataset: &'a Dataset,
    /// What the user's file says of its rows.
    pub(super) columns: Option<&'a InputColumns>,
}

/// Lines of comma-separated fields; the first of a line is never empty.
#[derive(Default)]
struct Csv(Vec<u8>);

impl Csv {
    fn field(&mut self, text: &str) {
        if self.0.last().is_some_and(|&last| last != b'\n') {
            self.0.push(b',');
        }
        csv_field(&mut self.0, text);
    }

    fn end(&mut self) {
        self.0.push(b'\n');
    }
}

impl Tables<'_> {
    fn id(&self, row: u64) -> &str {
        self.columns.map_or("", |columns| columns.id(row))
    }

    /// Every row and its part; with a column `unit` if units do not share their parts. A row that
    /// no part takes is `unused`.
    pub(super) fn split(&self, plans: &[Plan]) -> Vec<u8> {
        let same = plans.iter().all(|plan| plan.fold == plans[0].fold);
        let mut csv = Csv::default();
        let head: &[&str] =
            if same { &["row", "id", "part"] } else { &["unit", "row", "id", "part"] };
        head.iter().for_each(|name| csv.field(name));
        csv.end();
        for plan in if same { plans.get(..1).unwrap_or_default() } else { plans } {
            let mut parts = vec!["unused"; self.dataset.samples.len()];
            let fold = &plan.fold;
            for (part, items) in [
                (Part::Train, &fold.train),
                (Part::Validation, &fold.validation),
                (Part::Calibration, &fold.calibration),
                (Part::Test, &fold.test),
            ] {
                items.iter().for_each(|&i| parts[i as usize] = part.name());
            }
            for (sample, part) in self.dataset.samples.iter().zip(parts) {
                if !same {
                    csv.field(&plan.name);
                }
                csv.field(&sample.row.to_string());
                csv.field(self.id(sample.row));
                csv.field(part);
                csv.end();
            }
        }
        csv.0
    }

    /// What a unit predicts, by row: unit, row, id, the columns of the input, part, and for every
    /// target `T` its value, `T_predicted` the prediction and `T=C` the probability of class C.
    pub(super) fn predictions(&self, unit: &str, parts: &[PartPredictions]) -> Vec<u8> {
        let mut csv = Csv::default();
        self.predictions_head(&mut csv);
        let samples = &self.dataset.samples;
        let values: Vec<Matrix<f64>> = parts.iter().map(PartPredictions::values).collect();
        let mut lines: Vec<(u32, usize, usize)> = Vec::new();
        for (p, part) in parts.iter().enumerate() {
            lines.extend(part.items.iter().enumerate().map(|(at, &item)| (item, p, at)));
        }
        lines.sort_unstable();
        for (item, p, at) in lines {
            let row = samples[item as usize].row;
            csv.field(unit);
            csv.field(&row.to_string());
            csv.field(self.id(row));
            let cells = self.columns.map_or(&[][..], |columns| columns.cells(row));
            cells.iter().for_each(|cell| csv.field(cell));
            csv.field(parts[p].part.name());
            let targets = (&samples[item as usize], parts[p].targets.row(at));
            self.answers(&mut csv, targets, values[p].row(at));
            csv.end();
        }
        csv.0
    }

    fn predictions_head(&self, csv: &mut Csv) {
        let Dataset { task, target_names, .. } = self.dataset;
        let mut last: Vec<String> = Vec::new();
        for target in target_names {
            last.extend([target.clone(), format!("{target}_predicted")]);
            if let Task::Classes(names) = task {
                last.extend(names.iter().map(|name| format!("{target}={name}")));
            }
        }
        ["unit", "row", "id"].iter().for_each(|name| csv.field(name));
        for name in self.columns.map_or(&[][..], InputColumns::names) {
            let taken = OWN.contains(&name.as_str()) || last.contains(name);
            csv.field(&if taken { format!("input_{name}") } else { name.clone() });
        }
        csv.field("part");
        last.iter().for_each(|name| csv.field(name));
        csv.end();
    }

    /// Targets and predictions of one row; a bound as it was given.
    fn answers(&self, csv: &mut Csv, (sample, targets): (&Sample, &[f64]), values: &[f64]) {
        let shown = |at: usize, x: f64| match sample.censoring.get(at) {
            Some(Censoring::Below) => format!("<{}", sample.targets[at]),
            Some(Censoring::Above) => format!(">{}", sample.targets[at]),
            _ if x.is_nan() => String::new(),
            _ => x.to_string(),
        };
        match &self.dataset.task {
            Task::Regression(_) | Task::Binary(_) => {
                for (at, (&target, &value)) in targets.iter().zip(values).enumerate() {
                    csv.field(&shown(at, target));
                    csv.field(&shortest(value));
                }
            }
            Task::Classes(names) => {
                let name = |class: Option<usize>| {
                    class.and_then(|class| names.get(class)).map_or("", String::as_str)
                };
                let is = targets.first().filter(|class| !class.is_nan());
                csv.field(name(is.map(|&class| class as usize)));
                let best =
                    (0..values.len()).reduce(|a, b| if values[b] > values[a] { b } else { a });
                csv.field(name(best));
                values.iter().for_each(|&value| csv.field(&shortest(value)));
            }
        }
    }
}

/// Tables with the same first line as one table.
pub(super) fn joined(tables: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut all: Vec<u8> = Vec::new();
    for table in tables {
        let head = table.iter().position(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        all.extend(if all.is_empty() { &table[..] } else { &table[head..] });
    }
    all
}
