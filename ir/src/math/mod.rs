//! The elementary functions of `f32`, each written once as a straight line of primitive operations.
//!
//! A function is generic over a machine, [`Arith`]. The interpreter and the tests run it on [`Native`]; code generation
//! runs it on a machine that appends instructions, so that compiled kernels compute the same bits and vectorise: there
//! are no branches, no calls and no tables in memory. NaN, infinities, signed zeros, subnormal arguments and results,
//! overflow and large angles are as C's Annex F asks; only a NaN's sign and payload are left open. [`ULP`] states the
//! errors.
//!
//! The coefficients are minimax fits in the error that the result sees (relative, but for a term already exact), found
//! with Lawson's iteration on Chebyshev points in 50-digit arithmetic; coefficients are rounded to `f32` one after the
//! other, the later ones fitted again each time.
//!
//! Functions of `f64` would stand beside these in the same files; today they are the standard library's.

mod arith;
mod constant;
mod dispatch;
mod exp;
mod half;
mod hyperbolic;
mod inverse_trig;
mod log;
mod power;
mod remainder;
mod trig;
mod value;

pub use arith::{Arith, Native};
pub use dispatch::f32_expansion;
pub use exp::{exp, exp2, expm1};
pub use half::{half_from_f32, half_from_f64, half_to_f32, narrow as half_narrow, widen as half_widen};
pub use hyperbolic::{cosh, sinh, tanh};
pub use inverse_trig::{acos, asin, atan, atan2};
pub use log::{log, log1p, log2, log10};
pub use power::{cbrt, pow};
pub use remainder::rem;
pub use trig::{cos, sin, tan};

/// The largest error of each function in units of the last place, that is of the spacing of the floats around the exact
/// value: 0.5 would be correct rounding.
///
/// Measured against the standard library's `f64` and rounded up: functions of one argument over all 2³² floats, `pow` and
/// `atan2` over 180 million samples each with a margin. `rem` is exact. (For `f64` that library is good to about one unit
/// of its own, which is 2⁻²⁹ of one here.)
pub const ULP: &[(&str, f32)] = &[
    ("exp", 0.86),
    ("exp2", 0.78),
    ("expm1", 0.87),
    ("log", 0.89),
    ("log2", 0.65),
    ("log10", 0.64),
    ("log1p", 0.9),
    ("sin", 0.83),
    ("cos", 0.84),
    ("tan", 1.5),
    ("asin", 0.63),
    ("acos", 0.6),
    ("atan", 0.67),
    ("atan2", 0.9),
    ("sinh", 0.81),
    ("cosh", 0.88),
    ("tanh", 1.02),
    ("cbrt", 0.51),
    ("pow", 0.85),
    ("rem", 0.0),
];

#[cfg(test)]
mod tests;
