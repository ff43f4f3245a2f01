//! Types of the language and how they map into kernels.
//!
//! [`KernelType`] is a host type that a kernel's parameters, variables and function results may have;
//! its [`KernelType::Traced`] is what it becomes inside. [`Traceable`] is anything made of traced
//! scalars: what `if`s yield and loops carry. [`ArrayElement`] is what arrays may hold.

use crate::call::Args;
use crate::scalar::ScalarType;
use crate::trace::with;
use crate::traced::Traced;
use pullback_ir::{Constant, Element, Loc, Scalar, Value};

/// A type of the kernel language, as the host sees it: scalars, vectors, matrices, quaternions, and
/// tuples of those.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type of the kernel language",
    label = "not usable in kernels",
    note = "use bool, i32, u32, i64, u64, f32, f64, Vec2..Vec4, Quat, Mat22..Mat44, tuples of them, or `&Array<..>`"
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

/// A type that arrays may hold: plain old data, `repr(C)`, without padding, any of its bit patterns
/// that a kernel stores being valid. Only this crate's types implement it, so that memory of an array
/// may be seen as a slice of its elements.
#[diagnostic::on_unimplemented(
    message = "arrays can't hold `{Self}`",
    note = "an element is bool, i32, u32, i64, u64, f32, f64, Vec2..Vec4, Quat or Mat22..Mat44"
)]
pub trait ArrayElement: KernelType + Default + PartialEq + std::fmt::Debug + Send + Sync + sealed::Sealed {
    /// The layout in memory, which is that of the type.
    fn element() -> Element;
}

pub(crate) mod sealed {
    /// Keeps [`super::ArrayElement`] to this crate.
    pub trait Sealed {}
}

/// Something made of traced scalars.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be the value of an `if`, nor be assigned in a branch or a loop",
    note = "only scalars, vectors, matrices, quaternions and tuples of them can"
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
