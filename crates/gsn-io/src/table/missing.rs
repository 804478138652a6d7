//! Stands in for `columnar` in builds without that feature.

use super::format::{OpenedTable, TableWriter};
use crate::error::Error;
use crate::input::Input;
use crate::output::OutFile;
use gsn_core::Scope;
use std::path::Path;

pub(super) fn parquet(
    file: OutFile,
    _: &Path,
    _: Scope,
    _: &[String],
) -> Result<Box<dyn TableWriter>, Error> {
    Err(Error::columnar(file.name))
}

pub(super) fn open_parquet(input: Input) -> Result<OpenedTable, Error> {
    Err(Error::columnar(input.name))
}

pub(super) use {open_parquet as open_arrow, parquet as arrow};
