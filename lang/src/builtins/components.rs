//! Functions of vectors component by component, norms, and directions.

use super::scalar::ByComponent;
use crate::custom::Custom;
use crate::quat::Quat;
use crate::scalar::{Float, Scalar, Select};
use crate::sized::VecN;
use crate::vector::{Linear, Vec2, Vec3, Vec4, Vector};

/// A vector as a list of its components.
pub trait Components: Vector {
    /// The components in order.
    #[doc(hidden)]
    fn list(self) -> Vec<Self::Component>;
    /// The vector of these components.
    #[doc(hidden)]
    fn of_list(list: &[Self::Component]) -> Self;
}
macro_rules! components {
    ($($name:ident)*) => { $(
        impl<S: Scalar> Components for $name<S> {
            fn list(self) -> Vec<S> {
                self.to_array().to_vec()
            }
            fn of_list(list: &[S]) -> Self {
                $name::from_array(std::array::from_fn(|i| list[i]))
            }
        }
    )* };
}
components!(Vec2 Vec3 Vec4 Quat);
impl<S: Scalar, const N: usize> Components for VecN<S, N> {
    fn list(self) -> Vec<S> {
        self.c.to_vec()
    }
    fn of_list(list: &[S]) -> Self {
        VecN { c: std::array::from_fn(|i| list[i]) }
    }
}

macro_rules! component_wise {
    ($($(#[$doc:meta])* $name:ident($($arg:ident),*) = |$($x:ident),*| $value:expr;)*) => { $(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<V: Components>($($arg: V),*) -> V {
            $(let $arg = $arg.list();)*
            let mut all = Vec::new();
            for i in 0..component_wise!(@first $($arg)*).len() {
                let ($($x,)*) = ($($arg[i],)*);
                all.push($value);
            }
            V::of_list(&all)
        }
    )* };
    (@first $first:ident $($rest:ident)*) => { $first };
}
component_wise! {
    /// The products of components: what `a * b` is for vectors.
    cw_mul(a, b) = |x, y| x * y;
    /// The quotients of components: what `a / b` is for vectors.
    cw_div(a, b) = |x, y| x / y;
    /// The smaller ones of the components; at a tie each has half of the derivative.
    cw_min(a, b) = |x, y| x.minimum(y);
    /// The larger ones of the components; at a tie each has half of the derivative.
    cw_max(a, b) = |x, y| x.maximum(y);
    /// The absolute values of the components; derivative 0 at 0.
    cw_abs(v) = |x| x.magnitude();
    /// The signs of the components, as [`sign`](super::sign); derivative 0.
    cw_sign(v) = |x| x.signum_or_zero();
    /// Each component held between those of `low` and `high`.
    cw_clamp(v, low, high) = |x, a, b| x.maximum(a).minimum(b);
}

#[track_caller]
fn reduce<S: Scalar>(list: &[S], f: impl Fn(S, S) -> S) -> S {
    let Some((&first, rest)) = list.split_first() else { return S::lit(0.0) };
    rest.iter().fold(first, |so_far, &x| f(so_far, x))
}

/// The smallest component; at a tie the derivative is shared, by halves from the first on.
#[track_caller]
pub fn min_element<V: Components>(v: V) -> V::Component {
    reduce(&v.list(), |a, b| a.minimum(b))
}

/// The largest component; at a tie the derivative is shared, by halves from the first on.
#[track_caller]
pub fn max_element<V: Components>(v: V) -> V::Component {
    reduce(&v.list(), |a, b| a.maximum(b))
}

/// Which component is the smallest: an `i64`, the first of equal ones.
#[track_caller]
pub fn argmin<V: Components<Component: Custom>>(v: V) -> <V::Component as Custom>::Index {
    arg(&v.list(), |a, b| a.less(b))
}

/// Which component is the largest: an `i64`, the first of equal ones.
#[track_caller]
pub fn argmax<V: Components<Component: Custom>>(v: V) -> <V::Component as Custom>::Index {
    arg(&v.list(), |a, b| b.less(a))
}

#[track_caller]
fn arg<S: Scalar + Custom>(list: &[S], better: impl Fn(S, S) -> S::Bool) -> S::Index {
    let mut at = S::index(0);
    let Some(&(mut best)) = list.first() else { return at };
    for (k, &x) in list.iter().enumerate().skip(1) {
        let wins = better(x, best);
        best = S::pick(wins, x, best);
        at = S::Index::pick(wins, S::index(k), at);
    }
    at
}

/// Σ |vᵢ|. A component 0 has derivative 0.
#[track_caller]
pub fn norm_l1<V: Components>(v: V) -> V::Component {
    let list: Vec<_> = v.list().into_iter().map(|x| x.magnitude()).collect();
    reduce(&list, |a, b| a + b)
}

/// √(v · v): the same as [`length`](super::length).
#[track_caller]
pub fn norm_l2<V: Vector<Component: Float>>(v: V) -> V::Component {
    super::length(v)
}

/// Huber's norm of the length r: r²/2 up to r = δ, then δ (r − δ/2); δ > 0. Smooth in v but for its second
/// derivative; derivative 0 at 0.
#[track_caller]
pub fn norm_huber<V: Vector<Component: Float>>(v: V, delta: V::Component) -> V::Component {
    let half = V::Component::lit(0.5);
    let square = v.inner(v);
    let inside = square.less_eq(delta * delta);
    let one = V::Component::lit(1.0);
    let far = delta * (V::Component::pick(inside, one, square).sqrt() - half * delta);
    V::Component::pick(inside, half * square, far)
}

/// The pseudo-Huber norm δ² (√(1 + (v · v)/δ²) − 1): like r²/2 near 0 and δ r far out, smooth everywhere; δ > 0.
#[track_caller]
pub fn norm_pseudo_huber<V: Vector<Component: Float>>(v: V, delta: V::Component) -> V::Component {
    let one = V::Component::lit(1.0);
    let ratio = v.inner(v) / (delta * delta);
    // √(1 + x) − 1 = x / (√(1 + x) + 1), without cancellation.
    delta * delta * (ratio / ((one + ratio).sqrt() + one))
}

/// √(v · v + ε²): the length, but smooth at 0, where it is ε and its derivative 0.
#[track_caller]
pub fn smooth_length<V: Vector<Component: Float>>(v: V, epsilon: V::Component) -> V::Component {
    (v.inner(v) + epsilon * epsilon).sqrt()
}

/// v / √(v · v + ε²): nearly of length 1 far from 0, smooth through it, with slope 1/ε there.
#[track_caller]
pub fn smooth_normalize<V: Vector<Component: Float>>(v: V, epsilon: V::Component) -> V {
    let one = V::Component::lit(1.0);
    v * (one / smooth_length(v, epsilon))
}

/// v / max(|v|, ε): of length 1 from |v| = ε on, and v/ε below, which has the right slope 1/ε through 0, where
/// that of [`normalize`](super::normalize) does not exist. At |v| = ε the derivative is that of the inside.
#[track_caller]
pub fn safe_normalize<V: Vector<Component: Float>>(v: V, epsilon: V::Component) -> V {
    let one = V::Component::lit(1.0);
    let square = v.inner(v);
    let inside = square.less_eq(epsilon * epsilon);
    let length = V::Component::pick(inside, one, square).sqrt();
    v * (one / V::Component::pick(inside, epsilon, length))
}

/// |a − b|. Derivative 0 where they coincide.
#[track_caller]
pub fn distance<V: Vector<Component: Float>>(a: V, b: V) -> V::Component {
    super::length(a - b)
}

/// v mirrored in the plane with the unit normal `n`: v − 2 (v · n) n.
#[track_caller]
pub fn reflect<V: Vector>(v: V, n: V) -> V {
    v - n * (v.inner(n) * V::Component::lit(2.0))
}

/// The direction of a ray of unit direction `v` behind a surface of unit normal `n` (against the ray), by
/// Snell's law with `eta` the ratio of the refractive indices, before over behind. Total reflection gives 0,
/// with derivative 0.
#[track_caller]
pub fn refract<V: Vector<Component: Float>>(v: V, n: V, eta: V::Component) -> V {
    let (zero, one) = (V::Component::lit(0.0), V::Component::lit(1.0));
    let along = v.inner(n);
    let k = one - eta * eta * (one - along * along);
    let passes = zero.less_eq(k);
    let root = V::Component::pick(passes, k, zero).sqrt();
    let through = V::Component::pick(passes, one, zero);
    v * (eta * through) - n * ((eta * along + root) * through)
}

/// The part of `v` along `onto`: onto (v · onto)/(onto · onto); 0, with derivative 0, for an `onto` of 0.
#[track_caller]
pub fn project<V: Vector<Component: Float>>(v: V, onto: V) -> V {
    let (zero, one) = (V::Component::lit(0.0), V::Component::lit(1.0));
    let square = onto.inner(onto);
    let none = square.equals(zero);
    let along = v.inner(onto) / V::Component::pick(none, one, square);
    onto * V::Component::pick(none, zero, along)
}

/// What [`project`] leaves of `v`: its part at a right angle to `from`.
#[track_caller]
pub fn reject<V: Vector<Component: Float>>(v: V, from: V) -> V {
    v - project(v, from)
}

/// a.x b.y − a.y b.x: the third component of the cross product of two vectors of a plane.
#[track_caller]
pub fn cross2<S: Scalar>(a: Vec2<S>, b: Vec2<S>) -> S {
    a.x * b.y - a.y * b.x
}

/// Σ aᵢⱼ bᵢⱼ of two matrices.
#[track_caller]
pub fn ddot<M: Entries>(a: M, b: M) -> M::Component {
    let products: Vec<_> = a.entry_list().into_iter().zip(b.entry_list()).map(|(x, y)| x * y).collect();
    reduce(&products, |x, y| x + y)
}

/// A matrix as a list of its entries.
pub trait Entries: Linear {
    /// The entries, row by row.
    #[doc(hidden)]
    fn entry_list(self) -> Vec<Self::Component>;
}
macro_rules! entries {
    ($($name:ident)*) => { $(
        impl<S: Scalar> Entries for crate::matrix::$name<S> {
            fn entry_list(self) -> Vec<S> {
                self.rows.iter().flat_map(|r| r.to_array()).collect()
            }
        }
    )* };
}
entries!(Mat22 Mat33 Mat44);
impl<S: Scalar, const R: usize, const C: usize> Entries for crate::rectangular::Mat<S, R, C> {
    fn entry_list(self) -> Vec<S> {
        self.rows.concat()
    }
}

macro_rules! methods {
    ($($name:ident $(<const $n:ident>)?),*) => { $(
        /// Component by component.
        impl<S: Scalar $(, const $n: usize)?> $name<S $(, $n)?> {
            /// The smaller ones of the components; at a tie each has half of the derivative.
            #[track_caller]
            pub fn min(self, other: Self) -> Self {
                cw_min(self, other)
            }
            /// The larger ones of the components; at a tie each has half of the derivative.
            #[track_caller]
            pub fn max(self, other: Self) -> Self {
                cw_max(self, other)
            }
            /// Each component held between those of `low` and `high`.
            #[track_caller]
            pub fn clamp(self, low: Self, high: Self) -> Self {
                cw_clamp(self, low, high)
            }
            /// The absolute values of the components; derivative 0 at 0.
            #[track_caller]
            pub fn abs(self) -> Self {
                cw_abs(self)
            }
            /// The signs of the components; derivative 0.
            #[track_caller]
            pub fn sign(self) -> Self {
                cw_sign(self)
            }
            /// The smallest component.
            #[track_caller]
            pub fn min_element(self) -> S {
                min_element(self)
            }
            /// The largest component.
            #[track_caller]
            pub fn max_element(self) -> S {
                max_element(self)
            }
        }
        impl<S: Scalar $(, const $n: usize)?> ByComponent for $name<S $(, $n)?> {
            #[track_caller]
            fn smaller(self, other: Self) -> Self {
                cw_min(self, other)
            }
            #[track_caller]
            fn larger(self, other: Self) -> Self {
                cw_max(self, other)
            }
            #[track_caller]
            fn sizes(self) -> Self {
                cw_abs(self)
            }
            #[track_caller]
            fn signs(self) -> Self {
                cw_sign(self)
            }
        }
        methods!(@float $name $(<const $n>)?;
            floor: "The largest integers not above the components. Derivative 0.",
            ceil: "The smallest integers not below the components. Derivative 0.",
            round: "The integers nearest to the components. Derivative 0.",
            trunc: "The integer parts of the components. Derivative 0.",
            fract: "What `floor` leaves of the components.",
            sqrt: "The square roots of the components.",
            exp: "e to the power of each component.",
            log: "The natural logarithms of the components.",
            sin: "The sines of the components, radians.",
            cos: "The cosines of the components, radians."
        );
    )* };
    (@float $name:ident $(<const $n:ident>)?; $($f:ident: $doc:literal),*) => {
        methods!(@each $name [$($n)?] $(($f, $doc))*);
    };
    (@each $name:ident [] $(($f:ident, $doc:literal))*) => {
        impl<S: Float> $name<S> { $(methods!(@one $f, $doc);)* }
    };
    (@each $name:ident [$n:ident] $(($f:ident, $doc:literal))*) => {
        impl<S: Float, const $n: usize> $name<S, $n> { $(methods!(@one $f, $doc);)* }
    };
    (@one $f:ident, $doc:literal) => {
        #[doc = $doc]
        #[track_caller]
        pub fn $f(self) -> Self {
            let mut all = self.list();
            for x in &mut all {
                *x = Float::$f(*x);
            }
            Self::of_list(&all)
        }
    };
}
methods!(Vec2, Vec3, Vec4, VecN<const N>);
