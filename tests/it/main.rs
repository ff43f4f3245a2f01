//! Whole paths that a user takes; a module a promise.
#![allow(clippy::unwrap_used, missing_docs)]

mod gradient_cases;
mod support;
mod tables;
