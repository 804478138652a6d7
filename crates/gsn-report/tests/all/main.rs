//! Drawings as others see them: golden pictures, and what holds for every picture.

mod explain;
mod golden;
mod pictures;
