//! Arithmetic: sums, products, magnitudes, and the smaller and larger of two.

use super::expr::Expr;
use super::float::Float;
use super::row::{Kink, Row};
use super::{Compare, FloatOp};

/// a + b.
pub struct Add;
impl Row<2> for Add {
    const NAME: &'static str = "add";
    const DOC: &'static str = "a + b";
    const DOMAIN: [(f64, f64); 2] = [(-3.0, 3.0), (-3.0, 3.0)];
    fn value<T: Float>([a, b]: [T; 2]) -> T {
        a + b
    }
    fn partials<E: Expr>([a, _]: [E; 2], _: E) -> [E; 2] {
        [a.lit(1.0), a.lit(1.0)]
    }
}

/// a - b.
pub struct Sub;
impl Row<2> for Sub {
    const NAME: &'static str = "sub";
    const DOC: &'static str = "a - b";
    const DOMAIN: [(f64, f64); 2] = [(-3.0, 3.0), (-3.0, 3.0)];
    fn value<T: Float>([a, b]: [T; 2]) -> T {
        a - b
    }
    fn partials<E: Expr>([a, _]: [E; 2], _: E) -> [E; 2] {
        [a.lit(1.0), a.lit(-1.0)]
    }
}

/// a · b.
pub struct Mul;
impl Row<2> for Mul {
    const NAME: &'static str = "mul";
    const DOC: &'static str = "a · b";
    const DOMAIN: [(f64, f64); 2] = [(-3.0, 3.0), (-3.0, 3.0)];
    fn value<T: Float>([a, b]: [T; 2]) -> T {
        a * b
    }
    fn partials<E: Expr>([a, b]: [E; 2], _: E) -> [E; 2] {
        [b, a]
    }
}

/// a / b.
pub struct Div;
impl Row<2> for Div {
    const NAME: &'static str = "div";
    const DOC: &'static str = "a / b";
    const DOMAIN: [(f64, f64); 2] = [(-3.0, 3.0), (0.3, 3.0)];
    fn value<T: Float>([a, b]: [T; 2]) -> T {
        a / b
    }
    fn partials<E: Expr>([_, b]: [E; 2], out: E) -> [E; 2] {
        let inverse = b.lit(1.0) / b;
        [inverse, -(out * inverse)]
    }
}

/// -a.
pub struct Neg;
impl Row<1> for Neg {
    const NAME: &'static str = "neg";
    const DOC: &'static str = "-a";
    const DOMAIN: [(f64, f64); 1] = [(-3.0, 3.0)];
    fn value<T: Float>([a]: [T; 1]) -> T {
        -a
    }
    fn partials<E: Expr>([a]: [E; 1], _: E) -> [E; 1] {
        [a.lit(-1.0)]
    }
}

/// a · b + c with one rounding.
pub struct Fma;
impl Row<3> for Fma {
    const NAME: &'static str = "fma";
    const DOC: &'static str = "a · b + c, rounded once";
    const DOMAIN: [(f64, f64); 3] = [(-3.0, 3.0), (-3.0, 3.0), (-3.0, 3.0)];
    fn value<T: Float>([a, b, c]: [T; 3]) -> T {
        a.fma(b, c)
    }
    fn partials<E: Expr>([a, b, _]: [E; 3], _: E) -> [E; 3] {
        [b, a, a.lit(1.0)]
    }
}

/// |a|.
pub struct Abs;
impl Row<1> for Abs {
    const NAME: &'static str = "abs";
    const DOC: &'static str = "|a|; derivative 0 at 0";
    const DOMAIN: [(f64, f64); 1] = [(0.1, 3.0)];
    const KINKS: &'static [Kink<1>] = &[Kink { at: [0.0], partials: [0.0] }, Kink { at: [-2.0], partials: [-1.0] }];
    fn value<T: Float>([a]: [T; 1]) -> T {
        a.abs()
    }
    fn partials<E: Expr>([a]: [E; 1], _: E) -> [E; 1] {
        [a.op(FloatOp::Sign)]
    }
}

/// -1, 0 or 1.
pub struct Sign;
impl Row<1> for Sign {
    const NAME: &'static str = "sign";
    const DOC: &'static str = "-1 below 0, 1 above, the operand itself at ±0 and NaN; derivative 0 everywhere";
    const DOMAIN: [(f64, f64); 1] = [(0.1, 3.0)];
    const KINKS: &'static [Kink<1>] = &[Kink { at: [0.0], partials: [0.0] }];
    fn value<T: Float>([a]: [T; 1]) -> T {
        let zero = T::from_f64(0.0);
        if a > zero {
            T::from_f64(1.0)
        } else if a < zero {
            T::from_f64(-1.0)
        } else {
            a
        }
    }
    fn partials<E: Expr>([a]: [E; 1], _: E) -> [E; 1] {
        [a.lit(0.0)]
    }
}

/// Partials of `min` and `max`: 1 for the winner, a half each at a tie; a NaN never wins against a number.
fn shares<E: Expr>(wins: Compare, a: E, b: E) -> [E; 2] {
    let (one, half, zero) = (a.lit(1.0), a.lit(0.5), a.lit(0.0));
    let tie_or_loss = a.pick(Compare::Eq, b, half, zero);
    let first = b.pick(Compare::Ne, b, one, a.pick(wins, b, one, tie_or_loss));
    [first, one - first]
}

/// The smaller of two.
pub struct Min;
impl Row<2> for Min {
    const NAME: &'static str = "min";
    const DOC: &'static str = "a if a < b or b is NaN, else b; at a tie each has derivative 1/2";
    const DOMAIN: [(f64, f64); 2] = [(-3.0, -0.1), (0.1, 3.0)];
    const KINKS: &'static [Kink<2>] = &[
        Kink { at: [1.0, 1.0], partials: [0.5, 0.5] },
        Kink { at: [2.0, 1.0], partials: [0.0, 1.0] },
        Kink { at: [1.0, f64::NAN], partials: [1.0, 0.0] },
        Kink { at: [f64::NAN, 1.0], partials: [0.0, 1.0] },
    ];
    fn value<T: Float>([a, b]: [T; 2]) -> T {
        if a < b || b.partial_cmp(&b).is_none() { a } else { b }
    }
    fn partials<E: Expr>([a, b]: [E; 2], _: E) -> [E; 2] {
        shares(Compare::Lt, a, b)
    }
}

/// The larger of two.
pub struct Max;
impl Row<2> for Max {
    const NAME: &'static str = "max";
    const DOC: &'static str = "a if a > b or b is NaN, else b; at a tie each has derivative 1/2";
    const DOMAIN: [(f64, f64); 2] = [(-3.0, -0.1), (0.1, 3.0)];
    const KINKS: &'static [Kink<2>] = &[
        Kink { at: [1.0, 1.0], partials: [0.5, 0.5] },
        Kink { at: [2.0, 1.0], partials: [1.0, 0.0] },
        Kink { at: [1.0, f64::NAN], partials: [1.0, 0.0] },
        Kink { at: [f64::NAN, 1.0], partials: [0.0, 1.0] },
    ];
    fn value<T: Float>([a, b]: [T; 2]) -> T {
        if a > b || b.partial_cmp(&b).is_none() { a } else { b }
    }
    fn partials<E: Expr>([a, b]: [E; 2], _: E) -> [E; 2] {
        shares(Compare::Gt, a, b)
    }
}
