//! Trigonometric and hyperbolic functions and their inverses. Angles are in radians.

use super::expr::Expr;
use super::float::Float;
use super::row::{Kink, Row};
use super::{Compare, FloatOp};

macro_rules! function {
    ($(#[$doc:meta])* $name:ident, $text:literal, $about:literal, $domain:expr, $kinks:expr, |$a:ident, $out:ident| $partial:expr) => {
        $(#[$doc])*
        pub struct $name;
        impl Row<1> for $name {
            const NAME: &'static str = $text;
            const DOC: &'static str = $about;
            const DOMAIN: [(f64, f64); 1] = [$domain];
            const KINKS: &'static [Kink<1>] = $kinks;
            fn value<T: Float>([a]: [T; 1]) -> T {
                function!(@call a $name)
            }
            fn partials<E: Expr>([$a]: [E; 1], $out: E) -> [E; 1] {
                [$partial]
            }
        }
    };
    (@call $a:ident Sin) => { $a.sin() };
    (@call $a:ident Cos) => { $a.cos() };
    (@call $a:ident Tan) => { $a.tan() };
    (@call $a:ident Asin) => { $a.asin() };
    (@call $a:ident Acos) => { $a.acos() };
    (@call $a:ident Atan) => { $a.atan() };
    (@call $a:ident Sinh) => { $a.sinh() };
    (@call $a:ident Cosh) => { $a.cosh() };
    (@call $a:ident Tanh) => { $a.tanh() };
}

/// `yes` inside (-1, 1), else 0: the inverse functions' slopes at ±1 are 0 by rule.
fn inside<E: Expr>(a: E, slope: impl Fn(E) -> E) -> E {
    let one = a.lit(1.0);
    // (1 - a)(1 + a) keeps the digits that 1 - a² loses near ±1.
    let room = (one - a) * (one + a);
    room.unless_zero(slope(room.op(FloatOp::Sqrt)), a.lit(0.0))
}

function! {
    /// Sine.
    Sin, "sin", "the sine of an angle in radians", (-3.0, 3.0), &[], |a, _out| a.op(FloatOp::Cos)
}
function! {
    /// Cosine.
    Cos, "cos", "the cosine of an angle in radians", (-3.0, 3.0), &[], |a, _out| -a.op(FloatOp::Sin)
}
function! {
    /// Tangent.
    Tan, "tan", "the tangent of an angle in radians", (-1.2, 1.2), &[], |_a, out| out.lit(1.0) + out * out
}
function! {
    /// Arc sine.
    Asin, "asin", "the arc sine, in [-π/2, π/2]; derivative 0 at ±1", (-0.9, 0.9),
    &[Kink { at: [1.0], partials: [0.0] }, Kink { at: [-1.0], partials: [0.0] }],
    |a, _out| inside(a, |root| root.lit(1.0) / root)
}
function! {
    /// Arc cosine.
    Acos, "acos", "the arc cosine, in [0, π]; derivative 0 at ±1", (-0.9, 0.9),
    &[Kink { at: [1.0], partials: [0.0] }, Kink { at: [-1.0], partials: [0.0] }],
    |a, _out| inside(a, |root| root.lit(-1.0) / root)
}
function! {
    /// Arc tangent.
    Atan, "atan", "the arc tangent, in [-π/2, π/2]", (-3.0, 3.0), &[],
    |a, _out| a.lit(1.0) / (a.lit(1.0) + a * a)
}
function! {
    /// Hyperbolic sine.
    Sinh, "sinh", "the hyperbolic sine", (-2.0, 2.0), &[], |a, _out| a.op(FloatOp::Cosh)
}
function! {
    /// Hyperbolic cosine.
    Cosh, "cosh", "the hyperbolic cosine", (-2.0, 2.0), &[], |a, _out| a.op(FloatOp::Sinh)
}
function! {
    /// Hyperbolic tangent.
    Tanh, "tanh", "the hyperbolic tangent", (-2.0, 2.0), &[],
    |_a, out| (out.lit(1.0) - out) * (out.lit(1.0) + out)
}

/// The angle of the point (b, a).
pub struct Atan2;
impl Row<2> for Atan2 {
    const NAME: &'static str = "atan2";
    const DOC: &'static str = "the angle of the point (x = b, y = a), in [-π, π]; derivatives 0 at the origin";
    const DOMAIN: [(f64, f64); 2] = [(0.2, 3.0), (-3.0, 3.0)];
    const KINKS: &'static [Kink<2>] = &[
        Kink { at: [0.0, 0.0], partials: [0.0, 0.0] },
        Kink { at: [0.0, -2.0], partials: [-0.5, 0.0] },
        Kink { at: [0.0, 2.0], partials: [0.5, 0.0] },
    ];
    fn value<T: Float>([a, b]: [T; 2]) -> T {
        a.atan2(b)
    }
    fn partials<E: Expr>([a, b]: [E; 2], _: E) -> [E; 2] {
        // Scaled by the larger of |a| and |b|, so that the squares neither overflow nor vanish.
        let (zero, one) = (a.lit(0.0), a.lit(1.0));
        let scale = E::apply(FloatOp::Max, &[a.op(FloatOp::Abs), b.op(FloatOp::Abs)]);
        let safe = scale.unless_zero(scale, one);
        let (u, v) = (a / safe, b / safe);
        let r2 = (u * u + v * v) * safe;
        let inverse = scale.pick(Compare::Eq, zero, zero, one / r2.unless_zero(r2, one));
        [v * inverse, -(u * inverse)]
    }
}
