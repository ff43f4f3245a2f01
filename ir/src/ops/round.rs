//! Rounding to integers and what it leaves.

use super::FloatOp;
use super::expr::Expr;
use super::float::Float;
use super::row::{Kink, Row};

macro_rules! step {
    ($(#[$doc:meta])* $name:ident, $text:literal, $method:ident, $about:literal) => {
        $(#[$doc])*
        pub struct $name;
        impl Row<1> for $name {
            const NAME: &'static str = $text;
            const DOC: &'static str = concat!($about, "; derivative 0 everywhere");
            const DOMAIN: [(f64, f64); 1] = [(1.05, 1.45)];
            const KINKS: &'static [Kink<1>] =
                &[Kink { at: [2.0], partials: [0.0] }, Kink { at: [-1.5], partials: [0.0] }];
            fn value<T: Float>([a]: [T; 1]) -> T {
                a.$method()
            }
            fn partials<E: Expr>([a]: [E; 1], _: E) -> [E; 1] {
                [a.lit(0.0)]
            }
        }
    };
}

step! {
    /// Towards minus infinity.
    Floor, "floor", floor, "the largest integer not above a"
}
step! {
    /// Towards plus infinity.
    Ceil, "ceil", ceil, "the smallest integer not below a"
}
step! {
    /// To the nearest.
    Round, "round", round, "the nearest integer, halves away from zero"
}
step! {
    /// Towards zero.
    Trunc, "trunc", trunc, "the integer part of a"
}

/// a - floor(a).
pub struct Fract;
impl Row<1> for Fract {
    const NAME: &'static str = "fract";
    const DOC: &'static str = "a - floor(a), in [0, 1); derivative 1 everywhere";
    const DOMAIN: [(f64, f64); 1] = [(1.05, 1.95)];
    const KINKS: &'static [Kink<1>] = &[Kink { at: [2.0], partials: [1.0] }];
    fn value<T: Float>([a]: [T; 1]) -> T {
        a - a.floor()
    }
    fn partials<E: Expr>([a]: [E; 1], _: E) -> [E; 1] {
        [a.lit(1.0)]
    }
}

/// The remainder with the sign of the dividend.
pub struct Rem;
impl Row<2> for Rem {
    const NAME: &'static str = "rem";
    const DOC: &'static str = "a - trunc(a / b) · b, exact, with the sign of a; derivatives 1 and -trunc(a / b)";
    const DOMAIN: [(f64, f64); 2] = [(6.5, 6.8), (1.95, 2.05)];
    const KINKS: &'static [Kink<2>] =
        &[Kink { at: [4.0, 2.0], partials: [1.0, -2.0] }, Kink { at: [-5.0, 2.0], partials: [1.0, 2.0] }];
    fn value<T: Float>([a, b]: [T; 2]) -> T {
        a % b
    }
    fn partials<E: Expr>([a, b]: [E; 2], out: E) -> [E; 2] {
        // From the exact remainder, so that a quotient just below an integer is not rounded up to it.
        let quotient = (a - out) / b;
        [a.lit(1.0), -quotient.op(FloatOp::Round)]
    }
}
