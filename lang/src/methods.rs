//! Functions as methods of traced numbers, by the names that Rust gives them, so that what is written for the
//! host reads the same in a kernel: `x.powi(2)`, `x.is_nan()`, `i.rem_euclid(n)`, and `f64::sqrt(x)`.

use crate::builtins;
use crate::scalar::{Int, Number, Real, Scalar, Select, Signed};
use crate::trace::with;
use crate::traced::Traced;
use pullback_ir::Loc;

/// Functions of integers and floats, by the names that Rust gives them.
impl<T: Number> Traced<T> {
    /// What is left of a division that leaves something from 0 to the size of `rhs`.
    #[track_caller]
    pub fn rem_euclid(self, rhs: Self) -> Self {
        let r = self % rhs;
        Self::pick(r.less(Self::lit(0.0)), r + rhs.magnitude(), r)
    }
    /// The whole number n with `self` = n · `rhs` + `self.rem_euclid(rhs)`. Derivative 0.
    #[track_caller]
    pub fn div_euclid(self, rhs: Self) -> Self {
        let (zero, one) = (Self::lit(0.0), Self::lit(1.0));
        let q = self / rhs;
        let whole = if T::SCALAR.is_float() { whole_part(q) } else { q };
        let farther = Self::pick(zero.less(rhs), whole - one, whole + one);
        Self::pick((self % rhs).less(zero), farther, whole)
    }
}

/// The integer part of a float.
#[track_caller]
fn whole_part<T: Number>(x: Traced<T>) -> Traced<T> {
    crate::traced::number(pullback_ir::FloatOp::Trunc, pullback_ir::IntOp::Abs, &[x.value()])
}

/// Functions of numbers with a sign, by the names that Rust gives them.
impl<T: Signed> Traced<T> {
    /// Of a float its sign, 1 or -1 (of 0 and -0 as well; NaN stays NaN); of an integer -1, 0 or 1. Derivative
    /// 0. See [`Traced::sign`] for a float's with 0 at 0.
    #[track_caller]
    pub fn signum(self) -> Self {
        if !T::SCALAR.is_float() {
            return self.signum_or_zero();
        }
        let (zero, one) = (Self::lit(0.0), Self::lit(1.0));
        let below = self.less(zero) | (self.equals(zero) & (one / self).less(zero));
        Self::pick(self.equals(self), Self::pick(below, zero - one, one), self)
    }
}

/// Functions of integers, by the names that Rust gives them; the operators wrap as well.
impl<T: Int> Traced<T> {
    /// `self + rhs`, which wraps.
    #[track_caller]
    pub fn wrapping_add(self, rhs: Self) -> Self {
        self + rhs
    }
    /// `self - rhs`, which wraps.
    #[track_caller]
    pub fn wrapping_sub(self, rhs: Self) -> Self {
        self - rhs
    }
    /// `self * rhs`, which wraps.
    #[track_caller]
    pub fn wrapping_mul(self, rhs: Self) -> Self {
        self * rhs
    }
}

/// Functions of floats, by the names that Rust gives them.
impl<R: Real> Traced<R> {
    /// The power `self^y`, as [`Traced::pow`].
    #[track_caller]
    pub fn powf(self, y: Self) -> Self {
        self.pow(y)
    }
    /// The natural logarithm, as [`Traced::log`].
    #[track_caller]
    pub fn ln(self) -> Self {
        self.log()
    }
    /// `self` · b + c rounded once, as [`Traced::fma`].
    #[track_caller]
    pub fn mul_add(self, b: Self, c: Self) -> Self {
        self.fma(b, c)
    }
    /// e^x - 1, as [`Traced::expm1`].
    #[track_caller]
    pub fn exp_m1(self) -> Self {
        self.expm1()
    }
    /// log(1 + x), as [`Traced::log1p`].
    #[track_caller]
    pub fn ln_1p(self) -> Self {
        self.log1p()
    }
    /// √(x² + y²) without overflow, as [`hypot`](builtins::hypot).
    #[track_caller]
    pub fn hypot(self, other: Self) -> Self {
        builtins::hypot(self, other)
    }
    /// Its size with the sign of another, as [`copysign`](builtins::copysign).
    #[track_caller]
    pub fn copysign(self, sign: Self) -> Self {
        builtins::copysign(self, sign)
    }
    /// The inverse of `sinh`, as [`asinh`](builtins::asinh).
    #[track_caller]
    pub fn asinh(self) -> Self {
        builtins::asinh(self)
    }
    /// The inverse of `cosh`, as [`acosh`](builtins::acosh).
    #[track_caller]
    pub fn acosh(self) -> Self {
        builtins::acosh(self)
    }
    /// The inverse of `tanh`, as [`atanh`](builtins::atanh).
    #[track_caller]
    pub fn atanh(self) -> Self {
        builtins::atanh(self)
    }
    /// Whether it is no number, as [`isnan`](builtins::isnan).
    #[track_caller]
    pub fn is_nan(self) -> Traced<bool> {
        builtins::isnan(self)
    }
    /// Whether it is neither infinite nor NaN, as [`isfinite`](builtins::isfinite).
    #[track_caller]
    pub fn is_finite(self) -> Traced<bool> {
        builtins::isfinite(self)
    }
    /// Whether it is ∞ or −∞, as [`isinf`](builtins::isinf).
    #[track_caller]
    pub fn is_infinite(self) -> Traced<bool> {
        builtins::isinf(self)
    }
    /// 1 / x.
    #[track_caller]
    pub fn recip(self) -> Self {
        Self::lit(1.0) / self
    }
    /// Sine and cosine of radians.
    #[track_caller]
    pub fn sin_cos(self) -> (Self, Self) {
        (self.sin(), self.cos())
    }
    /// Degrees as radians.
    #[track_caller]
    pub fn to_radians(self) -> Self {
        self * Self::lit(std::f64::consts::PI / 180.0)
    }
    /// Radians as degrees.
    #[track_caller]
    pub fn to_degrees(self) -> Self {
        self * Self::lit(180.0 / std::f64::consts::PI)
    }
    /// The power with a constant integer exponent, by repeated multiplication: one rounding each.
    #[track_caller]
    pub fn powi(self, n: Traced<i32>) -> Self {
        let loc = Loc::caller();
        let Some(n) = n.known() else {
            with(|t| t.fail(loc, "the exponent of `powi` must be a constant; write `x.pow(n as f32)`"));
            return self;
        };
        let mut result = None;
        let mut square = self;
        let mut left = n.unsigned_abs();
        while left > 0 {
            if left & 1 == 1 {
                result = Some(match result {
                    Some(r) => r * square,
                    None => square,
                });
            }
            left >>= 1;
            if left > 0 {
                square *= square;
            }
        }
        let power = match result {
            Some(r) => r,
            None => Self::lit(1.0),
        };
        if n < 0 { Self::lit(1.0) / power } else { power }
    }
}
