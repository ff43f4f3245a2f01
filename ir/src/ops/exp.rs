//! Roots, exponentials, logarithms, powers.

use super::expr::Expr;
use super::float::Float;
use super::row::{Kink, Row};
use super::{Compare, FloatOp};

/// The square root.
pub struct Sqrt;
impl Row<1> for Sqrt {
    const NAME: &'static str = "sqrt";
    const DOC: &'static str = "the square root, correctly rounded; derivative 0 at 0";
    const DOMAIN: [(f64, f64); 1] = [(0.1, 4.0)];
    const KINKS: &'static [Kink<1>] = &[Kink { at: [0.0], partials: [0.0] }];
    fn value<T: Float>([a]: [T; 1]) -> T {
        a.sqrt()
    }
    fn partials<E: Expr>([_]: [E; 1], out: E) -> [E; 1] {
        // As a multiple of 1 / out, which a division by the root has made already.
        [out.unless_zero(out.lit(0.5) * (out.lit(1.0) / out), out.lit(0.0))]
    }
}

/// The cube root.
pub struct Cbrt;
impl Row<1> for Cbrt {
    const NAME: &'static str = "cbrt";
    const DOC: &'static str = "the cube root, also of negative numbers; derivative 0 at 0";
    const DOMAIN: [(f64, f64); 1] = [(0.2, 4.0)];
    const KINKS: &'static [Kink<1>] =
        &[Kink { at: [0.0], partials: [0.0] }, Kink { at: [-8.0], partials: [1.0 / 12.0] }];
    fn value<T: Float>([a]: [T; 1]) -> T {
        a.cbrt()
    }
    fn partials<E: Expr>([_]: [E; 1], out: E) -> [E; 1] {
        [out.unless_zero(out.lit(1.0 / 3.0) / out / out, out.lit(0.0))]
    }
}

macro_rules! smooth {
    ($(#[$doc:meta])* $name:ident, $text:literal, $method:ident, $about:literal, $domain:expr, |$a:ident, $out:ident| $partial:expr) => {
        $(#[$doc])*
        pub struct $name;
        impl Row<1> for $name {
            const NAME: &'static str = $text;
            const DOC: &'static str = $about;
            const DOMAIN: [(f64, f64); 1] = [$domain];
            fn value<T: Float>([a]: [T; 1]) -> T {
                a.$method()
            }
            fn partials<E: Expr>([$a]: [E; 1], $out: E) -> [E; 1] {
                [$partial]
            }
        }
    };
}

smooth! {
    /// e^a.
    Exp, "exp", exp, "e^a", (-2.0, 2.0), |_a, out| out
}
smooth! {
    /// 2^a.
    Exp2, "exp2", exp2, "2^a", (-2.0, 2.0), |_a, out| out * out.lit(std::f64::consts::LN_2)
}
smooth! {
    /// e^a - 1.
    Expm1, "expm1", expm1, "e^a - 1, accurate near 0", (-2.0, 2.0), |_a, out| out + out.lit(1.0)
}
smooth! {
    /// The natural logarithm.
    Log, "log", log, "the natural logarithm", (0.2, 4.0), |a, _out| a.lit(1.0) / a
}
smooth! {
    /// The logarithm to base 2.
    Log2, "log2", log2, "the logarithm to base 2", (0.2, 4.0), |a, _out| a.lit(std::f64::consts::LOG2_E) / a
}
smooth! {
    /// The logarithm to base 10.
    Log10, "log10", log10, "the logarithm to base 10", (0.2, 4.0), |a, _out| a.lit(std::f64::consts::LOG10_E) / a
}
smooth! {
    /// log(1 + a).
    Log1p, "log1p", log1p, "log(1 + a), accurate near 0", (-0.7, 3.0), |a, _out| a.lit(1.0) / (a.lit(1.0) + a)
}

/// a^b.
pub struct Pow;
impl Row<2> for Pow {
    const NAME: &'static str = "pow";
    const DOC: &'static str =
        "a^b as C's pow; at a = 0 the derivative to a is 0, or 1 if b = 1; for a <= 0 that to b is 0";
    const DOMAIN: [(f64, f64); 2] = [(0.2, 3.0), (-2.0, 3.0)];
    const KINKS: &'static [Kink<2>] = &[
        Kink { at: [0.0, 2.0], partials: [0.0, 0.0] },
        Kink { at: [0.0, 1.0], partials: [1.0, 0.0] },
        Kink { at: [0.0, 0.5], partials: [0.0, 0.0] },
        Kink { at: [0.0, 0.0], partials: [0.0, 0.0] },
        Kink { at: [-2.0, 3.0], partials: [12.0, 0.0] },
        Kink { at: [2.0, 0.0], partials: [0.0, std::f64::consts::LN_2] },
    ];
    fn value<T: Float>([a, b]: [T; 2]) -> T {
        a.pow(b)
    }
    fn partials<E: Expr>([a, b]: [E; 2], out: E) -> [E; 2] {
        let (zero, one) = (a.lit(0.0), a.lit(1.0));
        let slope = b * E::apply(FloatOp::Pow, &[a, b - one]);
        let slope = b.unless_zero(slope, zero);
        let at_zero = b.pick(Compare::Eq, one, one, zero);
        // The logarithm is taken of 1 where it is not used, so that nothing infinite arises there.
        let safe = a.pick(Compare::Gt, zero, a, one);
        let to_b = a.pick(Compare::Gt, zero, out * safe.op(FloatOp::Log), zero);
        [a.unless_zero(slope, at_zero), to_b]
    }
}
