//! All integration tests of gsn-core in one binary.

mod common;
mod golden_counts;
mod golden_patterns;
mod pattern_families;
mod properties;
mod refinement;
