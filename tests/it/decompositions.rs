//! Factors of matrices where they are not unique: whatever does not depend on the choice has the right
//! gradient, and everything is finite.

use pullback::prelude::*;

type M = Mat33<f64>;

fn m(rows: [[f64; 3]; 3]) -> M {
    M::from_rows(rows[0].into(), rows[1].into(), rows[2].into())
}
fn entries(m: M) -> [f64; 9] {
    std::array::from_fn(|k| m[(k / 3, k % 3)])
}
fn narrow(m: M) -> Mat33<f32> {
    let row = |i: usize| Vec3::new(m[(i, 0)] as f32, m[(i, 1)] as f32, m[(i, 2)] as f32);
    Mat33::from_rows(row(0), row(1), row(2))
}
fn wide(m: Mat33<f32>) -> M {
    let row = |i: usize| Vec3::new(f64::from(m[(i, 0)]), f64::from(m[(i, 1)]), f64::from(m[(i, 2)]));
    M::from_rows(row(0), row(1), row(2))
}

/// Matrices with repeated, vanishing and nearly equal singular values, and one without.
fn matrices() -> Vec<(&'static str, M)> {
    let turn = quat_to_matrix(quat_from_axis_angle(normalize(Vec3::new(1.0, -2.0, 0.5)), 0.7));
    let diagonal = |a, b, c| M::diagonal(Vec3::new(a, b, c));
    vec![
        ("the identity", M::identity()),
        ("diag(1, 1, 2)", diagonal(1.0, 1.0, 2.0)),
        ("diag(2, 1, 1)", diagonal(2.0, 1.0, 1.0)),
        ("twice the identity", diagonal(2.0, 2.0, 2.0)),
        ("minus the identity", diagonal(-1.0, -1.0, -1.0)),
        ("a reflection", diagonal(1.0, 1.0, -1.0)),
        ("a rotation", turn),
        ("a stretch in turned axes", turn * diagonal(3.0, 3.0, 0.5) * transpose(turn)),
        ("nearly equal", diagonal(1.0, 1.0 + 1e-12, 1.0 - 1e-9)),
        ("a little apart", diagonal(1.0, 1.0 + 1e-6, 1.3)),
        ("rank two, a tie", diagonal(3.0, 3.0, 0.0)),
        ("rank one", outer(Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.5, -1.0, 0.25))),
        ("zero", M::zeros()),
        ("tiny", turn * 1e-17),
        ("huge", diagonal(1e18, 1e18, 3e18)),
        ("in general position", m([[2.0, 0.3, 0.0], [0.1, 1.0, 0.2], [0.0, -0.4, 0.5]])),
    ]
}
fn weights() -> [M; 3] {
    [
        m([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]]),
        m([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]),
        m([[0.3, -0.7, 1.1], [0.2, -0.4, 0.9], [-1.3, 0.6, 0.1]]),
    ]
}

#[func]
fn weigh<R: Real>(w: Mat33<R>, a: Mat33<R>) -> R {
    w.row(0).dot(a.row(0)) + w.row(1).dot(a.row(1)) + w.row(2).dot(a.row(2))
}

/// L = W : f(A) for some f, by its number.
#[kernel]
fn loss<R: Real>(a: &Array<Mat33<R>>, w: &Array<Mat33<R>>, which: i32, out: &mut Array<R>) {
    let mut f = a[0];
    if which == 0 {
        let (u, s, v) = svd3(a[0]);
        f = u * diagonal(s) * transpose(v);
    } else if which == 1 {
        let (u, s, _) = svd3(a[0]);
        f = u * diagonal(s * s) * transpose(u);
    } else if which == 2 {
        let (_, s, v) = svd3(a[0]);
        f = v * diagonal(s * s) * transpose(v);
    } else if which == 3 {
        let (d, v) = eig3(a[0]);
        f = v * diagonal(d) * transpose(v);
    } else if which == 4 {
        let (d, v) = eig3(a[0]);
        f = v * diagonal(d * d) * transpose(v);
    } else if which == 5 {
        let (q, r) = qr3(a[0]);
        f = q * r;
    } else if which == 6 {
        let (r, p) = polar(a[0]);
        f = r * p;
    } else if which == 7 {
        // Two losses with weights of their own through one decomposition.
        let (u, s, v) = svd3(a[0]);
        f = u * diagonal(s * s) * transpose(u) + transpose(v * diagonal(s) * transpose(u));
    } else if which == 8 {
        let (_, s, _) = svd3(a[0]);
        let all = s.x + s.y + s.z;
        f = diagonal(Vec3::new(all, all, all));
    }
    out[0] = weigh(w[0], f);
}

fn run<R: Real>(a: Mat33<R>, w: Mat33<R>, which: i32) -> (R, Mat33<R>) {
    let device = Device::cpu();
    let (a, w) = (Array::from_slice(&device, &[a]), Array::from_slice(&device, &[w]));
    let mut out = Array::zeros(&device, [1]);
    let mut tape = Tape::new(&device);
    tape.launch(&loss(1, &a, &w, which, &mut out)).unwrap();
    tape.backward(&out).unwrap();
    (out.to_vec().unwrap()[0], tape.grad(&a).unwrap().to_vec().unwrap()[0])
}

/// The value and the gradient that are right, by closed forms without factors.
fn expected(a: M, w: M, which: i32) -> (f64, M) {
    let sym = |m: M| (m + transpose(m)) * 0.5;
    let both = w + transpose(w);
    let dot = |x: M, y: M| entries(x).iter().zip(entries(y)).map(|(x, y)| x * y).sum::<f64>();
    match which {
        0 | 5 | 6 => (dot(w, a), w),
        1 => (dot(w, a * transpose(a)), both * a),
        2 => (dot(w, transpose(a) * a), a * both),
        3 => (dot(w, sym(a)), sym(w)),
        4 => (dot(w, sym(a) * sym(a)), sym(sym(a) * sym(w) + sym(w) * sym(a))),
        7 => (dot(w, a * transpose(a) + a), both * a + w),
        _ => unreachable!(),
    }
}

#[test]
fn what_does_not_depend_on_the_choice_has_the_right_gradient() {
    let mut wrong = Vec::new();
    for (name, a) in matrices() {
        for (i, w) in weights().into_iter().enumerate() {
            for which in 0..8 {
                let singular = ["rank two, a tie", "rank one", "zero"].contains(&name);
                if which == 5 && singular {
                    continue;
                }
                // The polar factors of a matrix of rank one or less are not determined.
                if which == 6 && ["rank one", "zero"].contains(&name) {
                    continue;
                }
                let (value, gradient) = expected(a, w, which);
                let size = entries(gradient).iter().fold(1e-90, |m: f64, g| m.max(g.abs()));
                let amount = entries(a).iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                let scale = (amount + amount * amount) * 30.0;
                let (v, g) = run(a, w, which);
                let far =
                    entries(g - gradient).iter().fold(0.0, |m: f64, d| if d.is_nan() { *d } else { m.max(d.abs()) });
                if (v - value).abs().is_nan() || (v - value).abs() > 1e-14 * scale || far.is_nan() || far > 3e-7 * size
                {
                    wrong.push(format!("{name}, f{which}, W{i}: {v} not {value}; off by {:e} of {size:e}", far));
                }
                if name == "huge" {
                    // Its square is not in f32's range.
                    continue;
                }
                let (v, g) = run(narrow(a), narrow(w), which);
                let far = entries(wide(g) - gradient)
                    .iter()
                    .fold(0.0, |m: f64, d| if d.is_nan() { *d } else { m.max(d.abs()) });
                if !v.is_finite() || far.is_nan() || far > 3e-3 * size.max(1e-10) {
                    wrong.push(format!("{name}, f{which}, W{i}, f32: off by {far:e} of {size:e}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn sums_of_singular_values() {
    let w = M::identity() * (1.0 / 3.0);
    let (value, g) = run(M::identity() * 2.0, w, 8);
    assert!((value - 6.0).abs() < 1e-14);
    assert!(entries(g - M::identity()).iter().all(|d| d.abs() < 1e-7), "{g:?}");
}

#[kernel]
fn turned(a: &Array<Mat22<f64>>, out: &mut Array<f64>) {
    let (r, _) = polar(a[0]);
    out[0] = r[(1, 0)] + 2.0 * r[(0, 0)];
}

#[test]
fn the_rotation_of_two_dimensions_is_that_of_an_angle() {
    let device = Device::cpu();
    let a = Mat22::from_rows(Vec2::new(2.0, 0.3), Vec2::new(-0.1, 1.5));
    let array = Array::from_slice(&device, &[a]);
    let mut out = Array::zeros(&device, [1]);
    let mut tape = Tape::new(&device);
    tape.launch(&turned(1, &array, &mut out)).unwrap();
    tape.backward(&out).unwrap();
    // R turns by atan2(a10 - a01, a00 + a11).
    let (y, x): (f64, f64) = (a[(1, 0)] - a[(0, 1)], a[(0, 0)] + a[(1, 1)]);
    let angle = y.atan2(x);
    let (slope, square) = (angle.cos() - 2.0 * angle.sin(), x * x + y * y);
    let (dx, dy) = (-slope * y / square, slope * x / square);
    assert!((out.to_vec().unwrap()[0] - (angle.sin() + 2.0 * angle.cos())).abs() < 1e-14);
    let g = tape.grad(&array).unwrap().to_vec().unwrap()[0];
    for (found, right) in [(g[(0, 0)], dx), (g[(0, 1)], -dy), (g[(1, 0)], dy), (g[(1, 1)], dx)] {
        assert!((found - right).abs() < 1e-13, "{g:?}");
    }
}

#[kernel]
fn inverted(a: &Array<Mat44<f64>>, w: &Array<Mat44<f64>>, out: &mut Array<f64>) {
    let x = inverse(a[0]);
    let mut sum = 0.0;
    for i in 0..4 {
        sum += x.row(i).dot(w[0].row(i)) + 0.0 * solve(a[0], w[0].column(i)).x;
    }
    out[0] = sum;
}

/// Singular values 1, 0.1, 1e-3 and 1e-6: the gradient is −A⁻ᵀ W A⁻ᵀ all the same.
#[test]
fn an_ill_conditioned_inverse() {
    let turn = |k: f64| {
        let u = normalize(Vec4::new(1.0, k, -0.5, 0.3 * k));
        Mat44::<f64>::identity() - outer(u, u) * 2.0
    };
    let (u, v) = (turn(0.7), turn(-1.9));
    let s = [1.0, 0.1, 1e-3, 1e-6];
    let scaled = |f: &dyn Fn(f64) -> f64| Mat44::diagonal(Vec4::from_array(s.map(f)));
    let a = u * scaled(&|s| s) * transpose(v);
    let inverse_transposed = u * scaled(&|s| 1.0 / s) * transpose(v);
    let w = outer(Vec4::new(1.0, 2.0, -1.0, 0.5), Vec4::new(0.3, -0.7, 1.0, 2.0)) + Mat44::identity();
    let right = inverse_transposed * w * inverse_transposed * -1.0;
    let device = Device::cpu();
    let (a, w) = (Array::from_slice(&device, &[a]), Array::from_slice(&device, &[w]));
    let mut out = Array::zeros(&device, [1]);
    let mut tape = Tape::new(&device);
    tape.launch(&inverted(1, &a, &w, &mut out)).unwrap();
    tape.backward(&out).unwrap();
    let g = tape.grad(&a).unwrap().to_vec().unwrap()[0];
    for i in 0..4 {
        for j in 0..4 {
            let far = (g[(i, j)] - right[(i, j)]).abs();
            assert!(far < 1e-6 * 1e12, "{} is not {}", g[(i, j)], right[(i, j)]);
        }
    }
}
