//! Functions of square matrices.

use super::decomposition::Square;
use super::small::{self, Lu, Small, sum};
use crate::matrix::{Mat22, Mat33, Mat44};
use crate::rectangular::Mat;
use crate::scalar::{Float, Scalar};
use crate::sized::VecN;
use crate::vector::{Vec2, Vec3, Vec4};

/// What `transpose`, `determinant` and `inverse` are of.
pub trait Matrix: Copy {
    /// The type of its entries.
    type Entry: Scalar;
    /// The vector of its diagonal.
    type Diagonal: Copy;
    /// The diagonal.
    fn on_diagonal(self) -> Self::Diagonal;
    /// The sum of the diagonal.
    fn trace(self) -> Self::Entry;
    /// Rows become columns.
    fn transposed(self) -> Self;
    /// The determinant.
    fn det(self) -> Self::Entry;
    /// The transposed matrix of cofactors: inverse times determinant.
    fn adjugate(self) -> Self;
    /// Each entry by `s`.
    fn scaled(self, s: Self::Entry) -> Self;
    /// The inverse.
    #[track_caller]
    fn inverted(self) -> Self
    where
        Self::Entry: Float,
    {
        self.adjugate().scaled(Self::Entry::lit(1.0) / self.det())
    }
}

/// Rows become columns.
#[track_caller]
pub fn transpose<M: Matrix>(m: M) -> M {
    m.transposed()
}

/// The determinant: up to 4 × 4 by expansion in cofactors, of larger ones by elimination with pivoting. Its
/// derivative, the transposed adjugate, is finite for a singular matrix too.
#[track_caller]
pub fn determinant<M: Matrix>(m: M) -> M::Entry {
    m.det()
}

/// The inverse: up to 4 × 4 the adjugate over the determinant, of larger ones by elimination with pivoting, with
/// the derivative −A⁻ᵀ Ḡ A⁻ᵀ. Not finite where the determinant is 0.
#[track_caller]
pub fn inverse<M: Matrix<Entry: Float>>(m: M) -> M {
    m.inverted()
}

impl<S: Scalar> Matrix for Mat22<S> {
    type Entry = S;
    type Diagonal = Vec2<S>;
    fn on_diagonal(self) -> Vec2<S> {
        Vec2::new(self.rows[0].x, self.rows[1].y)
    }
    #[track_caller]
    fn trace(self) -> S {
        self.rows[0].x + self.rows[1].y
    }
    fn transposed(self) -> Self {
        self.transpose()
    }
    #[track_caller]
    fn det(self) -> S {
        let [a, b] = self.rows;
        a.x * b.y - a.y * b.x
    }
    #[track_caller]
    fn adjugate(self) -> Self {
        let [a, b] = self.rows;
        let zero = S::lit(0.0);
        Mat22::from_rows(Vec2::new(b.y, zero - a.y), Vec2::new(zero - b.x, a.x))
    }
    #[track_caller]
    fn scaled(self, s: S) -> Self {
        self * s
    }
}

impl<S: Scalar> Matrix for Mat33<S> {
    type Entry = S;
    type Diagonal = Vec3<S>;
    fn on_diagonal(self) -> Vec3<S> {
        Vec3::new(self.rows[0].x, self.rows[1].y, self.rows[2].z)
    }
    #[track_caller]
    fn trace(self) -> S {
        self.rows[0].x + self.rows[1].y + self.rows[2].z
    }
    fn transposed(self) -> Self {
        self.transpose()
    }
    #[track_caller]
    fn det(self) -> S {
        let [a, b, c] = self.rows;
        a.dot(b.cross(c))
    }
    #[track_caller]
    fn adjugate(self) -> Self {
        let [a, b, c] = self.rows;
        Mat33::from_columns(b.cross(c), c.cross(a), a.cross(b))
    }
    #[track_caller]
    fn scaled(self, s: S) -> Self {
        self * s
    }
}

/// The 2 × 2 minors of two rows of a 4 × 4 matrix: of the columns xy, xz, xw, yz, yw, zw.
#[track_caller]
fn minors<S: Scalar>(a: Vec4<S>, b: Vec4<S>) -> [S; 6] {
    [
        a.x * b.y - a.y * b.x,
        a.x * b.z - a.z * b.x,
        a.x * b.w - a.w * b.x,
        a.y * b.z - a.z * b.y,
        a.y * b.w - a.w * b.y,
        a.z * b.w - a.w * b.z,
    ]
}

impl<S: Scalar> Matrix for Mat44<S> {
    type Entry = S;
    type Diagonal = Vec4<S>;
    fn on_diagonal(self) -> Vec4<S> {
        Vec4::new(self.rows[0].x, self.rows[1].y, self.rows[2].z, self.rows[3].w)
    }
    #[track_caller]
    fn trace(self) -> S {
        self.rows[0].x + self.rows[1].y + self.rows[2].z + self.rows[3].w
    }
    fn transposed(self) -> Self {
        self.transpose()
    }
    /// By Laplace's expansion along the first two rows.
    #[track_caller]
    fn det(self) -> S {
        let [a, b, c, d] = self.rows;
        let (s, t) = (minors(a, b), minors(c, d));
        s[0] * t[5] - s[1] * t[4] + s[2] * t[3] + s[3] * t[2] - s[4] * t[1] + s[5] * t[0]
    }
    #[track_caller]
    fn adjugate(self) -> Self {
        let [a, b, c, d] = self.rows;
        let (s, t) = (minors(a, b), minors(c, d));
        let zero = S::lit(0.0);
        Mat44::from_rows(
            Vec4::new(
                b.y * t[5] - b.z * t[4] + b.w * t[3],
                zero - a.y * t[5] + a.z * t[4] - a.w * t[3],
                d.y * s[5] - d.z * s[4] + d.w * s[3],
                zero - c.y * s[5] + c.z * s[4] - c.w * s[3],
            ),
            Vec4::new(
                zero - b.x * t[5] + b.z * t[2] - b.w * t[1],
                a.x * t[5] - a.z * t[2] + a.w * t[1],
                zero - d.x * s[5] + d.z * s[2] - d.w * s[1],
                c.x * s[5] - c.z * s[2] + c.w * s[1],
            ),
            Vec4::new(
                b.x * t[4] - b.y * t[2] + b.w * t[0],
                zero - a.x * t[4] + a.y * t[2] - a.w * t[0],
                d.x * s[4] - d.y * s[2] + d.w * s[0],
                zero - c.x * s[4] + c.y * s[2] - c.w * s[0],
            ),
            Vec4::new(
                zero - b.x * t[3] + b.y * t[1] - b.z * t[0],
                a.x * t[3] - a.y * t[1] + a.z * t[0],
                zero - d.x * s[3] + d.y * s[1] - d.z * s[0],
                c.x * s[3] - c.y * s[1] + c.z * s[0],
            ),
        )
    }
    #[track_caller]
    fn scaled(self, s: S) -> Self {
        self * s
    }
}

impl<S: Float, const N: usize> Matrix for Mat<S, N, N> {
    type Entry = S;
    type Diagonal = VecN<S, N>;
    fn on_diagonal(self) -> VecN<S, N> {
        VecN { c: std::array::from_fn(|i| self.rows[i][i]) }
    }
    #[track_caller]
    fn trace(self) -> S {
        sum((0..N).map(|i| self.rows[i][i]))
    }
    fn transposed(self) -> Self {
        self.transpose()
    }
    #[track_caller]
    fn det(self) -> S {
        S::custom(
            &self.entries(),
            |x| vec![Lu::new(&Small::new(N, x)).determinant()],
            None,
            |x, det, ct| {
                // The transposed adjugate: det A⁻ᵀ, or for a singular matrix by Faddeev's and Le Verrier's method.
                let a = Small::new(N, x);
                let singular = det[0].equals(S::lit(0.0));
                let adjugate = small::adjugate(&a);
                let safe = Small {
                    n: N,
                    a: a.a.iter().zip(Small::identity(N).a).map(|(&x, e)| S::pick(singular, e, x)).collect(),
                };
                let inverse = Lu::new(&safe).inverse();
                let at = |i: usize, j: usize| S::pick(singular, adjugate.at(j, i), det[0] * inverse.at(j, i)) * ct[0];
                (0..N * N).map(|k| at(k / N, k % N)).collect()
            },
        )[0]
    }
    #[track_caller]
    fn adjugate(self) -> Self {
        Self::from_entries(&small::adjugate(&Small::new(N, &self.entries())).a)
    }
    #[track_caller]
    fn scaled(self, s: S) -> Self {
        self * s
    }
    #[track_caller]
    fn inverted(self) -> Self {
        let entries = S::custom(
            &self.entries(),
            |x| Lu::new(&Small::new(N, x)).inverse().a,
            None,
            |_, y, ct| {
                let inverse = Small::new(N, y);
                let left = inverse.transposed_times(&Small::new(N, ct));
                left.times_transposed(&inverse).a.into_iter().map(|x| -x).collect()
            },
        );
        Self::from_entries(&entries)
    }
}

/// What can stand on a diagonal.
pub trait OnDiagonal: Copy {
    /// The square matrix.
    type Matrix;
    /// It, 0 off the diagonal.
    fn diagonal_matrix(self) -> Self::Matrix;
}
macro_rules! on_diagonal {
    ($($vec:ident $mat:ident;)*) => { $(
        impl<S: Scalar> OnDiagonal for $vec<S> {
            type Matrix = $mat<S>;
            #[track_caller]
            fn diagonal_matrix(self) -> $mat<S> {
                $mat::diagonal(self)
            }
        }
    )* };
}
on_diagonal! { Vec2 Mat22; Vec3 Mat33; Vec4 Mat44; }
impl<S: Scalar, const N: usize> OnDiagonal for VecN<S, N> {
    type Matrix = Mat<S, N, N>;
    #[track_caller]
    fn diagonal_matrix(self) -> Mat<S, N, N> {
        Mat::diagonal(self)
    }
}

/// The square matrix with `d` on the diagonal and 0 elsewhere.
#[track_caller]
pub fn diagonal<V: OnDiagonal>(d: V) -> V::Matrix {
    d.diagonal_matrix()
}

/// The diagonal of a square matrix, as a vector.
#[track_caller]
pub fn get_diag<M: Matrix>(m: M) -> M::Diagonal {
    m.on_diagonal()
}

/// The sum of the diagonal of a square matrix.
#[track_caller]
pub fn trace<M: Matrix>(m: M) -> M::Entry {
    m.trace()
}

/// The matrix of the cross product: `skew(v) * u` is v × u.
#[track_caller]
pub fn skew<S: Scalar>(v: Vec3<S>) -> Mat33<S> {
    let zero = S::lit(0.0);
    Mat33::from_rows(
        Vec3::new(zero, zero - v.z, v.y),
        Vec3::new(v.z, zero, zero - v.x),
        Vec3::new(zero - v.y, v.x, zero),
    )
}
