//! `Mat22`, `Mat33`, `Mat44`: square matrices, kept row by row.
//!
//! `m[(i, j)]` is row i, column j, and `m[i]` row i, on the host and in kernels.

use crate::array::{ComponentIndex, LoadAt, StoreAt};
use crate::call::Args;
use crate::scalar::{Float, Number, Scalar, ScalarType, Select};
use crate::traced::Traced;
use crate::types::{ArrayElement, KernelType, Traceable, Values, sealed};
use crate::vector::{Linear, Vec2, Vec3, Vec4};
use pullback_ir::{Element, Value};
use std::ops::{Add, AddAssign, Div, DivAssign, Index, IndexMut, Mul, MulAssign, Neg, Sub, SubAssign};

macro_rules! matrices {
    ($($(#[$doc:meta])* $name:ident of $vec:ident { $($r:tt $c:ident),* } $n:literal;)*) => { $(
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, PartialEq, Default)]
        pub struct $name<T = f32> {
            /// The rows, from the top.
            pub rows: [$vec<T>; $n],
        }

        impl<T: ScalarType> KernelType for $name<T> {
            type Traced = $name<Traced<T>>;
            #[track_caller]
            fn constant(self) -> Self::Traced {
                $name { rows: [$(self.rows[$r].constant()),*] }
            }
            fn push(self, args: &mut Args) {
                $(self.rows[$r].push(args);)*
            }
            fn param(name: &str) -> Self::Traced {
                $name { rows: [$(<$vec<T>>::param(&format!("{name}_{}", $r))),*] }
            }
        }
        impl<T> sealed::Sealed for $name<T> {}
        impl<T: ScalarType> ArrayElement for $name<T> {
            fn element() -> Element {
                Element::packed(T::SCALAR, $n * $n)
            }
        }
        impl<T: ScalarType> Traceable for $name<Traced<T>> {
            fn scalars(out: &mut Vec<pullback_ir::Scalar>) {
                out.extend([T::SCALAR; $n * $n]);
            }
            fn values(&self, out: &mut Vec<Value>) {
                $(self.rows[$r].values(out);)*
            }
            fn from_values(values: &mut Values<'_>) -> Self {
                $name { rows: [$({ let _ = $r; Traceable::from_values(values) }),*] }
            }
        }
        impl<T: Select> Select for $name<T> {
            type Bool = T::Bool;
            #[track_caller]
            fn pick(cond: T::Bool, a: Self, b: Self) -> Self {
                $name { rows: [$(Select::pick(cond, a.rows[$r], b.rows[$r])),*] }
            }
        }
        impl<S: Scalar> Linear for $name<S> {
            type Component = S;
        }

        impl<T: Copy> $name<T> {
            /// From rows, the top one first.
            pub const fn from_rows($($c: $vec<T>),*) -> Self {
                $name { rows: [$($c),*] }
            }
            /// From columns, the left one first.
            pub const fn from_columns($($c: $vec<T>),*) -> Self {
                $name::from_rows($($c),*).transposed()
            }
            const fn transposed(self) -> Self {
                let columns = [$(self.column_of($r)),*];
                $name { rows: columns }
            }
            const fn column_of(&self, i: usize) -> $vec<T> {
                $vec { $($c: self.rows[$r].to_array()[i]),* }
            }
            /// Row `i`: a `usize` on the host, an `i64` in kernels.
            ///
            /// # Panics
            /// On the host if there is no such row, as slices do.
            #[track_caller]
            pub fn row<I: ComponentIndex<$vec<T>>>(self, i: I) -> $vec<T> {
                i.of(self.rows)
            }
            /// Column `i`: a `usize` on the host, an `i64` in kernels.
            ///
            /// # Panics
            /// On the host if there is no such column, as slices do.
            #[track_caller]
            pub fn column<I: ComponentIndex<$vec<T>>>(self, i: I) -> $vec<T> {
                i.of(self.transposed().rows)
            }
            /// Rows become columns.
            pub const fn transpose(self) -> Self {
                self.transposed()
            }
        }
        impl<S: Scalar> $name<S> {
            /// All entries 0.
            #[track_caller]
            pub fn zeros() -> Self {
                $name { rows: [$vec::zeros(); $n] }
            }
            /// Zero off the diagonal.
            #[track_caller]
            pub fn diagonal(d: $vec<S>) -> Self {
                let mut m = Self::zeros();
                $(m.rows[$r].$c = d.$c;)*
                m
            }
            /// Ones on the diagonal, zeros elsewhere.
            #[track_caller]
            pub fn identity() -> Self {
                Self::diagonal($vec::splat(S::lit(1.0)))
            }
        }
        impl<S: Float> $name<S> {
            /// The determinant.
            #[track_caller]
            pub fn determinant(self) -> S {
                $crate::builtins::determinant(self)
            }
            /// The inverse; not finite for a singular matrix.
            #[track_caller]
            pub fn inverse(self) -> Self {
                $crate::builtins::inverse(self)
            }
        }
        impl<S: Scalar> Add for $name<S> {
            type Output = Self;
            #[track_caller]
            fn add(self, rhs: Self) -> Self {
                $name { rows: [$(self.rows[$r] + rhs.rows[$r]),*] }
            }
        }
        impl<S: Scalar> Sub for $name<S> {
            type Output = Self;
            #[track_caller]
            fn sub(self, rhs: Self) -> Self {
                $name { rows: [$(self.rows[$r] - rhs.rows[$r]),*] }
            }
        }
        impl<S: Scalar + Neg<Output = S>> Neg for $name<S> {
            type Output = Self;
            #[track_caller]
            fn neg(self) -> Self {
                $name { rows: [$(-self.rows[$r]),*] }
            }
        }
        impl<S: Scalar> Mul<S> for $name<S> {
            type Output = Self;
            #[track_caller]
            fn mul(self, rhs: S) -> Self {
                $name { rows: [$(self.rows[$r] * rhs),*] }
            }
        }
        impl<S: Scalar> Div<S> for $name<S> {
            type Output = Self;
            #[track_caller]
            fn div(self, rhs: S) -> Self {
                $name { rows: [$(self.rows[$r] / rhs),*] }
            }
        }
        impl<S: Scalar> Mul<$vec<S>> for $name<S> {
            type Output = $vec<S>;
            /// The matrix applied to a column vector.
            #[track_caller]
            fn mul(self, rhs: $vec<S>) -> $vec<S> {
                $vec { $($c: self.rows[$r].dot(rhs)),* }
            }
        }
        impl<S: Scalar> Mul for $name<S> {
            type Output = Self;
            /// The matrix product.
            #[track_caller]
            fn mul(self, rhs: Self) -> Self {
                let columns = rhs.transposed();
                $name { rows: [$(columns * self.rows[$r]),*] }
            }
        }
        impl<T: Number> Mul<$name<Traced<T>>> for Traced<T> {
            type Output = $name<Traced<T>>;
            #[track_caller]
            fn mul(self, rhs: $name<Traced<T>>) -> Self::Output {
                $name { rows: [$(self * rhs.rows[$r]),*] }
            }
        }
        impl<T: Number> Div<$name<Traced<T>>> for Traced<T> {
            type Output = $name<Traced<T>>;
            /// Entry by entry.
            #[track_caller]
            fn div(self, rhs: $name<Traced<T>>) -> Self::Output {
                $name { rows: [$(self / rhs.rows[$r]),*] }
            }
        }
        impl Div<$name<f32>> for f32 {
            type Output = $name<f32>;
            fn div(self, rhs: $name<f32>) -> Self::Output {
                $name { rows: [$(self / rhs.rows[$r]),*] }
            }
        }
        impl Div<$name<f64>> for f64 {
            type Output = $name<f64>;
            fn div(self, rhs: $name<f64>) -> Self::Output {
                $name { rows: [$(self / rhs.rows[$r]),*] }
            }
        }
        impl Mul<$name<f32>> for f32 {
            type Output = $name<f32>;
            fn mul(self, rhs: $name<f32>) -> Self::Output {
                rhs * self
            }
        }
        impl Mul<$name<f64>> for f64 {
            type Output = $name<f64>;
            fn mul(self, rhs: $name<f64>) -> Self::Output {
                rhs * self
            }
        }
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
        impl<T> Index<(usize, usize)> for $name<T> {
            type Output = T;
            /// Row i, column j, on the host.
            ///
            /// # Panics
            /// If there is no such entry, as slices do.
            fn index(&self, (i, j): (usize, usize)) -> &T {
                &self.rows[i][j]
            }
        }
        impl<T> IndexMut<(usize, usize)> for $name<T> {
            fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
                &mut self.rows[i][j]
            }
        }
        impl<T> Index<usize> for $name<T> {
            type Output = $vec<T>;
            /// Row i, on the host.
            ///
            /// # Panics
            /// If there is no such row, as slices do.
            fn index(&self, i: usize) -> &$vec<T> {
                &self.rows[i]
            }
        }
        impl<T> IndexMut<usize> for $name<T> {
            fn index_mut(&mut self, i: usize) -> &mut $vec<T> {
                &mut self.rows[i]
            }
        }
        impl<T: ScalarType> LoadAt<Traced<i64>> for $name<Traced<T>> {
            type Output = $vec<Traced<T>>;
            #[track_caller]
            fn load_at(&self, i: Traced<i64>) -> $vec<Traced<T>> {
                $crate::array::pick_component(&self.rows, i)
            }
        }
        impl<T: ScalarType> StoreAt<Traced<i64>> for $name<Traced<T>> {
            type Value = $vec<Traced<T>>;
            #[track_caller]
            fn store_at(&mut self, i: Traced<i64>, row: $vec<Traced<T>>) {
                self.rows = $crate::array::set_component(self.rows, i, row);
            }
        }
        impl<T: ScalarType> LoadAt<(Traced<i64>, Traced<i64>)> for $name<Traced<T>> {
            type Output = Traced<T>;
            #[track_caller]
            fn load_at(&self, (i, j): (Traced<i64>, Traced<i64>)) -> Traced<T> {
                let row = $crate::array::pick_component(&self.rows, i);
                row.load_at(j)
            }
        }
        impl<T: ScalarType> StoreAt<(Traced<i64>, Traced<i64>)> for $name<Traced<T>> {
            type Value = Traced<T>;
            #[track_caller]
            fn store_at(&mut self, (i, j): (Traced<i64>, Traced<i64>), value: Traced<T>) {
                let mut row = $crate::array::pick_component(&self.rows, i);
                row.store_at(j, value);
                self.rows = $crate::array::set_component(self.rows, i, row);
            }
        }
    )* };
}

matrices! {
    /// A matrix of two rows and columns.
    Mat22 of Vec2 { 0 x, 1 y } 2;
    /// A matrix of three rows and columns.
    ///
    /// ```
    /// use pullback_lang::{Mat33, Vec3};
    /// let m = Mat33::diagonal(Vec3::new(1.0, 2.0, 4.0));
    /// assert_eq!(m * Vec3::splat(1.0), Vec3::new(1.0, 2.0, 4.0));
    /// assert_eq!(m.inverse()[(2, 2)], 0.25);
    /// ```
    Mat33 of Vec3 { 0 x, 1 y, 2 z } 3;
    /// A matrix of four rows and columns.
    Mat44 of Vec4 { 0 x, 1 y, 2 z, 3 w } 4;
}
