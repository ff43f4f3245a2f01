//! How each float op is lowered.

use pullback_ir::FloatOp;

/// The kinds of lowering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recipe {
    /// One instruction.
    Instruction(&'static str),
    /// One intrinsic that every target selects.
    Intrinsic(&'static str),
    /// A few instructions, written in `lower::scalar`.
    Inline,
    /// An elementary function: expanded for `f32` (`pullback_ir::math`), for `f64` this one of libm.
    Elementary(&'static str),
}

/// The lowering of an op.
pub(crate) fn recipe(op: FloatOp) -> Recipe {
    use Recipe::{Elementary, Inline, Instruction, Intrinsic};
    match op {
        FloatOp::Add => Instruction("fadd"),
        FloatOp::Sub => Instruction("fsub"),
        FloatOp::Mul => Instruction("fmul"),
        FloatOp::Div => Instruction("fdiv"),
        FloatOp::Neg => Instruction("fneg"),
        FloatOp::Fma => Intrinsic("fma"),
        FloatOp::Abs => Intrinsic("fabs"),
        FloatOp::Floor => Intrinsic("floor"),
        FloatOp::Ceil => Intrinsic("ceil"),
        FloatOp::Trunc => Intrinsic("trunc"),
        FloatOp::Sqrt => Intrinsic("sqrt"),
        FloatOp::Sign | FloatOp::Min | FloatOp::Max | FloatOp::Round | FloatOp::Fract => Inline,
        FloatOp::Rem => Elementary("fmod"),
        FloatOp::Cbrt => Elementary("cbrt"),
        FloatOp::Exp => Elementary("exp"),
        FloatOp::Exp2 => Elementary("exp2"),
        FloatOp::Expm1 => Elementary("expm1"),
        FloatOp::Log => Elementary("log"),
        FloatOp::Log2 => Elementary("log2"),
        FloatOp::Log10 => Elementary("log10"),
        FloatOp::Log1p => Elementary("log1p"),
        FloatOp::Pow => Elementary("pow"),
        FloatOp::Sin => Elementary("sin"),
        FloatOp::Cos => Elementary("cos"),
        FloatOp::Tan => Elementary("tan"),
        FloatOp::Asin => Elementary("asin"),
        FloatOp::Acos => Elementary("acos"),
        FloatOp::Atan => Elementary("atan"),
        FloatOp::Atan2 => Elementary("atan2"),
        FloatOp::Sinh => Elementary("sinh"),
        FloatOp::Cosh => Elementary("cosh"),
        FloatOp::Tanh => Elementary("tanh"),
    }
}
