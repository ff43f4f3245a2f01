//! Rows: functions of matrices.

use super::*;

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
}
