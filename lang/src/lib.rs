//! The language that Pullback kernels are written in.
//!
//! A kernel is an ordinary Rust function under `#[kernel]`. The macro rewrites it into Rust that
//! *traces*: run once, it makes the kernel's IR. In it a variable of type `f32` is a [`Traced<f32>`]
//! and a `Vec3` is a `Vec3<Traced<f32>>`, so rustc infers and checks all types. Vectors, matrices and
//! builtins are written once, generic over [`Scalar`] and [`Float`], and run on the host too.
//!
//! | module | holds |
//! |---|---|
//! | [`scalar`] | the traits of scalars, on the host and traced |
//! | [`vector`], [`matrix`], [`quat`] | `Vec2`..`Vec4`, `Mat22`..`Mat44`, `Quat` |
//! | [`builtins`] | all functions that kernels may call, and the table that tests walk |
//! | [`mod@array`] | arrays inside kernels: indexing, lengths, atomics |
//! | [`call`] | a kernel with its arguments, ready to be launched |
//! | [`expand`] | what the macros' expansions call; not for users |
//!
//! Invariants: nothing here generates code or knows a device; an op carries the place of the user's
//! expression (`#[track_caller]` on everything that makes one); IR is built once for each kernel and
//! each set of generic arguments.
#![forbid(unsafe_code)]

// Expansions name this crate `::pullback_lang`, also in its own tests.
extern crate self as pullback_lang;

pub mod array;
pub mod builtins;
pub mod call;
mod control;
mod error;
pub mod expand;
mod handle;
pub mod matrix;
pub mod quat;
pub mod scalar;
mod trace;
mod traced;
pub mod types;
pub mod vector;

pub use array::{ArrayArg, TracedArray};
pub use builtins::*;
pub use call::{ArgValue, Args, Call, Dims};
pub use error::Error;
pub use handle::KernelHandle;
pub use matrix::{Mat22, Mat33, Mat44};
pub use pullback_macros::{func, kernel};
pub use quat::Quat;
pub use scalar::{Float, Int, Number, Real, Scalar, ScalarType};
pub use traced::Traced;
pub use types::{ArrayElement, KernelType};
pub use vector::{Vec2, Vec3, Vec4};
