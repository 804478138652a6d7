//! How far a long job is: a line that moves in a terminal, a line now and then in a log.

use crate::interrupt;
use crate::outcome::say;
use gsn_io::{Event, Monitor};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Jobs shorter than this say nothing on the way.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two lines in a log.
const PERIOD: Duration = Duration::from_secs(10);

/// Shows progress on standard error.
pub(crate) struct Progress {
    start: Instant,
    wanted: bool,
    shown: Mutex<Shown>,
}

enum Shown {
    Nothing,
    Bar(ProgressBar),
    Line(Instant),
}

impl Progress {
    /// Starts the clock; a quiet one stays silent.
    pub(crate) fn new(quiet: bool) -> Self {
        Self { start: Instant::now(), wanted: !quiet, shown: Mutex::new(Shown::Nothing) }
    }

    /// Time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// A monitor that shows events in these words, which also get the seconds since the start, and
    /// that Ctrl-C stops. Call once a process.
    pub(crate) fn monitor(
        self: &Arc<Self>,
        words: impl Fn(Event, f64) -> String + Send + Sync + 'static,
    ) -> Monitor {
        let shown = self.clone();
        Monitor::default().with_cancel(interrupt::switch()).with_events(move |event| {
            shown.tell(|| words(event, shown.elapsed().as_secs_f64()));
        })
    }

    /// Says where the job is; cheap enough for every batch.
    pub(crate) fn tell(&self, message: impl FnOnce() -> String) {
        if !self.wanted || self.elapsed() < PATIENCE {
            return;
        }
        let Ok(mut shown) = self.shown.lock() else { return };
        if matches!(*shown, Shown::Nothing) {
            *shown = if std::io::stderr().is_terminal() {
                let bar = ProgressBar::new_spinner();
                let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
                bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
                bar.enable_steady_tick(Duration::from_millis(120));
                Shown::Bar(bar)
            } else {
                Shown::Line(self.start)
            };
        }
        match &mut *shown {
            Shown::Nothing => {}
            Shown::Bar(bar) => bar.set_message(message()),
            Shown::Line(last) if last.elapsed() >= PERIOD => {
                *last = Instant::now();
                say(message());
            }
            Shown::Line(_) => {}
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Ok(shown) = self.shown.get_mut()
            && let Shown::Bar(bar) = shown
        {
            bar.finish_and_clear();
        }
    }
}
