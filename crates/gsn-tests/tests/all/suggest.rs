//! `suggest` on ZINC: the paper's table of δ, and the rings that its target is made of.

use gsn_lab::catalogue::Store;
use gsn_lab::suggest::{Options, suggest};

#[test]
fn zinc_asks_for_its_rings() {
    let zinc = Store::carried().load("ZINC-12k").unwrap();
    let cycles = "cycle:3..=10".parse().unwrap();
    let options = Options { spec: gsn_core::CountSpec::new(cycles), trees: 5, ..Options::new(10) };
    let found = suggest(&zinc, &options).unwrap();
    assert_eq!(found.graphs, (10_000, 10_000));

    // The disambiguation scores the paper prints, for induced counts.
    assert!((found.delta_without - 0.196).abs() <= 0.0005, "{}", found.delta_without);
    let expected = [
        ("cycle", &[0.199, 0.200, 0.256, 0.327, 0.330, 0.330, 0.330, 0.330][..]),
        ("path", &[0.540, 0.746, 0.866, 0.895, 0.900, 0.901, 0.901, 0.901][..]),
        ("tree", &[0.540, 0.762, 0.875][..]),
    ];
    for (family, values) in expected {
        for (at, &value) in values.iter().enumerate() {
            let cell = found.families.iter().find(|c| c.family == family && c.k == at + 3).unwrap();
            assert!((cell.delta - value).abs() <= 0.0005, "{family} {}: {}", cell.k, cell.delta);
        }
    }

    // The target punishes rings longer than six: 7, 6 and 8 lead, the others say next to nothing.
    let first: Vec<&str> = found.candidates[..3].iter().map(|c| c.pattern.as_str()).collect();
    assert_eq!(first, ["cycle:7", "cycle:6", "cycle:8"]);
    let share = |k: usize| {
        let name = format!("cycle:{k}");
        found.candidates.iter().find(|c| c.pattern == name).map_or(0.0, |c| c.signal.share)
    };
    for (k, expected) in [(6, 0.06), (7, 0.13), (8, 0.05)] {
        assert!((share(k) - expected).abs() < 0.006, "cycle:{k}: {}", share(k));
    }
    for k in [3, 4, 5, 9, 10] {
        assert!(share(k) < 0.004, "cycle:{k}: {}", share(k));
    }
    assert!(found.picks.iter().take(3).any(|pick| pick.pattern == "cycle:7"), "{:?}", found.picks);
}
