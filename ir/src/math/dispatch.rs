//! From an op of the table to its expansion.

use super::{
    Arith, acos, asin, atan, atan2, cbrt, cos, cosh, exp, exp2, expm1, log, log1p, log2, log10, pow, rem, sin, sinh,
    tan, tanh,
};
use crate::FloatOp;

/// The value of a float op of `f32` operands in primitive operations of the machine `a`, or `None` where the op is itself
/// about one instruction (arithmetic, square root, rounding and the like). Takes as many operands as the op's arity says.
pub fn f32_expansion<A: Arith>(a: &A, op: FloatOp, args: &[A::F]) -> Option<A::F> {
    let value = match (op, args) {
        (FloatOp::Cbrt, &[x]) => cbrt(a, x),
        (FloatOp::Exp, &[x]) => exp(a, x),
        (FloatOp::Exp2, &[x]) => exp2(a, x),
        (FloatOp::Expm1, &[x]) => expm1(a, x),
        (FloatOp::Log, &[x]) => log(a, x),
        (FloatOp::Log2, &[x]) => log2(a, x),
        (FloatOp::Log10, &[x]) => log10(a, x),
        (FloatOp::Log1p, &[x]) => log1p(a, x),
        (FloatOp::Pow, &[x, y]) => pow(a, x, y),
        (FloatOp::Rem, &[x, y]) => rem(a, x, y),
        (FloatOp::Sin, &[x]) => sin(a, x),
        (FloatOp::Cos, &[x]) => cos(a, x),
        (FloatOp::Tan, &[x]) => tan(a, x),
        (FloatOp::Asin, &[x]) => asin(a, x),
        (FloatOp::Acos, &[x]) => acos(a, x),
        (FloatOp::Atan, &[x]) => atan(a, x),
        (FloatOp::Atan2, &[y, x]) => atan2(a, y, x),
        (FloatOp::Sinh, &[x]) => sinh(a, x),
        (FloatOp::Cosh, &[x]) => cosh(a, x),
        (FloatOp::Tanh, &[x]) => tanh(a, x),
        _ => return None,
    };
    Some(value)
}
