//! Runs compiled kernels: over cores where the threads are independent, else in their order.

use crate::device::{Device, Guard};
use crate::error::Error;
use crate::program::Program;
use pullback_codegen::abi::{Context, Fault, MAX_THREADS, NO_FAULT};
use pullback_codegen::{Compiled, SiteKind};
use pullback_ir::Order;
use rayon::prelude::*;
use std::cell::RefCell;

/// Launches with less work than this (operations) run on the calling thread: waking others costs more.
const WORTH_SHARING: usize = 200_000;

/// What a launch kept for its adjoint, by chunks of threads.
#[derive(Debug, Default)]
pub(crate) struct Records {
    pub(crate) chunks: Vec<Chunk>,
}

/// The records of some consecutive threads.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    start: u64,
    end: u64,
    slots: Vec<u64>,
    /// Where each thread's records begin.
    bases: Vec<i64>,
}

impl Records {
    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.chunks.iter().map(|c| 8 * (c.slots.len() + c.bases.len())).sum()
    }
}

/// A core's context and the memory that it points to. The context comes first: the callbacks of the
/// compiled code find the worker by its address.
#[repr(C)]
struct Worker {
    context: Context,
    stack: Vec<u64>,
    slots: Vec<u64>,
}

impl Worker {
    fn new() -> Self {
        let context = Context {
            stack: std::ptr::null_mut(),
            stack_capacity: 0,
            grow_stack,
            records: std::ptr::null_mut(),
            records_len: 0,
            records_capacity: 0,
            grow_records,
            bases: std::ptr::null_mut(),
        };
        Worker { context, stack: Vec::new(), slots: Vec::new() }
    }
}

/// Room for `slots` slots, at least twice what there was.
fn grow(memory: &mut Vec<u64>, slots: u64) {
    let len = memory.len();
    memory.resize((slots as usize).max(2 * len).max(1024), 0);
}

unsafe extern "C" fn grow_stack(context: *mut Context, slots: u64) {
    // SAFETY: compiled code passes on the context that it was given, which is a worker's first field,
    // and no other reference to that worker is alive while the code runs.
    let worker = unsafe { &mut *context.cast::<Worker>() };
    grow(&mut worker.stack, slots);
    worker.context.stack = worker.stack.as_mut_ptr();
    worker.context.stack_capacity = worker.stack.len() as u64;
}

unsafe extern "C" fn grow_records(context: *mut Context, slots: u64) {
    // SAFETY: as in `grow_stack`.
    let worker = unsafe { &mut *context.cast::<Worker>() };
    grow(&mut worker.slots, slots);
    worker.context.records = worker.slots.as_mut_ptr();
    worker.context.records_capacity = worker.slots.len() as u64;
}

thread_local! {
    static WORKER: RefCell<Box<Worker>> = RefCell::new(Box::new(Worker::new()));
}

/// What a run does with records.
enum Keeping<'r> {
    Nothing,
    Append(&'r mut Chunk),
    Read(&'r Chunk),
}

/// Runs some threads of a kernel; the fault code.
///
/// # Safety
/// `args` fits the compiled kernel, and its arrays are valid and touched by nobody else.
unsafe fn run_some(compiled: &Compiled, args: &[u64], start: u64, end: u64, keeping: Keeping<'_>) -> u64 {
    WORKER.with_borrow_mut(|worker| {
        let mut chunk_out = None;
        match keeping {
            Keeping::Nothing => {}
            Keeping::Append(chunk) => {
                chunk.bases.resize((end - start) as usize, 0);
                worker.slots = std::mem::take(&mut chunk.slots);
                worker.context.records = worker.slots.as_mut_ptr();
                worker.context.records_len = 0;
                worker.context.records_capacity = worker.slots.len() as u64;
                worker.context.bases = chunk.bases.as_mut_ptr();
                chunk_out = Some(chunk);
            }
            Keeping::Read(chunk) => {
                worker.context.records = chunk.slots.as_ptr().cast_mut();
                worker.context.records_len = chunk.slots.len() as u64;
                worker.context.records_capacity = chunk.slots.len() as u64;
                worker.context.bases = chunk.bases.as_ptr().cast_mut();
            }
        }
        let context: *mut Worker = &raw mut **worker;
        // SAFETY: the caller vouches for the arguments; the context belongs to this core alone, and its
        // memory is as the ABI says.
        let code = unsafe { (compiled.entry())(context.cast(), args.as_ptr(), start, end) };
        if let Some(chunk) = chunk_out {
            worker.slots.truncate(worker.context.records_len as usize);
            chunk.slots = std::mem::take(&mut worker.slots);
        }
        worker.context.records = std::ptr::null_mut();
        worker.context.bases = std::ptr::null_mut();
        code
    })
}

/// How a launch's threads are cut into chunks.
fn chunks(threads: u64, shared: Option<usize>) -> Vec<(u64, u64)> {
    let size = match shared {
        // Some more chunks than cores, so that a slow core does not keep the others waiting.
        Some(cores) => (threads.div_ceil(4 * cores as u64).next_multiple_of(64)).clamp(256, MAX_THREADS),
        None => MAX_THREADS,
    };
    (0..threads.div_ceil(size)).map(|i| (i * size, ((i + 1) * size).min(threads))).collect()
}

/// What a launch has besides its arguments.
pub(crate) enum Mode<'r> {
    /// Nothing.
    Plain,
    /// The kernel records; the records go here.
    Recording(&'r mut Records),
    /// The kernel is an adjoint of a launch that recorded this.
    Replaying(&'r Records),
}

/// Runs a launch of `threads` threads.
///
/// # Safety
/// `args` fits the compiled kernel, and its arrays are valid; the guard keeps others from them.
pub(crate) unsafe fn run(
    program: &Program,
    compiled: &Compiled,
    device: &Device,
    _: &Guard<'_>,
    args: &[u64],
    threads: u64,
    mode: Mode<'_>,
) -> Result<(), Error> {
    if threads == 0 {
        return Ok(());
    }
    let parallel = program.order == Order::Parallel;
    let share = parallel && threads > 256 && (threads as usize).saturating_mul(program.cost) >= WORTH_SHARING;
    let pool = if share { device.pool() } else { None };
    let descending = program.order == Order::Descending;

    // The common case first: few threads, one call.
    if let (Mode::Plain, None, true) = (&mode, pool, threads <= MAX_THREADS) {
        // SAFETY: passed on.
        let code = unsafe { run_some(compiled, args, 0, threads, Keeping::Nothing) };
        return check(program, compiled, args, (0, code));
    }
    let mut list = match &mode {
        Mode::Replaying(records) => records.chunks.iter().map(|c| (c.start, c.end)).collect(),
        _ => chunks(threads, pool.map(|p| p.current_num_threads())),
    };
    // The first fault by thread, whichever chunk finds one first.
    let first = |a: (u64, u64), b: (u64, u64)| if a.1 != NO_FAULT && (b.1 == NO_FAULT || a.0 <= b.0) { a } else { b };
    let none = (0, NO_FAULT);
    let fault = match mode {
        Mode::Plain => {
            let one = |&(start, end): &(u64, u64)| {
                // SAFETY: passed on; in a parallel kernel no two threads touch the same memory.
                (start, unsafe { run_some(compiled, args, start, end, Keeping::Nothing) })
            };
            if descending {
                list.reverse();
            }
            match pool {
                Some(pool) => pool.install(|| list.par_iter().map(one).reduce(|| none, first)),
                None => list.iter().map(one).fold(none, first),
            }
        }
        Mode::Recording(records) => {
            records.chunks.resize_with(list.len(), Chunk::default);
            for (chunk, &(start, end)) in records.chunks.iter_mut().zip(&list) {
                (chunk.start, chunk.end) = (start, end);
            }
            let one = |chunk: &mut Chunk| {
                let (start, end) = (chunk.start, chunk.end);
                // SAFETY: as above.
                (start, unsafe { run_some(compiled, args, start, end, Keeping::Append(chunk)) })
            };
            match pool {
                Some(pool) => pool.install(|| records.chunks.par_iter_mut().map(one).reduce(|| none, first)),
                None => records.chunks.iter_mut().map(one).fold(none, first),
            }
        }
        Mode::Replaying(records) => {
            let one = |chunk: &Chunk| {
                // SAFETY: as above.
                (chunk.start, unsafe { run_some(compiled, args, chunk.start, chunk.end, Keeping::Read(chunk)) })
            };
            match pool {
                Some(pool) => pool.install(|| records.chunks.par_iter().map(one).reduce(|| none, first)),
                None if descending => records.chunks.iter().rev().map(one).fold(none, first),
                None => records.chunks.iter().map(one).fold(none, first),
            }
        }
    };
    check(program, compiled, args, fault)
}

/// Turns a fault code of a chunk into an error.
fn check(program: &Program, compiled: &Compiled, args: &[u64], (start, code): (u64, u64)) -> Result<(), Error> {
    let Some(fault) = Fault::unpack(code) else { return Ok(()) };
    let kernel = program.name().to_owned();
    let thread = (start + fault.thread) as usize;
    let Some(site) = compiled.site(fault.site) else {
        return Err(Error::Compile { kernel, message: format!("fault {fault:?} at a place that is not known") });
    };
    Err(match site.kind {
        SiteKind::DivisionByZero => Error::DivisionByZero { kernel, loc: site.loc, thread },
        SiteKind::OutOfRange { array, axis } => {
            let mut word = 0;
            for param in &program.kernel.params[..array as usize] {
                word += param.array().map_or(1, |(_, rank, _)| 1 + 2 * rank as usize);
            }
            Error::OutOfRange {
                kernel,
                loc: site.loc,
                array: program.kernel.params[array as usize].name.clone(),
                axis: axis as usize,
                index: fault.index,
                len: args[word + 1 + axis as usize] as usize,
                thread,
            }
        }
    })
}
