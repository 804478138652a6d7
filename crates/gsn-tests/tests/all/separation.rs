//! The recipes of strongly regular graphs, run: GSN-e tells all pairs apart, and the same network
//! without counts none.

use gsn_lab::cache::Cache;
use gsn_lab::catalogue::Store;
use gsn_lab::prepare::CountedDataset;
use gsn_lab::protocol::Separation;
use gsn_lab::recipe::Recipe;

#[test]
fn counts_decide_whether_strongly_regular_graphs_are_told_apart() {
    for (set, pairs) in [("sr16622", 1), ("sr251256", 105), ("sr261034", 45)] {
        for name in ["sr-gsn-e", "sr-gsn-e-paths", "sr-mpnn"] {
            let setting = format!("data.set={set}");
            let recipe = Recipe::find_with(name, &[&setting, "seeds=2"]).unwrap();
            let data = Store::carried().load(set).unwrap();
            let data = CountedDataset::new(&recipe, data, &Cache::off(), None).unwrap();
            let found = Separation::of(&recipe, &data).unwrap();
            assert_eq!(found.pairs, pairs, "{set}");
            let aim = recipe.published.unwrap().mean;
            assert_eq!(found.share(), aim, "{name} on {set}: {:?}", found.failed);
        }
    }
}
