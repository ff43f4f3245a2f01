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
        /// The rows of this family.
        pub(super) fn rows() -> Vec<Row> {
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

// One file a family of builtins; each has `rows()`.
mod components;
mod decomposition;
mod geometry;
mod linalg;
mod noise;
mod operators;
mod orientation;
mod random;
mod rotation;
mod scalar;
mod special;
mod transform;
mod vector;

/// All builtins that are functions of scalars, and the operators of vectors, quaternions and matrices.
pub fn rows() -> Vec<Row> {
    let families = [
        scalar::rows(),
        special::rows(),
        vector::rows(),
        components::rows(),
        linalg::rows(),
        decomposition::rows(),
        geometry::rows(),
        random::rows(),
        noise::rows(),
        rotation::rows(),
        orientation::rows(),
        transform::rows(),
        operators::rows(),
    ];
    families.into_iter().flatten().collect()
}
