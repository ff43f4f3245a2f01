//! The types of parameters.

/// `f32` or `f64`. Optimisers compute in f64 and round what they give back.
pub trait Parameter: Copy + sealed::Sealed {
    /// The value as f64; exact.
    fn to_f64(self) -> f64;
    /// The nearest value of the type.
    fn from_f64(value: f64) -> Self;
}

mod sealed {
    /// Keeps [`super::Parameter`] to this crate.
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

impl Parameter for f32 {
    fn to_f64(self) -> f64 {
        self.into()
    }
    fn from_f64(value: f64) -> Self {
        value as f32
    }
}

impl Parameter for f64 {
    fn to_f64(self) -> f64 {
        self
    }
    fn from_f64(value: f64) -> Self {
        value
    }
}

pub(crate) fn to_f64<T: Parameter>(values: &[T]) -> Vec<f64> {
    values.iter().map(|v| v.to_f64()).collect()
}
