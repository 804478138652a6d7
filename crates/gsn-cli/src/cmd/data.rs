//! `gsn data`: the catalogue of benchmarks, their files, and the cache of counts.

use crate::args::Common;
use crate::interrupt;
use crate::outcome::{Outcome, say, several};
use crate::progress::Progress;
use crate::style::Style;
use anyhow::{Context, bail};
use clap::Subcommand;
use gsn_lab::cache::Cache;
use gsn_lab::catalogue::{self, Entry, Location, Store};
use gsn_lab::fetch::{self, Client, From};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn data list
  gsn data path PROTEINS
  gsn data fetch PROTEINS
  gsn data fetch ZINC-12k --mirror https://example.org/benchmarks
  gsn data cache --clear

Sets are looked for in the folder GSN_DATA names, then in the user's data folder
($XDG_DATA_HOME/gsn or ~/.local/share/gsn), then among those the program carries. Counts are kept in the folder GSN_CACHE names
(`off` for nowhere), or in $XDG_CACHE_HOME/gsn/counts or ~/.cache/gsn/counts.

Exit codes: 0 done, 2 failure";

/// Arguments of `gsn data`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
    /// Print JSON on standard output
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Show every set of the catalogue and where it is
    List,
    /// Print the folder that holds the files of a set
    Path {
        /// Name of the set
        name: String,
    },
    /// Bring the files of a set here and verify them
    Fetch {
        /// Name of the set
        name: String,
        /// Folder to put them in [default: GSN_DATA, or else the user's data folder]
        #[arg(long, value_name = "FOLDER")]
        to: Option<PathBuf>,
        /// Address below which the files have the paths of the catalogue, in place of their sources
        #[arg(long, value_name = "URL")]
        mirror: Option<String>,
    },
    /// Show or clear the cache of counts
    Cache {
        /// Remove every entry
        #[arg(long)]
        clear: bool,
    },
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments, common: &Common) -> anyhow::Result<Outcome> {
    let json = arguments.json;
    let (text, value) = match &arguments.what {
        What::List => list(common.verbose)?,
        What::Path { name } => path(name)?,
        What::Fetch { name, to, mirror } => bring(name, to.clone(), mirror.as_deref(), common)?,
        What::Cache { clear } => cache(*clear, common.verbose)?,
    };
    let mut out = std::io::stdout().lock();
    if json {
        writeln!(out, "{value}")?;
    } else {
        write!(out, "{text}")?;
    }
    Ok(Outcome::Done)
}

/// What a verb prints: text, or JSON with `--json`.
type Printed = (String, Value);

fn list(verbose: bool) -> anyhow::Result<Printed> {
    let (store, style) = (Store::from_env()?, Style::of_stdout());
    if let Some(note) = catalogue::overlooked("every set")? {
        say(format_args!("note: {note}"));
    }
    let mut text = String::new();
    let mut values = Vec::new();
    for entry in catalogue::entries() {
        let location = store.locate(entry).ok();
        let graphs = several(entry.statistics.graphs, "graph");
        let name = style.bold(&format!("{:<12}", entry.name));
        let state = state(entry, location.as_ref());
        text += &format!("{name} {state:<7} {graphs:>13}  {}\n", entry.about);
        if verbose {
            for (number, value) in entry.statistics.named() {
                if !value.is_empty() && number != "graphs" {
                    text += &style.dim(&format!("             {number}: {value}\n"));
                }
            }
            text += &style.dim(&format!("             {}\n", entry.licence()));
            if let Some(note) = &entry.note {
                text += &style.dim(&format!("             {note}\n"));
            }
        }
        values.push(described(entry, location.as_ref()));
    }
    Ok((text, Value::Array(values)))
}

/// How a set can be had: from a folder, from the program, over the network, or not at all.
fn state(entry: &Entry, location: Option<&Location>) -> &'static str {
    match location {
        Some(Location::Folder(_) | Location::Archive(_)) => "here",
        Some(Location::Carried) => "carried",
        None if entry.is_served() => "fetch",
        None => "-",
    }
}

fn described(entry: &Entry, location: Option<&Location>) -> Value {
    json!({
        "name": entry.name,
        "aliases": entry.aliases,
        "about": entry.about,
        "statistics": entry.statistics,
        "state": state(entry, location),
        "path": location.and_then(|location| folder(entry, location)),
        "carried": entry.is_carried(),
        "served": entry.is_served(),
        "note": entry.note,
        "sources": entry.sources(),
        "archive": entry.archive,
        "files": entry.files.iter().map(|file| json!({
            "path": file.path,
            "sha256": file.sha256,
            "bytes": file.bytes,
            "url": file.url(),
            "optional": file.optional,
        })).collect::<Vec<_>>(),
    })
}

/// The folder that holds the set, if it is in one.
fn folder(entry: &Entry, location: &Location) -> Option<PathBuf> {
    let file = match location {
        Location::Folder(root) => root.join(&entry.files[0].path),
        Location::Archive(path) => path.clone(),
        Location::Carried => return None,
    };
    file.parent().map(Path::to_path_buf)
}

fn path(name: &str) -> anyhow::Result<Printed> {
    let entry = catalogue::find(name)?;
    let location = Store::from_env()?.locate(entry)?;
    let path = folder(entry, &location).with_context(|| {
        let name = &entry.name;
        format!("{name} is carried by the program; `gsn data fetch {name}` writes its files")
    })?;
    let text = format!("{}\n", path.display());
    Ok((text, described(entry, Some(&location))))
}

fn bring(
    name: &str,
    to: Option<PathBuf>,
    mirror: Option<&str>,
    common: &Common,
) -> anyhow::Result<Printed> {
    let entry = catalogue::find(name)?;
    let root = match to {
        Some(folder) => folder,
        None => catalogue::data_folder()?
            .or_else(catalogue::user_folder)
            .context("there is no data folder to put it in; name one with --to")?,
    };
    let (from, client) = match mirror {
        // Files are compared with the catalogue, so a mirror need not be trusted.
        Some(url) => fetch::mirror(url)?,
        None => (From::Sources, Client::default()),
    };
    let progress = Progress::new(common.quiet);
    let cancel = interrupt::switch();
    let mut watch = |url: &str, have: u64, all: Option<u64>| {
        let of_all = all.map_or_else(String::new, |all| format!(" of {all}"));
        progress.tell(|| format!("{url}: {have}{of_all} bytes"));
        !cancel.load(Ordering::Relaxed)
    };
    let done = match fetch::set(entry, &root, &client, &from, &mut watch) {
        Err(gsn_lab::Error::Stopped) => {
            bail!("stopped; the same command continues where it stopped")
        }
        done => done?,
    };
    drop(progress);
    // Files that hash right are not yet a set: it must load.
    let store = Store::at(&root);
    store.read(entry)?;
    let path = folder(entry, &store.locate(entry)?).unwrap_or(root);
    let fetched = done.iter().filter(|file| !file.present).count() as u64;
    if !common.quiet {
        let kept = done.len() as u64 - fetched;
        let were = if kept == 1 { "was" } else { "were" };
        say(format_args!("{} fetched, {kept} {were} there", several(fetched, "file")));
    }
    let text = format!("{}\n", path.display());
    let files: Vec<Value> = done.iter().map(|file| json!(file)).collect();
    Ok((text, json!({"name": entry.name, "path": path, "fetched": fetched, "files": files})))
}

fn cache(clear: bool, verbose: bool) -> anyhow::Result<Printed> {
    let cache = Cache::from_env();
    let Some(folder) = cache.folder() else {
        return Ok(("the cache is off\n".into(), json!({"folder": null, "entries": []})));
    };
    if clear {
        let (files, bytes) = cache.clear()?;
        let text = format!("{} removed, {}\n", several(files, "file"), size(bytes));
        return Ok((text, json!({"folder": folder, "removed": files, "bytes": bytes})));
    }
    let entries = cache.list()?;
    let bytes: u64 = entries.iter().map(|entry| entry.bytes).sum();
    let mut text = String::new();
    if verbose {
        for entry in &entries {
            text +=
                &format!("{}  {:>9}  {}\n", &entry.graphs[..12], size(entry.bytes), entry.about);
        }
    }
    let number = several(entries.len() as u64, "column set");
    text += &format!("{number}, {} in {}\n", size(bytes), folder.display());
    Ok((text, json!({"folder": folder, "bytes": bytes, "entries": entries})))
}

/// A number of bytes, as `12.3 MB`.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => several(bytes, "byte"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
