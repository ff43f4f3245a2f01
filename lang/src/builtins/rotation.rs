//! Functions of quaternions. Rotations are unit quaternions; formulas as in J. Diebel, "Representing
//! Attitude: Euler Angles, Unit Quaternions, and Rotation Vectors" (2006), for the order (x, y, z, w).

use crate::matrix::Mat33;
use crate::quat::Quat;
use crate::scalar::{Float, Scalar};
use crate::vector::Vec3;
use std::ops::Neg;

/// The rotation that does nothing: (0, 0, 0, 1).
#[track_caller]
pub fn quat_identity<S: Scalar>() -> Quat<S> {
    let zero = S::lit(0.0);
    Quat { x: zero, y: zero, z: zero, w: S::lit(1.0) }
}

/// The rotation about a unit `axis` by `angle` radians, right-handed: (axis sin(angle/2), cos(angle/2)).
#[track_caller]
pub fn quat_from_axis_angle<S: Float>(axis: Vec3<S>, angle: S) -> Quat<S> {
    let half = angle * S::lit(0.5);
    let v = axis * half.sin();
    Quat { x: v.x, y: v.y, z: v.z, w: half.cos() }
}

/// (-x, -y, -z, w): the inverse of a unit quaternion.
#[track_caller]
pub fn conjugate<S: Scalar + Neg<Output = S>>(q: Quat<S>) -> Quat<S> {
    Quat { x: -q.x, y: -q.y, z: -q.z, w: q.w }
}

/// The inverse: the conjugate over the squared length; 0, with derivative 0, for 0.
#[track_caller]
pub fn quat_inverse<S: Float>(q: Quat<S>) -> Quat<S> {
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    let square = q.length_sq();
    conjugate(q) * S::pick(zero.less(square), one / square, zero)
}

/// Hamilton's product a b: rotates by `b` first, then by `a`. The same as `a * b`.
#[track_caller]
pub fn quat_multiply<S: Scalar>(a: Quat<S>, b: Quat<S>) -> Quat<S> {
    a * b
}

/// `v` rotated by the unit quaternion `q`: v + 2 w (u × v) + 2 u × (u × v), where u is the vector part.
#[track_caller]
pub fn quat_rotate<S: Scalar>(q: Quat<S>, v: Vec3<S>) -> Vec3<S> {
    let u = q.vector();
    let t = u.cross(v) * S::lit(2.0);
    v + t * q.w + u.cross(t)
}

/// `v` rotated by the inverse of the unit quaternion `q`.
#[track_caller]
pub fn quat_rotate_inv<S: Scalar>(q: Quat<S>, v: Vec3<S>) -> Vec3<S> {
    let u = q.vector();
    let t = u.cross(v) * S::lit(2.0);
    v - t * q.w + u.cross(t)
}

/// The rotation matrix of the unit quaternion `q`: `quat_to_matrix(q) * v` is `quat_rotate(q, v)`.
#[track_caller]
pub fn quat_to_matrix<S: Scalar>(q: Quat<S>) -> Mat33<S> {
    let (one, two) = (S::lit(1.0), S::lit(2.0));
    let (xx, yy, zz) = (q.x * q.x * two, q.y * q.y * two, q.z * q.z * two);
    let (xy, xz, yz) = (q.x * q.y * two, q.x * q.z * two, q.y * q.z * two);
    let (wx, wy, wz) = (q.w * q.x * two, q.w * q.y * two, q.w * q.z * two);
    Mat33::from_rows(
        Vec3::new(one - yy - zz, xy - wz, xz + wy),
        Vec3::new(xy + wz, one - xx - zz, yz - wx),
        Vec3::new(xz - wy, yz + wx, one - xx - yy),
    )
}
