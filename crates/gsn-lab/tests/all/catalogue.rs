//! Sets that are not there, or not as the catalogue says.

use gsn_lab::catalogue::Store;

#[test]
fn a_changed_file_is_refused_and_a_missing_one_named() {
    let from = concat!(env!("CARGO_MANIFEST_DIR"), "/data/sr/sr16622.g6");
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let missing = store.load("sr16622").unwrap_err().to_string();
    assert!(
        missing.contains("not found") && missing.contains("gsn data fetch sr16622"),
        "{missing}"
    );
    std::fs::create_dir(folder.path().join("sr")).unwrap();
    let place = folder.path().join("sr/sr16622.g6");
    std::fs::copy(from, &place).unwrap();
    assert_eq!(store.load("sr16622").unwrap().samples.len(), 2);
    // The same graphs, one line end more.
    let mut bytes = std::fs::read(from).unwrap();
    bytes.push(b'\n');
    std::fs::remove_file(&place).unwrap();
    std::fs::write(&place, bytes).unwrap();
    let changed = store.load("sr16622").unwrap_err().to_string();
    assert!(changed.contains("sha256 of") && changed.contains("in the catalogue"), "{changed}");
}

#[test]
fn what_nothing_serves_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let message = Store::at(folder.path()).load("EXP").unwrap_err().to_string();
    assert!(message.contains("Python pickle") && message.contains("GSN_DATA"), "{message}");
}
