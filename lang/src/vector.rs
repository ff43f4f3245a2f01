//! `Vec2`, `Vec3`, `Vec4`: one type for the host (`Vec3<f32>`) and for kernels (`Vec3<Traced<f32>>`).
//!
//! Operators between vectors go component by component, as in GLSL; a scalar may stand on either side.

use crate::array::{LoadAt, StoreAt};
use crate::call::Args;
use crate::scalar::{Float, Number, Scalar, ScalarType, Select};
use crate::traced::Traced;
use crate::types::{ArrayElement, KernelType, Traceable, Values, sealed};
use pullback_ir::{Element, Value};
use std::ops::{Add, AddAssign, Div, DivAssign, Index, IndexMut, Mul, MulAssign, Neg, Sub, SubAssign};

/// A vector of two components.
///
/// ```
/// use pullback_lang::Vec2;
/// assert_eq!(Vec2::new(3.0, 4.0).length(), 5.0);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Vec2<T = f32> {
    /// First component.
    pub x: T,
    /// Second component.
    pub y: T,
}

/// A vector of three components.
///
/// ```
/// use pullback_lang::{Vec3, cross};
/// let (x, y) = (Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0));
/// assert_eq!(cross(x, y), Vec3::new(0.0, 0.0, 1.0));
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Vec3<T = f32> {
    /// First component.
    pub x: T,
    /// Second component.
    pub y: T,
    /// Third component.
    pub z: T,
}

/// A vector of four components.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Vec4<T = f32> {
    /// First component.
    pub x: T,
    /// Second component.
    pub y: T,
    /// Third component.
    pub z: T,
    /// Fourth component.
    pub w: T,
}

/// A vector of two components.
pub const fn vec2<T>(x: T, y: T) -> Vec2<T>
where
    T: Copy,
{
    Vec2 { x, y }
}
/// A vector of three components.
pub const fn vec3<T>(x: T, y: T, z: T) -> Vec3<T>
where
    T: Copy,
{
    Vec3 { x, y, z }
}
/// A vector of four components.
pub const fn vec4<T>(x: T, y: T, z: T, w: T) -> Vec4<T>
where
    T: Copy,
{
    Vec4 { x, y, z, w }
}

/// What has components that can be added and scaled: scalars, vectors, quaternions and matrices.
pub trait Linear: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Self::Component, Output = Self> {
    /// The type of its components.
    type Component: Scalar;
}

/// What has a scalar product: vectors and quaternions.
pub trait Vector: Linear {
    /// The sum of the products of components.
    fn inner(self, other: Self) -> Self::Component;
}

macro_rules! linear_scalars {
    ($($t:ty),*) => { $(
        impl Linear for $t {
            type Component = $t;
        }
    )* };
}
linear_scalars!(f32, f64, i8, i16, i32, i64, u8, u16, u32, u64);
impl<T: Number> Linear for Traced<T> {
    type Component = Traced<T>;
}

/// Everything that types of named components of one type share: they map into kernels, lie packed in
/// arrays, add, subtract, and scale.
macro_rules! components {
    ($name:ident { $($c:ident . $i:tt),* } $count:literal) => {
        impl<T: ScalarType> KernelType for $name<T> {
            type Traced = $name<Traced<T>>;
            #[track_caller]
            fn constant(self) -> Self::Traced {
                $name { $($c: self.$c.constant()),* }
            }
            fn push(self, args: &mut Args) {
                $(self.$c.push(args);)*
            }
            fn param(name: &str) -> Self::Traced {
                $name { $($c: T::param(&format!("{name}_{}", stringify!($c)))),* }
            }
        }
        impl<T> sealed::Sealed for $name<T> {}
        impl<T: ScalarType> ArrayElement for $name<T> {
            fn element() -> Element {
                Element::packed(T::SCALAR, $count)
            }
        }
        impl<T: ScalarType> Traceable for $name<Traced<T>> {
            fn scalars(out: &mut Vec<pullback_ir::Scalar>) {
                out.extend([T::SCALAR; $count]);
            }
            fn values(&self, out: &mut Vec<Value>) {
                out.extend([$(self.$c.value()),*]);
            }
            fn from_values(values: &mut Values<'_>) -> Self {
                $name { $($c: Traced::from_value(values.take())),* }
            }
        }
        impl<T: Select> Select for $name<T> {
            type Bool = T::Bool;
            #[track_caller]
            fn pick(cond: T::Bool, a: Self, b: Self) -> Self {
                $name { $($c: T::pick(cond, a.$c, b.$c)),* }
            }
        }
        impl<S: Scalar> Linear for $name<S> {
            type Component = S;
        }
        impl<S: Scalar> Vector for $name<S> {
            #[track_caller]
            fn inner(self, other: Self) -> S {
                $crate::vector::sum!($(self.$c * other.$c),*)
            }
        }
        impl<T: Copy> $name<T> {
            /// From components.
            pub const fn new($($c: T),*) -> Self {
                $name { $($c),* }
            }
            /// The components in order.
            pub const fn to_array(self) -> [T; $count] {
                [$(self.$c),*]
            }
            /// From the components in order.
            pub const fn from_array(array: [T; $count]) -> Self {
                $name { $($c: array[$i]),* }
            }
        }
        impl<S: Scalar> $name<S> {
            /// The sum of the products of components.
            #[track_caller]
            pub fn dot(self, other: Self) -> S {
                self.inner(other)
            }
            /// The square of the length.
            #[track_caller]
            pub fn length_sq(self) -> S {
                self.inner(self)
            }
        }
        impl<S: Float> $name<S> {
            /// The Euclidean length; derivative 0 at 0.
            #[track_caller]
            pub fn length(self) -> S {
                $crate::builtins::length(self)
            }
            /// Of length 1 in the same direction; 0, with derivative 0, for 0.
            #[track_caller]
            pub fn normalize(self) -> Self {
                $crate::builtins::normalize(self)
            }
            /// `self` at t = 0, `other` at t = 1, straight between.
            #[track_caller]
            pub fn lerp(self, other: Self, t: S) -> Self {
                $crate::builtins::lerp(self, other, t)
            }
        }
        impl<T> From<[T; $count]> for $name<T>
        where
            T: Copy,
        {
            fn from(array: [T; $count]) -> Self {
                $name { $($c: array[$i]),* }
            }
        }
        impl<T: Copy> From<$name<T>> for [T; $count] {
            fn from(v: $name<T>) -> Self {
                v.to_array()
            }
        }
        impl<S: Scalar> Add for $name<S> {
            type Output = Self;
            #[track_caller]
            fn add(self, rhs: Self) -> Self {
                $name { $($c: self.$c + rhs.$c),* }
            }
        }
        impl<S: Scalar> Sub for $name<S> {
            type Output = Self;
            #[track_caller]
            fn sub(self, rhs: Self) -> Self {
                $name { $($c: self.$c - rhs.$c),* }
            }
        }
        impl<S: Scalar + Neg<Output = S>> Neg for $name<S> {
            type Output = Self;
            #[track_caller]
            fn neg(self) -> Self {
                $name { $($c: -self.$c),* }
            }
        }
        impl<S: Scalar> Mul<S> for $name<S> {
            type Output = Self;
            #[track_caller]
            fn mul(self, rhs: S) -> Self {
                $name { $($c: self.$c * rhs),* }
            }
        }
        impl<S: Scalar> Div<S> for $name<S> {
            type Output = Self;
            #[track_caller]
            fn div(self, rhs: S) -> Self {
                $name { $($c: self.$c / rhs),* }
            }
        }
        impl<T: Number> Mul<$name<Traced<T>>> for Traced<T> {
            type Output = $name<Traced<T>>;
            #[track_caller]
            fn mul(self, rhs: $name<Traced<T>>) -> Self::Output {
                $name { $($c: self * rhs.$c),* }
            }
        }
        $crate::vector::components!(@left $name { $($c),* } f32, f64, i8, i16, i32, i64, u8, u16, u32, u64);
        impl<S: Scalar> AddAssign for $name<S> {
            #[track_caller]
            fn add_assign(&mut self, rhs: Self) {
                *self = *self + rhs;
            }
        }
        impl<S: Scalar> SubAssign for $name<S> {
            #[track_caller]
            fn sub_assign(&mut self, rhs: Self) {
                *self = *self - rhs;
            }
        }
        impl<S: Scalar> MulAssign<S> for $name<S> {
            #[track_caller]
            fn mul_assign(&mut self, rhs: S) {
                *self = *self * rhs;
            }
        }
        impl<S: Scalar> DivAssign<S> for $name<S> {
            #[track_caller]
            fn div_assign(&mut self, rhs: S) {
                *self = *self / rhs;
            }
        }
        impl<T> Index<usize> for $name<T> {
            type Output = T;
            /// A component, on the host.
            ///
            /// # Panics
            /// If there is no such component, as slices do.
            fn index(&self, i: usize) -> &T {
                match i {
                    $($i => &self.$c,)*
                    _ => panic!("component {i} of a {}, which has {}", stringify!($name), $count),
                }
            }
        }
        impl<T> IndexMut<usize> for $name<T> {
            /// A component, on the host.
            ///
            /// # Panics
            /// If there is no such component, as slices do.
            fn index_mut(&mut self, i: usize) -> &mut T {
                match i {
                    $($i => &mut self.$c,)*
                    _ => panic!("component {i} of a {}, which has {}", stringify!($name), $count),
                }
            }
        }
        impl<T: ScalarType> LoadAt<Traced<i64>> for $name<Traced<T>> {
            type Output = Traced<T>;
            #[track_caller]
            fn load_at(&self, i: Traced<i64>) -> Traced<T> {
                $crate::array::pick_component(&self.to_array(), i)
            }
        }
        impl<T: ScalarType> StoreAt<Traced<i64>> for $name<Traced<T>> {
            type Value = Traced<T>;
            #[track_caller]
            fn store_at(&mut self, i: Traced<i64>, value: Traced<T>) {
                *self = $name::from_array($crate::array::set_component(self.to_array(), i, value));
            }
        }
    };
    (@left $name:ident { $($c:ident),* } $($t:ty),*) => {
        $crate::vector::components!(@each $name ($($c),*) $(($t))*);
    };
    (@each $name:ident $c:tt $(($t:ty))*) => {
        $($crate::vector::components!(@one $name $c $t);)*
    };
    (@one $name:ident ($($c:ident),*) $t:ty) => {
        impl Mul<$name<$t>> for $t {
            type Output = $name<$t>;
            fn mul(self, rhs: $name<$t>) -> $name<$t> {
                $name { $($c: self * rhs.$c),* }
            }
        }
    };
}
pub(crate) use components;

/// a + b + c + …, from the left.
macro_rules! sum {
    ($first:expr $(, $rest:expr)*) => {
        $first $(+ $rest)*
    };
}
pub(crate) use sum;

components!(Vec2 { x.0, y.1 } 2);
components!(Vec3 { x.0, y.1, z.2 } 3);
components!(Vec4 { x.0, y.1, z.2, w.3 } 4);

macro_rules! vectors {
    (@under $t:ident $name:ident { $($c:ident),* }) => {
        impl Div<$name<$t>> for $t {
            type Output = $name<$t>;
            /// Component by component.
            fn div(self, rhs: $name<$t>) -> $name<$t> {
                $name { $($c: self / rhs.$c),* }
            }
        }
    };
    ($($name:ident { $($c:ident),* })*) => { $(
        vectors!(@under f32 $name { $($c),* });
        vectors!(@under f64 $name { $($c),* });
        impl<T: Number> Div<$name<Traced<T>>> for Traced<T> {
            type Output = $name<Traced<T>>;
            /// Component by component.
            #[track_caller]
            fn div(self, rhs: $name<Traced<T>>) -> Self::Output {
                $name { $($c: self / rhs.$c),* }
            }
        }
        impl<S: Scalar> MulAssign for $name<S> {
            /// Component by component.
            #[track_caller]
            fn mul_assign(&mut self, rhs: Self) {
                *self = *self * rhs;
            }
        }
        impl<S: Scalar> DivAssign for $name<S> {
            /// Component by component.
            #[track_caller]
            fn div_assign(&mut self, rhs: Self) {
                *self = *self / rhs;
            }
        }
        impl<S: Scalar> $name<S> {
            /// All components the same.
            #[track_caller]
            pub fn splat(v: S) -> Self {
                $name { $($c: v),* }
            }
            /// All components 0.
            #[track_caller]
            pub fn zeros() -> Self {
                Self::splat(S::lit(0.0))
            }
        }
        impl<S: Scalar> Mul for $name<S> {
            type Output = Self;
            /// Component by component.
            #[track_caller]
            fn mul(self, rhs: Self) -> Self {
                $name { $($c: self.$c * rhs.$c),* }
            }
        }
        impl<S: Scalar> Div for $name<S> {
            type Output = Self;
            /// Component by component.
            #[track_caller]
            fn div(self, rhs: Self) -> Self {
                $name { $($c: self.$c / rhs.$c),* }
            }
        }
    )* };
}
vectors! {
    Vec2 { x, y }
    Vec3 { x, y, z }
    Vec4 { x, y, z, w }
}

impl<S: Scalar> Vec3<S> {
    /// The cross product.
    #[track_caller]
    pub fn cross(self, other: Self) -> Self {
        crate::builtins::cross(self, other)
    }
}
