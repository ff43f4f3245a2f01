//! Recording: what is noted of each operation, and saving contents before they are overwritten.

use super::{Entry, Read, Recorded, Tape, Tracked};
use crate::device::Guard;
use crate::error::Error;
use crate::launch::{bind, words};
use crate::memory::Buffer;
use crate::program::Program;
use crate::run::{Chunk, Mode, Records, run};
use crate::stream::{check_copy, check_device, copy};
use crate::view::View;
use pullback_lang::Call;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

impl Tape {
    pub(super) fn record_launch(&mut self, call: &Call) -> Result<(), Error> {
        let program = Program::of(&call.kernel)?;
        let device = self.device.clone();
        let threads = call.dims.threads() as u64;
        let bound = bind(program, call, &device)?;
        let differentiated = program.differentiated()?.clone();
        let forward = differentiated.augmented.as_ref().unwrap_or(program);
        let compiled = forward.compiled(bound.contiguous, bound.prechecked)?;
        let guard = device.lock();
        bound.check_usable(program, &guard)?;
        let name = |i: usize| (program.name(), program.kernel.params[i].name.as_str());

        let mut slots: SmallVec<[usize; 8]> = SmallVec::new();
        for (i, view) in bound.views.iter().enumerate() {
            slots.push(match view {
                Some(view) => self.track(&view.buffer, name(i)).map_err(|e| e.used_by(&program.kernel, i))?,
                None => 0,
            });
        }
        let mut reads: SmallVec<[Option<u32>; 8]> = SmallVec::new();
        for (i, view) in bound.views.iter().enumerate() {
            reads.push(match view {
                Some(view) if differentiated.adjoint.reads[i] && threads > 0 && view.len() > 0 => {
                    Some(self.note_read(slots[i], view.span()))
                }
                _ => None,
            });
        }
        for (i, view) in bound.views.iter().enumerate() {
            if let (Some(view), true) = (view, program.facts[i].written()) {
                self.save_before_write(slots[i], &view.span(), &guard);
            }
        }

        bound.touch_written(program, &guard);
        let mut records = Records::default();
        let words = words(call, &bound, &guard);
        let spare = &mut self.spare;
        let mode = if forward.records { Mode::Recording(&mut records, spare) } else { Mode::Plain };
        // SAFETY: `bind` checked the arguments, and the lock of their device is held.
        let outcome = unsafe { run(forward, &compiled, &device, &guard, &words, threads, mode) };
        for (i, view) in bound.views.iter().enumerate() {
            if view.is_some() {
                let tracked = &mut self.buffers[slots[i]];
                tracked.generation = tracked.buffer.generation();
            }
        }
        self.hold(records.chunks.iter().map(Chunk::bytes).sum());
        if let Err(error) = &outcome {
            self.failure = Some(error.to_string());
        }
        outcome?;
        self.entries.push(Entry::Launch(Box::new(Recorded { call: call.clone(), differentiated, reads, records })));
        self.has_gradient = false;
        Ok(())
    }

    pub(super) fn record_overwrite(
        &mut self,
        what: &str,
        view: &View,
        write: impl FnOnce(&Guard<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        check_device(what, view, &self.device)?;
        let device = self.device.clone();
        let guard = device.lock();
        view.check_usable(what, &guard)?;
        let slot = self.track(&view.buffer, (what, "array"))?;
        self.save_before_write(slot, &view.span(), &guard);
        let outcome = write(&guard);
        self.buffers[slot].generation = view.buffer.generation();
        outcome?;
        self.entries.push(Entry::Overwrite(view.clone()));
        self.has_gradient = false;
        Ok(())
    }

    pub(super) fn record_copy(&mut self, from: &View, to: &View) -> Result<(), Error> {
        check_copy(from, to, &self.device)?;
        let device = self.device.clone();
        let guard = device.lock();
        from.check_usable("copy", &guard)?;
        to.check_usable("copy", &guard)?;
        self.track(&from.buffer, ("copy", "from"))?;
        let slot = self.track(&to.buffer, ("copy", "to"))?;
        self.save_before_write(slot, &to.span(), &guard);
        let outcome = copy(from, to, &guard);
        self.buffers[slot].generation = to.buffer.generation();
        outcome?;
        self.entries.push(Entry::Copy { from: from.clone(), to: to.clone() });
        self.has_gradient = false;
        Ok(())
    }

    /// The tape's record of a buffer; an error if it was written behind the tape's back.
    fn track(&mut self, buffer: &Arc<Buffer>, (kernel, array): (&str, &str)) -> Result<usize, Error> {
        if let Some(slot) = self.slot_of(buffer) {
            if self.buffers[slot].generation != buffer.generation() {
                return Err(Error::WrittenOutside { kernel: kernel.into(), array: array.into(), loc: None });
            }
            return Ok(slot);
        }
        let slot = self.buffers.len();
        self.buffers.push(Tracked {
            buffer: buffer.clone(),
            generation: buffer.generation(),
            live: BTreeMap::new(),
            longest: 0,
            name: (kernel.into(), array.into()),
        });
        self.slots.insert(buffer.id(), slot);
        buffer.set_slot(slot as u64);
        Ok(slot)
    }

    /// Notes that an adjoint will read this part of a buffer as it is now.
    fn note_read(&mut self, slot: usize, span: Range<usize>) -> u32 {
        let tracked = &mut self.buffers[slot];
        let next = self.reads.len() as u32;
        tracked.longest = tracked.longest.max(span.len());
        // A live read holds what the buffer holds: what was written since did not overlap it.
        let id = *tracked.live.entry((span.start, span.end)).or_insert(next);
        if id == next {
            self.reads.push(Read { buffer: slot, span, saved: None });
        }
        id
    }

    /// Saves what adjoints will read of a part of a buffer that is about to be written.
    fn save_before_write(&mut self, slot: usize, span: &Range<usize>, guard: &Guard<'_>) {
        let tracked = &mut self.buffers[slot];
        let (reads, pool) = (&mut self.reads, &mut self.pool);
        let base = tracked.buffer.address(guard);
        // None that starts earlier than this is long enough.
        let from = (span.start.saturating_sub(tracked.longest), 0);
        let found = tracked.live.range(from..(span.end, 0)).filter(|((_, end), _)| *end > span.start);
        let found: SmallVec<[((usize, usize), u32); 4]> = found.map(|(&span, &id)| (span, id)).collect();
        let mut saved = 0;
        for (key, id) in found {
            tracked.live.remove(&key);
            let read = &mut reads[id as usize];
            let block = pool.take(read.span.len());
            // SAFETY: the lock is held; the span lies in the buffer, and the block is as long as it.
            unsafe { block.address().copy_from_nonoverlapping(base.add(read.span.start), read.span.len()) };
            saved += block.len();
            read.saved = Some(block);
        }
        self.hold(saved);
    }
}
