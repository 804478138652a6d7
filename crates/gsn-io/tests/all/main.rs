//! All integration tests of gsn-io in one binary.

mod bad_input;
mod columnar;
mod common;
mod damaged;
mod fuzz;
mod networks;
mod round_trip;
mod sdf;
mod smiles;
mod sources;
mod tables;
#[path = "../../../../tests/within.rs"]
mod within;
