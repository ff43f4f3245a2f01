//! The memory behind arrays: shared by clones and views, counted in generations.

use super::Block;
use crate::device::{Device, Guard};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// Memory of one device that arrays share.
#[derive(Debug)]
pub(crate) struct Buffer {
    device: Device,
    id: u64,
    block: UnsafeCell<Block>,
    len: usize,
    freed: AtomicBool,
    generation: AtomicU64,
    /// Where the tape that used this buffer last keeps its record of it; only a hint.
    slot: AtomicU64,
}

// SAFETY: the block is touched only by who holds the device's lock (see `address` and `free`).
unsafe impl Sync for Buffer {}

impl Buffer {
    pub(crate) fn new(device: &Device, block: Block) -> Self {
        Buffer {
            device: device.clone(),
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            len: block.len(),
            block: UnsafeCell::new(block),
            freed: AtomicBool::new(false),
            generation: AtomicU64::new(0),
            slot: AtomicU64::new(u64::MAX),
        }
    }
    pub(crate) fn device(&self) -> &Device {
        &self.device
    }
    /// Different for every buffer that ever was.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }
    /// Bytes, also after it was freed.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
    pub(crate) fn is_freed(&self) -> bool {
        self.freed.load(Ordering::Acquire)
    }
    /// Where the memory is, for as long as the lock of the device is held.
    pub(crate) fn address(&self, _: &Guard<'_>) -> *mut u8 {
        // SAFETY: with the lock held nobody replaces the block.
        unsafe { (*self.block.get()).address() }
    }
    /// Gives the memory back; every array over it is unusable from now on.
    pub(crate) fn free(&self, _: &Guard<'_>) {
        self.freed.store(true, Ordering::Release);
        // SAFETY: with the lock held nobody uses the block, and all who come later see that it is freed.
        unsafe { *self.block.get() = Block::zeroed(0) };
    }
    /// Counts the writes: it changes whenever the contents may have.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }
    /// Says that the contents change.
    pub(crate) fn touch(&self, _: &Guard<'_>) {
        self.generation.fetch_add(1, Ordering::AcqRel);
    }
    pub(crate) fn slot(&self) -> u64 {
        self.slot.load(Ordering::Relaxed)
    }
    pub(crate) fn set_slot(&self, slot: u64) {
        self.slot.store(slot, Ordering::Relaxed);
    }
}
