//! Rows: factors of matrices and what is solved with them. What holds at repeated values is tested by programs of its own,
//! as differences can't tell.

use super::linalg::{crossed, m5, m6, v5, v6};
use super::*;

/// Entries of a matrix whose eigenvalues and singular values are well apart.
const fn apart<const N: usize, const NN: usize>() -> [(f64, f64); NN] {
    let mut all = [(-0.25, 0.25); NN];
    let mut i = 0;
    while i < N {
        let d = 1.5 + 1.2 * i as f64;
        all[i * N + i] = (d, d + 0.2);
        i += 1;
    }
    all
}
/// A matrix and a column.
const fn with_column<const NN: usize, const ALL: usize>(m: [(f64, f64); NN]) -> [(f64, f64); ALL] {
    let mut all = [(-1.0, 1.0); ALL];
    let mut i = 0;
    while i < NN {
        all[i] = m[i];
        i += 1;
    }
    all
}
fn join<T: Copy>(parts: &[&[T]]) -> Vec<T> {
    parts.concat()
}

rows! {
    "lu" on regular::<2, 4>(); |x| { let (l, u, p) = lu(m2(x, 0)); join(&[&e2(l), &e2(u), &e2(p)]) };
    "lu" on crossed::<3, 9>(); |x| { let (l, u, p) = lu(m3(x, 0)); join(&[&e3(l), &e3(u), &e3(p)]) };
    "lu" on crossed::<4, 16>(); |x| { let (l, u, p) = lu(m4(x, 0)); join(&[&e4(l), &e4(u), &e4(p)]) };
    "lu_solve" on unit::<14>(); |x| lu_solve(m2(x, 0), m2(x, 0), m2(x, 8), v2(x, 12)).to_array();
    "lu_solve" on with_column::<9, 12>(crossed::<3, 9>());
        |x| { let (l, u, p) = lu(m3(x, 0)); lu_solve(l, u, p, v3(x, 9)).to_array() };
    "solve" on with_column::<4, 6>(crossed::<2, 4>()); |x| solve(m2(x, 0), v2(x, 4)).to_array();
    "solve" on with_column::<9, 12>(crossed::<3, 9>()); |x| solve(m3(x, 0), v3(x, 9)).to_array();
    "solve" on with_column::<16, 20>(regular::<4, 16>()); |x| solve(m4(x, 0), v4(x, 16)).to_array();
    "cholesky" on regular::<2, 4>(); |x| e2(cholesky(m2(x, 0)));
    "cholesky" on regular::<3, 9>(); |x| e3(cholesky(m3(x, 0)));
    "cholesky" on regular::<4, 16>(); |x| e4(cholesky(m4(x, 0)));
    "cholesky_solve" on with_column::<4, 6>(regular::<2, 4>()); |x| cholesky_solve(m2(x, 0), v2(x, 4)).to_array();
    "cholesky_solve" on with_column::<9, 12>(regular::<3, 9>()); |x| cholesky_solve(m3(x, 0), v3(x, 9)).to_array();
    "cholesky_solve" on with_column::<16, 20>(regular::<4, 16>());
        |x| cholesky_solve(cholesky(m4(x, 0)), v4(x, 16)).to_array();
    "qr" on crossed::<2, 4>(); |x| { let (q, r) = qr(m2(x, 0)); join(&[&e2(q), &e2(r)]) };
    "qr" on crossed::<4, 16>(); |x| { let (q, r) = qr(m4(x, 0)); join(&[&e4(q), &e4(r)]) };
    "qr2" on regular::<2, 4>(); |x| { let (q, r) = qr2(m2(x, 0)); join(&[&e2(q), &e2(r)]) };
    "qr3" on regular::<3, 9>(); |x| { let (q, r) = qr3(m3(x, 0)); join(&[&e3(q), &e3(r)]) };
    "eigen_symmetric" on apart::<4, 16>();
        |x| { let (d, v) = eigen_symmetric(m4(x, 0)); join(&[&d.to_array(), &e4(v)]) };
    "eig2" on apart::<2, 4>(); |x| { let (d, v) = eig2(m2(x, 0)); join(&[&d.to_array(), &e2(v)]) };
    "eig3" on apart::<3, 9>(); |x| { let (d, v) = eig3(m3(x, 0)); join(&[&d.to_array(), &e3(v)]) };
    "svd" on apart::<4, 16>(); |x| { let (u, s, v) = svd(m4(x, 0)); join(&[&e4(u), &s.to_array(), &e4(v)]) };
    "svd2" on apart::<2, 4>(); |x| { let (u, s, v) = svd2(m2(x, 0)); join(&[&e2(u), &s.to_array(), &e2(v)]) };
    "svd3" on apart::<3, 9>(); |x| { let (u, s, v) = svd3(m3(x, 0)); join(&[&e3(u), &s.to_array(), &e3(v)]) };
    "polar" on crossed::<2, 4>(); |x| { let (r, p) = polar(m2(x, 0)); join(&[&e2(r), &e2(p)]) };
    "polar" on regular::<3, 9>(); |x| { let (r, p) = polar(m3(x, 0)); join(&[&e3(r), &e3(p)]) };
    "polar" on apart::<4, 16>(); |x| { let (r, p) = polar(m4(x, 0)); join(&[&e4(r), &e4(p)]) };
    "lu" on crossed::<5, 25>();
        |x| { let (l, u, p) = lu(m5(x, 0)); join(&[&l.rows.concat(), &u.rows.concat(), &p.rows.concat()]) };
    "lu_solve" on with_column::<36, 42>(crossed::<6, 36>());
        |x| { let (l, u, p) = lu(m6(x, 0)); lu_solve(l, u, p, v6(x, 36)).to_array() };
    "solve" on with_column::<25, 30>(crossed::<5, 25>()); |x| solve(m5(x, 0), v5(x, 25)).to_array();
    "solve" on with_column::<36, 42>(regular::<6, 36>()); |x| solve(m6(x, 0), v6(x, 36)).to_array();
    "cholesky" on regular::<6, 36>(); |x| cholesky(m6(x, 0)).rows.concat();
    "cholesky_solve" on with_column::<36, 42>(regular::<6, 36>());
        |x| cholesky_solve(cholesky(m6(x, 0)), v6(x, 36)).to_array();
    "qr" on regular::<6, 36>(); |x| { let (q, r) = qr(m6(x, 0)); join(&[&q.rows.concat(), &r.rows.concat()]) };
    "eigen_symmetric" on apart::<6, 36>();
        |x| { let (d, v) = eigen_symmetric(m6(x, 0)); join(&[&d.to_array(), &v.rows.concat()]) };
    "svd" on apart::<5, 25>();
        |x| { let (u, s, v) = svd(m5(x, 0)); join(&[&u.rows.concat(), &s.to_array(), &v.rows.concat()]) };
    "polar" on apart::<6, 36>(); |x| { let (r, p) = polar(m6(x, 0)); join(&[&r.rows.concat(), &p.rows.concat()]) };
}
