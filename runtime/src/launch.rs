//! The trait that kernels are launched through, and the checks before anything runs.

use crate::array::Array;
use crate::device::{Device, Guard};
use crate::error::Error;
use crate::program::Program;
use crate::view::View;
use pullback_codegen::abi::MAX_LENGTH;
use pullback_ir::ParamKind;
use pullback_ir::access::first_access;
use pullback_lang::{ArgValue, ArrayElement, Call};
use smallvec::SmallVec;
use std::sync::Arc;

/// Runs kernels in order: a [`Stream`](crate::Stream) runs them, a [`Tape`](crate::Tape) runs and
/// records them. Functions that launch take `&mut impl Launch` and so work with either.
///
/// The threads of a launch act as if they ran one after the other, by ascending linear id (the last
/// axis fastest). Where no two threads touch what either writes, they run at once over all cores. So
/// do those of a large launch that share arrays only by adding floats to them (`atomic_add` whose
/// result is not used): the sums are then taken by parts of the launch, which rounds otherwise than
/// one after the other, but gives the same bits whatever the number of cores.
pub trait Launch {
    /// Where it runs.
    fn device(&self) -> &Device;

    /// Launches a kernel: `stream.launch(&attract(n, &mut pos, &mut vel, dt))`.
    ///
    /// # Errors
    /// If the arguments do not fit together (device, aliasing, freed, launch rank), if the kernel
    /// cannot be compiled, or if a thread indexes outside an array or divides an integer by zero.
    fn launch(&mut self, call: &Call) -> Result<(), Error>;

    /// Sets all elements of an array to a value.
    ///
    /// # Errors
    /// [`Error::Freed`], [`Error::Device`].
    fn fill<T: ArrayElement, const D: usize>(&mut self, array: &mut Array<T, D>, value: T) -> Result<(), Error>;

    /// Copies an array to another of the same shape.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::Freed`], [`Error::Device`], [`Error::Aliasing`] if they overlap.
    fn copy<T: ArrayElement, const D: usize>(&mut self, from: &Array<T, D>, to: &mut Array<T, D>) -> Result<(), Error>;

    /// Sets all elements of an array from a slice, row-major.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::Freed`], [`Error::Device`].
    fn write<T: ArrayElement, const D: usize>(&mut self, array: &mut Array<T, D>, elements: &[T]) -> Result<(), Error>;
}

/// The words of a kernel's arguments, as the ABI wants them.
pub(crate) type Words = SmallVec<[u64; 64]>;

/// A call whose arguments have been checked.
pub(crate) struct Bound<'c> {
    /// The views, `None` for scalars.
    pub(crate) views: SmallVec<[Option<&'c View>; 16]>,
    /// Which arrays are contiguous, as bits.
    pub(crate) contiguous: u64,
    /// Whether no thread id can be out of range where it is an index by itself.
    pub(crate) prechecked: bool,
}

impl Bound<'_> {
    /// Refuses arguments that were freed. With the lock held they stay usable.
    pub(crate) fn check_usable(&self, program: &Program, _: &Guard<'_>) -> Result<(), Error> {
        let mut arrays = self.views.iter().zip(&program.kernel.params);
        arrays.try_for_each(|(view, param)| match view {
            Some(view) if view.buffer.is_freed() => {
                Err(Error::Freed { name: format!("`{}` of kernel `{}`", param.name, program.name()) })
            }
            _ => Ok(()),
        })
    }

    /// Counts a write to each array that the kernel writes.
    pub(crate) fn touch_written(&self, program: &Program, guard: &Guard<'_>) {
        for (view, facts) in self.views.iter().zip(&program.facts) {
            if let (Some(view), true) = (view, facts.written()) {
                view.buffer.touch(guard);
            }
        }
    }
}

/// Checks a call's arguments against the kernel's parameters and each other.
pub(crate) fn bind<'c>(program: &Program, call: &'c Call, device: &Device) -> Result<Bound<'c>, Error> {
    let params = &program.kernel.params;
    let args = call.args.as_slice();
    let bad = |message: String| Error::Argument { kernel: program.name().into(), message };
    if args.len() != params.len() {
        return Err(bad(format!("{} arguments given, but it has {} parameters", args.len(), params.len())));
    }
    if call.dims.rank() != program.kernel.rank as usize {
        return Err(Error::LaunchRank {
            kernel: program.name().into(),
            expected: program.kernel.rank as usize,
            found: call.dims.rank(),
            dims: call.dims.to_string(),
        });
    }
    if call.dims.threads() as u64 > u64::MAX >> 2 {
        return Err(bad(format!("a launch of {} is too large", call.dims)));
    }
    let mut bound = Bound { views: SmallVec::new(), contiguous: 0, prechecked: true };
    for (i, (param, arg)) in params.iter().zip(args).enumerate() {
        match (&param.kind, arg) {
            (ParamKind::Scalar(scalar, _), ArgValue::Scalar(c)) if c.scalar() == *scalar => bound.views.push(None),
            (ParamKind::Array { element, rank, .. }, ArgValue::Array(any)) => {
                let Some(view) = view_of(any) else {
                    return Err(bad(format!("argument `{}` is not an array of this runtime", param.name)));
                };
                if *view.element != *element || view.rank != *rank as usize {
                    let (found, dims) = (&view.element, view.rank);
                    let name = &param.name;
                    return Err(bad(format!(
                        "argument `{name}` is an array of {found} with {dims} dimensions, but the parameter is one of {element} with {rank}"
                    )));
                }
                if view.buffer.device() != device {
                    return Err(Error::Device {
                        kernel: program.name().into(),
                        array: param.name.clone(),
                        found: view.buffer.device().to_string(),
                        expected: device.to_string(),
                    });
                }
                if view.contiguous && i < 64 {
                    bound.contiguous |= 1 << i;
                }
                bound.views.push(Some(view));
            }
            (ParamKind::Scalar(scalar, _), ArgValue::Scalar(c)) => {
                return Err(bad(format!("argument `{}` is {}, but the parameter is {scalar}", param.name, c.scalar())));
            }
            (ParamKind::Scalar(..), ArgValue::Array(_)) => {
                return Err(bad(format!("argument `{}` is an array, but the parameter is a scalar", param.name)));
            }
            (ParamKind::Array { .. }, ArgValue::Scalar(_)) => {
                return Err(bad(format!("argument `{}` is a scalar, but the parameter is an array", param.name)));
            }
        }
    }
    check_aliasing(program, &bound)?;
    let dims = call.dims.as_slice();
    bound.prechecked = call.dims.threads() == 0
        || program.requirements.iter().all(|r| {
            bound.views[r.array as usize].is_some_and(|view| view.shape[r.dim as usize] >= dims[r.axis as usize])
        });
    Ok(bound)
}

/// The view behind an argument.
pub(crate) fn view_of(any: &Arc<dyn std::any::Any + Send + Sync>) -> Option<&View> {
    any.downcast_ref::<View>()
}

/// Refuses memory that is passed twice and written.
fn check_aliasing(program: &Program, bound: &Bound<'_>) -> Result<(), Error> {
    for (j, second) in bound.views.iter().enumerate() {
        let Some(second) = second else { continue };
        for (i, first) in bound.views[..j].iter().enumerate() {
            let Some(first) = first else { continue };
            let (a, b) = (program.facts[i].written(), program.facts[j].written());
            if (a || b) && first.overlaps(second) {
                let name = |k: usize| program.kernel.params[k].name.clone();
                let written = if a { i } else { j };
                return Err(Error::Aliasing {
                    kernel: program.name().into(),
                    first: name(i),
                    second: name(j),
                    written: name(written),
                    loc: first_access(&program.kernel, written, true),
                });
            }
        }
    }
    Ok(())
}

/// Appends an array argument: the address of its first element, lengths, strides.
pub(crate) fn push_array(words: &mut Words, view: &View, first: *mut u8) {
    words.push(first as u64);
    // Only an array without elements can be said to be longer.
    words.extend(view.shape().iter().map(|&n| (n as u64).min(MAX_LENGTH)));
    words.extend(view.strides[..view.rank].iter().map(|&n| n as u64));
}

/// The words of a bound call.
pub(crate) fn words(call: &Call, bound: &Bound<'_>, guard: &Guard<'_>) -> Words {
    let mut words = Words::new();
    for (arg, view) in call.args.as_slice().iter().zip(&bound.views) {
        match (arg, view) {
            (ArgValue::Scalar(c), _) => words.push(c.bits()),
            (ArgValue::Array(_), Some(view)) => {
                // An offset inside the buffer, or 0.
                let first = view.base(guard).wrapping_add(view.offset);
                push_array(&mut words, view, first);
            }
            (ArgValue::Array(_), None) => {}
        }
    }
    words.extend(call.dims.as_slice().iter().map(|&n| n as u64));
    words
}
