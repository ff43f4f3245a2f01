//! The table of builtins: what tests need to know of each of them.
//!
//! A row holds the function on flat lists of scalars, as host code and as a kernel in both precisions,
//! the intervals its gradient is sampled on, and its kinks with the derivatives that hold there by
//! rule. Tests walk [`rows`]: every builtin's gradient against differences, every kink, every kernel
//! against the host. A test of this crate fails if a builtin has no row.

use super::*;
use crate::array::{LoadAt, StoreAt, TracedArray};
use crate::handle::KernelHandle;
use crate::matrix::{Mat22, Mat33, Mat44};
use crate::quat::Quat;
use crate::scalar::{Float, Real};
use crate::traced::Traced;
use crate::types::KernelType;
use crate::vector::{Vec2, Vec3, Vec4};
use pullback_ir::Access;
use std::fmt;
use std::sync::Arc;

/// A point at which a derivative is a rule, and not what differences give.
#[derive(Clone, Copy, Debug)]
pub struct Kink {
    /// The inputs.
    pub at: &'static [f64],
    /// The derivatives there: for each output, with respect to each input.
    pub jacobian: &'static [f64],
}

/// What there is to know of a builtin.
pub struct Row {
    /// The builtin's name; for an operator, what it joins.
    pub name: &'static str,
    /// For each input the interval on which it is smooth.
    pub domain: &'static [(f64, f64)],
    /// Where it is not smooth.
    pub kinks: &'static [Kink],
    host: fn(&[f64]) -> Vec<f64>,
    host_f32: fn(&[f32]) -> Vec<f32>,
    kernel: fn(&'static str, usize) -> Arc<KernelHandle>,
    kernel_f32: fn(&'static str, usize) -> Arc<KernelHandle>,
}

impl Row {
    /// The number of scalars it takes.
    pub fn inputs(&self) -> usize {
        self.domain.len()
    }
    /// The number of scalars it gives.
    pub fn outputs(&self) -> usize {
        self.host(&vec![1.0; self.inputs()]).len()
    }
    /// Its value on the host.
    pub fn host(&self, x: &[f64]) -> Vec<f64> {
        (self.host)(x)
    }
    /// Its value on the host in `f32`.
    pub fn host_f32(&self, x: &[f32]) -> Vec<f32> {
        (self.host_f32)(x)
    }
    /// A kernel of `x: &Array<f64>` and `y: &mut Array<f64>`: thread i takes its inputs from
    /// `x[i * inputs + ..]` and stores its outputs in `y[i * outputs + ..]`.
    pub fn kernel(&self) -> Arc<KernelHandle> {
        (self.kernel)(self.name, self.inputs())
    }
    /// The same kernel in `f32`.
    pub fn kernel_f32(&self) -> Arc<KernelHandle> {
        (self.kernel_f32)(self.name, self.inputs())
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Row").field("name", &self.name).finish_non_exhaustive()
    }
}

fn build<R: Real>(name: &'static str, inputs: usize, f: fn(&[Traced<R>]) -> Vec<Traced<R>>) -> Arc<KernelHandle> {
    KernelHandle::traced(name, || {
        let x = TracedArray::<R, 1>::param("x", Access::Read);
        let mut y = TracedArray::<R, 1>::param("y", Access::ReadWrite);
        let thread = thread_id();
        let at = |count: usize, k: usize| thread * (count as i64).constant() + (k as i64).constant();
        let values: Vec<Traced<R>> = (0..inputs).map(|k| x.load_at(at(inputs, k))).collect();
        let outputs = f(&values);
        for (k, &value) in outputs.iter().enumerate() {
            y.store_at(at(outputs.len(), k), value);
        }
    })
}

fn v2<T: Copy>(x: &[T], at: usize) -> Vec2<T> {
    Vec2::new(x[at], x[at + 1])
}
fn v3<T: Copy>(x: &[T], at: usize) -> Vec3<T> {
    Vec3::new(x[at], x[at + 1], x[at + 2])
}
fn v4<T: Copy>(x: &[T], at: usize) -> Vec4<T> {
    Vec4::new(x[at], x[at + 1], x[at + 2], x[at + 3])
}
fn q<T: Copy>(x: &[T], at: usize) -> Quat<T> {
    Quat::new(x[at], x[at + 1], x[at + 2], x[at + 3])
}
fn m2<T: Copy>(x: &[T], at: usize) -> Mat22<T> {
    Mat22::from_rows(v2(x, at), v2(x, at + 2))
}
fn m3<T: Copy>(x: &[T], at: usize) -> Mat33<T> {
    Mat33::from_rows(v3(x, at), v3(x, at + 3), v3(x, at + 6))
}
fn m4<T: Copy>(x: &[T], at: usize) -> Mat44<T> {
    Mat44::from_rows(v4(x, at), v4(x, at + 4), v4(x, at + 8), v4(x, at + 12))
}
fn e2<T: Copy>(m: Mat22<T>) -> Vec<T> {
    m.rows.iter().flat_map(|r| r.to_array()).collect()
}
fn e3<T: Copy>(m: Mat33<T>) -> Vec<T> {
    m.rows.iter().flat_map(|r| r.to_array()).collect()
}
fn e4<T: Copy>(m: Mat44<T>) -> Vec<T> {
    m.rows.iter().flat_map(|r| r.to_array()).collect()
}

const fn unit<const N: usize>() -> [(f64, f64); N] {
    [(0.2, 1.3); N]
}
/// Entries of a matrix that is far from singular: large on the diagonal.
const fn regular<const N: usize, const NN: usize>() -> [(f64, f64); NN] {
    let mut all = [(-0.4, 0.4); NN];
    let mut i = 0;
    while i < N {
        all[i * N + i] = (1.5, 2.5);
        i += 1;
    }
    all
}
const fn zeros<const N: usize>() -> [f64; N] {
    [0.0; N]
}

macro_rules! rows {
    ($($name:literal on $domain:expr $(, kink $at:expr => $jacobian:expr)*; |$x:ident| $body:expr;)*) => {
        /// All builtins that are functions of scalars, and the operators of vectors, quaternions and
        /// matrices.
        pub fn rows() -> Vec<Row> {
            vec![$({
                fn eval<T: Float>($x: &[T]) -> Vec<T> {
                    Vec::from($body)
                }
                Row {
                    name: $name,
                    domain: const { &$domain },
                    kinks: const { &[$(Kink { at: &$at, jacobian: &$jacobian }),*] },
                    host: eval::<f64>,
                    host_f32: eval::<f32>,
                    kernel: |name, inputs| build::<f64>(name, inputs, eval::<Traced<f64>>),
                    kernel_f32: |name, inputs| build::<f32>(name, inputs, eval::<Traced<f32>>),
                }
            }),*]
        }
    };
}

rows! {
    "floor" on [(1.1, 1.9)], kink [2.0] => [0.0]; |x| [floor(x[0])];
    "ceil" on [(1.1, 1.9)], kink [2.0] => [0.0]; |x| [ceil(x[0])];
    "round" on [(1.1, 1.4)], kink [1.5] => [0.0]; |x| [round(x[0])];
    "trunc" on [(-1.9, -1.1)], kink [0.0] => [0.0]; |x| [trunc(x[0])];
    "fract" on [(-1.9, -1.1)], kink [2.0] => [1.0]; |x| [fract(x[0])];
    "sqrt" on [(0.2, 3.0)], kink [0.0] => [0.0]; |x| [sqrt(x[0])];
    "cbrt" on [(-3.0, -0.2)], kink [0.0] => [0.0]; |x| [cbrt(x[0])];
    "exp" on [(-2.0, 2.0)]; |x| [exp(x[0])];
    "exp2" on [(-2.0, 2.0)]; |x| [exp2(x[0])];
    "expm1" on [(-0.5, 0.5)]; |x| [expm1(x[0])];
    "log" on [(0.2, 3.0)]; |x| [log(x[0])];
    "log2" on [(0.2, 3.0)]; |x| [log2(x[0])];
    "log10" on [(0.2, 3.0)]; |x| [log10(x[0])];
    "log1p" on [(-0.5, 0.5)]; |x| [log1p(x[0])];
    "sin" on [(-3.0, 3.0)]; |x| [sin(x[0])];
    "cos" on [(-3.0, 3.0)]; |x| [cos(x[0])];
    "tan" on [(-1.2, 1.2)]; |x| [tan(x[0])];
    "asin" on [(-0.8, 0.8)], kink [1.0] => [0.0], kink [-1.0] => [0.0]; |x| [asin(x[0])];
    "acos" on [(-0.8, 0.8)], kink [1.0] => [0.0], kink [-1.0] => [0.0]; |x| [acos(x[0])];
    "atan" on [(-3.0, 3.0)]; |x| [atan(x[0])];
    "sinh" on [(-2.0, 2.0)]; |x| [sinh(x[0])];
    "cosh" on [(-2.0, 2.0)]; |x| [cosh(x[0])];
    "tanh" on [(-2.0, 2.0)]; |x| [tanh(x[0])];
    "pow" on [(0.3, 2.0), (-2.0, 2.0)],
        kink [0.0, 2.0] => [0.0, 0.0], kink [0.0, 1.0] => [1.0, 0.0], kink [0.0, 0.5] => [0.0, 0.0];
        |x| [pow(x[0], x[1])];
    "atan2" on [(0.3, 2.0), (-2.0, -0.3)], kink [0.0, 0.0] => [0.0, 0.0]; |x| [atan2(x[0], x[1])];
    "fma" on [(-2.0, 2.0); 3]; |x| [fma(x[0], x[1], x[2])];
    "rem" on [(6.5, 6.8), (1.95, 2.05)], kink [4.0, 2.0] => [1.0, -2.0]; |x| [rem(x[0], x[1])];
    "min" on [(0.1, 0.9), (1.1, 2.0)], kink [1.0, 1.0] => [0.5, 0.5]; |x| [min(x[0], x[1])];
    "max" on [(0.1, 0.9), (1.1, 2.0)], kink [1.0, 1.0] => [0.5, 0.5]; |x| [max(x[0], x[1])];
    "clamp" on [(0.1, 0.9), (-1.0, 0.0), (1.0, 2.0)], kink [2.0, 0.0, 1.0] => [0.0, 0.0, 1.0],
        kink [0.0, 0.0, 1.0] => [0.5, 0.5, 0.0];
        |x| [clamp(x[0], x[1], x[2])];
    "abs" on [(-2.0, -0.1)], kink [0.0] => [0.0]; |x| [abs(x[0])];
    "sign" on [(0.1, 2.0)], kink [0.0] => [0.0]; |x| [sign(x[0])];
    "select" on [(0.1, 0.9), (-1.0, 1.0), (-1.0, 1.0)], kink [1.5, 2.0, 3.0] => [0.0, 0.0, 1.0];
        |x| [select(x[0].less(T::lit(1.0)), x[1], x[2])];
    // The value that is not chosen has no say, although it and its derivative are infinite.
    "select" on [(0.1, 0.9)], kink [0.0] => [0.0];
        |x| [select(x[0].less(T::lit(1.0)), x[0] * x[0], exp(x[0] * T::lit(1000.0)) / x[0])];

    "dot" on unit::<4>(); |x| [dot(v2(x, 0), v2(x, 2))];
    "dot" on unit::<6>(); |x| [dot(v3(x, 0), v3(x, 3))];
    "dot" on unit::<8>(); |x| [dot(v4(x, 0), v4(x, 4))];
    "dot" on unit::<8>(); |x| [dot(q(x, 0), q(x, 4))];
    "cross" on unit::<6>(); |x| cross(v3(x, 0), v3(x, 3)).to_array();
    "length" on unit::<2>(), kink zeros::<2>() => zeros::<2>(); |x| [length(v2(x, 0))];
    "length" on unit::<3>(), kink zeros::<3>() => zeros::<3>(); |x| [length(v3(x, 0))];
    "length" on unit::<4>(), kink zeros::<4>() => zeros::<4>(); |x| [length(v4(x, 0))];
    "length_sq" on unit::<3>(), kink zeros::<3>() => zeros::<3>(); |x| [length_sq(v3(x, 0))];
    "normalize" on unit::<2>(), kink zeros::<2>() => zeros::<4>(); |x| normalize(v2(x, 0)).to_array();
    "normalize" on unit::<3>(), kink zeros::<3>() => zeros::<9>(); |x| normalize(v3(x, 0)).to_array();
    "normalize" on unit::<4>(), kink zeros::<4>() => zeros::<16>(); |x| normalize(v4(x, 0)).to_array();
    "normalize" on unit::<4>(), kink zeros::<4>() => zeros::<16>(); |x| normalize(q(x, 0)).to_array();
    "lerp" on [(-1.0, 1.0); 3]; |x| [scalar_lerp(x[0], x[1], x[2])];
    "lerp" on [(-1.0, 1.0); 7]; |x| lerp(v3(x, 0), v3(x, 3), x[6]).to_array();
    "outer" on unit::<4>(); |x| e2(outer(v2(x, 0), v2(x, 2)));
    "outer" on unit::<6>(); |x| e3(outer(v3(x, 0), v3(x, 3)));
    "outer" on unit::<8>(); |x| e4(outer(v4(x, 0), v4(x, 4)));

    "transpose" on unit::<4>(); |x| e2(transpose(m2(x, 0)));
    "transpose" on unit::<9>(); |x| e3(transpose(m3(x, 0)));
    "transpose" on unit::<16>(); |x| e4(transpose(m4(x, 0)));
    "determinant" on regular::<2, 4>(); |x| [determinant(m2(x, 0))];
    "determinant" on regular::<3, 9>(), kink zeros::<9>() => zeros::<9>(); |x| [determinant(m3(x, 0))];
    "determinant" on regular::<4, 16>(), kink zeros::<16>() => zeros::<16>(); |x| [determinant(m4(x, 0))];
    "inverse" on regular::<2, 4>(); |x| e2(inverse(m2(x, 0)));
    "inverse" on regular::<3, 9>(); |x| e3(inverse(m3(x, 0)));
    "inverse" on regular::<4, 16>(); |x| e4(inverse(m4(x, 0)));
    "diagonal" on unit::<3>(); |x| e3(diagonal(v3(x, 0)));
    "trace" on unit::<9>(); |x| [trace(m3(x, 0))];
    "skew" on unit::<3>(); |x| e3(skew(v3(x, 0)));

    "quat_identity" on unit::<4>(); |x| (quat_identity::<T>() * q(x, 0)).to_array();
    "quat_from_axis_angle" on unit::<4>(), kink zeros::<4>() => zeros::<16>();
        |x| quat_from_axis_angle(v3(x, 0), x[3]).to_array();
    "conjugate" on unit::<4>(); |x| conjugate(q(x, 0)).to_array();
    "quat_inverse" on unit::<4>(), kink zeros::<4>() => zeros::<16>(); |x| quat_inverse(q(x, 0)).to_array();
    "quat_multiply" on unit::<8>(); |x| quat_multiply(q(x, 0), q(x, 4)).to_array();
    "quat_rotate" on unit::<7>(); |x| quat_rotate(q(x, 0), v3(x, 4)).to_array();
    "quat_rotate_inv" on unit::<7>(); |x| quat_rotate_inv(q(x, 0), v3(x, 4)).to_array();
    "quat_to_matrix" on unit::<4>(); |x| e3(quat_to_matrix(q(x, 0)));

    "Vec2 operators" on unit::<5>();
        |x| ((v2(x, 0) + v2(x, 2)) * v2(x, 0) / v2(x, 2) - v2(x, 2) * x[4] + -v2(x, 0) / x[4]).to_array();
    "Vec3 operators" on unit::<7>();
        |x| ((v3(x, 0) + v3(x, 3)) * v3(x, 0) / v3(x, 3) - v3(x, 3) * x[6] + -v3(x, 0) / x[6]).to_array();
    "Vec4 operators" on unit::<9>();
        |x| ((v4(x, 0) + v4(x, 4)) * v4(x, 0) / v4(x, 4) - v4(x, 4) * x[8] + -v4(x, 0) / x[8]).to_array();
    "Quat operators" on unit::<9>();
        |x| ((q(x, 0) + q(x, 4)) * q(x, 0) - q(x, 4) * x[8] + -q(x, 0) / x[8]).to_array();
    "Mat22 operators" on unit::<9>();
        |x| e2((m2(x, 0) + m2(x, 4)) * m2(x, 0) - m2(x, 4) * x[8] + -m2(x, 0) / x[8]);
    "Mat33 operators" on unit::<19>();
        |x| e3((m3(x, 0) + m3(x, 9)) * m3(x, 0) - m3(x, 9) * x[18] + -m3(x, 0) / x[18]);
    "Mat44 operators" on unit::<33>();
        |x| e4((m4(x, 0) + m4(x, 16)) * m4(x, 0) - m4(x, 16) * x[32] + -m4(x, 0) / x[32]);
    "Mat22 times Vec2" on unit::<6>(); |x| (m2(x, 0) * v2(x, 4)).to_array();
    "Mat33 times Vec3" on unit::<12>(); |x| (m3(x, 0) * v3(x, 9)).to_array();
    "Mat44 times Vec4" on unit::<20>(); |x| (m4(x, 0) * v4(x, 16)).to_array();
}

/// `lerp` of scalars; `T` is not known to be its own component in generic code.
fn scalar_lerp<T: Float>(a: T, b: T, t: T) -> T {
    lerp(Vec2::new(a, a), Vec2::new(b, b), t).x
}
