//! Chores of the workspace: `cargo xtask test` runs every test there is.

fn main() {}
