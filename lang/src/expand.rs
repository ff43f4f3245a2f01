//! What the expansions of `#[kernel]` and `#[func]` call. Not for users: these names may change.

pub use crate::call::{Args, Call, Dims};
pub use crate::control::{ForBuilder, IfBuilder, Span, WhileBuilder};
pub use crate::handle::{KernelCache, KernelHandle};
pub use crate::types::Values;
pub use pullback_ir::{Access, Constant, Element, Scalar, Value};

use crate::array::{LoadAt, StoreAt, TracedArray};
use crate::matrix::{Mat22, Mat33, Mat44};
use crate::quat::Quat;
use crate::scalar::{CastTarget, Int, Number, Real, ScalarType, compare, f16};
use crate::trace::{emit, with};
use crate::traced::Traced;
use crate::types::{ArrayElement, KernelType, Traceable};
use crate::vector::{Vec2, Vec3, Vec4};
use pullback_ir::{BoolOp, Check, Compare, Loc, OpKind};

/// A literal.
#[track_caller]
pub fn lit<T: ScalarType>(v: T) -> Traced<T> {
    v.constant()
}

/// A floating literal in a function that is generic over `R`: its value in both types, that of `f32`
/// by its bits.
#[track_caller]
pub fn lit_real<R: Real>(wide: f64, narrow: u32) -> Traced<R> {
    R::either(wide, f32::from_bits(narrow)).constant()
}

/// A constant of the host.
#[track_caller]
pub fn constant<T: KernelType>(v: T) -> T::Traced {
    v.constant()
}

/// Stands for a value that is never used.
#[track_caller]
pub fn placeholder<T: Traceable>() -> T {
    crate::types::zeros()
}

/// `x as To`.
#[track_caller]
pub fn cast<To: CastTarget, From: ScalarType>(x: Traced<From>) -> Traced<To> {
    Traced::from_value(emit(Loc::caller(), |b| b.convert(To::SCALAR, x.value())))
}

/// Whether two values are equal: what `==` means in a kernel.
#[diagnostic::on_unimplemented(message = "values of type `{Self}` can't be compared by `==` in a kernel")]
pub trait Equal: Copy {
    /// All components are equal.
    fn equal(self, other: Self) -> Traced<bool>;
}
impl<T: ScalarType> Equal for Traced<T> {
    #[track_caller]
    fn equal(self, other: Self) -> Traced<bool> {
        compare(Compare::Eq, self, other)
    }
}
macro_rules! equal_vectors {
    ($($name:ident { $first:ident $(, $c:ident)* })*) => { $(
        impl<T: ScalarType> Equal for $name<Traced<T>> {
            #[track_caller]
            fn equal(self, other: Self) -> Traced<bool> {
                self.$first.equal(other.$first) $(& self.$c.equal(other.$c))*
            }
        }
    )* };
}
equal_vectors! { Vec2 { x, y } Vec3 { x, y, z } Vec4 { x, y, z, w } Quat { x, y, z, w } }
macro_rules! equal_matrices {
    ($($name:ident { $first:literal $(, $r:literal)* })*) => { $(
        impl<T: ScalarType> Equal for $name<Traced<T>> {
            #[track_caller]
            fn equal(self, other: Self) -> Traced<bool> {
                self.rows[$first].equal(other.rows[$first]) $(& self.rows[$r].equal(other.rows[$r]))*
            }
        }
    )* };
}
equal_matrices! { Mat22 { 0, 1 } Mat33 { 0, 1, 2 } Mat44 { 0, 1, 2, 3 } }

/// What `<` compares in a kernel.
#[diagnostic::on_unimplemented(
    message = "values of type `{Self}` can't be compared by `<` in a kernel",
    note = "numbers can: i8 to i64, u8 to u64, f16, f32 and f64"
)]
pub trait Ordered: ScalarType {}
impl<T: Number> Ordered for T {}
impl Ordered for f16 {}

/// `a == b`.
#[track_caller]
pub fn eq<T: Equal>(a: T, b: T) -> Traced<bool> {
    a.equal(b)
}
/// `a != b`.
#[track_caller]
pub fn ne<T: Equal>(a: T, b: T) -> Traced<bool> {
    !a.equal(b)
}
/// `a < b`.
#[track_caller]
pub fn lt<T: Ordered>(a: Traced<T>, b: Traced<T>) -> Traced<bool> {
    compare(Compare::Lt, a, b)
}
/// `a <= b`.
#[track_caller]
pub fn le<T: Ordered>(a: Traced<T>, b: Traced<T>) -> Traced<bool> {
    compare(Compare::Le, a, b)
}
/// `a > b`.
#[track_caller]
pub fn gt<T: Ordered>(a: Traced<T>, b: Traced<T>) -> Traced<bool> {
    compare(Compare::Gt, a, b)
}
/// `a >= b`.
#[track_caller]
pub fn ge<T: Ordered>(a: Traced<T>, b: Traced<T>) -> Traced<bool> {
    compare(Compare::Ge, a, b)
}
/// `a && b`, both computed.
#[track_caller]
pub fn and(a: Traced<bool>, b: Traced<bool>) -> Traced<bool> {
    Traced::from_value(emit(Loc::caller(), |t| t.bool(BoolOp::And, &[a.value(), b.value()])))
}
/// `a || b`, both computed.
#[track_caller]
pub fn or(a: Traced<bool>, b: Traced<bool>) -> Traced<bool> {
    Traced::from_value(emit(Loc::caller(), |t| t.bool(BoolOp::Or, &[a.value(), b.value()])))
}

/// `x[i]`.
#[track_caller]
pub fn load<X: LoadAt<I>, I>(x: &X, i: I) -> X::Output {
    x.load_at(i)
}
/// `x[i] = v`.
#[track_caller]
pub fn store<X: StoreAt<I>, I>(x: &mut X, i: I, v: X::Value) {
    x.store_at(i, v);
}

/// Begins an `if`.
#[track_caller]
pub fn begin_if<V: Traceable, S: Traceable>(cond: Traced<bool>) -> IfBuilder<V, S> {
    IfBuilder::begin(cond)
}
/// Begins a `while`.
#[track_caller]
pub fn begin_while<S: Traceable>(state: S) -> WhileBuilder<S> {
    WhileBuilder::begin(state)
}
/// Begins a `for`.
#[track_caller]
pub fn begin_for<T: Int, S: Traceable>(span: Span<T>, state: S) -> ForBuilder<T, S> {
    ForBuilder::begin(span, state)
}
/// `low..high`.
pub fn span<T: Int>(low: Traced<T>, high: Traced<T>) -> Span<T> {
    Span::new(low, high)
}
/// `low..=high`.
#[track_caller]
pub fn span_inclusive<T: Int>(low: Traced<T>, high: Traced<T>) -> Span<T> {
    Span::inclusive(low, high)
}

/// A `#[func]` being traced.
#[derive(Debug)]
pub struct Frame(());

impl Drop for Frame {
    fn drop(&mut self) {
        with(|t| t.leave());
    }
}

/// Enters a `#[func]`; `None` if its body must not be traced.
#[track_caller]
pub fn enter(func: &str) -> Option<Frame> {
    let loc = Loc::caller();
    with(|t| t.enter(func, loc)).then_some(Frame(()))
}

/// Declares a scalar, vector, ... parameter of a kernel.
pub fn value_param<T: KernelType>(name: &str) -> T::Traced {
    T::param(name)
}

/// What an array parameter is inside a kernel.
pub trait ArrayParam {
    /// Declares it.
    fn declare(name: &str, access: Access) -> Self;
}
impl<T: ArrayElement, const D: usize> ArrayParam for TracedArray<T, D> {
    fn declare(name: &str, access: Access) -> Self {
        TracedArray::param(name, access)
    }
}
/// Declares an array that is only read.
pub fn array_param<A: ArrayParam>(name: &str) -> A {
    A::declare(name, Access::Read)
}
/// Declares an array that is read and written.
pub fn array_param_mut<A: ArrayParam>(name: &str) -> A {
    A::declare(name, Access::ReadWrite)
}

/// A function with its own adjoint: see [`crate::custom`].
#[track_caller]
pub fn own_adjoint<I: Traceable, O: Traceable, C: Traceable, G: Traceable>(
    inputs: I,
    value: impl FnOnce(I) -> O,
    adjoint: impl FnOnce(I, O, C) -> G,
) -> O {
    crate::custom::own_adjoint(inputs, value, adjoint)
}

/// `assert!(cond, "text")`: the launch fails where `cond` does not hold.
#[track_caller]
pub fn assert(cond: Traced<bool>, text: &str) {
    let check = OpKind::Check(Check::Assert(text.to_owned()));
    emit(Loc::caller(), |b| b.push(check, vec![cond.value()], &[], vec![]));
}

/// One value of a [`print`](fn@print): its scalars, and the mark that asks for it, such as `{:.3}`.
#[derive(Debug)]
pub struct Shown {
    values: Vec<Value>,
    mark: &'static str,
}

/// A value to be printed as `mark` says; several scalars stand in brackets.
pub fn show<T: Traceable>(value: T, mark: &'static str) -> Shown {
    Shown { values: crate::types::flatten(&value), mark }
}

/// `println!`: the texts around the values, one more than there are values. In the texts braces stand for
/// themselves.
#[track_caller]
pub fn print(texts: &[&str], shown: &[Shown]) {
    let plain = |text: &str| text.replace('{', "{{").replace('}', "}}");
    let mut format = String::new();
    let mut values = Vec::new();
    for (k, text) in texts.iter().enumerate() {
        format.push_str(&plain(text));
        let Some(Shown { values: all, mark }) = shown.get(k) else { continue };
        let marks = vec![*mark; all.len()].join(", ");
        match all.len() {
            1 => format.push_str(&marks),
            _ => format.push_str(&format!("[{marks}]")),
        }
        values.extend(all);
    }
    emit(Loc::caller(), |b| b.push(OpKind::Print(format), values, &[], vec![]));
}

/// A scalar that kernels `match`: integers, truth values and enums.
#[diagnostic::on_unimplemented(
    message = "kernels can't `match` a `{Self}`",
    label = "not an integer, a truth value or an enum",
    note = "a `match` is of integers, truth values, enums that derive `KernelEnum`, and tuples of those; for floats write \
            `if x < limit {{ .. }} else {{ .. }}`"
)]
pub trait Matches: ScalarType {}
macro_rules! matches_scalars {
    ($($t:ty)*) => { $(
        impl Matches for $t {}
    )* };
}
matches_scalars!(bool i8 u8 i16 u16 i32 u32 i64 u64);

/// What a `match` of a kernel may be of: has rustc check its patterns against the host's type.
#[diagnostic::on_unimplemented(
    message = "kernels can't `match` a `{Self}`",
    label = "not an integer, a truth value or an enum"
)]
pub trait Matchable: Copy {
    /// What it is on the host.
    type Host;
}
impl<T: Matches> Matchable for Traced<T> {
    type Host = T;
}
macro_rules! matchable_tuples {
    ($(($($t:ident)*))*) => { $(
        impl<$($t: Matchable),*> Matchable for ($($t,)*) {
            type Host = ($($t::Host,)*);
        }
    )* };
}
matchable_tuples!((A)(A B)(A B C)(A B C D)(A B C D E)(A B C D E F));

/// Only to be type-checked: `check` holds the `match` that the kernel's author wrote.
pub fn check_match<S: Matchable>(_: S, _check: impl FnOnce(S::Host)) {}

/// Only to be type-checked: is never called.
///
/// # Panics
/// Always.
pub fn never<T>() -> T {
    panic!("is never called")
}

/// A value that a struct literal of a kernel begins with. Types of this crate have it from here, those
/// that derive `KernelStruct` as a function of their own.
pub trait Blank: Sized {
    /// A value of zeros; `_literal` is only type-checked.
    fn __pullback_blank(_literal: impl FnOnce() -> Self) -> Self;
}
impl<T: Traceable> Blank for T {
    #[track_caller]
    fn __pullback_blank(_literal: impl FnOnce() -> Self) -> Self {
        crate::types::zeros()
    }
}

/// What has a `len()` in kernels.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no `len()` in a kernel",
    note = "arrays and fixed arrays have one; vectors have as many components as their names say"
)]
pub trait Length {
    /// The number of elements.
    #[track_caller]
    fn length(&self) -> Traced<i64>;
}
impl<T: ArrayElement, const D: usize> Length for TracedArray<T, D> {
    #[track_caller]
    fn length(&self) -> Traced<i64> {
        self.len()
    }
}
impl<T, const N: usize> Length for [T; N] {
    #[track_caller]
    fn length(&self) -> Traced<i64> {
        N.constant()
    }
}
impl<X: Length> Length for &X {
    #[track_caller]
    fn length(&self) -> Traced<i64> {
        (**self).length()
    }
}
impl<X: Length> Length for &mut X {
    #[track_caller]
    fn length(&self) -> Traced<i64> {
        (**self).length()
    }
}
/// `x.len()`.
#[track_caller]
pub fn len<X: Length>(x: &X) -> Traced<i64> {
    x.length()
}

/// The value of `x` with derivative 0, as `#[no_grad]` makes it of a function's results: what comes of it is
/// a constant for the gradient. Of scalars, vectors and all that is made of them. Only in kernels.
#[track_caller]
pub fn detach<T: Traceable>(x: T) -> T {
    crate::custom::detach(&x)
}

/// A constant of an enum.
#[track_caller]
pub fn enum_constant<T: ScalarType>(v: T) -> Traced<T> {
    Traced::from_value(emit(Loc::caller(), |b| b.constant(v.to_constant())))
}
/// Declares a parameter that is an enum.
pub fn enum_param<T: ScalarType>(name: &str) -> Traced<T> {
    Traced::from_value(with(|t| t.builder.scalar_param(name, T::SCALAR)))
}
/// One of two things made of traced scalars.
#[track_caller]
pub fn choose<T: Traceable>(cond: Traced<bool>, a: T, b: T) -> T {
    crate::array::choose(cond, a, b)
}
/// The layout of a struct: its fields with their offsets, and its size.
pub fn element<const N: usize>(parts: [(usize, Element); N], size: usize) -> Element {
    crate::types::composite(parts, size)
}
