//! The tracer: the kernel that this host thread is building.
//!
//! Expansions of `#[kernel]` run inside [`trace`], which puts a fresh [`Tracer`] in a thread local;
//! every operation on a traced value appends to it. A traced value made outside of a trace lands in a
//! tracer that nobody reads: it means nothing, and harms nothing.

use crate::error::Error;
use pullback_ir::{Builder, Constant, Kernel, Loc, Value, access, verify};
use std::cell::RefCell;

/// How deep calls of `#[func]`s may go: functions that call each other in a circle never end.
const MAX_DEPTH: u32 = 64;

/// One kernel being built.
pub(crate) struct Tracer {
    pub(crate) builder: Builder,
    name: String,
    rank: Option<(u8, Loc)>,
    depth: u32,
    error: Option<Error>,
}

impl Tracer {
    fn new(name: &str) -> Self {
        Tracer { builder: Builder::new(name, 1), name: name.to_owned(), rank: None, depth: 0, error: None }
    }

    /// Notes what is wrong with the kernel; the first such thing is reported.
    pub(crate) fn fail(&mut self, loc: Loc, message: impl Into<String>) {
        self.error.get_or_insert(Error::Trace { kernel: self.name.clone(), loc, message: message.into() });
    }

    /// The kernel asks for thread ids of a launch with this many axes.
    pub(crate) fn need_rank(&mut self, rank: u8, loc: Loc) {
        match self.rank {
            None => {
                self.rank = Some((rank, loc));
                self.builder.set_rank(rank);
            }
            Some((known, first)) if known != rank => self.fail(
                loc,
                format!(
                    "thread ids of a launch with {rank} axes, but {known} at {first}: a kernel has one launch rank; \
                     use the same of thread_id, thread_id2, thread_id3, thread_id4 throughout"
                ),
            ),
            Some(_) => {}
        }
    }

    /// The constant that a value is, if it is one.
    pub(crate) fn constant(&self, value: Value) -> Option<Constant> {
        self.builder.kernel().constant(value)
    }

    /// Enters a `#[func]`; false if that must not be traced, because calls go in a circle.
    pub(crate) fn enter(&mut self, func: &str, loc: Loc) -> bool {
        if self.error.is_some() {
            return false;
        }
        if self.depth == MAX_DEPTH {
            self.fail(
                loc,
                format!("calls are nested {MAX_DEPTH} deep at `{func}`: functions that call themselves are not possible, write a loop"),
            );
            return false;
        }
        self.depth += 1;
        true
    }

    /// Leaves a `#[func]`.
    pub(crate) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}

thread_local! {
    static TRACER: RefCell<Option<Tracer>> = const { RefCell::new(None) };
}

/// Runs `f` on the current tracer. `f` must not trace itself.
pub(crate) fn with<X>(f: impl FnOnce(&mut Tracer) -> X) -> X {
    TRACER.with_borrow_mut(|t| f(t.get_or_insert_with(|| Tracer::new("outside of any kernel"))))
}

/// Runs `f` on the builder, with `loc` as the place of the ops.
pub(crate) fn emit<X>(loc: Loc, f: impl FnOnce(&mut Builder) -> X) -> X {
    with(|t| {
        t.builder.set_loc(Some(loc));
        f(&mut t.builder)
    })
}

/// Puts the tracer of an outer trace back, also when the inner one panics.
struct Restore(Option<Tracer>);

impl Drop for Restore {
    fn drop(&mut self) {
        TRACER.set(self.0.take());
    }
}

/// Traces a kernel: `f` declares the parameters and runs the body.
pub(crate) fn trace(name: &str, f: impl FnOnce()) -> Result<Kernel, Error> {
    let restore = Restore(TRACER.replace(Some(Tracer::new(name))));
    f();
    let tracer = TRACER.take();
    drop(restore);
    let Some(tracer) = tracer else {
        return Err(Error::Invalid { kernel: name.to_owned(), message: "the trace was lost".to_owned() });
    };
    if let Some(error) = tracer.error {
        return Err(error);
    }
    let mut kernel = tracer.builder.finish();
    kernel.order = access::order(&kernel);
    match verify(&kernel) {
        Ok(_) => Ok(kernel),
        Err(errors) => Err(Error::Invalid { kernel: name.to_owned(), message: errors.to_string() }),
    }
}
