//! An array type for tests that only trace, and nothing more.
#![allow(dead_code)]

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
