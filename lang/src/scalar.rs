//! Scalars: the types that exist, and what can be done with one on the host and in a kernel alike.
//!
//! [`ScalarType`], [`Number`], [`Int`] and [`Real`] are the host's types (`f32`, `i64`, ...).
//! [`Scalar`] and [`Float`] are what vectors and builtins are written over: the host's numbers and
//! [`Traced`] ones. On the host an operation means what the op table says, so that a builtin computes
//! there what it computes in a kernel.

use crate::call::{ArgValue, Args};
use crate::trace::{emit, with};
use crate::traced::{Traced, float, number};
use crate::types::{ArrayElement, KernelType, sealed};
pub use half::f16;
use pullback_ir::{Compare, Constant, Element, FloatOp, IntOp, Loc};
use std::ops::{Add, AddAssign, BitAnd, BitOr, BitXor, Div, DivAssign, Mul, MulAssign, Neg, Not, Rem, Sub, SubAssign};

/// The type of a scalar: `bool`, `i8` to `i64`, `u8` to `u64`, [`struct@f16`], `f32` or `f64`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scalar type of the kernel language",
    note = "the scalars are bool, i8 to i64, u8 to u64, f16, f32 and f64"
)]
pub trait ScalarType: KernelType<Traced = Traced<Self>> + ArrayElement {
    /// Its name in the IR.
    const SCALAR: pullback_ir::Scalar;
    /// The value in the IR.
    fn to_constant(self) -> Constant;
}

/// A scalar type with arithmetic: all but `bool`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number",
    note = "the numbers are i8 to i64, u8 to u64, f32 and f64; an f16 is converted first: `x as f32`"
)]
pub trait Number: ScalarType + Scalar<Bool = bool> + PartialOrd {}

/// A number with a sign: `i32`, `i64`, `f32` or `f64`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no sign",
    note = "the signed numbers are i8 to i64, f32 and f64"
)]
pub trait Signed: Number {}

/// An integer type: `i32`, `u32`, `i64` or `u64`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an integer type",
    note = "the integers are i8 to i64 and u8 to u64"
)]
pub trait Int: Number {}

/// A scalar type with bitwise operators: the integers and `bool`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no bitwise operators",
    note = "bool and the integers, i8 to i64 and u8 to u64, have"
)]
pub trait Bits: ScalarType {}

/// `f32` or `f64`: what generic kernels are generic over.
///
/// ```
/// use pullback_lang::{Real, Vec3, func};
///
/// #[func]
/// fn kinetic<R: Real>(mass: R, v: Vec3<R>) -> R {
///     0.5 * mass * v.dot(v)
/// }
/// ```
#[diagnostic::on_unimplemented(message = "`{Self}` is neither f32 nor f64")]
pub trait Real: Signed + Float {
    /// π.
    const PI: Self;
    /// 2π.
    const TAU: Self;
    /// The difference between 1 and the next larger number.
    const EPSILON: Self;
    /// The largest finite number.
    const MAX: Self;
    /// The value as `f64`.
    fn to_f64(self) -> f64;
    /// The one of the two that has this type: a literal, rounded once to either.
    #[doc(hidden)]
    fn either(wide: f64, narrow: f32) -> Self;
}

/// A truth value: `bool` on the host, `Traced<bool>` in kernels. Joined by `&`, `|`, `^` and `!`.
pub trait Condition:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self> + Select<Bool = Self>
{
    /// The constant.
    fn truth(v: bool) -> Self;
}
impl Condition for bool {
    fn truth(v: bool) -> Self {
        v
    }
}
impl Condition for Traced<bool> {
    #[track_caller]
    fn truth(v: bool) -> Self {
        v.constant()
    }
}

/// What can be chosen between without a branch.
pub trait Select: Copy {
    /// The type of conditions: `bool` on the host, `Traced<bool>` in kernels.
    type Bool: Condition;
    /// `a` if `cond`, else `b`.
    fn pick(cond: Self::Bool, a: Self, b: Self) -> Self;
}
impl<T: Select, const N: usize> Select for [T; N] {
    type Bool = T::Bool;
    #[track_caller]
    fn pick(cond: T::Bool, a: Self, b: Self) -> Self {
        let mut chosen = a;
        for (to, b) in chosen.iter_mut().zip(b) {
            *to = T::pick(cond, *to, b);
        }
        chosen
    }
}

/// A number, on the host or traced: what vectors are made of.
pub trait Scalar:
    Select
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Rem<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
{
    /// The number nearest to `v`.
    fn lit(v: f64) -> Self;
    /// `self < other`.
    fn less(self, other: Self) -> Self::Bool;
    /// `self <= other`.
    fn less_eq(self, other: Self) -> Self::Bool;
    /// `self == other`.
    fn equals(self, other: Self) -> Self::Bool;
    /// The smaller; at a tie each has half of the derivative.
    fn minimum(self, other: Self) -> Self;
    /// The larger; at a tie each has half of the derivative.
    fn maximum(self, other: Self) -> Self;
    /// The absolute value; derivative 0 at 0.
    fn magnitude(self) -> Self;
    /// -1, 0 or 1; derivative 0 everywhere.
    fn signum_or_zero(self) -> Self;
}

macro_rules! float_functions {
    ($($(#[$doc:meta])* $name:ident($($arg:ident),*) = $op:ident;)*) => {
        /// A float, on the host or traced: what builtins are written over. See [`crate::builtins`] for
        /// the functions' meaning.
        pub trait Float: crate::custom::Custom + Scalar + Neg<Output = Self> {
            $($(#[$doc])* fn $name(self $(, $arg: Self)*) -> Self;)*
        }

        impl<R: Real> Float for Traced<R> {
            $(#[track_caller]
            fn $name(self $(, $arg: Self)*) -> Self {
                float(FloatOp::$op, &[self.value() $(, $arg.value())*])
            })*
        }

        /// Float functions as methods.
        impl<R: Real> Traced<R> {
            $($(#[$doc])*
            #[track_caller]
            pub fn $name(self $(, $arg: Self)*) -> Self {
                float(FloatOp::$op, &[self.value() $(, $arg.value())*])
            })*
        }

        float_functions!(@host f32 $($name($($arg),*) = $op;)*);
        float_functions!(@host f64 $($name($($arg),*) = $op;)*);
    };
    (@host $t:ident $($name:ident($($arg:ident),*) = $op:ident;)*) => {
        impl Float for $t {
            $(fn $name(self $(, $arg: Self)*) -> Self {
                FloatOp::$op.value(&[self $(, $arg)*])
            })*
        }
    };
}

float_functions! {
    /// The largest integer not above.
    floor() = Floor;
    /// The smallest integer not below.
    ceil() = Ceil;
    /// The nearest integer, halves away from zero.
    round() = Round;
    /// The integer part.
    trunc() = Trunc;
    /// What `floor` leaves.
    fract() = Fract;
    /// Square root.
    sqrt() = Sqrt;
    /// Cube root.
    cbrt() = Cbrt;
    /// e^x.
    exp() = Exp;
    /// 2^x.
    exp2() = Exp2;
    /// e^x - 1.
    expm1() = Expm1;
    /// Natural logarithm.
    log() = Log;
    /// Logarithm to base 2.
    log2() = Log2;
    /// Logarithm to base 10.
    log10() = Log10;
    /// log(1 + x).
    log1p() = Log1p;
    /// The power `self^y`.
    pow(y) = Pow;
    /// Sine of radians.
    sin() = Sin;
    /// Cosine of radians.
    cos() = Cos;
    /// Tangent of radians.
    tan() = Tan;
    /// Arc sine, radians.
    asin() = Asin;
    /// Arc cosine, radians.
    acos() = Acos;
    /// Arc tangent, radians.
    atan() = Atan;
    /// The angle of the point (x, self), radians.
    atan2(x) = Atan2;
    /// Hyperbolic sine.
    sinh() = Sinh;
    /// Hyperbolic cosine.
    cosh() = Cosh;
    /// Hyperbolic tangent.
    tanh() = Tanh;
    /// `self` · b + c, rounded once.
    fma(b, c) = Fma;
}

impl<T: ScalarType> Select for Traced<T> {
    type Bool = Traced<bool>;
    #[track_caller]
    fn pick(cond: Traced<bool>, a: Self, b: Self) -> Self {
        Traced::from_value(emit(Loc::caller(), |t| t.select(cond.value(), a.value(), b.value())))
    }
}

#[track_caller]
pub(crate) fn compare<T: ScalarType>(op: Compare, a: Traced<T>, b: Traced<T>) -> Traced<bool> {
    use pullback_ir::{BoolOp, Scalar};
    Traced::from_value(emit(Loc::caller(), |t| match (T::SCALAR, op) {
        (Scalar::Bool, Compare::Ne) => t.bool(BoolOp::Xor, &[a.value(), b.value()]),
        (Scalar::Bool, Compare::Eq) => {
            let differ = t.bool(BoolOp::Xor, &[a.value(), b.value()]);
            t.bool(BoolOp::Not, &[differ])
        }
        _ => t.compare(op, a.value(), b.value()),
    }))
}

impl<T: Number> Scalar for Traced<T> {
    #[track_caller]
    fn lit(v: f64) -> Self {
        Traced::from_value(emit(Loc::caller(), |t| t.constant(Constant::from_f64(T::SCALAR, v))))
    }
    #[track_caller]
    fn less(self, other: Self) -> Traced<bool> {
        compare(Compare::Lt, self, other)
    }
    #[track_caller]
    fn less_eq(self, other: Self) -> Traced<bool> {
        compare(Compare::Le, self, other)
    }
    #[track_caller]
    fn equals(self, other: Self) -> Traced<bool> {
        compare(Compare::Eq, self, other)
    }
    #[track_caller]
    fn minimum(self, other: Self) -> Self {
        number(FloatOp::Min, IntOp::Min, &[self.value(), other.value()])
    }
    #[track_caller]
    fn maximum(self, other: Self) -> Self {
        number(FloatOp::Max, IntOp::Max, &[self.value(), other.value()])
    }
    #[track_caller]
    fn magnitude(self) -> Self {
        number(FloatOp::Abs, IntOp::Abs, &[self.value()])
    }
    #[track_caller]
    fn signum_or_zero(self) -> Self {
        if T::SCALAR.is_float() {
            return number(FloatOp::Sign, IntOp::Abs, &[self.value()]);
        }
        let (zero, one) = (Self::lit(0.0), Self::lit(1.0));
        let below = Self::pick(self.less(zero), zero - one, zero);
        Self::pick(zero.less(self), one, below)
    }
}

/// Functions of numbers as methods.
impl<T: Number> Traced<T> {
    /// The smaller; at a tie each has half of the derivative.
    #[track_caller]
    pub fn min(self, other: Self) -> Self {
        self.minimum(other)
    }
    /// The larger; at a tie each has half of the derivative.
    #[track_caller]
    pub fn max(self, other: Self) -> Self {
        self.maximum(other)
    }
    /// `self` held between `low` and `high`.
    #[track_caller]
    pub fn clamp(self, low: Self, high: Self) -> Self {
        crate::builtins::clamp(self, low, high)
    }
    /// The absolute value; derivative 0 at 0.
    #[track_caller]
    pub fn abs(self) -> Self {
        self.magnitude()
    }
    /// -1, 0 or 1; derivative 0 everywhere.
    #[track_caller]
    pub fn sign(self) -> Self {
        self.signum_or_zero()
    }
    /// The constant integer that it is, if it is one.
    pub(crate) fn known(self) -> Option<i64> {
        with(|t| t.constant(self.value()).and_then(Constant::as_i64))
    }
}

macro_rules! scalar_types {
    ($($t:ident = $scalar:ident;)*) => { $(
        impl KernelType for $t {
            type Traced = Traced<$t>;
            #[track_caller]
            fn constant(self) -> Traced<$t> {
                Traced::from_value(emit(Loc::caller(), |b| b.constant(Constant::$scalar(self))))
            }
            fn push(self, args: &mut Args) {
                args.push(ArgValue::Scalar(Constant::$scalar(self)));
            }
            fn param(name: &str) -> Traced<$t> {
                Traced::from_value(with(|t| t.builder.scalar_param(name, pullback_ir::Scalar::$scalar)))
            }
        }
        impl sealed::Sealed for $t {}
        impl ArrayElement for $t {
            fn element() -> Element {
                Element::scalar(pullback_ir::Scalar::$scalar)
            }
        }
        impl ScalarType for $t {
            const SCALAR: pullback_ir::Scalar = pullback_ir::Scalar::$scalar;
            fn to_constant(self) -> Constant {
                Constant::$scalar(self)
            }
        }
        impl Select for $t {
            type Bool = bool;
            fn pick(cond: bool, a: Self, b: Self) -> Self {
                if cond { a } else { b }
            }
        }
    )* };
}
scalar_types! {
    bool = Bool; i8 = I8; u8 = U8; i16 = I16; u16 = U16; i32 = I32; u32 = U32; i64 = I64; u64 = U64; f32 = F32; f64 = F64;
}

/// A float of 16 bits is stored, compared and converted by `as`; kernels compute with it as `f32`.
impl KernelType for f16 {
    type Traced = Traced<f16>;
    #[track_caller]
    fn constant(self) -> Traced<f16> {
        Traced::from_value(emit(Loc::caller(), |b| b.constant(Constant::F16(self.to_bits()))))
    }
    fn push(self, args: &mut Args) {
        args.push(ArgValue::Scalar(Constant::F16(self.to_bits())));
    }
    fn param(name: &str) -> Traced<f16> {
        Traced::from_value(with(|t| t.builder.scalar_param(name, pullback_ir::Scalar::F16)))
    }
}
impl sealed::Sealed for f16 {}
impl ArrayElement for f16 {
    fn element() -> Element {
        Element::scalar(pullback_ir::Scalar::F16)
    }
}
impl ScalarType for f16 {
    const SCALAR: pullback_ir::Scalar = pullback_ir::Scalar::F16;
    fn to_constant(self) -> Constant {
        Constant::F16(self.to_bits())
    }
}
impl Select for f16 {
    type Bool = bool;
    fn pick(cond: bool, a: Self, b: Self) -> Self {
        if cond { a } else { b }
    }
}

/// What `as` can make: a number, or an [`struct@f16`].
#[diagnostic::on_unimplemented(message = "nothing can be converted to `{Self}` by `as`")]
pub trait CastTarget: ScalarType {}
impl<T: Number> CastTarget for T {}
impl CastTarget for f16 {}

macro_rules! host_numbers {
    ($($t:ident: min $min:expr, max $max:expr, abs $abs:expr;)*) => { $(
        impl Number for $t {}
        impl Scalar for $t {
            fn lit(v: f64) -> Self {
                v as $t
            }
            fn less(self, other: Self) -> bool {
                self < other
            }
            fn less_eq(self, other: Self) -> bool {
                self <= other
            }
            fn equals(self, other: Self) -> bool {
                self == other
            }
            fn minimum(self, other: Self) -> Self {
                $min(self, other)
            }
            fn maximum(self, other: Self) -> Self {
                $max(self, other)
            }
            fn magnitude(self) -> Self {
                $abs(self)
            }
            fn signum_or_zero(self) -> Self {
                let zero = 0 as $t;
                if self > zero {
                    1 as $t
                } else if self < zero {
                    zero - 1 as $t
                } else {
                    self
                }
            }
        }
    )* };
}
host_numbers! {
    i8: min Ord::min, max Ord::max, abs i8::wrapping_abs;
    i16: min Ord::min, max Ord::max, abs i16::wrapping_abs;
    u8: min Ord::min, max Ord::max, abs std::convert::identity;
    u16: min Ord::min, max Ord::max, abs std::convert::identity;
    i32: min Ord::min, max Ord::max, abs i32::wrapping_abs;
    i64: min Ord::min, max Ord::max, abs i64::wrapping_abs;
    u32: min Ord::min, max Ord::max, abs std::convert::identity;
    u64: min Ord::min, max Ord::max, abs std::convert::identity;
    f32: min |a, b| FloatOp::Min.value(&[a, b]), max |a, b| FloatOp::Max.value(&[a, b]), abs f32::abs;
    f64: min |a, b| FloatOp::Min.value(&[a, b]), max |a, b| FloatOp::Max.value(&[a, b]), abs f64::abs;
}

impl Signed for i8 {}
impl Signed for i16 {}
impl Signed for i32 {}
impl Signed for i64 {}
impl Signed for f32 {}
impl Signed for f64 {}
impl Int for i8 {}
impl Int for u8 {}
impl Int for i16 {}
impl Int for u16 {}
impl Int for i32 {}
impl Int for u32 {}
impl Int for i64 {}
impl Int for u64 {}
impl Bits for bool {}
impl Bits for i8 {}
impl Bits for u8 {}
impl Bits for i16 {}
impl Bits for u16 {}
impl Bits for i32 {}
impl Bits for u32 {}
impl Bits for i64 {}
impl Bits for u64 {}
macro_rules! reals {
    ($($t:ident: |$wide:ident, $narrow:ident| $either:expr;)*) => { $(
        impl Real for $t {
            const PI: Self = std::$t::consts::PI;
            const TAU: Self = std::$t::consts::TAU;
            const EPSILON: Self = $t::EPSILON;
            const MAX: Self = $t::MAX;
            fn to_f64(self) -> f64 {
                self.into()
            }
            fn either($wide: f64, $narrow: f32) -> Self {
                $either
            }
        }
    )* };
}
reals! {
    f32: |_wide, narrow| narrow;
    f64: |wide, _narrow| wide;
}
