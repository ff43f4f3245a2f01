//! `Quat`: quaternions x i + y j + z k + w, for rotations.

use crate::array::{LoadAt, StoreAt};
use crate::call::Args;
use crate::scalar::{Float, Number, Scalar, ScalarType, Select};
use crate::traced::Traced;
use crate::types::{ArrayElement, KernelType, Traceable, Values, sealed};
use crate::vector::{Linear, Vec3, Vector, components};
use pullback_ir::{Element, Value};
use std::ops::{Add, AddAssign, Div, DivAssign, Index, IndexMut, Mul, MulAssign, Neg, Sub, SubAssign};

/// A quaternion in the order (x, y, z, w); a rotation if its length is 1. `*` is Hamilton's product:
/// `a * b` rotates by `b` first, then by `a`.
///
/// ```
/// use pullback_lang::{Quat, Vec3, quat_from_axis_angle, quat_rotate};
/// let quarter = quat_from_axis_angle(Vec3::new(0.0, 0.0, 1.0), std::f64::consts::FRAC_PI_2);
/// let y = quat_rotate(quarter, Vec3::new(1.0, 0.0, 0.0));
/// assert!((y - Vec3::new(0.0, 1.0, 0.0)).length() < 1e-15);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Quat<T = f32> {
    /// Coefficient of i.
    pub x: T,
    /// Coefficient of j.
    pub y: T,
    /// Coefficient of k.
    pub z: T,
    /// The real part.
    pub w: T,
}

components!(Quat { x.0, y.1, z.2, w.3 } 4);

impl<S: Scalar> Quat<S> {
    /// The rotation that does nothing: (0, 0, 0, 1).
    #[track_caller]
    pub fn identity() -> Self {
        crate::builtins::quat_identity()
    }
    /// The vector part (x, y, z).
    pub fn vector(self) -> Vec3<S> {
        Vec3::new(self.x, self.y, self.z)
    }
}

impl<S: Float> Quat<S> {
    /// The rotation about a unit `axis` by `angle` radians.
    #[track_caller]
    pub fn from_axis_angle(axis: Vec3<S>, angle: S) -> Self {
        crate::builtins::quat_from_axis_angle(axis, angle)
    }
    /// (-x, -y, -z, w).
    #[track_caller]
    pub fn conjugate(self) -> Self {
        crate::builtins::conjugate(self)
    }
    /// The inverse.
    #[track_caller]
    pub fn inverse(self) -> Self {
        crate::builtins::quat_inverse(self)
    }
    /// `v` rotated by this unit quaternion.
    #[track_caller]
    pub fn rotate(self, v: Vec3<S>) -> Vec3<S> {
        crate::builtins::quat_rotate(self, v)
    }
    /// `v` rotated the other way.
    #[track_caller]
    pub fn rotate_inv(self, v: Vec3<S>) -> Vec3<S> {
        crate::builtins::quat_rotate_inv(self, v)
    }
}

impl<S: Scalar> Mul<Vec3<S>> for Quat<S> {
    type Output = Vec3<S>;
    /// The vector rotated, as [`quat_rotate`](crate::builtins::quat_rotate) does it.
    #[track_caller]
    fn mul(self, rhs: Vec3<S>) -> Vec3<S> {
        crate::builtins::quat_rotate(self, rhs)
    }
}

impl<S: Scalar> Mul for Quat<S> {
    type Output = Self;
    /// Hamilton's product.
    #[track_caller]
    fn mul(self, b: Self) -> Self {
        let a = self;
        Quat {
            x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
            w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        }
    }
}
impl<S: Scalar> MulAssign for Quat<S> {
    #[track_caller]
    fn mul_assign(&mut self, rhs: Self) {
        *self = *self * rhs;
    }
}
