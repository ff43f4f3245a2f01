//! Types of the language and how they map into kernels.
//!
//! [`KernelType`] is a host type that a kernel's parameters, variables and function results may have;
//! its [`KernelType::Traced`] is what it becomes inside. [`Traceable`] is anything made of traced
//! scalars: what `if`s yield and loops carry. [`ArrayElement`] is what arrays may hold.

use crate::call::Args;
use crate::scalar::ScalarType;
use crate::trace::with;
use crate::traced::Traced;
use pullback_ir::{Component, Constant, Element, Loc, Scalar, Value};

/// A type of the kernel language, as the host sees it: scalars, vectors, matrices, quaternions, structs
/// and enums of the user's, and fixed arrays and tuples of those.
///
/// A `usize` counts as one for constants of the host and `const N: usize`: it is an `i64` in kernels.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type of the kernel language",
    label = "not usable in kernels",
    note = "use scalars, vectors, matrices, quaternions, tuples and fixed arrays of them, or `&Array<..>`",
    note = "a struct needs `#[derive(KernelStruct)]`, a fieldless enum `#[derive(KernelEnum)]`; a field or parameter of \
            a struct that holds arrays is marked `#[arrays]`"
)]
pub trait KernelType: Copy + 'static {
    /// What it is inside a kernel: the same, made of traced scalars.
    type Traced: Traceable;
    /// The constant in the kernel being traced.
    #[doc(hidden)]
    #[track_caller]
    fn constant(self) -> Self::Traced;
    /// Appends its scalars to the arguments of a call.
    #[doc(hidden)]
    fn push(self, args: &mut Args);
    /// Declares parameters for its scalars.
    #[doc(hidden)]
    fn param(name: &str) -> Self::Traced;
}

/// A type that arrays may hold: plain old data, `repr(C)`, all bits zero being a value, and what a kernel
/// stores in its scalars being valid there. Only this crate's types and its derive macros implement it, so
/// that memory of an array may be seen as a slice of its elements.
///
/// The layout of a struct in an array is the one that `#[repr(C)]` gives it: fields in their order, each at
/// the next multiple of its alignment, gaps between and after them unused.
#[diagnostic::on_unimplemented(
    message = "arrays can't hold `{Self}`",
    note = "an element is a scalar, a vector, a matrix, a quaternion, a fixed array, or a type that derives \
            `KernelStruct` or `KernelEnum`"
)]
pub trait ArrayElement: KernelType + PartialEq + std::fmt::Debug + Send + Sync + sealed::Sealed {
    /// The layout in memory, which is that of the type.
    fn element() -> Element;
}

#[doc(hidden)]
pub mod sealed {
    /// Keeps [`super::ArrayElement`] to this crate and its derive macros, which see to its promises.
    pub trait Sealed {}
}

/// Something made of traced scalars.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be the value of an `if`, nor be assigned in a branch or a loop",
    note = "only scalars, vectors, matrices, quaternions, structs, and tuples and fixed arrays of them can"
)]
pub trait Traceable: Copy {
    /// Appends the types of its scalars.
    #[doc(hidden)]
    fn scalars(out: &mut Vec<Scalar>);
    /// Appends its scalars.
    #[doc(hidden)]
    fn values(&self, out: &mut Vec<Value>);
    /// Takes its scalars from the front of `values`.
    #[doc(hidden)]
    fn from_values(values: &mut Values<'_>) -> Self;
}

/// A list of SSA values that is taken from the front.
#[doc(hidden)]
#[derive(Debug)]
pub struct Values<'a>(std::slice::Iter<'a, Value>);

impl<'a> Values<'a> {
    pub(crate) fn new(values: &'a [Value]) -> Self {
        Values(values.iter())
    }
    /// The next one.
    pub fn take(&mut self) -> Value {
        debug_assert!(self.0.len() > 0, "as many values as scalars");
        self.0.next().copied().unwrap_or(Value(0))
    }
}

/// The layout of an element made of parts, each of which begins at an offset.
///
/// # Panics
/// If that is no layout, which `#[repr(C)]` excludes.
pub(crate) fn composite(parts: impl IntoIterator<Item = (usize, Element)>, size: usize) -> Element {
    let components = parts.into_iter().flat_map(|(start, part)| {
        let shifted = part.components().iter().map(move |c| Component { offset: c.offset + start as u32, ..*c });
        shifted.collect::<Vec<_>>()
    });
    Element::with_layout(components.collect(), size as u32).expect("`repr(C)` puts fields in order and aligned")
}

impl<T: KernelType, const N: usize> KernelType for [T; N] {
    type Traced = [T::Traced; N];
    #[track_caller]
    fn constant(self) -> Self::Traced {
        let loc = Loc::caller();
        self.map(|v| {
            with(|t| t.builder.set_loc(Some(loc)));
            v.constant()
        })
    }
    fn push(self, args: &mut Args) {
        self.into_iter().for_each(|v| v.push(args));
    }
    fn param(name: &str) -> Self::Traced {
        std::array::from_fn(|i| T::param(&format!("{name}_{i}")))
    }
}
impl<T: sealed::Sealed, const N: usize> sealed::Sealed for [T; N] {}
impl<T: ArrayElement, const N: usize> ArrayElement for [T; N] {
    fn element() -> Element {
        const { assert!(N > 0, "an element of an array can't be a fixed array without elements") };
        composite((0..N).map(|i| (i * size_of::<T>(), T::element())), size_of::<Self>())
    }
}
impl<T: Traceable, const N: usize> Traceable for [T; N] {
    fn scalars(out: &mut Vec<Scalar>) {
        (0..N).for_each(|_| T::scalars(out));
    }
    fn values(&self, out: &mut Vec<Value>) {
        self.iter().for_each(|v| v.values(out));
    }
    fn from_values(values: &mut Values<'_>) -> Self {
        std::array::from_fn(|_| T::from_values(values))
    }
}

impl KernelType for usize {
    type Traced = Traced<i64>;
    #[track_caller]
    fn constant(self) -> Traced<i64> {
        (self as i64).constant()
    }
    fn push(self, args: &mut Args) {
        (self as i64).push(args);
    }
    fn param(name: &str) -> Traced<i64> {
        i64::param(name)
    }
}

/// All scalars of something traced.
pub(crate) fn flatten<T: Traceable>(x: &T) -> Vec<Value> {
    let mut out = Vec::new();
    x.values(&mut out);
    out
}

/// Something traced, made of these scalars.
pub(crate) fn rebuild<T: Traceable>(values: &[Value]) -> T {
    T::from_values(&mut Values::new(values))
}

/// Something traced, of zeros: stands for a value that is never used.
#[track_caller]
pub(crate) fn zeros<T: Traceable>() -> T {
    let loc = Loc::caller();
    let mut types = Vec::new();
    T::scalars(&mut types);
    let values: Vec<Value> = with(|t| {
        t.builder.set_loc(Some(loc));
        types.into_iter().map(|s| t.builder.constant(Constant::zero(s))).collect()
    });
    rebuild(&values)
}

impl<T: ScalarType> Traceable for Traced<T> {
    fn scalars(out: &mut Vec<Scalar>) {
        out.push(T::SCALAR);
    }
    fn values(&self, out: &mut Vec<Value>) {
        out.push(self.value());
    }
    fn from_values(values: &mut Values<'_>) -> Self {
        Traced::from_value(values.take())
    }
}

macro_rules! tuples {
    ($(($($t:ident . $i:tt),*);)*) => { $(
        impl<$($t: Traceable),*> Traceable for ($($t,)*) {
            #[allow(unused_variables)]
            fn scalars(out: &mut Vec<Scalar>) {
                $($t::scalars(out);)*
            }
            #[allow(unused_variables)]
            fn values(&self, out: &mut Vec<Value>) {
                $(self.$i.values(out);)*
            }
            #[allow(unused_variables, clippy::unused_unit)]
            fn from_values(values: &mut Values<'_>) -> Self {
                ($($t::from_values(values),)*)
            }
        }
        impl<$($t: KernelType),*> KernelType for ($($t,)*) {
            type Traced = ($($t::Traced,)*);
            #[allow(clippy::unused_unit)]
            #[track_caller]
            fn constant(self) -> Self::Traced {
                ($(self.$i.constant(),)*)
            }
            #[allow(unused_variables)]
            fn push(self, args: &mut Args) {
                $(self.$i.push(args);)*
            }
            #[allow(unused_variables, clippy::unused_unit)]
            fn param(name: &str) -> Self::Traced {
                ($($t::param(&format!("{name}_{}", $i)),)*)
            }
        }
    )* };
}
tuples! {
    ();
    (A.0);
    (A.0, B.1);
    (A.0, B.1, C.2);
    (A.0, B.1, C.2, D.3);
    (A.0, B.1, C.2, D.3, E.4);
    (A.0, B.1, C.2, D.3, E.4, F.5);
    (A.0, B.1, C.2, D.3, E.4, F.5, G.6);
    (A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7);
}
