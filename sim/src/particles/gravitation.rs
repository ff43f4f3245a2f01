//! Newton's gravitation between particles, by direct summation.

use pullback_lang::{Real, Vec3, dot, func, select, sqrt, vec3};

/// The acceleration at particle `i`: Σₖ gmₖ d / (|d|² + ε²)^{3/2} with d from `i` to attractor k. What
/// is at the same place does not attract if ε is 0, and so nothing attracts itself.
#[func]
pub(super) fn attraction<R: Real>(
    position: &Array<Vec3<R>>,
    gm: &Array<R>,
    attractor: &Array<i32>,
    softening_sq: R,
    i: i64,
) -> Vec3<R> {
    let here = position[i];
    let mut acceleration = vec3(0.0, 0.0, 0.0);
    for k in 0..gm.len() {
        let d = position[attractor[k] as i64] - here;
        let square = dot(d, d) + softening_sq;
        let apart = square > 0.0;
        let s = select(apart, square, 1.0);
        acceleration += d * select(apart, gm[k] / (s * sqrt(s)), 0.0);
    }
    acceleration
}
