//! What was chosen from the data and why, in sentences that stay true when settings change it.

use crate::recipe::Recipe;

/// A choice and its reason.
#[derive(Debug, Clone)]
pub struct Reason {
    /// Keys of the recipe that the choice is about.
    keys: &'static [&'static str],
    /// The choice, as it stands in a recipe.
    what: fn(&Recipe) -> String,
    why: String,
}

impl Reason {
    /// `what` says the choice of the recipe at hand, `keys` are those it speaks of; `why` may be
    /// empty.
    pub fn new(
        keys: &'static [&'static str],
        what: fn(&Recipe) -> String,
        why: impl Into<String>,
    ) -> Self {
        Self { keys, what, why: why.into() }
    }

    /// The sentence for `recipe`, which was `chosen` before settings were put over it: with the
    /// reason where the choice stands, else with the keys that were set.
    pub fn sentence(&self, chosen: &Recipe, recipe: &Recipe) -> String {
        let (chosen, now) = (values(chosen), values(recipe));
        let at = |table: &Option<toml::Value>, key: &str| {
            key.split('.').try_fold(table.clone()?, |value, part| value.get(part).cloned())
        };
        let set: Vec<&str> =
            self.keys.iter().copied().filter(|key| at(&chosen, key) != at(&now, key)).collect();
        let what = (self.what)(recipe);
        match &set[..] {
            [] if self.why.is_empty() => what,
            [] => format!("{what}: {}", self.why),
            keys => format!("{what} ({} as set)", keys.join(", ")),
        }
    }
}

fn values(recipe: &Recipe) -> Option<toml::Value> {
    toml::Value::try_from(recipe).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_that_was_overruled_loses_its_reason() {
        let chosen = Recipe::find("zinc-gsn").unwrap();
        let reason = Reason::new(
            &["network.width", "network.layers"],
            |recipe| format!("width {}", recipe.network.width),
            "of the paper",
        );
        let width = chosen.network.width;
        assert_eq!(reason.sentence(&chosen, &chosen), format!("width {width}: of the paper"));
        let mut set = chosen.clone();
        set.set("network.width=7").unwrap();
        assert_eq!(reason.sentence(&chosen, &set), "width 7 (network.width as set)");
        set.set("training.epochs=7").unwrap();
        set.set(&format!("network.width={width}")).unwrap();
        assert_eq!(reason.sentence(&chosen, &set), format!("width {width}: of the paper"));
    }
}
