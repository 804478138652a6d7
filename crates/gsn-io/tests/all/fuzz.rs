//! Arbitrary and damaged bytes: every reader answers with rows or an error, never with a panic.

use crate::common::{file, gzip, read};
use gsn_io::{Format, ReadOptions};
use proptest::prelude::*;

const SEEDS: [(&str, &[u8]); 14] = [
    ("x.g6", b">>graph6<<DQc\nBw\n~?@?" as &[u8]),
    ("x.s6", b":Fa@x^\n:An\n"),
    ("x.edges", b"# g nodes 4 edges 3\n0 1\n1,2\t9\n2 3\n"),
    ("x.gin", b"2\n2 1\n0 1 1\n0 1 0\n1 0\n5 0\n"),
    ("x.csv", b"id,smiles\n1,\"CC(=O)O\"\n2,c1ccccc1\n"),
    (
        "x.gml",
        b"graph [ directed 1 node [ id 1 label \"a&quot;b\" ] node [ id 2 label \"c\" gfx [ x 1.5 ] ]\n\
          edge [ source 1 target 2 label 7 ] ]",
    ),
    ("x.mtx", b"%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 2\n2 1 0.5\n3 1 1e3\n"),
    (
        "x.json",
        b"[{\"directed\": true, \"nodes\": [{\"id\": 1, \"label\": 2}, {\"id\": \"b\", \"label\": 3}],\n\
          \"links\": [{\"source\": 1, \"target\": \"b\"}]}]",
    ),
    ("x.col", b"c hello\np edge 4 3\ne 1 2\ne 2 3\nn 1 5\ne 3 4\n"),
    ("edges.csv", b"graph;from;to\na;1;2\na;2;\nb;\"x\";y\n"),
    ("x.smi", b"CCO a\nc1ccccc1 b\nCC |$;R$| c\n"),
    (
        "x.sdf",
        b"a\n\n\n  2  1  0  0            999 V2000\n    0.0000    0.0000    0.0000 C   1  4  0  0  0  3\n    \
          0.0000    0.0000    0.0000 O   0  5\n  1  2  1  0\nM  CHG  1   2  -1\nM  RAD  1   1   2\nM  END\n\
          > <y>\n1.5\n\n$$$$\n",
    ),
    (
        "x.mol",
        b"a\n\n\n  0  0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS 2 1 0 0 0\n\
          M  V30 BEGIN ATOM\nM  V30 1 C 0 0 0 0 CHG=1\nM  V30 2 N 0 0 0 -\nM  V30 0 VAL=2\nM  V30 END ATOM\n\
          M  V30 BEGIN BOND\nM  V30 1 1 1 2\nM  V30 END BOND\nM  V30 END CTAB\nM  END\n",
    ),
    (
        "x.graphml",
        b"<?xml version=\"1.0\"?><graphml><key id=\"k\" for=\"node\" attr.name=\"label\" attr.type=\"int\"/>\
          <graph edgedefault=\"directed\"><node id=\"a\"><data key=\"k\">1</data></node><node id=\"b\"/>\
          <edge source=\"a\" target=\"b\"/></graph></graphml>",
    ),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn damaged_files(
        seed in 0..SEEDS.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 1..6),
        packed in any::<bool>(),
    ) {
        let (name, text) = SEEDS[seed];
        let mut bytes = if packed { gzip(text) } else { text.to_vec() };
        for (at, byte, kind) in edits {
            let at = at.index(bytes.len().max(1)).min(bytes.len());
            match kind {
                0 if at < bytes.len() => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => bytes.truncate(at),
            }
        }
        let (_dir, path) = file(name, bytes);
        let _ = read(&path, &ReadOptions::default());
        let featurise = Some(gsn_io::Featurisation::Ogb);
        let _ = read(&path, &ReadOptions { featurise, ..ReadOptions::default() });
    }

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let (_dir, path) = file("x", bytes);
        let _ = read(&path, &ReadOptions::default());
        for name in Format::NAMES {
            let format = Some(name.parse().unwrap());
            let _ = read(&path, &ReadOptions { format, ..ReadOptions::default() });
        }
    }
}
