//! What kernel code uses, to be imported at once: `use pullback_lang::prelude::*`.

pub use crate::builtins::*;
pub use crate::matrix::{Mat22, Mat33, Mat44};
pub use crate::quat::Quat;
pub use crate::rectangular::{Mat, Mat23, Mat24, Mat32, Mat34, Mat36, Mat42, Mat43, Mat55, Mat63, Mat66};
pub use crate::rng::Rng;
pub use crate::scalar::{Real, f16};
pub use crate::sized::{Vec5, Vec6, VecN};
pub use crate::transform::{SpatialVec, Transform};
pub use crate::vector::{Vec2, Vec3, Vec4};
pub use pullback_macros::{KernelEnum, KernelStruct, func, kernel};
