//! DIMACS: `c` comments, a line `p edge N M` (or `col`, `sp`, `tw`), and edges `e u v`, arcs
//! `a u v length`, or bare `u v` after `p tw`; vertices are 1 to N. One graph a file.

use super::single::{OneGraph, Single};
use super::{TextHead, nothing};
use crate::error::Error;
use crate::format::Opened;
use crate::input::{Input, Lines, number, words};
use crate::names::VertexNames;
use crate::record::{FREE_VERTICES, GraphRecord, Parts, excerpt, plausible_order};
use crate::source::ReadOptions;

struct DimacsRows {
    lines: Lines,
    notes: Vec<String>,
}

/// The line that says what follows.
struct Problem {
    line: u64,
    vertices: u64,
    edges: u64,
    directed: bool,
    /// Whether edges are lines of two numbers without a letter.
    bare: bool,
}

/// The line `p`, perhaps behind comments.
pub(crate) fn looks_like(head: &TextHead) -> bool {
    let problem = |line: &[u8]| {
        ["p edge ", "p col ", "p sp ", "p tw "]
            .iter()
            .any(|start| line.starts_with(start.as_bytes()))
    };
    let comment = |line: &[u8]| line == b"c" || line.starts_with(b"c ");
    let second = head.second.unwrap_or_default();
    problem(head.first) || comment(head.first) && (comment(second) || problem(second))
}

pub(crate) fn open(input: Input, _: &ReadOptions) -> Result<Opened, Error> {
    let (lines, hash) = input.lines();
    Ok((Box::new(Single::new(DimacsRows { lines, notes: Vec::new() })), vec![hash]))
}

impl OneGraph for DimacsRows {
    fn read(&mut self) -> Result<GraphRecord, Error> {
        let mut problem: Option<Problem> = None;
        let mut arcs: Vec<(u32, u32)> = Vec::new();
        let mut line = Vec::new();
        while self.lines.read(&mut line)? {
            let tokens: Vec<&[u8]> = words(&line).take(5).collect();
            match (&tokens[..], &problem) {
                ([] | [b"c", ..], _) => {}
                ([b"p", kind, vertices, edges, ..], None) => {
                    problem = Some(self.problem(kind, vertices, edges)?);
                }
                ([b"p", ..], Some(_)) => {
                    return Err(self.lines.error("a second line `p`; one graph a file is read"));
                }
                // What belongs to vertices is not read.
                ([b"n" | b"d" | b"v" | b"x", ..], Some(_)) => {}
                ([b"e" | b"a", u, v, ..], Some(problem)) => arcs.push(self.arc(problem, u, v)?),
                ([u, v], Some(problem)) if problem.bare => arcs.push(self.arc(problem, u, v)?),
                (_, None) => {
                    let shown = excerpt(&line);
                    return Err(self.lines.error(format!(
                        "`{shown}` comes before the line `p edge N M` that DIMACS starts with"
                    )));
                }
                _ => {
                    let shown = excerpt(&line);
                    return Err(self.lines.error(format!("`{shown}` is no line `e u v`")));
                }
            }
        }
        let problem = problem.ok_or_else(|| nothing(&self.lines.name, "line `p edge N M`"))?;
        let given = arcs.len();
        let order = plausible_order(problem.vertices, given, FREE_VERTICES)
            .map_err(|reason| Error::line(&self.lines.name, problem.line, reason))?;
        let parts = Parts { order, arcs, directed: problem.directed, ..Parts::default() };
        let (graph, dropped) = parts
            .build_from_both_ways()
            .map_err(|e| Error::file(&self.lines.name, e.to_string()))?;
        if problem.edges != given as u64 && problem.edges != graph.edge_count() as u64 {
            self.notes.push(format!(
                "{}: line {} promises {} edges, {given} follow; the file may be cut short",
                self.lines.name, problem.line, problem.edges
            ));
        }
        let mut record = GraphRecord::with_dropped(0, graph, dropped);
        record.vertex_names = VertexNames::from_integers((1..=order as i64).collect());
        Ok(record)
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

impl DimacsRows {
    fn problem(&self, kind: &[u8], vertices: &[u8], edges: &[u8]) -> Result<Problem, Error> {
        let (directed, bare) = match kind {
            b"edge" | b"col" | b"edges" => (false, false),
            b"tw" => (false, true),
            b"sp" => (true, false),
            other => {
                let shown = excerpt(other);
                return Err(self.lines.error(format!(
                    "`p {shown}` is no graph; `p edge`, `p col`, `p sp` and `p tw` are read"
                )));
            }
        };
        let (Some(vertices), Some(edges)) = (number(vertices), number(edges)) else {
            return Err(self.lines.error("the numbers of vertices and edges must be whole"));
        };
        if vertices >= u64::from(u32::MAX) {
            return Err(self.lines.error(format!("{vertices} vertices are too many")));
        }
        Ok(Problem { line: self.lines.number, vertices, edges, directed, bare })
    }

    fn arc(&self, problem: &Problem, u: &[u8], v: &[u8]) -> Result<(u32, u32), Error> {
        let vertex = |token: &[u8]| match number(token) {
            Some(v) if (1..=problem.vertices).contains(&v) => Ok(v as u32 - 1),
            _ => {
                let shown = excerpt(token);
                let last = problem.vertices;
                Err(self.lines.error(format!("`{shown}` is no vertex from 1 to {last}")))
            }
        };
        Ok((vertex(u)?, vertex(v)?))
    }
}
