//! An array type for tests that only trace, and kernels run on the reference interpreter.
#![allow(dead_code, clippy::unwrap_used)]

use pullback_ir::interp::{self, Arg, ArrayData, Limits, Records};
use pullback_ir::{Constant, Element, Kernel, Scalar, verify};
use pullback_lang::{ArrayArg, ArrayElement, TracedArray};
use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

/// Stands for the runtime's array in signatures.
pub struct Array<T, const D: usize = 1>(PhantomData<T>);

impl<T, const D: usize> Array<T, D> {
    pub fn new() -> Self {
        Array(PhantomData)
    }
}

impl<T: ArrayElement, const D: usize> ArrayArg for Array<T, D> {
    type Traced = TracedArray<T, D>;
    fn handle(&self) -> Arc<dyn Any + Send + Sync> {
        Arc::new(())
    }
}

/// An array of the host, indexed as in kernels.
pub struct Host<T>(pub Vec<T>);

impl<T> Host<T> {
    pub fn len(&self) -> i64 {
        self.0.len() as i64
    }
}
impl<T: Copy, const N: usize> From<[T; N]> for Host<T> {
    fn from(values: [T; N]) -> Self {
        Host(values.to_vec())
    }
}
impl<T> std::ops::Index<i64> for Host<T> {
    type Output = T;
    fn index(&self, i: i64) -> &T {
        &self.0[i as usize]
    }
}
impl<T> std::ops::IndexMut<i64> for Host<T> {
    fn index_mut(&mut self, i: i64) -> &mut T {
        &mut self.0[i as usize]
    }
}

/// Runs a kernel of `(x, k, n)` in one thread.
pub fn run(ir: &Kernel, x: &mut [f64], k: &mut [i64], n: i64) {
    let mut ints = ArrayData::zeros(Element::scalar(Scalar::I64), &[k.len()]);
    for (at, &v) in k.iter().enumerate() {
        ints.set_at(at, 0, Constant::I64(v));
    }
    let args = vec![Arg::Array(floats(x)), Arg::Array(ints), Arg::Scalar(Constant::I64(n))];
    let args = interpret(ir, args);
    if let (Arg::Array(floats), Arg::Array(ints)) = (&args[0], &args[1]) {
        x.copy_from_slice(&floats.to_f64s());
        for (at, v) in k.iter_mut().enumerate() {
            *v = ints.get_at(at, 0).as_i64().unwrap();
        }
    }
}

/// Runs a kernel of `(x, y)` in one thread, with `outputs` values of `y`; gives `y` back.
pub fn evaluate(ir: &Kernel, x: &[f64], outputs: usize) -> Vec<f64> {
    let args = interpret(ir, vec![Arg::Array(floats(x)), Arg::Array(floats(&vec![0.0; outputs]))]);
    match &args[1] {
        Arg::Array(y) => y.to_f64s(),
        Arg::Scalar(_) => vec![],
    }
}

pub fn floats(x: &[f64]) -> ArrayData {
    ArrayData::from_f64s(Element::scalar(Scalar::F64), &[x.len()], x)
}

pub fn interpret(ir: &Kernel, mut args: Vec<Arg>) -> Vec<Arg> {
    let kernel = verify(ir).unwrap();
    interp::run(&kernel, &[1], &mut args, &mut Records::default(), &Limits { fuel: 1_000_000, ..Limits::default() })
        .unwrap();
    args
}
