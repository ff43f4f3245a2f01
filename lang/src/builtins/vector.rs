//! Functions of vectors; those of length and direction also of quaternions.

use crate::matrix::{Mat22, Mat33, Mat44};
use crate::rectangular::Mat;
use crate::scalar::{Float, Scalar, Select};
use crate::sized::VecN;
use crate::vector::{Linear, Vec2, Vec3, Vec4, Vector};

/// The scalar product: Σ aᵢ bᵢ.
#[track_caller]
pub fn dot<V: Vector>(a: V, b: V) -> V::Component {
    a.inner(b)
}

/// The cross product, right-handed.
#[track_caller]
pub fn cross<S: Scalar>(a: Vec3<S>, b: Vec3<S>) -> Vec3<S> {
    Vec3::new(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}

/// The Euclidean length √(v · v). Derivative 0 at 0, by rule. The square must be in the type's range:
/// lengths between 1e-19 and 1e19 for f32.
#[track_caller]
pub fn length<V: Vector<Component: Float>>(v: V) -> V::Component {
    v.inner(v).sqrt()
}

/// The square of the length: v · v.
#[track_caller]
pub fn length_sq<V: Vector>(v: V) -> V::Component {
    v.inner(v)
}

/// v / |v|; 0, with derivative 0, where |v| is 0.
#[track_caller]
pub fn normalize<V: Vector<Component: Float>>(v: V) -> V {
    let (zero, one) = (V::Component::lit(0.0), V::Component::lit(1.0));
    let length = v.inner(v).sqrt();
    v * V::Component::pick(zero.less(length), one / length, zero)
}

/// a + (b - a) t: `a` at t = 0, straight on to `b` at t = 1. Of scalars, vectors, quaternions (not
/// normalised) or matrices.
#[track_caller]
pub fn lerp<V: Linear>(a: V, b: V, t: V::Component) -> V {
    a + (b - a) * t
}

/// What has a product u vᵀ of two of it.
pub trait Outer: Copy {
    /// The matrix of the products.
    type Matrix;
    /// Row i, column j: uᵢ vⱼ.
    fn outer_product(self, v: Self) -> Self::Matrix;
}

macro_rules! outer {
    ($($vec:ident { $($c:ident),* } $mat:ident;)*) => { $(
        impl<S: Scalar> Outer for $vec<S> {
            type Matrix = $mat<S>;
            #[track_caller]
            fn outer_product(self, v: Self) -> $mat<S> {
                $mat::from_rows($(v * self.$c),*)
            }
        }
    )* };
}
outer! {
    Vec2 { x, y } Mat22;
    Vec3 { x, y, z } Mat33;
    Vec4 { x, y, z, w } Mat44;
}

impl<S: Scalar, const N: usize> Outer for VecN<S, N> {
    type Matrix = Mat<S, N, N>;
    #[track_caller]
    fn outer_product(self, v: Self) -> Mat<S, N, N> {
        self.outer(v)
    }
}

/// The outer product u vᵀ: row i, column j is uᵢ vⱼ.
#[track_caller]
pub fn outer<V: Outer>(u: V, v: V) -> V::Matrix {
    u.outer_product(v)
}
