//! One allocation, aligned for vector loads.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Alignment in bytes: that of a cache line and of the widest vectors.
const ALIGN: usize = 64;

/// Room that even an empty block has, so that an address of one element of any type is always valid.
const LEAST: usize = 256;

/// An allocation. Whoever holds it says what its bytes mean.
#[derive(Debug)]
pub(crate) struct Block {
    address: NonNull<u8>,
    len: usize,
    layout: Layout,
}

// SAFETY: a block is plain memory with one owner; nothing about it belongs to a thread.
unsafe impl Send for Block {}
// SAFETY: a shared block gives out only its address; who follows it holds the device's lock.
unsafe impl Sync for Block {}

impl Block {
    /// `len` bytes, all zero.
    ///
    /// # Panics
    /// If `len` is more than an allocation can have, as `Vec` does.
    pub(crate) fn zeroed(len: usize) -> Self {
        Self::allocate(len, true)
    }
    /// `len` bytes with any contents: to be written before they are read.
    pub(crate) fn uninit(len: usize) -> Self {
        Self::allocate(len, false)
    }

    fn allocate(len: usize, zero: bool) -> Self {
        let Ok(layout) = Layout::from_size_align(len.max(LEAST), ALIGN) else {
            panic!("capacity overflow: an array of {len} bytes");
        };
        // SAFETY: the layout's size is not zero.
        let address = unsafe { if zero { alloc_zeroed(layout) } else { alloc(layout) } };
        match NonNull::new(address) {
            Some(address) => Block { address, len, layout },
            None => handle_alloc_error(layout),
        }
    }

    pub(crate) fn address(&self) -> *mut u8 {
        self.address.as_ptr()
    }
    pub(crate) fn len(&self) -> usize {
        self.len
    }
    /// Makes all bytes zero.
    pub(crate) fn clear(&mut self) {
        // SAFETY: the block is `len` bytes at least, and `&mut` says nobody else uses it.
        unsafe { self.address().write_bytes(0, self.len) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and dropped once.
        unsafe { dealloc(self.address(), self.layout) }
    }
}
