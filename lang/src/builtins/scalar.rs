//! Functions of scalars.

use crate::scalar::{Float, Scalar, Select};

macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident;)*) => { $(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<T: Float>(x: T) -> T {
            x.$name()
        }
    )* };
}

unary! {
    /// The largest integer not above `x`. Derivative 0 everywhere.
    floor;
    /// The smallest integer not below `x`. Derivative 0 everywhere.
    ceil;
    /// The integer nearest to `x`, halves away from zero. Derivative 0 everywhere.
    round;
    /// The integer part of `x`. Derivative 0 everywhere.
    trunc;
    /// x - floor(x), in [0, 1). Derivative 1 everywhere.
    fract;
    /// The square root. Derivative 0 at 0, by rule.
    sqrt;
    /// The cube root, of negative numbers too. Derivative 0 at 0, by rule.
    cbrt;
    /// e^x.
    exp;
    /// 2^x.
    exp2;
    /// e^x - 1, accurate near 0.
    expm1;
    /// The natural logarithm.
    log;
    /// The logarithm to base 2.
    log2;
    /// The logarithm to base 10.
    log10;
    /// log(1 + x), accurate near 0.
    log1p;
    /// Sine; `x` in radians.
    sin;
    /// Cosine; `x` in radians.
    cos;
    /// Tangent; `x` in radians.
    tan;
    /// Arc sine in radians. Derivative 0 at ±1, by rule.
    asin;
    /// Arc cosine in radians. Derivative 0 at ±1, by rule.
    acos;
    /// Arc tangent in radians.
    atan;
    /// Hyperbolic sine.
    sinh;
    /// Hyperbolic cosine.
    cosh;
    /// Hyperbolic tangent.
    tanh;
}

/// The power `x^y`. At x = 0 the derivative with respect to x is 0, except 1 for y = 1; with respect
/// to y it is 0 for x <= 0.
#[track_caller]
pub fn pow<T: Float>(x: T, y: T) -> T {
    x.pow(y)
}

/// The angle of the point (x, y) in (-π, π]. Derivatives 0 at (0, 0), by rule.
#[track_caller]
pub fn atan2<T: Float>(y: T, x: T) -> T {
    y.atan2(x)
}

/// a · b + c, rounded once.
#[track_caller]
pub fn fma<T: Float>(a: T, b: T, c: T) -> T {
    a.fma(b, c)
}

/// x - trunc(x / y) · y, with the sign of `x`: what `x % y` is. Derivatives 1 and -trunc(x / y).
#[track_caller]
pub fn rem<T: Scalar>(x: T, y: T) -> T {
    x % y
}

/// The smaller of two numbers; the other one, if one is NaN. At a tie each has half of the derivative. Of vectors
/// component by component.
#[track_caller]
pub fn min<T: ByComponent>(a: T, b: T) -> T {
    a.smaller(b)
}

/// The larger of two numbers; the other one, if one is NaN. At a tie each has half of the derivative. Of vectors
/// component by component.
#[track_caller]
pub fn max<T: ByComponent>(a: T, b: T) -> T {
    a.larger(b)
}

/// min(max(x, low), high). Of vectors component by component.
#[track_caller]
pub fn clamp<T: ByComponent>(x: T, low: T, high: T) -> T {
    x.larger(low).smaller(high)
}

/// |x|. Derivative 0 at 0. Of vectors component by component.
#[track_caller]
pub fn abs<T: ByComponent>(x: T) -> T {
    x.sizes()
}

/// -1 below 0, 1 above, 0 at 0. Derivative 0 everywhere. Of vectors component by component.
#[track_caller]
pub fn sign<T: ByComponent>(x: T) -> T {
    x.signs()
}

/// Numbers, and vectors component by component: what [`min`], [`max`], [`clamp`], [`abs`] and [`sign`] are of.
#[diagnostic::on_unimplemented(message = "`{Self}` is neither a number nor a vector")]
pub trait ByComponent: Copy {
    /// The smaller of each two.
    #[doc(hidden)]
    fn smaller(self, other: Self) -> Self;
    /// The larger of each two.
    #[doc(hidden)]
    fn larger(self, other: Self) -> Self;
    /// Absolute values.
    #[doc(hidden)]
    fn sizes(self) -> Self;
    /// Signs.
    #[doc(hidden)]
    fn signs(self) -> Self;
}
impl<S: Scalar> ByComponent for S {
    #[track_caller]
    fn smaller(self, other: Self) -> Self {
        self.minimum(other)
    }
    #[track_caller]
    fn larger(self, other: Self) -> Self {
        self.maximum(other)
    }
    #[track_caller]
    fn sizes(self) -> Self {
        self.magnitude()
    }
    #[track_caller]
    fn signs(self) -> Self {
        self.signum_or_zero()
    }
}

/// `a` if `cond`, else `b`; both are computed. Of scalars, vectors, quaternions or matrices. Only the
/// chosen one has a derivative, whatever the other one's value is.
///
/// ```
/// assert_eq!(pullback_lang::select(1 < 2, 3.0, 4.0), 3.0);
/// ```
#[track_caller]
pub fn select<T: Select>(cond: T::Bool, a: T, b: T) -> T {
    T::pick(cond, a, b)
}
