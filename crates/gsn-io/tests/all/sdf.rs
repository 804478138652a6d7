//! SDF and MOL files: the same molecules as their SMILES, properties as columns, bad records.

use crate::common::{file, gzip, read};
use gsn_io::{Chematic, Featurisation, Format, GraphSource, MoleculeReader, ReadOptions, Row};

fn options(featurise: Option<Featurisation>) -> ReadOptions {
    ReadOptions { keep_fields: true, featurise, ..ReadOptions::default() }
}

const PAIRS: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/molecules/pairs.sdf.gz");

#[test]
fn features_are_those_of_the_smiles_that_rdkit_wrote_beside() {
    for how in Featurisation::ALL {
        let mut source = GraphSource::open(PAIRS, &options(Some(how))).unwrap();
        let mut seen = 0;
        for row in source.by_ref() {
            let (row, read) = match row.unwrap() {
                Row::Graph(record) => {
                    (record.row, Ok((record.fields, record.graph, record.features.unwrap())))
                }
                Row::Rejected(bad) => (bad.row, Err(bad.reason)),
            };
            match read {
                Ok((fields, graph, features)) => {
                    let expected = Chematic.featurise(&fields[0], how);
                    assert!(
                        Ok((graph, features)) == expected,
                        "{how}, record {row}, {} in style {}",
                        fields[0],
                        fields[1]
                    );
                }
                // What has no features as a SMILES has none either: metals in ZINC's.
                Err(reason) => assert!(
                    how == Featurisation::Zinc && reason.contains("ZINC"),
                    "{how}, record {row}: {reason}"
                ),
            }
            seen += 1;
        }
        assert!(seen > 100, "{seen}");
        assert_eq!(source.fields(), ["smiles", "style"]);
    }
}

const ETHANOL: &str = "ethanol\n  made by hand\n\n  3  2  0  0  0  0            999 V2000\n    \
    0.0000    0.0000    0.0000 C   0  0\n    1.0000    0.0000    0.0000 C   0  0\n    \
    2.0000    0.0000    0.0000 O   0  0\n  1  2  1  0\n  2  3  1  0\nM  END\n";

#[test]
fn properties_are_columns_wherever_they_begin() {
    let text = format!(
        "{ETHANOL}>  <logP>  (1)\n-0.31\n\n$$$$\n{ETHANOL}> <note>\ntwo\nlines\n\n> 7 <logP>\n\
         -0.3\n\n$$$$\n{ETHANOL}"
    );
    for (name, bytes) in [
        ("x.sdf", text.clone().into_bytes()),
        ("x.sd.gz", gzip(text.as_bytes())),
        ("x", text.replace('\n', "\r\n").into_bytes()),
    ] {
        let (_dir, path) = file(name, bytes);
        let mut source = GraphSource::open(&path, &options(None)).unwrap();
        let records: Vec<_> =
            source.by_ref().map(|row| row.unwrap().into_result().unwrap()).collect();
        assert_eq!((source.format(), source.is_molecules()), (Format::Sdf, true));
        assert_eq!(source.fields(), ["logP", "note"]);
        assert_eq!(records[0].fields, ["-0.31"]);
        assert_eq!(records[1].fields, ["-0.3", "two\nlines"]);
        assert_eq!(records[2].fields, [""; 0]);
        assert!(records.iter().all(|record| record.name.as_deref() == Some("ethanol")));
    }
}

#[test]
fn bad_records_are_named_by_number_and_line_and_the_rest_is_read() {
    let bad = ETHANOL.replace(" O ", " Qq");
    let (_dir, path) = file("x.sdf", format!("{ETHANOL}$$$$\n{bad}$$$$\n$$$$\n{ETHANOL}$$$$\n\n"));
    let (records, rejected) = read(&path, &options(None)).unwrap();
    assert_eq!(records.iter().map(|record| record.row).collect::<Vec<_>>(), [0, 3]);
    let found: Vec<_> =
        rejected.iter().map(|bad| (bad.row, bad.line.unwrap(), &*bad.reason)).collect();
    assert_eq!(
        found,
        [
            (1, 18, "no element is called `Qq`"),
            (2, 23, "ends before the line with the numbers of atoms and bonds"),
        ]
    );
    let (_dir, empty) = file("x.mol", "\n\n");
    assert!(read(&empty, &options(None)).unwrap_err().to_string().contains("holds no molecule"));
}

#[test]
fn stereo_is_said_to_be_left_out_and_extensions_of_smiles_too() {
    let notes = |name: &str, text: &str, how| {
        let (_dir, path) = file(name, text);
        let mut source = GraphSource::open(&path, &options(how)).unwrap();
        let read: Vec<_> = source.by_ref().map(|row| row.unwrap().into_result().unwrap()).collect();
        (source.notes().join("; "), read)
    };
    let (said, _) = notes("x.sdf", ETHANOL, Some(Featurisation::Default));
    assert!(said.contains("stereo is not read"), "{said}");
    let (said, read) = notes("x.smi", "CCO |$a b;;$| one\nCC two\n", None);
    assert!(said.contains("1 SMILES have an extension (CXSMILES)"), "{said}");
    assert_eq!(read[0].name.as_deref(), Some("one"));
    assert_eq!((read[0].graph.order(), read[1].graph.order()), (3, 2));
    let (said, read) = notes("x.csv", "smiles,y\nCCO |r|,1\nCCC,2\n", None);
    assert!(said.contains("1 SMILES have an extension"), "{said}");
    assert_eq!(read.len(), 2);
}
