//! `Traced<T>`: a scalar inside a kernel, and its operators.
//!
//! A value is a handle of an SSA value of the kernel being built. Each operator has one generic impl,
//! so that rustc infers the type of an unsuffixed literal from the other operand.

use crate::scalar::{Bits, Int, Number, Real, ScalarType, Signed};
use crate::trace::emit;
use pullback_ir::{BoolOp, Builder, FloatOp, IntOp, Loc, Scalar, Value};
use std::marker::PhantomData;
use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign, Mul, MulAssign,
    Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

/// A scalar of type `T` inside a kernel. In kernel code the macro writes this type for you: where you
/// write `f32` it is `Traced<f32>`. Operators, casts and builtins on it append to the kernel.
#[derive(Clone, Copy, Debug)]
pub struct Traced<T> {
    value: Value,
    scalar: PhantomData<T>,
}

impl<T: ScalarType> Traced<T> {
    pub(crate) fn from_value(value: Value) -> Self {
        Traced { value, scalar: PhantomData }
    }
    pub(crate) fn value(self) -> Value {
        self.value
    }
}

/// Emits the float or the integer op, whichever fits the type.
fn arithmetic(b: &mut Builder, scalar: Scalar, float: FloatOp, int: IntOp, operands: &[Value]) -> Value {
    if scalar.is_float() { b.float(float, operands) } else { b.int(int, operands) }
}

#[track_caller]
pub(crate) fn number<T: Number>(float: FloatOp, int: IntOp, operands: &[Value]) -> Traced<T> {
    Traced::from_value(emit(Loc::caller(), |b| arithmetic(b, T::SCALAR, float, int, operands)))
}

#[track_caller]
pub(crate) fn float<T: Real>(op: FloatOp, operands: &[Value]) -> Traced<T> {
    Traced::from_value(emit(Loc::caller(), |b| b.float(op, operands)))
}

macro_rules! arithmetic_operators {
    ($($trait:ident::$method:ident, $assign:ident::$assign_method:ident;)*) => { $(
        impl<T: Number> $trait for Traced<T> {
            type Output = Traced<T>;
            #[track_caller]
            fn $method(self, rhs: Self) -> Self {
                number(FloatOp::$trait, IntOp::$trait, &[self.value, rhs.value])
            }
        }
        impl<T: Number> $assign for Traced<T> {
            #[track_caller]
            fn $assign_method(&mut self, rhs: Self) {
                *self = $trait::$method(*self, rhs);
            }
        }
    )* };
}
arithmetic_operators! {
    Add::add, AddAssign::add_assign;
    Sub::sub, SubAssign::sub_assign;
    Mul::mul, MulAssign::mul_assign;
    Div::div, DivAssign::div_assign;
    Rem::rem, RemAssign::rem_assign;
}

impl<T: Signed> Neg for Traced<T> {
    type Output = Traced<T>;
    #[track_caller]
    fn neg(self) -> Self {
        number(FloatOp::Neg, IntOp::Neg, &[self.value])
    }
}

#[track_caller]
fn bits<T: Bits>(int: IntOp, bool: BoolOp, operands: &[Value]) -> Traced<T> {
    Traced::from_value(emit(Loc::caller(), |b| match T::SCALAR {
        Scalar::Bool => b.bool(bool, operands),
        _ => b.int(int, operands),
    }))
}

macro_rules! bit_operators {
    ($($trait:ident::$method:ident, $assign:ident::$assign_method:ident, $int:ident, $bool:ident;)*) => { $(
        impl<T: Bits> $trait for Traced<T> {
            type Output = Traced<T>;
            #[track_caller]
            fn $method(self, rhs: Self) -> Self {
                bits(IntOp::$int, BoolOp::$bool, &[self.value, rhs.value])
            }
        }
        impl<T: Bits> $assign for Traced<T> {
            #[track_caller]
            fn $assign_method(&mut self, rhs: Self) {
                *self = $trait::$method(*self, rhs);
            }
        }
    )* };
}
bit_operators! {
    BitAnd::bitand, BitAndAssign::bitand_assign, And, And;
    BitOr::bitor, BitOrAssign::bitor_assign, Or, Or;
    BitXor::bitxor, BitXorAssign::bitxor_assign, Xor, Xor;
}

impl<T: Bits> Not for Traced<T> {
    type Output = Traced<T>;
    #[track_caller]
    fn not(self) -> Self {
        bits(IntOp::Not, BoolOp::Not, &[self.value])
    }
}

macro_rules! shift_operators {
    ($($trait:ident::$method:ident, $assign:ident::$assign_method:ident;)*) => { $(
        impl<T: Int, U: Int> $trait<Traced<U>> for Traced<T> {
            type Output = Traced<T>;
            #[track_caller]
            fn $method(self, amount: Traced<U>) -> Self {
                Traced::from_value(emit(Loc::caller(), |b| {
                    let amount = b.convert(T::SCALAR, amount.value);
                    b.int(IntOp::$trait, &[self.value, amount])
                }))
            }
        }
        impl<T: Int, U: Int> $assign<Traced<U>> for Traced<T> {
            #[track_caller]
            fn $assign_method(&mut self, amount: Traced<U>) {
                *self = $trait::$method(*self, amount);
            }
        }
    )* };
}
shift_operators! {
    Shl::shl, ShlAssign::shl_assign;
    Shr::shr, ShrAssign::shr_assign;
}
