//! Writing count tables, one graph after the other.

use super::columns::HeldRows;
use super::format::{TableFormat, TableWriter};
use super::rejected::{RejectedFile, RejectedRows, rejected_path};
use super::sidecar::{Sidecar, TableInfo, sidecar_path};
use crate::atomic::{Disk, Group};
use crate::error::{Error, shown};
use crate::monitor::Monitor;
use crate::names::{NameKind, VertexNames};
use crate::output::{OutFile, STDOUT, refuse_input};
use crate::record::Rejected;
use gsn_core::{Graph, Scope};
use std::path::{Path, PathBuf};

/// Rows of a group at most.
const GROUP_ROWS: usize = 1 << 17;

/// Writes a count table; the file appears with [`CountSink::finish`], or not at all.
///
/// ```
/// use gsn_core::{Graph, Scope};
/// use gsn_io::{CountSink, TableFormat};
///
/// let dir = tempfile::tempdir()?;
/// let path = dir.path().join("degrees.csv");
/// let mut sink = CountSink::create(
///     &path, TableFormat::Csv, Scope::Vertex, &["path:2/v0".into()], &[])?;
/// let graph = Graph::from_edges(3, [(0, 1), (1, 2)])?;
/// sink.push(0, &graph, &[1, 2, 1])?; // row after row, here one column
/// assert!(!path.exists());
/// sink.finish(None)?;
/// assert_eq!(std::fs::read_to_string(&path)?, "graph,vertex,path:2/v0\n0,0,1\n0,1,2\n0,2,1\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CountSink {
    path: PathBuf,
    name: String,
    format: TableFormat,
    table: Table,
    rows: HeldRows,
    group: usize,
    written: u64,
    graphs: u64,
    last: Option<u64>,
    /// What the vertices of the graphs so far are called.
    names: NameKind,
    rejected: RejectedFile,
    disk: Disk,
    /// Stops the writing of a large graph.
    monitor: Monitor,
}

/// The table itself. Its first bytes wait for the first rows, which say what vertices are called
/// and without which an error leaves standard output as it was.
enum Table {
    Waiting(OutFile),
    Open(Box<dyn TableWriter>),
    /// Between the two, or after a writer could not be made.
    Broken,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSummary {
    /// Rows of the table.
    pub rows: u64,
    /// Graphs in it.
    pub graphs: u64,
    /// Rows of the input that are not in it.
    pub rejected: RejectedRows,
    /// Where the sidecar is, if one was written.
    pub sidecar_path: Option<PathBuf>,
}

impl CountSink {
    /// Starts a table at `path` (`-` is standard output) whose columns after the keys are
    /// `columns`. None of the files it will write may be one of `inputs`.
    ///
    /// # Errors
    /// When the file cannot be written or would overwrite an input.
    pub fn create(
        path: impl AsRef<Path>,
        format: TableFormat,
        scope: Scope,
        columns: &[String],
        inputs: &[PathBuf],
    ) -> Result<Self, Error> {
        Self::create_on(Disk::default(), path.as_ref(), format, scope, columns, inputs)
    }

    pub(crate) fn create_on(
        disk: Disk,
        path: &Path,
        format: TableFormat,
        scope: Scope,
        columns: &[String],
        inputs: &[PathBuf],
    ) -> Result<Self, Error> {
        refuse_input(path, inputs)?;
        let standard = path.as_os_str() == "-";
        if !standard {
            refuse_input(&sidecar_path(path), inputs)?;
            refuse_input(&rejected_path(path), inputs)?;
        }
        let table = Table::Waiting(OutFile::create_hashed(path, &disk)?);
        let group = (format.held().cells / (columns.len() + 2)).clamp(256, GROUP_ROWS);
        Ok(Self {
            path: path.to_owned(),
            name: shown(path, STDOUT),
            format,
            table,
            rows: HeldRows::new(scope, columns),
            group,
            written: 0,
            graphs: 0,
            last: None,
            names: NameKind::None,
            rejected: RejectedFile::on(disk.clone(), (!standard).then(|| rejected_path(path))),
            disk,
            monitor: Monitor::default(),
        })
    }

    /// The same; between two blocks of rows the monitor is asked whether to go on, which matters
    /// where one graph has millions of them.
    #[must_use]
    pub fn with_monitor(self, monitor: Monitor) -> Self {
        Self { monitor, ..self }
    }

    /// Adds the counts of the graph in row `row` of the input: one line of `values` for every
    /// vertex, [`Graph::edges`] or [`Graph::arcs`], one number for every column. Rows increase
    /// from call to call.
    ///
    /// # Errors
    /// When writing fails, the reader of a pipe closed it, `values` do not fit the graph, or the
    /// monitor's switch was turned on.
    pub fn push(&mut self, row: u64, graph: &Graph, values: &[u64]) -> Result<(), Error> {
        self.push_named(row, graph, None, values)
    }

    /// [`CountSink::push`] for a graph whose vertices have names, which stand in the key columns.
    ///
    /// # Errors
    /// Also when rows that are written already leave no room for such names.
    pub fn push_named(
        &mut self,
        row: u64,
        graph: &Graph,
        names: Option<&VertexNames>,
        values: &[u64],
    ) -> Result<(), Error> {
        if self.last.is_some_and(|last| row <= last) {
            let reason = format!("graph {row} comes after a later one; tables are sorted");
            return Err(Error::file(&self.name, reason));
        }
        let rows = self.rows.start(&self.name, row, graph, names, values)?;
        self.names = self.names.max(names.map(VertexNames::kind).unwrap_or_default());
        self.last = Some(row);
        self.graphs += 1;
        let mut from = 0;
        while from < rows {
            let to = rows.min(from + self.group - self.rows.rows());
            self.rows.push(row, from..to, names, values);
            from = to;
            if self.rows.rows() == self.group {
                self.monitor.check()?;
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.written += self.rows.rows() as u64;
        self.open_table()?;
        if let Table::Open(table) = &mut self.table {
            table.write(&mut self.rows)?;
        }
        self.rows.clear();
        Ok(())
    }

    /// Writes the beginning of the table, if it is not there yet.
    fn open_table(&mut self) -> Result<(), Error> {
        self.table = match std::mem::replace(&mut self.table, Table::Broken) {
            Table::Waiting(file) => {
                if self.format.held().fix_names {
                    self.rows.keys.fix();
                }
                let keys = (self.rows.keys.scope, self.rows.keys.kind());
                Table::Open(self.format.writer(file, &self.path, keys, &self.rows.names)?)
            }
            table => table,
        };
        Ok(())
    }

    /// Notes a row that is not in the table. They are listed in `<stem>.rejected.csv`; with
    /// standard output they are only counted.
    ///
    /// # Errors
    /// When writing fails.
    pub fn reject(&mut self, rejected: &Rejected) -> Result<(), Error> {
        self.rejected.push(rejected)
    }

    /// Completes the table and puts it in its place together with the list of its rejected rows
    /// and, if `sidecar` is given and the table is a file, `<path>.json`.
    ///
    /// # Errors
    /// When writing fails; then an older table, its list and its sidecar are as they were.
    pub fn finish(mut self, sidecar: Option<Sidecar>) -> Result<TableSummary, Error> {
        if self.rows.rows() > 0 {
            self.flush()?;
        }
        self.open_table()?;
        let file = match self.table {
            Table::Open(table) => table.finish()?,
            Table::Waiting(file) => file,
            Table::Broken => return Err(Error::file(&self.name, "could not be begun")),
        };
        let (file, digest) = file.complete()?;
        let mut group = Group::default();
        let mut summary = TableSummary {
            rows: self.written,
            graphs: self.graphs,
            rejected: self.rejected.finish_in(&mut group)?,
            sidecar_path: None,
        };
        if let Some(mut sidecar) = sidecar.filter(|_| self.path.as_os_str() != "-") {
            sidecar.table = Some(TableInfo {
                format: self.format.to_string(),
                rows: summary.rows,
                graphs: summary.graphs,
                rejected: summary.rejected.count,
                columns: self.rows.names.to_vec(),
                vertex_names: self.names,
                digest,
            });
            let path = sidecar_path(&self.path);
            sidecar.write(&path, &self.disk, &mut group)?;
            summary.sidecar_path = Some(path);
        }
        // Last, so that a table that is there has its companions.
        file.into_iter().for_each(|file| group.add(file));
        group.commit()?;
        Ok(summary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atomic::Stage;
    use gsn_core::CountSpec;
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    #[test]
    fn the_rows_of_a_large_graph_are_not_written_to_their_end_when_nobody_wants_them() {
        let dir = tempfile::tempdir().unwrap();
        let graph = Graph::from_edges(2 * GROUP_ROWS, []).unwrap();
        let switch = Arc::new(AtomicBool::new(true));
        let (scope, columns) = (Scope::Vertex, ["path:2/v0".to_owned()]);
        let path = dir.path().join("t.csv");
        let sink = CountSink::create(&path, TableFormat::Csv, scope, &columns, &[]).unwrap();
        let mut sink = sink.with_monitor(Monitor::default().with_cancel(switch));
        let pushed = sink.push(0, &graph, &vec![0; graph.order()]);
        assert!(matches!(pushed, Err(Error::Cancelled)));
        drop(sink);
        assert_eq!(dir.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn a_full_disk_leaves_the_old_table_sidecar_and_list() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.csv");
        let graph = Graph::from_edges(2, [(0, 1)]).unwrap();
        let spec = CountSpec::new("path:2".parse().unwrap());
        let bad = Rejected {
            row: 1,
            line: None,
            input: String::new(),
            reason: "bad".into(),
            fields: Vec::new(),
        };
        let write = |disk: Disk, value: u64| -> Result<TableSummary, Error> {
            let columns = ["path:2/v0".to_owned()];
            let (csv, scope) = (TableFormat::Csv, Scope::Vertex);
            let mut sink = CountSink::create_on(disk, &path, csv, scope, &columns, &[])?;
            sink.push(0, &graph, &[value; 2])?;
            sink.reject(&Rejected { row: value, ..bad.clone() })?;
            let mut sidecar = Sidecar::new(&spec);
            sidecar.budget.steps = Some(value);
            sink.finish(Some(sidecar))
        };
        let files = || -> Vec<(PathBuf, Vec<u8>)> {
            let mut files: Vec<_> =
                dir.path().read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
            files.sort();
            files.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
        };
        write(Disk::default(), 1).unwrap();
        let old = files();
        assert_eq!(old.len(), 3);
        for stage in [Stage::Create, Stage::Write, Stage::Sync, Stage::Rename] {
            for n in 1..=3 {
                let reached = AtomicUsize::new(0);
                let disk = Disk::with_fault(Arc::new(move |_, at| {
                    let full = at == stage && reached.fetch_add(1, Ordering::SeqCst) + 1 >= n;
                    if full { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
                }));
                write(disk, 2).unwrap_err();
                assert_eq!(files(), old, "{stage:?} {n}");
            }
        }
        write(Disk::default(), 2).unwrap();
        let new = files();
        assert!(old.iter().zip(&new).all(|(old, new)| old.0 == new.0 && old.1 != new.1));
    }
}
