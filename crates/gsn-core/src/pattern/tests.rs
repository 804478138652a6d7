//! The grammar by example, its errors, and hostile texts.

use super::*;
use proptest::prelude::*;

struct Shelf;

impl PatternSource for Shelf {
    fn file(&self, path: &str) -> Result<String, String> {
        match path {
            "list.g6" => Ok(">>graph6<<A_\r\nBw\r\n\r\n# a comment\r\nDQc\r\n".into()),
            "mixed.txt" => Ok("\u{feff}cycle:3..=4\n  edges:0-1, 1-2\nDQc\n".into()),
            "bad.txt" => Ok("cycle:4\n\npath:x\n".into()),
            "bad.g6" => Ok("A_\nDQ\n".into()),
            "loop.txt" => Ok("file:loop.txt\n".into()),
            "empty.g6" => Ok("\n".into()),
            _ => Err("no such file".into()),
        }
    }

    fn smiles(&self, text: &str) -> Result<MoleculeShape, String> {
        match text {
            "C=O" => {
                Ok(MoleculeShape { atoms: vec![6, 8], bonds: vec![(0, 1)], bond_labels: vec![2] })
            }
            "N" => Ok(MoleculeShape { atoms: vec![7], ..MoleculeShape::default() }),
            _ => Err(format!("`{text}` is no molecule")),
        }
    }
}

fn parse(text: &str) -> PatternSet {
    PatternSet::parse_with(text, &Shelf).unwrap_or_else(|error| panic!("{error}"))
}

fn names(text: &str) -> Vec<String> {
    parse(text).iter().map(|pattern| pattern.name().to_owned()).collect()
}

/// The one pattern of a text, as an edge list.
fn edges(text: &str) -> String {
    let set = parse(text);
    assert_eq!(set.len(), 1, "{text}");
    set.patterns()[0].edge_list()
}

#[test]
fn families() {
    assert_eq!(edges("cycle:4"), "edges:0-1,0-3,1-2,2-3");
    assert_eq!(edges("path:4"), "edges:0-1,1-2,2-3");
    assert_eq!(edges("clique:4"), "edges:0-1,0-2,0-3,1-2,1-3,2-3");
    assert_eq!(edges("star:3"), "edges:0-1,0-2,0-3");
    assert_eq!(edges("star:1"), "edges:0-1");
    assert_eq!(names("cycle:3..=5"), ["cycle:3", "cycle:4", "cycle:5"]);
    assert_eq!(names("cycle:3..5"), ["cycle:3", "cycle:4"]);
    assert_eq!(names("star:2..=2"), ["star:2"]);
    assert_eq!(parse("cycle:64, star:63, clique:64, path:64").len(), 4);
    assert_eq!(parse("all:3..=5").len(), 29);
    assert_eq!(parse("tree:3..=6").len(), 12);
}

#[test]
fn separators() {
    let wanted = ["path:4", "edges:0-1,1-2,2-0", "g6:DQc", "cycle:5"];
    assert_eq!(names("path:4,edges:0-1,1-2,2-0,g6:DQc,cycle:5"), wanted);
    assert_eq!(names(" path:4 ,\n edges: 0-1 , 1-2,\n2-0\n\n g6:DQc\r\ncycle:5\n"), wanted);
    assert_eq!(names("cycle : 5"), ["cycle:5"]);
}

#[test]
fn edge_lists() {
    assert_eq!(edges("edges:2-0,1-2"), "edges:0-2,1-2");
    assert_eq!(edges("edges:0>1,2>1,1>2"), "edges:0>1,1>2,2>1");
    assert_eq!(edges("edges:0@6-1@8,1-2"), "edges:0@6-1@8,1-2");
    assert_eq!(edges("edges:1-2,1@8-0@6,0@6-2"), "edges:0@6-1@8,0-2,1-2");
    assert_eq!(edges("edges:0-1:2,1-2:1"), "edges:0-1:2,1-2:1");
    assert_eq!(edges("edges:0@4294967295>1:0"), "edges:0@4294967295>1:0");
    let labelled = parse("edges:0@6-1@8:2,1-2");
    let pattern = &labelled.patterns()[0];
    assert_eq!([0, 1, 2].map(|v| pattern.vertex_label(v)), [Some(6), Some(8), None]);
    assert_eq!((pattern.arc_label(1, 0), pattern.arc_label(1, 2)), (Some(2), None));
}

#[test]
fn files_and_molecules() {
    assert_eq!(names("file:list.g6,path:3"), ["g6:A_", "g6:Bw", "g6:DQc", "path:3"]);
    assert_eq!(names("file:mixed.txt"), ["cycle:3", "cycle:4", "edges:0-1,1-2", "g6:DQc"]);
    assert_eq!(names("smiles:C=O"), ["smiles:C=O"]);
    assert_eq!(edges("smiles:C=O"), "edges:0-1");
    assert_eq!(edges("molecule:C=O"), "edges:0@6-1@8:2");
    assert_eq!(names("molecule:C=O , path:3"), ["molecule:C=O", "path:3"]);
}

#[test]
fn repetitions_are_reported() {
    let set = parse("star:2, cycle:3, path:3, cycle:3, clique:3, g6:A_");
    assert_eq!(names(&set.to_string()), ["star:2", "cycle:3", "path:3", "clique:3", "g6:A_"]);
    let report: Vec<_> = set.duplicates().iter().map(ToString::to_string).collect();
    assert_eq!(
        report,
        [
            "`cycle:3` is given more than once and counted once",
            "`path:3` is the same pattern as `star:2`",
            "`clique:3` is the same pattern as `cycle:3`",
        ]
    );
    let found = &set.duplicates()[1];
    assert_eq!((found.first, found.index), (0, Some(2)));
    // Labels and directions tell patterns apart.
    assert_eq!(parse("edges:0-1, edges:0>1, edges:0@1-1, edges:0-1:1").duplicates(), []);
}

#[test]
fn a_short_text_cannot_ask_for_the_same_again_and_again() {
    let set = parse("all:7,".repeat(200_000).trim_end_matches(','));
    assert_eq!((set.len(), set.duplicates().len()), (853, 853));
}

#[test]
fn collections_combine() {
    let both = parse("cycle:3..=4").combine(parse("cycle:4..=5, cycle:5")).unwrap();
    assert_eq!(both.to_string(), "cycle:3,cycle:4,cycle:5");
    assert_eq!(both.duplicates().len(), 2);
    let odd = Pattern::new("cycle:3", 2, &[(0, 1)]).unwrap();
    let error = PatternError::Name("cycle:3".into());
    assert_eq!(both.combine(PatternSet::from_patterns(vec![odd]).unwrap()), Err(error));
}

#[test]
fn written_out_and_read_again() {
    let text = "cycle:3..=6,tree:5,edges:0-1,1-2:7,edges:0>1@5,g6:DQc,star:4,smiles:C=O";
    let set = parse(text);
    assert_eq!(parse(&set.to_string()), set);
    // A name that is no pattern of the grammar, and one that is another pattern.
    let patterns = ["house", "path:3"].map(|name| Pattern::new(name, 2, &[(0, 1)]).unwrap());
    let set = PatternSet::from_patterns(vec![patterns[0].clone()]).unwrap();
    assert_eq!(set.to_string(), "edges:0-1");
    let set = PatternSet::from_patterns(vec![patterns[1].clone()]).unwrap();
    assert_eq!(set.to_string(), "edges:0-1");
}

/// The text, the place of the fault (where `^` stands below it), and a part of the message.
#[test]
fn errors_point_at_the_character() {
    let cases = [
        ("", "^", "no pattern here"),
        (" \n ", "^", "no pattern here"),
        ("cycel:6", "^", "did you mean `cycle`?"),
        ("path:3,Cycle:6", "       ^", "did you mean `cycle`?"),
        ("complete:6", "^", "did you mean `clique`?"),
        ("zebra:6", "^", "there are cycle, path, clique, star, tree, all, g6, edges, spasm"),
        ("cycle", "^", "needs a colon"),
        ("DQc", "^", "graph6 is `g6:DQc`"),
        ("hello world", "^", "starts with its family and a colon"),
        (":3", "^", "unknown pattern family ``"),
        ("cycle:", "      ^", "expected a size"),
        ("cycle:six", "      ^", "expected a size"),
        ("cycle:2", "      ^", "`cycle` goes from 3 to 64 vertices, not 2"),
        ("cycle:65", "      ^", "`cycle` goes from 3 to 64 vertices, not 65"),
        ("cycle:99999999999999999999", "      ^", "not 99999999999999999999"),
        ("path:1", "     ^", "`path` goes from 2 to 64 vertices, not 1"),
        ("clique:1", "       ^", "`clique` goes from 2 to 64 vertices, not 1"),
        ("star:0", "     ^", "`star` goes from 1 to 63 leaves, not 0"),
        ("star:64", "     ^", "`star` goes from 1 to 63 leaves, not 64"),
        ("all:9", "    ^", "`all` goes from 2 to 8 vertices, not 9"),
        ("all:3..=9", "        ^", "`all` goes from 2 to 8 vertices, not 9"),
        ("tree:11", "     ^", "`tree` goes from 2 to 10 vertices, not 11"),
        ("tree:3..12", "        ^", "`tree` goes from 2 to 10 vertices, not 11"),
        ("tree:1", "     ^", "`tree` goes from 2 to 10 vertices, not 1"),
        ("cycle:8..=3", "      ^", "the range goes down; write `3..=8`"),
        ("cycle:5..5", "      ^", "the range is empty"),
        ("cycle:3..", "         ^", "expected a size"),
        ("cycle:3..=", "          ^", "expected a size"),
        ("cycle:3...5", "         ^", "expected a size"),
        ("cycle:3-5", "       ^", "a range such as `3..=8`"),
        ("cycle:3..=5x", "           ^", "expected a comma"),
        ("cycle:3 cycle:4", "       ^", "expected a comma"),
        ("cycle:3,,path:3", "        ^", "missing before this comma"),
        (",cycle:3", "^", "missing before this comma"),
        ("cycle:3,", "       ^", "missing after this comma"),
        ("g6:", "   ^", "something must follow `g6:`"),
        ("g6:DQ", "     ^", "2 characters where 3 are needed"),
        ("g6:DQcc", "      ^", "nothing may follow"),
        ("g6:D c", "    ^", "only `?` to `~` occur"),
        ("g6:DQd", "     ^", "wrong filling bits"),
        ("g6:C?", "   ^", "not connected: vertex 1"),
        ("g6:@", "   ^", "2 to 64 vertices, not 1"),
        ("edges:", "      ^", "something must follow"),
        ("edges:a", "      ^", "expected the number of a vertex"),
        ("edges:0", "       ^", "expected `-` (an edge) or `>`"),
        ("edges:0-", "        ^", "expected the number of a vertex"),
        ("edges:0<1", "       ^", "the other way round"),
        ("edges:0-1-2", "         ^", "write every edge by itself"),
        ("edges:0-1;1-2", "         ^", "not `;`"),
        ("edges:0-1,6", "           ^", "expected `-`"),
        ("edges:0-1,1-3", "            ^", "vertex 2 is missing"),
        ("edges:1-2", "      ^", "vertex 0 is missing"),
        ("edges:0-1,1-1", "          ^", "vertex 1 has an edge to itself"),
        ("edges:0-1,1-0", "          ^", "edge 1-0 is given twice"),
        ("edges:0-1,2-3", "      ^", "not connected: vertex 2"),
        ("edges:0-1,1>2", "           ^", "write an edge that goes both ways as both arcs"),
        ("edges:0-64", "        ^", "at most 64 vertices"),
        ("edges:0-99999999999", "        ^", "must be below 2^32"),
        ("edges:0@-1", "        ^", "the number of a vertex label"),
        ("edges:0@6-1,1-0@7", "", "given twice"),
        ("edges:0@6-1,1-2,2-0@7", "                    ^", "the labels 6 and 7"),
        ("edges:0-1:", "          ^", "the number of an edge label"),
        ("smiles:C.O", "        ^", "a pattern is connected"),
        ("smiles:Xx", "       ^", "`Xx` is no molecule"),
        ("smiles:N", "       ^", "2 to 64 vertices, not 1"),
        ("file:nowhere", "     ^", "nowhere: no such file"),
        ("file:empty.g6", "     ^", "has no pattern in it"),
        ("zyklus:3 ä", "^", "unknown pattern family `zyklus`"),
        ("cycle:3,äö:4", "        ^", "unknown pattern family `äö`"),
    ];
    for (text, caret, message) in cases {
        let error = PatternSet::parse_with(text, &Shelf).expect_err(text);
        assert!(error.message.contains(message), "{text}: {error}");
        if !caret.is_empty() {
            assert_eq!(error.position, caret.len() - 1, "{text}: {error}");
        }
        assert!(error.to_string().ends_with('^'), "{error}");
    }
}

#[test]
fn errors_in_files_name_the_line() {
    let show = |text| PatternSet::parse_with(text, &Shelf).unwrap_err().to_string();
    let wanted =
        "bad.txt, line 3: expected a size, as in `path:4` or `path:3..=5`\n  path:x\n       ^";
    assert_eq!(show("cycle:3,file:bad.txt"), wanted);
    assert!(show("file:bad.g6").starts_with("bad.g6, line 2: not graph6: 2 characters"));
    assert!(show("file:loop.txt").contains("cannot name another file"));
}

#[test]
fn without_a_source_files_and_molecules_are_refused() {
    for text in ["file:list.g6", "smiles:CC", "molecule:CC"] {
        let error = text.parse::<PatternSet>().unwrap_err();
        assert!(error.message.contains("parse_with"), "{error}");
    }
}

#[test]
fn long_texts_are_shown_in_part() {
    let text = format!("{}path:x,{}", "cycle:3,".repeat(50), "cycle:4,".repeat(50));
    let error = text.parse::<PatternSet>().unwrap_err();
    assert_eq!(error.position, 405);
    let shown = error.to_string();
    let lines: Vec<_> = shown.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[1].chars().count() < 130);
    assert_eq!(lines[1].chars().nth(lines[2].chars().count() - 1), Some('x'));
}

/// Texts made of pieces that the grammar knows, and of others.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "cycle",
            "path",
            "clique",
            "star",
            "g6",
            "edges",
            "smiles",
            "file",
            "molecule",
            "all",
            "tree",
            ":",
            "..",
            "=",
            ",",
            "-",
            ">",
            "@",
            "\n",
            " ",
            "0",
            "1",
            "2",
            "3",
            "64",
            "~",
            "DQc",
            "A_",
            "list.g6",
            "C=O",
            "18446744073709551616",
            "\u{feff}",
            "é",
            "\0",
        ])
        .prop_map(String::from),
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_text_panics(text in prop_oneof![hostile(), any::<String>()]) {
        match PatternSet::parse_with(&text, &Shelf) {
            Ok(set) => {
                let again = parse(&set.to_string());
                prop_assert_eq!(again.patterns(), set.patterns());
            }
            Err(error) => {
                prop_assert!(error.to_string().contains(&error.message));
                prop_assert!(error.position <= error.text.len());
            }
        }
    }

    #[test]
    fn edge_lists_round_trip(
        order in 2..12usize,
        directed: bool,
        entries in prop::collection::vec((any::<bool>(), 0..4u32), 144),
    ) {
        let chosen: Vec<_> = (0..order)
            .flat_map(|a| (0..order).map(move |b| (a, b)))
            .filter(|&(a, b)| if directed { a != b } else { a < b })
            .filter(|&(a, b)| entries[a * 12 + b].0 || b == a + 1)
            .collect();
        let make = if directed { Pattern::directed } else { Pattern::new };
        let mut pattern = make(String::new(), order, &chosen).unwrap();
        for v in (0..order).filter(|v| entries[*v].1 > 1) {
            pattern = pattern.with_vertex_label(v, entries[v].1).unwrap();
        }
        for &(a, b) in chosen.iter().filter(|&&(a, b)| entries[a * 12 + b].1 > 2) {
            pattern = pattern.with_edge_label(a, b, 9).unwrap();
        }
        let text = pattern.edge_list();
        let read = parse(&text);
        prop_assert_eq!(read.patterns(), [pattern.named(text.as_str())]);
    }
}

#[test]
fn quotients_are_listed_once_and_named_canonically() {
    let names = |text: &str| -> Vec<String> {
        let set: PatternSet = text.parse().unwrap();
        assert_eq!(set.duplicates(), [], "{text}");
        set.iter().map(|pattern| pattern.name().to_owned()).collect()
    };
    assert_eq!(names("spasm:cycle:3"), ["g6:Bw"]);
    assert_eq!(names("spasm:cycle:4"), ["g6:A_", "g6:BW", "g6:C]"]);
    assert_eq!(names("spasm:path:3"), ["g6:A_", "g6:BW"]);
    assert_eq!(names("spasm:edges:0-1,1-2, path:4").len(), 3);
    assert_eq!(names("spasm:cycle:7..=8").len(), 43);
    let all = names("spasm:cycle:8");
    assert!(names("spasm:path:9").len() > all.len() && all.len() > names("spasm:cycle:7").len());
    let error = |text: &str| text.parse::<PatternSet>().unwrap_err().message;
    assert!(error("spasm:spasm:cycle:4").contains("quotients of quotients"));
    assert!(error("spasm:edges:0>1").contains("without labels and directions"));
    assert!(error("spasm:path:11").contains("at most 10 vertices"));
    assert!(error("spasm:all:6").contains("at most 32 patterns"));
    assert!(error("quotients:cycle:4").contains("did you mean `spasm`?"));
}
