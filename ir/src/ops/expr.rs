//! What partial derivatives are written in: an algebra whose elements are numbers (in tests) or IR
//! values (in the adjoint pass). Both use only ops of the table, so the table is closed under
//! differentiation.

use super::{Compare, FloatOp};
use crate::builder::Builder;
use crate::entity::Value;
use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A float that can be computed with: a number, or a value of the kernel being built.
pub trait Expr:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// A constant of the same type.
    fn lit(self, v: f64) -> Self;
    /// The result of an op on these operands.
    fn apply(op: FloatOp, x: &[Self]) -> Self;
    /// `yes` if `self cmp other`, else `no`.
    fn pick(self, cmp: Compare, other: Self, yes: Self, no: Self) -> Self;

    /// Applies an op of one operand.
    fn op(self, op: FloatOp) -> Self {
        Self::apply(op, &[self])
    }
    /// `no` where `self` is 0 and `yes` elsewhere.
    fn unless_zero(self, yes: Self, no: Self) -> Self {
        self.pick(Compare::Eq, self.lit(0.0), no, yes)
    }
}

macro_rules! number {
    ($t:ty) => {
        impl Expr for $t {
            fn lit(self, v: f64) -> Self {
                v as $t
            }
            fn apply(op: FloatOp, x: &[Self]) -> Self {
                op.value(x)
            }
            fn pick(self, cmp: Compare, other: Self, yes: Self, no: Self) -> Self {
                if cmp.holds(self.partial_cmp(&other)) { yes } else { no }
            }
        }
    };
}
number!(f32);
number!(f64);

/// An IR value together with the builder that it lives in.
#[derive(Clone, Copy)]
struct Emitted<'a> {
    builder: &'a RefCell<&'a mut Builder>,
    value: Value,
}

impl Expr for Emitted<'_> {
    fn lit(self, v: f64) -> Self {
        let mut b = self.builder.borrow_mut();
        let scalar = b.scalar(self.value);
        Emitted { value: b.float_constant(scalar, v), ..self }
    }
    fn apply(op: FloatOp, x: &[Self]) -> Self {
        let values: Vec<Value> = x.iter().map(|e| e.value).collect();
        Emitted { value: x[0].builder.borrow_mut().float(op, &values), ..x[0] }
    }
    fn pick(self, cmp: Compare, other: Self, yes: Self, no: Self) -> Self {
        let mut b = self.builder.borrow_mut();
        let cond = b.compare(cmp, self.value, other.value);
        Emitted { value: b.select(cond, yes.value, no.value), ..self }
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident) => {
        impl $trait for Emitted<'_> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Self::apply(FloatOp::$trait, &[self, other])
            }
        }
    };
}
operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);

impl Neg for Emitted<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        self.op(FloatOp::Neg)
    }
}

/// Emits the partial derivatives of an op with respect to each of its operands; `out` is its result.
pub fn emit_partials(builder: &mut Builder, op: FloatOp, operands: &[Value], out: Value) -> Vec<Value> {
    let cell = RefCell::new(builder);
    let x: Vec<Emitted<'_>> = operands.iter().map(|&value| Emitted { builder: &cell, value }).collect();
    let out = Emitted { builder: &cell, value: out };
    op.partials(&x, out).into_iter().map(|e| e.value).collect()
}
