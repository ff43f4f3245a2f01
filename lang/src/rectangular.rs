//! `Mat<T, R, C>`: matrices of any small fixed size, kept row by row, for the host and for kernels; `Mat66`,
//! `Mat23` and so on are such. The squares of 2 to 4 rows are [`Mat22`], [`Mat33`], [`Mat44`], with which
//! these multiply.
// Several lists are walked side by side, by their indices.
#![allow(clippy::needless_range_loop)]

use crate::array::{LoadAt, StoreAt, pick_component, set_component};
use crate::builtins::Square;
use crate::call::Args;
use crate::expand::Equal;
use crate::matrix::{Mat22, Mat33, Mat44};
use crate::scalar::{Condition, Float, Number, Scalar, ScalarType, Select};
use crate::sized::{OfSize, Size, VecN};
use crate::traced::Traced;
use crate::types::{ArrayElement, KernelType, Traceable, Values, sealed};
use crate::vector::{Linear, Vec2, Vec3, Vec4};
use pullback_ir::{Element, Value};
use std::ops::{Add, AddAssign, Div, DivAssign, Index, IndexMut, Mul, MulAssign, Neg, Sub, SubAssign};

/// A matrix of `R` rows and `C` columns.
///
/// ```
/// use pullback_lang::{Mat23, Vec2, Vec3};
/// let m = Mat23::from_rows([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]);
/// assert_eq!(m * Vec3::new(1.0, 1.0, 1.0), Vec2::new(3.0, 3.0));
/// assert_eq!(m.transpose()[(2, 0)], 2.0);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mat<T, const R: usize, const C: usize> {
    /// The rows, from the top.
    pub rows: [[T; C]; R],
}

macro_rules! names {
    ($($name:ident $r:literal $c:literal;)*) => { $(
        #[doc = concat!("A matrix of ", stringify!($r), " rows and ", stringify!($c), " columns.")]
        pub type $name<T = f32> = Mat<T, $r, $c>;
    )* };
}
names! {
    Mat23 2 3; Mat32 3 2; Mat24 2 4; Mat42 4 2; Mat34 3 4; Mat43 4 3; Mat36 3 6; Mat63 6 3; Mat55 5 5; Mat66 6 6;
}

impl<T: Default + Copy, const R: usize, const C: usize> Default for Mat<T, R, C> {
    fn default() -> Self {
        Mat { rows: [[T::default(); C]; R] }
    }
}
impl<T: ScalarType, const R: usize, const C: usize> KernelType for Mat<T, R, C> {
    type Traced = Mat<Traced<T>, R, C>;
    #[track_caller]
    fn constant(self) -> Self::Traced {
        Mat { rows: self.rows.constant() }
    }
    fn push(self, args: &mut Args) {
        self.rows.push(args);
    }
    fn param(name: &str) -> Self::Traced {
        Mat { rows: <[[T; C]; R]>::param(name) }
    }
}
impl<T, const R: usize, const C: usize> sealed::Sealed for Mat<T, R, C> {}
impl<T: ScalarType, const R: usize, const C: usize> ArrayElement for Mat<T, R, C> {
    fn element() -> Element {
        Element::packed(T::SCALAR, (R * C) as u32)
    }
}
impl<T: ScalarType, const R: usize, const C: usize> Traceable for Mat<Traced<T>, R, C> {
    fn scalars(out: &mut Vec<pullback_ir::Scalar>) {
        out.extend(std::iter::repeat_n(T::SCALAR, R * C));
    }
    fn values(&self, out: &mut Vec<Value>) {
        out.extend(self.rows.iter().flatten().map(|c| c.value()));
    }
    fn from_values(values: &mut Values<'_>) -> Self {
        Mat { rows: std::array::from_fn(|_| std::array::from_fn(|_| Traced::from_value(values.take()))) }
    }
}
impl<T: ScalarType, const R: usize, const C: usize> Equal for Mat<Traced<T>, R, C> {
    #[track_caller]
    fn equal(self, other: Self) -> Traced<bool> {
        let mut all = Traced::<bool>::truth(true);
        for i in 0..R {
            for j in 0..C {
                all &= self.rows[i][j].equal(other.rows[i][j]);
            }
        }
        all
    }
}
impl<T: Select, const R: usize, const C: usize> Select for Mat<T, R, C> {
    type Bool = T::Bool;
    #[track_caller]
    fn pick(cond: T::Bool, a: Self, b: Self) -> Self {
        let mut rows = a.rows;
        for i in 0..R {
            for j in 0..C {
                rows[i][j] = T::pick(cond, a.rows[i][j], b.rows[i][j]);
            }
        }
        Mat { rows }
    }
}
impl<S: Scalar, const R: usize, const C: usize> Linear for Mat<S, R, C> {
    type Component = S;
}

impl<T: Copy, const R: usize, const C: usize> Mat<T, R, C> {
    /// From rows, the top one first.
    pub const fn from_rows(rows: [[T; C]; R]) -> Self {
        Mat { rows }
    }
    /// From columns, the left one first.
    pub fn from_columns(columns: [[T; R]; C]) -> Self {
        Mat { rows: std::array::from_fn(|i| std::array::from_fn(|j| columns[j][i])) }
    }
    /// Rows become columns.
    pub fn transpose(self) -> Mat<T, C, R> {
        Mat::from_columns(self.rows)
    }
}
impl<S: Scalar, const R: usize, const C: usize> Mat<S, R, C> {
    /// All entries 0.
    #[track_caller]
    pub fn zeros() -> Self {
        Mat { rows: [[S::lit(0.0); C]; R] }
    }
}
impl<S: Scalar, const N: usize> Mat<S, N, N> {
    /// Zero off the diagonal.
    #[track_caller]
    pub fn diagonal(d: VecN<S, N>) -> Self {
        let mut m = Self::zeros();
        for i in 0..N {
            m.rows[i][i] = d.c[i];
        }
        m
    }
    /// Ones on the diagonal, zeros elsewhere.
    #[track_caller]
    pub fn identity() -> Self {
        Self::diagonal(VecN::splat(S::lit(1.0)))
    }
}
/// The number of a row or a column: a `usize` on the host, an `i64` in kernels. Rows and columns of
/// [`Mat`]s are given by it.
pub trait EntryIndex<T>: Copy {
    /// That one of all.
    #[doc(hidden)]
    #[track_caller]
    fn one_of<const N: usize>(self, all: [T; N]) -> T;
}
impl<T: Copy> EntryIndex<T> for usize {
    #[track_caller]
    fn one_of<const N: usize>(self, all: [T; N]) -> T {
        all[self]
    }
}
impl<T: Traceable> EntryIndex<T> for Traced<i64> {
    #[track_caller]
    fn one_of<const N: usize>(self, all: [T; N]) -> T {
        pick_component(&all, self)
    }
}
impl<T: Copy, const R: usize, const C: usize> Mat<T, R, C> {
    /// Row `i`: a `usize` on the host, an `i64` in kernels.
    ///
    /// # Panics
    /// On the host if there is no such row, as slices do.
    #[track_caller]
    pub fn row<I: EntryIndex<[T; C]>>(self, i: I) -> <Size<C> as OfSize<T>>::Vector
    where
        Size<C>: OfSize<T>,
    {
        <Size<C> as OfSize<T>>::named(VecN { c: i.one_of(self.rows) })
    }
    /// Column `i`: a `usize` on the host, an `i64` in kernels.
    ///
    /// # Panics
    /// On the host if there is no such column, as slices do.
    #[track_caller]
    pub fn column<I: EntryIndex<[T; R]>>(self, i: I) -> <Size<R> as OfSize<T>>::Vector
    where
        Size<R>: OfSize<T>,
    {
        <Size<R> as OfSize<T>>::named(VecN { c: i.one_of(self.transpose().rows) })
    }
}

macro_rules! between_matrices {
    ($($trait:ident::$method:ident $op:tt, $assign:ident::$assign_method:ident;)*) => { $(
        impl<S: Scalar, const R: usize, const C: usize> $trait for Mat<S, R, C> {
            type Output = Self;
            #[track_caller]
            fn $method(self, rhs: Self) -> Self {
                let mut rows = self.rows;
                for i in 0..R {
                    for j in 0..C {
                        let here = rows[i][j];
                        rows[i][j] = here $op rhs.rows[i][j];
                    }
                }
                Mat { rows }
            }
        }
        impl<S: Scalar, const R: usize, const C: usize> $assign for Mat<S, R, C> {
            #[track_caller]
            fn $assign_method(&mut self, rhs: Self) {
                *self = *self $op rhs;
            }
        }
    )* };
}
between_matrices! { Add::add +, AddAssign::add_assign; Sub::sub -, SubAssign::sub_assign; }

macro_rules! by_scalar {
    ($($trait:ident::$method:ident $op:tt, $assign:ident::$assign_method:ident;)*) => { $(
        impl<S: Scalar, const R: usize, const C: usize> $trait<S> for Mat<S, R, C> {
            type Output = Self;
            #[track_caller]
            fn $method(self, rhs: S) -> Self {
                let mut rows = self.rows;
                for entry in rows.iter_mut().flatten() {
                    let here = *entry;
                    *entry = here $op rhs;
                }
                Mat { rows }
            }
        }
        impl<S: Scalar, const R: usize, const C: usize> $assign<S> for Mat<S, R, C> {
            #[track_caller]
            fn $assign_method(&mut self, rhs: S) {
                *self = *self $op rhs;
            }
        }
        impl<T: Number, const R: usize, const C: usize> $trait<Mat<Traced<T>, R, C>> for Traced<T> {
            type Output = Mat<Traced<T>, R, C>;
            #[track_caller]
            fn $method(self, rhs: Mat<Traced<T>, R, C>) -> Self::Output {
                let mut rows = rhs.rows;
                for entry in rows.iter_mut().flatten() {
                    *entry = self $op *entry;
                }
                Mat { rows }
            }
        }
        by_scalar!(@host $trait $method $op f32);
        by_scalar!(@host $trait $method $op f64);
    )* };
    (@host $trait:ident $method:ident $op:tt $t:ty) => {
        impl<const R: usize, const C: usize> $trait<Mat<$t, R, C>> for $t {
            type Output = Mat<$t, R, C>;
            fn $method(self, rhs: Mat<$t, R, C>) -> Self::Output {
                Mat { rows: rhs.rows.map(|row| row.map(|entry| self $op entry)) }
            }
        }
    };
}
by_scalar! { Mul::mul *, MulAssign::mul_assign; Div::div /, DivAssign::div_assign; }

impl<S: Scalar + Neg<Output = S>, const R: usize, const C: usize> Neg for Mat<S, R, C> {
    type Output = Self;
    #[track_caller]
    fn neg(self) -> Self {
        let mut rows = self.rows;
        for entry in rows.iter_mut().flatten() {
            *entry = -*entry;
        }
        Mat { rows }
    }
}

/// Rows times columns: `R × K` by `K × C`.
#[track_caller]
fn product<S: Scalar, const R: usize, const K: usize, const C: usize>(a: &[[S; K]; R], b: &[[S; C]; K]) -> [[S; C]; R] {
    let mut rows = [[S::lit(0.0); C]; R];
    for i in 0..R {
        for j in 0..C {
            for k in 0..K {
                let term = a[i][k] * b[k][j];
                rows[i][j] = if k == 0 { term } else { rows[i][j] + term };
            }
        }
    }
    rows
}
impl<S: Scalar, const R: usize, const K: usize, const C: usize> Mul<Mat<S, K, C>> for Mat<S, R, K> {
    type Output = Mat<S, R, C>;
    /// The matrix product.
    #[track_caller]
    fn mul(self, rhs: Mat<S, K, C>) -> Mat<S, R, C> {
        Mat { rows: product(&self.rows, &rhs.rows) }
    }
}

/// The matrix applied to a column vector.
#[track_caller]
fn apply<S: Scalar, const R: usize, const C: usize>(m: &[[S; C]; R], v: [S; C]) -> VecN<S, R> {
    let mut column = [[S::lit(0.0)]; C];
    for i in 0..C {
        column[i] = [v[i]];
    }
    let mut c = [S::lit(0.0); R];
    for (to, from) in c.iter_mut().zip(product(m, &column)) {
        *to = from[0];
    }
    VecN { c }
}
impl<S: Scalar, const R: usize, const C: usize> Mul<VecN<S, C>> for Mat<S, R, C>
where
    Size<R>: OfSize<S>,
{
    type Output = <Size<R> as OfSize<S>>::Vector;
    /// The matrix applied to a column vector.
    #[track_caller]
    fn mul(self, rhs: VecN<S, C>) -> Self::Output {
        <Size<R> as OfSize<S>>::named(apply(&self.rows, rhs.c))
    }
}

macro_rules! with_named {
    ($($n:literal $vec:ident $mat:ident;)*) => { $(
        impl<S: Scalar, const R: usize> Mul<$vec<S>> for Mat<S, R, $n>
        where
            Size<R>: OfSize<S>,
        {
            type Output = <Size<R> as OfSize<S>>::Vector;
            /// The matrix applied to a column vector.
            #[track_caller]
            fn mul(self, rhs: $vec<S>) -> Self::Output {
                <Size<R> as OfSize<S>>::named(apply(&self.rows, rhs.to_array()))
            }
        }
        impl<S: Scalar, const R: usize> Mul<$mat<S>> for Mat<S, R, $n> {
            type Output = Mat<S, R, $n>;
            /// The matrix product.
            #[track_caller]
            fn mul(self, rhs: $mat<S>) -> Self::Output {
                self * Mat::from(rhs)
            }
        }
        impl<S: Scalar, const C: usize> Mul<Mat<S, $n, C>> for $mat<S> {
            type Output = Mat<S, $n, C>;
            /// The matrix product.
            #[track_caller]
            fn mul(self, rhs: Mat<S, $n, C>) -> Self::Output {
                Mat::from(self) * rhs
            }
        }
        impl<T: Copy> From<$mat<T>> for Mat<T, $n, $n> {
            fn from(m: $mat<T>) -> Self {
                Mat { rows: m.rows.map(|r| r.to_array()) }
            }
        }
        impl<T: Copy> From<Mat<T, $n, $n>> for $mat<T> {
            fn from(m: Mat<T, $n, $n>) -> Self {
                $mat { rows: m.rows.map($vec::from_array) }
            }
        }
    )* };
}
with_named! { 2 Vec2 Mat22; 3 Vec3 Mat33; 4 Vec4 Mat44; }

impl<S: Float, const N: usize> Square<N> for Mat<S, N, N> {
    type Entry = S;
    type Column = VecN<S, N>;
    fn entries(self) -> Vec<S> {
        self.rows.concat()
    }
    fn from_entries(entries: &[S]) -> Self {
        Mat { rows: std::array::from_fn(|i| std::array::from_fn(|j| entries[i * N + j])) }
    }
    fn components(column: VecN<S, N>) -> Vec<S> {
        column.c.to_vec()
    }
    fn column_of(components: &[S]) -> VecN<S, N> {
        VecN { c: std::array::from_fn(|i| components[i]) }
    }
}

impl<T, const R: usize, const C: usize> Index<(usize, usize)> for Mat<T, R, C> {
    type Output = T;
    /// Row i, column j, on the host.
    ///
    /// # Panics
    /// If there is no such entry, as slices do.
    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.rows[i][j]
    }
}
impl<T, const R: usize, const C: usize> IndexMut<(usize, usize)> for Mat<T, R, C> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.rows[i][j]
    }
}
impl<T: ScalarType, const R: usize, const C: usize> LoadAt<Traced<i64>> for Mat<Traced<T>, R, C>
where
    Size<C>: OfSize<Traced<T>>,
{
    type Output = <Size<C> as OfSize<Traced<T>>>::Vector;
    #[track_caller]
    fn load_at(&self, i: Traced<i64>) -> Self::Output {
        <Size<C> as OfSize<Traced<T>>>::named(VecN { c: pick_component(&self.rows, i) })
    }
}
impl<T: ScalarType, const R: usize, const C: usize> StoreAt<Traced<i64>> for Mat<Traced<T>, R, C>
where
    Size<C>: OfSize<Traced<T>>,
{
    type Value = <Size<C> as OfSize<Traced<T>>>::Vector;
    #[track_caller]
    fn store_at(&mut self, i: Traced<i64>, row: Self::Value) {
        let components = <Size<C> as OfSize<Traced<T>>>::components(row);
        self.rows = set_component(self.rows, i, std::array::from_fn(|j| components[j]));
    }
}
impl<T: ScalarType, const R: usize, const C: usize> LoadAt<(Traced<i64>, Traced<i64>)> for Mat<Traced<T>, R, C> {
    type Output = Traced<T>;
    #[track_caller]
    fn load_at(&self, (i, j): (Traced<i64>, Traced<i64>)) -> Traced<T> {
        pick_component(&pick_component(&self.rows, i), j)
    }
}
impl<T: ScalarType, const R: usize, const C: usize> StoreAt<(Traced<i64>, Traced<i64>)> for Mat<Traced<T>, R, C> {
    type Value = Traced<T>;
    #[track_caller]
    fn store_at(&mut self, (i, j): (Traced<i64>, Traced<i64>), value: Traced<T>) {
        let row = set_component(pick_component(&self.rows, i), j, value);
        self.rows = set_component(self.rows, i, row);
    }
}
