//! The bill of materials: every crate that the program and the Python package are built from, as
//! CycloneDX 1.6, out of what cargo itself tells.
//!
//! It names no time and no random number, so the same lock file gives the same bytes.

use crate::command::{cargo, say};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Where it is written, below the root of the workspace.
const PLACE: &str = "target/sbom/gsn.cdx.json";

/// Writes the bill.
pub(crate) fn write() -> Result<()> {
    let place = crate::root().join(PLACE);
    std::fs::create_dir_all(place.parent().context("a folder")?)?;
    let bill = bill()?;
    std::fs::write(&place, serde_json::to_string_pretty(&bill)? + "\n")?;
    let crates = bill["components"].as_array().map_or(0, Vec::len);
    say(&format!("{crates} crates in {PLACE}"));
    Ok(())
}

/// A crate by name and version; cargo's own name for it is an implementation detail.
fn purl(package: &Value) -> Result<String> {
    let text = |key: &str| package[key].as_str().context("cargo metadata");
    Ok(format!("pkg:cargo/{}@{}", text("name")?, text("version")?))
}

fn bill() -> Result<Value> {
    let output = cargo("metadata --format-version 1 --all-features").output()?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    }
    let told: Value = serde_json::from_slice(&output.stdout)?;
    let hashes = hashes(&std::fs::read_to_string(crate::root().join("Cargo.lock"))?);
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let packages: BTreeMap<String, Value> = list(&told["packages"])
        .into_iter()
        .map(|package| (package["id"].as_str().unwrap_or_default().to_owned(), package))
        .collect();
    let nodes: BTreeMap<String, Value> = list(&told["resolve"]["nodes"])
        .into_iter()
        .map(|node| (node["id"].as_str().unwrap_or_default().to_owned(), node))
        .collect();

    // What is only for tests is not in what is shipped.
    let needs = |node: &Value| -> Vec<String> {
        let shipped =
            |needed: &Value| list(&needed["dep_kinds"]).iter().any(|k| k["kind"] != "dev");
        let needed = list(&node["deps"]).into_iter().filter(shipped);
        needed.filter_map(|needed| needed["pkg"].as_str().map(str::to_owned)).collect()
    };
    let ours = |id: &String| packages[id]["source"].is_null();
    // The Python package goes to another registry than the crates.
    let is_shipped = |id: &String| {
        let nowhere = packages[id]["publish"].as_array().is_some_and(Vec::is_empty);
        !nowhere || packages[id]["name"] == "gsn-py"
    };
    let mut open: Vec<String> =
        packages.keys().filter(|id| ours(id) && is_shipped(id)).cloned().collect();
    let roots = open.clone();
    let mut found = BTreeSet::new();
    while let Some(id) = open.pop() {
        if found.insert(id.clone()) {
            open.extend(needs(nodes.get(&id).context("a crate that is not resolved")?));
        }
    }

    let mut components = BTreeMap::new();
    let mut dependencies = BTreeMap::new();
    for id in &found {
        let (package, name) = (&packages[id], purl(&packages[id])?);
        let mut component = json!({
            "type": "library", "bom-ref": name, "purl": name,
            "name": package["name"], "version": package["version"],
        });
        if let Some(licence) = package["license"].as_str() {
            component["licenses"] = json!([{ "expression": licence.replace('/', " OR ") }]);
        }
        if let Some(hash) = hashes.get(&name) {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": hash }]);
        }
        if let Some(place) = package["repository"].as_str().filter(|p| p.starts_with("https://")) {
            component["externalReferences"] = json!([{ "type": "vcs", "url": place }]);
        }
        components.insert(name.clone(), component);
        let mut needed =
            needs(&nodes[id]).iter().map(|id| purl(&packages[id])).collect::<Result<Vec<_>>>()?;
        needed.sort();
        needed.dedup();
        dependencies.insert(name.clone(), json!({ "ref": name, "dependsOn": needed }));
    }
    let version = roots.first().map(|id| packages[id]["version"].clone()).context("no crate")?;
    let shipped = roots.iter().map(|id| purl(&packages[id])).collect::<Result<Vec<_>>>()?;
    let mut all = vec![json!({ "ref": "gsn", "dependsOn": shipped })];
    all.extend(dependencies.into_values());
    Ok(json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": { "component": {
            "type": "application", "bom-ref": "gsn", "name": "gsn", "version": version,
        } },
        "components": components.into_values().collect::<Vec<_>>(),
        "dependencies": all,
    }))
}

/// The sha256 of every crate from the registry, as the lock file has it.
fn hashes(lock: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for package in lock.split("[[package]]") {
        let value = |key: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
            line.map(|text| text.trim_matches('"').to_owned())
        };
        if let (Some(name), Some(version), Some(sum)) =
            (value("name"), value("version"), value("checksum"))
        {
            found.insert(format!("pkg:cargo/{name}@{version}"), sum);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bill_names_every_crate_with_its_licence_and_its_hash() {
        let bill = bill().unwrap();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let components = bill["components"].as_array().unwrap();
        let names: BTreeSet<String> = components.iter().map(|c| text(&c["bom-ref"])).collect();
        assert_eq!(names.len(), components.len());
        for component in components {
            let is_ours = text(&component["name"]).starts_with("gsn-");
            assert!(component["licenses"][0]["expression"].is_string(), "{component}");
            assert_eq!(component["hashes"].is_null(), is_ours, "{component}");
            assert!(is_ours || text(&component["hashes"][0]["content"]).len() == 64, "{component}");
        }
        for wanted in ["pkg:cargo/gsn-cli@", "pkg:cargo/gsn-py@", "pkg:cargo/chematic-smiles@1.2.1"]
        {
            assert!(names.iter().any(|name| name.starts_with(wanted)), "{wanted}");
        }
        // Tests alone need it.
        assert!(!names.iter().any(|name| name.starts_with("pkg:cargo/proptest@")));
        for entry in bill["dependencies"].as_array().unwrap() {
            let known = |name: &Value| names.contains(&text(name));
            assert!(entry["ref"] == "gsn" || known(&entry["ref"]), "{entry}");
            assert!(entry["dependsOn"].as_array().unwrap().iter().all(known), "{entry}");
        }
    }

    /// The oldest compiler that is promised is the one everything is tested with.
    #[test]
    fn the_promised_compiler_is_the_one_that_tests() {
        let value = |file: &str, key: &str| {
            let text = std::fs::read_to_string(crate::root().join(file)).unwrap();
            let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
            line.unwrap().trim_matches('"').to_owned()
        };
        let pinned = value("rust-toolchain.toml", "channel");
        let promised = value("Cargo.toml", "rust-version");
        assert_eq!(pinned, format!("{promised}.0"));
    }
}
