//! Sets that were brought into a data folder from another library.
//!
//! Such a set has the layout of the catalogue, and in its folder `imported.json`: where it comes
//! from, the sha256 of every file, and its statistics. These are checked in place of the
//! catalogue's, since other libraries publish the same graphs in another order, or with
//! targets computed by another version of a program.

use super::entry::{Entry, FileEntry, Kind, Statistics, Unpacked, find};
use super::read::{molhiv_text, zinc_texts};
use super::store::{Location, Store, hex};
use crate::arrays::Arrays;
use crate::error::{Error, Result};
use gsn_io::atomic::{Group, temporary_folder};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// The name of the file.
const NAME: &str = "imported.json";
/// Its version.
const FORMAT: u32 = 1;

/// What is known about a set that was imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Imported {
    format: u32,
    /// The set of the catalogue that it stands for.
    pub set: String,
    /// The library and data set it was taken from.
    pub from: String,
    /// Numbers that it must have.
    pub statistics: Statistics,
    /// Its files.
    pub files: Vec<ImportedFile>,
}

/// A file of an imported set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ImportedFile {
    /// Its name in the folder of the set.
    pub name: String,
    /// Its sha256.
    pub sha256: String,
    /// Its length.
    pub bytes: u64,
}

/// The folder of a set below the data folder.
fn folder(entry: &Entry) -> &Path {
    Path::new(&entry.files[0].path).parent().unwrap_or(Path::new(""))
}

impl Imported {
    /// What is known about the set of `entry` at a place; nothing if it was not imported.
    pub(crate) fn at(location: &Location, entry: &Entry) -> Result<Option<Self>> {
        let Location::Folder(root) = location else { return Ok(None) };
        let path = root.join(folder(entry)).join(NAME);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::file(&path, error)),
        };
        let found: Self = serde_json::from_slice(&bytes)
            .map_err(|e| Error::file(&path, format!("is not what an import writes: {e}")))?;
        if found.format != FORMAT {
            let what = format!("has format {}, this program knows {FORMAT}", found.format);
            return Err(Error::file(&path, what));
        }
        Ok(Some(found))
    }

    /// The entry of the catalogue with these files and statistics.
    pub(super) fn entry(&self, entry: &Entry) -> Result<Entry> {
        let known = |file: &FileEntry| {
            let (path, ..) = file.plain();
            let name = Path::new(path).file_name()?.to_str()?;
            let ImportedFile { sha256, bytes, .. } =
                self.files.iter().find(|own| own.name == name)?.clone();
            // The catalogue may know it packed; imported files are not.
            let inside = Unpacked { sha256: sha256.clone(), bytes };
            let unpacked = file.unpacked.is_some().then_some(inside);
            Some(FileEntry { sha256, bytes, unpacked, ..file.clone() })
        };
        let files: Vec<FileEntry> = entry.files.iter().filter_map(known).collect();
        let needed = entry.files.iter().filter(|file| !file.optional).count();
        if files.iter().filter(|file| !file.optional).count() < needed {
            let what = format!("{NAME} does not name every file; import the set again");
            return Err(Error::data(&entry.name, what));
        }
        Ok(Entry { files, statistics: self.statistics.clone(), ..entry.clone() })
    }

    /// How it differs from the set of the catalogue, number by number.
    pub fn differences(&self, entry: &Entry) -> Vec<String> {
        let (ours, theirs) = (entry.statistics.named(), self.statistics.named());
        let pairs = ours.into_iter().zip(theirs).filter(|(ours, theirs)| ours != theirs);
        pairs
            .map(|((number, ours), (_, theirs))| {
                format!("{number}: {theirs} imported, {ours} in the catalogue")
            })
            .collect()
    }

    /// Where the set comes from, in one line.
    pub(super) fn told(&self, entry: &Entry) -> String {
        let differences = match &self.differences(entry)[..] {
            [] => String::new(),
            some => format!("; it is not the set of the catalogue ({})", some.join("; ")),
        };
        format!("{} was imported from {}{differences}", entry.name, self.from)
    }
}

/// Writes arrays as the set `name` (ZINC-12k or ogbg-molhiv) into the data folder `root`, where it
/// may not be yet, and says where its files are. The set is read back and compared before it
/// takes its place.
///
/// # Errors
/// When it is another set, the arrays are not of its kind, or writing fails; then nothing has changed.
///
/// ```
/// use gsn_lab::{arrays::Arrays, catalogue};
/// let folder = tempfile::tempdir()?;
/// let mut zinc = Arrays::of(&catalogue::load("ZINC-12k")?);
/// zinc.targets[0][0] += 1e-4;
/// let (place, imported) = catalogue::import(folder.path(), "ZINC-12k", &zinc, "another library")?;
/// assert_eq!((place, imported.files.len()), (folder.path().join("zinc12k"), 3));
/// let back = Arrays::of(&catalogue::Store::at(folder.path()).load("ZINC-12k")?);
/// assert_eq!(back, zinc);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn import(root: &Path, name: &str, arrays: &Arrays, from: &str) -> Result<(PathBuf, Imported)> {
    let entry = find(name)?;
    let bad = |what: String| Error::data(&entry.name, what);
    arrays.check().map_err(bad)?;
    let texts = match entry.kind {
        Kind::Zinc => zinc_texts(arrays),
        Kind::Molhiv => molhiv_text(arrays),
        _ => Err("only ZINC-12k and ogbg-molhiv can be imported; write a TU folder".to_owned()),
    };
    let texts = texts.map_err(bad)?;
    let target = root.join(folder(entry));
    let fail = |e: std::io::Error| Error::file(&target, e);
    if target.exists() {
        let what = "is there already; remove it or choose another data folder";
        return Err(Error::file(&target, what));
    }
    std::fs::create_dir_all(root).map_err(fail)?;
    let work = temporary_folder(&target).map_err(fail)?;
    let mut files = Vec::new();
    for (name, text) in texts {
        let (sha256, bytes) = (hex(&Sha256::digest(&text)), text.len() as u64);
        std::fs::write(work.path().join(&name), text).map_err(fail)?;
        files.push(ImportedFile { name, sha256, bytes });
    }
    // The set is read where it is made, by its own reader; the first time for its statistics.
    let staged = staged(entry, work.path());
    let mut imported = Imported {
        format: FORMAT,
        set: entry.name.clone(),
        from: from.to_owned(),
        statistics: entry.statistics.clone(),
        files,
    };
    let store = Store::at(root);
    imported.statistics = store.statistics(&imported.entry(&staged)?)?;
    let json = serde_json::to_vec_pretty(&imported).map_err(|e| fail(e.into()))?;
    std::fs::write(work.path().join(NAME), json).map_err(fail)?;
    let back = Arrays::of(&store.read(&staged)?);
    let same = back.orders == arrays.orders && back.vertex == arrays.vertex;
    if !same || back.targets != arrays.targets || back.folds != arrays.folds {
        return Err(bad("is not the same when it is read back".into()));
    }
    let mut group = Group::default();
    group.add_folder(work, &target);
    group.commit()?;
    Ok((target, imported))
}

/// The entry with its files in the folder `work` instead.
fn staged(entry: &Entry, work: &Path) -> Entry {
    let place = work.file_name().unwrap_or_default().to_string_lossy();
    let mut entry = entry.clone();
    for file in &mut entry.files {
        let name = Path::new(&file.path).file_name().unwrap_or_default().to_string_lossy();
        file.path = format!("{place}/{name}");
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrays::Rows;
    use crate::dataset::Fold;

    /// Four rings with OGB's columns, cut 2, 1, 1.
    fn rings() -> Arrays {
        let (orders, cut) = (vec![3, 4, 5, 6], |at: &[u32]| at.to_vec());
        let mut ends = Vec::new();
        let mut starts = vec![0];
        for &order in &orders {
            ends.extend((0..order as u32).map(|v| (v, (v + 1) % order as u32)));
            starts.push(ends.len());
        }
        let rows = |cols: usize, rows: usize| {
            Some(Rows { cols, data: (0..(cols * rows) as u32).map(|at| at % 2).collect() })
        };
        let (vertex, arc) = (rows(9, ends.len()), rows(3, ends.len()));
        let targets = vec![vec![0.0], vec![1.0], vec![1.0], vec![0.0]];
        let fold =
            Fold { train: cut(&[3, 0]), validation: cut(&[1]), test: cut(&[2]), ..Fold::default() };
        Arrays { orders, starts, ends, vertex, arc, targets, folds: vec![fold] }
    }

    #[test]
    fn what_is_imported_is_read_back_and_verified() {
        let folder = tempfile::tempdir().unwrap();
        let (place, imported) = import(folder.path(), "molhiv", &rings(), "a test").unwrap();
        assert_eq!((imported.statistics.graphs, imported.statistics.positives), (4, Some(2)));
        let set = Store::at(folder.path()).load("molhiv").unwrap();
        assert!(set.licence.starts_with("imported from a test"), "{}", set.licence);
        let back = Arrays::of(&set);
        assert_eq!((&back.vertex, &back.folds), (&rings().vertex, &rings().folds));
        assert_eq!(back.ends.len(), 2 * rings().ends.len());
        // Edges in both directions are the same set.
        let other = tempfile::tempdir().unwrap();
        assert_eq!(import(other.path(), "molhiv", &back, "a test").unwrap().1, imported);
        let again = import(folder.path(), "molhiv", &rings(), "a test").unwrap_err().to_string();
        assert!(again.contains("there already"), "{again}");
        let file = place.join("test_idx-0.txt");
        std::fs::write(&file, "1\n").unwrap();
        let changed = Store::at(folder.path()).load("molhiv").unwrap_err().to_string();
        assert!(changed.contains("sha256"), "{changed}");
    }

    #[test]
    fn arrays_that_do_not_fit_leave_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |name: &str, change: fn(&mut Arrays)| {
            let mut arrays = rings();
            change(&mut arrays);
            import(folder.path(), name, &arrays, "a test").unwrap_err().to_string()
        };
        type Change = fn(&mut Arrays);
        let cases: [(Change, &str); 9] = [
            (|a| a.targets[2] = vec![2.0], "not 0 or 1"),
            (|a| a.targets[2] = vec![], "one target"),
            (|a| a.folds.clear(), "must be cut"),
            (|a| a.folds[0].test = vec![9], "beyond the 4"),
            (|a| a.vertex = None, "9 columns"),
            (|a| a.vertex.iter_mut().for_each(|rows| rows.data[1] = 7), "7, which is not below 5"),
            (|a| a.ends[0] = (0, 8), "edge 0-8 of only 3"),
            (|a| a.starts[1] = 900, "do not go"),
            (|a| a.ends[1] = (1, 0), "different features in its directions"),
        ];
        for (change, words) in cases {
            let found = refused("molhiv", change);
            assert!(found.contains(words), "{found}");
        }
        assert!(refused("MUTAG", |_| ()).contains("write a TU folder"));
        assert!(refused("ZINC", |_| ()).contains("one column"));
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}
