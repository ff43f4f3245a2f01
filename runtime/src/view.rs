//! An array without its types: a shape and strides over a buffer.

use crate::device::{Device, Guard};
use crate::error::Error;
use crate::memory::{Block, Buffer};
use pullback_ir::math::{half_from_f32, half_to_f32};
use pullback_ir::{Element, Scalar};
use smallvec::SmallVec;
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
        // Only where there are no elements can this be too large for memory, and then nobody uses it.
        stride = stride.wrapping_mul(len.max(1));
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
    /// An offset moved by `index` along an axis. It wraps only where there are no elements, and an offset
    /// means nothing (see [`View::reshaped`]).
    pub(crate) fn step(&self, offset: usize, axis: usize, index: usize) -> usize {
        offset.wrapping_add(index.wrapping_mul(self.strides[axis]))
    }
    /// How many elements there are.
    pub(crate) fn len(&self) -> usize {
        if self.shape().contains(&0) { 0 } else { self.shape().iter().product() }
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
        Arc::ptr_eq(&self.buffer, &other.buffer) && intersect(&self.span(), &other.span()) && !self.interleaves(other)
    }
    /// Whether the views take turns in memory, as columns of a matrix do, or blocks of columns.
    ///
    /// Along the longest stride, if it is the same in both, what one has between two steps lies beside
    /// what the other has. If neither reaches from one step into the next, elements that meet have the
    /// same place between two steps, so the same question is asked of what lies there.
    fn interleaves(&self, other: &View) -> bool {
        let axes = |v: &View| {
            let mut axes: SmallVec<[(usize, usize); MAX_RANK]> =
                (0..v.rank).filter(|&k| v.shape[k] > 1).map(|k| (v.strides[k], v.shape[k])).collect();
            axes.sort_unstable();
            axes
        };
        let (mut a, mut b) = (axes(self), axes(other));
        let (mut a_at, mut b_at) = (self.offset, other.offset);
        loop {
            let Some(stride) = a.last().max(b.last()).map(|&(stride, _)| stride) else { return false };
            for axes in [&mut a, &mut b] {
                if axes.last().is_some_and(|&(s, _)| s == stride) {
                    axes.pop();
                }
            }
            let rest = |v: &View, axes: &[(usize, usize)]| {
                axes.iter().map(|(s, n)| s * (n - 1)).sum::<usize>() + v.element.size() as usize
            };
            let (a_len, b_len) = (rest(self, &a), rest(other, &b));
            let distance = (b_at as i64 - a_at as i64).rem_euclid(stride as i64) as usize;
            if distance >= a_len && distance + b_len <= stride {
                return true;
            }
            (a_at, b_at) = (a_at % stride, b_at % stride);
            if a_at + a_len > stride || b_at + b_len > stride {
                return false;
            }
        }
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

    /// Refuses memory that was given back; with the lock held, it stays usable.
    pub(crate) fn check_usable(&self, name: &str, _: &Guard<'_>) -> Result<(), Error> {
        match self.buffer.is_freed() {
            true => Err(Error::Freed { name: format!("`{name}`") }),
            false => Ok(()),
        }
    }

    /// Calls `f` with the offset of each element, from `offset` on, row-major.
    pub(crate) fn for_each_offset(&self, mut f: impl FnMut(usize)) {
        each_offset(&self.shape, &self.strides, |offset| f(self.offset + offset));
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

    /// Makes all elements zero.
    ///
    /// # Safety
    /// As for [`View::scatter`].
    pub(crate) unsafe fn clear(&self, base: *mut u8) {
        let size = self.element.size() as usize;
        if self.contiguous {
            // SAFETY: a contiguous view's elements are these bytes.
            unsafe { base.add(self.offset).write_bytes(0, self.len() * size) };
            return;
        }
        // SAFETY: each element lies in the span.
        self.for_each_offset(|offset| unsafe { base.add(offset).write_bytes(0, size) });
    }

    /// Copies all elements to another view of the same shape and element.
    ///
    /// # Safety
    /// The bases are those of the views' buffers, and the views do not overlap.
    pub(crate) unsafe fn copy_to(&self, base: *const u8, to: &View, to_base: *mut u8) {
        // SAFETY: passed on: of two views without overlap, a contiguous one is one run of bytes.
        unsafe {
            if to.contiguous {
                self.gather(base, to_base.add(to.offset));
            } else if self.contiguous {
                to.scatter(to_base, base.add(self.offset));
            } else {
                let packed = Block::uninit(self.len() * self.element.size() as usize);
                self.gather(base, packed.address());
                to.scatter(to_base, packed.address());
            }
        }
    }

    /// Adds the floats of `from` (row-major elements of the same layout) to this view's.
    ///
    /// # Safety
    /// As for [`View::scatter`].
    pub(crate) unsafe fn accumulate(&self, base: *mut u8, from: *const u8) {
        let size = self.element.size() as usize;
        let mut at = 0;
        self.for_each_offset(|offset| {
            // SAFETY: both are elements of this layout, aligned as blocks are.
            unsafe { add_floats(&self.element, base.add(offset), from.add(at)) };
            at += size;
        });
    }

    /// The address of the buffer's first byte.
    pub(crate) fn base(&self, guard: &Guard<'_>) -> *mut u8 {
        self.buffer.address(guard)
    }
}

/// Calls `f` with the distance of each element from the first, row-major.
pub(crate) fn each_offset(shape: &[usize; MAX_RANK], strides: &[usize; MAX_RANK], mut f: impl FnMut(usize)) {
    if shape.contains(&0) {
        return;
    }
    for i in 0..shape[0] {
        for j in 0..shape[1] {
            for k in 0..shape[2] {
                for l in 0..shape[3] {
                    f(i * strides[0] + j * strides[1] + k * strides[2] + l * strides[3]);
                }
            }
        }
    }
}

/// Adds the floats of one element to another's.
///
/// # Safety
/// Both are elements of this layout, each component aligned to its size.
pub(crate) unsafe fn add_floats(element: &Element, to: *mut u8, from: *const u8) {
    for component in element.components() {
        let place = component.offset as usize;
        // SAFETY: each component lies in its element.
        unsafe {
            match component.scalar {
                Scalar::F16 => {
                    let (to, from) = (to.add(place).cast::<u16>(), from.add(place).cast::<u16>());
                    *to = half_from_f32(half_to_f32(*to) + half_to_f32(*from));
                }
                Scalar::F32 => *to.add(place).cast::<f32>() += *from.add(place).cast::<f32>(),
                Scalar::F64 => *to.add(place).cast::<f64>() += *from.add(place).cast::<f64>(),
                _ => {}
            }
        }
    }
}

/// Whether two ranges share something.
pub(crate) fn intersect(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Writes a number to a float, rounded to its type; to a number of another type nothing.
///
/// # Safety
/// `to` is valid for writes of a number of this type, and aligned for it.
pub(crate) unsafe fn write_float(scalar: Scalar, to: *mut u8, value: f64) {
    // SAFETY: as the caller promises.
    unsafe {
        match scalar {
            Scalar::F16 => to.cast::<u16>().write(half_from_f32(value as f32)),
            Scalar::F32 => to.cast::<f32>().write(value as f32),
            Scalar::F64 => to.cast::<f64>().write(value),
            _ => {}
        }
    }
}

/// Reads a float; of a number of another type 0.
///
/// # Safety
/// `from` is valid for reads of a number of this type, and aligned for it.
pub(crate) unsafe fn read_float(scalar: Scalar, from: *const u8) -> f64 {
    // SAFETY: as the caller promises.
    unsafe {
        match scalar {
            Scalar::F16 => f64::from(half_to_f32(from.cast::<u16>().read())),
            Scalar::F32 => f64::from(from.cast::<f32>().read()),
            Scalar::F64 => from.cast::<f64>().read(),
            _ => 0.0,
        }
    }
}
