//! Functions of transforms and spatial vectors.
//!
//! A twist is (ω, v): angular velocity, and the velocity of the point of the body that is at the frame's
//! origin. A wrench is (τ, f): torque about the origin, and force. Both are [`SpatialVec`]s, angular part first
//! (Featherstone 2008, *Rigid Body Dynamics Algorithms*, chapter 2). All of these are polynomials of their
//! arguments, so their derivatives have no singular points, except that of the inverse of a quaternion 0.

use crate::matrix::{Mat33, Mat44};
use crate::quat::Quat;
use crate::rectangular::Mat66;
use crate::scalar::{Float, Scalar};
use crate::transform::{SpatialVec, Transform};
use crate::vector::{Vec3, Vec4};

/// The transform that does nothing.
#[track_caller]
pub fn transform_identity<S: Scalar>() -> Transform<S> {
    Transform::identity()
}

/// a b: `b` first, then `a`. The same as `a * b`.
#[track_caller]
pub fn transform_multiply<S: Scalar>(a: Transform<S>, b: Transform<S>) -> Transform<S> {
    a * b
}

/// The transform back: (−q⁻¹ p q, q⁻¹). The rotation must be a unit quaternion; its conjugate is taken.
#[track_caller]
pub fn transform_inverse<S: Float>(t: Transform<S>) -> Transform<S> {
    Transform { p: -super::quat_rotate_inv(t.q, t.p), q: super::conjugate(t.q) }
}

/// Where `t` takes the point `x`: q x q⁻¹ + p.
#[track_caller]
pub fn transform_point<S: Scalar>(t: Transform<S>, x: Vec3<S>) -> Vec3<S> {
    super::quat_rotate(t.q, x) + t.p
}

/// The direction `v` turned by `t`, not moved: q v q⁻¹.
#[track_caller]
pub fn transform_vector<S: Scalar>(t: Transform<S>, v: Vec3<S>) -> Vec3<S> {
    super::quat_rotate(t.q, v)
}

/// The point that `t` takes to `x`: q⁻¹ (x − p) q.
#[track_caller]
pub fn transform_point_inv<S: Scalar>(t: Transform<S>, x: Vec3<S>) -> Vec3<S> {
    super::quat_rotate_inv(t.q, x - t.p)
}

/// The direction that `t` turns to `v`: q⁻¹ v q.
#[track_caller]
pub fn transform_vector_inv<S: Scalar>(t: Transform<S>, v: Vec3<S>) -> Vec3<S> {
    super::quat_rotate_inv(t.q, v)
}

/// The 4 × 4 matrix that does to (x, 1) what `t` does to the point x.
#[track_caller]
pub fn transform_to_matrix<S: Scalar>(t: Transform<S>) -> Mat44<S> {
    let [a, b, c] = super::quat_to_matrix(t.q).rows;
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    Mat44::from_rows(
        Vec4::new(a.x, a.y, a.z, t.p.x),
        Vec4::new(b.x, b.y, b.z, t.p.y),
        Vec4::new(c.x, c.y, c.z, t.p.z),
        Vec4::new(zero, zero, zero, one),
    )
}

/// The transform of a 4 × 4 matrix of a rotation and a translation; its last row is not looked at. For the
/// rotation see [`quat_from_matrix`](super::quat_from_matrix).
#[track_caller]
pub fn transform_from_matrix<S: Float>(m: Mat44<S>) -> Transform<S> {
    let [a, b, c, _] = m.rows;
    let turn = Mat33::from_rows(Vec3::new(a.x, a.y, a.z), Vec3::new(b.x, b.y, b.z), Vec3::new(c.x, c.y, c.z));
    Transform { p: Vec3::new(a.w, b.w, c.w), q: super::quat_from_matrix(turn) }
}

/// A twist seen in the frame that `t` leads to: (R ω, R v + p × R ω).
#[track_caller]
pub fn transform_twist<S: Scalar>(t: Transform<S>, twist: SpatialVec<S>) -> SpatialVec<S> {
    let angular = super::quat_rotate(t.q, twist.angular);
    SpatialVec { angular, linear: super::quat_rotate(t.q, twist.linear) + t.p.cross(angular) }
}

/// A wrench seen in the frame that `t` leads to: (R τ + p × R f, R f).
#[track_caller]
pub fn transform_wrench<S: Scalar>(t: Transform<S>, wrench: SpatialVec<S>) -> SpatialVec<S> {
    let linear = super::quat_rotate(t.q, wrench.linear);
    SpatialVec { angular: super::quat_rotate(t.q, wrench.angular) + t.p.cross(linear), linear }
}

/// The 6 × 6 matrix that transforms twists as [`transform_twist`] does: rows (R, 0) and (p× R, R). Its
/// transposed inverse transforms wrenches.
#[track_caller]
pub fn transform_adjoint<S: Scalar>(t: Transform<S>) -> Mat66<S> {
    let r = super::quat_to_matrix(t.q);
    let moved = super::skew(t.p) * r;
    let mut m = Mat66::zeros();
    for i in 0..3 {
        let (turn, below) = (r.rows[i].to_array(), moved.rows[i].to_array());
        m.rows[i][..3].copy_from_slice(&turn);
        m.rows[i + 3][..3].copy_from_slice(&below);
        m.rows[i + 3][3..].copy_from_slice(&turn);
    }
    m
}

/// The sum of the products of components: of a wrench and a twist the power.
#[track_caller]
pub fn spatial_dot<S: Scalar>(a: SpatialVec<S>, b: SpatialVec<S>) -> S {
    a.dot(b)
}

/// The cross product of motions, a × b: (ωₐ × ω_b, ωₐ × v_b + vₐ × ω_b). The rate of a motion `b` that is fixed in
/// a body moving with the twist `a`.
#[track_caller]
pub fn spatial_cross<S: Scalar>(a: SpatialVec<S>, b: SpatialVec<S>) -> SpatialVec<S> {
    SpatialVec { angular: a.angular.cross(b.angular), linear: a.angular.cross(b.linear) + a.linear.cross(b.angular) }
}

/// The cross product of a motion with a force, a ×* f: (ω × τ + v × f, ω × f). The rate of a force `f` that is
/// fixed in a body moving with the twist `a`.
#[track_caller]
pub fn spatial_cross_dual<S: Scalar>(a: SpatialVec<S>, f: SpatialVec<S>) -> SpatialVec<S> {
    SpatialVec { angular: a.angular.cross(f.angular) + a.linear.cross(f.linear), linear: a.angular.cross(f.linear) }
}

/// The velocity (m/s) of the point of the body that is at `x`: v + ω × x.
#[track_caller]
pub fn velocity_at_point<S: Scalar>(twist: SpatialVec<S>, x: Vec3<S>) -> Vec3<S> {
    twist.linear + twist.angular.cross(x)
}

/// The wrench of a force that acts at the point `x`: (x × f, f).
#[track_caller]
pub fn wrench_at_point<S: Scalar>(force: Vec3<S>, x: Vec3<S>) -> SpatialVec<S> {
    SpatialVec { angular: x.cross(force), linear: force }
}

/// A position and a rotation as a transform.
#[track_caller]
pub fn transform<S: Scalar>(p: Vec3<S>, q: Quat<S>) -> Transform<S> {
    Transform { p, q }
}
