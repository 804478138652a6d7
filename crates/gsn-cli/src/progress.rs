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
/// The line in a terminal; it ends where the terminal does.
const LINE: &str = "{spinner} {elapsed} {wide_msg}";
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
                let style = ProgressStyle::with_template(LINE);
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

/// The time that is left of a job, from the shares of it that are done.
#[derive(Debug, Default)]
pub(crate) struct TimeLeft {
    /// Share and time when the job began.
    begin: Option<(f64, f64)>,
    last: f64,
}

impl TimeLeft {
    /// Seconds that are left after a share is done at `seconds`; nothing as long as that is a
    /// guess. A share that falls is that of another job.
    pub(crate) fn after(&mut self, share: f64, seconds: f64) -> Option<f64> {
        // Threads may tell shares a little out of order.
        if share + 0.05 < self.last {
            (self.begin, self.last) = (None, share);
        }
        self.last = share.max(self.last);
        let (share_then, then) = *self.begin.get_or_insert((share, seconds));
        let (done, took) = (share - share_then, seconds - then);
        (done >= 0.02 && took >= 1.0).then(|| took / done * (1.0 - share))
    }

    /// The same as the end of a sentence.
    pub(crate) fn in_words(&mut self, share: f64, seconds: f64) -> String {
        let left = self.after(share, seconds);
        left.map(|left| format!(", about {} left", crate::screen::time(left))).unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_the_share_and_starts_anew_with_another_job() {
        let mut left = TimeLeft::default();
        assert_eq!(left.after(0.1, 5.0), None);
        assert_eq!(left.after(0.11, 9.0), None, "too little is done");
        assert_eq!(left.after(0.3, 15.0), Some(35.0));
        assert_eq!(left.after(0.6, 30.0), Some(20.0));
        assert!(left.after(0.59, 30.5).is_some(), "a thread was late");
        assert_eq!(left.after(0.05, 31.0), None, "another graph");
        assert_eq!(left.in_words(0.55, 41.0), ", about 9s left");
    }

    #[test]
    fn a_long_line_is_cut_where_the_terminal_ends() {
        let terminal = indicatif::InMemoryTerm::new(5, 40);
        let target = indicatif::ProgressDrawTarget::term_like(Box::new(terminal.clone()));
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_style(ProgressStyle::with_template(LINE).unwrap());
        bar.set_message("words ".repeat(20));
        bar.tick();
        let shown = terminal.contents();
        assert_eq!((shown.lines().count(), shown.chars().count() <= 40), (1, true), "{shown}");
        bar.finish_and_clear();
        assert_eq!(terminal.contents(), "");
    }
}
