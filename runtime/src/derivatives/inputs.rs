//! What a derivative is taken with respect to: an array, or several.

use crate::array::Array;
use crate::device::Device;
use crate::error::Error;
use crate::tape::Tape;
use crate::view::write_float;
use pullback_ir::{Component, Element};
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
    /// Sets the tangent of each: see [`Tape::set_tangent`].
    ///
    /// # Errors
    /// As [`Tape::set_tangent`].
    fn set_tangents(&self, tape: &mut Tape, tangents: &Self) -> Result<(), Error>;
    /// How many floats there are, in all elements together.
    fn floats(&self) -> usize;
    /// Sets the tangents along one of a tape's directions: 1 for the float of this number, 0 for all others, and
    /// for all if there is none of this number. Floats are counted through elements row-major, and through
    /// the components of each.
    ///
    /// # Errors
    /// As [`Tape::set_tangent`].
    #[doc(hidden)]
    fn set_unit_tangent(&self, tape: &mut Tape, float: usize, column: usize) -> Result<(), Error>;
    /// Whether the tape has used each since it was given a tangent.
    #[doc(hidden)]
    fn used(&self, tape: &Tape) -> bool;
    /// Arrays of the same shapes with these floats, counted as above, and zeros where there are no more.
    ///
    /// # Errors
    /// None but those of a broken device.
    #[doc(hidden)]
    fn of_floats(&self, floats: &mut dyn Iterator<Item = f64>) -> Result<Self, Error>;
}

/// The floats of an element.
pub(super) fn float_components(element: &Element) -> impl Iterator<Item = &Component> {
    element.components().iter().filter(|c| c.scalar.is_float())
}

/// An array of zeros like another, with these floats set: pairs of a number, as [`Inputs`] counts, and a value.
pub(super) fn with_floats<T: ArrayElement, const D: usize>(
    like: &Array<T, D>,
    floats: impl IntoIterator<Item = (usize, f64)>,
) -> Array<T, D> {
    let array = Array::<T, D>::zeros(like.device(), like.shape());
    let element = T::element();
    let components: Vec<&Component> = float_components(&element).collect();
    let guard = like.device().lock();
    let base = array.view_handle().base(&guard);
    for (number, value) in floats {
        let (index, which) = (number / components.len().max(1), number % components.len().max(1));
        if let (Some(component), true) = (components.get(which), index < array.len()) {
            let at = index * element.size() as usize + component.offset as usize;
            // SAFETY: the lock is held; the new array's elements lie one after the other, `index` is one
            // of them, and the component lies in it, aligned.
            unsafe { write_float(component.scalar, base.add(at), value) };
        }
    }
    array
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
    fn set_tangents(&self, tape: &mut Tape, tangents: &Self) -> Result<(), Error> {
        tape.set_tangent(self, tangents)
    }
    fn floats(&self) -> usize {
        self.len() * float_components(&T::element()).count()
    }
    fn set_unit_tangent(&self, tape: &mut Tape, float: usize, column: usize) -> Result<(), Error> {
        tape.set_column(self, &with_floats(self, [(float, 1.0)]), column)
    }
    fn used(&self, tape: &Tape) -> bool {
        tape.used(self)
    }
    fn of_floats(&self, floats: &mut dyn Iterator<Item = f64>) -> Result<Self, Error> {
        Ok(with_floats(self, (0..self.floats()).zip(floats)))
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
            fn set_tangents(&self, tape: &mut Tape, tangents: &Self) -> Result<(), Error> {
                $(self.$index.set_tangents(tape, &tangents.$index)?;)*
                Ok(())
            }
            fn floats(&self) -> usize {
                [$(self.$index.floats()),*].iter().sum()
            }
            fn set_unit_tangent(&self, tape: &mut Tape, float: usize, column: usize) -> Result<(), Error> {
                let mut before = 0;
                $(
                    // Of those before this input the number wraps to one that no array has.
                    self.$index.set_unit_tangent(tape, float.wrapping_sub(before), column)?;
                    before += self.$index.floats();
                )*
                let _ = before;
                Ok(())
            }
            fn used(&self, tape: &Tape) -> bool {
                $(self.$index.used(tape))&&*
            }
            fn of_floats(&self, floats: &mut dyn Iterator<Item = f64>) -> Result<Self, Error> {
                Ok(($(self.$index.of_floats(floats)?,)*))
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
