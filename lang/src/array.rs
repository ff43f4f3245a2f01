//! Arrays inside kernels: indexing, lengths and atomics.
//!
//! `x[i]` and `x[i] = v` become [`LoadAt::load_at`] and [`StoreAt::store_at`], which vectors and
//! matrices implement as well. A kernel holds its arrays by `&` or `&mut`, so rustc itself refuses to
//! write what is only read.

use crate::call::{ArgValue, Args};
use crate::trace::{emit, with};
use crate::traced::Traced;
use crate::types::{ArrayElement, KernelType, Traceable, flatten, rebuild};
use crate::vector::Linear;
use pullback_ir::{Access, AtomicOp, BoolOp, Check, Compare, FloatOp, IntOp, Loc, OpKind, Value};
use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

/// An array parameter inside a kernel: where you write `&Array<T, D>` it is `&TracedArray<T, D>`.
/// `D` is the number of dimensions, 1 to 4; an element's value is a `T::Traced`.
#[derive(Debug)]
pub struct TracedArray<T: ArrayElement, const D: usize> {
    param: u32,
    element: PhantomData<T>,
}

impl<T: ArrayElement, const D: usize> TracedArray<T, D> {
    /// Declares the parameter.
    pub(crate) fn param(name: &str, access: Access) -> Self {
        let param = with(|t| t.builder.array_param(name, T::element(), D as u8, access));
        TracedArray { param, element: PhantomData }
    }

    /// The number of elements: of a one-dimensional array its length, else the product of its lengths.
    #[track_caller]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> Traced<i64> {
        let axis = |axis: u8, loc| Traced::from_value(emit(loc, |b| b.len(self.param, axis)));
        let loc = Loc::caller();
        let mut all: Traced<i64> = axis(0, loc);
        for a in 1..D {
            all *= axis(a as u8, loc);
        }
        all
    }

    /// The length along an axis, which must be a constant from 0 to D - 1.
    #[track_caller]
    pub fn shape(&self, axis: Traced<i64>) -> Traced<i64> {
        let loc = Loc::caller();
        let axis = match axis.known() {
            Some(a) if (0..D as i64).contains(&a) => a as u8,
            Some(a) => {
                with(|t| t.fail(loc, format!("axis {a} of an array of {D} dimensions; axes count from 0")));
                0
            }
            None => {
                with(|t| t.fail(loc, "the axis of `shape` must be a constant"));
                0
            }
        };
        Traced::from_value(emit(loc, |b| b.len(self.param, axis)))
    }
}

/// An index of an array of `D` dimensions: an `i64`, or a tuple of as many as there are dimensions.
#[diagnostic::on_unimplemented(
    message = "an array of {D} dimension(s) can't be indexed by `{Self}`",
    label = "not an index of this array",
    note = "an index is one i64 a dimension: `x[i]`, `x[(i, j)]`; convert other integers by `i as i64`"
)]
pub trait ArrayIndex<const D: usize>: Copy {
    /// Its scalars, one a dimension.
    #[doc(hidden)]
    fn scalars(self) -> [Value; D];
}

type I = Traced<i64>;
impl ArrayIndex<1> for I {
    fn scalars(self) -> [Value; 1] {
        [self.value()]
    }
}
impl ArrayIndex<2> for (I, I) {
    fn scalars(self) -> [Value; 2] {
        [self.0.value(), self.1.value()]
    }
}
impl ArrayIndex<3> for (I, I, I) {
    fn scalars(self) -> [Value; 3] {
        [self.0.value(), self.1.value(), self.2.value()]
    }
}
impl ArrayIndex<4> for (I, I, I, I) {
    fn scalars(self) -> [Value; 4] {
        [self.0.value(), self.1.value(), self.2.value(), self.3.value()]
    }
}

/// `x[i]` in a kernel.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be indexed by `{I}`",
    note = "arrays are indexed by one i64 a dimension, vectors by an i64, matrices by `(row, column)` or `row`"
)]
pub trait LoadAt<I> {
    /// What it gives.
    type Output;
    /// The element at `i`.
    #[doc(hidden)]
    #[track_caller]
    fn load_at(&self, i: I) -> Self::Output;
}

/// `x[i] = v` in a kernel.
#[diagnostic::on_unimplemented(
    message = "elements of `{Self}` can't be assigned by an index `{I}`",
    note = "arrays are indexed by one i64 a dimension, vectors by an i64, matrices by `(row, column)` or `row`"
)]
pub trait StoreAt<I> {
    /// What it takes.
    type Value;
    /// Sets the element at `i`.
    #[doc(hidden)]
    #[track_caller]
    fn store_at(&mut self, i: I, value: Self::Value);
}

impl<X: LoadAt<I> + ?Sized, I> LoadAt<I> for &X {
    type Output = X::Output;
    #[track_caller]
    fn load_at(&self, i: I) -> Self::Output {
        (**self).load_at(i)
    }
}
impl<X: LoadAt<I> + ?Sized, I> LoadAt<I> for &mut X {
    type Output = X::Output;
    #[track_caller]
    fn load_at(&self, i: I) -> Self::Output {
        (**self).load_at(i)
    }
}

impl<T: ArrayElement, I: ArrayIndex<D>, const D: usize> LoadAt<I> for TracedArray<T, D> {
    type Output = T::Traced;
    #[track_caller]
    fn load_at(&self, i: I) -> T::Traced {
        rebuild(&emit(Loc::caller(), |b| b.load(self.param, &i.scalars())))
    }
}
impl<T: ArrayElement, I: ArrayIndex<D>, const D: usize> StoreAt<I> for TracedArray<T, D> {
    type Value = T::Traced;
    #[track_caller]
    fn store_at(&mut self, i: I, value: T::Traced) {
        let values = flatten(&value);
        emit(Loc::caller(), |b| b.store(self.param, &i.scalars(), &values));
    }
}

impl<T: Traceable, const N: usize> LoadAt<Traced<i64>> for [T; N] {
    type Output = T;
    #[track_caller]
    fn load_at(&self, i: Traced<i64>) -> T {
        pick_component(self, i)
    }
}
impl<T: Traceable, const N: usize> StoreAt<Traced<i64>> for [T; N] {
    type Value = T;
    #[track_caller]
    fn store_at(&mut self, i: Traced<i64>, value: T) {
        *self = set_component(*self, i, value);
    }
}

/// One of two things made of traced scalars, scalar by scalar.
#[track_caller]
pub(crate) fn choose<T: Traceable>(cond: Traced<bool>, a: T, b: T) -> T {
    let (a, b) = (flatten(&a), flatten(&b));
    let chosen: Vec<Value> = emit(Loc::caller(), |t| {
        a.iter().zip(&b).map(|(&a, &b)| if a == b { a } else { t.select(cond.value(), a, b) }).collect()
    });
    rebuild(&chosen)
}

/// Component `i` of a vector, row `i` of a matrix, element `i` of a local array: that one if `i` is a
/// constant, else a choice among all. Another `i` is an error: of the kernel for a constant, else of the
/// launch.
#[track_caller]
pub(crate) fn pick_component<T: Traceable>(all: &[T], i: Traced<i64>) -> T {
    let loc = Loc::caller();
    let Some(&last) = all.last() else {
        with(|t| t.fail(loc, "an array without elements has none to read"));
        return crate::types::zeros();
    };
    if let Some(k) = i.known() {
        return all[known_component(k, all.len(), loc)];
    }
    check_component(i, all.len(), loc);
    let mut result = last;
    for (k, &component) in all.iter().enumerate().rev().skip(1) {
        let here = crate::scalar::compare(Compare::Eq, i, (k as i64).constant());
        result = choose(here, component, result);
    }
    result
}

/// The number of a row or a column: a `usize` on the host, an `i64` in kernels.
pub trait ComponentIndex<T> {
    /// That one of all.
    #[doc(hidden)]
    #[track_caller]
    fn of<const N: usize>(self, all: [T; N]) -> T;
}
impl<T: Copy> ComponentIndex<T> for usize {
    #[track_caller]
    fn of<const N: usize>(self, all: [T; N]) -> T {
        all[self]
    }
}
impl<T: Traceable> ComponentIndex<T> for Traced<i64> {
    #[track_caller]
    fn of<const N: usize>(self, all: [T; N]) -> T {
        pick_component(&all, self)
    }
}

/// The components with component `i` set; another `i` is an error, as in [`pick_component`].
#[track_caller]
pub(crate) fn set_component<T: Traceable, const N: usize>(mut all: [T; N], i: Traced<i64>, value: T) -> [T; N] {
    let loc = Loc::caller();
    if N == 0 {
        with(|t| t.fail(loc, "an array without elements has none to set"));
        return all;
    }
    if let Some(k) = i.known() {
        all[known_component(k, N, loc)] = value;
        return all;
    }
    check_component(i, N, loc);
    for (k, component) in all.iter_mut().enumerate() {
        let here = crate::scalar::compare(Compare::Eq, i, (k as i64).constant());
        *component = choose(here, value, *component);
    }
    all
}

/// Makes sure that an index that only the run knows is in range.
fn check_component(i: Traced<i64>, count: usize, loc: Loc) {
    let index = i.value();
    emit(loc, |b| {
        let (zero, end) = (b.index_constant(0), b.index_constant(count as i64));
        let (low, high) = (b.compare(Compare::Le, zero, index), b.compare(Compare::Lt, index, end));
        let fine = b.bool(BoolOp::And, &[low, high]);
        b.push(OpKind::Check(Check::Component { count: count as u32 }), vec![fine, index], &[], vec![]);
    });
}

fn known_component(k: i64, count: usize, loc: Loc) -> usize {
    match usize::try_from(k) {
        Ok(k) if k < count => k,
        _ => {
            with(|t| t.fail(loc, format!("index {k} of something with {count} components; they count from 0")));
            0
        }
    }
}

#[track_caller]
fn atomic<T: ArrayElement, const D: usize>(
    op: AtomicOp,
    x: &TracedArray<T, D>,
    i: impl ArrayIndex<D>,
    v: T::Traced,
) -> T::Traced {
    let indices = i.scalars();
    let values = flatten(&v);
    let old: Vec<Value> = emit(Loc::caller(), |b| {
        values.iter().enumerate().map(|(c, &v)| b.atomic(op, x.param, &indices, c as u32, v)).collect()
    });
    rebuild(&old)
}

/// Adds `v` to `x[i]` and gives what was there before. Threads that add to one element all count;
/// a vector is added component by component. Only in kernels.
#[track_caller]
pub fn atomic_add<T: ArrayElement<Traced: Linear>, const D: usize>(
    x: &mut TracedArray<T, D>,
    i: impl ArrayIndex<D>,
    v: T::Traced,
) -> T::Traced {
    atomic(AtomicOp::Add, x, i, v)
}

/// Sets `x[i]` to the smaller of `x[i]` and `v`, component by component, and gives what was there
/// before. The derivative goes to the winner; at a tie, half to each. Only in kernels.
#[track_caller]
pub fn atomic_min<T: ArrayElement, const D: usize>(
    x: &mut TracedArray<T, D>,
    i: impl ArrayIndex<D>,
    v: T::Traced,
) -> T::Traced {
    atomic(AtomicOp::Min, x, i, v)
}

/// Sets `x[i]` to the larger of `x[i]` and `v`, component by component, and gives what was there
/// before. The derivative goes to the winner; at a tie, half to each. Only in kernels.
#[track_caller]
pub fn atomic_max<T: ArrayElement, const D: usize>(
    x: &mut TracedArray<T, D>,
    i: impl ArrayIndex<D>,
    v: T::Traced,
) -> T::Traced {
    atomic(AtomicOp::Max, x, i, v)
}

/// Takes `v` off `x[i]` and gives what was there before, component by component. Only in kernels.
#[track_caller]
pub fn atomic_sub<T: ArrayElement<Traced: Linear>, const D: usize>(
    x: &mut TracedArray<T, D>,
    i: impl ArrayIndex<D>,
    v: T::Traced,
) -> T::Traced {
    let negative: Vec<Value> = emit(Loc::caller(), |b| {
        let negate = |&v: &Value| match b.scalar(v).is_float() {
            true => b.float(FloatOp::Neg, &[v]),
            false => b.int(IntOp::Neg, &[v]),
        };
        flatten(&v).iter().map(negate).collect()
    });
    atomic(AtomicOp::Add, x, i, rebuild(&negative))
}

/// Sets `x[i]` to `x[i] & v`, component by component, and gives what was there before. Of integers. Only in
/// kernels.
#[track_caller]
pub fn atomic_and<T: ArrayElement<Traced: IntegerComponents>, const D: usize>(
    x: &mut TracedArray<T, D>,
    i: impl ArrayIndex<D>,
    v: T::Traced,
) -> T::Traced {
    atomic(AtomicOp::And, x, i, v)
}

/// Sets `x[i]` to `x[i] | v`, component by component, and gives what was there before. Of integers. Only in
/// kernels.
#[track_caller]
pub fn atomic_or<T: ArrayElement<Traced: IntegerComponents>, const D: usize>(
    x: &mut TracedArray<T, D>,
    i: impl ArrayIndex<D>,
    v: T::Traced,
) -> T::Traced {
    atomic(AtomicOp::Or, x, i, v)
}

/// Sets `x[i]` to `x[i] ^ v`, component by component, and gives what was there before. Of integers. Only in
/// kernels.
#[track_caller]
pub fn atomic_xor<T: ArrayElement<Traced: IntegerComponents>, const D: usize>(
    x: &mut TracedArray<T, D>,
    i: impl ArrayIndex<D>,
    v: T::Traced,
) -> T::Traced {
    atomic(AtomicOp::Xor, x, i, v)
}

/// Sets `x[i]` to `v` and gives what was there before. The derivative goes with the values: that of `x[i]`
/// to `v`, that of the result to what was there. Only in kernels.
#[track_caller]
pub fn atomic_exchange<T: ArrayElement, const D: usize>(
    x: &mut TracedArray<T, D>,
    i: impl ArrayIndex<D>,
    v: T::Traced,
) -> T::Traced {
    atomic(AtomicOp::Exchange, x, i, v)
}

/// Sets `x[i]` to `new` if it equals `expected` (`==`, so that -0 equals 0 and a NaN nothing), and gives what
/// was there before; of a vector each component by itself. The derivative of `x[i]` goes to `new` where it
/// was set, else to what was there; `expected` has none. Only in kernels.
#[track_caller]
pub fn atomic_compare_exchange<T: ArrayElement, const D: usize>(
    x: &mut TracedArray<T, D>,
    i: impl ArrayIndex<D>,
    expected: T::Traced,
    new: T::Traced,
) -> T::Traced {
    let indices = i.scalars();
    let (expected, new) = (flatten(&expected), flatten(&new));
    let old: Vec<Value> = emit(Loc::caller(), |b| {
        let pairs = expected.iter().zip(&new).enumerate();
        pairs.map(|(c, (&e, &n))| b.compare_exchange(x.param, &indices, c as u32, e, n)).collect()
    });
    rebuild(&old)
}

/// What is made of integers only.
#[diagnostic::on_unimplemented(
    message = "bitwise atomics are of integers, not of `{Self}`",
    note = "of integers and of vectors of them; for floats there are atomic_add, atomic_sub, atomic_min, atomic_max, \
            atomic_exchange and atomic_compare_exchange"
)]
pub trait IntegerComponents {}
impl<T: crate::scalar::Int> IntegerComponents for Traced<T> {}
impl<T: crate::scalar::Int> IntegerComponents for crate::vector::Vec2<Traced<T>> {}
impl<T: crate::scalar::Int> IntegerComponents for crate::vector::Vec3<Traced<T>> {}
impl<T: crate::scalar::Int> IntegerComponents for crate::vector::Vec4<Traced<T>> {}

/// What a kernel's array parameter takes at a launch: the runtime's `Array<T, D>` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array",
    note = "a kernel takes arrays as `&Array<T>` or `&mut Array<T>`; everything else is passed by value, without `&`"
)]
pub trait ArrayArg {
    /// What it is inside a kernel: `TracedArray<T, D>`.
    type Traced;
    /// The array as the runtime knows it; cheap, a clone of an `Arc`.
    fn handle(&self) -> Arc<dyn Any + Send + Sync>;
}

/// What a kernel takes by `&` or `&mut`: arrays, and structs that hold arrays under `#[derive(KernelStruct)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array",
    note = "a kernel takes arrays as `&Array<T>` or `&mut Array<T>`; everything else is passed by value, without `&`"
)]
pub trait KernelArg {
    /// What it is inside a kernel.
    type Traced: crate::expand::ArrayParam;
    /// Appends its arrays and scalars to the arguments of a call.
    #[doc(hidden)]
    fn pass(&self, args: &mut Args);
}
impl<A: ArrayArg<Traced: crate::expand::ArrayParam> + ?Sized> KernelArg for A {
    type Traced = A::Traced;
    fn pass(&self, args: &mut Args) {
        args.push(ArgValue::Array(self.handle()));
    }
}
