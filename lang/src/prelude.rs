//! What kernel code uses, to be imported at once: `use pullback_lang::prelude::*`.

pub use crate::builtins::*;
pub use crate::matrix::{Mat22, Mat33, Mat44};
pub use crate::quat::Quat;
pub use crate::scalar::Real;
pub use crate::vector::{Vec2, Vec3, Vec4};
pub use pullback_macros::{func, kernel};
