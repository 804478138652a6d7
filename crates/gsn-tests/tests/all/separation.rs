//! The recipes of strongly regular graphs, run: GSN-e tells all pairs apart, and the same network
//! without counts none.

use super::repository_store;
use gsn_lab::protocol::separate;
use gsn_lab::recipe::Recipe;

#[test]
fn counts_decide_whether_strongly_regular_graphs_are_told_apart() {
    for (set, pairs) in [("sr16622", 1), ("sr251256", 105), ("sr261034", 45)] {
        for name in ["sr-gsn-e", "sr-gsn-e-paths", "sr-mpnn"] {
            let setting = format!("data.set={set}");
            let recipe = Recipe::find_with(name, &[&setting, "seeds=2"]).unwrap();
            let found = separate(&recipe, repository_store().load(set).unwrap()).unwrap();
            assert_eq!(found.pairs, pairs, "{set}");
            let aim = recipe.published.unwrap().mean;
            assert_eq!(found.share(), aim, "{name} on {set}: {:?}", found.failed);
        }
    }
}
