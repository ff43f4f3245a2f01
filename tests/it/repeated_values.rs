//! Singular values and eigenvalues that are repeated, in matrices of other sizes than 3, and of factors that
//! another kernel uses.

use pullback::lang::ArrayElement;
use pullback::prelude::*;

/// What a kernel of one array and one output gives, and the gradient of W : out.
fn run<A: ArrayElement, B: ArrayElement>(
    x: A,
    w: B,
    launch: impl FnOnce(&mut Tape, &Array<A>, &mut Array<B>) -> Result<(), pullback::Error>,
) -> (B, A) {
    let device = Device::cpu();
    let x = Array::from_slice(&device, &[x]);
    let mut out = Array::<B>::zeros(&device, [1]);
    let mut tape = Tape::new(&device);
    launch(&mut tape, &x, &mut out).unwrap();
    tape.backward_with(&[(&out, &Array::from_slice(&device, &[w]))]).unwrap();
    (out.to_vec().unwrap()[0], tape.grad(&x).unwrap().to_vec().unwrap()[0])
}

#[kernel]
fn singular4<R: Real>(x: &Array<Mat44<R>>, out: &mut Array<Mat44<R>>) {
    let (u, s, v) = svd(x[0]);
    out[0] = u * diagonal(s) * transpose(v);
}
#[kernel]
fn singular6<R: Real>(x: &Array<Mat66<R>>, out: &mut Array<Mat66<R>>) {
    let (u, s, v) = svd(x[0]);
    out[0] = u * diagonal(s) * transpose(v);
}
#[kernel]
fn eigen6<R: Real>(x: &Array<Mat66<R>>, out: &mut Array<Mat66<R>>) {
    let (d, v) = eigen_symmetric(x[0]);
    out[0] = v * diagonal(d * d) * transpose(v);
}
#[kernel]
fn polar6<R: Real>(x: &Array<Mat66<R>>, out: &mut Array<Mat66<R>>) {
    let (r, p) = polar(x[0]);
    out[0] = r * p;
}

type M = Mat66<f64>;

fn narrow(m: M) -> Mat66<f32> {
    Mat66::from_rows(m.rows.map(|row| row.map(|x| x as f32)))
}
fn wide(m: Mat66<f32>) -> M {
    Mat66::from_rows(m.rows.map(|row| row.map(f64::from)))
}
fn size(m: M) -> f64 {
    m.rows.concat().iter().fold(0.0, |m: f64, x| if x.is_finite() { m.max(x.abs()) } else { f64::INFINITY })
}
fn some(k: f64) -> M {
    Mat66::from_rows(std::array::from_fn(|i| std::array::from_fn(|j| (k + (7 * i + 3 * j + i * j) as f64).sin())))
}
fn matrices() -> Vec<M> {
    let (q, _) = qr(some(1.0));
    let stretched = |d: [f64; 6]| q * Mat66::diagonal(VecN::from_array(d)) * q.transpose();
    vec![
        M::identity(),
        M::identity() * 2.0,
        Mat66::diagonal(VecN::from_array([1.0, 2.0, 1.0, 2.0, 1.0, 3.0])),
        stretched([1.0, 1.0, 1.0, 2.0, 2.0, 5.0]),
        stretched([-1.0, 1.0, 1.0, 1.0, 2.0, 2.0]),
        q,
        some(2.0),
    ]
}

#[test]
fn six_by_six() {
    let w = some(0.3);
    for (k, a) in matrices().into_iter().enumerate() {
        let close = |what: &str, found: M, right: M, tolerance: f64| {
            let far = size(found - right);
            assert!(far <= tolerance * size(right).max(1.0), "{what} of matrix {k}: off by {far:e}");
        };
        let symmetric = (a + a.transpose()) * 0.5;
        let both = (w + w.transpose()) * 0.5;
        let square = symmetric * both + both * symmetric;
        let (value, g) = run(a, w, |tape, x, out| tape.launch(&singular6(1, x, out)));
        close("U S Vᵀ", value, a, 1e-14);
        close("its gradient", g, w, 3e-7);
        let (value, g) = run(a, w, |tape, x, out| tape.launch(&polar6(1, x, out)));
        close("R P", value, a, 1e-14);
        close("its gradient", g, w, 1e-11);
        let (value, g) = run(a, w, |tape, x, out| tape.launch(&eigen6(1, x, out)));
        close("V D² Vᵀ", value, symmetric * symmetric, 1e-14);
        close("its gradient", g, square, 3e-7);
        let (_, g) = run(narrow(a), narrow(w), |tape, x, out| tape.launch(&singular6(1, x, out)));
        close("f32: U S Vᵀ", wide(g), w, 5e-3);
        let (_, g) = run(narrow(a), narrow(w), |tape, x, out| tape.launch(&eigen6(1, x, out)));
        close("f32: V D² Vᵀ", wide(g), square, 5e-3);
    }
}

#[test]
fn four_by_four() {
    let w = outer(Vec4::new(1.0, 2.0, 3.0, 4.0), Vec4::new(0.5, -1.0, 2.0, 0.1)) + Mat44::identity();
    for a in [Mat44::identity(), Mat44::diagonal(Vec4::new(1.0, 3.0, 1.0, 3.0)), Mat44::zeros()] {
        let (value, g) = run(a, w, |tape, x, out| tape.launch(&singular4(1, x, out)));
        for i in 0..4 {
            assert!((value.row(i) - a.row(i)).length() < 1e-14);
            assert!((g.row(i) - w.row(i)).length() < 1e-6, "{g:?} is not {w:?}");
        }
    }
}

#[kernel]
fn factors(x: &Array<Mat33<f64>>, us: &mut Array<Mat33<f64>>, s: &mut Array<Vec3<f64>>) {
    let (u, d, v) = svd3(x[0]);
    us[0] = u;
    us[1] = v;
    s[0] = d;
}
#[kernel]
fn product(us: &Array<Mat33<f64>>, s: &Array<Vec3<f64>>, out: &mut Array<Mat33<f64>>) {
    out[0] = us[0] * diagonal(s[0]) * transpose(us[1]);
}

/// Factors that go through an array: right where they are determined, and finite, by the stated rule, at ties.
#[test]
fn factors_for_another_kernel() {
    let w = Mat33::from_rows(Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0), Vec3::new(7.0, 8.0, 10.0));
    let turn = quat_to_matrix(quat_rpy(0.3, -0.4, 1.9));
    let run = |a: Mat33<f64>| {
        run(a, w, |tape, x, out| {
            let device = Device::cpu();
            let mut us = Array::zeros(&device, [2]);
            let mut s = Array::zeros(&device, [1]);
            tape.launch(&factors(1, x, &mut us, &mut s))?;
            tape.launch(&product(1, &us, &s, out))
        })
        .1
    };
    let g = run(turn * Mat33::diagonal(Vec3::new(3.0, 1.5, 0.2)));
    assert!((0..3).all(|i| (g.row(i) - w.row(i)).length() < 1e-12), "{g:?}");
    // What keeps the pair together has its derivative, what would split it counts as 0: of the identity the
    // diagonal and the part that is not symmetric are left.
    let g = run(Mat33::identity());
    for i in 0..3 {
        for j in 0..3 {
            let right = if i == j { w[(i, i)] } else { (w[(i, j)] - w[(j, i)]) * 0.5 };
            // Up to the gap at which derivatives are taken.
            assert!((g[(i, j)] - right).abs() < 1e-7, "{g:?}");
        }
    }
    for a in [Mat33::zeros(), Mat33::diagonal(Vec3::new(1.0, 0.0, 0.0)), turn * 1e-200] {
        assert!((0..3).all(|i| run(a).row(i).length().is_finite()), "{a:?}");
    }
}
