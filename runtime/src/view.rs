//! An array without its types: a shape and strides over a buffer.

use crate::device::{Device, Guard};
use crate::error::Error;
use crate::memory::{Block, Buffer};
use pullback_ir::{Element, Scalar};
use std::ops::Range;
use std::sync::Arc;

/// The most dimensions an array can have.
pub(crate) const MAX_RANK: usize = 4;

/// A window on a buffer. Shape in elements, strides and offset in bytes.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) buffer: Arc<Buffer>,
    pub(crate) element: Arc<Element>,
    pub(crate) rank: usize,
    pub(crate) shape: [usize; MAX_RANK],
    pub(crate) strides: [usize; MAX_RANK],
    pub(crate) offset: usize,
    /// Row-major and without gaps.
    pub(crate) contiguous: bool,
}

/// Row-major strides.
pub(crate) fn row_major(shape: &[usize], size: usize) -> [usize; MAX_RANK] {
    let mut strides = [0; MAX_RANK];
    let mut stride = size;
    for (axis, &len) in shape.iter().enumerate().rev() {
        strides[axis] = stride;
        stride *= len.max(1);
    }
    strides
}

impl View {
    /// A new buffer of this shape, all zero.
    ///
    /// # Panics
    /// If the shape has more bytes than memory can, as `Vec` does.
    pub(crate) fn zeroed(device: &Device, element: Element, shape: &[usize]) -> Self {
        let size = element.size() as usize;
        let Some(len) = shape.iter().try_fold(size, |n, &s| n.checked_mul(s)) else {
            panic!("capacity overflow: an array of shape {shape:?}");
        };
        let mut all = [1; MAX_RANK];
        all[..shape.len()].copy_from_slice(shape);
        let buffer = Arc::new(Buffer::new(device, Block::zeroed(len)));
        View {
            buffer,
            element: Arc::new(element),
            rank: shape.len(),
            shape: all,
            strides: row_major(shape, size),
            offset: 0,
            contiguous: true,
        }
    }

    pub(crate) fn shape(&self) -> &[usize] {
        &self.shape[..self.rank]
    }
    /// How many elements there are.
    pub(crate) fn len(&self) -> usize {
        self.shape().iter().product()
    }
    /// The bytes from the first that any element has to the last, as offsets in the buffer.
    pub(crate) fn span(&self) -> Range<usize> {
        if self.len() == 0 {
            return self.offset..self.offset;
        }
        let last: usize = (0..self.rank).map(|axis| (self.shape[axis] - 1) * self.strides[axis]).sum();
        self.offset..self.offset + last + self.element.size() as usize
    }
    /// Whether some byte may belong to both.
    pub(crate) fn overlaps(&self, other: &View) -> bool {
        Arc::ptr_eq(&self.buffer, &other.buffer) && intersect(&self.span(), &other.span())
    }
    /// Sets shape and strides of a view into this one.
    pub(crate) fn reshaped(&self, offset: usize, shape: &[usize], strides: &[usize]) -> View {
        let mut view = self.clone();
        view.rank = shape.len();
        view.shape = [1; MAX_RANK];
        view.strides = [0; MAX_RANK];
        view.shape[..shape.len()].copy_from_slice(shape);
        view.strides[..shape.len()].copy_from_slice(strides);
        // A view of nothing starts where something is, so that its address is valid.
        view.offset = if view.len() == 0 { 0 } else { offset };
        let dense = row_major(shape, self.element.size() as usize);
        view.contiguous = (0..shape.len()).all(|axis| shape[axis] <= 1 || strides[axis] == dense[axis]);
        view
    }

    pub(crate) fn check_usable(&self, name: &str) -> Result<(), Error> {
        match self.buffer.is_freed() {
            true => Err(Error::Freed { name: format!("`{name}`") }),
            false => Ok(()),
        }
    }

    /// Calls `f` with the offset of each element, from `offset` on, row-major.
    pub(crate) fn for_each_offset(&self, mut f: impl FnMut(usize)) {
        let shape = self.shape;
        let strides = self.strides;
        for i in 0..shape[0] {
            for j in 0..shape[1] {
                for k in 0..shape[2] {
                    for l in 0..shape[3] {
                        f(self.offset + i * strides[0] + j * strides[1] + k * strides[2] + l * strides[3]);
                    }
                }
            }
        }
    }

    /// Copies all elements, row-major, to `to`, which has room for them.
    ///
    /// # Safety
    /// `base` is where the buffer's bytes are (or a copy of them), valid over the view's span; `to` is
    /// valid for `len() * element.size()` bytes and does not overlap.
    pub(crate) unsafe fn gather(&self, base: *const u8, to: *mut u8) {
        let size = self.element.size() as usize;
        if self.contiguous {
            // SAFETY: a contiguous view's elements are these bytes.
            unsafe { to.copy_from_nonoverlapping(base.add(self.offset), self.len() * size) };
            return;
        }
        let mut at = 0;
        self.for_each_offset(|offset| {
            // SAFETY: each element lies in the span, and `at` stays inside the destination.
            unsafe { to.add(at).copy_from_nonoverlapping(base.add(offset), size) };
            at += size;
        });
    }

    /// Copies elements, row-major, from `from` to where they belong.
    ///
    /// # Safety
    /// As for [`View::gather`], the other way round.
    pub(crate) unsafe fn scatter(&self, base: *mut u8, from: *const u8) {
        let size = self.element.size() as usize;
        if self.contiguous {
            // SAFETY: a contiguous view's elements are these bytes.
            unsafe { base.add(self.offset).copy_from_nonoverlapping(from, self.len() * size) };
            return;
        }
        let mut at = 0;
        self.for_each_offset(|offset| {
            // SAFETY: each element lies in the span, and `at` stays inside the source.
            unsafe { base.add(offset).copy_from_nonoverlapping(from.add(at), size) };
            at += size;
        });
    }

    /// Adds the floats of `from` (row-major elements of the same layout) to this view's.
    ///
    /// # Safety
    /// As for [`View::scatter`].
    pub(crate) unsafe fn accumulate(&self, base: *mut u8, from: *const u8) {
        let size = self.element.size() as usize;
        let mut at = 0;
        self.for_each_offset(|offset| {
            for component in self.element.components() {
                let place = component.offset as usize;
                // SAFETY: each component lies in its element and is aligned to its size, as elements
                // and blocks are.
                unsafe {
                    let (to, from) = (base.add(offset + place), from.add(at + place));
                    match component.scalar {
                        Scalar::F32 => *to.cast::<f32>() += *from.cast::<f32>(),
                        Scalar::F64 => *to.cast::<f64>() += *from.cast::<f64>(),
                        _ => {}
                    }
                }
            }
            at += size;
        });
    }

    /// The address of the buffer's first byte.
    pub(crate) fn base(&self, guard: &Guard<'_>) -> *mut u8 {
        self.buffer.address(guard)
    }
}

/// Whether two ranges share something.
pub(crate) fn intersect(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}
