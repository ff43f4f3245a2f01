//! `VecN<T, N>`: vectors of any small fixed size, for the host and for kernels; `Vec5` and `Vec6` are such.
//!
//! Operators go component by component, as those of `Vec3` do.
// Several lists are walked side by side, by their indices.
#![allow(clippy::needless_range_loop)]

use crate::array::{IntegerComponents, LoadAt, StoreAt};
use crate::call::Args;
use crate::expand::Equal;
use crate::rectangular::Mat;
use crate::scalar::{Condition, Float, Int, Number, Scalar, ScalarType, Select};
use crate::traced::Traced;
use crate::types::{ArrayElement, KernelType, Traceable, Values, sealed};
use crate::vector::{Linear, Vec2, Vec3, Vec4, Vector};
use pullback_ir::{Element, Value};
use std::ops::{Add, AddAssign, Div, DivAssign, Index, IndexMut, Mul, MulAssign, Neg, Sub, SubAssign};

/// A vector of `N` components.
///
/// ```
/// use pullback_lang::{Vec6, dot};
/// let v = Vec6::from([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
/// assert_eq!(dot(v, v), 91.0);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VecN<T, const N: usize> {
    /// The components.
    pub c: [T; N],
}

/// A vector of five components.
pub type Vec5<T = f32> = VecN<T, 5>;
/// A vector of six components.
pub type Vec6<T = f32> = VecN<T, 6>;

impl<T: Default + Copy, const N: usize> Default for VecN<T, N> {
    fn default() -> Self {
        VecN { c: [T::default(); N] }
    }
}

impl<T: ScalarType, const N: usize> KernelType for VecN<T, N> {
    type Traced = VecN<Traced<T>, N>;
    #[track_caller]
    fn constant(self) -> Self::Traced {
        VecN { c: self.c.constant() }
    }
    fn push(self, args: &mut Args) {
        self.c.push(args);
    }
    fn param(name: &str) -> Self::Traced {
        VecN { c: <[T; N]>::param(name) }
    }
}
impl<T, const N: usize> sealed::Sealed for VecN<T, N> {}
impl<T: ScalarType, const N: usize> ArrayElement for VecN<T, N> {
    fn element() -> Element {
        Element::packed(T::SCALAR, N as u32)
    }
}
impl<T: ScalarType, const N: usize> Traceable for VecN<Traced<T>, N> {
    fn scalars(out: &mut Vec<pullback_ir::Scalar>) {
        out.extend([T::SCALAR; N]);
    }
    fn values(&self, out: &mut Vec<Value>) {
        out.extend(self.c.iter().map(|c| c.value()));
    }
    fn from_values(values: &mut Values<'_>) -> Self {
        VecN { c: std::array::from_fn(|_| Traced::from_value(values.take())) }
    }
}
impl<T: ScalarType, const N: usize> Equal for VecN<Traced<T>, N> {
    #[track_caller]
    fn equal(self, other: Self) -> Traced<bool> {
        let mut all = Traced::<bool>::truth(true);
        for i in 0..N {
            all &= self.c[i].equal(other.c[i]);
        }
        all
    }
}
impl<T: Int, const N: usize> IntegerComponents for VecN<Traced<T>, N> {}
impl<T: Select, const N: usize> Select for VecN<T, N> {
    type Bool = T::Bool;
    #[track_caller]
    fn pick(cond: T::Bool, a: Self, b: Self) -> Self {
        let mut c = a.c;
        for i in 0..N {
            c[i] = T::pick(cond, a.c[i], b.c[i]);
        }
        VecN { c }
    }
}
impl<S: Scalar, const N: usize> Linear for VecN<S, N> {
    type Component = S;
}
impl<S: Scalar, const N: usize> Vector for VecN<S, N> {
    #[track_caller]
    fn inner(self, other: Self) -> S {
        if N == 0 {
            return S::lit(0.0);
        }
        let mut sum = self.c[0] * other.c[0];
        for i in 1..N {
            sum += self.c[i] * other.c[i];
        }
        sum
    }
}

impl<T: Copy, const N: usize> VecN<T, N> {
    /// From components.
    pub const fn new(c: [T; N]) -> Self {
        VecN { c }
    }
    /// The components in order.
    pub const fn to_array(self) -> [T; N] {
        self.c
    }
    /// From the components in order.
    pub const fn from_array(c: [T; N]) -> Self {
        VecN { c }
    }
}
impl<S: Scalar, const N: usize> VecN<S, N> {
    /// All components the same.
    #[track_caller]
    pub fn splat(v: S) -> Self {
        VecN { c: [v; N] }
    }
    /// All components 0.
    #[track_caller]
    pub fn zeros() -> Self {
        Self::splat(S::lit(0.0))
    }
    /// The sum of the products of components.
    #[track_caller]
    pub fn dot(self, other: Self) -> S {
        self.inner(other)
    }
    /// The outer product with a vector of any size: row i, column j is selfᵢ vⱼ.
    #[track_caller]
    pub fn outer<const M: usize>(self, v: VecN<S, M>) -> Mat<S, N, M> {
        let mut rows = [v.c; N];
        for i in 0..N {
            for j in 0..M {
                rows[i][j] = self.c[i] * v.c[j];
            }
        }
        Mat { rows }
    }
    /// The square of the length.
    #[track_caller]
    pub fn length_sq(self) -> S {
        self.inner(self)
    }
}
impl<S: Float, const N: usize> VecN<S, N> {
    /// The Euclidean length; derivative 0 at 0.
    #[track_caller]
    pub fn length(self) -> S {
        crate::builtins::length(self)
    }
    /// Of length 1 in the same direction; 0, with derivative 0, for 0.
    #[track_caller]
    pub fn normalize(self) -> Self {
        crate::builtins::normalize(self)
    }
    /// `self` at t = 0, `other` at t = 1, straight between.
    #[track_caller]
    pub fn lerp(self, other: Self, t: S) -> Self {
        crate::builtins::lerp(self, other, t)
    }
}
impl<T: Copy> VecN<T, 6> {
    /// The first three components, then the last three.
    pub const fn from_halves(first: Vec3<T>, last: Vec3<T>) -> Self {
        VecN { c: [first.x, first.y, first.z, last.x, last.y, last.z] }
    }
    /// The first three components and the last three.
    pub const fn halves(self) -> (Vec3<T>, Vec3<T>) {
        let [a, b, c, d, e, f] = self.c;
        (Vec3::new(a, b, c), Vec3::new(d, e, f))
    }
}

impl<T, const N: usize> From<[T; N]> for VecN<T, N> {
    fn from(c: [T; N]) -> Self {
        VecN { c }
    }
}
impl<T, const N: usize> From<VecN<T, N>> for [T; N] {
    fn from(v: VecN<T, N>) -> Self {
        v.c
    }
}
macro_rules! named {
    ($($name:ident $n:literal;)*) => { $(
        impl<T: Copy> From<VecN<T, $n>> for $name<T> {
            fn from(v: VecN<T, $n>) -> Self {
                $name::from_array(v.c)
            }
        }
        impl<T: Copy> From<$name<T>> for VecN<T, $n> {
            fn from(v: $name<T>) -> Self {
                VecN { c: v.to_array() }
            }
        }
    )* };
}
named! { Vec2 2; Vec3 3; Vec4 4; }

macro_rules! between_vectors {
    ($($trait:ident::$method:ident $op:tt;)*) => { $(
        impl<S: Scalar, const N: usize> $trait for VecN<S, N> {
            type Output = Self;
            /// Component by component.
            #[track_caller]
            fn $method(self, rhs: Self) -> Self {
                let mut c = self.c;
                for i in 0..N {
                    let here = c[i];
                    c[i] = here $op rhs.c[i];
                }
                VecN { c }
            }
        }
    )* };
}
between_vectors! { Add::add +; Sub::sub -; Mul::mul *; Div::div /; }

macro_rules! by_scalar {
    ($($trait:ident::$method:ident $op:tt;)*) => { $(
        impl<S: Scalar, const N: usize> $trait<S> for VecN<S, N> {
            type Output = Self;
            #[track_caller]
            fn $method(self, rhs: S) -> Self {
                let mut c = self.c;
                for component in &mut c {
                    let here = *component;
                    *component = here $op rhs;
                }
                VecN { c }
            }
        }
        impl<T: Number, const N: usize> $trait<VecN<Traced<T>, N>> for Traced<T> {
            type Output = VecN<Traced<T>, N>;
            #[track_caller]
            fn $method(self, rhs: VecN<Traced<T>, N>) -> Self::Output {
                let mut c = rhs.c;
                for component in &mut c {
                    *component = self $op *component;
                }
                VecN { c }
            }
        }
        by_scalar!(@host $trait::$method $op, f32 f64 i8 i16 i32 i64 u8 u16 u32 u64);
    )* };
    (@host $trait:ident::$method:ident $op:tt, $($t:ty)*) => {
        by_scalar!(@each $trait $method $op $(($t))*);
    };
    (@each $trait:ident $method:ident $op:tt $(($t:ty))*) => { $(
        impl<const N: usize> $trait<VecN<$t, N>> for $t {
            type Output = VecN<$t, N>;
            fn $method(self, rhs: VecN<$t, N>) -> VecN<$t, N> {
                VecN { c: rhs.c.map(|c| self $op c) }
            }
        }
    )* };
}
by_scalar! { Mul::mul *; Div::div /; }

impl<S: Scalar + Neg<Output = S>, const N: usize> Neg for VecN<S, N> {
    type Output = Self;
    #[track_caller]
    fn neg(self) -> Self {
        let mut c = self.c;
        for component in &mut c {
            *component = -*component;
        }
        VecN { c }
    }
}
impl<S: Scalar, const N: usize> AddAssign for VecN<S, N> {
    #[track_caller]
    fn add_assign(&mut self, rhs: Self) {
        *self = *self + rhs;
    }
}
impl<S: Scalar, const N: usize> SubAssign for VecN<S, N> {
    #[track_caller]
    fn sub_assign(&mut self, rhs: Self) {
        *self = *self - rhs;
    }
}
impl<S: Scalar, const N: usize> MulAssign<S> for VecN<S, N> {
    #[track_caller]
    fn mul_assign(&mut self, rhs: S) {
        *self = *self * rhs;
    }
}
impl<S: Scalar, const N: usize> DivAssign<S> for VecN<S, N> {
    #[track_caller]
    fn div_assign(&mut self, rhs: S) {
        *self = *self / rhs;
    }
}

impl<T, const N: usize> Index<usize> for VecN<T, N> {
    type Output = T;
    /// A component, on the host.
    ///
    /// # Panics
    /// If there is no such component, as slices do.
    fn index(&self, i: usize) -> &T {
        &self.c[i]
    }
}
impl<T, const N: usize> IndexMut<usize> for VecN<T, N> {
    fn index_mut(&mut self, i: usize) -> &mut T {
        &mut self.c[i]
    }
}
impl<T: ScalarType, const N: usize> LoadAt<Traced<i64>> for VecN<Traced<T>, N> {
    type Output = Traced<T>;
    #[track_caller]
    fn load_at(&self, i: Traced<i64>) -> Traced<T> {
        self.c.load_at(i)
    }
}
impl<T: ScalarType, const N: usize> StoreAt<Traced<i64>> for VecN<Traced<T>, N> {
    type Value = Traced<T>;
    #[track_caller]
    fn store_at(&mut self, i: Traced<i64>, value: Traced<T>) {
        self.c.store_at(i, value);
    }
}

/// Marks a size.
#[derive(Clone, Copy, Debug)]
pub struct Size<const N: usize>;

/// The vector that has a size: `Vec2`, `Vec3` and `Vec4` by these names, else [`VecN`].
pub trait OfSize<T> {
    /// It.
    type Vector;
    /// From the vector without a name.
    fn named<const N: usize>(v: VecN<T, N>) -> Self::Vector;
    /// Its components.
    fn components(v: Self::Vector) -> Vec<T>;
}
macro_rules! sizes {
    ($($n:literal $vec:ty;)*) => { $(
        impl<T: Copy> OfSize<T> for Size<$n> {
            type Vector = $vec;
            fn named<const N: usize>(v: VecN<T, N>) -> $vec {
                <$vec>::from_array(std::array::from_fn(|i| v.c[i]))
            }
            fn components(v: $vec) -> Vec<T> {
                v.to_array().to_vec()
            }
        }
    )* };
}
sizes! {
    1 VecN<T, 1>; 2 Vec2<T>; 3 Vec3<T>; 4 Vec4<T>; 5 VecN<T, 5>; 6 VecN<T, 6>; 7 VecN<T, 7>; 8 VecN<T, 8>; 9 VecN<T, 9>;
    10 VecN<T, 10>; 11 VecN<T, 11>; 12 VecN<T, 12>;
}
