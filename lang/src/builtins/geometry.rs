//! Closest points and rays against simple shapes.
//!
//! Nothing branches, so every region has its own right derivative; on the border of two regions it is that of one of
//! them. Degenerate input (a segment of length 0, a flat triangle) gives what its remaining points give. A ray that
//! misses gives the distance ∞ with derivative 0. All lengths in one unit; directions of rays need not have length 1,
//! and distances along them count in the direction's own length.

use super::clamp;
use super::small::safe_ratio as ratio;
use crate::scalar::Float;
use crate::vector::{Vec2, Vec3};

/// The point of the segment from `a` to `b` closest to `p`, and where it is: 0 at `a`, 1 at `b`.
#[track_caller]
pub fn closest_point_segment<S: Float>(p: Vec3<S>, a: Vec3<S>, b: Vec3<S>) -> (Vec3<S>, S) {
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    let d = b - a;
    let t = clamp(ratio((p - a).dot(d), d.dot(d)), zero, one);
    (a + d * t, t)
}

/// Barycentric coordinates of the point of the triangle `a`, `b`, `c` closest to `p`, inside or on its border (Ericson
/// 2005, *Real-Time Collision Detection*, 5.1.5).
#[track_caller]
pub fn closest_barycentric_triangle<S: Float>(p: Vec3<S>, a: Vec3<S>, b: Vec3<S>, c: Vec3<S>) -> Vec3<S> {
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    let (ab, ac, bc) = (b - a, c - a, c - b);
    let (ap, bp, cp) = (p - a, p - b, p - c);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    // On the edges, then inside; each case overrides those before it, the corners last.
    let sum = va + vb + vc;
    let (v, w) = (ratio(vb, sum), ratio(vc, sum));
    let mut uvw = Vec3::new(one - v - w, v, w);
    let flat = sum.less_eq(zero);
    let on_bc = (va.less_eq(zero) & zero.less_eq(d4 - d3) & zero.less_eq(d5 - d6)) | flat;
    let t = clamp(ratio(bc.dot(bp), bc.dot(bc)), zero, one);
    uvw = Vec3::new(S::pick(on_bc, zero, uvw.x), S::pick(on_bc, one - t, uvw.y), S::pick(on_bc, t, uvw.z));
    let on_ac = vb.less_eq(zero) & zero.less_eq(d2) & d6.less_eq(zero) & !flat;
    let t = clamp(ratio(d2, d2 - d6), zero, one);
    uvw = Vec3::new(S::pick(on_ac, one - t, uvw.x), S::pick(on_ac, zero, uvw.y), S::pick(on_ac, t, uvw.z));
    let on_ab = vc.less_eq(zero) & zero.less_eq(d1) & d3.less_eq(zero) & !flat;
    let t = clamp(ratio(d1, d1 - d3), zero, one);
    uvw = Vec3::new(S::pick(on_ab, one - t, uvw.x), S::pick(on_ab, t, uvw.y), S::pick(on_ab, zero, uvw.z));
    let corner = |here: S::Bool, uvw: Vec3<S>, at: usize| {
        let mut unit = [zero; 3];
        unit[at] = one;
        Vec3::new(S::pick(here, unit[0], uvw.x), S::pick(here, unit[1], uvw.y), S::pick(here, unit[2], uvw.z))
    };
    uvw = corner(d5.less_eq(d6) & zero.less_eq(d6), uvw, 2);
    uvw = corner(d4.less_eq(d3) & zero.less_eq(d3), uvw, 1);
    corner(d1.less_eq(zero) & d2.less_eq(zero), uvw, 0)
}

/// The point of the triangle `a`, `b`, `c` closest to `p`. The derivative with respect to a corner is its barycentric
/// coordinate, as far as that does not move.
#[track_caller]
pub fn closest_point_triangle<S: Float>(p: Vec3<S>, a: Vec3<S>, b: Vec3<S>, c: Vec3<S>) -> Vec3<S> {
    let uvw = closest_barycentric_triangle(p, a, b, c);
    a * uvw.x + b * uvw.y + c * uvw.z
}

/// Where the segments from `p` to `q` and from `a` to `b` come closest: how far along each, 0 to 1. For parallel ones,
/// one of the closest pairs (Ericson 2005, 5.1.9).
#[track_caller]
pub fn closest_segment_segment<S: Float>(p: Vec3<S>, q: Vec3<S>, a: Vec3<S>, b: Vec3<S>) -> (S, S) {
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    let (d1, d2, r) = (q - p, b - a, p - a);
    let (aa, ee, f) = (d1.dot(d1), d2.dot(d2), d2.dot(r));
    let (c, bb) = (d1.dot(r), d1.dot(d2));
    let s = clamp(ratio(bb * f - c * ee, aa * ee - bb * bb), zero, one);
    let t = ratio(bb * s + f, ee);
    // Where t leaves its segment, s follows from its end.
    let low = t.less(zero);
    let high = one.less(t);
    let s_low = clamp(ratio(zero - c, aa), zero, one);
    let s_high = clamp(ratio(bb - c, aa), zero, one);
    let point = ee.equals(zero);
    let s = S::pick(low | point, s_low, S::pick(high, s_high, s));
    (s, clamp(t, zero, one))
}

/// The point of the box with centre 0 and half sizes `half` closest to `p`, which is `p` itself inside.
#[track_caller]
pub fn closest_point_box<S: Float>(p: Vec3<S>, half: Vec3<S>) -> Vec3<S> {
    p.clamp(-half, half)
}

/// Barycentric coordinates of a point `p` of the plane of the triangle `a`, `b`, `c`; of another point, those of its
/// foot on the plane. 0 for a flat triangle.
#[track_caller]
pub fn barycentric<S: Float>(p: Vec3<S>, a: Vec3<S>, b: Vec3<S>, c: Vec3<S>) -> Vec3<S> {
    let (v0, v1, v2) = (b - a, c - a, p - a);
    let (d00, d01, d11) = (v0.dot(v0), v0.dot(v1), v1.dot(v1));
    let (d20, d21) = (v2.dot(v0), v2.dot(v1));
    let area = d00 * d11 - d01 * d01;
    let (v, w) = (ratio(d11 * d20 - d01 * d21, area), ratio(d00 * d21 - d01 * d20, area));
    let flat = area.equals(S::lit(0.0));
    Vec3::new(S::pick(flat, S::lit(0.0), S::lit(1.0) - v - w), v, w)
}

/// A distance where `hit` holds, else ∞.
#[track_caller]
fn hit_or_miss<S: Float>(hit: S::Bool, t: S) -> S {
    S::pick(hit, t, S::lit(f64::INFINITY))
}

/// The first t >= 0 of two roots of a x² + 2 b x + c in ascending order; whether there is one.
#[track_caller]
fn first_root<S: Float>(a: S, b: S, c: S) -> (S::Bool, S) {
    let zero = S::lit(0.0);
    let discriminant = b * b - a * c;
    let real = zero.less_eq(discriminant) & zero.less(a);
    let root = S::pick(real, discriminant, zero).sqrt();
    let (near, far) = (ratio(-b - root, a), ratio(-b + root, a));
    (real & zero.less_eq(far), S::pick(zero.less_eq(near), near, far))
}

/// Where the ray from `o` along `d` first meets the sphere of centre `centre` and radius `radius`, from inside too.
#[track_caller]
pub fn ray_sphere<S: Float>(o: Vec3<S>, d: Vec3<S>, centre: Vec3<S>, radius: S) -> S {
    let m = o - centre;
    let (hit, t) = first_root(d.dot(d), m.dot(d), m.dot(m) - radius * radius);
    hit_or_miss(hit, t)
}

/// Where the ray from `o` along `d` meets the plane through `point` with the normal `normal`, from either side. A ray in
/// the plane misses.
#[track_caller]
pub fn ray_plane<S: Float>(o: Vec3<S>, d: Vec3<S>, point: Vec3<S>, normal: Vec3<S>) -> S {
    let zero = S::lit(0.0);
    let speed = d.dot(normal);
    let t = ratio((point - o).dot(normal), speed);
    hit_or_miss(!speed.equals(zero) & zero.less_eq(t), t)
}

/// Where the ray from `o` along `d` first meets the surface of the box with centre 0 and half sizes `half`; from inside,
/// where it leaves. A ray along a face, or in its plane, counts as inside of that pair of faces.
#[track_caller]
pub fn ray_box<S: Float>(o: Vec3<S>, d: Vec3<S>, half: Vec3<S>) -> S {
    let (zero, infinite) = (S::lit(0.0), S::lit(f64::INFINITY));
    let (o, d, half) = (o.to_array(), d.to_array(), half.to_array());
    let (mut enter, mut leave) = (-infinite, infinite);
    let mut misses = zero.less(zero);
    for k in 0..3 {
        let along = d[k].equals(zero);
        let (a, b) = (ratio(-half[k] - o[k], d[k]), ratio(half[k] - o[k], d[k]));
        let (low, high) = (S::pick(b.less(a), b, a), S::pick(b.less(a), a, b));
        let (low, high) = (S::pick(along, -infinite, low), S::pick(along, infinite, high));
        misses = misses | (along & half[k].less(o[k].magnitude()));
        enter = S::pick(enter.less(low), low, enter);
        leave = S::pick(high.less(leave), high, leave);
    }
    let hit = enter.less_eq(leave) & zero.less_eq(leave) & leave.less(infinite) & !misses;
    hit_or_miss(hit, S::pick(zero.less_eq(enter), enter, leave))
}

/// Where the ray from `o` along `d` meets the triangle `a`, `b`, `c` from either side, and the barycentric coordinates
/// there (Möller and Trumbore 1997). A ray in its plane misses; then the coordinates are 0.
#[track_caller]
pub fn ray_triangle<S: Float>(o: Vec3<S>, d: Vec3<S>, a: Vec3<S>, b: Vec3<S>, c: Vec3<S>) -> (S, Vec3<S>) {
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    let (e1, e2, m) = (b - a, c - a, o - a);
    let p = d.cross(e2);
    let q = m.cross(e1);
    let det = e1.dot(p);
    let (u, v, t) = (ratio(m.dot(p), det), ratio(d.dot(q), det), ratio(e2.dot(q), det));
    let inside = zero.less_eq(u) & zero.less_eq(v) & (u + v).less_eq(one) & zero.less_eq(t);
    let hit = inside & !det.equals(zero);
    let at = |x: S| S::pick(hit, x, zero);
    (hit_or_miss(hit, t), Vec3::new(at(one - u - v), at(u), at(v)))
}

/// Where the ray from `o` along `d` first meets the surface of the cylinder about the z axis with the given radius and
/// half height, its caps too; from inside, where it leaves.
#[track_caller]
pub fn ray_cylinder<S: Float>(o: Vec3<S>, d: Vec3<S>, radius: S, half_height: S) -> S {
    let (zero, infinite) = (S::lit(0.0), S::lit(f64::INFINITY));
    let a = d.x * d.x + d.y * d.y;
    let b = o.x * d.x + o.y * d.y;
    let c = o.x * o.x + o.y * o.y - radius * radius;
    let along = a.equals(zero);
    let discriminant = b * b - a * c;
    let apart = discriminant.less(zero) | (along & zero.less(c));
    let root = S::pick(apart | along, zero, discriminant).sqrt();
    let side = |t: S, end: S| S::pick(along, end, ratio(t, a));
    let (side_in, side_out) = (side(-b - root, -infinite), side(-b + root, infinite));
    let level = d.z.equals(zero);
    let (low, high) = (ratio(-half_height - o.z, d.z), ratio(half_height - o.z, d.z));
    let cap_in = S::pick(level, -infinite, S::pick(high.less(low), high, low));
    let cap_out = S::pick(level, infinite, S::pick(high.less(low), low, high));
    let outside = level & half_height.less(o.z.magnitude());
    let enter = S::pick(side_in.less(cap_in), cap_in, side_in);
    let leave = S::pick(side_out.less(cap_out), side_out, cap_out);
    let hit = enter.less_eq(leave) & zero.less_eq(leave) & leave.less(infinite) & !apart & !outside;
    hit_or_miss(hit, S::pick(zero.less_eq(enter), enter, leave))
}

/// Where the ray from `o` along `d` first meets the capsule of the given radius about the segment from −half_height to
/// half_height on the z axis, from outside; from inside, where it leaves.
#[track_caller]
pub fn ray_capsule<S: Float>(o: Vec3<S>, d: Vec3<S>, radius: S, half_height: S) -> S {
    let (zero, infinite) = (S::lit(0.0), S::lit(f64::INFINITY));
    let a = d.x * d.x + d.y * d.y;
    let b = o.x * d.x + o.y * d.y;
    let c = o.x * o.x + o.y * o.y - radius * radius;
    let discriminant = b * b - a * c;
    let real = zero.less_eq(discriminant) & zero.less(a);
    let root = S::pick(real, discriminant, zero).sqrt();
    let mut enter = infinite;
    let mut leave = -infinite;
    let mut take = |exists: S::Bool, t: S| {
        enter = S::pick(exists & t.less(enter), t, enter);
        leave = S::pick(exists & leave.less(t), t, leave);
    };
    for t in [ratio(-b - root, a), ratio(-b + root, a)] {
        take(real & (o.z + d.z * t).magnitude().less_eq(half_height), t);
    }
    for (end, sign) in [(-half_height, -S::lit(1.0)), (half_height, S::lit(1.0))] {
        let m = Vec3::new(o.x, o.y, o.z - end);
        let (qa, qb, qc) = (d.dot(d), m.dot(d), m.dot(m) - radius * radius);
        let discriminant = qb * qb - qa * qc;
        let real = zero.less_eq(discriminant) & zero.less(qa);
        let root = S::pick(real, discriminant, zero).sqrt();
        for t in [ratio(-qb - root, qa), ratio(-qb + root, qa)] {
            take(real & half_height.less_eq((o.z + d.z * t) * sign), t);
        }
    }
    let hit = enter.less_eq(leave) & zero.less_eq(leave);
    hit_or_miss(hit, S::pick(zero.less_eq(enter), enter, leave))
}

/// Whether two triangles have a point in common, by separating axes: the normals and the cross products of edges. Two
/// triangles of one plane count as meeting if no other axis parts them.
#[track_caller]
pub fn triangles_intersect<S: Float>(a: [Vec3<S>; 3], b: [Vec3<S>; 3]) -> S::Bool {
    let edges = |t: &[Vec3<S>; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (ea, eb) = (edges(&a), edges(&b));
    let (na, nb) = (ea[0].cross(ea[1]), eb[0].cross(eb[1]));
    let mut axes = vec![na, nb];
    axes.extend(ea.iter().map(|e| na.cross(*e)));
    axes.extend(eb.iter().map(|e| nb.cross(*e)));
    axes.extend(ea.iter().flat_map(|e| eb.iter().map(|f| e.cross(*f))));
    let mut apart = S::lit(1.0).less(S::lit(0.0));
    for axis in axes {
        let range = |t: &[Vec3<S>; 3]| {
            let [x, y, z] = [t[0].dot(axis), t[1].dot(axis), t[2].dot(axis)];
            (x.minimum(y).minimum(z), x.maximum(y).maximum(z))
        };
        let ((low, high), (other_low, other_high)) = (range(&a), range(&b));
        apart = apart | high.less(other_low) | other_high.less(low);
    }
    !apart
}

/// The area of a triangle with a sign: positive if `a`, `b`, `c` turn to the left.
#[track_caller]
pub fn signed_area<S: Float>(a: Vec2<S>, b: Vec2<S>, c: Vec2<S>) -> S {
    super::cross2(b - a, c - a) * S::lit(0.5)
}
