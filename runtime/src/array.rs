//! Typed arrays: what users hold.

use crate::device::{Device, Guard};
use crate::error::Error;
use crate::view::{MAX_RANK, View};
use pullback_lang::{ArrayArg, ArrayElement, TracedArray};
use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

/// An array of `T` with `D` dimensions (1 to 4) on a device.
///
/// It is a handle: clones and views share the memory, and what is written through one is seen through
/// all. `Array::duplicate` makes a copy of the contents. Elements are scalars, vectors, matrices or
/// quaternions; axes run row-major in new arrays.
///
/// ```
/// use pullback_runtime::{Array, Device};
/// let mut x = Array::from_slice(&Device::cpu(), &[1.0, 2.0, 3.0]);
/// x.fill(5.0)?;
/// assert_eq!(x.to_vec()?, [5.0, 5.0, 5.0]);
/// # Ok::<(), pullback_runtime::Error>(())
/// ```
pub struct Array<T, const D: usize = 1> {
    view: Arc<View>,
    element: PhantomData<T>,
}

impl<T, const D: usize> Clone for Array<T, D> {
    fn clone(&self) -> Self {
        Array { view: self.view.clone(), element: PhantomData }
    }
}

impl<T: ArrayElement, const D: usize> Array<T, D> {
    pub(crate) fn from_view(view: View) -> Self {
        const { assert!(1 <= D && D <= MAX_RANK, "an array has 1 to 4 dimensions") };
        Array { view: Arc::new(view), element: PhantomData }
    }
    pub(crate) fn view_handle(&self) -> &Arc<View> {
        &self.view
    }

    /// An array of this shape, all elements zero.
    ///
    /// # Panics
    /// If the shape has more bytes than memory can, as `Vec` does.
    pub fn zeros(device: &Device, shape: [usize; D]) -> Self {
        Array::from_view(View::zeroed(device, T::element(), &shape))
    }

    /// An array of this shape, all elements `value`.
    pub fn full(device: &Device, shape: [usize; D], value: T) -> Self {
        let array = Self::zeros(device, shape);
        // The array is new, so it is not freed, and this cannot fail.
        let filled = array.set_all(value, &device.lock());
        debug_assert!(filled.is_ok());
        array
    }

    /// An array of this shape with these elements, row-major.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are more or fewer elements than the shape has.
    pub fn from_shape(device: &Device, shape: [usize; D], elements: &[T]) -> Result<Self, Error> {
        // Before there is an array: such a shape may have more elements than memory can.
        let wanted = shape.iter().try_fold(1usize, |n, &s| n.checked_mul(s));
        if wanted != Some(elements.len()) {
            let wanted = wanted.map_or("more than memory can hold".into(), |n| n.to_string());
            return Err(Error::Shape {
                what: "making an array from a slice".into(),
                found: format!("{} elements", elements.len()),
                expected: format!("{wanted} (shape {shape:?})"),
            });
        }
        let mut array = Self::zeros(device, shape);
        array.copy_from_slice(elements)?;
        Ok(array)
    }

    /// Where it lives.
    pub fn device(&self) -> &Device {
        self.view.buffer.device()
    }
    /// The length along each axis.
    pub fn shape(&self) -> [usize; D] {
        std::array::from_fn(|axis| self.view.shape[axis])
    }
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.view.len()
    }
    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Whether its elements lie one after the other, row-major.
    pub fn is_contiguous(&self) -> bool {
        self.view.contiguous
    }

    /// All elements, row-major.
    ///
    /// # Errors
    /// [`Error::Freed`].
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        let mut elements = Vec::<T>::with_capacity(self.len());
        let guard = self.device().lock();
        self.view.check_usable("to_vec", &guard)?;
        // SAFETY: the lock is held, and `elements` has room for `len` elements, whose layout in memory
        // is `T`'s (`ArrayElement` is sealed and says so); after that they are all there.
        unsafe {
            self.view.gather(self.view.base(&guard), elements.as_mut_ptr().cast());
            elements.set_len(self.len());
        }
        Ok(elements)
    }

    /// The element at an index.
    ///
    /// # Errors
    /// [`Error::HostIndex`] outside the array, [`Error::Freed`].
    pub fn get(&self, index: [usize; D]) -> Result<T, Error> {
        let mut view = self.view.reshaped(self.view.offset, &[1], &[0]);
        for (axis, &index) in index.iter().enumerate() {
            let len = self.view.shape[axis];
            if index >= len {
                return Err(Error::HostIndex { index, len });
            }
            view.offset = self.view.step(view.offset, axis, index);
        }
        Ok(Array::<T, 1>::from_view(view).to_vec()?[0])
    }

    /// Sets all elements from a slice, row-major.
    ///
    /// # Errors
    /// [`Error::Shape`] if the lengths differ, [`Error::Freed`].
    pub fn copy_from_slice(&mut self, elements: &[T]) -> Result<(), Error> {
        let guard = self.device().lock();
        self.set_from(elements, "setting an array from a slice", &guard)
    }

    /// [`Array::copy_from_slice`] for who holds the device's lock.
    pub(crate) fn set_from(&self, elements: &[T], what: &str, guard: &Guard<'_>) -> Result<(), Error> {
        self.view.check_usable(what, guard)?;
        if elements.len() != self.len() {
            return Err(Error::Shape {
                what: what.into(),
                found: format!("{} elements", elements.len()),
                expected: format!("{} (shape {:?})", self.len(), self.shape()),
            });
        }
        self.view.buffer.touch(guard);
        // SAFETY: the lock is held; `elements` are as many as the view has, of its layout.
        unsafe { self.view.scatter(self.view.base(guard), elements.as_ptr().cast()) };
        Ok(())
    }

    /// Sets all elements to one value.
    ///
    /// # Errors
    /// [`Error::Freed`].
    pub fn fill(&mut self, value: T) -> Result<(), Error> {
        let guard = self.device().lock();
        self.set_all(value, &guard)
    }

    /// [`Array::fill`] for who holds the device's lock.
    pub(crate) fn set_all(&self, value: T, guard: &Guard<'_>) -> Result<(), Error> {
        self.view.check_usable("fill", guard)?;
        self.view.buffer.touch(guard);
        let base = self.view.base(guard);
        if self.is_contiguous() {
            let first = base.wrapping_add(self.view.offset).cast::<T>();
            // SAFETY: the lock is held, and these are the elements of a contiguous view.
            (0..self.len()).for_each(|i| unsafe { first.add(i).write(value) });
        } else {
            // SAFETY: the lock is held, and every offset is of an element, aligned to its size.
            self.view.for_each_offset(|offset| unsafe { base.add(offset).cast::<T>().write(value) });
        }
        Ok(())
    }

    /// Sets all elements from an array of the same shape, on any device.
    ///
    /// # Errors
    /// [`Error::Shape`] if the shapes differ, [`Error::Freed`].
    pub fn copy_from(&mut self, other: &Array<T, D>) -> Result<(), Error> {
        if self.shape() != other.shape() {
            return Err(Error::Shape {
                what: "copying an array".into(),
                found: format!("shape {:?}", other.shape()),
                expected: format!("{:?}", self.shape()),
            });
        }
        let elements = other.to_vec()?;
        self.copy_from_slice(&elements)
    }

    /// A new array with the same contents, on the same device; its elements lie one after the other.
    ///
    /// # Errors
    /// [`Error::Freed`].
    pub fn duplicate(&self) -> Result<Self, Error> {
        self.to_device(self.device())
    }

    /// A new array with the same contents on a device.
    ///
    /// # Errors
    /// [`Error::Freed`].
    pub fn to_device(&self, device: &Device) -> Result<Self, Error> {
        let elements = self.to_vec()?;
        Self::from_shape(device, self.shape(), &elements)
    }

    /// This array if its elements lie one after the other, else a copy of which that is true.
    ///
    /// # Errors
    /// [`Error::Freed`].
    pub fn contiguous(&self) -> Result<Self, Error> {
        if self.is_contiguous() { Ok(self.clone()) } else { self.duplicate() }
    }

    /// Gives the memory back at once. All clones and views are unusable from then on: whatever uses
    /// them is an error.
    pub fn free(self) {
        let guard = self.device().lock();
        self.view.buffer.free(&guard);
    }

    /// A view of part of an axis.
    ///
    /// # Errors
    /// [`Error::HostIndex`] if the range ends outside the axis, [`Error::NoView`] if there is no such axis
    /// or the range ends before it begins.
    pub fn slice(&self, axis: usize, range: Range<usize>) -> Result<Self, Error> {
        self.slice_step(axis, range, 1)
    }

    /// A view of every `step`-th element of part of an axis.
    ///
    /// # Errors
    /// As for [`Array::slice`]; [`Error::NoView`] for a step of 0.
    pub fn slice_step(&self, axis: usize, range: Range<usize>, step: usize) -> Result<Self, Error> {
        if axis >= D {
            return Err(Error::NoView {
                what: format!("axis {axis} of an array of {D} dimensions; axes count from 0"),
            });
        }
        let len = self.view.shape[axis];
        if range.end > len || range.start > len {
            return Err(Error::HostIndex { index: range.end.max(range.start), len });
        }
        if range.start > range.end {
            return Err(Error::NoView { what: format!("the range {range:?} ends before it begins") });
        }
        if step == 0 {
            return Err(Error::NoView { what: "a slice with step 0; the least is 1".into() });
        }
        let (mut shape, mut strides) = (self.view.shape, self.view.strides);
        shape[axis] = range.len().div_ceil(step);
        let offset = self.view.step(self.view.offset, axis, range.start);
        if shape[axis] > 1 {
            strides[axis] = strides[axis].wrapping_mul(step);
        }
        Ok(Array::from_view(self.view.reshaped(offset, &shape[..D], &strides[..D])))
    }

    /// A view with the axes in another order.
    ///
    /// # Errors
    /// [`Error::NoView`] if `axes` is not a permutation of 0..D.
    pub fn permute(&self, axes: [usize; D]) -> Result<Self, Error> {
        let mut seen = [false; D];
        for &axis in &axes {
            if axis >= D || std::mem::replace(&mut seen[axis], true) {
                return Err(Error::NoView { what: format!("{axes:?} does not name each of {D} axes once") });
            }
        }
        let shape = axes.map(|axis| self.view.shape[axis]);
        let strides = axes.map(|axis| self.view.strides[axis]);
        Ok(Array::from_view(self.view.reshaped(self.view.offset, &shape, &strides)))
    }

    /// A view of the same elements, row-major, in another shape.
    ///
    /// # Errors
    /// [`Error::Shape`] if the number of elements differs, [`Error::NotContiguous`].
    pub fn reshape<const E: usize>(&self, shape: [usize; E]) -> Result<Array<T, E>, Error> {
        if !self.is_contiguous() {
            return Err(Error::NotContiguous { what: "reshape" });
        }
        if shape.iter().try_fold(1usize, |n, &s| n.checked_mul(s)) != Some(self.len()) {
            return Err(Error::Shape {
                what: "reshaping".into(),
                found: format!("shape {shape:?}"),
                expected: format!("{} elements", self.len()),
            });
        }
        let strides = crate::view::row_major(&shape, self.view.element.size() as usize);
        Ok(Array::from_view(self.view.reshaped(self.view.offset, &shape, &strides[..E])))
    }

    /// A view of the same memory as elements of another type made of the same scalars: an array of
    /// `f64` of length 3n as one of `Vec3<f64>` of length n, or the other way. The last axis changes.
    ///
    /// # Errors
    /// [`Error::Shape`] if the scalars differ or the last axis does not divide, [`Error::NotContiguous`].
    pub fn cast_elements<U: ArrayElement>(&self) -> Result<Array<U, D>, Error> {
        let element = U::element();
        let (from, to) = (&self.view.element, &element);
        // Of an array without elements it can be more than memory has.
        let bytes = self.view.shape[D - 1].checked_mul(from.size() as usize);
        let same = from.packed_scalar().is_some() && from.packed_scalar() == to.packed_scalar();
        let Some(bytes) = bytes.filter(|bytes| same && bytes.is_multiple_of(to.size() as usize)) else {
            return Err(Error::Shape {
                what: "viewing elements as another type".into(),
                found: format!("{to}"),
                expected: format!("{from}, last axis of length {}", self.view.shape[D - 1]),
            });
        };
        if !self.is_contiguous() {
            return Err(Error::NotContiguous { what: "cast_elements" });
        }
        let mut shape = self.shape();
        shape[D - 1] = bytes / to.size() as usize;
        let strides = crate::view::row_major(&shape, to.size() as usize);
        let mut view = self.view.reshaped(self.view.offset, &shape, &strides[..D]);
        view.element = Arc::new(element);
        view.contiguous = true;
        Ok(Array::from_view(view))
    }
}

impl<T: ArrayElement> Array<T> {
    /// A one-dimensional array with the elements of a slice.
    pub fn from_slice(device: &Device, elements: &[T]) -> Self {
        let view = View::zeroed(device, T::element(), &[elements.len()]);
        {
            let guard = device.lock();
            // SAFETY: the lock is held; the view is new and has as many elements.
            unsafe { view.scatter(view.base(&guard), elements.as_ptr().cast()) };
        }
        Array::from_view(view)
    }
}

macro_rules! rows {
    ($($from:literal $to:literal;)*) => {$(
        impl<T: ArrayElement> Array<T, $from> {
            /// A view of one index along the first axis.
            ///
            /// # Errors
            /// [`Error::HostIndex`] outside the axis.
            pub fn row(&self, index: usize) -> Result<Array<T, $to>, Error> {
                let len = self.view.shape[0];
                if index >= len {
                    return Err(Error::HostIndex { index, len });
                }
                let offset = self.view.step(self.view.offset, 0, index);
                let view = self.view.reshaped(offset, &self.view.shape[1..$from], &self.view.strides[1..$from]);
                Ok(Array::from_view(view))
            }
        }
    )*};
}
rows! { 2 1; 3 2; 4 3; }

impl<T: ArrayElement, const D: usize> ArrayArg for Array<T, D> {
    type Traced = TracedArray<T, D>;
    fn handle(&self) -> Arc<dyn Any + Send + Sync> {
        self.view.clone()
    }
}

impl<T: ArrayElement, const D: usize> fmt::Debug for Array<T, D> {
    /// The shape and the first elements.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        write!(f, "Array<{}>{:?} ", self.view.element, self.shape())?;
        match self.to_vec() {
            Ok(elements) if elements.len() <= SHOWN => write!(f, "{elements:?}"),
            Ok(elements) => write!(f, "{:?}…", &elements[..SHOWN]),
            Err(_) => f.write_str("(freed)"),
        }
    }
}
