//! The published tables, row by row: what is run for each, what came of it, and the page that says
//! so.
//!
//! `tables.toml` lists every row of the paper's tables and what runs it. [`reproduce`] runs or takes
//! up what is not finished and keeps a small file of every row or seed ([`Kept`]); [`page`] is written from those
//! files and nothing else. A kept result names the [`core`] it was made with; where the program's
//! core gives other bits today, the page calls the result stale.
//!
//! | file | what |
//! |---|---|
//! | `tables` | the tables and their rows |
//! | `run` | runs rows, one after the other |
//! | `kept` | what is kept of a row |
//! | `restate` | a run's networks with statistics of BatchNorms re-estimated |
//! | `core` | a hash of the bits that small trainings end with |
//! | `page` | the page |

mod core;
mod kept;
mod page;
mod restate;
mod run;
mod tables;

pub use core::core;
pub use kept::Kept;
pub use page::{page, write_page};
pub use restate::re_estimated;
pub use run::{ReproduceObserver, ReproduceRequest, Reproduced, reproduce};
pub use tables::{Row, Scores, Table, Work, tables};
