//! Answers as the columns of a table: what is predicted, how sure, and what speaks against it.
//!
//! | column | what |
//! |---|---|
//! | `T` | the prediction: a number, the probability of yes, or the class |
//! | `T=C` | the probability of class C |
//! | `T_spread` | standard deviation over the members (of the class named first), if there are several |
//! | `T_low`, `T_high` | the interval of a number, if the model is calibrated |
//! | `T_set` | the answers that cannot be ruled out, such as `{no|yes}`, likewise |
//! | `flag` | why the prediction should not be trusted; empty if nothing is known |

use super::{Answer, Predictor};
use crate::conformal::{Calibration, Level};
use crate::dataset::Task;
use crate::ensemble::Said;
use gsn_io::{Prediction, PredictionKind};

impl Predictor {
    /// Errors that intervals follow from, and how often they shall hold; nothing if none are
    /// given.
    fn calibrated(&self) -> Option<(&Calibration, Level)> {
        self.file.card.calibration.as_ref().zip(self.level)
    }

    /// Columns of a table of predictions.
    pub fn columns(&self) -> Vec<(String, PredictionKind)> {
        use PredictionKind::{Number, Text};
        let card = &self.file.card;
        let mut columns = Vec::new();
        let several = !self.file.others.is_empty();
        for target in &card.targets {
            let kind = if matches!(card.task, Task::Classes(_)) { Text } else { Number };
            columns.push((target.clone(), kind));
            if let Task::Classes(names) = &card.task {
                columns.extend(names.iter().map(|name| (format!("{target}={name}"), Number)));
            }
            if several {
                columns.push((format!("{target}_spread"), Number));
            }
            match (self.calibrated(), &card.task) {
                (None, _) => {}
                (Some(_), Task::Regression(_)) => {
                    columns.push((format!("{target}_low"), Number));
                    columns.push((format!("{target}_high"), Number));
                }
                (Some(_), _) => columns.push((format!("{target}_set"), Text)),
            }
        }
        columns.push(("flag".into(), Text));
        columns
    }

    /// One row of such a table.
    ///
    /// # Errors
    /// Why there is no prediction.
    pub fn cells(&self, answer: &Answer) -> Result<Vec<Prediction>, String> {
        let said = answer.said.as_ref().map_err(Clone::clone)?;
        let task = &self.file.card.task;
        let mut cells = Vec::new();
        for target in 0..task.targets() {
            let column = match task {
                Task::Classes(names) => {
                    let class = said.class();
                    let name = class.and_then(|class| names.get(class)).cloned();
                    cells.push(Prediction::Text(name.unwrap_or_default()));
                    cells.extend(said.numbers.iter().map(|&p| Prediction::Number(p)));
                    class
                }
                _ => {
                    cells.push(number(said.numbers.get(target)));
                    Some(target)
                }
            };
            if !self.file.others.is_empty() {
                let spread = said.spread.as_ref().zip(column);
                cells.push(number(spread.and_then(|(spread, column)| spread.get(column))));
            }
            self.bounds(target, said, &answer.groups, &mut cells);
        }
        let flag = self.flag(answer);
        cells.push(if flag.is_empty() { Prediction::Missing } else { Prediction::Text(flag) });
        Ok(cells)
    }

    /// The interval or the set of a target.
    fn bounds(&self, target: usize, said: &Said, groups: &[Said], cells: &mut Vec<Prediction>) {
        let Some((calibration, level)) = self.calibrated() else { return };
        let task = &self.file.card.task;
        let set = |names: &[String]| {
            let set = calibration.set(task, target, level, said, groups);
            set.map_or(Prediction::Missing, |set| {
                let inside = names.iter().zip(set).filter(|(_, is_in)| *is_in);
                let names: Vec<&str> = inside.map(|(name, _)| name.as_str()).collect();
                Prediction::Text(format!("{{{}}}", names.join("|")))
            })
        };
        match task {
            Task::Regression(_) => {
                let interval = calibration.interval(target, level, said, groups);
                cells.push(number(interval.as_ref().map(|[low, _]| low)));
                cells.push(number(interval.as_ref().map(|[_, high]| high)));
            }
            Task::Binary(_) => cells.push(set(&["no".into(), "yes".into()])),
            Task::Classes(names) => cells.push(set(names)),
        }
    }

    /// Why a prediction should not be trusted; empty if nothing is known.
    pub fn flag(&self, answer: &Answer) -> String {
        let mut reasons = Vec::new();
        let unseen = answer.unseen.phrases(self.reader.molecules.is_some());
        if !unseen.is_empty() {
            reasons.push(format!("never seen in training: {}", unseen.join(", ")));
        }
        let targets = &self.file.card.targets;
        let outside: Vec<&str> =
            answer.outside.iter().filter_map(|&t| targets.get(t)).map(String::as_str).collect();
        if !outside.is_empty() {
            let names = outside.join(", ");
            reasons.push(format!("far outside the targets of the training, taken back: {names}"));
        }
        reasons.join("; ")
    }

    /// Targets without intervals, since there are too few errors for the level, and how many it
    /// takes; nothing if all have theirs or none are given.
    pub fn too_few_errors(&self) -> Option<(usize, Level)> {
        let (calibration, level) = self.calibrated()?;
        let targets = calibration.too_few(level);
        (targets > 0).then_some((targets, level))
    }
}

fn number(x: Option<&f64>) -> Prediction {
    x.map_or(Prediction::Missing, |&x| Prediction::Number(x))
}
