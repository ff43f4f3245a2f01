//! Devices: where arrays live and kernels run.

use crate::error::Error;
use std::fmt;
use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// A device. Cheap to clone; two handles are equal if they are the same device.
#[derive(Clone)]
pub struct Device(Arc<Inner>);

struct Inner {
    id: u64,
    threads: usize,
    pool: OnceLock<Option<rayon::ThreadPool>>,
    lock: Mutex<()>,
}

/// Proof that the holder alone touches the memory of a device's arrays.
pub(crate) type Guard<'a> = MutexGuard<'a, ()>;

static NEXT_ID: AtomicU64 = AtomicU64::new(0);

impl Device {
    /// The CPU with all its cores. It is one device however often this is called.
    pub fn cpu() -> Self {
        static CPU: OnceLock<Device> = OnceLock::new();
        CPU.get_or_init(|| Device::cpu_with_threads(std::thread::available_parallelism().map_or(1, NonZero::get)))
            .clone()
    }

    /// A CPU device that uses this many cores (at least one). Results do not depend on the number.
    pub fn cpu_with_threads(threads: usize) -> Self {
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        Device(Arc::new(Inner { id, threads: threads.max(1), pool: OnceLock::new(), lock: Mutex::new(()) }))
    }

    /// A CUDA device.
    ///
    /// # Errors
    /// Always, in this version: it has no CUDA back end.
    pub fn cuda(index: usize) -> Result<Self, Error> {
        Err(Error::NoCuda { index })
    }

    /// How many cores its launches use.
    pub fn threads(&self) -> usize {
        self.0.threads
    }

    /// Waits for whoever uses the device and keeps everyone else out.
    pub(crate) fn lock(&self) -> Guard<'_> {
        self.0.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The worker threads, if there is more than one core and the system gives them.
    pub(crate) fn pool(&self) -> Option<&rayon::ThreadPool> {
        let make = || match self.0.threads {
            1 => None,
            n => rayon::ThreadPoolBuilder::new().num_threads(n).thread_name(|i| format!("pullback {i}")).build().ok(),
        };
        self.0.pool.get_or_init(make).as_ref()
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
impl Eq for Device {}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cpu {} ({} cores)", self.0.id, self.0.threads)
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
