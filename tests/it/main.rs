//! Whole paths that a user takes; a module a promise.
#![allow(clippy::unwrap_used, missing_docs)]

mod decompositions;
mod field_arrays;
mod field_launches;
mod field_loops;
mod field_matrices;
mod field_values;
mod field_views;
mod generator;
mod gradient_cases;
mod house;
mod random_programs;
mod regressions;
mod repeated_values;
mod support;
mod tables;
mod tangents;
