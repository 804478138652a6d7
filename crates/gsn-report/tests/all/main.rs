//! Reports of folders that are written by hand: hostile names, many rows, damage. Drawings as others
//! see them: golden pictures, and what holds for every picture.

mod damaged;
mod explain;
mod golden;
mod hostile;
mod large;
mod markup;
mod pictures;

use std::fmt::Write;
use std::path::Path;

const RECIPE: &str = r#"
name = NAME
about = ABOUT
seeds = 1
protocol = { fixed-split = { choose = "last" } }
[data]
set = "nowhere-to-be-found"
[counts]
patterns = "cycle:3..=4"
scope = "vertex"
matching = "induced"
[network]
kind = "gin"
layers = 2
width = 8
readout = "sum"
[training]
batch = 8
epochs = 3
lr = 0.01
loss = "l1"
metric = "mae"
"#;

/// Writes a finished run with one unit whose rows are `(id, target, prediction)`; `name` is what
/// everything is called.
fn write_run(folder: &Path, name: &str, rows: &[(String, f64, f64)]) {
    let json = |text: &str| serde_json::Value::from(text).to_string();
    // JSON texts are TOML texts, but for characters beyond the first plane and for DEL.
    let toml = |text: &str| {
        let mut quoted = String::from("\"");
        text.chars().for_each(|c| write!(quoted, "\\U{:08X}", c as u32).unwrap());
        quoted + "\""
    };
    let recipe = RECIPE.replace("ABOUT", &toml(name)).replace("NAME", &toml(name));
    let put = |file: &str, text: &str| std::fs::write(folder.join(file), text).unwrap();
    put("recipe.toml", &recipe);
    let data = format!("{{\"name\": {}, \"graphs\": 3, \"sha256\": \"00\"}}", json(name));
    put(
        "versions.json",
        &format!(
            "{{\"gsn\": \"0.1.0\", \"system\": {0}, \"processor\": {0}, \"cores\": 1, \"data\": {data}}}",
            json(name)
        ),
    );
    put(
        "metrics.jsonl",
        &format!(
            "{{\"unit\": {0}, \"epoch\": 1, \"lr\": 0.01, \"train_loss\": 1.5}}\n",
            json(name)
        ),
    );
    let run = format!(
        "{{\"unit\": {}, \"seed\": 0, \"epoch\": 1, \"epochs\": 1, \"value\": 0.5}}",
        json(name)
    );
    put(
        "results.json",
        &format!(
            "{{\"recipe\": {0}, \"dataset\": {0}, \"parameters\": 8, \"protocol\": {0}, \
             \"metric\": \"mae\", \"mean\": 0.5, \"std\": null, \"std_population\": 0.0, \
             \"interval95\": null, \"runs\": [{run}], \
             \"baselines\": [{{\"name\": {0}, \"test\": 0.7}}]}}",
            json(name)
        ),
    );
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let target = format!("t{name}");
    let mut table = format!(
        "unit,row,id,smiles,part,{},{}\n",
        quoted(&target),
        quoted(&format!("{target}_predicted"))
    );
    for (row, (id, truth, said)) in rows.iter().enumerate() {
        let (unit, id) = (quoted(name), quoted(id));
        writeln!(table, "{unit},{row},{id},C1CC1,test,{truth},{said}").unwrap();
    }
    put("predictions.csv", &table);
}

/// Some rows with this name.
fn rows(name: &str, count: usize) -> Vec<(String, f64, f64)> {
    let at = |i: usize| (i % 97) as f64 / 9.0;
    (0..count)
        .map(|i| (format!("{name}{i}"), at(i), at(i) + ((i % 13) as f64 - 6.0) / 5.0))
        .collect()
}

/// The report of one folder.
fn report(folder: &Path) -> String {
    gsn_report::report(&[folder]).unwrap()
}
