//! Options put over others key by key: what the command line says over what a recipe says.

use super::Options;
use crate::error::{Error, Result};

impl Options {
    /// These where they were given or differ from the defaults, else those of `base`. `given` are
    /// names of keys, or of the options of the program that stand for them.
    ///
    /// # Errors
    /// Never for options that can be written down.
    pub fn over(&self, base: &Options, given: &[String]) -> Result<Options> {
        let table = |options: &Options| {
            toml::Table::try_from(options)
                .map_err(|e| Error::Recipe(format!("reading: cannot be written down: {e}")))
        };
        let (mine, default, mut merged) = (table(self)?, table(&Options::default())?, table(base)?);
        let keys: Vec<String> = given.iter().map(|name| key(name).to_owned()).collect();
        for key in mine.keys().chain(&keys) {
            if keys.contains(key) || mine.get(key) != default.get(key) {
                match mine.get(key) {
                    Some(value) => merged.insert(key.clone(), value.clone()),
                    None => merged.remove(key),
                };
            }
        }
        merged.try_into().map_err(|e| Error::Recipe(format!("reading: {e}")))
    }
}

/// The key that an option of the program stands for.
fn key(option: &str) -> &str {
    match option {
        "target" => "targets",
        "features" => "featurise",
        "repeats" => "folds",
        "no-intervals" => "intervals",
        same => same,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_wins_even_where_it_is_the_default() {
        let base = Options::default().with_seed(3).with_targets(vec!["y".into()]);
        let none = Options::default();
        assert_eq!(none.over(&base, &[]).unwrap(), base);
        let again = none.over(&base, &["seed".into()]).unwrap();
        assert_eq!((again.seed, &again.targets[..]), (0, &["y".to_owned()][..]));
        let base = base.with_intervals(true);
        assert!(none.over(&base, &[]).unwrap().intervals);
        assert!(!none.over(&base, &["no-intervals".into()]).unwrap().intervals);
        let other = none.with_targets(vec!["z".into()]).over(&base, &["target".into()]).unwrap();
        assert_eq!((other.seed, &other.targets[..]), (3, &["z".to_owned()][..]));
    }
}
