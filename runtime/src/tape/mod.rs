//! The tape: runs launches, records them, and carries cotangents back through the recording.
//!
//! **Versions.** A launch's adjoint reads some arrays as they were when the launch began. The tape
//! notes these reads; when a later recorded write is about to change such contents, it saves them
//! first, and only then and only once. A buffer counts its writes, so contents that changed behind the
//! tape's back are noticed and are an error, not a wrong gradient.
//!
//! **Cotangents.** There is one buffer of cotangents for each buffer of floats, and adjoint kernels
//! update it in place. When the walk back has passed the first launch, it holds the derivative with
//! respect to what the arrays held when the recording began.
//!
//! **Tangents** go along with the launches where an array is given one: see `tangent`.

mod backward;
mod graphviz;
mod memory;
mod record;
mod tangent;

pub use memory::{ArrayMemory, TapeMemory};

use crate::array::Array;
use crate::device::Device;
use crate::error::Error;
use crate::launch::Launch;
use crate::memory::{Block, Buffer, Pool};
use crate::program::Differentiated;
use crate::run::{Chunk, Records};
use crate::view::{View, write_float};
use pullback_lang::{ArrayElement, Call};
use smallvec::SmallVec;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

/// A recording of launches that can be differentiated.
///
/// ```
/// use pullback_lang::*;
/// use pullback_runtime::{Array, Device, Launch, Tape};
///
/// #[kernel]
/// fn square(x: &mut Array<f64>) {
///     let i = thread_id();
///     x[i] = x[i] * x[i];
/// }
///
/// #[kernel]
/// fn sum(x: &Array<f64>, total: &mut Array<f64>) {
///     atomic_add(total, 0, x[thread_id()]);
/// }
///
/// let device = Device::cpu();
/// let mut x = Array::from_slice(&device, &[1.0, 2.0]);
/// let mut total = Array::zeros(&device, [1]);
/// let mut tape = Tape::new(&device);
/// for _ in 0..3 {
///     tape.launch(&square(2, &mut x))?;
/// }
/// tape.launch(&sum(2, &x, &mut total))?;
/// tape.backward(&total)?;
/// // x was overwritten three times; this is with respect to what it held at the start: 8 x⁷.
/// assert_eq!(tape.grad(&x)?.to_vec()?, [8.0, 1024.0]);
/// # Ok::<(), pullback_runtime::Error>(())
/// ```
///
/// Recording begins when the tape is made or [`reset`](Tape::reset). A gradient is with respect to what
/// an array held then, however often it was overwritten since. Scalar arguments of kernels are
/// constants; parameters to be differentiated belong in arrays.
#[derive(Debug)]
pub struct Tape {
    device: Device,
    entries: Vec<Entry>,
    buffers: Vec<Tracked>,
    slots: HashMap<u64, usize>,
    reads: Vec<Read>,
    pool: Pool,
    /// Records of the last recording, for their memory.
    spare: Vec<Chunk>,
    /// Cotangents after `backward`, one for each tracked buffer that has any.
    cotangents: Vec<Option<Block>>,
    has_gradient: bool,
    /// Bytes in saved contents, records and cotangents: now, and the most in this recording.
    held: usize,
    peak: usize,
    failure: Option<String>,
    /// Derivatives that go along.
    tangents: tangent::Tangents,
    /// Whether anything is recorded.
    keeps: bool,
}

/// One thing that was done.
#[derive(Debug)]
enum Entry {
    Launch(Box<Recorded>),
    /// All elements of a view were replaced by what depends on nothing.
    Overwrite(View),
    Copy {
        from: View,
        to: View,
    },
}

/// A recorded launch.
#[derive(Debug)]
struct Recorded {
    call: Call,
    differentiated: Arc<Differentiated>,
    /// For each parameter the read that its adjoint will make.
    reads: SmallVec<[Option<u32>; 8]>,
    records: Records,
}

/// A buffer that the recording uses.
#[derive(Debug)]
struct Tracked {
    buffer: Arc<Buffer>,
    /// Its generation after the last recorded use.
    generation: u64,
    /// Reads whose contents it still holds, by start and end of their spans.
    live: BTreeMap<(usize, usize), u32>,
    /// The length of the longest span there.
    longest: usize,
    /// What it is called by the first launch that uses it.
    name: (String, String),
}

/// Contents that an adjoint will read.
#[derive(Debug)]
struct Read {
    buffer: usize,
    span: Range<usize>,
    /// The contents, once the buffer has been overwritten.
    saved: Option<Block>,
}

impl Tape {
    /// An empty recording on a device.
    pub fn new(device: &Device) -> Self {
        Tape {
            device: device.clone(),
            entries: Vec::new(),
            buffers: Vec::new(),
            slots: HashMap::new(),
            reads: Vec::new(),
            pool: Pool::default(),
            spare: Vec::new(),
            cotangents: Vec::new(),
            has_gradient: false,
            held: 0,
            peak: 0,
            failure: None,
            tangents: tangent::Tangents::new(1),
            keeps: true,
        }
    }

    /// Forgets the recording, its gradients and its tangents; the next one begins. Memory is kept for it.
    pub fn reset(&mut self) {
        for entry in self.entries.drain(..).rev() {
            if let Entry::Launch(recorded) = entry {
                self.spare.extend(recorded.records.chunks.into_iter().rev());
            }
        }
        self.buffers.clear();
        self.slots.clear();
        for read in self.reads.drain(..) {
            if let Some(block) = read.saved {
                self.pool.give(block);
            }
        }
        self.clear_cotangents();
        self.tangents.clear();
        self.failure = None;
        (self.held, self.peak) = (0, 0);
    }

    /// Counts bytes that the recording holds from now on.
    fn hold(&mut self, bytes: usize) {
        self.held += bytes;
        self.peak = self.peak.max(self.held);
    }

    fn clear_cotangents(&mut self) {
        for block in self.cotangents.drain(..).flatten() {
            self.held = self.held.saturating_sub(block.len());
            self.pool.give(block);
        }
        self.has_gradient = false;
    }

    /// How many launches and other operations are recorded.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
    /// Whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Runs backward from a loss: an array with one float element, whose cotangent is 1.
    ///
    /// May be called again, also after more launches; each call starts afresh.
    ///
    /// # Errors
    /// [`Error::NotScalar`] if the loss is not one number; [`Error::NotRecorded`] if the recording does
    /// not know it; else as [`Tape::backward_with`].
    pub fn backward<T: ArrayElement, const D: usize>(&mut self, loss: &Array<T, D>) -> Result<(), Error> {
        let element = T::element();
        let floats = element.components().iter().filter(|c| c.scalar.is_float()).count() * loss.len();
        if floats != 1 || element.components().len() != 1 {
            return Err(Error::NotScalar { count: floats });
        }
        let seed = View::zeroed(&self.device, element, &vec![1; D]);
        {
            let guard = self.device.lock();
            // SAFETY: the lock is held, and the view is one float of this type.
            unsafe { write_float(seed.element.components()[0].scalar, seed.base(&guard), 1.0) };
        }
        self.walk_back(&[(loss.view_handle().as_ref(), &seed)])
    }

    /// Runs backward from given cotangents: pairs of an array and, of the same shape, the derivative of
    /// the final scalar with respect to each of its elements.
    ///
    /// # Errors
    /// [`Error::Shape`] for a cotangent of another shape; [`Error::NotRecorded`]; [`Error::Overwritten`]
    /// if contents that the gradient needs are gone; [`Error::FailedRecording`].
    pub fn backward_with<T: ArrayElement, const D: usize>(
        &mut self,
        cotangents: &[(&Array<T, D>, &Array<T, D>)],
    ) -> Result<(), Error> {
        let mut seeds = Vec::new();
        for (array, cotangent) in cotangents {
            if array.shape() != cotangent.shape() {
                return Err(Error::Shape {
                    what: "a cotangent".into(),
                    found: format!("shape {:?}", cotangent.shape()),
                    expected: format!("{:?}", array.shape()),
                });
            }
            crate::stream::check_device("backward_with", cotangent.view_handle(), &self.device)?;
            seeds.push((array.view_handle().as_ref(), cotangent.view_handle().as_ref()));
        }
        self.walk_back(&seeds)
    }

    /// The gradient with respect to what an array, or a view, held when the recording began: of the
    /// same shape, its integers zero. It is zero where the result does not depend on it.
    ///
    /// # Errors
    /// [`Error::NoBackward`] before `backward`; [`Error::NotRecorded`] for an array that was never used.
    pub fn grad<T: ArrayElement, const D: usize>(&self, array: &Array<T, D>) -> Result<Array<T, D>, Error> {
        if !self.has_gradient {
            return Err(Error::NoBackward);
        }
        let view = array.view_handle();
        let slot = self.slot_of(&view.buffer).ok_or(Error::NotRecorded)?;
        let gradient = Array::zeros(&self.device, array.shape());
        if let Some(Some(block)) = self.cotangents.get(slot) {
            let guard = self.device.lock();
            let to = gradient.view_handle();
            // SAFETY: the lock is held; a cotangent block is as long as the buffer it belongs to, and
            // the new array has the view's elements.
            unsafe { view.gather(block.address(), to.base(&guard)) };
        }
        Ok(gradient)
    }

    fn slot_of(&self, buffer: &Arc<Buffer>) -> Option<usize> {
        let hint = buffer.slot() as usize;
        if self.buffers.get(hint).is_some_and(|t| Arc::ptr_eq(&t.buffer, buffer)) {
            return Some(hint);
        }
        self.slots.get(&buffer.id()).copied()
    }
}

impl Launch for Tape {
    fn device(&self) -> &Device {
        &self.device
    }
    fn launch(&mut self, call: &Call) -> Result<(), Error> {
        self.launch_along(call)
    }
    fn fill<T: ArrayElement, const D: usize>(&mut self, array: &mut Array<T, D>, value: T) -> Result<(), Error> {
        let view = array.view_handle().clone();
        self.overwrite_along("fill", &view, |guard| array.set_all(value, guard))
    }
    fn copy<T: ArrayElement, const D: usize>(&mut self, from: &Array<T, D>, to: &mut Array<T, D>) -> Result<(), Error> {
        self.copy_along(from.view_handle(), to.view_handle())
    }
    fn write<T: ArrayElement, const D: usize>(&mut self, array: &mut Array<T, D>, elements: &[T]) -> Result<(), Error> {
        let view = array.view_handle().clone();
        self.overwrite_along("write", &view, |guard| array.set_from(elements, "writing an array", guard))
    }
}
