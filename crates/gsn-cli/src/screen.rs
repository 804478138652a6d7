//! What a person sees of a training: a bar for every unit under way and one for all in a
//! terminal, a line now and then in a log.

use crate::outcome::say;
use gsn_lab::experiment::{Event, Observer, Planned};
use gsn_lab::train::{Metric, Row};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time between two lines in a log.
const PERIOD: Duration = Duration::from_secs(15);
/// Time between two looks at the bars.
const GLANCE: Duration = Duration::from_millis(100);

/// The line for all units, and that of one of them; both end where the terminal does.
const TOTAL: &str = "{bar:16} {wide_msg}";
const UNIT: &str = "{prefix:12!} {bar:8} {pos}/{len} {wide_msg}";

/// Shows a training on standard error.
pub(crate) struct Screen {
    quiet: bool,
    terminal: bool,
    bars: MultiProgress,
    state: Mutex<State>,
}

struct State {
    metric: Metric,
    units: Vec<Unit>,
    total: Option<ProgressBar>,
    epochs: u64,
    steps: u64,
    /// Steps that were done before this session.
    before: u64,
    begin: Instant,
    told: Instant,
}

#[derive(Default)]
struct Unit {
    name: String,
    bar: Option<ProgressBar>,
    /// Steps so far.
    steps: u64,
    done: bool,
    /// The best epoch so far and its number.
    best: Option<(u64, f64)>,
}

impl Screen {
    /// A quiet one stays silent.
    pub(crate) fn new(quiet: bool) -> Self {
        let now = Instant::now();
        let state = State {
            metric: Metric::Accuracy,
            units: Vec::new(),
            total: None,
            epochs: 0,
            steps: 0,
            before: 0,
            begin: now,
            told: now,
        };
        Self {
            quiet,
            terminal: std::io::stderr().is_terminal(),
            bars: MultiProgress::new(),
            state: Mutex::new(state),
        }
    }

    fn tell(&self, line: &str) {
        match self.terminal {
            true => drop(self.bars.println(line)),
            false => say(line),
        }
    }

    fn bar(&self, length: u64, template: &str) -> ProgressBar {
        let bar = ProgressBar::new(length);
        let style = ProgressStyle::with_template(template);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━╸─"));
        bar
    }

    fn planned(&self, state: &mut State, plan: &Planned<'_>) {
        state.units =
            plan.units.iter().map(|name| Unit { name: name.clone(), ..Unit::default() }).collect();
        (state.metric, state.epochs, state.steps) = (plan.metric, plan.epochs, plan.steps);
        state.begin = Instant::now();
        let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let beside = match (plan.jobs, plan.threads) {
            (1, threads) => format!("one after the other with {}", plural(threads, "thread")),
            (jobs, threads) => {
                format!("{jobs} side by side with {} each", plural(threads, "thread"))
            }
        };
        self.tell(&format!(
            "{} of up to {} epochs of {} steps, {beside}; {} parameters",
            plural(plan.units.len(), "unit"),
            plan.epochs,
            plan.steps,
            plan.parameters
        ));
        if self.terminal {
            if let Some(before) = state.total.take() {
                before.finish_and_clear();
            }
            let bar = self.bar(plan.epochs * plan.units.len() as u64, TOTAL);
            state.total = Some(self.bars.add(bar));
        }
    }

    fn epoch(&self, state: &mut State, unit: usize, row: &Row, best: Option<(u64, f64)>) {
        let (metric, epochs) = (state.metric, state.epochs);
        let Some(one) = state.units.get_mut(unit) else { return };
        // Where nothing is chosen by validation, the best is the best on the test part.
        let seen = row.test.filter(|_| best.is_none());
        one.best = match (best, seen, one.best) {
            (Some(best), ..) => Some(best),
            (None, Some(x), Some((_, b))) if !metric.better(x, b) => one.best,
            (None, Some(x), _) => Some((row.epoch, x)),
            (None, None, before) => before,
        };
        if let Some(bar) = &one.bar {
            bar.set_position(row.epoch);
            bar.set_message(describe(metric, row, one.best));
        }
        let line = format!(
            "{}: epoch {} of {epochs}, {}",
            one.name,
            row.epoch,
            describe(metric, row, one.best)
        );
        if !self.terminal && state.told.elapsed() >= PERIOD {
            state.told = Instant::now();
            self.tell(&format!("{line}; {}", state.summary()));
        }
    }

    fn glance(&self, state: &mut State) {
        if self.terminal && state.told.elapsed() >= GLANCE {
            state.told = Instant::now();
            if let Some(total) = &state.total {
                total.set_position(state.epochs_done());
                total.set_message(state.summary());
            }
        }
    }
}

impl State {
    fn epochs_done(&self) -> u64 {
        let of = |unit: &Unit| if unit.done { self.epochs } else { unit.steps / self.steps.max(1) };
        self.units.iter().map(of).sum()
    }

    /// `312 of 3000 epochs, 14.2 a second, 3m10s left, 1 of 10 units done`
    fn summary(&self) -> String {
        let done: u64 = self.units.iter().map(|u| u.steps).sum();
        let whole = self.epochs * self.steps;
        let left: u64 =
            self.units.iter().filter(|u| !u.done).map(|u| whole.saturating_sub(u.steps)).sum();
        let rate = done.saturating_sub(self.before) as f64 / self.begin.elapsed().as_secs_f64();
        let units = self.units.iter().filter(|u| u.done).count();
        let pace = rate / self.steps.max(1) as f64;
        let left = if rate > 0.0 { time(left as f64 / rate) } else { "?".into() };
        format!(
            "{} of {} epochs, {}, {left} left at most, {units} of {} units done",
            self.epochs_done(),
            self.epochs * self.units.len() as u64,
            if pace >= 1.0 {
                format!("{pace:.1} a second")
            } else {
                format!("{:.1} s each", 1.0 / pace)
            },
            self.units.len()
        )
    }
}

/// `45s`, `3m10s`, `2h05m`, `3d04h`
pub(crate) fn time(seconds: f64) -> String {
    let s = seconds.round().min(1e9) as u64;
    match s {
        0..60 => format!("{s}s"),
        60..3600 => format!("{}m{:02}s", s / 60, s % 60),
        3600..86_400 => format!("{}h{:02}m", s / 3600, s % 3600 / 60),
        _ => format!("{}d{:02}h", s / 86_400, s % 86_400 / 3600),
    }
}

fn describe(metric: Metric, row: &Row, best: Option<(u64, f64)>) -> String {
    let mut text = format!("loss {:.4}", row.train_loss);
    for (name, value) in [("validation", row.validation), ("test", row.test)] {
        if let Some(value) = value {
            text += &format!(", {name} {} {value:.4}", metric.name());
        }
    }
    if let Some((epoch, value)) = best {
        text += &format!(" (best {value:.4} at {epoch})");
    }
    text
}

impl Observer for Screen {
    fn event(&self, event: Event<'_>) {
        if self.quiet {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        match event {
            Event::Phase(what) => self.tell(what),
            Event::Note(what) => self.tell(&format!("note: {what}")),
            Event::Planned(plan) => self.planned(state, &plan),
            Event::Started { unit, epoch } => {
                let (epochs, steps) = (state.epochs, state.steps);
                let Some(one) = state.units.get_mut(unit) else { return };
                one.steps = epoch * steps;
                state.before += one.steps;
                if self.terminal {
                    let bar = self.bar(epochs, UNIT);
                    bar.set_prefix(one.name.clone());
                    bar.set_position(epoch);
                    one.bar = Some(self.bars.insert_from_back(1, bar));
                }
            }
            Event::Step { unit, steps } => {
                if let Some(one) = state.units.get_mut(unit) {
                    one.steps = steps;
                }
                self.glance(state);
            }
            Event::Epoch { unit, row, best } => self.epoch(state, unit, row, best),
            Event::Done { unit, outcome } => {
                let metric = state.metric.name();
                let Some(one) = state.units.get_mut(unit) else { return };
                one.done = true;
                if let Some(bar) = one.bar.take() {
                    bar.finish_and_clear();
                    self.bars.remove(&bar);
                }
                let test = outcome.scores[2].and_then(|s| s.metric);
                let test = test.map(|x| format!(": test {metric} {x:.4}"));
                let line = format!(
                    "{} done after {} epochs{} at epoch {}",
                    one.name,
                    outcome.curve.len(),
                    test.unwrap_or_default(),
                    outcome.epoch
                );
                self.tell(&line);
            }
            _ => {}
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A bar that is dropped before its end would be drawn once more.
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let units = state.units.iter_mut().filter_map(|unit| unit.bar.take());
        for bar in units.chain(state.total.take()) {
            bar.finish_and_clear();
        }
        let _ = self.bars.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let said: Vec<String> = [5.2, 190.0, 7500.0, 273_600.0].map(time).into();
        assert_eq!(said, ["5s", "3m10s", "2h05m", "3d04h"]);
    }

    #[test]
    fn an_epoch_in_words() {
        let row = Row { epoch: 3, train_loss: 0.5, validation: Some(0.25), ..Row::default() };
        let said = describe(Metric::Mae, &row, Some((2, 0.2)));
        assert_eq!(said, "loss 0.5000, validation mae 0.2500 (best 0.2000 at 2)");
    }

    #[test]
    fn lines_fit_a_narrow_terminal_and_are_gone_in_the_end() {
        let terminal = indicatif::InMemoryTerm::new(12, 60);
        let target = indicatif::ProgressDrawTarget::term_like(Box::new(terminal.clone()));
        let mut screen = Screen::new(false);
        (screen.terminal, screen.bars) = (true, MultiProgress::with_draw_target(target));
        {
            let mut state = screen.state.lock().unwrap();
            (state.epochs, state.steps) = (1000, 10);
            state.units = vec![Unit { name: "a name of a unit".into(), ..Unit::default() }];
            let total = screen.bars.add(screen.bar(1000, TOTAL));
            total.set_message(state.summary());
            total.set_position(500);
            total.tick();
            let bar = screen.bars.insert_from_back(1, screen.bar(1000, UNIT));
            bar.set_prefix(state.units[0].name.clone());
            bar.set_message(
                "loss 0.1234, validation rmse 0.5678, test rmse 0.9012 (best 0.1 at 7)",
            );
            bar.tick();
            state.total = Some(total);
            state.units[0].bar = Some(bar);
        }
        let shown = terminal.contents();
        assert_eq!(shown.lines().count(), 2, "{shown}");
        assert!(shown.lines().all(|line| line.chars().count() <= 60), "{shown}");
        drop(screen);
        assert_eq!(terminal.contents(), "");
    }
}
