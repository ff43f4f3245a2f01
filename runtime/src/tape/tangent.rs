//! Tangents: derivatives that go along with the launches of a tape, forward.
//!
//! For each buffer that has tangents there is one more buffer of the same length for each direction, and a
//! view of the array is, moved there, the view of its tangents. A launch that touches such a buffer becomes
//! a launch of the kernel's tangent kernel, which does what the kernel does and changes the tangents as it
//! does so; fills, writes and copies do to the tangents what they do to the array. All of these are
//! recorded as any other operation, so what a tangent depends on can be walked back: second derivatives.

use super::Tape;
use crate::array::Array;
use crate::device::Device;
use crate::error::Error;
use crate::launch::{Launch, bind};
use crate::memory::{Block, Buffer};
use crate::program::Program;
use crate::stream::{Stream, check_copy, check_device, copy};
use crate::view::View;
use pullback_lang::{ArgValue, ArrayElement, Call};
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// What goes along with a tape.
#[derive(Debug)]
pub(super) struct Tangents {
    /// How many directions at once.
    columns: usize,
    /// By the number of the buffer.
    of: HashMap<u64, Carried>,
    /// How many there may be before those of dropped buffers are looked for.
    limit: usize,
}

/// The tangents of a buffer.
#[derive(Debug)]
struct Carried {
    buffer: Weak<Buffer>,
    /// Its generation after the last write that the tape knows.
    generation: u64,
    columns: Vec<Arc<Buffer>>,
    /// Whether an operation of the tape has touched the buffer.
    used: bool,
}

impl Tangents {
    pub(super) fn new(columns: usize) -> Self {
        Tangents { columns, of: HashMap::new(), limit: 64 }
    }
    pub(super) fn clear(&mut self) {
        self.of.clear();
    }

    fn has(&self, view: &View) -> bool {
        self.of.contains_key(&view.buffer.id())
    }

    /// The views of a view's tangents; they begin as zeros.
    fn views(&mut self, view: &View) -> Vec<View> {
        if self.of.len() >= self.limit {
            self.of.retain(|_, carried| carried.buffer.strong_count() > 0);
            self.limit = 64.max(2 * self.of.len());
        }
        let new = || Carried {
            buffer: Arc::downgrade(&view.buffer),
            generation: view.buffer.generation(),
            columns: (0..self.columns)
                .map(|_| Arc::new(Buffer::new(view.buffer.device(), Block::zeroed(view.buffer.len()))))
                .collect(),
            used: false,
        };
        let carried = self.of.entry(view.buffer.id()).or_insert_with(new);
        carried.columns.iter().map(|buffer| View { buffer: buffer.clone(), ..view.clone() }).collect()
    }

    /// An error if a buffer with tangents was written behind the tape's back.
    fn check(&self, view: &View, kernel: &str, array: &str) -> Result<(), Error> {
        match self.of.get(&view.buffer.id()) {
            Some(carried) if carried.generation != view.buffer.generation() => {
                Err(Error::WrittenOutside { kernel: kernel.into(), array: array.into(), loc: None })
            }
            _ => Ok(()),
        }
    }

    /// Notes that the tape has used a buffer, and perhaps written it.
    fn note(&mut self, view: &View) {
        if let Some(carried) = self.of.get_mut(&view.buffer.id()) {
            carried.generation = view.buffer.generation();
            carried.used = true;
        }
    }
}

impl Tape {
    /// A tape that records nothing: it carries tangents along, without the memory that a walk back takes.
    pub fn forward(device: &Device) -> Self {
        Tape::forward_columns(device, 1)
    }

    /// A tape that carries the tangents along several directions, and records nothing.
    pub(crate) fn forward_columns(device: &Device, columns: usize) -> Self {
        let mut tape = Tape::new(device);
        tape.keeps = false;
        tape.tangents = Tangents::new(columns.max(1));
        tape
    }

    /// Sets the tangent of an array, or of a view: from now on the tape carries along the derivative of
    /// everything it computes, along the direction in which the arrays that have a tangent move. Arrays
    /// that are given none do not move.
    ///
    /// ```
    /// use pullback_lang::*;
    /// use pullback_runtime::{Array, Device, Launch, Tape};
    ///
    /// #[kernel]
    /// fn cube(x: &Array<f64>, y: &mut Array<f64>) {
    ///     let i = thread_id();
    ///     y[i] = x[i] * x[i] * x[i];
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = Array::from_slice(&device, &[2.0]);
    /// let mut y = Array::zeros(&device, [1]);
    /// let mut tape = Tape::new(&device);
    /// tape.set_tangent(&x, &Array::from_slice(&device, &[1.0]))?;
    /// tape.launch(&cube(1, &x, &mut y))?;
    /// let slope = tape.tangent(&y);
    /// assert_eq!(slope.to_vec()?, [12.0]); // 3 x²
    /// tape.backward(&slope)?;
    /// assert_eq!(tape.grad(&x)?.to_vec()?, [12.0]); // 6 x
    /// # Ok::<(), pullback_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] for a tangent of another shape; [`Error::Device`], [`Error::Freed`];
    /// [`Error::WrittenOutside`] if the array has a tangent that what was written since left behind.
    pub fn set_tangent<T: ArrayElement, const D: usize>(
        &mut self,
        array: &Array<T, D>,
        tangent: &Array<T, D>,
    ) -> Result<(), Error> {
        (0..self.tangents.columns).try_for_each(|column| self.set_column(array, tangent, column))
    }

    /// The tangent along one of the directions.
    pub(crate) fn set_column<T: ArrayElement, const D: usize>(
        &mut self,
        array: &Array<T, D>,
        tangent: &Array<T, D>,
        column: usize,
    ) -> Result<(), Error> {
        if array.shape() != tangent.shape() {
            return Err(Error::Shape {
                what: "a tangent".into(),
                found: format!("shape {:?}", tangent.shape()),
                expected: format!("{:?}", array.shape()),
            });
        }
        let view = array.view_handle();
        check_device("set_tangent", view, &self.device)?;
        self.tangents.check(view, "set_tangent", "array")?;
        let to = self.tangents.views(view);
        match to.get(column) {
            Some(to) => self.copy_plainly(tangent.view_handle(), to),
            None => Ok(()),
        }
    }

    /// The tangent of what an array, or a view, holds now: zeros if it does not move. It is a handle of what
    /// the tape carries along, so later operations change it; and what it depends on can be walked back
    /// like that of any other array. Its integers mean nothing.
    pub fn tangent<T: ArrayElement, const D: usize>(&mut self, array: &Array<T, D>) -> Array<T, D> {
        self.column(array, 0)
    }

    /// The tangent along one of the directions.
    pub(crate) fn column<T: ArrayElement, const D: usize>(
        &mut self,
        array: &Array<T, D>,
        column: usize,
    ) -> Array<T, D> {
        let view = array.view_handle();
        let mut views = if self.tangents.has(view) { self.tangents.views(view) } else { vec![] };
        if column < views.len() {
            Array::from_view(views.swap_remove(column))
        } else {
            Array::zeros(&self.device, array.shape())
        }
    }

    /// Whether anything that the tape did has touched an array that was given a tangent.
    pub(crate) fn used<T: ArrayElement, const D: usize>(&self, array: &Array<T, D>) -> bool {
        self.tangents.of.get(&array.view_handle().buffer.id()).is_some_and(|carried| carried.used)
    }

    /// Launches a kernel, or its tangent kernel where what it touches has tangents.
    pub(super) fn launch_along(&mut self, call: &Call) -> Result<(), Error> {
        if self.tangents.of.is_empty() {
            return self.launch_plainly(call);
        }
        let program = Program::of(&call.kernel)?;
        let bound = bind(program, call, &self.device)?;
        let mut active = vec![false; bound.views.len()];
        let mut moves = false;
        for (i, view) in bound.views.iter().enumerate() {
            let Some(view) = view else { continue };
            let facts = &program.facts[i];
            if !view.element.has_float() || !(facts.loaded || facts.written()) {
                continue;
            }
            let name = &program.kernel.params[i].name;
            self.tangents.check(view, program.name(), name).map_err(|e| e.used_by(&program.kernel, i))?;
            let has = self.tangents.has(view);
            moves |= has;
            active[i] = has || facts.written();
        }
        if !moves {
            return self.launch_plainly(call);
        }
        let kernel = program.tangent(&active, self.tangents.columns, call.kernel.name())?;
        let mut args = call.args.clone();
        for (view, _) in bound.views.iter().zip(&active).filter(|(_, active)| **active) {
            let Some(view) = view else { continue };
            self.tangents.views(view).into_iter().for_each(|view| args.push(ArgValue::Array(Arc::new(view))));
        }
        let outcome = self.launch_plainly(&Call { kernel, dims: call.dims, args });
        bound.views.iter().flatten().for_each(|view| self.tangents.note(view));
        outcome
    }

    fn launch_plainly(&mut self, call: &Call) -> Result<(), Error> {
        if self.keeps { self.record_launch(call) } else { Stream::new(&self.device).launch(call) }
    }

    pub(super) fn copy_along(&mut self, from: &View, to: &View) -> Result<(), Error> {
        self.tangents.check(from, "copy", "from")?;
        self.tangents.check(to, "copy", "to")?;
        self.copy_plainly(from, to)?;
        self.tangents.note(from);
        self.tangents.note(to);
        if !self.tangents.has(from) {
            return self.stop(to);
        }
        let (from, to) = (self.tangents.views(from), self.tangents.views(to));
        from.iter().zip(&to).try_for_each(|(from, to)| self.copy_plainly(from, to))
    }

    fn copy_plainly(&mut self, from: &View, to: &View) -> Result<(), Error> {
        if self.keeps {
            return self.record_copy(from, to);
        }
        check_copy(from, to, &self.device)?;
        copy(from, to, &self.device.lock())
    }

    /// Sets an array to what does not move.
    pub(super) fn overwrite_along(
        &mut self,
        what: &str,
        view: &View,
        write: impl FnOnce(&crate::device::Guard<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.tangents.check(view, what, "array")?;
        self.overwrite_plainly(what, view, write)?;
        self.tangents.note(view);
        self.stop(view)
    }

    fn overwrite_plainly(
        &mut self,
        what: &str,
        view: &View,
        write: impl FnOnce(&crate::device::Guard<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.keeps {
            return self.record_overwrite(what, view, write);
        }
        check_device(what, view, &self.device)?;
        write(&self.device.lock())
    }

    /// Sets a view's tangents to zero, if it has any.
    fn stop(&mut self, view: &View) -> Result<(), Error> {
        if !self.tangents.has(view) {
            return Ok(());
        }
        let views = self.tangents.views(view);
        views.iter().try_for_each(|tangents| {
            self.overwrite_plainly("fill", tangents, |guard| {
                tangents.buffer.touch(guard);
                // SAFETY: the lock is held, and the tangents' buffer is as long as the view's.
                unsafe { tangents.clear(tangents.base(guard)) };
                Ok(())
            })
        })
    }
}
