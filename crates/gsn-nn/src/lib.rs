//! The training core and every network of the paper.
