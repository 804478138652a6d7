//! Every folder of benchmark data below `GSN_DATA` becomes `cfg(data = "FOLDER")`, so that a test
//! without its data is ignored by the test runner, and counted as ignored, instead of passing.
//! Every page of the documentation becomes a module, so that its Rust code is compiled and run.

use std::path::{Path, PathBuf};

/// The folders that tests ask for.
const FOLDERS: [&str; 12] = [
    "brec",
    "cexp",
    "csl",
    "exp",
    "graph8c",
    "graphs",
    "ogbg-molhiv",
    "orca_example",
    "reference_counts",
    "sr",
    "tud",
    "zinc12k",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    documentation();
    data();
}

/// Writes `pages.rs`: one module for every markdown file of the repository and of the book.
fn documentation() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut modules = String::new();
    for (part, folder) in [("root", root.clone()), ("book", root.join("docs/src"))] {
        let entries = std::fs::read_dir(&folder).expect("a folder of the repository");
        let mut pages: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        pages.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
        pages.sort();
        for page in pages {
            println!("cargo:rerun-if-changed={}", page.display());
            let name = page.file_stem().unwrap().to_string_lossy();
            let module = format!("{part}_{}", name.to_lowercase().replace('-', "_"));
            modules += &format!("#[doc = include_str!({page:?})]\nmod {module} {{}}\n");
        }
    }
    println!("cargo:rerun-if-changed={}", root.join("docs/src").display());
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    std::fs::write(out.join("pages.rs"), modules).expect("a folder of its own");
}

/// Tells the compiler which benchmark data there are.
fn data() {
    let known: Vec<String> = FOLDERS.iter().map(|name| format!("{name:?}")).collect();
    println!("cargo:rustc-check-cfg=cfg(data, values({}))", known.join(", "));
    println!("cargo:rerun-if-env-changed=GSN_DATA");
    let Some(root) = std::env::var_os("GSN_DATA").filter(|value| !value.is_empty()) else { return };
    let root = PathBuf::from(root);
    // Tests run in another folder than the one the command was given in.
    assert!(root.is_absolute(), "GSN_DATA must be an absolute path, not {}", root.display());
    assert!(root.is_dir(), "GSN_DATA names {}, which is not a folder", root.display());
    println!("cargo:rerun-if-changed={}", root.display());
    for name in FOLDERS.iter().filter(|name| root.join(name).is_dir()) {
        println!("cargo:rustc-cfg=data=\"{name}\"");
    }
}
