//! The floats that ops have a meaning in: `f32` and `f64`.

use crate::math;
use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

/// `f32` or `f64`, as the reference interpreter computes with them. For `f32` the elementary functions
/// are the crate's own ([`crate::math`]), those of the standard library for `f64`.
pub trait Float:
    Copy
    + Debug
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Rem<Output = Self>
    + Neg<Output = Self>
{
    /// The nearest value.
    fn from_f64(v: f64) -> Self;
    /// The value, widened.
    fn to_f64(self) -> f64;
    /// a · b + c, rounded once.
    fn fma(self, b: Self, c: Self) -> Self;
    /// The magnitude with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// Towards minus infinity.
    fn floor(self) -> Self;
    /// Towards plus infinity.
    fn ceil(self) -> Self;
    /// To the nearest, halves away from zero.
    fn round(self) -> Self;
    /// Towards zero.
    fn trunc(self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Cube root.
    fn cbrt(self) -> Self;
    /// e^x.
    fn exp(self) -> Self;
    /// 2^x.
    fn exp2(self) -> Self;
    /// e^x - 1.
    fn expm1(self) -> Self;
    /// Natural logarithm.
    fn log(self) -> Self;
    /// Logarithm to base 2.
    fn log2(self) -> Self;
    /// Logarithm to base 10.
    fn log10(self) -> Self;
    /// log(1 + x).
    fn log1p(self) -> Self;
    /// Power.
    fn pow(self, y: Self) -> Self;
    /// Sine.
    fn sin(self) -> Self;
    /// Cosine.
    fn cos(self) -> Self;
    /// Tangent.
    fn tan(self) -> Self;
    /// Arc sine.
    fn asin(self) -> Self;
    /// Arc cosine.
    fn acos(self) -> Self;
    /// Arc tangent.
    fn atan(self) -> Self;
    /// Angle of the point (x, self).
    fn atan2(self, x: Self) -> Self;
    /// Hyperbolic sine.
    fn sinh(self) -> Self;
    /// Hyperbolic cosine.
    fn cosh(self) -> Self;
    /// Hyperbolic tangent.
    fn tanh(self) -> Self;
}

macro_rules! std_methods {
    ($($ours:ident = $std:ident($($arg:ident)?);)*) => {
        $(fn $ours(self $(, $arg: Self)?) -> Self { self.$std($($arg)?) })*
    };
}

macro_rules! own_methods {
    ($($name:ident($($arg:ident)?);)*) => {
        $(fn $name(self $(, $arg: Self)?) -> Self { math::$name(&math::Native, self $(, $arg)?) })*
    };
}

impl Float for f64 {
    fn from_f64(v: f64) -> Self {
        v
    }
    fn to_f64(self) -> f64 {
        self
    }
    fn fma(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
    std_methods! {
        copysign = copysign(sign); abs = abs(); floor = floor(); ceil = ceil(); round = round(); trunc = trunc();
        sqrt = sqrt(); cbrt = cbrt(); exp = exp(); exp2 = exp2(); expm1 = exp_m1(); log = ln(); log2 = log2();
        log10 = log10(); log1p = ln_1p(); pow = powf(y); sin = sin(); cos = cos(); tan = tan(); asin = asin();
        acos = acos(); atan = atan(); atan2 = atan2(x); sinh = sinh(); cosh = cosh(); tanh = tanh();
    }
}

impl Float for f32 {
    fn from_f64(v: f64) -> Self {
        v as f32
    }
    fn to_f64(self) -> f64 {
        self as f64
    }
    fn fma(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
    std_methods! {
        copysign = copysign(sign); abs = abs(); floor = floor(); ceil = ceil(); round = round(); trunc = trunc();
        sqrt = sqrt();
    }
    own_methods! {
        cbrt(); exp(); exp2(); expm1(); log(); log2(); log10(); log1p(); pow(y); sin(); cos(); tan(); asin(); acos();
        atan(); atan2(x); sinh(); cosh(); tanh();
    }
}
