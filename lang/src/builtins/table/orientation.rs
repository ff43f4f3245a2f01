//! Rows: rotations from and to other descriptions.

use super::*;

/// Components of quaternions near (0, 0, 0, 1), about a quarter of a turn at most.
const AHEAD: [(f64, f64); 4] = [(-0.4, 0.4), (-0.4, 0.4), (-0.4, 0.4), (0.5, 1.0)];
const BEHIND: [(f64, f64); 4] = [(-0.4, 0.4), (0.2, 0.4), (-0.4, 0.4), (-1.0, -0.5)];
/// Nearly the identity.
const TINY: [(f64, f64); 4] = [(-1e-3, 1e-3), (-1e-3, 1e-3), (-1e-3, 1e-3), (0.99, 1.01)];

const fn and<const N: usize, const M: usize, const NM: usize>(
    a: [(f64, f64); N],
    b: [(f64, f64); M],
) -> [(f64, f64); NM] {
    let mut all = [(0.0, 0.0); NM];
    let mut i = 0;
    while i < NM {
        all[i] = if i < N { a[i] } else { b[i - N] };
        i += 1;
    }
    all
}
/// Near the matrix of half a turn about one axis.
const fn half_turn(axis: usize) -> [(f64, f64); 9] {
    let mut all = [(-0.2, 0.2); 9];
    let mut i = 0;
    while i < 3 {
        all[4 * i] = if i == axis { (0.8, 1.0) } else { (-1.0, -0.8) };
        i += 1;
    }
    all
}
const ANGLES: [(f64, f64); 3] = [(-1.2, 1.2); 3];
/// For orders that begin and end with one axis.
const PROPER: [(f64, f64); 3] = [(-1.2, 1.2), (0.4, 1.5), (-1.2, 1.2)];

rows! {
    "quat_exp" on [(-0.8, 0.8); 3], kink [0.0; 3] => [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        |x| quat_exp(v3(x, 0)).to_array();
    "quat_exp" on [(-0.01, 0.01); 3]; |x| quat_exp(v3(x, 0)).to_array();
    "quat_log" on AHEAD, kink [0.0, 0.0, 0.0, 1.0] => [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0],
        kink [0.0, 0.0, 0.0, -1.0] => [0.0; 12];
        |x| quat_log(q(x, 0)).to_array();
    "quat_log" on TINY; |x| quat_log(q(x, 0)).to_array();
    "quat_log" on BEHIND; |x| quat_log(q(x, 0)).to_array();
    "quat_from_rotation_vector" on ANGLES; |x| quat_from_rotation_vector(v3(x, 0)).to_array();
    // Twice the vector part at the identity, whichever of the two quaternions it is.
    "quat_to_rotation_vector" on AHEAD,
        kink [0.0, 0.0, 0.0, 1.0] => [2.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0],
        kink [0.0, 0.0, 0.0, -1.0] => [-2.0, 0.0, 0.0, 0.0, 0.0, -2.0, 0.0, 0.0, 0.0, 0.0, -2.0, 0.0];
        |x| quat_to_rotation_vector(q(x, 0)).to_array();
    "quat_to_rotation_vector" on BEHIND; |x| quat_to_rotation_vector(q(x, 0)).to_array();
    "quat_to_axis_angle" on BEHIND, kink [0.0, 0.0, 0.0, 1.0] => [0.0; 16];
        |x| { let (axis, angle) = quat_to_axis_angle(q(x, 0)); [axis.x, axis.y, axis.z, angle] };
    "quat_from_matrix" on regular::<3, 9>(); |x| quat_from_matrix(m3(x, 0)).to_array();
    "quat_from_matrix" on half_turn(0); |x| quat_from_matrix(m3(x, 0)).to_array();
    "quat_from_matrix" on half_turn(1); |x| quat_from_matrix(m3(x, 0)).to_array();
    "quat_from_matrix" on half_turn(2); |x| quat_from_matrix(m3(x, 0)).to_array();
    "quat_rpy" on ANGLES; |x| quat_rpy(x[0], x[1], x[2]).to_array();
    "quat_to_rpy" on AHEAD; |x| quat_to_rpy(normalize(q(x, 0))).to_array();
    "quat_from_euler" on ANGLES; |x| quat_from_euler(v3(x, 0), 0, 1, 2).to_array();
    "quat_from_euler" on ANGLES; |x| quat_from_euler(v3(x, 0), 2, 0, 2).to_array();
    "quat_to_euler" on ANGLES; |x| quat_to_euler(quat_rpy(x[0], x[1], x[2]), 2, 1, 0).to_array();
    "quat_to_euler" on ANGLES; |x| quat_to_euler(quat_from_euler(v3(x, 0), 0, 2, 1), 1, 2, 0).to_array();
    "quat_to_euler" on PROPER; |x| quat_to_euler(quat_from_euler(v3(x, 0), 2, 0, 2), 2, 1, 2).to_array();
    "quat_slerp" on and::<8, 1, 9>(and::<4, 4, 8>(AHEAD, [(0.2, 0.6), (-0.4, 0.0), (0.1, 0.3), (0.4, 0.9)]), [(0.1, 0.9)]);
        |x| quat_slerp(q(x, 0), q(x, 4), x[8]).to_array();
    "quat_slerp" on and::<8, 1, 9>(and::<4, 4, 8>(AHEAD, BEHIND), [(0.1, 0.9)]);
        |x| quat_slerp(normalize(q(x, 0)), normalize(q(x, 4)), x[8]).to_array();
    "quat_slerp" on and::<8, 1, 9>(and::<4, 4, 8>(TINY, TINY), [(0.1, 0.9)]),
        kink [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.25] => [
            0.75, 0.0, 0.0, 0.0, 0.25, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.75, 0.0, 0.0, 0.0, 0.25, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.75, 0.0, 0.0, 0.0, 0.25, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.75, 0.0, 0.0, 0.0, 0.25, 0.0
        ];
        |x| quat_slerp(q(x, 0), q(x, 4), x[8]).to_array();
    "quat_twist" on unit::<7>(), kink [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0] => [0.0; 28];
        |x| quat_twist(v3(x, 0), q(x, 3)).to_array();
    "quat_swing" on unit::<7>(); |x| quat_swing(v3(x, 0), q(x, 3)).to_array();
    "quat_twist_angle" on unit::<7>(), kink [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0] => [0.0; 7];
        |x| [quat_twist_angle(v3(x, 0), q(x, 3))];
    "quat_twist_angle" on and::<3, 4, 7>([(0.5, 1.0); 3], BEHIND); |x| [quat_twist_angle(v3(x, 0), q(x, 3))];
    "quat_angular_velocity" on and::<8, 1, 9>(and::<4, 4, 8>(AHEAD, TINY), [(0.1, 0.9)]);
        |x| quat_angular_velocity(q(x, 0), q(x, 4), x[8]).to_array();
    "quat_integrate" on unit::<8>(); |x| quat_integrate(q(x, 0), v3(x, 4), x[7]).to_array();
    "quat_between" on unit::<6>(), kink [1.0, 0.0, 0.0, -1.0, 0.0, 0.0] => [
            0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        ];
        |x| quat_between(v3(x, 0), v3(x, 3)).to_array();
}
