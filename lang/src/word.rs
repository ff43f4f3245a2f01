//! 32-bit words of the host and of kernels, for builtins that hash and draw random numbers.

use crate::scalar::Select;
use crate::trace::emit;
use crate::traced::Traced;
use crate::types::KernelType;
use pullback_ir::{Loc, Scalar};
use std::ops::{BitAnd, BitXor};

/// 32 bits whose arithmetic wraps.
pub trait Word: Select + BitXor<Output = Self> + BitAnd<Output = Self> {
    /// The constant.
    fn word(v: u32) -> Self;
    /// The sum, modulo 2³².
    fn plus(self, other: Self) -> Self;
    /// The low 32 bits of the product.
    fn times(self, other: Self) -> Self;
    /// The high 32 bits of the product.
    fn times_high(self, other: Self) -> Self;
    /// Shifted right by a constant.
    fn down(self, by: u32) -> Self;
    /// Shifted left by a constant.
    fn up(self, by: u32) -> Self;
    /// The remainder of the division by `n`, which is not 0, as of a number with a sign: from 0 to n - 1.
    fn wrapped(self, n: Self) -> Self;
    /// `self == other`.
    fn is(self, other: Self) -> Self::Bool;
}

impl Word for u32 {
    fn word(v: u32) -> Self {
        v
    }
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    fn times(self, other: Self) -> Self {
        self.wrapping_mul(other)
    }
    fn times_high(self, other: Self) -> Self {
        ((u64::from(self) * u64::from(other)) >> 32) as u32
    }
    fn down(self, by: u32) -> Self {
        self >> by
    }
    fn up(self, by: u32) -> Self {
        self << by
    }
    fn wrapped(self, n: Self) -> Self {
        i64::from(self.cast_signed()).rem_euclid(i64::from(n.max(1))) as u32
    }
    fn is(self, other: Self) -> bool {
        self == other
    }
}

impl Word for Traced<u32> {
    #[track_caller]
    fn word(v: u32) -> Self {
        v.constant()
    }
    #[track_caller]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[track_caller]
    fn times(self, other: Self) -> Self {
        self * other
    }
    #[track_caller]
    fn times_high(self, other: Self) -> Self {
        let wide =
            |w: Traced<u32>| Traced::<u64>::from_value(emit(Loc::caller(), |b| b.convert(Scalar::U64, w.value())));
        let high = (wide(self) * wide(other)) >> 32u32.constant();
        Traced::from_value(emit(Loc::caller(), |b| b.convert(Scalar::U32, high.value())))
    }
    #[track_caller]
    fn down(self, by: u32) -> Self {
        self >> by.constant()
    }
    #[track_caller]
    fn up(self, by: u32) -> Self {
        self << by.constant()
    }
    #[track_caller]
    fn wrapped(self, n: Self) -> Self {
        // Through signed integers: a remainder has the sign of what is divided.
        let signed =
            |w: Traced<u32>| Traced::<i32>::from_value(emit(Loc::caller(), |b| b.convert(Scalar::I32, w.value())));
        let wide =
            |w: Traced<i32>| Traced::<i64>::from_value(emit(Loc::caller(), |b| b.convert(Scalar::I64, w.value())));
        let long =
            |w: Traced<u32>| Traced::<i64>::from_value(emit(Loc::caller(), |b| b.convert(Scalar::I64, w.value())));
        let n = long(n).max(1i64.constant());
        let rest = (wide(signed(self)) % n + n) % n;
        Traced::from_value(emit(Loc::caller(), |b| b.convert(Scalar::U32, rest.value())))
    }
    #[track_caller]
    fn is(self, other: Self) -> Traced<bool> {
        crate::scalar::compare(pullback_ir::Compare::Eq, self, other)
    }
}
