//! Factors of small square matrices, and what is solved with them.
//!
//! Everything that iterates or branches has its own derivative, by the formulas that its documentation
//! names. At repeated eigenvalues and singular values the factors are not unique, and the derivative of one
//! factor alone does not exist; that of what does not depend on the choice does, as of the matrix rebuilt
//! from them, or of any function of the matrix. To give that, what uses the factors in the same kernel is
//! differentiated at values that are moved apart where they are closer than a gap (relative to the largest
//! one, 1e-8 in f64 and 4e-4 in f32); the values that a kernel computes with are not moved. Where factors
//! are handed on through an array to another kernel, which sees them as they are, the derivative at an exact
//! tie counts the part that would split the pair as 0. All are finite.

use super::small::{self, Lu, Small, safe_ratio, sum};
use crate::custom::Custom;
use crate::matrix::{Mat22, Mat33, Mat44};
use crate::scalar::{Float, Scalar};
use crate::vector::{Vec2, Vec3, Vec4};

/// A square matrix of `N` rows, made of floats of the host or of a kernel.
pub trait Square<const N: usize>: Copy {
    /// The type of its entries.
    type Entry: Float;
    /// The type of its columns.
    type Column: Copy;
    /// The entries, row by row.
    fn entries(self) -> Vec<Self::Entry>;
    /// The matrix of these entries, row by row.
    fn from_entries(entries: &[Self::Entry]) -> Self;
    /// The components of a column.
    fn components(column: Self::Column) -> Vec<Self::Entry>;
    /// The column of these components.
    fn column_of(components: &[Self::Entry]) -> Self::Column;
}

macro_rules! square {
    ($($mat:ident, $vec:ident, $n:literal;)*) => { $(
        impl<S: Float> Square<$n> for $mat<S> {
            type Entry = S;
            type Column = $vec<S>;
            fn entries(self) -> Vec<S> {
                self.rows.iter().flat_map(|r| r.to_array()).collect()
            }
            fn from_entries(entries: &[S]) -> Self {
                let row = |i: usize| $vec::from_array(std::array::from_fn(|j| entries[i * $n + j]));
                $mat { rows: std::array::from_fn(row) }
            }
            fn components(column: $vec<S>) -> Vec<S> {
                column.to_array().to_vec()
            }
            fn column_of(components: &[S]) -> $vec<S> {
                $vec::from_array(std::array::from_fn(|i| components[i]))
            }
        }
    )* };
}
square! {
    Mat22, Vec2, 2;
    Mat33, Vec3, 3;
    Mat44, Vec4, 4;
}

fn of<M: Square<N>, const N: usize>(m: M) -> Small<M::Entry> {
    Small::new(N, &m.entries())
}
fn into<M: Square<N>, const N: usize>(m: &Small<M::Entry>) -> M {
    M::from_entries(&m.a)
}

/// P A = L U with partial pivoting: (L, U, P), L with ones on its diagonal and none of its entries above 1
/// in size, P a permutation.
///
/// Not finite for a singular matrix. The derivative is that of the elimination with its exchanges of rows as
/// they were made (at a tie of pivots: of the first of them); P has none.
#[track_caller]
pub fn lu<M: Square<N>, const N: usize>(a: M) -> (M, M, M) {
    let factors = Lu::new(&of(a));
    let (zero, one) = (M::Entry::lit(0.0), M::Entry::lit(1.0));
    let lower = Small::from_fn(N, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Greater => factors.lu.at(i, j),
        std::cmp::Ordering::Equal => one,
        std::cmp::Ordering::Less => zero,
    });
    let upper = Small::from_fn(N, |i, j| if i <= j { factors.lu.at(i, j) } else { zero });
    let columns: Vec<_> = (0..N)
        .map(|j| {
            let unit: Vec<_> = (0..N).map(|i| if i == j { one } else { zero }).collect();
            factors.permuted(&unit)
        })
        .collect();
    let permutation = Small::new(N, &(0..N * N).map(|k| columns[k % N][k / N]).collect::<Vec<_>>());
    (into(&lower), into(&upper), into(&permutation))
}

/// The x with A x = b from [`lu`]'s factors: U⁻¹ L⁻¹ P b.
#[track_caller]
pub fn lu_solve<M: Square<N>, const N: usize>(l: M, u: M, p: M, b: M::Column) -> M::Column {
    let (l, u, p, b) = (of(l), of(u), of(p), M::components(b));
    let mut x: Vec<_> = (0..N).map(|i| sum((0..N).map(|j| p.at(i, j) * b[j]))).collect();
    for i in 0..N {
        for j in 0..i {
            x[i] = x[i] - l.at(i, j) * x[j];
        }
    }
    for i in (0..N).rev() {
        for j in i + 1..N {
            x[i] = x[i] - u.at(i, j) * x[j];
        }
        x[i] /= u.at(i, i);
    }
    M::column_of(&x)
}

/// The x with A x = b, by elimination with partial pivoting. Not finite for a singular matrix.
///
/// Derivative: with λ = A⁻ᵀ x̄, b̄ = λ and Ā = −λ xᵀ (Giles 2008, *Collected matrix derivative results*,
/// 2.3.1).
#[track_caller]
pub fn solve<M: Square<N>, const N: usize>(a: M, b: M::Column) -> M::Column {
    let inputs = [a.entries(), M::components(b)].concat();
    let split = N * N;
    let x = M::Entry::custom(
        &inputs,
        |x| Lu::new(&Small::new(N, &x[..split])).solve(&x[split..]),
        None,
        |inputs, x, ct| {
            let lambda = Lu::new(&Small::new(N, &inputs[..split])).solve_transposed(ct);
            with_right_side(&lambda, x)
        },
    );
    M::column_of(&x)
}

/// The cotangents −λ xᵀ and λ.
#[track_caller]
fn with_right_side<S: Float>(lambda: &[S], x: &[S]) -> Vec<S> {
    let outer = lambda.iter().flat_map(|&l| x.iter().map(move |&x| -(l * x)));
    outer.chain(lambda.iter().copied()).collect()
}

/// The lower triangular L with L Lᵀ = A, its diagonal positive; of the symmetric part (A + Aᵀ)/2.
///
/// NaN where A is not positive definite, and a column of infinities or NaN where it is singular. The
/// derivative is that of the factorisation's operations; it is symmetric.
#[track_caller]
pub fn cholesky<M: Square<N>, const N: usize>(a: M) -> M {
    into(&small::cholesky(&of(a)))
}

/// The x with L Lᵀ x = b, of a lower triangular L such as [`cholesky`]'s.
///
/// Derivative: with λ = (L Lᵀ)⁻¹ x̄, b̄ = λ and L̄ the lower triangle of −(λ xᵀ + x λᵀ) L.
#[track_caller]
pub fn cholesky_solve<M: Square<N>, const N: usize>(l: M, b: M::Column) -> M::Column {
    let inputs = [l.entries(), M::components(b)].concat();
    let split = N * N;
    let x = M::Entry::custom(
        &inputs,
        |x| small::cholesky_solve(&Small::new(N, &x[..split]), &x[split..]),
        None,
        |inputs, x, ct| {
            let l = Small::new(N, &inputs[..split]);
            let lambda = small::cholesky_solve(&l, ct);
            // Lᵀ x and Lᵀ λ; L's upper triangle takes no part.
            let below =
                |v: &[M::Entry]| -> Vec<M::Entry> { (0..N).map(|j| sum((j..N).map(|i| l.at(i, j) * v[i]))).collect() };
            let (lx, ll) = (below(x), below(&lambda));
            let zero = M::Entry::lit(0.0);
            let lower = Small::from_fn(N, |i, j| match i < j {
                true => zero,
                false => -(lambda[i] * lx[j] + x[i] * ll[j]),
            });
            [lower.a, lambda].concat()
        },
    );
    M::column_of(&x)
}

/// A = Q R: Q orthogonal, R upper triangular with no negative entry on its diagonal; by Householder's
/// reflections.
///
/// Derivative: with M = R R̄ᵀ − Q̄ᵀ Q, Ā = (Q̄ + Q copyltu(M)) R⁻ᵀ, where copyltu makes a symmetric matrix of
/// the lower triangle (Seeger et al. 2017, *Auto-differentiating linear algebra*). For a singular A the
/// factors have none: an entry 0 on R's diagonal counts as having an inverse 0.
#[track_caller]
pub fn qr<M: Square<N>, const N: usize>(a: M) -> (M, M) {
    let size = N * N;
    let factors = M::Entry::custom(
        &a.entries(),
        |x| {
            let (q, r) = small::qr(&Small::new(N, x));
            [q.a, r.a].concat()
        },
        None,
        |_, y, ct| {
            let (q, r) = (Small::new(N, &y[..size]), Small::new(N, &y[size..]));
            let (cq, cr) = (Small::new(N, &ct[..size]), Small::new(N, &ct[size..]));
            // What is below R's diagonal is 0 whatever A is.
            let zero = M::Entry::lit(0.0);
            let cr = Small::from_fn(N, |i, j| if i <= j { cr.at(i, j) } else { zero });
            let (first, second) = (r.times_transposed(&cr), cq.transposed_times(&q));
            let m = Small::from_fn(N, |i, j| {
                let (i, j) = if i >= j { (i, j) } else { (j, i) };
                first.at(i, j) - second.at(i, j)
            });
            let sum = q.times(&m);
            let mut x = Small::from_fn(N, |i, j| cq.at(i, j) + sum.at(i, j));
            // x R⁻ᵀ, row by row: R xᵢ = what is there.
            for i in 0..N {
                for j in (0..N).rev() {
                    let mut v = x.at(i, j);
                    for k in j + 1..N {
                        v -= r.at(j, k) * x.at(i, k);
                    }
                    x.set(i, j, safe_ratio(v, r.at(j, j)));
                }
            }
            x.a
        },
    );
    (M::from_entries(&factors[..size]), M::from_entries(&factors[size..]))
}

/// The eigenvalues λ, ascending, and the eigenvectors as columns of V, with (A + Aᵀ)/2 = V diag(λ) Vᵀ; by
/// Jacobi's rotations. The signs of the eigenvectors are not determined.
///
/// Derivative: Ā = V (diag(λ̄) + F) Vᵀ with Fᵢⱼ = (Pᵢⱼ − Pⱼᵢ) / (2 (λⱼ − λᵢ)), P = Vᵀ V̄ (Giles 2008, 3.1, the
/// symmetric part).
///
/// Where eigenvalues are repeated the factors are not unique, and only what does not depend on the choice has a
/// derivative, as a function of the whole matrix has. It is right: what uses the factors in the same kernel is
/// differentiated where the eigenvalues are a gap apart (1e-8 in f64 and 4e-4 in f32, relative to the largest).
/// Where another kernel uses them, through an array, the part that would split a pair counts as 0.
#[track_caller]
pub fn eigen_symmetric<M: Square<N>, const N: usize>(a: M) -> (M::Column, M) {
    let all = M::Entry::custom(
        &a.entries(),
        |x| {
            let (values, vectors) = small::eigen(&Small::new(N, x));
            [values, vectors.a].concat()
        },
        Some(&|x| {
            let (values, vectors) = small::eigen(&Small::new(N, x));
            let largest = values[0].magnitude().maximum(values[N - 1].magnitude());
            let descending: Vec<_> = values.iter().rev().copied().collect();
            let mut apart = small::spread(&descending, largest);
            apart.reverse();
            [apart, vectors.a].concat()
        }),
        |_, y, ct| {
            let (values, v) = (&y[..N], Small::new(N, &y[N..]));
            let p = v.transposed_times(&Small::new(N, &ct[N..]));
            let half = M::Entry::lit(0.5);
            let inner = Small::from_fn(N, |i, j| match i == j {
                true => ct[i],
                false => safe_ratio((p.at(i, j) - p.at(j, i)) * half, values[j] - values[i]),
            });
            v.times(&inner).times_transposed(&v).a
        },
    );
    (M::column_of(&all[..N]), M::from_entries(&all[N..]))
}

/// The singular value decomposition A = U diag(s) Vᵀ: (U, s, V), U and V orthogonal, s descending and not
/// negative; by Hestenes' one-sided rotations. U and V may be reflections (determinant −1); their columns'
/// signs are determined only in pairs.
///
/// Derivative: with P = Uᵀ Ū, Q = Vᵀ V̄, a = P − Pᵀ and b = Q − Qᵀ, Ā = U (diag(s̄) + F) Vᵀ and
/// Fᵢⱼ = (aᵢⱼ + bᵢⱼ) / (2 (sⱼ − sᵢ)) + (aᵢⱼ − bᵢⱼ) / (2 (sⱼ + sᵢ)), which is the usual formula (Townsend 2016,
/// *Differentiating the singular value decomposition*) without differences of squares. Where two of
/// them are 0 the second term counts as 0.
///
/// Where singular values are repeated the factors are not unique, and only what does not depend on the choice has a
/// derivative, as a function of the whole matrix has. It is right: what uses the factors in the same kernel is
/// differentiated where the singular values are a gap apart (1e-8 in f64 and 4e-4 in f32, relative to the largest).
/// Where another kernel uses them, through an array, the part that would split a pair counts as 0.
#[track_caller]
pub fn svd<M: Square<N>, const N: usize>(a: M) -> (M, M::Column, M) {
    let size = N * N;
    let pack = |(u, s, v): small::Factors<M::Entry>| [u.a, s, v.a].concat();
    let all = M::Entry::custom(
        &a.entries(),
        |x| pack(small::svd(&Small::new(N, x))),
        Some(&|x| {
            let (u, s, v) = small::svd(&Small::new(N, x));
            let apart = small::spread(&s, s[0]);
            pack((u, apart, v))
        }),
        |_, y, ct| {
            let parts = |all: &[M::Entry]| {
                (Small::new(N, &all[..size]), all[size..size + N].to_vec(), Small::new(N, &all[size + N..]))
            };
            let ((u, s, v), (cu, cs, cv)) = (parts(y), parts(ct));
            let (p, q) = (u.transposed_times(&cu), v.transposed_times(&cv));
            let half = M::Entry::lit(0.5);
            let inner = Small::from_fn(N, |i, j| {
                if i == j {
                    return cs[i];
                }
                let (a, b) = (p.at(i, j) - p.at(j, i), q.at(i, j) - q.at(j, i));
                safe_ratio((a + b) * half, s[j] - s[i]) + safe_ratio((a - b) * half, s[j] + s[i])
            });
            u.times(&inner).times_transposed(&v).a
        },
    );
    (M::from_entries(&all[..size]), M::column_of(&all[size..size + N]), M::from_entries(&all[size + N..]))
}

/// The polar decomposition A = R P: R the orthogonal matrix nearest to A (a rotation where det A > 0), P
/// symmetric and positive semidefinite; from the singular values.
///
/// Derivative: in the bases of the singular vectors, with D = Uᵀ dA V, that of R is
/// (Dᵢⱼ − Dⱼᵢ) / (sᵢ + sⱼ) and that of P (sᵢ Dᵢⱼ + sⱼ Dⱼᵢ) / (sᵢ + sⱼ) (Higham 2008, *Functions of
/// matrices*, 8.2). Repeated singular values do no harm; where one is 0, P has a kink, and the derivative is that
/// of the side which R shows to; where two are, what would be divided by 0 counts as 0.
#[track_caller]
pub fn polar<M: Square<N>, const N: usize>(a: M) -> (M, M) {
    let size = N * N;
    let all = M::Entry::custom(
        &a.entries(),
        |x| {
            let (u, s, v) = small::svd(&Small::new(N, x));
            let stretched = Small::from_fn(N, |i, j| v.at(i, j) * s[j]);
            [u.times_transposed(&v).a, stretched.times_transposed(&v).a].concat()
        },
        None,
        |x, _, ct| {
            let (u, s, v) = small::svd(&Small::new(N, x));
            let turned = u.transposed_times(&Small::new(N, &ct[..size])).times(&v);
            let stretch = v.transposed_times(&Small::new(N, &ct[size..])).times(&v);
            let inner = Small::from_fn(N, |i, j| {
                if i == j {
                    return stretch.at(i, i);
                }
                let symmetric = stretch.at(i, j) + stretch.at(j, i);
                safe_ratio(turned.at(i, j) - turned.at(j, i) + s[i] * symmetric, s[i] + s[j])
            });
            u.times(&inner).times_transposed(&v).a
        },
    );
    (M::from_entries(&all[..size]), M::from_entries(&all[size..]))
}

macro_rules! named {
    ($($(#[$doc:meta])* $name:ident = $of:ident($mat:ident) -> ($($out:ty),*);)*) => { $(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<S: Float>(a: $mat<S>) -> ($($out),*) {
            $of(a)
        }
    )* };
}
named! {
    /// [`qr`] of a 2 × 2 matrix.
    qr2 = qr(Mat22) -> (Mat22<S>, Mat22<S>);
    /// [`qr`] of a 3 × 3 matrix.
    qr3 = qr(Mat33) -> (Mat33<S>, Mat33<S>);
    /// [`eigen_symmetric`] of a 2 × 2 matrix.
    eig2 = eigen_symmetric(Mat22) -> (Vec2<S>, Mat22<S>);
    /// [`eigen_symmetric`] of a 3 × 3 matrix.
    eig3 = eigen_symmetric(Mat33) -> (Vec3<S>, Mat33<S>);
    /// [`svd`] of a 2 × 2 matrix.
    svd2 = svd(Mat22) -> (Mat22<S>, Vec2<S>, Mat22<S>);
    /// [`svd`] of a 3 × 3 matrix.
    svd3 = svd(Mat33) -> (Mat33<S>, Vec3<S>, Mat33<S>);
}
