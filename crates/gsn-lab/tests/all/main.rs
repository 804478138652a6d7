//! Everything of the crate that needs more than one module, in one binary.

mod catalogue;
mod fetch;
mod molecules;
mod training;
mod user_data;
