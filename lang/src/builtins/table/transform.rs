//! Rows: functions of transforms and spatial vectors.

use super::*;
use crate::transform::{SpatialVec, Transform};

fn t<T: Copy>(x: &[T], at: usize) -> Transform<T> {
    Transform::new(v3(x, at), q(x, at + 3))
}
fn s<T: Copy>(x: &[T], at: usize) -> SpatialVec<T> {
    SpatialVec::new(v3(x, at), v3(x, at + 3))
}

rows! {
    "transform" on unit::<7>(); |x| transform(v3(x, 0), q(x, 3)).to_array();
    "transform_identity" on unit::<7>(); |x| (transform_identity::<T>() * t(x, 0)).to_array();
    "transform_multiply" on unit::<14>(); |x| transform_multiply(t(x, 0), t(x, 7)).to_array();
    "transform_inverse" on unit::<7>(); |x| transform_inverse(t(x, 0)).to_array();
    "transform_point" on unit::<10>(); |x| transform_point(t(x, 0), v3(x, 7)).to_array();
    "transform_vector" on unit::<10>(); |x| transform_vector(t(x, 0), v3(x, 7)).to_array();
    "transform_point_inv" on unit::<10>(); |x| transform_point_inv(t(x, 0), v3(x, 7)).to_array();
    "transform_vector_inv" on unit::<10>(); |x| transform_vector_inv(t(x, 0), v3(x, 7)).to_array();
    "transform_to_matrix" on unit::<7>(); |x| e4(transform_to_matrix(t(x, 0)));
    "transform_from_matrix" on regular::<4, 16>(); |x| transform_from_matrix(m4(x, 0)).to_array();
    "transform_twist" on unit::<13>(); |x| transform_twist(t(x, 0), s(x, 7)).to_array();
    "transform_wrench" on unit::<13>(); |x| transform_wrench(t(x, 0), s(x, 7)).to_array();
    "transform_adjoint" on unit::<7>(); |x| transform_adjoint(t(x, 0)).rows.concat();
    "spatial_dot" on unit::<12>(); |x| [spatial_dot(s(x, 0), s(x, 6))];
    "spatial_cross" on unit::<12>(); |x| spatial_cross(s(x, 0), s(x, 6)).to_array();
    "spatial_cross_dual" on unit::<12>(); |x| spatial_cross_dual(s(x, 0), s(x, 6)).to_array();
    "velocity_at_point" on unit::<9>(); |x| velocity_at_point(s(x, 0), v3(x, 6)).to_array();
    "wrench_at_point" on unit::<6>(); |x| wrench_at_point(v3(x, 0), v3(x, 3)).to_array();
    "SpatialVec operators" on unit::<13>();
        |x| ((s(x, 0) + s(x, 6)) / x[12] - s(x, 6) * x[12] + -s(x, 0)).to_array();
}
