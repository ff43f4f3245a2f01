//! Signed distances of shapes: negative inside, 0 on the surface, in the unit of the coordinates; and how to combine
//! them. Shapes stand at the origin; for one elsewhere give the point in its frame, `transform_point_inv(t, p)`.
//!
//! The derivative with respect to the point is the outward normal of length 1, where it exists; on a ridge, where
//! several points of the surface are equally near, it is that of one of them or between them, and at the centre of a
//! sphere 0. The derivatives with respect to sizes are right too. (Formulas after I. Quilez, *Distance functions*.)
//! Each `sdf_…_grad` gives that normal itself, so that it can be computed with and differentiated.

use super::small::safe_ratio as ratio;
use super::{length, normalize};
use crate::scalar::{Float, Select};
use crate::vector::{Vec2, Vec3};

/// From the signed distances to two walls that meet at a right angle. On the surface it is the inside's, so that the
/// derivative there is the normal.
#[track_caller]
fn corner2<S: Float>(q: Vec2<S>) -> S {
    let zero = S::lit(0.0);
    let deepest = q.x.maximum(q.y);
    S::pick(deepest.less_eq(zero), deepest, length(Vec2::new(q.x.maximum(zero), q.y.maximum(zero))))
}

/// A sphere: |p| − r.
#[track_caller]
pub fn sdf_sphere<S: Float>(p: Vec3<S>, radius: S) -> S {
    length(p) - radius
}

/// The gradient of [`sdf_sphere`] with respect to the point: p/|p|, 0 at the centre.
#[track_caller]
pub fn sdf_sphere_grad<S: Float>(p: Vec3<S>, _radius: S) -> Vec3<S> {
    normalize(p)
}

/// A box of half sizes `half`, exact inside and outside.
#[track_caller]
pub fn sdf_box<S: Float>(p: Vec3<S>, half: Vec3<S>) -> S {
    let zero = S::lit(0.0);
    let q = p.abs() - half;
    let deepest = q.x.maximum(q.y).maximum(q.z);
    S::pick(deepest.less_eq(zero), deepest, length(q.max(Vec3::zeros())))
}

/// The gradient of [`sdf_box`] with respect to the point. Inside at a tie of faces it points to the first of them.
#[track_caller]
pub fn sdf_box_grad<S: Float>(p: Vec3<S>, half: Vec3<S>) -> Vec3<S> {
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    let side = |v: S| S::pick(v.less(zero), -one, one);
    let sides = Vec3::new(side(p.x), side(p.y), side(p.z));
    let q = p.abs() - half;
    let outside = zero.less(q.x) | zero.less(q.y) | zero.less(q.z);
    let far = normalize(q.max(Vec3::zeros()));
    let x = !q.x.less(q.y) & !q.x.less(q.z);
    let y = !x & !q.y.less(q.z);
    let face = Vec3::new(S::pick(x, one, zero), S::pick(y, one, zero), S::pick(x | y, zero, one));
    sides * Vec3::pick(outside, far, face)
}

/// A box of half sizes `half`, its edges and corners rounded by `radius` within them.
#[track_caller]
pub fn sdf_rounded_box<S: Float>(p: Vec3<S>, half: Vec3<S>, radius: S) -> S {
    sdf_box(p, half - Vec3::splat(radius)) - radius
}

/// A capsule of the given radius about the segment from −half_height to half_height on the z axis.
#[track_caller]
pub fn sdf_capsule<S: Float>(p: Vec3<S>, radius: S, half_height: S) -> S {
    length(axis_offset(p, half_height)) - radius
}

/// The gradient of [`sdf_capsule`] with respect to the point; 0 on the segment.
#[track_caller]
pub fn sdf_capsule_grad<S: Float>(p: Vec3<S>, _radius: S, half_height: S) -> Vec3<S> {
    normalize(axis_offset(p, half_height))
}

#[track_caller]
fn axis_offset<S: Float>(p: Vec3<S>, half_height: S) -> Vec3<S> {
    Vec3::new(p.x, p.y, p.z - super::clamp(p.z, -half_height, half_height))
}

/// A cylinder about the z axis, exact inside and outside.
#[track_caller]
pub fn sdf_cylinder<S: Float>(p: Vec3<S>, radius: S, half_height: S) -> S {
    corner2(Vec2::new(length(Vec2::new(p.x, p.y)) - radius, p.z.magnitude() - half_height))
}

/// A cone about the z axis with its base of the given radius at −half_height and its tip at half_height, exact inside and
/// outside.
#[track_caller]
pub fn sdf_cone<S: Float>(p: Vec3<S>, radius: S, half_height: S) -> S {
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    let r = length(Vec2::new(p.x, p.y));
    let q = Vec2::new(r, p.z + half_height);
    let height = half_height + half_height;
    // The slanted side, from the rim (radius, 0) to the tip (0, height).
    let (rim, slope) = (Vec2::new(radius, zero), Vec2::new(-radius, height));
    let t = super::clamp(ratio((q - rim).dot(slope), slope.dot(slope)), zero, one);
    let side = q - (rim + slope * t);
    let base = Vec2::new(q.x - super::clamp(q.x, zero, radius), q.y);
    let (side2, base2) = (side.dot(side), base.dot(base));
    let near = S::pick(side2.less(base2), side2, base2);
    // Inside, and on the surface, the distances to the two planes.
    let beyond = (slope.y * (q.x - rim.x) - slope.x * (q.y - rim.y)) / slope.dot(slope).sqrt();
    let deepest = beyond.maximum(-q.y);
    S::pick(deepest.less_eq(zero), deepest, S::pick(deepest.less_eq(zero), one, near).sqrt())
}

/// A torus about the z axis: the circle of radius `major` in the plane z = 0, thickened by `minor`.
#[track_caller]
pub fn sdf_torus<S: Float>(p: Vec3<S>, major: S, minor: S) -> S {
    length(Vec2::new(length(Vec2::new(p.x, p.y)) - major, p.z)) - minor
}

/// The gradient of [`sdf_torus`] with respect to the point; 0 on the circle.
#[track_caller]
pub fn sdf_torus_grad<S: Float>(p: Vec3<S>, major: S, _minor: S) -> Vec3<S> {
    let flat = Vec2::new(p.x, p.y);
    let n = normalize(Vec2::new(length(flat) - major, p.z));
    let out = normalize(flat) * n.x;
    Vec3::new(out.x, out.y, n.y)
}

/// The half space below the plane through the origin's distance `offset` along the unit `normal`: p · n − offset.
#[track_caller]
pub fn sdf_plane<S: Float>(p: Vec3<S>, normal: Vec3<S>, offset: S) -> S {
    p.dot(normal) - offset
}

/// An ellipsoid of half axes `axes`, by a bound that is exact on the surface, in sign and to first order, and for spheres
/// everywhere: k₀ (k₀ − 1)/k₁ with k₀ = |p/a|, k₁ = |p/a²|. At the centre it is minus the smallest half axis, with
/// derivative 0 with respect to the point.
#[track_caller]
pub fn sdf_ellipsoid<S: Float>(p: Vec3<S>, axes: Vec3<S>) -> S {
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    let scaled = p / axes;
    let (k0, k1) = (length(scaled), length(scaled / axes));
    let centre = k1.equals(zero);
    let off = k0 * (k0 - one) / S::pick(centre, one, k1);
    S::pick(centre, -axes.x.minimum(axes.y).minimum(axes.z), off)
}

/// The union of two shapes: the smaller distance (outside exact, inside a bound). At a tie each has half of the
/// derivative.
#[track_caller]
pub fn sdf_union<S: Float>(a: S, b: S) -> S {
    a.minimum(b)
}

/// What two shapes have in common: the larger distance (inside exact, outside a bound).
#[track_caller]
pub fn sdf_intersection<S: Float>(a: S, b: S) -> S {
    a.maximum(b)
}

/// Shape `a` without shape `b`: max(a, −b), a bound.
#[track_caller]
pub fn sdf_subtraction<S: Float>(a: S, b: S) -> S {
    a.maximum(-b)
}

/// The union with a fillet where the distances are within `k` > 0 of each other: min(a, b) − k h²/4 with h = max(1 − |a −
/// b|/k, 0), which is once differentiable.
#[track_caller]
pub fn sdf_smooth_union<S: Float>(a: S, b: S, k: S) -> S {
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    let h = (one - (a - b).magnitude() / k).maximum(zero);
    a.minimum(b) - k * h * h * S::lit(0.25)
}

/// The intersection with a rounded edge, as [`sdf_smooth_union`] of the complements.
#[track_caller]
pub fn sdf_smooth_intersection<S: Float>(a: S, b: S, k: S) -> S {
    -sdf_smooth_union(-a, -b, k)
}

/// Shape `a` without shape `b`, with a rounded edge.
#[track_caller]
pub fn sdf_smooth_subtraction<S: Float>(a: S, b: S, k: S) -> S {
    -sdf_smooth_union(-a, b, k)
}
