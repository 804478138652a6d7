//! Stands in for `columnar` in builds without that feature.

use crate::error::Error;
use crate::format::Opened;
use crate::input::Input;
use crate::source::ReadOptions;

pub(crate) fn open_parquet(input: Input, _: &ReadOptions) -> Result<Opened, Error> {
    Err(Error::columnar(input.name))
}

pub(crate) use self::open_parquet as open_arrow;
