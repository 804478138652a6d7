//! Formats whose files hold one graph.

use crate::error::Error;
use crate::record::{GraphRecord, Row};
use crate::source::Rows;
use std::collections::VecDeque;

/// Reads the one graph of a file.
pub(super) trait OneGraph: Send {
    /// The graph; asked for once.
    fn read(&mut self) -> Result<GraphRecord, Error>;

    /// What the user should know about the input as a whole.
    fn notes(&self) -> Vec<String>;
}

/// The graph of a [`OneGraph`] as the only row.
pub(super) struct Single<R> {
    reader: R,
    ended: bool,
}

impl<R> Single<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, ended: false }
    }
}

impl<R: OneGraph> Rows for Single<R> {
    fn fill(&mut self, rows: &mut VecDeque<Row>) -> Result<bool, Error> {
        if !std::mem::replace(&mut self.ended, true) {
            rows.push_back(Row::Graph(self.reader.read()?));
        }
        Ok(false)
    }

    fn notes(&self) -> Vec<String> {
        self.reader.notes()
    }
}
