//! The result table of a sweep: a line for every finished cell.

use crate::experiment::Results;
use crate::protocol::Statistics;
use serde::{Deserialize, Serialize};

/// One finished cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepRow {
    /// Values of the axes.
    pub values: Vec<String>,
    /// Trained numbers of the network.
    pub parameters: usize,
    /// The metric.
    pub metric: String,
    /// Mean and spread on the training part, where it is measured.
    pub train: Option<(f64, Option<f64>)>,
    /// On the validation part.
    pub validation: Option<(f64, Option<f64>)>,
    /// On the test part.
    pub test: (f64, Option<f64>),
    /// Units behind the numbers.
    pub units: usize,
    /// Disambiguation score, where it is asked for.
    pub delta: Option<f64>,
}

impl SweepRow {
    /// The line of a cell with these results.
    pub fn new(values: &[String], results: &Results, delta: Option<f64>) -> Self {
        let of = |numbers: &Statistics| (numbers.mean, numbers.std);
        let report = &results.report;
        Self {
            values: values.to_vec(),
            parameters: results.parameters,
            metric: report.metric.name().into(),
            train: report.train.as_ref().map(of),
            validation: report.validation.as_ref().map(of),
            test: of(&report.test),
            units: report.runs.len(),
            delta,
        }
    }
}

/// All finished cells.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SweepTable {
    /// Names of the axes.
    pub axes: Vec<String>,
    /// The cells, in the order of the grid.
    pub lines: Vec<SweepRow>,
}

impl SweepTable {
    fn head(&self) -> Vec<String> {
        let metric = self.lines.first().map_or("metric", |line| line.metric.as_str());
        let mut head = self.axes.clone();
        if self.lines.iter().any(|line| line.delta.is_some()) {
            head.push("delta".into());
        }
        for (part, there) in [
            ("train", self.lines.iter().any(|line| line.train.is_some())),
            ("validation", self.lines.iter().any(|line| line.validation.is_some())),
            ("test", true),
        ] {
            if there {
                head.extend([format!("{part}_{metric}"), format!("{part}_std")]);
            }
        }
        head.extend(["units".into(), "parameters".into()]);
        head
    }

    /// The cells of a line, numbers written by `number`.
    fn cells(&self, line: &SweepRow, number: &dyn Fn(f64) -> String) -> Vec<String> {
        let mut cells = line.values.clone();
        if self.lines.iter().any(|line| line.delta.is_some()) {
            cells.push(line.delta.map(number).unwrap_or_default());
        }
        let any = |of: fn(&SweepRow) -> bool| self.lines.iter().any(of);
        for (there, part) in [
            (any(|line| line.train.is_some()), line.train),
            (any(|line| line.validation.is_some()), line.validation),
            (true, Some(line.test)),
        ] {
            if there {
                cells.push(part.map(|(mean, _)| number(mean)).unwrap_or_default());
                cells.push(part.and_then(|(_, std)| std).map(number).unwrap_or_default());
            }
        }
        cells.extend([line.units.to_string(), line.parameters.to_string()]);
        cells
    }

    /// As comma-separated values, numbers to the last digit.
    pub fn to_csv(&self) -> String {
        let quoted = |cell: &String| match cell.contains([',', '"', '\n']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        };
        let row =
            |cells: Vec<String>| cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
        let lines = self.lines.iter().map(|line| row(self.cells(line, &|x| x.to_string())));
        std::iter::once(row(self.head())).chain(lines).collect()
    }

    /// The head and the lines for a person, four digits.
    fn rows(&self) -> Vec<Vec<String>> {
        let lines = self.lines.iter().map(|line| self.cells(line, &|x| format!("{x:.4}")));
        std::iter::once(self.head()).chain(lines).collect()
    }

    /// As a table of Markdown, four digits.
    pub fn to_markdown(&self) -> String {
        let line = |row: &Vec<String>| format!("| {} |\n", row.join(" | "));
        let rows = self.rows();
        let rule = format!("|{}\n", "---|".repeat(rows[0].len()));
        line(&rows[0]) + &rule + &rows[1..].iter().map(line).collect::<String>()
    }

    /// For a person: columns side by side, four digits.
    pub fn to_text(&self) -> String {
        let rows = self.rows();
        let columns = rows[0].len();
        let width = |c: usize| rows.iter().map(|row| row[c].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
        };
        rows.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_a_column_for_what_there_is() {
        let line = SweepRow {
            values: vec!["cycle".into(), "3".into()],
            parameters: 100,
            metric: "mae".into(),
            train: Some((0.25, None)),
            validation: None,
            test: (0.5, Some(0.125)),
            units: 2,
            delta: Some(0.199),
        };
        let table = SweepTable { axes: vec!["family".into(), "k".into()], lines: vec![line] };
        assert_eq!(
            table.to_csv(),
            "family,k,delta,train_mae,train_std,test_mae,test_std,units,parameters\n\
             cycle,3,0.199,0.25,,0.5,0.125,2,100\n"
        );
        assert!(table.to_text().lines().nth(1).unwrap().contains("0.1990"));
    }
}
