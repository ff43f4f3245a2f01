//! What the examples share and the library has no business with: reading the ephemeris (`csv`), the solar system as a
//! model (`sky`), drawing a figure (`svg`), and telling how far a long computation is (`progress`).
#![allow(dead_code, reason = "each example uses its part of this")]

pub mod csv;
pub mod progress;
pub mod sky;
pub mod svg;
