//! Pullback: a simulation engine with exact gradients.
//!
//! Kernels are plain Rust functions under [`kernel`]; a [`Stream`] runs them over [`Array`]s, and a
//! [`Tape`] also records them and carries gradients back. This crate re-exports what users need;
//! `use pullback::prelude::*` brings it in.

pub use pullback_lang as lang;
pub use pullback_lang::{func, kernel};
pub use pullback_optim as optim;
pub use pullback_runtime::{Array, ArrayMemory, Device, Error, Launch, Stream, Tape, TapeMemory};
pub use pullback_sim as sim;

/// Everything that a program with kernels uses.
pub mod prelude {
    pub use pullback_lang::builtins::*;
    pub use pullback_lang::{Call, Dims, Mat22, Mat33, Mat44, Quat, Real, Vec2, Vec3, Vec4, func, kernel};
    pub use pullback_runtime::{Array, Device, Launch, Stream, Tape};
}
