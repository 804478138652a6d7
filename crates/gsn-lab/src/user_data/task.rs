//! What a target column asks for: regression, yes or no, or classes.
//!
//! The decision is made from the values alone and explained in one sentence, because a wrong one
//! is a wrong model. One pass over the texts plus a sort of the different ones.

use crate::dataset::Task;
use crate::error::{Error, Result};
use std::collections::BTreeMap;

/// A task by its name, to overrule the decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Real numbers.
    Regression,
    /// Yes or no.
    Binary,
    /// One of several classes.
    Classes,
}

impl std::str::FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "regression" => Ok(Kind::Regression),
            "binary" => Ok(Kind::Binary),
            "classes" => Ok(Kind::Classes),
            _ => Err(format!("no task is called `{text}`; there are regression, binary, classes")),
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Kind::Regression => "regression",
            Kind::Binary => "binary",
            Kind::Classes => "classes",
        })
    }
}

/// A column of a table: its name and its cells, row by row.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its cells.
    pub cells: Vec<Cell>,
}

/// What a row has in a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing.
    Gap,
    /// A number, from a format that knows numbers; NaN is a gap.
    Number(f64),
    /// A text, which may read as a number; the empty one and `NA`, `NaN`, `null`, `?` are gaps.
    Text(String),
}

impl Cell {
    pub(crate) fn is_gap(&self) -> bool {
        match self {
            Cell::Gap => true,
            Cell::Number(x) => x.is_nan(),
            Cell::Text(text) => {
                let text = text.trim();
                let gaps = ["", "?", "na", "n/a", "nan", "null"];
                gaps.iter().any(|gap| text.eq_ignore_ascii_case(gap))
            }
        }
    }

    /// The number, if it is a finite one.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Cell::Gap => None,
            Cell::Number(x) => Some(*x).filter(|x| x.is_finite()),
            Cell::Text(text) => number(text),
        }
    }

    /// 1 for `true`, `yes` and the like, 0 for their opposites.
    pub(crate) fn truth(&self) -> Option<f64> {
        match self {
            Cell::Text(text) => truth(text),
            _ => None,
        }
    }

    /// The text under which a class is known.
    pub(crate) fn class_name(&self) -> String {
        self.number().map_or_else(|| self.to_string(), |x| x.to_string())
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Cell::Gap => Ok(()),
            Cell::Number(x) => write!(f, "{x}"),
            Cell::Text(text) => f.write_str(text.trim()),
        }
    }
}

/// What was decided, and the numbers that follow.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The task.
    pub task: Task,
    /// Why, in a sentence.
    pub reason: String,
    /// Targets of every row, or why the row has none.
    pub rows: Vec<Result<Vec<f64>, String>>,
    /// What should be known: gaps, imbalance, targets that never change.
    pub warnings: Vec<String>,
}

/// Whole numbers with at most this many different values are classes rather than measurements.
const MOST_NUMBERED_CLASSES: usize = 12;
/// Texts with more different values than this are no classes.
const MOST_CLASSES: usize = 200;
/// Share of rows that may be something else than the numbers around them.
const STRAY: f64 = 0.05;

/// What a column's texts are.
struct Values {
    /// Number of each row where there is one.
    numbers: Vec<Option<f64>>,
    /// Rows with text that is no finite number.
    strays: usize,
    gaps: usize,
    /// How often each text occurs; numbers in their shortest form.
    texts: BTreeMap<String, usize>,
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|x| x.is_finite())
}

/// `true`, `yes` and the like.
fn truth(text: &str) -> Option<f64> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "t" | "y" => Some(1.0),
        "false" | "no" | "f" | "n" => Some(0.0),
        _ => None,
    }
}

impl Values {
    fn of(column: &Column) -> Self {
        let mut out = Self { numbers: Vec::new(), strays: 0, gaps: 0, texts: BTreeMap::new() };
        for cell in &column.cells {
            if cell.is_gap() {
                out.gaps += 1;
                out.numbers.push(None);
                continue;
            }
            let number = cell.number();
            out.strays += usize::from(number.is_none());
            out.numbers.push(number);
            *out.texts.entry(cell.class_name()).or_default() += 1;
        }
        out
    }

    fn present(&self) -> usize {
        self.numbers.len() - self.gaps
    }

    fn distinct(&self) -> usize {
        self.texts.len()
    }

    fn is_truth(&self) -> bool {
        self.present() > 0 && self.texts.keys().all(|text| truth(text).is_some())
    }

    fn is_zero_one(&self) -> bool {
        self.present() > 0 && self.texts.keys().all(|text| text == "0" || text == "1")
    }

    fn mostly_numbers(&self) -> bool {
        self.strays as f64 <= STRAY * self.present() as f64
    }

    fn whole(&self) -> bool {
        self.numbers.iter().flatten().all(|x| x.fract() == 0.0)
    }

    /// Refuses a task that most of the values contradict, or that they leave without a choice.
    fn allow(&self, name: &str, wanted: Kind) -> Result<(), String> {
        let fits = |text: &String| match wanted {
            Kind::Regression => number(text).is_some(),
            Kind::Binary => truth(text).is_some() || text == "0" || text == "1",
            Kind::Classes => true,
        };
        let bad: usize = self.texts.iter().filter(|(text, _)| !fits(text)).map(|(_, n)| n).sum();
        let left = self.texts.keys().filter(|text| fits(text)).count();
        let Some(first) = self.texts.keys().find(|text| !fits(text)) else { return Ok(()) };
        if 2 * bad <= self.present() && left > 1 {
            return Ok(());
        }
        let (what, else_) = match wanted {
            Kind::Binary => ("yes and no or 0 and 1", "--task regression or --task classes"),
            _ => ("numbers", "--task classes"),
        };
        Err(format!(
            "`{name}` cannot be read as {wanted}: {bad} of {} values are not {what} (such as \
             `{first}`); leave --task out, or try {else_}",
            self.present()
        ))
    }

    /// The task and the reason.
    fn kind(&self, name: &str) -> Result<(Kind, String), String> {
        let (n, k) = (self.present(), self.distinct());
        if n == 0 {
            return Err(format!("column `{name}` is empty"));
        }
        if self.is_zero_one() || self.is_truth() {
            return Ok((Kind::Binary, format!("`{name}` holds nothing but yes and no")));
        }
        if self.mostly_numbers() {
            // A few whole numbers, each of them often: codes of classes.
            if self.strays == 0 && self.whole() && k <= MOST_NUMBERED_CLASSES && 5 * k <= n {
                let reason = format!("`{name}` holds {k} different whole numbers in {n} rows");
                return Ok((Kind::Classes, reason));
            }
            return Ok((Kind::Regression, format!("`{name}` holds {k} different numbers")));
        }
        if k > MOST_CLASSES || 2 * k > n.max(2) {
            return Err(format!(
                "column `{name}` holds {k} different texts in {n} rows, which are neither \
                 numbers nor classes; is it a name? Choose another with --target"
            ));
        }
        Ok((Kind::Classes, format!("`{name}` holds {k} different texts")))
    }
}

/// Decides what the columns ask for and reads their targets.
///
/// # Errors
/// When the columns are empty, hold names rather than classes, or contradict each other.
///
/// ```
/// use gsn_lab::user_data::task::{Cell, Column, decide};
/// let cells = vec![Cell::Number(1.5), Cell::Gap, Cell::Text("-0.3".into())];
/// let y = Column { name: "logP".into(), cells };
/// let decision = decide(&[y], None).unwrap();
/// assert_eq!(decision.task, gsn_lab::Task::Regression(1));
/// assert_eq!(decision.rows[1], Err("no target".into()));
/// ```
pub fn decide(columns: &[Column], wanted: Option<Kind>) -> Result<Decision> {
    let fail = |what: String| Error::Recipe(what);
    let values: Vec<Values> = columns.iter().map(Values::of).collect();
    let mut kinds = Vec::new();
    for (column, values) in columns.iter().zip(&values) {
        let found = values.kind(&column.name);
        kinds.push(match wanted {
            Some(kind) => {
                values.allow(&column.name, kind).map_err(fail)?;
                (kind, format!("`{}` is read so, as asked for", column.name))
            }
            None => found.map_err(fail)?,
        });
    }
    let Some((first, reason)) = kinds.first().cloned() else {
        return Err(fail("there is no target; name a column with --target".into()));
    };
    if let ([column], [values]) = (columns, &values[..]) {
        return single(column, values, first, reason);
    }
    several(columns, &values, &kinds.iter().map(|(kind, _)| *kind).collect::<Vec<_>>())
}

/// Reads the targets of one column.
fn single(column: &Column, values: &Values, kind: Kind, why: String) -> Result<Decision> {
    let name = &column.name;
    let classes: Vec<String> = sorted_classes(values);
    let read = |at: usize, cell: &Cell| -> Result<Vec<f64>, String> {
        if cell.is_gap() {
            return Err("no target".into());
        }
        let number = || {
            let wrong = || format!("target `{cell}` is no finite number");
            values.numbers[at].ok_or_else(wrong)
        };
        match kind {
            Kind::Regression => Ok(vec![number()?]),
            Kind::Binary => match cell.truth().or(values.numbers[at]) {
                Some(x) if x == 0.0 || x == 1.0 => Ok(vec![x]),
                _ => Err(format!("target `{cell}` is neither 0 nor 1")),
            },
            Kind::Classes => {
                let class = classes.iter().position(|class| *class == cell.class_name());
                class.map(|at| vec![at as f64]).ok_or_else(|| "no target".into())
            }
        }
    };
    let rows: Vec<_> = column.cells.iter().enumerate().map(|(at, cell)| read(at, cell)).collect();
    let (task, what) = match kind {
        Kind::Regression => (Task::Regression(1), "regression".to_owned()),
        Kind::Binary => (Task::Binary(1), "yes or no".to_owned()),
        Kind::Classes => {
            let what = format!("{} classes", classes.len());
            (Task::Classes(classes), what)
        }
    };
    let mut warnings = gaps(name, values, "row has", "rows have");
    let (shares, constant) = judge(name, &task, 0, &rows);
    warnings.extend(shares);
    if let Some(constant) = constant {
        return Err(Error::Recipe(format!("{constant}: there is nothing to learn")));
    }
    Ok(Decision { task, reason: format!("{what}, since {why}"), rows, warnings })
}

/// Reads several columns; a gap is NaN and a row without any target is none.
fn several(columns: &[Column], values: &[Values], kinds: &[Kind]) -> Result<Decision> {
    let names = |wanted: Kind| {
        let of = columns.iter().zip(kinds).filter(|(_, kind)| **kind == wanted);
        of.map(|(column, _)| format!("`{}`", column.name)).collect::<Vec<_>>().join(", ")
    };
    let text = columns
        .iter()
        .zip(values)
        .find(|(_, values)| !values.is_truth() && !values.mostly_numbers());
    if let Some((column, _)) = text {
        return Err(Error::Recipe(format!(
            "several targets must be numbers or yes and no, but `{}` holds texts; give it alone",
            column.name
        )));
    }
    let binary = kinds.iter().all(|kind| *kind == Kind::Binary);
    let n = columns.len();
    let mut warnings = Vec::new();
    let (task, reason) = if binary {
        (Task::Binary(n), format!("{n} questions of yes or no, since all columns hold only those"))
    } else {
        let other = names(Kind::Binary);
        if !other.is_empty() {
            warnings
                .push(format!("{other} hold only 0 and 1 but stand beside numbers: regression"));
        }
        (Task::Regression(n), format!("regression of {n} targets, since the columns hold numbers"))
    };
    let mut rows = Vec::new();
    for at in 0..columns[0].cells.len() {
        let row: Vec<Result<f64, String>> = columns
            .iter()
            .zip(values)
            .map(|(column, values)| {
                let cell = &column.cells[at];
                if cell.is_gap() {
                    return Ok(f64::NAN);
                }
                let found = values.numbers[at].or_else(|| cell.truth());
                let fits = found.filter(|&x| !binary || x == 0.0 || x == 1.0);
                fits.ok_or_else(|| format!("target `{cell}` of `{}` cannot be used", column.name))
            })
            .collect();
        let row: Result<Vec<f64>, String> = row.into_iter().collect();
        rows.push(match row {
            Ok(row) if row.iter().all(|x| x.is_nan()) => Err("no target".into()),
            row => row,
        });
    }
    let mut constants = Vec::new();
    for (at, (column, values)) in columns.iter().zip(values).enumerate() {
        warnings.extend(gaps(&column.name, values, "row has", "rows have"));
        let (shares, constant) = judge(&column.name, &task, at, &rows);
        warnings.extend(shares);
        constants.extend(constant);
    }
    if constants.len() == n {
        return Err(Error::Recipe("every target is constant: there is nothing to learn".into()));
    }
    warnings.extend(constants);
    Ok(Decision { task, reason, rows, warnings })
}

/// Class names, numbers by value and texts by alphabet.
fn sorted_classes(values: &Values) -> Vec<String> {
    let mut names: Vec<String> = values.texts.keys().cloned().collect();
    names.sort_by(|a, b| match (number(a), number(b)) {
        (Some(x), Some(y)) => x.total_cmp(&y),
        (Some(_), None) => std::cmp::Ordering::Less,
        (None, Some(_)) => std::cmp::Ordering::Greater,
        (None, None) => a.cmp(b),
    });
    names
}

fn gaps(name: &str, values: &Values, one: &str, many: &str) -> Vec<String> {
    let say = |n: usize, what: &str| {
        (n > 0).then(|| format!("{n} {} {what} in `{name}`", if n == 1 { one } else { many }))
    };
    let strays = if values.mostly_numbers() && !values.is_truth() { values.strays } else { 0 };
    say(values.gaps, "no value").into_iter().chain(say(strays, "no finite number")).collect()
}

/// A class with fewer than this share of the rows gets a warning.
const RARE: f64 = 0.2;

/// Shares of the classes where they are uneven, and whether target `at` never changes.
fn judge(
    name: &str,
    task: &Task,
    at: usize,
    rows: &[Result<Vec<f64>, String>],
) -> (Option<String>, Option<String>) {
    let present: Vec<f64> =
        rows.iter().flatten().map(|row| row[at]).filter(|x| !x.is_nan()).collect();
    let Some(&first) = present.first() else {
        return (None, Some(format!("target `{name}` has no value at all")));
    };
    if present.iter().all(|&x| x == first) {
        let shown = match task {
            Task::Classes(names) => names.get(first as usize).cloned().unwrap_or_default(),
            _ => format!("{first}"),
        };
        return (None, Some(format!("target `{name}` is constant (always {shown})")));
    }
    let classes = match task {
        Task::Regression(_) => return (None, None),
        Task::Binary(_) => 2,
        Task::Classes(names) => names.len(),
    };
    let mut members = vec![0usize; classes];
    present.iter().for_each(|&x| members[x as usize] += 1);
    let share = |class: usize| members[class] as f64 / present.len() as f64;
    let rarest = (0..classes).min_by_key(|&class| members[class]).unwrap_or(0);
    let fair = 1.0 / classes as f64;
    if share(rarest) >= RARE.min(fair / 2.0) {
        return (None, None);
    }
    let who = match task {
        Task::Classes(names) => format!("class `{}` of `{name}`", names[rarest]),
        _ => format!("`{}` of `{name}`", if rarest == 1 { "yes" } else { "no" }),
    };
    let text = format!(
        "imbalance: {who} is {} of {} rows ({:.1} %)",
        members[rarest],
        present.len(),
        100.0 * share(rarest)
    );
    (Some(text), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(texts: &[&str]) -> Column {
        Column { name: "y".into(), cells: texts.iter().map(|t| Cell::Text((*t).into())).collect() }
    }

    fn task(texts: &[&str]) -> Task {
        decide(&[column(texts)], None).unwrap().task
    }

    #[test]
    fn the_task_follows_from_the_values() {
        assert_eq!(task(&["0.5", "1", "2"]), Task::Regression(1));
        assert_eq!(task(&["0", "1", "1"]), Task::Binary(1));
        assert_eq!(task(&["0.0", "1.0", ""]), Task::Binary(1));
        assert_eq!(task(&["True", "false"]), Task::Binary(1));
        let many = ["2", "1", "3"].repeat(10);
        assert_eq!(task(&many), Task::Classes(["1", "2", "3"].map(String::from).into()));
        // Few rows: three whole numbers may be anything, so they stay numbers.
        assert_eq!(task(&["2", "1", "3"]), Task::Regression(1));
        let texts = ["CI", "CA", "CM"].repeat(4);
        assert_eq!(task(&texts), Task::Classes(["CA", "CI", "CM"].map(String::from).into()));
        let ten: Vec<String> = (0..200).map(|i| (i % 10 * 10).to_string()).collect();
        let ten: Vec<&str> = ten.iter().map(String::as_str).collect();
        let Task::Classes(names) = task(&ten) else { panic!() };
        assert_eq!(names[1..3], ["10", "20"], "classes that are numbers are sorted as numbers");
    }

    #[test]
    fn names_are_no_classes_and_constants_are_no_targets() {
        let error = |texts: &[&str]| decide(&[column(texts)], None).unwrap_err().to_string();
        assert!(error(&["CHEMBL1", "CHEMBL2", "CHEMBL3"]).contains("is it a name?"));
        assert!(error(&["3", "3", "3"]).contains("constant (always 3)"));
        assert!(error(&["1", "1"]).contains("constant"));
        assert!(error(&["", "NA"]).contains("empty"));
        assert!(decide(&[], None).is_err());
    }

    #[test]
    fn stray_texts_cost_their_rows_and_no_more() {
        let mut texts: Vec<String> = (0..60).map(|i| format!("{}.5", i)).collect();
        texts[7] = ">100".into();
        texts[8] = "inf".into();
        let cells = texts.into_iter().map(Cell::Text).collect();
        let columns = [Column { name: "y".into(), cells }];
        let decision = decide(&columns, None).unwrap();
        assert_eq!(decision.task, Task::Regression(1));
        assert_eq!(decision.rows[7], Err("target `>100` is no finite number".into()));
        assert!(decision.rows[8].is_err());
        assert_eq!(decision.rows[9], Ok(vec![9.5]));
        assert_eq!(decision.warnings, ["2 rows have no finite number in `y`"]);
    }

    #[test]
    fn several_targets_may_have_gaps() {
        let named = |name: &str, texts: &[&str]| Column { name: name.into(), ..column(texts) };
        let columns = [
            named("a", &["0", "1", "", ""]),
            named("b", &["1", "", "0", ""]),
            named("c", &["1", "1", "1", ""]),
        ];
        let decision = decide(&columns, None).unwrap();
        assert_eq!(decision.task, Task::Binary(3));
        assert!(decision.rows[1].as_ref().unwrap()[1].is_nan());
        assert_eq!(decision.rows[3], Err("no target".into()));
        assert!(decision.warnings.iter().any(|w| w.contains("`c` is constant")));
        let mixed = [named("a", &["0", "1"]), named("b", &["0.5", "2"])];
        assert_eq!(decide(&mixed, None).unwrap().task, Task::Regression(2));
        let text = [named("a", &["0", "1"]), named("b", &["x", "y"])];
        assert!(decide(&text, None).is_err());
    }

    #[test]
    fn imbalance_is_named() {
        let mut texts = vec!["0"; 97];
        texts.extend(["1"; 3]);
        let decision = decide(&[column(&texts)], None).unwrap();
        assert_eq!(decision.warnings, ["imbalance: `yes` of `y` is 3 of 100 rows (3.0 %)"]);
    }

    #[test]
    fn the_decision_can_be_overruled() {
        let decision = decide(&[column(&["0", "1", "0"])], Some(Kind::Regression)).unwrap();
        assert_eq!(decision.task, Task::Regression(1));
        let decision = decide(&[column(&["0", "1", "7"])], Some(Kind::Binary)).unwrap();
        assert_eq!(decision.rows[2], Err("target `7` is neither 0 nor 1".into()));
        assert_eq!(decision.reason, "yes or no, since `y` is read so, as asked for");
    }

    #[test]
    fn a_task_that_the_values_contradict_is_refused() {
        let error =
            |texts: &[&str], kind| decide(&[column(texts)], Some(kind)).unwrap_err().to_string();
        let said = error(&["0.5", "1", "-3.25", "1"], Kind::Binary);
        assert!(said.contains("`y` cannot be read as binary: 2 of 4 values"), "{said}");
        assert!(said.contains("--task regression"), "{said}");
        let said = error(&["red", "blue", "1"], Kind::Regression);
        assert!(said.contains("2 of 3 values are not numbers (such as `blue`)"), "{said}");
    }
}
