//! Rows: functions of vectors component by component, norms, and directions.

use super::*;
use crate::rectangular::Mat;
use crate::sized::VecN;

fn v6<T: Copy>(x: &[T], at: usize) -> VecN<T, 6> {
    VecN::from_array(std::array::from_fn(|i| x[at + i]))
}
fn m23<T: Copy>(x: &[T], at: usize) -> Mat<T, 2, 3> {
    Mat::from_rows(std::array::from_fn(|i| std::array::from_fn(|j| x[at + 3 * i + j])))
}
fn m32<T: Copy>(x: &[T], at: usize) -> Mat<T, 3, 2> {
    Mat::from_rows(std::array::from_fn(|i| std::array::from_fn(|j| x[at + 2 * i + j])))
}
const LOW: (f64, f64) = (0.1, 0.9);
const HIGH: (f64, f64) = (1.1, 2.0);

rows! {
    "cw_mul" on unit::<6>(); |x| cw_mul(v3(x, 0), v3(x, 3)).to_array();
    "cw_div" on unit::<12>(); |x| cw_div(v6(x, 0), v6(x, 6)).to_array();
    "cw_min" on [LOW, HIGH, HIGH, LOW], kink [1.0, 2.0, 1.0, 3.0] => [0.5, 0.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0];
        |x| cw_min(v2(x, 0), v2(x, 2)).to_array();
    "cw_max" on [LOW, HIGH, HIGH, LOW], kink [1.0, 2.0, 1.0, 1.0] => [0.5, 0.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0];
        |x| cw_max(v2(x, 0), v2(x, 2)).to_array();
    "cw_abs" on [(-2.0, -0.1), LOW, (-1.0, -0.5)], kink zeros::<3>() => zeros::<9>(); |x| cw_abs(v3(x, 0)).to_array();
    "cw_sign" on [LOW; 3]; |x| cw_sign(v3(x, 0)).to_array();
    "cw_clamp" on [LOW, HIGH, (-1.0, 0.0), (0.1, 0.5), (0.95, 1.0), (0.6, 1.0)];
        |x| cw_clamp(v2(x, 0), v2(x, 2), v2(x, 4)).to_array();
    "min_element" on [HIGH, LOW, HIGH], kink [1.0, 1.0, 2.0] => [0.5, 0.5, 0.0]; |x| [min_element(v3(x, 0))];
    "max_element" on [LOW, LOW, LOW, LOW, LOW, HIGH]; |x| [max_element(v6(x, 0))];
    "argmin" on [HIGH, LOW, HIGH]; |x| [T::from_index(argmin(v3(x, 0))) * x[0]];
    "argmax" on [LOW, LOW, HIGH, LOW]; |x| [T::from_index(argmax(v4(x, 0))) * x[0]];
    "norm_l1" on [LOW, (-2.0, -0.2), LOW], kink zeros::<3>() => zeros::<3>(); |x| [norm_l1(v3(x, 0))];
    "norm_l2" on unit::<3>(), kink zeros::<3>() => zeros::<3>(); |x| [norm_l2(v3(x, 0))];
    "norm_huber" on [(0.1, 0.3), (0.1, 0.3), (0.6, 0.9)], kink [0.0, 0.0, 1.0] => [0.0, 0.0, 0.0],
        kink [3.0, 4.0, 5.0] => [3.0, 4.0, 0.0];
        |x| [norm_huber(v2(x, 0), x[2])];
    "norm_huber" on [HIGH, HIGH, (0.6, 0.9)]; |x| [norm_huber(v2(x, 0), x[2])];
    "norm_pseudo_huber" on unit::<4>(), kink [0.0, 0.0, 0.0, 1.0] => zeros::<4>(); |x| [norm_pseudo_huber(v3(x, 0), x[3])];
    "smooth_length" on unit::<4>(), kink [0.0, 0.0, 0.0, 0.5] => [0.0, 0.0, 0.0, 1.0];
        |x| [smooth_length(v3(x, 0), x[3])];
    "smooth_normalize" on unit::<4>(),
        kink [0.0, 0.0, 0.0, 0.5] => [2.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0];
        |x| smooth_normalize(v3(x, 0), x[3]).to_array();
    "safe_normalize" on [HIGH, HIGH, HIGH, LOW]; |x| safe_normalize(v3(x, 0), x[3]).to_array();
    "safe_normalize" on [(-0.3, 0.3), (-0.3, 0.3), HIGH],
        kink [0.0, 0.0, 0.5] => [2.0, 0.0, 0.0, 0.0, 2.0, 0.0];
        |x| safe_normalize(v2(x, 0), x[2]).to_array();
    "distance" on [LOW, LOW, LOW, HIGH, HIGH, HIGH], kink [1.0; 6] => zeros::<6>(); |x| [distance(v3(x, 0), v3(x, 3))];
    "reflect" on unit::<6>(); |x| reflect(v3(x, 0), v3(x, 3)).to_array();
    "refract" on [(-0.7, -0.5), (-0.7, -0.5), (0.0, 0.1), (0.7, 0.9), (0.4, 0.6), (0.0, 0.1), (0.5, 0.8)];
        |x| refract(v3(x, 0), v3(x, 3), x[6]).to_array();
    // Total reflection.
    "refract" on [(-1.0, -0.9), (-0.2, -0.1), (0.0, 0.1), (0.9, 1.0), (1.5, 2.0)],
        kink [-1.0, 0.0, 0.0, 1.0, 2.0] => [0.0; 10];
        |x| refract(v2(x, 0), v2(x, 2), x[4]).to_array();
    "project" on unit::<6>(), kink [1.0, 2.0, 3.0, 0.0, 0.0, 0.0] => [0.0; 18]; |x| project(v3(x, 0), v3(x, 3)).to_array();
    "reject" on unit::<4>(); |x| reject(v2(x, 0), v2(x, 2)).to_array();
    "cross2" on unit::<4>(); |x| [cross2(v2(x, 0), v2(x, 2))];
    "ddot" on unit::<18>(); |x| [ddot(m3(x, 0), m3(x, 9))];
    "ddot" on unit::<12>(); |x| [ddot(m23(x, 0), m23(x, 6))];

    "VecN operators" on unit::<13>();
        |x| ((v6(x, 0) + v6(x, 6)) * v6(x, 0) / v6(x, 6) - v6(x, 6) * x[12] + -v6(x, 0) / x[12]).to_array();
    "VecN functions" on unit::<13>();
        |x| {
            let (a, b) = (v6(x, 0), v6(x, 6));
            let all = [dot(a, b), length(a), a.length_sq(), a.lerp(b, x[12])[2], normalize(b)[5]];
            all.to_vec()
        };
    "Mat operators" on unit::<13>();
        |x| {
            let (a, b) = (m23(x, 0), m23(x, 6));
            (a + b * x[12] - -(a / x[12])).rows.concat()
        };
    "Mat products" on unit::<24>();
        |x| {
            let (a, b) = (m23(x, 0), m32(x, 6));
            let (p, q): (Vec2<T>, Vec3<T>) = (a * v3(x, 12), b * v2(x, 15));
            let all = [(a * b).rows.concat(), p.to_array().to_vec(), q.to_array().to_vec(), (a * m3(x, 12)).rows.concat(),
                (m2(x, 20) * a).rows.concat(), a.transpose().rows.concat()];
            all.concat()
        };
    "Vec3 by components" on [(0.2, 0.8); 3];
        |x| {
            let v = v3(x, 0);
            let all = [v.floor() + v.ceil() + v.round() + v.trunc(), v.fract().sqrt(), v.exp(), v.log(), v.sin() * v.cos(),
                v.min(v * v), v.max(v * v), v.abs() * v.sign(), v.clamp(v * v, v.sqrt()), v.zyx() * v.xxy()];
            all.iter().flat_map(|v| v.to_array()).collect::<Vec<T>>()
        };
}
