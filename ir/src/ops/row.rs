//! What a row of the op table says of a float op.

use super::expr::Expr;
use super::float::Float;

/// A point at which a derivative is not what a formula gives, and the partials that hold there by rule.
#[derive(Clone, Copy, Debug)]
pub struct Kink<const N: usize> {
    /// The operands.
    pub at: [f64; N],
    /// The partial derivatives there.
    pub partials: [f64; N],
}

/// A row: all that is known of one float op of `N` operands.
pub trait Row<const N: usize> {
    /// Its name in the text form and, where it is a function, in the language.
    const NAME: &'static str;
    /// What it computes.
    const DOC: &'static str;
    /// For each operand an interval on which the op is smooth.
    const DOMAIN: [(f64, f64); N];
    /// Where it is not.
    const KINKS: &'static [Kink<N>] = &[];
    /// Its meaning.
    fn value<T: Float>(x: [T; N]) -> T;
    /// Its partial derivatives, from the operands and its value, in ops of the table. They are finite
    /// wherever the value is, by the rules named in [`Row::KINKS`].
    fn partials<E: Expr>(x: [E; N], out: E) -> [E; N];
}
