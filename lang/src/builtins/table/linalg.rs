//! Rows: functions of matrices.

use super::*;
use crate::rectangular::Mat;
use crate::sized::VecN;

pub(super) fn v5<T: Copy>(x: &[T], at: usize) -> VecN<T, 5> {
    VecN::from_array(std::array::from_fn(|i| x[at + i]))
}
pub(super) fn v6<T: Copy>(x: &[T], at: usize) -> VecN<T, 6> {
    VecN::from_array(std::array::from_fn(|i| x[at + i]))
}
pub(super) fn m5<T: Copy>(x: &[T], at: usize) -> Mat<T, 5, 5> {
    Mat::from_rows(std::array::from_fn(|i| std::array::from_fn(|j| x[at + 5 * i + j])))
}
pub(super) fn m6<T: Copy>(x: &[T], at: usize) -> Mat<T, 6, 6> {
    Mat::from_rows(std::array::from_fn(|i| std::array::from_fn(|j| x[at + 6 * i + j])))
}
/// diag(0, 1, 2, 3, 4).
const SINGULAR: [f64; 25] = {
    let mut all = [0.0; 25];
    let mut i = 0;
    while i < 5 {
        all[6 * i] = i as f64;
        i += 1;
    }
    all
};
/// Entries that make the pivots of all columns come from other rows: large ones on the other diagonal.
pub(super) const fn crossed<const N: usize, const NN: usize>() -> [(f64, f64); NN] {
    let mut all = [(-0.4, 0.4); NN];
    let mut i = 0;
    while i < N {
        all[i * N + N - 1 - i] = (1.5, 2.5);
        i += 1;
    }
    all
}

rows! {
    "transpose" on unit::<4>(); |x| e2(transpose(m2(x, 0)));
    "transpose" on unit::<9>(); |x| e3(transpose(m3(x, 0)));
    "transpose" on unit::<16>(); |x| e4(transpose(m4(x, 0)));
    "determinant" on regular::<2, 4>(); |x| [determinant(m2(x, 0))];
    "determinant" on regular::<3, 9>(), kink zeros::<9>() => zeros::<9>(); |x| [determinant(m3(x, 0))];
    "determinant" on regular::<4, 16>(), kink zeros::<16>() => zeros::<16>(); |x| [determinant(m4(x, 0))];
    "inverse" on regular::<2, 4>(); |x| e2(inverse(m2(x, 0)));
    "inverse" on regular::<3, 9>(); |x| e3(inverse(m3(x, 0)));
    "inverse" on regular::<4, 16>(); |x| e4(inverse(m4(x, 0)));
    "diagonal" on unit::<3>(); |x| e3(diagonal(v3(x, 0)));
    "trace" on unit::<9>(); |x| [trace(m3(x, 0))];
    "skew" on unit::<3>(); |x| e3(skew(v3(x, 0)));
    "transpose" on unit::<25>(); |x| transpose(m5(x, 0)).rows.concat();
    "determinant" on regular::<5, 25>(), kink zeros::<25>() => zeros::<25>(); |x| [determinant(m5(x, 0))];
    // Singular, of rank 4: the derivative is the adjugate all the same.
    "determinant" on crossed::<5, 25>(),
        kink SINGULAR => [24.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        |x| [determinant(m5(x, 0))];
    "determinant" on regular::<6, 36>(); |x| [determinant(m6(x, 0))];
    "inverse" on crossed::<5, 25>(); |x| inverse(m5(x, 0)).rows.concat();
    "inverse" on regular::<6, 36>(); |x| inverse(m6(x, 0)).rows.concat();
    "diagonal" on unit::<2>(); |x| e2(diagonal(v2(x, 0)));
    "diagonal" on unit::<5>(); |x| diagonal(v5(x, 0)).rows.concat();
    "get_diag" on unit::<4>(); |x| get_diag(m2(x, 0)).to_array();
    "get_diag" on unit::<9>(); |x| get_diag(m3(x, 0)).to_array();
    "get_diag" on unit::<16>(); |x| get_diag(m4(x, 0)).to_array();
    "get_diag" on unit::<25>(); |x| get_diag(m5(x, 0)).to_array();
    "trace" on unit::<4>(); |x| [trace(m2(x, 0))];
    "trace" on unit::<16>(); |x| [trace(m4(x, 0))];
    "trace" on unit::<36>(); |x| [trace(m6(x, 0))];
    "outer" on unit::<10>(); |x| outer(v5(x, 0), v5(x, 5)).rows.concat();
    "outer" on unit::<8>(); |x| v5(x, 0).outer(VecN::from_array([x[5], x[6], x[7]])).rows.concat();
    "adjugate" on regular::<5, 25>(); |x| Matrix::adjugate(m5(x, 0)).rows.concat();
}
