//! Drawings as others see them: golden pictures, and what holds for every picture.

mod golden;
mod pictures;
