//! The op table: the one place that knows what there is to know of a scalar op.
//!
//! A float op is a unit struct with a [`Row`]: its name, meaning, partial derivatives, the domain that
//! its gradient test samples and its kinks. The list below turns the rows into [`FloatOp`] and its
//! dispatch. The interpreter, the constant folder, the printer and parser, the verifier, the adjoint
//! pass and the tests all read the rows; code generation adds one recipe for each op. To add an op:
//! write a row in the file of its family, name it in the list, and give it a recipe.

mod arith;
mod bits;
mod exp;
mod expr;
mod float;
mod round;
mod row;
mod trig;

pub use bits::{AtomicOp, BoolOp, Compare, IntOp};
pub use expr::{Expr, emit_partials};
pub use float::Float;
pub use row::{Kink, Row};

macro_rules! float_ops {
    ($($(#[$doc:meta])* $name:ident / $arity:literal in $family:ident;)*) => {
        /// A float op: operands and result have one float type, and it has partial derivatives.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum FloatOp {
            $($(#[$doc])* $name,)*
        }

        impl FloatOp {
            /// All of them, in the order of the table.
            pub const ALL: &'static [FloatOp] = &[$(FloatOp::$name),*];

            /// The name in the text form.
            pub fn name(self) -> &'static str {
                match self { $(FloatOp::$name => <$family::$name as Row<$arity>>::NAME,)* }
            }
            /// What it computes, in one line.
            pub fn doc(self) -> &'static str {
                match self { $(FloatOp::$name => <$family::$name as Row<$arity>>::DOC,)* }
            }
            /// How many operands it takes.
            pub fn arity(self) -> usize {
                match self { $(FloatOp::$name => $arity,)* }
            }
            /// For each operand the interval that gradient tests sample: smooth there, away from kinks.
            pub fn domain(self) -> &'static [(f64, f64)] {
                match self { $(FloatOp::$name => &<$family::$name as Row<$arity>>::DOMAIN,)* }
            }
            /// Ties and singular points, with the partials that hold there by rule: `(at, partials)`.
            pub fn kinks(self) -> Vec<(Vec<f64>, Vec<f64>)> {
                match self {
                    $(FloatOp::$name => <$family::$name as Row<$arity>>::KINKS
                        .iter()
                        .map(|k| (k.at.to_vec(), k.partials.to_vec()))
                        .collect(),)*
                }
            }
            /// Its value. Takes as many operands as its arity says.
            pub fn value<T: Float>(self, x: &[T]) -> T {
                match self {
                    $(FloatOp::$name => <$family::$name as Row<$arity>>::value(operands::<T, $arity>(x)),)*
                }
            }
            /// Its partial derivatives with respect to each operand; `out` is its value.
            pub fn partials<E: Expr>(self, x: &[E], out: E) -> Vec<E> {
                match self {
                    $(FloatOp::$name => <$family::$name as Row<$arity>>::partials(operands::<E, $arity>(x), out).to_vec(),)*
                }
            }
        }
    };
}

fn operands<T: Copy, const N: usize>(x: &[T]) -> [T; N] {
    debug_assert_eq!(x.len(), N, "number of operands");
    std::array::from_fn(|i| x[i])
}

float_ops! {
    /// a + b.
    Add/2 in arith;
    /// a - b.
    Sub/2 in arith;
    /// a · b.
    Mul/2 in arith;
    /// a / b.
    Div/2 in arith;
    /// -a.
    Neg/1 in arith;
    /// a · b + c, rounded once.
    Fma/3 in arith;
    /// |a|.
    Abs/1 in arith;
    /// -1, 0 or 1.
    Sign/1 in arith;
    /// The smaller.
    Min/2 in arith;
    /// The larger.
    Max/2 in arith;
    /// The largest integer not above.
    Floor/1 in round;
    /// The smallest integer not below.
    Ceil/1 in round;
    /// The nearest integer, halves away from zero.
    Round/1 in round;
    /// The integer part.
    Trunc/1 in round;
    /// What floor leaves.
    Fract/1 in round;
    /// The remainder of the division that truncates.
    Rem/2 in round;
    /// The square root.
    Sqrt/1 in exp;
    /// The cube root.
    Cbrt/1 in exp;
    /// e to the power.
    Exp/1 in exp;
    /// 2 to the power.
    Exp2/1 in exp;
    /// e to the power, less one.
    Expm1/1 in exp;
    /// The natural logarithm.
    Log/1 in exp;
    /// The logarithm to base 2.
    Log2/1 in exp;
    /// The logarithm to base 10.
    Log10/1 in exp;
    /// The natural logarithm of one more.
    Log1p/1 in exp;
    /// A power.
    Pow/2 in exp;
    /// Sine.
    Sin/1 in trig;
    /// Cosine.
    Cos/1 in trig;
    /// Tangent.
    Tan/1 in trig;
    /// Arc sine.
    Asin/1 in trig;
    /// Arc cosine.
    Acos/1 in trig;
    /// Arc tangent.
    Atan/1 in trig;
    /// The angle of a point.
    Atan2/2 in trig;
    /// Hyperbolic sine.
    Sinh/1 in trig;
    /// Hyperbolic cosine.
    Cosh/1 in trig;
    /// Hyperbolic tangent.
    Tanh/1 in trig;
}

impl FloatOp {
    /// The op with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        FloatOp::ALL.iter().copied().find(|op| op.name() == name)
    }
}

#[cfg(test)]
mod tests;
