//! Walking a recording back.

use super::{Entry, Recorded, Tape};
use crate::device::Guard;
use crate::error::Error;
use crate::launch::{Words, push_array, view_of};
use crate::memory::Block;
use crate::run::{Mode, run};
use crate::view::{View, intersect};
use pullback_lang::ArgValue;
use smallvec::SmallVec;

/// The cotangents of a part of a buffer that one launch reads through two arguments: the second gets
/// its own, which are added to the others afterwards.
struct Apart {
    view: View,
    block: Block,
}

/// The bit of a contiguous array that is parameter number `i`.
fn bit(view: &View, i: usize) -> u64 {
    if view.contiguous && i < 64 { 1 << i } else { 0 }
}

impl Tape {
    pub(super) fn walk_back(&mut self, seeds: &[(&View, &View)]) -> Result<(), Error> {
        if let Some(message) = &self.failure {
            return Err(Error::FailedRecording { message: message.clone() });
        }
        let slots: Vec<usize> = seeds
            .iter()
            .map(|(view, _)| self.slot_of(&view.buffer).ok_or(Error::NotRecorded))
            .collect::<Result<_, _>>()?;
        self.clear_cotangents();
        self.cotangents.resize_with(self.buffers.len(), || None);
        let device = self.device.clone();
        let guard = device.lock();
        for ((view, seed), slot) in seeds.iter().zip(slots) {
            seed.check_usable("cotangent", &guard)?;
            let packed = Block::zeroed(seed.len() * seed.element.size() as usize);
            let to = self.cotangent(slot);
            // SAFETY: the lock is held; `packed` has room for the seed's elements, and the cotangent
            // block is as long as the view's buffer.
            unsafe {
                seed.gather(seed.base(&guard), packed.address());
                view.accumulate(to, packed.address());
            }
        }
        let entries = std::mem::take(&mut self.entries);
        let outcome = entries.iter().rev().try_for_each(|entry| match entry {
            Entry::Launch(recorded) => self.undo_launch(recorded, &guard),
            Entry::Overwrite(view) => {
                self.zero_cotangent(view);
                Ok(())
            }
            Entry::Copy { from, to } => {
                self.undo_copy(from, to);
                Ok(())
            }
        });
        self.entries = entries;
        self.has_gradient = outcome.is_ok();
        outcome
    }

    /// The cotangents of a buffer, zero when they are first asked for.
    fn cotangent(&mut self, slot: usize) -> *mut u8 {
        if let Some(block) = &self.cotangents[slot] {
            return block.address();
        }
        let len = self.buffers[slot].buffer.len();
        self.hold(len);
        let block = self.pool.take_zeroed(len);
        self.cotangents[slot].insert(block).address()
    }

    fn has_cotangent(&self, view: &View) -> Option<usize> {
        self.slot_of(&view.buffer).filter(|&slot| self.cotangents.get(slot).is_some_and(Option::is_some))
    }

    fn zero_cotangent(&mut self, view: &View) {
        if let Some(slot) = self.has_cotangent(view) {
            let base = self.cotangent(slot);
            // SAFETY: the cotangents of a buffer are as long as it.
            unsafe { view.clear(base) };
        }
    }

    fn undo_copy(&mut self, from: &View, to: &View) {
        let (Some(to_slot), Some(from_slot)) = (self.has_cotangent(to), self.slot_of(&from.buffer)) else { return };
        let packed = Block::uninit(to.len() * to.element.size() as usize);
        let (target, source) = (self.cotangent(from_slot), self.cotangent(to_slot));
        // SAFETY: both cotangent blocks are as long as their buffers; `packed` has room for all.
        unsafe { to.gather(source, packed.address()) };
        self.zero_cotangent(to);
        // SAFETY: as above; the views do not overlap, and their shapes agree.
        unsafe { from.accumulate(target, packed.address()) };
    }

    fn undo_launch(&mut self, recorded: &Recorded, guard: &Guard<'_>) -> Result<(), Error> {
        let Recorded { call, differentiated, reads, records } = recorded;
        let adjoint = &differentiated.adjoint;
        let program = &differentiated.backward;
        let args = call.args.as_slice();
        let view = |i: usize| match &args[i] {
            ArgValue::Array(any) => view_of(any),
            ArgValue::Scalar(_) => None,
        };
        let touched =
            (0..args.len()).any(|i| adjoint.writes[i] && view(i).is_some_and(|v| self.has_cotangent(v).is_some()));
        if !touched || call.dims.threads() == 0 {
            return Ok(());
        }
        let mut words = Words::new();
        let mut contiguous = 0;
        for (i, arg) in args.iter().enumerate() {
            match (arg, view(i)) {
                (ArgValue::Scalar(c), _) => words.push(c.bits()),
                (ArgValue::Array(_), Some(view)) => {
                    let first = self.contents(recorded, i, view, reads[i], guard)?;
                    contiguous |= bit(view, i);
                    push_array(&mut words, view, first);
                }
                (ArgValue::Array(_), None) => {}
            }
        }
        let mut apart: SmallVec<[Apart; 2]> = SmallVec::new();
        let mut passed: SmallVec<[&View; 8]> = SmallVec::new();
        for (k, primal) in adjoint.adjoint_of.iter().enumerate() {
            let Some((primal, view)) = primal.and_then(|i| Some((i, view(i)?))) else { continue };
            let slot = self.slot_of(&view.buffer).ok_or(Error::NotRecorded)?;
            let again = passed.iter().any(|other| view.overlaps(other));
            let first = if again {
                let block = self.pool.take_zeroed(view.buffer.len());
                let first = block.address().wrapping_add(view.offset);
                apart.push(Apart { view: view.clone(), block });
                first
            } else {
                self.cotangent(slot).wrapping_add(view.offset)
            };
            debug_assert!(!again || !adjoint.writes[primal], "overlapping arguments are read only");
            passed.push(view);
            contiguous |= bit(view, k);
            push_array(&mut words, view, first);
        }
        let dims = call.dims.as_slice();
        words.extend(dims.iter().map(|&n| n as u64));
        let prechecked = program.requirements.iter().all(|r| {
            let primal = adjoint.adjoint_of[r.array as usize].unwrap_or(r.array as usize);
            view(primal).is_some_and(|v| v.shape[r.dim as usize] >= dims[r.axis as usize])
        });
        let compiled = program.compiled(contiguous, prechecked)?;
        let mode = match &differentiated.augmented {
            Some(_) => Mode::Replaying(records),
            None => Mode::Plain,
        };
        // SAFETY: the primal's arguments were checked when it was launched; those with contents are
        // valid (see `contents`), cotangent blocks are as long as the buffers, and no two of them
        // overlap; the lock is held.
        unsafe { run(program, &compiled, &self.device, guard, &words, call.dims.threads() as u64, mode)? };
        for Apart { view, block } in apart {
            let packed = Block::uninit(view.len() * view.element.size() as usize);
            if let Some(slot) = self.slot_of(&view.buffer) {
                let to = self.cotangent(slot);
                // SAFETY: both are as long as the view's buffer, and `packed` has room for its elements.
                unsafe {
                    view.gather(block.address(), packed.address());
                    view.accumulate(to, packed.address());
                }
            }
            self.pool.give(block);
        }
        Ok(())
    }

    /// Where the contents are that an adjoint reads through a parameter.
    fn contents(
        &self,
        recorded: &Recorded,
        param: usize,
        view: &View,
        read: Option<u32>,
        guard: &Guard<'_>,
    ) -> Result<*mut u8, Error> {
        let name = || {
            let kernel = &recorded.differentiated.adjoint.kernel;
            (recorded.call.kernel.name().to_owned(), kernel.params[param].name.clone())
        };
        let Some(read) = read else {
            // Not read: any address will do, and its own is valid even if the contents have changed.
            return Ok(view.base(guard).wrapping_add(view.offset));
        };
        let read = &self.reads[read as usize];
        if let Some(saved) = &read.saved {
            return Ok(saved.address().wrapping_add(view.offset - read.span.start));
        }
        let tracked = &self.buffers[read.buffer];
        let (kernel, array) = name();
        if tracked.buffer.is_freed() {
            return Err(Error::Freed { name: format!("`{array}` of kernel `{kernel}`") });
        }
        debug_assert!(intersect(&read.span, &view.span()) || view.len() == 0);
        if tracked.buffer.generation() != tracked.generation {
            let error = Error::Overwritten { kernel, array, loc: None };
            return Err(match recorded.call.kernel.kernel() {
                Ok(primal) => error.used_by(primal, param),
                Err(_) => error,
            });
        }
        Ok(view.base(guard).wrapping_add(view.offset))
    }
}
