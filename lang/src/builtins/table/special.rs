//! Rows: error functions, gamma functions, and smaller functions of scalars.

use super::*;

rows! {
    "erf" on [(-0.4, 0.4)], kink [0.0] => [std::f64::consts::FRAC_2_SQRT_PI]; |x| [erf(x[0])];
    "erf" on [(0.5, 3.0)]; |x| [erf(x[0])];
    "erf" on [(-5.5, -4.1)]; |x| [erf(x[0])];
    "erfc" on [(-0.4, 0.4)]; |x| [erfc(x[0])];
    "erfc" on [(0.5, 3.0)]; |x| [erfc(x[0])];
    "erfc" on [(-3.0, -0.5)]; |x| [erfc(x[0])];
    "erfinv" on [(-0.8, 0.8)], kink [1.0] => [0.0], kink [-1.0] => [0.0]; |x| [erfinv(x[0])];
    "erfinv" on [(0.86, 0.99)]; |x| [erfinv(x[0])];
    "erfcinv" on [(0.2, 1.8)], kink [0.0] => [0.0], kink [2.0] => [0.0]; |x| [erfcinv(x[0])];
    "erfcinv" on [(1e-3, 0.1)]; |x| [erfcinv(x[0])];
    "lgamma" on [(0.6, 4.0)]; |x| [lgamma(x[0])];
    "lgamma" on [(9.0, 30.0)]; |x| [lgamma(x[0])];
    "lgamma" on [(-3.8, -3.2)]; |x| [lgamma(x[0])];
    "digamma" on [(0.6, 4.0)]; |x| [digamma(x[0])];
    "digamma" on [(-2.8, -2.2)]; |x| [digamma(x[0])];
    "trigamma" on [(0.6, 4.0)]; |x| [trigamma(x[0])];
    "trigamma" on [(-1.8, -1.2)]; |x| [trigamma(x[0])];
    "copysign" on [(0.1, 2.0), (-2.0, -0.1)], kink [2.0, -0.0] => [-1.0, 0.0], kink [0.0, 1.0] => [0.0, 0.0];
        |x| [copysign(x[0], x[1])];
    "step" on [(0.1, 0.9), (1.1, 2.0)], kink [1.0, 1.0] => [0.0, 0.0]; |x| [step(x[0], x[1])];
    "smoothstep" on [(0.0, 0.1), (0.9, 1.0), (0.2, 0.8)], kink [0.0, 1.0, 0.0] => [0.0, 0.0, 0.0],
        kink [0.0, 1.0, 2.0] => [0.0, 0.0, 0.0];
        |x| [smoothstep(x[0], x[1], x[2])];
    "saturate" on [(0.1, 0.9)], kink [0.0] => [0.5], kink [1.0] => [0.5], kink [2.0] => [0.0]; |x| [saturate(x[0])];
    "frac" on [(-1.9, -1.1)]; |x| [frac(x[0])];
    "floor_mod" on [(6.5, 6.8), (1.95, 2.05)], kink [4.0, 2.0] => [1.0, -2.0]; |x| [floor_mod(x[0], x[1])];
    "floor_mod" on [(-6.8, -6.5), (1.95, 2.05)], kink [-5.0, 2.0] => [1.0, 3.0]; |x| [floor_mod(x[0], x[1])];
    "floor_mod" on [(6.5, 6.8), (-2.05, -1.95)]; |x| [floor_mod(x[0], x[1])];
    "degrees" on [(-3.0, 3.0)]; |x| [degrees(x[0])];
    "radians" on [(-200.0, 200.0)]; |x| [radians(x[0])];
    "isfinite" on [(0.1, 2.0); 2]; |x| [T::pick(isfinite(x[0]), x[0], x[1])];
    "isnan" on [(0.1, 2.0); 2]; |x| [T::pick(isnan(x[0]), x[0], x[1])];
    "isinf" on [(0.1, 2.0); 2]; |x| [T::pick(isinf(x[0]), x[0], x[1])];
    "min3" on [(1.1, 2.0), (0.1, 0.9), (1.1, 2.0)], kink [1.0, 1.0, 2.0] => [0.5, 0.5, 0.0]; |x| [min3(x[0], x[1], x[2])];
    "max3" on [(0.1, 0.9), (0.1, 0.9), (1.1, 2.0)]; |x| [max3(x[0], x[1], x[2])];
    "min4" on [(1.1, 2.0), (1.1, 2.0), (1.1, 2.0), (0.1, 0.9)]; |x| [min4(x[0], x[1], x[2], x[3])];
    "max4" on [(0.1, 0.9), (1.1, 2.0), (0.1, 0.9), (0.1, 0.9)]; |x| [max4(x[0], x[1], x[2], x[3])];
    "hypot" on [(-2.0, -0.1), (0.1, 2.0)], kink [0.0, 0.0] => [0.0, 0.0], kink [3e200, 4e200] => [0.6, 0.8];
        |x| [hypot(x[0], x[1])];
    "rsqrt" on [(0.2, 3.0)], kink [0.0] => [0.0]; |x| [rsqrt(x[0])];
    "asinh" on [(-2.0, 2.0)], kink [0.0] => [1.0], kink [1e200] => [1e-200]; |x| [asinh(x[0])];
    "acosh" on [(1.2, 3.0)], kink [1.0] => [0.0]; |x| [acosh(x[0])];
    "atanh" on [(-0.8, 0.8)], kink [1.0] => [0.0], kink [-1.0] => [0.0]; |x| [atanh(x[0])];
}
