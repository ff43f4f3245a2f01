//! Matrices, their factors, quaternions and transforms, in f64 and f32. (A misspelt part of a transform is in
//! the documentation of `Transform`. `decompositions.rs` has the general statement at repeated values.)

use pullback::prelude::*;

/// Records one launch of a kernel of `x: &Array<R>` and `out: &mut Array<R>`; the outputs, and the gradient of
/// Σ weights · out.
macro_rules! run {
    ($kernel:ident, $r:ty, $x:expr, $weights:expr) => {{
        let device = Device::cpu();
        let narrow = |v: &[f64]| v.iter().map(|&v| v as $r).collect::<Vec<$r>>();
        let (x, weights) = (narrow(&$x), narrow(&$weights));
        let x = Array::from_slice(&device, &x);
        let mut out = Array::<$r>::zeros(&device, [weights.len()]);
        let mut tape = Tape::new(&device);
        tape.launch(&$kernel(1, &x, &mut out)).unwrap();
        tape.backward_with(&[(&out, &Array::from_slice(&device, &weights))]).unwrap();
        let wide = |v: Vec<$r>| v.into_iter().map(f64::from).collect::<Vec<f64>>();
        (wide(out.to_vec().unwrap()), wide(tape.grad(&x).unwrap().to_vec().unwrap()))
    }};
}

/// Each entry right, to a tolerance relative to the larger of 1 and the largest entry.
#[track_caller]
fn close(what: &str, found: &[f64], right: &[f64], tolerance: f64) {
    assert_eq!(found.len(), right.len());
    let size = right.iter().fold(1.0, |m: f64, r| m.max(r.abs()));
    for (f, r) in found.iter().zip(right) {
        assert!((f - r).abs() <= tolerance * size, "{what}: {found:?}, not {right:?}");
    }
}

/// Outputs and gradient of a kernel at a point, in both precisions.
macro_rules! case {
    ($kernel:ident at $x:expr, weights $w:expr; out $out:expr; grad $grad:expr; to $tolerance:expr) => {{
        let (out, grad) = run!($kernel, f64, $x, $w);
        close("f64 values", &out, &$out, $tolerance);
        close("f64 gradient", &grad, &$grad, $tolerance);
        let (out, grad) = run!($kernel, f32, $x, $w);
        close("f32 values", &out, &$out, 1e-3);
        close("f32 gradient", &grad, &$grad, 1e-3);
    }};
}

const IDENTITY: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// The matrix and the cotangent of most cases.
const A: [f64; 9] = [2.0, 0.3, 0.0, 0.1, 1.0, 0.2, 0.0, -0.4, 0.5];
const W: [f64; 9] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0];

#[func]
fn load22<R: Real>(x: &Array<R>) -> Mat22<R> {
    Mat22::from_rows(Vec2::new(x[0], x[1]), Vec2::new(x[2], x[3]))
}
#[func]
fn load33<R: Real>(x: &Array<R>) -> Mat33<R> {
    Mat33::from_rows(Vec3::new(x[0], x[1], x[2]), Vec3::new(x[3], x[4], x[5]), Vec3::new(x[6], x[7], x[8]))
}
#[func]
fn store22<R: Real>(out: &mut Array<R>, m: Mat22<R>) {
    for i in 0..2 {
        for j in 0..2 {
            out[2 * i + j] = m[(i, j)];
        }
    }
}
#[func]
fn store33<R: Real>(out: &mut Array<R>, m: Mat33<R>) {
    for i in 0..3 {
        for j in 0..3 {
            out[3 * i + j] = m[(i, j)];
        }
    }
}

#[kernel]
fn scalar_over<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let (s, v) = (x[0], Vec3::new(x[1], x[2], x[3]));
    let m = Mat22::from_rows(Vec2::new(x[4], x[5]), Vec2::new(x[6], x[7]));
    let (a, b) = (s / v, s / m);
    out[0] = a[0] + 2.0 * a[1] + 3.0 * a[2] + b[(0, 0)] + b[(1, 1)] * b[(1, 0)];
}

#[test]
fn scalar_over_vector_and_matrix() {
    case!(scalar_over at [2.0, 1.0, 2.0, 4.0, 1.0, 2.0, 4.0, 5.0], weights [1.0];
        out [2.0 + 2.0 + 1.5 + 2.0 + 0.4 * 0.5];
        grad [3.95, -2.0, -1.0, -0.375, -2.0, 0.0, -0.05, -0.04]; to 1e-14);
}

#[kernel]
fn rebuilt3<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let (u, s, v) = svd3(load33(x));
    store33(out, u * diagonal(s) * transpose(v));
}

#[test]
fn factors_of_the_identity() {
    case!(rebuilt3 at IDENTITY, weights W; out IDENTITY; grad W; to 1e-7);
    let diagonal = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0];
    case!(rebuilt3 at diagonal, weights W; out diagonal; grad W; to 1e-7);
    // Nor need the matrix be full.
    case!(rebuilt3 at [0.0; 9], weights W; out [0.0; 9]; grad W; to 1e-7);
}

#[test]
fn factors_in_general_position() {
    case!(rebuilt3 at A, weights W; out A; grad W; to 1e-13);
}

#[kernel]
fn nuclear_norm<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let (_, s, _) = svd3(load33(x));
    out[0] = s.x + s.y + s.z;
}

#[test]
fn sum_of_singular_values() {
    case!(nuclear_norm at IDENTITY.map(|x| 2.0 * x), weights [1.0]; out [6.0]; grad IDENTITY; to 1e-7);
}

#[kernel]
fn rebuilt2<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let (u, s, v) = svd2(load22(x));
    store22(out, u * Mat22::diagonal(s) * transpose(v));
}

#[test]
fn factors_of_the_identity_of_two_dimensions() {
    let identity = [1.0, 0.0, 0.0, 1.0];
    case!(rebuilt2 at identity, weights [0.0, 1.0, 0.0, 0.0]; out identity; grad [0.0, 1.0, 0.0, 0.0]; to 1e-7);
    case!(rebuilt2 at identity, weights [1.0, 2.0, 3.0, 4.0]; out identity; grad [1.0, 2.0, 3.0, 4.0]; to 1e-7);
}

#[test]
fn factors_of_rank_one() {
    let w = [1.0, 2.0, 3.0, 4.0];
    case!(rebuilt2 at [1.0, 2.0, 2.0, 4.0], weights w; out [1.0, 2.0, 2.0, 4.0]; grad w; to 1e-7);
}

#[kernel]
fn sum_of_eigenvalues<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let (values, _) = eig2(load22(x));
    out[0] = values.x + values.y;
}

#[test]
fn trace_by_eigenvalues() {
    let identity = [1.0, 0.0, 0.0, 1.0];
    case!(sum_of_eigenvalues at [2.0, 0.0, 0.0, 2.0], weights [1.0]; out [4.0]; grad identity; to 1e-7);
}

#[kernel]
fn q_times_r<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let (q, r) = qr3(load33(x));
    store33(out, q * r);
}

#[test]
fn q_r_in_general_position() {
    case!(q_times_r at A, weights W; out A; grad W; to 1e-13);
}

#[kernel]
fn turned<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let (r, _) = polar(load22(x));
    out[0] = r[(1, 0)] + 2.0 * r[(0, 0)];
}

#[test]
fn rotation_by_the_polar_factor() {
    let (found, gradient) = run!(turned, f64, [2.0, 0.3, -0.1, 1.5], [1.0]);
    close("value", &found, &[1.87352], 5e-6);
    close("gradient", &gradient, &[0.0393433, -0.344254, 0.344254, 0.0393433], 1e-6);
}

#[kernel]
fn inverse_and_determinant<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let a = load33(x);
    let b = inverse(a);
    out[0] = b[(0, 1)] + b[(2, 2)] + determinant(a);
}

#[test]
fn inverse_and_determinant_of_three_by_three() {
    let (_, gradient) = run!(inverse_and_determinant, f64, A, [1.0]);
    let right = [0.648191, -0.504606, -0.333816, -0.203775, 1.3585, -0.310581, -0.0232936, 0.155291, -1.02682];
    close("gradient", &gradient, &right, 5e-6);
    let (_, gradient) = run!(inverse_and_determinant, f32, A, [1.0]);
    close("f32 gradient", &gradient, &right, 1e-4);
}

#[kernel]
fn rotation_vector<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let r = quat_to_rotation_vector(Quat::new(x[0], x[1], x[2], x[3]));
    out[0] = r.x;
    out[1] = r.y;
    out[2] = r.z;
}

#[test]
fn rotation_vector_at_both_identities() {
    let w = [1.0, 2.0, 3.0];
    case!(rotation_vector at [0.0, 0.0, 0.0, 1.0], weights w; out [0.0; 3]; grad [2.0, 4.0, 6.0, 0.0]; to 1e-15);
    case!(rotation_vector at [0.0, 0.0, 0.0, -1.0], weights w; out [0.0; 3]; grad [-2.0, -4.0, -6.0, 0.0]; to 1e-15);
}

#[kernel]
fn twist_angle<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let z = Vec3::new(0.0, 0.0, 1.0);
    for i in 0..3 {
        out[i] = quat_twist_angle(z, quat_from_axis_angle(z, x[i]));
    }
}

#[test]
fn twist_angles_of_tiny_rotations() {
    let angles = [2e-4, 5e-4, 0.3];
    case!(twist_angle at angles, weights [1.0; 3]; out angles; grad [1.0; 3]; to 1e-15);
    let (found, gradient) = run!(twist_angle, f32, angles, [1.0; 3]);
    for i in 0..3 {
        assert!((found[i] - angles[i]).abs() < 3e-7 * angles[i] && (gradient[i] - 1.0).abs() < 1e-6);
    }
}

#[kernel]
fn halfway<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let z = Vec3::new(0.0, 0.0, 1.0);
    let (a, b) = (quat_identity(), quat_from_axis_angle(z, x[1]));
    let q = quat_slerp(a, -b, x[0]);
    out[0] = q.z;
    out[1] = q.w;
}

#[test]
fn slerp_the_short_way() {
    let (half, angle) = (std::f64::consts::FRAC_PI_6, std::f64::consts::FRAC_PI_3);
    // q turns by t times 60 degrees: z = sin(t 30°), w = cos(t 30°).
    let (sin, cos) = (half / 2.0).sin_cos();
    case!(halfway at [0.5, angle], weights [1.0, 0.0]; out [sin, cos]; grad [half * cos, 0.25 * cos]; to 1e-14);
    assert!((half * cos - 0.505758).abs() < 1e-6 && (sin / cos - 0.267949).abs() < 1e-6);
}

#[kernel]
fn integrated<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let mut q = Quat::new(x[0], x[1], x[2], x[3]);
    let w = Quat::new(x[4], x[5], x[6], 0.0);
    for _ in 0..60 {
        q = normalize(q + w * q * 0.01);
    }
    out[0] = q.x + 2.0 * q.y + 3.0 * q.z + 4.0 * q.w;
}

#[test]
fn renormalised_integration() {
    let x = [0.0, 0.0, 0.0, 1.0, 0.5, -1.0, 0.8];
    let (value, gradient) = run!(integrated, f64, x, [1.0]);
    close("value", &value, &[3.19557], 5e-6);
    let right = [2.06765, 3.86819, -0.741816, 0.0, -0.136976, 2.4108, 0.528734];
    close("gradient", &gradient, &right, 5e-6);
    let (_, gradient) = run!(integrated, f32, x, [1.0]);
    close("f32 gradient", &gradient, &right, 1e-4);
}

#[kernel]
fn from_matrix<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    for i in 0..3 {
        let (s, c) = (sin(x[i]), cos(x[i]));
        let m = Mat33::from_rows(Vec3::new(c, -s, 0.0), Vec3::new(s, c, 0.0), Vec3::new(0.0, 0.0, 1.0));
        let q = quat_from_matrix(m);
        out[i] = q.z * q.w;
    }
}

#[test]
fn quaternion_of_a_matrix_near_half_a_turn() {
    let angles = [0.3, 3.0, std::f64::consts::PI - 1e-6];
    // z w = sin(θ/2) cos(θ/2) = sin(θ)/2.
    let (out, slopes) = (angles.map(|a| a.sin() / 2.0), angles.map(|a| a.cos() / 2.0));
    case!(from_matrix at angles, weights [1.0; 3]; out out; grad slopes; to 1e-13);
    assert!((slopes[2] + 0.5).abs() < 1e-6 && (slopes[0] - 0.477668).abs() < 1e-6);
}

#[kernel]
fn wrench_and_back<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let t = Transform::new(Vec3::new(x[0], x[1], x[2]), normalize(Quat::new(x[3], x[4], x[5], x[6])));
    let v = SpatialVec::new(Vec3::new(x[7], x[8], x[9]), Vec3::new(x[10], x[11], x[12]));
    let f = SpatialVec::new(Vec3::new(x[13], x[14], x[15]), Vec3::new(x[16], x[17], x[18]));
    out[0] = spatial_dot(transform_wrench(t, f), transform_twist(t, v));
    let back = t * transform_inverse(t);
    out[1] = length_sq(back.p) + length_sq(back.q);
}

/// The power is the same in all frames, so its gradient with respect to the frame is 0.
#[test]
fn power_does_not_depend_on_the_frame() {
    let x: [f64; 19] = std::array::from_fn(|i| ((3 * i + 1) as f64).sin());
    let power: f64 = (7..13).map(|k| x[k] * x[k + 6]).sum();
    let mut right = [0.0; 19];
    right[7..13].copy_from_slice(&x[13..]);
    right[13..].copy_from_slice(&x[7..13]);
    case!(wrench_and_back at x, weights [1.0, 0.0]; out [power, 1.0]; grad right; to 1e-13);
    case!(wrench_and_back at x, weights [0.0, 1.0]; out [power, 1.0]; grad [0.0; 19]; to 1e-13);
}
