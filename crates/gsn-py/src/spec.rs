//! What is counted.

use crate::error;
use gsn_core::orbit::{EdgeOrbits, Orbits};
use gsn_core::{CountSpec, Matching, PatternSet, Scope};
use gsn_io::PatternFiles;
use pyo3::prelude::*;

/// Patterns, scope, matching and orbits.
#[pyclass(name = "Spec", module = "gsn._gsn", frozen, eq, hash)]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PySpec(pub(crate) CountSpec);

impl std::hash::Hash for PySpec {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.fingerprint().hash(state);
    }
}

/// Reads a word of a setting.
fn word<T: std::str::FromStr<Err: std::fmt::Display>>(text: &str) -> PyResult<T> {
    text.parse().map_err(error::value)
}

#[pymethods]
impl PySpec {
    #[new]
    #[pyo3(signature = (patterns, scope = "vertex", matching = "induced", orbits = "exact"))]
    fn new(patterns: &str, scope: &str, matching: &str, orbits: &str) -> PyResult<Self> {
        let patterns =
            PatternSet::parse_with(patterns, &PatternFiles::default()).map_err(error::value)?;
        let spec = CountSpec::new(patterns)
            .with_scope(word::<Scope>(scope)?)
            .with_matching(word::<Matching>(matching)?)
            .with_orbits(word::<EdgeOrbits>(orbits)?);
        Ok(Self(spec))
    }

    /// Names of the columns.
    fn columns(&self) -> Vec<String> {
        self.0.columns().iter().map(|column| column.name().to_owned()).collect()
    }

    /// `vertex`, `edge` or `arc`.
    #[getter]
    fn scope(&self) -> &'static str {
        self.0.scope().name()
    }

    /// Which subgraphs are occurrences.
    #[getter]
    fn matching(&self) -> &'static str {
        self.0.matching().name()
    }

    /// The notion of edge and arc orbits.
    #[getter]
    fn orbits(&self) -> &'static str {
        self.0.orbits().name()
    }

    /// The patterns as one text.
    #[getter]
    fn patterns(&self) -> String {
        self.0.patterns().to_string()
    }

    /// Name, number of vertices, edges, whether directed, vertex orbits and size of the group of
    /// every pattern.
    #[expect(clippy::type_complexity, reason = "a tuple is what Python unpacks")]
    fn describe(&self) -> Vec<(String, usize, Vec<(usize, usize)>, bool, Vec<usize>, String)> {
        let of = |pattern: &gsn_core::Pattern| {
            let orbits = Orbits::of(pattern, self.0.orbits());
            (
                pattern.name().to_owned(),
                pattern.order(),
                match pattern.is_directed() {
                    true => pattern.arcs().collect(),
                    false => pattern.edges().collect(),
                },
                pattern.is_directed(),
                (0..pattern.order()).map(|v| orbits.vertex(v)).collect(),
                orbits.group_order().to_string(),
            )
        };
        self.0.patterns().iter().map(of).collect()
    }

    /// A picture of the patterns, their orbits coloured, as SVG.
    fn svg(&self) -> String {
        gsn_cli::draw_patterns(self.0.patterns(), self.0.orbits())
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!(
            "Spec({:?}, scope={:?}, matching={:?}, orbits={:?})",
            self.patterns(),
            self.scope(),
            self.matching(),
            self.orbits()
        )
    }

    fn __getnewargs__(&self) -> (String, &'static str, &'static str, &'static str) {
        (self.patterns(), self.scope(), self.matching(), self.orbits())
    }
}
