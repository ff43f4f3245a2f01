use pullback_lang::{ArrayArg, ArrayElement, TracedArray};

pub struct Array<T, const D: usize = 1>(std::marker::PhantomData<T>);

impl<T: ArrayElement, const D: usize> ArrayArg for Array<T, D> {
    type Traced = TracedArray<T, D>;
    fn handle(&self) -> std::sync::Arc<dyn std::any::Any + Send + Sync> {
        std::sync::Arc::new(())
    }
}
