//! Rotations, transforms and spatial vectors on the host: what closed forms say of them.

use pullback_lang::*;
use std::f64::consts::{FRAC_PI_2, PI};

fn close(a: Vec3<f64>, b: Vec3<f64>, tolerance: f64) {
    assert!((a - b).length() <= tolerance, "{a:?} is not {b:?}");
}
/// One rotation, whichever sign it has.
fn same(a: Quat<f64>, b: Quat<f64>, tolerance: f64) {
    let far = (a - b).length().min((a + b).length());
    assert!(far <= tolerance, "{a:?} is not {b:?}");
}
fn axis(k: usize) -> Vec3<f64> {
    let mut v = Vec3::zeros();
    v[k] = 1.0;
    v
}
/// Rotations of all kinds: generic ones, and quarter and half turns about several axes.
fn rotations() -> Vec<Quat<f64>> {
    let mut all = vec![quat_identity(), -quat_identity::<f64>()];
    for v in [axis(0), axis(1), axis(2), Vec3::new(1.0, -2.0, 0.5), Vec3::new(-0.3, 0.1, 1.0)] {
        for angle in [1e-9, 2e-4, 0.3, FRAC_PI_2, 2.0, 3.0, PI - 1e-6, PI, -1.1, 4.0] {
            all.push(quat_from_axis_angle(normalize(v), angle));
        }
    }
    all
}

#[test]
fn descriptions_lead_back() {
    for q in rotations() {
        same(quat_from_matrix(quat_to_matrix(q)), q, 1e-14);
        same(quat_from_rotation_vector(quat_to_rotation_vector(q)), q, 1e-14);
        same(quat_exp(quat_log(q)), q, 1e-14);
        let (axis, angle) = quat_to_axis_angle(q);
        same(quat_from_axis_angle(axis, angle), q, 1e-14);
        assert!((0.0..=PI + 1e-15).contains(&angle));
        let r = quat_to_rpy(q);
        same(quat_rpy(r.x, r.y, r.z), q, 2e-8);
        let twist = quat_twist(Vec3::new(0.0, 0.0, 1.0), q);
        let swing = quat_swing(Vec3::new(0.0, 0.0, 1.0), q);
        same(swing * twist, q, 1e-14);
        assert!(swing.z.abs() < 1e-14);
    }
}

#[test]
fn euler_angles_of_all_orders() {
    for i in 0..3usize {
        for j in 0..3usize {
            for k in 0..3usize {
                if i == j || j == k {
                    continue;
                }
                for e in [Vec3::new(0.4, 0.7, -1.2), Vec3::new(-2.5, 0.3, 3.0), Vec3::new(1.0, 1.4, 2.0)] {
                    let q = quat_from_euler(e, i, j, k);
                    let by_hand = quat_from_axis_angle(axis(i), e.x)
                        * quat_from_axis_angle(axis(j), e.y)
                        * quat_from_axis_angle(axis(k), e.z);
                    same(q, by_hand, 1e-15);
                    close(quat_to_euler(q, i, j, k), e, 1e-13);
                }
                for q in rotations() {
                    let e = quat_to_euler(q, i, j, k);
                    same(quat_from_euler(e, i, j, k), q, 3e-8);
                }
            }
        }
    }
    // Yaw, pitch and roll are the order z, y, x about the body's own axes.
    same(quat_rpy(0.3, -0.4, 1.9), quat_from_euler(Vec3::new(1.9, -0.4, 0.3), 2, 1, 0), 1e-15);
}

#[test]
fn slerp_goes_the_short_way_at_constant_speed() {
    let z = axis(2);
    let (a, b) = (quat_from_axis_angle(z, 0.0), quat_from_axis_angle(z, PI / 3.0));
    for b in [b, -b] {
        for t in [0.0, 0.25, 0.5, 1.0] {
            same(quat_slerp(a, b, t), quat_from_axis_angle(z, PI / 3.0 * t), 1e-15);
        }
    }
    // Through the change from the series to the sines, and at no angle at all.
    for angle in [0.0, 1e-12, 1e-4, 0.03, 0.0632, 0.0633, 0.0634, 0.1, 3.1] {
        let b = quat_from_axis_angle(z, angle);
        for t in [0.1, 0.5, 0.77] {
            same(quat_slerp(a, b, t), quat_from_axis_angle(z, angle * t), 1e-15);
        }
    }
}

#[test]
fn tiny_twists_in_f32() {
    for angle in [2e-4f32, 5e-4, 0.3] {
        let q = quat_from_axis_angle(Vec3::new(0.0f32, 0.0, 1.0), angle);
        assert!((quat_twist_angle(Vec3::new(0.0, 0.0, 1.0), q) - angle).abs() < 3e-7 * angle);
        assert!((quat_to_rotation_vector(q).z - angle).abs() < 3e-7 * angle);
    }
}

#[test]
fn velocities_and_the_shortest_turn() {
    let (q, omega) = (quat_rpy(0.3, -0.4, 1.9), Vec3::new(0.5, -1.0, 0.8));
    let later = quat_integrate(q, omega, 0.25);
    close(quat_angular_velocity(q, later, 0.25), omega, 1e-14);
    assert!((later.length() - 1.0).abs() < 1e-15);
    let a = normalize(Vec3::new(1.0, 2.0, -0.5));
    for b in [normalize(Vec3::new(-0.3, 0.1, 1.0)), a, -a, -axis(0)] {
        close(quat_rotate(quat_between(a, b), a), b, 1e-14);
    }
    close(quat_rotate(quat_between(axis(0), -axis(0)), axis(0)), -axis(0), 1e-15);
}

#[test]
fn transforms_compose_and_keep_power() {
    let a = Transform::new(Vec3::new(1.0, 2.0, -0.5), quat_rpy(0.3, -0.4, 1.9));
    let b = Transform::new(Vec3::new(-0.2, 0.7, 3.0), quat_rpy(-1.0, 0.4, 0.2));
    let x = Vec3::new(0.3, -1.1, 0.9);
    close((a * b).point(x), a.point(b.point(x)), 1e-14);
    close((a * a.inverse()).point(x), x, 1e-14);
    close(transform_point_inv(a, a.point(x)), x, 1e-14);
    close(transform_vector_inv(a, a.vector(x)), x, 1e-14);
    let m = transform_to_matrix(a);
    let moved = m * Vec4::new(x.x, x.y, x.z, 1.0);
    close(Vec3::new(moved.x, moved.y, moved.z), a.point(x), 1e-14);
    same(transform_from_matrix(m).q, a.q, 1e-15);

    let twist = SpatialVec::new(Vec3::new(0.3, -0.7, 1.1), Vec3::new(2.0, 0.1, -0.4));
    let wrench = SpatialVec::new(Vec3::new(-1.0, 0.2, 0.5), Vec3::new(0.6, 0.9, -2.0));
    let power = spatial_dot(wrench, twist);
    assert!((spatial_dot(transform_wrench(a, wrench), transform_twist(a, twist)) - power).abs() < 1e-14);
    // The adjoint is the matrix of the twist's transform, and of transforms one after the other their product.
    let by_matrix: SpatialVec<f64> = (transform_adjoint(a) * VecN::from(twist)).into();
    close(by_matrix.angular, transform_twist(a, twist).angular, 1e-14);
    close(by_matrix.linear, transform_twist(a, twist).linear, 1e-14);
    let (ab, product) = (transform_adjoint(a * b), transform_adjoint(a) * transform_adjoint(b));
    assert!(ddot(ab - product, ab - product) < 1e-26);
    // The point of a moving body moves as the twist says, whichever frame it is seen from.
    let velocity = velocity_at_point(twist, x);
    close(velocity_at_point(transform_twist(a, twist), a.point(x)), a.vector(velocity), 1e-14);
    // The two cross products are dual.
    let other = SpatialVec::new(Vec3::new(0.9, 0.4, -0.3), Vec3::new(-0.8, 0.7, 0.2));
    let (left, right) =
        (spatial_dot(spatial_cross_dual(twist, wrench), other), -spatial_dot(wrench, spatial_cross(twist, other)));
    assert!((left - right).abs() < 1e-14);
    close(wrench_at_point(wrench.linear, x).angular, cross(x, wrench.linear), 0.0);
}

#[test]
fn vectors_and_matrices_of_any_size() {
    let v = Vec6::from_halves(Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0));
    assert_eq!(v.dot(v), 91.0);
    assert_eq!(2.0 / v, Vec6::from([2.0, 1.0, 2.0 / 3.0, 0.5, 0.4, 2.0 / 6.0]));
    assert_eq!(4.0 / Vec3::new(1.0, 2.0, 4.0), Vec3::new(4.0, 2.0, 1.0));
    let m = Mat66::diagonal(v);
    assert_eq!((m * v)[5], 36.0);
    assert_eq!(solve(m, m * v), v);
    assert_eq!((argmin(v), argmax(v), min_element(v), max_element(v)), (0i64, 5i64, 1.0, 6.0));
    let wide = Mat::<f64, 2, 5>::from_rows([[1.0, 2.0, 3.0, 4.0, 5.0], [0.0, 1.0, 0.0, 1.0, 0.0]]);
    assert_eq!((wide * wide.transpose()).rows, [[55.0, 6.0], [6.0, 2.0]]);
    assert_eq!(wide.row(1), VecN::from([0.0, 1.0, 0.0, 1.0, 0.0]));
    assert_eq!(wide.column(3), Vec2::new(4.0, 1.0));
}
