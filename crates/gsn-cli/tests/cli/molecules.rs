//! Molecules however they are written: SDF, CXSMILES, InChI.

use super::{expect, folder, text};

/// 120 molecules as RDKit writes them, in both versions and several styles.
const PAIRS: &[u8] = include_bytes!("../../../../tests/golden/molecules/pairs.sdf.gz");

const BAD: &str = "a\n\n\n  1  0  0  0            999 V2000\n    0.0000    0.0000    0.0000 Zz  0  0\n\
    M  END\n$$$$\nb\n\n\n  1  0  0  0            999 V2000\n    0.0000    0.0000    0.0000 C   0  0\n\
    M  END\n$$$$\n";

#[test]
fn an_sdf_is_counted_and_bad_records_are_named() {
    let folder = folder(&[("pairs.sdf.gz", PAIRS), ("bad.sdf", BAD.as_bytes())]);
    let here = folder.path();
    expect(0, here, "count pairs.sdf.gz -p cycle:5..=6 -o pairs.csv");
    assert!(text(here.join("pairs.csv")).lines().last().unwrap().starts_with("119,"));
    let ran = expect(1, here, "count bad.sdf -p path:2 -o bad.csv");
    assert!(ran.err.contains("row 0 (line 5): no element is called `Zz`"), "{}", ran.err);
    assert!(text(here.join("bad.csv")).contains("\n1,0,0"));
}

#[test]
fn an_sdf_is_trained_on_and_predicts_like_its_smiles() {
    let folder = folder(&[("pairs.sdf.gz", PAIRS)]);
    let here = folder.path();
    let ran = expect(
        0,
        here,
        "train pairs.sdf.gz --target style --set training.epochs=2 --set network.width=8 --out run",
    );
    assert!(ran.err.contains("(sdf; "), "{}", ran.err);
    assert!(ran.err.contains("stereo is not read from SDF"), "{}", ran.err);
    expect(0, here, "predict run/model.gsn pairs.sdf.gz -o sdf.csv");
    let unpacked = gsn_io::GraphSource::open(
        here.join("pairs.sdf.gz"),
        &gsn_io::ReadOptions { keep_fields: true, ..gsn_io::ReadOptions::default() },
    );
    let smiles: String = unpacked
        .unwrap()
        .map(|row| row.unwrap().into_result().unwrap().fields[0].clone() + "\n")
        .collect();
    std::fs::write(here.join("pairs.smi"), smiles).unwrap();
    expect(0, here, "predict run/model.gsn pairs.smi -o smi.csv");
    assert_eq!(text(here.join("sdf.csv")), text(here.join("smi.csv")));
}

#[test]
fn extensions_of_smiles_are_noted_and_inchi_gets_advice() {
    let table = "smiles,y\nCCO |$;;R$|,1\nInChI=1S/CH4/h1H4,2\nLFQSCWFLJHTTHZ-UHFFFAOYSA-N,3\n";
    let folder = folder(&[("m.csv", table.as_bytes())]);
    let ran = expect(1, folder.path(), "count m.csv -p path:2 -o out.csv");
    let said =
        ["1 SMILES have an extension (CXSMILES)", "is an InChI, not a SMILES", "an InChIKey"];
    for said in said {
        assert!(ran.err.contains(said), "{said}: {}", ran.err);
    }
}
