//! Arrays from and to the `ndarray` crate's.

use crate::array::Array;
use crate::device::Device;
use crate::error::Error;
use ndarray::{ArrayBase, Data, Dim, Dimension, IntoDimension, Ix};
use pullback_lang::ArrayElement;

impl<T: ArrayElement, const D: usize> Array<T, D>
where
    [Ix; D]: IntoDimension<Dim = Dim<[Ix; D]>>,
    Dim<[Ix; D]>: Dimension,
{
    /// A new array with the shape and elements of an `ndarray`, in its logical order.
    ///
    /// ```
    /// use pullback_runtime::{Array, Device};
    /// let a = ndarray::array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    /// let x = Array::from_ndarray(&Device::cpu(), &a);
    /// assert_eq!(x.to_ndarray()?, a);
    /// # Ok::<(), pullback_runtime::Error>(())
    /// ```
    pub fn from_ndarray<S: Data<Elem = T>>(device: &Device, array: &ArrayBase<S, Dim<[Ix; D]>>) -> Self {
        let shape: [usize; D] = std::array::from_fn(|axis| array.shape()[axis]);
        let elements: Vec<T> = array.iter().copied().collect();
        let mut new = Array::zeros(device, shape);
        // As many elements as the shape has, so this cannot fail.
        let copied = new.copy_from_slice(&elements);
        debug_assert!(copied.is_ok());
        new
    }

    /// The elements as an `ndarray` of the same shape.
    ///
    /// # Errors
    /// [`Error::Freed`].
    pub fn to_ndarray(&self) -> Result<ndarray::Array<T, Dim<[Ix; D]>>, Error> {
        let elements = self.to_vec()?;
        ndarray::Array::from_shape_vec(self.shape(), elements).map_err(|e| Error::Shape {
            what: "making an ndarray".into(),
            found: e.to_string(),
            expected: format!("{:?}", self.shape()),
        })
    }
}
