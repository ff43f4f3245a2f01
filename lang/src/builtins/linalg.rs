//! Functions of square matrices.

use crate::matrix::{Mat22, Mat33, Mat44};
use crate::scalar::{Float, Scalar};
use crate::vector::{Vec2, Vec3, Vec4};

/// What `transpose`, `determinant` and `inverse` are of.
pub trait Matrix: Copy {
    /// The type of its entries.
    type Entry: Scalar;
    /// Rows become columns.
    fn transposed(self) -> Self;
    /// The determinant.
    fn det(self) -> Self::Entry;
    /// The transposed matrix of cofactors: inverse times determinant.
    fn adjugate(self) -> Self;
    /// Each entry by `s`.
    fn scaled(self, s: Self::Entry) -> Self;
}

/// Rows become columns.
#[track_caller]
pub fn transpose<M: Matrix>(m: M) -> M {
    m.transposed()
}

/// The determinant, by expansion in cofactors.
#[track_caller]
pub fn determinant<M: Matrix>(m: M) -> M::Entry {
    m.det()
}

/// The inverse: the adjugate over the determinant. Not finite where the determinant is 0.
#[track_caller]
pub fn inverse<M: Matrix<Entry: Float>>(m: M) -> M {
    m.adjugate().scaled(M::Entry::lit(1.0) / m.det())
}

impl<S: Scalar> Matrix for Mat22<S> {
    type Entry = S;
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

/// The matrix with `d` on the diagonal and 0 elsewhere.
#[track_caller]
pub fn diagonal<S: Scalar>(d: Vec3<S>) -> Mat33<S> {
    Mat33::diagonal(d)
}

/// The sum of the diagonal of a 3 × 3 matrix.
#[track_caller]
pub fn trace<S: Scalar>(m: Mat33<S>) -> S {
    m.rows[0].x + m.rows[1].y + m.rows[2].z
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
