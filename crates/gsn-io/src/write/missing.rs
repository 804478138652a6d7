//! Stands in for `columnar` in builds without that feature.

use super::Writer;
use crate::error::{Error, shown};
use crate::output::STDOUT;
use std::path::Path;

pub(crate) fn parquet(path: &Path) -> Result<Box<dyn Writer>, Error> {
    Err(Error::columnar(shown(path, STDOUT)))
}

pub(crate) use {parquet as arrow_file, parquet as arrow_stream};
