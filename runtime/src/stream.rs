//! Streams: launches that run and are not recorded.

use crate::array::Array;
use crate::device::{Device, Guard};
use crate::error::Error;
use crate::launch::{Launch, bind, words};
use crate::program::Program;
use crate::run::{Mode, run};
use crate::view::View;
use pullback_lang::{ArrayElement, Call};

/// Runs launches one after the other.
///
/// On the CPU each has run when `launch` returns.
///
/// ```
/// use pullback_lang::*;
/// use pullback_runtime::{Array, Device, Error, Launch, Stream};
///
/// #[kernel]
/// fn scale(x: &mut Array<f32>, by: f32) {
///     x[thread_id()] *= by;
/// }
///
/// let device = Device::cpu();
/// let mut x = Array::from_slice(&device, &[1.0, 2.0, 3.0]);
/// let mut stream = Stream::new(&device);
/// stream.launch(&scale(3, &mut x, 10.0))?;
/// assert_eq!(x.to_vec()?, [10.0, 20.0, 30.0]);
/// // More threads than elements: an error that names the kernel, the line and the index.
/// assert!(matches!(stream.launch(&scale(4, &mut x, 10.0)), Err(Error::OutOfRange { index: 3, .. })));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stream {
    device: Device,
}

impl Stream {
    /// A stream of a device.
    pub fn new(device: &Device) -> Self {
        Stream { device: device.clone() }
    }
}

impl Launch for Stream {
    fn device(&self) -> &Device {
        &self.device
    }

    fn launch(&mut self, call: &Call) -> Result<(), Error> {
        let program = Program::of(&call.kernel)?;
        let bound = bind(program, call, &self.device)?;
        if call.dims.threads() == 0 {
            return bound.check_usable(program, &self.device.lock());
        }
        let compiled = program.compiled(bound.contiguous, bound.prechecked)?;
        let guard = self.device.lock();
        bound.check_usable(program, &guard)?;
        bound.touch_written(program, &guard);
        let words = words(call, &bound, &guard);
        // SAFETY: `bind` checked the arguments, and the lock of their device is held.
        unsafe { run(program, &compiled, &self.device, &guard, &words, call.dims.threads() as u64, Mode::Plain) }
    }

    fn fill<T: ArrayElement, const D: usize>(&mut self, array: &mut Array<T, D>, value: T) -> Result<(), Error> {
        check_device("fill", array.view_handle(), &self.device)?;
        array.set_all(value, &self.device.lock())
    }

    fn copy<T: ArrayElement, const D: usize>(&mut self, from: &Array<T, D>, to: &mut Array<T, D>) -> Result<(), Error> {
        let (from, to) = (from.view_handle(), to.view_handle());
        check_copy(from, to, &self.device)?;
        copy(from, to, &self.device.lock())
    }

    fn write<T: ArrayElement, const D: usize>(&mut self, array: &mut Array<T, D>, elements: &[T]) -> Result<(), Error> {
        check_device("write", array.view_handle(), &self.device)?;
        array.set_from(elements, "writing an array", &self.device.lock())
    }
}

/// Refuses an array of another device.
pub(crate) fn check_device(what: &str, view: &View, device: &Device) -> Result<(), Error> {
    match view.buffer.device() == device {
        true => Ok(()),
        false => Err(Error::Device {
            kernel: what.into(),
            array: "array".into(),
            found: view.buffer.device().to_string(),
            expected: device.to_string(),
        }),
    }
}

/// Copies between views that [`check_copy`] has let pass.
pub(crate) fn copy(from: &View, to: &View, guard: &Guard<'_>) -> Result<(), Error> {
    from.check_usable("copy", guard)?;
    to.check_usable("copy", guard)?;
    to.buffer.touch(guard);
    // SAFETY: the lock is held, and `check_copy` has compared shapes and found no overlap.
    unsafe { from.copy_to(from.base(guard), to, to.base(guard)) };
    Ok(())
}

/// Refuses copies between devices, shapes or overlapping memory.
pub(crate) fn check_copy(from: &View, to: &View, device: &Device) -> Result<(), Error> {
    check_device("copy", from, device)?;
    check_device("copy", to, device)?;
    if from.shape() != to.shape() {
        return Err(Error::Shape {
            what: "copying an array".into(),
            found: format!("shape {:?}", from.shape()),
            expected: format!("{:?}", to.shape()),
        });
    }
    match from.overlaps(to) {
        true => Err(Error::Aliasing {
            kernel: "copy".into(),
            first: "from".into(),
            second: "to".into(),
            written: "to".into(),
            loc: None,
        }),
        false => Ok(()),
    }
}
