//! What is looked at rather than read: pictures of graphs, patterns and molecules, and reports of runs.
//!
//! | module | what it makes |
//! |---|---|
//! | [`draw`] | graphs, patterns and molecules as SVG, small graphs in a terminal |
//! | [`explain`] | what moved a prediction |

pub mod draw;
pub mod explain;
