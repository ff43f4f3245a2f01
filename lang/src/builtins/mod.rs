//! The functions that kernels may call.
//!
//! All but those about threads and atomics are plain Rust, generic over [`Scalar`](crate::Scalar) or
//! [`Float`](crate::Float): they run on the host as they are, and in a kernel they append ops, so they
//! are differentiated for free. Each one has a row in the [`table`], which tests walk.

mod bits;
mod components;
mod decomposition;
mod geometry;
mod linalg;
mod noise;
mod orientation;
mod random;
mod rotation;
mod scalar;
mod sdf;
mod small;
mod special;
pub mod table;
mod thread;
mod transform;
mod vector;

pub use crate::array::{
    atomic_add, atomic_and, atomic_compare_exchange, atomic_exchange, atomic_max, atomic_min, atomic_or, atomic_sub,
    atomic_xor,
};
pub use crate::expand::detach;
pub use crate::vector::{vec2, vec3, vec4};
pub use bits::*;
pub use components::*;
pub use decomposition::*;
pub use geometry::*;
pub use linalg::*;
pub use noise::*;
pub use orientation::*;
pub use random::*;
pub use rotation::*;
pub use scalar::*;
pub use sdf::*;
pub use special::*;
pub use thread::*;
pub use transform::*;
pub use vector::*;
