//! Rows: functions of quaternions.

use super::*;

rows! {
    "quat_identity" on unit::<4>(); |x| (quat_identity::<T>() * q(x, 0)).to_array();
    "quat_from_axis_angle" on unit::<4>(), kink zeros::<4>() => zeros::<16>();
        |x| quat_from_axis_angle(v3(x, 0), x[3]).to_array();
    "conjugate" on unit::<4>(); |x| conjugate(q(x, 0)).to_array();
    "quat_inverse" on unit::<4>(), kink zeros::<4>() => zeros::<16>(); |x| quat_inverse(q(x, 0)).to_array();
    "quat_multiply" on unit::<8>(); |x| quat_multiply(q(x, 0), q(x, 4)).to_array();
    "quat_rotate" on unit::<7>(); |x| quat_rotate(q(x, 0), v3(x, 4)).to_array();
    "quat_rotate_inv" on unit::<7>(); |x| quat_rotate_inv(q(x, 0), v3(x, 4)).to_array();
    "quat_to_matrix" on unit::<4>(); |x| e3(quat_to_matrix(q(x, 0)));
}
