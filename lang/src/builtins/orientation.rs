//! Rotations from and to other descriptions: matrices, axis and angle, rotation vectors, Euler angles; and
//! what goes between two of them. Quaternions are unit ones, in the order (x, y, z, w); `q` and `-q` are one
//! rotation.
//!
//! Formulas as in J. Diebel, "Representing Attitude" (2006), where no other source is named. Near the
//! identity, where the axis is lost, series take over, so that values and derivatives are right through it.

use super::{conjugate, normalize, quat_multiply};
use crate::matrix::Mat33;
use crate::quat::Quat;
use crate::scalar::{Float, Select};
use crate::trace::with;
use crate::traced::Traced;
use crate::vector::Vec3;
use pullback_ir::Loc;

/// c₀ + c₁ x + c₂ x² + …
#[track_caller]
fn series<S: Float>(x: S, coefficients: &[f64]) -> S {
    let mut terms = coefficients.iter().rev();
    let mut sum = S::lit(terms.next().copied().unwrap_or(0.0));
    for &c in terms {
        sum = sum * x + S::lit(c);
    }
    sum
}

/// sin(√x)/√x and cos(√x), smooth through 0.
#[track_caller]
fn sinc_cos<S: Float>(x: S) -> (S, S) {
    let small = x.less(S::lit(1e-3));
    let root = S::pick(small, S::lit(1.0), x).sqrt();
    let sinc = series(x, &[1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0]);
    let cos = series(x, &[1.0, -0.5, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40_320.0]);
    (S::pick(small, sinc, root.sin() / root), S::pick(small, cos, root.cos()))
}

fn quat<S>(v: Vec3<S>, w: S) -> Quat<S> {
    Quat { x: v.x, y: v.y, z: v.z, w }
}

/// The exponential of the pure quaternion (v, 0): (v sin|v|/|v|, cos|v|), the rotation about v by 2|v|
/// radians. Smooth everywhere.
#[track_caller]
pub fn quat_exp<S: Float>(v: Vec3<S>) -> Quat<S> {
    let (sinc, cos) = sinc_cos(v.length_sq());
    quat(v * sinc, cos)
}

/// The v with [`quat_exp`]`(v) = q`, |v| at most π: u atan2(|u|, w)/|u|, where u is the vector part of a unit
/// quaternion. At u = 0 and w < 0, where v may point anywhere, it is 0 with derivative 0.
#[track_caller]
pub fn quat_log<S: Float>(q: Quat<S>) -> Vec3<S> {
    let u = q.vector();
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    let square = u.length_sq();
    let ahead = zero.less(q.w);
    let small = square.less(q.w * q.w * S::lit(1e-3));
    let w = S::pick(small & ahead, q.w, one);
    // atan(x)/x, x² = |u|²/w².
    let near = series(square / (w * w), &[1.0, -1.0 / 3.0, 0.2, -1.0 / 7.0, 1.0 / 9.0, -1.0 / 11.0]) / w;
    let pole = square.equals(zero);
    let length = S::pick(pole | (small & ahead), one, square).sqrt();
    let far = S::pick(pole, zero, length.atan2(q.w) / length);
    u * S::pick(small & ahead, near, far)
}

/// The rotation about `r` by |r| radians. Smooth everywhere.
#[track_caller]
pub fn quat_from_rotation_vector<S: Float>(r: Vec3<S>) -> Quat<S> {
    quat_exp(r * S::lit(0.5))
}

/// Axis times angle (radians, at most π) of a unit quaternion: right and smooth through the identity, (0, 0,
/// 0, 1) as well as (0, 0, 0, -1). At half a turn (w = 0) it jumps from one side to the other.
#[track_caller]
pub fn quat_to_rotation_vector<S: Float>(q: Quat<S>) -> Vec3<S> {
    let two = S::lit(2.0);
    quat_log(short(q)) * two
}

/// q or -q, whichever has w >= 0.
#[track_caller]
fn short<S: Float>(q: Quat<S>) -> Quat<S> {
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    q * S::pick(q.w.less(zero), zero - one, one)
}

/// The axis, of length 1, and the angle in [0, π] radians of a unit quaternion. At the identity the axis is
/// (0, 0, 0), and its derivative and the angle's are 0.
#[track_caller]
pub fn quat_to_axis_angle<S: Float>(q: Quat<S>) -> (Vec3<S>, S) {
    let q = short(q);
    let length = super::length(q.vector());
    (normalize(q.vector()), length.atan2(q.w) * S::lit(2.0))
}

/// The unit quaternion of a rotation matrix, w >= 0 except at half a turn. Of four formulas the one is taken
/// that divides by the largest component (Shepperd 1978), so that it is right everywhere, near half a turn
/// too. The derivative is that formula's: what it says of changes that leave the rotations depends on which
/// one was taken.
#[track_caller]
pub fn quat_from_matrix<S: Float>(m: Mat33<S>) -> Quat<S> {
    let [a, b, c] = m.rows;
    let (zero, one, half) = (S::lit(0.0), S::lit(1.0), S::lit(0.5));
    let trace = a.x + b.y + c.z;
    let (x, y, z, w) = (a.x, b.y, c.z, trace);
    let is_w = !(w.less(x) | w.less(y) | w.less(z));
    let is_x = !is_w & !(x.less(y) | x.less(z));
    let is_y = !is_w & !is_x & !y.less(z);
    let is_z = !is_w & !is_x & !is_y;
    // Twice the largest component, and half of its inverse.
    let size = |here: S::Bool, v: S| S::pick(here, v, one).sqrt();
    let (sw, sx) = (size(is_w, one + trace), size(is_x, one + a.x - b.y - c.z));
    let (sy, sz) = (size(is_y, one - a.x + b.y - c.z), size(is_z, one - a.x - b.y + c.z));
    let (fw, fx, fy, fz) = (half / sw, half / sx, half / sy, half / sz);
    let by_w = Quat { x: (c.y - b.z) * fw, y: (a.z - c.x) * fw, z: (b.x - a.y) * fw, w: sw * half };
    let by_x = Quat { x: sx * half, y: (a.y + b.x) * fx, z: (a.z + c.x) * fx, w: (c.y - b.z) * fx };
    let by_y = Quat { x: (a.y + b.x) * fy, y: sy * half, z: (b.z + c.y) * fy, w: (a.z - c.x) * fy };
    let by_z = Quat { x: (a.z + c.x) * fz, y: (b.z + c.y) * fz, z: sz * half, w: (b.x - a.y) * fz };
    let q = Quat::pick(is_w, by_w, Quat::pick(is_x, by_x, Quat::pick(is_y, by_y, by_z)));
    q * S::pick(q.w.less(zero), zero - one, one)
}

/// The rotation by roll about x, then pitch about y, then yaw about z, all fixed axes; radians.
#[track_caller]
pub fn quat_rpy<S: Float>(roll: S, pitch: S, yaw: S) -> Quat<S> {
    let half = S::lit(0.5);
    let zero = S::lit(0.0);
    let about = |angle: S, axis: usize| {
        let mut v = [zero; 3];
        v[axis] = (angle * half).sin();
        quat(Vec3::from_array(v), (angle * half).cos())
    };
    about(yaw, 2) * about(pitch, 1) * about(roll, 0)
}

/// Roll, pitch and yaw (radians) of a unit quaternion: the inverse of [`quat_rpy`], pitch in [-π/2, π/2]. At
/// pitch ±π/2 only the sum or difference of the others is determined; there roll and yaw have derivatives 0
/// where they are not finite.
#[track_caller]
pub fn quat_to_rpy<S: Float>(q: Quat<S>) -> Vec3<S> {
    let (one, two) = (S::lit(1.0), S::lit(2.0));
    let roll = (two * (q.w * q.x + q.y * q.z)).atan2(one - two * (q.x * q.x + q.y * q.y));
    let yaw = (two * (q.w * q.z + q.x * q.y)).atan2(one - two * (q.y * q.y + q.z * q.z));
    let sine = two * (q.w * q.y - q.z * q.x);
    Vec3::new(roll, super::clamp(sine, -one, one).asin(), yaw)
}

/// An axis of Euler angles: 0, 1 or 2, a constant.
pub trait Axis: Copy {
    /// Its number.
    #[doc(hidden)]
    #[track_caller]
    fn number(self) -> usize;
}
macro_rules! axes {
    ($($t:ty)*) => { $(
        impl Axis for $t {
            fn number(self) -> usize {
                // An axis that there is none of counts as the last.
                usize::try_from(self).unwrap_or(2).min(2)
            }
        }
    )* };
}
axes!(i32 i64 u32 u64 usize);
macro_rules! traced_axes {
    ($($t:ty)*) => { $(
        impl Axis for Traced<$t> {
            #[track_caller]
            fn number(self) -> usize {
                let loc = Loc::caller();
                match self.known() {
                    Some(k @ 0..=2) => k as usize,
                    _ => {
                        with(|t| t.fail(loc, "an axis of Euler angles is the constant 0, 1 or 2: x, y or z"));
                        0
                    }
                }
            }
        }
    )* };
}
traced_axes!(i32 i64 u32 u64);

/// The rotation by Euler angles (radians) about the body's own axes `i`, then `j`, then `k` (0, 1 and 2 are x, y
/// and z; neighbours differ): q = qᵢ(e.x) qⱼ(e.y) q_k(e.z). All twelve orders; about fixed axes the order is
/// the reverse.
#[track_caller]
pub fn quat_from_euler<S: Float>(e: Vec3<S>, i: impl Axis, j: impl Axis, k: impl Axis) -> Quat<S> {
    let (half, zero) = (S::lit(0.5), S::lit(0.0));
    let about = |angle: S, axis: usize| {
        let mut v = [zero; 3];
        v[axis] = (angle * half).sin();
        quat(Vec3::from_array(v), (angle * half).cos())
    };
    about(e.x, i.number()) * about(e.y, j.number()) * about(e.z, k.number())
}

/// The Euler angles (radians) of a unit quaternion: the inverse of [`quat_from_euler`] for the same axes. The
/// middle angle is in [0, π] if `i` is `k`, else in [-π/2, π/2]. At an end of that range only the sum or the
/// difference of the others is determined, and derivatives that are not finite are 0. (Bernardes and Viollet
/// 2022, "Quaternion to Euler angles conversion".)
#[track_caller]
pub fn quat_to_euler<S: Float>(q: Quat<S>, i: impl Axis, j: impl Axis, k: impl Axis) -> Vec3<S> {
    // The method is of fixed axes, whose order is the reverse.
    let (first, middle, last) = (k.number(), j.number(), i.number());
    let proper = first == last;
    let third = if proper { 3 - (first + middle).min(3) } else { last };
    let parity = (first as i32 - middle as i32) * (middle as i32 - third as i32) * (third as i32 - first as i32) / 2;
    let sign = S::lit(f64::from(parity));
    let v = [q.x, q.y, q.z];
    let (a, b, c, d) = match proper {
        true => (q.w, v[first], v[middle], v[third] * sign),
        false => (q.w - v[middle], v[first] + v[third] * sign, v[middle] + q.w, v[third] * sign - v[first]),
    };
    let (sum, difference) = (b.atan2(a), d.atan2(c));
    let length = |x: S, y: S| (x * x + y * y).sqrt();
    let mut turn = length(c, d).atan2(length(a, b)) * S::lit(2.0);
    let (x, mut z) = (sum - difference, sum + difference);
    if !proper {
        z *= sign;
        turn -= S::lit(std::f64::consts::FRAC_PI_2);
    }
    // Back into (-π, π].
    let wrap = |angle: S| {
        let (pi, two_pi) = (S::lit(std::f64::consts::PI), S::lit(std::f64::consts::TAU));
        let low = S::pick(pi.less(angle), angle - two_pi, angle);
        S::pick((low + pi).less_eq(S::lit(0.0)), low + two_pi, low)
    };
    Vec3::new(wrap(z), turn, wrap(x))
}

/// Between the rotations `a` (at t = 0) and `b` (at t = 1), at constant angular velocity, the short way round;
/// where both ways are as long (a · b = 0), towards `b`. Right and smooth where the two are the same rotation.
#[track_caller]
pub fn quat_slerp<S: Float>(a: Quat<S>, b: Quat<S>, t: S) -> Quat<S> {
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    let b = b * S::pick(a.dot(b).less(zero), zero - one, one);
    let (difference, sum) = ((b - a).length_sq(), (a + b).length_sq());
    let small = difference.less(S::lit(1e-3));
    // The square of the angle between them, by |b - a| = 2 sin(θ/2); and sin(sθ)/sin(θ) as a series in it.
    let angle2 = difference * series(difference, &[1.0, 1.0 / 12.0, 1.0 / 90.0, 1.0 / 560.0, 1.0 / 3150.0]);
    let near = |s: S| {
        let s2 = s * s;
        let first = (one - s2) * S::lit(1.0 / 6.0);
        let second = series(s2, &[7.0 / 360.0, -10.0 / 360.0, 3.0 / 360.0]);
        let third = series(s2, &[31.0 / 15_120.0, -49.0 / 15_120.0, 21.0 / 15_120.0, -3.0 / 15_120.0]);
        s * (one + angle2 * (first + angle2 * (second + angle2 * third)))
    };
    let (chord, middle) = (S::pick(small, one, difference).sqrt(), S::pick(small, one, sum).sqrt());
    let angle = chord.atan2(middle) * S::lit(2.0);
    let far = |s: S| (s * angle).sin() / angle.sin();
    let weight = |s: S| S::pick(small, near(s), far(s));
    a * weight(one - t) + b * weight(t)
}

/// The part of a rotation that turns about a unit `axis`: q = swing · twist. At a swing by half a turn, where
/// there is none, the identity, with derivative 0.
#[track_caller]
pub fn quat_twist<S: Float>(axis: Vec3<S>, q: Quat<S>) -> Quat<S> {
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    let along = q.vector().dot(axis);
    let none = (along * along + q.w * q.w).equals(zero);
    let w = S::pick(none, one, q.w);
    normalize(quat(axis * S::pick(none, zero, along), w))
}

/// The part of a rotation that turns `axis` itself, about an axis at a right angle to it: q = swing · twist.
#[track_caller]
pub fn quat_swing<S: Float>(axis: Vec3<S>, q: Quat<S>) -> Quat<S> {
    quat_multiply(q, conjugate(quat_twist(axis, q)))
}

/// The angle (radians, in (-π, π]) by which a rotation turns about a unit `axis`; accurate for tiny ones. 0 with
/// derivative 0 at a swing by half a turn.
#[track_caller]
pub fn quat_twist_angle<S: Float>(axis: Vec3<S>, q: Quat<S>) -> S {
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    let sign = S::pick(q.w.less(zero), zero - one, one);
    (q.vector().dot(axis) * sign).atan2(q.w * sign) * S::lit(2.0)
}

/// The constant angular velocity (rad/s, in the world's frame) that leads from rotation `a` to `b` in a time
/// `dt` (s), the short way.
#[track_caller]
pub fn quat_angular_velocity<S: Float>(a: Quat<S>, b: Quat<S>, dt: S) -> Vec3<S> {
    quat_to_rotation_vector(quat_multiply(b, conjugate(a))) / dt
}

/// The rotation `q` after a time `dt` (s) at the angular velocity `omega` (rad/s, in the world's frame):
/// exp(ω dt/2) q, exact for a constant one.
#[track_caller]
pub fn quat_integrate<S: Float>(q: Quat<S>, omega: Vec3<S>, dt: S) -> Quat<S> {
    quat_multiply(quat_exp(omega * (dt * S::lit(0.5))), q)
}

/// The shortest rotation that turns the unit vector `a` to the unit vector `b`. For opposite ones, half a turn
/// about an axis at a right angle to `a`, with that axis' derivative.
#[track_caller]
pub fn quat_between<S: Float>(a: Vec3<S>, b: Vec3<S>) -> Quat<S> {
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    let w = one + a.dot(b);
    let opposite = w.less(S::by_precision(1e-15, 1e-7));
    let straight = normalize(quat(a.cross(b), w));
    let by_x = a.x.magnitude().less(S::lit(0.6));
    let other = Vec3::new(S::pick(by_x, one, zero), S::pick(by_x, zero, one), zero);
    let turned = normalize(a.cross(other));
    Quat::pick(opposite, quat(turned, zero), straight)
}
