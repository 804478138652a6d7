//! A verb called by another program: the same options as on the command line, results as values.
//!
//! The Python package asks for training, separation and suggestions this way, so that every option
//! of the program is one of its functions as well, checked by the same code.

use crate::args::{Cli, Verb};
use crate::cmd;
use crate::given::Given;
use crate::memory;
use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches};
use gsn_lab::experiment::{Experiment, TrainRequest};
use gsn_lab::separate::GraphList;
use serde_json::Value;
use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A verb with its options, checked.
pub struct Call {
    cli: Cli,
    given: Given,
}

/// Why something cannot be done, in words.
type Result<T> = std::result::Result<T, String>;

impl Call {
    /// Reads arguments as they would stand on the command line behind `gsn`.
    ///
    /// # Errors
    /// One sentence that names the option.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self> {
        let all = std::iter::once("gsn".into()).chain(arguments);
        let matches = Cli::command().try_get_matches_from(all).map_err(|e| sentence(&e))?;
        let cli = Cli::from_arg_matches(&matches).map_err(|e| sentence(&e))?;
        Ok(Self { cli, given: Given::of(&matches) })
    }

    /// Threads that are asked for.
    pub fn threads(&self) -> Option<usize> {
        self.cli.common.threads.map(usize::from)
    }

    /// Limits the memory of this process, as asked for or by default.
    pub fn limit_memory(&self) {
        memory::limit(self.cli.common.max_memory);
    }

    /// What `gsn train` is asked for; `stop` ends the run, with everything saved.
    ///
    /// # Errors
    /// When options contradict each other.
    pub fn train(&self, stop: Arc<AtomicBool>) -> Result<TrainRequest> {
        match &self.cli.verb {
            Verb::Train(arguments) => in_words(cmd::train::request(arguments, &self.given, stop)),
            _ => Err("this is no training".into()),
        }
    }

    /// What `gsn train` says about an experiment before it starts, a line each.
    pub fn told(experiment: &Experiment) -> Vec<String> {
        cmd::user_data::told(experiment)
    }

    /// What `gsn separate --json` prints, an object for each file; or for `graphs` in place of
    /// files.
    ///
    /// # Errors
    /// As the verb.
    pub fn separate(&self, graphs: Option<GraphList>) -> Result<Vec<Value>> {
        match &self.cli.verb {
            Verb::Separate(arguments) => in_words(cmd::separate::found(arguments, graphs)),
            _ => Err("this is no separation".into()),
        }
    }

    /// What `gsn suggest --json` prints, but for the command, and what it says on the way.
    ///
    /// # Errors
    /// As the verb.
    pub fn suggest(&self) -> Result<(Value, Vec<String>)> {
        match &self.cli.verb {
            Verb::Suggest(arguments) => in_words(cmd::suggest::found(arguments)),
            _ => Err("this is no suggestion".into()),
        }
    }
}

fn in_words<T>(result: anyhow::Result<T>) -> Result<T> {
    result.map_err(|error| format!("{error:#}"))
}

/// What is wrong with the arguments, without usage and colours.
fn sentence(error: &clap::Error) -> String {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    let first = first.strip_prefix("error: ").unwrap_or(first).trim_end_matches(':').to_owned();
    match error.get(ContextKind::SuggestedArg) {
        Some(ContextValue::String(near)) => format!("{first}; there is '{near}'"),
        _ => first,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &str) -> Result<Call> {
        Call::parse(words.split(' ').map(OsString::from))
    }

    #[test]
    fn mistakes_are_one_sentence_each() {
        let said = |words: &str| of(words).err().unwrap();
        assert_eq!(
            said("train mutag-gsn-e --epoch=3"),
            "unexpected argument '--epoch' found; there is '--epochs'"
        );
        assert_eq!(
            said("train mutag-gsn-e --seeds=0"),
            "invalid value '0' for '--seeds <N>': 0 is not in 1..=10000"
        );
        let call = of("train mutag-gsn-e --epochs=3 --set training.epochs=4").unwrap();
        let twice = call.train(Arc::default()).unwrap_err();
        assert!(twice.contains("change the same key"), "{twice}");
        assert!(call.separate(None).is_err() && call.suggest().is_err());
    }

    #[test]
    fn options_arrive() {
        let call = of("train mutag-gsn-e --epochs=3 --seeds 2 --threads 5 -o there").unwrap();
        let request = call.train(Arc::default()).unwrap();
        assert_eq!(call.threads(), Some(5));
        assert_eq!(request.settings, ["training.epochs=3", "seeds=2"]);
        assert_eq!(request.out.as_deref(), Some("there".as_ref()));
    }
}
