//! A traced kernel, kept for the life of the program.

use crate::error::Error;
use crate::trace::trace;
use pullback_ir::Kernel;
use std::any::{Any, TypeId};
use std::fmt;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// A kernel's IR, or why it has none, and what the runtime keeps with it.
pub struct KernelHandle {
    name: &'static str,
    kernel: Result<Kernel, Error>,
    compiled: OnceLock<Arc<dyn Any + Send + Sync>>,
}

impl KernelHandle {
    /// A handle of IR that was made in another way than by `#[kernel]`.
    pub fn from_ir(name: &'static str, kernel: Kernel) -> Arc<Self> {
        Arc::new(KernelHandle { name, kernel: Ok(kernel), compiled: OnceLock::new() })
    }
    pub(crate) fn traced(name: &'static str, body: impl FnOnce()) -> Arc<Self> {
        Arc::new(KernelHandle { name, kernel: trace(name, body), compiled: OnceLock::new() })
    }
    /// The kernel's name.
    pub fn name(&self) -> &'static str {
        self.name
    }
    /// The IR.
    ///
    /// # Errors
    /// What is wrong with the kernel, if it type-checks but has no meaning.
    pub fn kernel(&self) -> Result<&Kernel, &Error> {
        self.kernel.as_ref()
    }
    /// Where the runtime keeps what it compiled from the kernel.
    pub fn compiled(&self) -> &OnceLock<Arc<dyn Any + Send + Sync>> {
        &self.compiled
    }
}

impl fmt::Debug for KernelHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelHandle").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The handles of one `#[kernel]`, one for each set of generic arguments.
#[derive(Debug, Default)]
pub struct KernelCache {
    handles: RwLock<Vec<(TypeId, Arc<KernelHandle>)>>,
}

impl KernelCache {
    /// An empty cache.
    pub const fn new() -> Self {
        KernelCache { handles: RwLock::new(Vec::new()) }
    }
    /// The handle for the generic arguments that `Key` stands for; `body` traces the kernel if it is
    /// the first time.
    pub fn get<Key: 'static>(&self, name: &'static str, body: impl FnOnce()) -> Arc<KernelHandle> {
        let key = TypeId::of::<Key>();
        let find = |handles: &[(TypeId, Arc<KernelHandle>)]| {
            handles.iter().find(|(k, _)| *k == key).map(|(_, handle)| handle.clone())
        };
        if let Some(known) = find(&self.handles.read().unwrap_or_else(PoisonError::into_inner)) {
            return known;
        }
        // Traced without the lock; if two threads do so at once, the first one's handle stays.
        let made = KernelHandle::traced(name, body);
        let mut handles = self.handles.write().unwrap_or_else(PoisonError::into_inner);
        match find(&handles) {
            Some(known) => known,
            None => {
                handles.push((key, made.clone()));
                made
            }
        }
    }
}
