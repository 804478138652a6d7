//! Folders of the TU Dortmund collection, written beside their place and renamed.

use super::{Lost, Writer, unfit};
use crate::atomic::{Group, TemporaryFolder, temporary_folder};
use crate::error::Error;
use crate::record::GraphRecord;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

struct Tu {
    target: PathBuf,
    name: String,
    work: TemporaryFolder,
    stem: String,
    arcs: BufWriter<File>,
    indicator: BufWriter<File>,
    /// Files that exist when the first graph has what they hold.
    node_labels: Option<BufWriter<File>>,
    edge_labels: Option<BufWriter<File>>,
    graph_labels: Option<BufWriter<File>>,
    graph_attributes: Option<BufWriter<File>>,
    vertices: u64,
}

pub(crate) fn writer(target: &Path) -> Result<Box<dyn Writer>, Error> {
    let name = target.display().to_string();
    let fail = |e| Error::io(&name, e);
    if target.as_os_str() == "-" {
        return Err(Error::file("standard output", "a TU dataset is a folder; name one"));
    }
    if target.exists() {
        return Err(Error::file(name, "is there already; choose a new folder"));
    }
    let stem = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let work = temporary_folder(target).map_err(fail)?;
    let arcs = file(&work, &stem, "A").map_err(fail)?;
    let indicator = file(&work, &stem, "graph_indicator").map_err(fail)?;
    Ok(Box::new(Tu {
        target: target.to_owned(),
        name,
        work,
        stem,
        arcs,
        indicator,
        node_labels: None,
        edge_labels: None,
        graph_labels: None,
        graph_attributes: None,
        vertices: 0,
    }))
}

impl Tu {
    fn begin(&mut self, record: &GraphRecord) -> std::io::Result<()> {
        let open =
            |there: bool, what| there.then(|| file(&self.work, &self.stem, what)).transpose();
        self.node_labels = open(record.graph.vertex_labels().is_some(), "node_labels")?;
        self.edge_labels = open(record.graph.arc_labels().is_some(), "edge_labels")?;
        self.graph_labels = open(record.label.is_some(), "graph_labels")?;
        self.graph_attributes = open(!record.targets.is_empty(), "graph_attributes")?;
        Ok(())
    }

    fn write(&mut self, index: u64, record: &GraphRecord) -> std::io::Result<()> {
        let graph = &record.graph;
        let name = |v: u32| self.vertices + u64::from(v) + 1;
        for (arc, (u, v)) in graph.arcs().enumerate() {
            writeln!(self.arcs, "{}, {}", name(u), name(v))?;
            if let (Some(file), Some(labels)) = (&mut self.edge_labels, graph.arc_labels()) {
                writeln!(file, "{}", labels[arc])?;
            }
        }
        for v in 0..graph.order() {
            writeln!(self.indicator, "{}", index + 1)?;
            if let (Some(file), Some(labels)) = (&mut self.node_labels, graph.vertex_labels()) {
                writeln!(file, "{}", labels[v])?;
            }
        }
        if let (Some(file), Some(label)) = (&mut self.graph_labels, record.label) {
            writeln!(file, "{label}")?;
        }
        if let Some(file) = &mut self.graph_attributes {
            let targets: Vec<String> = record.targets.iter().map(f64::to_string).collect();
            writeln!(file, "{}", targets.join(", "))?;
        }
        self.vertices += graph.order() as u64;
        Ok(())
    }
}

fn file(work: &TemporaryFolder, stem: &str, what: &str) -> std::io::Result<BufWriter<File>> {
    Ok(BufWriter::new(File::create(work.path().join(format!("{stem}_{what}.txt")))?))
}

impl Writer for Tu {
    fn push(&mut self, index: u64, record: &GraphRecord) -> Result<Lost, Error> {
        if record.graph.order() == 0 {
            let reason = "has no vertex, and a TU dataset has no place for such a graph";
            return Err(unfit(&self.name, record, reason));
        }
        if index == 0 {
            self.begin(record).map_err(|e| Error::io(&self.name, e))?;
        }
        // A graph without edges has no edge labels to miss.
        let edge_labels = record.graph.arc_labels().is_some();
        let even = self.node_labels.is_some() == record.graph.vertex_labels().is_some()
            && (self.edge_labels.is_some() == edge_labels || record.graph.arc_count() == 0)
            && self.graph_labels.is_some() == record.label.is_some()
            && self.graph_attributes.is_some() != record.targets.is_empty();
        if !even {
            let reason = "labels must be on all graphs of a TU dataset or on none";
            return Err(unfit(&self.name, record, reason));
        }
        self.write(index, record).map_err(|e| Error::io(&self.name, e))?;
        let all = Lost::all_of(record);
        Ok(Lost {
            vertex_names: all.vertex_names,
            names: all.names,
            direction: all.direction,
            fields: all.fields,
            ..Lost::default()
        })
    }

    fn finish(self: Box<Self>, group: &mut Group) -> Result<(), Error> {
        let fail = |e| Error::io(&self.name, e);
        let files = [Some(self.arcs), Some(self.indicator), self.node_labels, self.edge_labels];
        let more = [self.graph_labels, self.graph_attributes];
        for file in files.into_iter().chain(more).flatten() {
            file.into_inner().map_err(|e| fail(e.into_error()))?;
        }
        group.add_folder(self.work, &self.target);
        Ok(())
    }
}
