//! What is looked at rather than read: pictures of graphs, patterns and molecules, and reports of runs.
//!
//! | module | what it makes |
//! |---|---|
//! | [`draw`] | small graphs as SVG or in a terminal |

pub mod draw;
