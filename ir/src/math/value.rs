//! Operators over a machine's values, so that the functions read as formulas.

use super::Arith;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident, $inner:ident) => {
        $(#[$doc])*
        pub(super) struct $name<'a, A: Arith> {
            pub(super) on: &'a A,
            pub(super) v: A::$inner,
        }
        impl<A: Arith> Clone for $name<'_, A> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<A: Arith> Copy for $name<'_, A> {}
    };
}

handle!(
    /// A float and the machine it lives on.
    Real, F
);
handle!(
    /// 32 bits and the machine they live on.
    Bits, I
);
handle!(
    /// A truth value and the machine it lives on.
    Flag, B
);

/// What stands on either side of a float operator: a float of the machine, or a constant.
pub(super) trait Operand<'a, A: Arith> {
    fn on(self, a: &'a A) -> A::F;
}

impl<'a, A: Arith> Operand<'a, A> for f32 {
    #[inline(always)]
    fn on(self, a: &'a A) -> A::F {
        a.f32(self)
    }
}

impl<'a, A: Arith> Operand<'a, A> for Real<'a, A> {
    #[inline(always)]
    fn on(self, _: &'a A) -> A::F {
        self.v
    }
}

/// The same for integers.
pub(super) trait Word<'a, A: Arith> {
    fn on(self, a: &'a A) -> A::I;
}

impl<'a, A: Arith> Word<'a, A> for i32 {
    #[inline(always)]
    fn on(self, a: &'a A) -> A::I {
        a.i32(self)
    }
}

impl<'a, A: Arith> Word<'a, A> for Bits<'a, A> {
    #[inline(always)]
    fn on(self, _: &'a A) -> A::I {
        self.v
    }
}

macro_rules! operator {
    ($handle:ident, $operand:ident, $($trait:ident $method:ident $op:ident),*) => {$(
        impl<'a, A: Arith, O: $operand<'a, A>> $trait<O> for $handle<'a, A> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: O) -> Self {
                let v = self.on.$op(self.v, other.on(self.on));
                Self { on: self.on, v }
            }
        }
    )*};
}

operator!(Real, Operand, Add add fadd, Sub sub fsub, Mul mul fmul, Div div fdiv);
operator!(Bits, Word, Add add iadd, Sub sub isub, Mul mul imul, BitAnd bitand iand, BitOr bitor ior, BitXor bitxor ixor);

macro_rules! constant_on_the_left {
    ($handle:ident, $constant:ident, $($trait:ident $method:ident $op:ident),*) => {$(
        impl<'a, A: Arith> $trait<$handle<'a, A>> for $constant {
            type Output = $handle<'a, A>;
            #[inline(always)]
            fn $method(self, other: $handle<'a, A>) -> $handle<'a, A> {
                let on = other.on;
                $handle { on, v: on.$op(on.$constant(self), other.v) }
            }
        }
    )*};
}

constant_on_the_left!(Real, f32, Add add fadd, Sub sub fsub, Mul mul fmul, Div div fdiv);
constant_on_the_left!(Bits, i32, Sub sub isub);

impl<A: Arith> Neg for Real<'_, A> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.with(self.on.fneg(self.v))
    }
}

impl<'a, A: Arith> Real<'a, A> {
    #[inline(always)]
    pub(super) fn new(on: &'a A, v: A::F) -> Self {
        Self { on, v }
    }

    #[inline(always)]
    fn with(self, v: A::F) -> Self {
        Self { on: self.on, v }
    }

    /// The constant `v` on the same machine.
    #[inline(always)]
    pub(super) fn constant(self, v: f32) -> Self {
        self.with(self.on.f32(v))
    }

    /// self · y + z, rounded once.
    #[inline(always)]
    pub(super) fn fma(self, y: impl Operand<'a, A>, z: impl Operand<'a, A>) -> Self {
        self.with(self.on.fma(self.v, y.on(self.on), z.on(self.on)))
    }

    #[inline(always)]
    pub(super) fn abs(self) -> Self {
        self.with(self.on.fabs(self.v))
    }

    #[inline(always)]
    pub(super) fn sqrt(self) -> Self {
        self.with(self.on.sqrt(self.v))
    }

    #[inline(always)]
    pub(super) fn rint(self) -> Self {
        self.with(self.on.rint(self.v))
    }

    #[inline(always)]
    pub(super) fn lt(self, y: impl Operand<'a, A>) -> Flag<'a, A> {
        Flag { on: self.on, v: self.on.flt(self.v, y.on(self.on)) }
    }

    #[inline(always)]
    pub(super) fn gt(self, y: impl Operand<'a, A>) -> Flag<'a, A> {
        Flag { on: self.on, v: self.on.flt(y.on(self.on), self.v) }
    }

    #[inline(always)]
    pub(super) fn eq(self, y: impl Operand<'a, A>) -> Flag<'a, A> {
        Flag { on: self.on, v: self.on.feq(self.v, y.on(self.on)) }
    }

    /// `bound` where self is above it, else self (a NaN included).
    #[inline(always)]
    pub(super) fn at_most(self, bound: f32) -> Self {
        self.gt(bound).pick(bound, self)
    }

    /// `bound` where self is below it, else self (a NaN included).
    #[inline(always)]
    pub(super) fn at_least(self, bound: f32) -> Self {
        self.lt(bound).pick(bound, self)
    }

    #[inline(always)]
    pub(super) fn bits(self) -> Bits<'a, A> {
        Bits { on: self.on, v: self.on.bits(self.v) }
    }

    /// The sign bit alone.
    #[inline(always)]
    pub(super) fn sign(self) -> Bits<'a, A> {
        self.bits() & i32::MIN
    }

    /// True where the sign bit is set, also for −0.
    #[inline(always)]
    pub(super) fn is_signed(self) -> Flag<'a, A> {
        Bits::constant(self.on, i32::MAX).below(self.bits())
    }

    /// Self with its sign flipped where `sign` (a lone sign bit) is set.
    #[inline(always)]
    pub(super) fn flip(self, sign: Bits<'a, A>) -> Self {
        (self.bits() ^ sign).float_of_bits()
    }

    /// The value at self of the polynomial with these coefficients, constant term first, by Horner's rule.
    #[inline(always)]
    pub(super) fn polynomial<const N: usize>(self, c: [f32; N]) -> Self {
        let mut sum = self.constant(c[N - 1]);
        for k in (0..N - 1).rev() {
            sum = sum.fma(self, c[k]);
        }
        sum
    }

    /// (s, e) with s = self + y rounded and s + e = self + y exactly, where |self| ≥ |y| or self is 0.
    #[inline(always)]
    pub(super) fn sum(self, y: impl Operand<'a, A>) -> (Self, Self) {
        let y = self.with(y.on(self.on));
        let s = self + y;
        (s, y - (s - self))
    }

    /// (p, e) with p = self · y rounded and p + e = self · y exactly, underflow aside.
    #[inline(always)]
    pub(super) fn product(self, y: impl Operand<'a, A>) -> (Self, Self) {
        let y = self.with(y.on(self.on));
        let p = self * y;
        (p, self.fma(y, -p))
    }
}

impl<'a, A: Arith> Bits<'a, A> {
    #[inline(always)]
    fn with(self, v: A::I) -> Self {
        Self { on: self.on, v }
    }

    /// The constant `v`.
    #[inline(always)]
    pub(super) fn constant(on: &'a A, v: i32) -> Self {
        Self { on, v: on.i32(v) }
    }

    #[inline(always)]
    pub(super) fn shl(self, n: impl Word<'a, A>) -> Self {
        self.with(self.on.shl(self.v, n.on(self.on)))
    }

    #[inline(always)]
    pub(super) fn lshr(self, n: impl Word<'a, A>) -> Self {
        self.with(self.on.lshr(self.v, n.on(self.on)))
    }

    #[inline(always)]
    pub(super) fn ashr(self, n: impl Word<'a, A>) -> Self {
        self.with(self.on.ashr(self.v, n.on(self.on)))
    }

    /// The high word of the unsigned product.
    #[inline(always)]
    pub(super) fn mul_high(self, n: Self) -> Self {
        self.with(self.on.umulh(self.v, n.v))
    }

    /// Self < n, unsigned.
    #[inline(always)]
    pub(super) fn below(self, n: impl Word<'a, A>) -> Flag<'a, A> {
        Flag { on: self.on, v: self.on.ult(self.v, n.on(self.on)) }
    }

    #[inline(always)]
    pub(super) fn is_zero(self) -> Flag<'a, A> {
        Flag { on: self.on, v: self.on.ieq(self.v, self.on.i32(0)) }
    }

    /// The signed integer as a float.
    #[inline(always)]
    pub(super) fn float(self) -> Real<'a, A> {
        Real { on: self.on, v: self.on.float_of_int(self.v) }
    }

    /// The float with these bits.
    #[inline(always)]
    pub(super) fn float_of_bits(self) -> Real<'a, A> {
        Real { on: self.on, v: self.on.float_of_bits(self.v) }
    }

    /// 2 to the power self, for self in −126 ..= 127.
    #[inline(always)]
    pub(super) fn exp2(self) -> Real<'a, A> {
        (self + 127).shl(23).float_of_bits()
    }
}

impl<'a, A: Arith> Flag<'a, A> {
    /// x where self holds, else y.
    #[inline(always)]
    pub(super) fn pick(self, x: impl Operand<'a, A>, y: impl Operand<'a, A>) -> Real<'a, A> {
        let on = self.on;
        Real { on, v: on.fselect(self.v, x.on(on), y.on(on)) }
    }

    /// m where self holds, else n.
    #[inline(always)]
    pub(super) fn pick_bits(self, m: impl Word<'a, A>, n: impl Word<'a, A>) -> Bits<'a, A> {
        let on = self.on;
        Bits { on, v: on.iselect(self.v, m.on(on), n.on(on)) }
    }
}

impl<A: Arith> BitAnd for Flag<'_, A> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self { on: self.on, v: self.on.and(self.v, other.v) }
    }
}

impl<A: Arith> BitOr for Flag<'_, A> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self { on: self.on, v: self.on.or(self.v, other.v) }
    }
}

impl<A: Arith> Not for Flag<'_, A> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self { on: self.on, v: self.on.not(self.v) }
    }
}
