//! What a derivative is taken with respect to: an array, or several.

use crate::array::Array;
use crate::device::Device;
use crate::error::Error;
use crate::tape::Tape;
use pullback_lang::ArrayElement;

/// The inputs of a function to be differentiated: an array, or a tuple of up to four inputs.
pub trait Inputs: Sized {
    /// New arrays on a device with the same contents.
    ///
    /// # Errors
    /// [`Error::Freed`].
    fn copies(&self, device: &Device) -> Result<Self, Error>;
    /// Handles of the same arrays.
    fn handles(&self) -> Self;
    /// The gradient of each: see [`Tape::grad`].
    ///
    /// # Errors
    /// As [`Tape::grad`].
    fn gradients(&self, tape: &Tape) -> Result<Self, Error>;
}

impl<T: ArrayElement, const D: usize> Inputs for Array<T, D> {
    fn copies(&self, device: &Device) -> Result<Self, Error> {
        self.to_device(device)
    }
    fn handles(&self) -> Self {
        self.clone()
    }
    fn gradients(&self, tape: &Tape) -> Result<Self, Error> {
        tape.grad(self)
    }
}

macro_rules! tuples {
    ($($($name:ident $index:tt)*;)*) => {$(
        impl<$($name: Inputs),*> Inputs for ($($name,)*) {
            fn copies(&self, device: &Device) -> Result<Self, Error> {
                Ok(($(self.$index.copies(device)?,)*))
            }
            fn handles(&self) -> Self {
                ($(self.$index.handles(),)*)
            }
            fn gradients(&self, tape: &Tape) -> Result<Self, Error> {
                Ok(($(self.$index.gradients(tape)?,)*))
            }
        }
    )*};
}
tuples! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 F 3;
}
