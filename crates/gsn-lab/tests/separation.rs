//! The recipes of strongly regular graphs, run: GSN-e tells all pairs apart, and the same network
//! without counts none. Skipped, aloud, where the graphs are not on this machine.
#![allow(clippy::print_stderr)] // a skipped test says so

use gsn_lab::catalogue::{self, Store};
use gsn_lab::protocol::separate;
use gsn_lab::recipe::Recipe;

#[test]
fn counts_decide_whether_strongly_regular_graphs_are_told_apart() {
    for (set, pairs) in [("sr16622", 1), ("sr251256", 105), ("sr261034", 45)] {
        let entry = catalogue::find(set).unwrap();
        if let Err(missing) = Store::from_env().locate(entry) {
            eprintln!("skipped: {missing}");
            return;
        }
        for name in ["sr-gsn-e", "sr-gsn-e-paths", "sr-mpnn"] {
            let setting = format!("data.set={set}");
            let recipe = Recipe::find_with(name, &[&setting, "seeds=2"]).unwrap();
            let found = separate(&recipe, catalogue::load(set).unwrap()).unwrap();
            assert_eq!(found.pairs, pairs, "{set}");
            let aim = recipe.published.unwrap().mean;
            assert_eq!(found.share(), aim, "{name} on {set}: {:?}", found.failed);
        }
    }
}
