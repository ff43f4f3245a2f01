//! `Transform` (a position and a rotation) and `SpatialVec` (an angular and a linear part), for the host and for
//! kernels.

use crate::array::{LoadAt, StoreAt};
use crate::call::Args;
use crate::expand::Equal;
use crate::quat::Quat;
use crate::scalar::{Float, Number, Scalar, ScalarType, Select};
use crate::sized::VecN;
use crate::traced::Traced;
use crate::types::{ArrayElement, KernelType, Traceable, Values, sealed};
use crate::vector::{Linear, Vec3, Vector};
use pullback_ir::{Element, Value};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// A rigid motion: the point x goes to q x q⁻¹ + p. `a * b` does `b` first, then `a`. It takes seven scalars
/// in arrays: p, then q as (x, y, z, w).
///
/// ```
/// use pullback_lang::{Quat, Transform, Vec3, transform_point};
/// let z = Vec3::new(0.0, 0.0, 1.0);
/// let t = Transform::new(Vec3::new(1.0, 2.0, 3.0), Quat::from_axis_angle(z, std::f64::consts::FRAC_PI_2));
/// assert!((transform_point(t, Vec3::new(1.0, 0.0, 0.0)) - Vec3::new(1.0, 3.0, 3.0)).length() < 1e-15);
/// ```
///
/// A misspelt part is refused, by its name:
///
/// ```compile_fail,E0560
/// # use pullback_lang::{Quat, Transform, Vec3};
/// let t = Transform { p: Vec3::new(1.0, 2.0, 3.0), rot: Quat::<f64>::identity() };
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform<T = f32> {
    /// The position of the origin: the translation.
    pub p: Vec3<T>,
    /// The rotation, a unit quaternion.
    pub q: Quat<T>,
}

/// A spatial vector: of a motion (a twist: angular velocity and the velocity of the point at the origin) or of a
/// force (a wrench: torque about the origin, and force). It takes six scalars in arrays: the angular part first.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct SpatialVec<T = f32> {
    /// Angular velocity (rad/s), or torque about the origin (N m).
    pub angular: Vec3<T>,
    /// Velocity of the point at the origin (m/s), or force (N).
    pub linear: Vec3<T>,
}

macro_rules! pair {
    ($name:ident { $a:ident: $at:ident, $b:ident: $bt:ident } $count:literal) => {
        impl<T: ScalarType> KernelType for $name<T> {
            type Traced = $name<Traced<T>>;
            #[track_caller]
            fn constant(self) -> Self::Traced {
                $name { $a: self.$a.constant(), $b: self.$b.constant() }
            }
            fn push(self, args: &mut Args) {
                self.$a.push(args);
                self.$b.push(args);
            }
            fn param(name: &str) -> Self::Traced {
                $name {
                    $a: $at::<T>::param(&format!("{name}_{}", stringify!($a))),
                    $b: $bt::<T>::param(&format!("{name}_{}", stringify!($b))),
                }
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
                self.$a.values(out);
                self.$b.values(out);
            }
            fn from_values(values: &mut Values<'_>) -> Self {
                $name { $a: Traceable::from_values(values), $b: Traceable::from_values(values) }
            }
        }
        impl<T: ScalarType> Equal for $name<Traced<T>> {
            #[track_caller]
            fn equal(self, other: Self) -> Traced<bool> {
                self.$a.equal(other.$a) & self.$b.equal(other.$b)
            }
        }
        impl<T: Select> Select for $name<T> {
            type Bool = T::Bool;
            #[track_caller]
            fn pick(cond: T::Bool, a: Self, b: Self) -> Self {
                $name { $a: Select::pick(cond, a.$a, b.$a), $b: Select::pick(cond, a.$b, b.$b) }
            }
        }
        impl<T> $name<T> {
            /// From its parts.
            pub const fn new($a: $at<T>, $b: $bt<T>) -> Self
            where
                T: Copy,
            {
                $name { $a, $b }
            }
        }
        impl<T: Copy> $name<T> {
            /// The scalars in order.
            pub fn to_array(self) -> [T; $count] {
                let (a, b) = (self.$a.to_array(), self.$b.to_array());
                std::array::from_fn(|i| if i < a.len() { a[i] } else { b[i - a.len()] })
            }
            /// From the scalars in order.
            pub fn from_array(all: [T; $count]) -> Self {
                $name {
                    $a: $at::from_array(std::array::from_fn(|i| all[i])),
                    $b: $bt::from_array(std::array::from_fn(|i| all[i + 3])),
                }
            }
        }
        impl<T: Copy> From<[T; $count]> for $name<T> {
            fn from(all: [T; $count]) -> Self {
                $name::from_array(all)
            }
        }
        impl<T: ScalarType> LoadAt<Traced<i64>> for $name<Traced<T>> {
            type Output = Traced<T>;
            #[track_caller]
            fn load_at(&self, i: Traced<i64>) -> Traced<T> {
                crate::array::pick_component(&self.to_array(), i)
            }
        }
        impl<T: ScalarType> StoreAt<Traced<i64>> for $name<Traced<T>> {
            type Value = Traced<T>;
            #[track_caller]
            fn store_at(&mut self, i: Traced<i64>, value: Traced<T>) {
                *self = $name::from_array(crate::array::set_component(self.to_array(), i, value));
            }
        }
    };
}
pair!(Transform { p: Vec3, q: Quat } 7);
pair!(SpatialVec { angular: Vec3, linear: Vec3 } 6);

impl<T: Default> Default for Transform<T>
where
    T: Scalar,
{
    /// The motion that does nothing.
    fn default() -> Self {
        Transform::identity()
    }
}

impl<S: Scalar> Transform<S> {
    /// The motion that does nothing.
    #[track_caller]
    pub fn identity() -> Self {
        Transform { p: Vec3::zeros(), q: Quat::identity() }
    }
    /// Where it takes a point: q x q⁻¹ + p.
    #[track_caller]
    pub fn point(self, x: Vec3<S>) -> Vec3<S> {
        crate::builtins::transform_point(self, x)
    }
    /// A direction turned: q v q⁻¹.
    #[track_caller]
    pub fn vector(self, v: Vec3<S>) -> Vec3<S> {
        crate::builtins::transform_vector(self, v)
    }
}
impl<S: Float> Transform<S> {
    /// The motion back.
    #[track_caller]
    pub fn inverse(self) -> Self {
        crate::builtins::transform_inverse(self)
    }
}
impl<S: Scalar> Mul for Transform<S> {
    type Output = Self;
    /// `rhs` first, then `self`.
    #[track_caller]
    fn mul(self, rhs: Self) -> Self {
        Transform { p: self.point(rhs.p), q: self.q * rhs.q }
    }
}
impl<S: Scalar> MulAssign for Transform<S> {
    #[track_caller]
    fn mul_assign(&mut self, rhs: Self) {
        *self = *self * rhs;
    }
}

impl<S: Scalar> Linear for SpatialVec<S> {
    type Component = S;
}
impl<S: Scalar> Vector for SpatialVec<S> {
    #[track_caller]
    fn inner(self, other: Self) -> S {
        self.angular.dot(other.angular) + self.linear.dot(other.linear)
    }
}
impl<S: Scalar> SpatialVec<S> {
    /// All components 0.
    #[track_caller]
    pub fn zeros() -> Self {
        SpatialVec { angular: Vec3::zeros(), linear: Vec3::zeros() }
    }
    /// The sum of the products of components: of a wrench and a twist the power.
    #[track_caller]
    pub fn dot(self, other: Self) -> S {
        self.inner(other)
    }
}
macro_rules! spatial {
    ($($trait:ident::$method:ident, $assign:ident::$assign_method:ident, $rhs:ty, |$a:ident, $b:ident| $pick:expr;)*) => { $(
        impl<S: Scalar> $trait<$rhs> for SpatialVec<S> {
            type Output = Self;
            #[track_caller]
            fn $method(self, $b: $rhs) -> Self {
                let $a = self;
                let [angular, linear] = $pick;
                SpatialVec { angular, linear }
            }
        }
        impl<S: Scalar> $assign<$rhs> for SpatialVec<S> {
            #[track_caller]
            fn $assign_method(&mut self, rhs: $rhs) {
                *self = $trait::$method(*self, rhs);
            }
        }
    )* };
}
spatial! {
    Add::add, AddAssign::add_assign, SpatialVec<S>, |a, b| [a.angular + b.angular, a.linear + b.linear];
    Sub::sub, SubAssign::sub_assign, SpatialVec<S>, |a, b| [a.angular - b.angular, a.linear - b.linear];
    Mul::mul, MulAssign::mul_assign, S, |a, s| [a.angular * s, a.linear * s];
    Div::div, DivAssign::div_assign, S, |a, s| [a.angular / s, a.linear / s];
}
impl<S: Scalar + Neg<Output = S>> Neg for SpatialVec<S> {
    type Output = Self;
    #[track_caller]
    fn neg(self) -> Self {
        SpatialVec { angular: -self.angular, linear: -self.linear }
    }
}
impl<T: Number> Mul<SpatialVec<Traced<T>>> for Traced<T> {
    type Output = SpatialVec<Traced<T>>;
    #[track_caller]
    fn mul(self, v: SpatialVec<Traced<T>>) -> Self::Output {
        SpatialVec { angular: self * v.angular, linear: self * v.linear }
    }
}
macro_rules! host {
    ($($t:ty)*) => { $(
        impl Mul<SpatialVec<$t>> for $t {
            type Output = SpatialVec<$t>;
            fn mul(self, v: SpatialVec<$t>) -> Self::Output {
                v * self
            }
        }
    )* };
}
host!(f32 f64);
impl<T: Copy> From<VecN<T, 6>> for SpatialVec<T> {
    fn from(v: VecN<T, 6>) -> Self {
        SpatialVec::from_array(v.c)
    }
}
impl<T: Copy> From<SpatialVec<T>> for VecN<T, 6> {
    fn from(v: SpatialVec<T>) -> Self {
        VecN { c: v.to_array() }
    }
}
