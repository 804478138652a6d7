//! Colour and weight of text, where the stream is a terminal that wants them.

use std::io::IsTerminal;

/// Whether text may carry escape codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    colour: bool,
}

/// Colours of orbits in a terminal (of the 256-colour palette), in the order of their use.
const TERMINAL: [u8; 10] = [39, 208, 35, 176, 220, 117, 141, 245, 148, 130];

impl Style {
    /// Colours if standard output is a terminal and `NO_COLOR` is not set.
    pub(crate) fn of_stdout() -> Self {
        Self::of(std::io::stdout().is_terminal())
    }

    /// Colours if standard error is a terminal and `NO_COLOR` is not set.
    pub(crate) fn of_stderr() -> Self {
        Self::of(std::io::stderr().is_terminal())
    }

    fn of(terminal: bool) -> Self {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        Self { colour: terminal && !unwanted }
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Text in the colour of an orbit.
    pub(crate) fn orbit(self, orbit: usize, text: &str) -> String {
        self.wrap(&format!("1;38;5;{}", TERMINAL[orbit % TERMINAL.len()]), text)
    }

    /// Bold text.
    pub(crate) fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// Dim text.
    pub(crate) fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    /// Text for errors.
    pub(crate) fn alarm(self, text: &str) -> String {
        self.wrap("1;31", text)
    }
}

/// Columns of the terminal, or 100 where there is none.
pub(crate) fn columns() -> usize {
    terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0)).max(40)
}
