//! Runs compiled kernels: over cores where the threads are independent, else in their order.

use crate::device::{Device, Guard};
use crate::error::Error;
use crate::launch::Words;
use crate::program::Program;
use crate::sums::{PARTS, Sums};
use pullback_codegen::abi::{Context, Fault, MAX_THREADS, NO_FAULT};
use pullback_codegen::{Compiled, SiteKind};
use pullback_ir::{Constant, Order, Param, show};
use rayon::prelude::*;
use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};

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

impl Chunk {
    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        8 * (self.slots.len() + self.bases.len())
    }
}

/// A core's context and the memory that it points to. The context comes first: the callbacks of the
/// compiled code find the worker by its address.
#[repr(C)]
struct Worker {
    context: Context,
    stack: Vec<u64>,
    slots: Vec<u64>,
    now: Now,
}

/// What a worker is running, for what the kernel prints. Valid while the kernel runs.
#[derive(Clone, Copy)]
struct Now {
    program: *const Program,
    compiled: *const Compiled,
    args: *const u64,
    start: u64,
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
            print,
        };
        let now = Now { program: std::ptr::null(), compiled: std::ptr::null(), args: std::ptr::null(), start: 0 };
        Worker { context, stack: Vec::new(), slots: Vec::new(), now }
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

unsafe extern "C" fn print(context: *mut Context, site: u64, thread: u64, values: *const u64) {
    // SAFETY: as in `grow_stack`; what `now` points to outlives the run of the kernel that calls this.
    let (now, program, compiled) = unsafe {
        let now = (*context.cast::<Worker>()).now;
        (now, &*now.program, &*now.compiled)
    };
    let Some(print) = compiled.print(site) else { return };
    // SAFETY: the compiled code gives one slot for each value of the place.
    let slots = unsafe { std::slice::from_raw_parts(values, print.scalars.len()) };
    let words: usize = program.kernel.params.iter().map(param_words).sum();
    // SAFETY: the sizes of the launch stand behind the words of the parameters.
    let sizes = unsafe { std::slice::from_raw_parts(now.args.add(words), program.kernel.rank as usize) };
    let mut rest = now.start + thread;
    let mut ids = vec![0; sizes.len()];
    for (id, &size) in ids.iter_mut().zip(sizes).rev() {
        (*id, rest) = (rest % size.max(1), rest / size.max(1));
    }
    let mut shown = print.scalars.iter().zip(slots).map(|(&s, &bits)| Constant::from_bits(s, bits));
    let text = show::format_print(&print.text, &mut |style| {
        shown.next().map_or_else(String::new, |c| show::print_value(c, style))
    });
    let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
    crate::print::line(&format!("{}[{}]: {}", program.name(), ids.join(", "), text.unwrap_or_default()));
}

/// How many words of the arguments a parameter takes.
fn param_words(param: &Param) -> usize {
    param.array().map_or(1, |(_, rank, _)| 1 + 2 * rank as usize)
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
unsafe fn run_some(
    program: &Program,
    compiled: &Compiled,
    args: &[u64],
    start: u64,
    end: u64,
    keeping: Keeping<'_>,
) -> u64 {
    WORKER.with_borrow_mut(|worker| {
        worker.now = Now { program, compiled, args: args.as_ptr(), start };
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

/// How a launch's threads are cut into chunks of consecutive ones.
#[derive(Clone, Copy)]
struct Cut {
    threads: u64,
    size: u64,
}

impl Cut {
    /// `parts` chunks, unless they would be very small or too large for one call.
    fn new(threads: u64, parts: u64) -> Self {
        Cut { threads, size: threads.div_ceil(parts).next_multiple_of(64).clamp(256, MAX_THREADS) }
    }
    /// As few chunks as can be.
    fn coarse(threads: u64) -> Self {
        Cut { threads, size: MAX_THREADS }
    }
    fn count(self) -> usize {
        self.threads.div_ceil(self.size) as usize
    }
    fn chunk(self, i: usize) -> (u64, u64) {
        (i as u64 * self.size, ((i as u64 + 1) * self.size).min(self.threads))
    }
}

/// What a launch has besides its arguments.
pub(crate) enum Mode<'r> {
    /// Nothing.
    Plain,
    /// The kernel records; the records go here, into the memory of spare ones while there are some.
    Recording(&'r mut Records, &'r mut Vec<Chunk>),
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
    let work = (threads as usize).saturating_mul(program.cost);
    let heavy = threads > 256 && work >= WORTH_SHARING;

    // The common case first: little work, one call.
    if let (Mode::Plain, false, true) = (&mode, heavy, threads <= MAX_THREADS) {
        // SAFETY: passed on.
        let code = unsafe { run_some(program, compiled, args, 0, threads, Keeping::Nothing) };
        return check(program, compiled, args, (0, code));
    }
    // Nothing of this depends on the number of cores where it could be seen in the results.
    let parts = match &mode {
        Mode::Replaying(records) => records.chunks.len(),
        _ => Cut::new(threads, PARTS).count(),
    };
    let parallel = program.order == Order::Parallel;
    let sums = if heavy && !parallel { Sums::new(program, args, parts, work) } else { None };
    let pool = if heavy && (parallel || sums.is_some()) { device.pool() } else { None };
    let cut = match (pool, &mode) {
        (Some(pool), Mode::Plain) if parallel => Cut::new(threads, 4 * pool.current_num_threads() as u64),
        _ if heavy && (parallel || sums.is_some()) => Cut::new(threads, PARTS),
        _ => Cut::coarse(threads),
    };

    // The first fault by thread, whichever chunk finds one first.
    let first = |a: (u64, u64), b: (u64, u64)| if a.1 != NO_FAULT && (b.1 == NO_FAULT || a.0 <= b.0) { a } else { b };
    let none = (0, NO_FAULT);
    let descending = program.order == Order::Descending;
    let run_chunk = |i: usize, (start, end): (u64, u64), keeping: Keeping<'_>| {
        let mut own = Words::new();
        let args = match &sums {
            Some(sums) => {
                own.extend_from_slice(args);
                sums.redirect(&mut own, i);
                &own
            }
            None => args,
        };
        // SAFETY: passed on; no two chunks that run at once touch the same memory.
        (start, unsafe { run_some(program, compiled, args, start, end, keeping) })
    };
    let fault = match mode {
        Mode::Plain => {
            let one = |i: usize| run_chunk(i, cut.chunk(i), Keeping::Nothing);
            match pool {
                Some(pool) => {
                    let faults = spread(pool, cut.count(), |chunks| chunks.map(one).fold(none, first));
                    faults.into_iter().fold(none, first)
                }
                None if descending => (0..cut.count()).rev().map(one).fold(none, first),
                None => (0..cut.count()).map(one).fold(none, first),
            }
        }
        Mode::Recording(records, spare) => {
            records.chunks.resize_with(cut.count(), || spare.pop().unwrap_or_default());
            let one = |(i, chunk): (usize, &mut Chunk)| {
                (chunk.start, chunk.end) = cut.chunk(i);
                run_chunk(i, cut.chunk(i), Keeping::Append(chunk))
            };
            match pool {
                Some(pool) => on(pool, || records.chunks.par_iter_mut().enumerate().map(one).reduce(|| none, first)),
                None => records.chunks.iter_mut().enumerate().map(one).fold(none, first),
            }
        }
        Mode::Replaying(records) => {
            let one = |(i, chunk): (usize, &Chunk)| run_chunk(i, (chunk.start, chunk.end), Keeping::Read(chunk));
            match pool {
                Some(pool) => on(pool, || records.chunks.par_iter().enumerate().map(one).reduce(|| none, first)),
                None if descending => records.chunks.iter().enumerate().rev().map(one).fold(none, first),
                None => records.chunks.iter().enumerate().map(one).fold(none, first),
            }
        }
    };
    if let Some(sums) = &sums {
        // SAFETY: passed on; all chunks have ended.
        unsafe { sums.add_up(args, parts) };
    }
    check(program, compiled, args, fault)
}

/// Hands out chunks to the workers of a pool, `run` taking those of one worker; what each gave.
///
/// A worker begins with the same share in each launch of a size, so that what it has touched in the last
/// one is in its cache; a worker that is done helps the others.
fn spread<R: Send>(
    pool: &rayon::ThreadPool,
    count: usize,
    run: impl Fn(&mut dyn Iterator<Item = usize>) -> R + Sync,
) -> Vec<R> {
    let workers = pool.current_num_threads();
    let start = |worker: usize| worker * count / workers;
    let next: Vec<AtomicUsize> = (0..workers).map(|w| AtomicUsize::new(start(w))).collect();
    let work = |context: rayon::BroadcastContext<'_>| {
        let order = (0..workers).map(|k| (context.index() + k) % workers);
        let mut chunks = order.flat_map(|w| {
            let next = &next[w];
            std::iter::from_fn(move || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&i| i < start(w + 1)))
        });
        run(&mut chunks)
    };
    outside(|| pool.broadcast(work))
}

/// Runs a closure on the workers of a pool and waits for it.
fn on<R: Send>(pool: &rayon::ThreadPool, work: impl FnOnce() -> R + Send) -> R {
    outside(|| pool.install(work))
}

/// Runs a closure, which waits for the workers of a pool, on a thread of no pool.
///
/// A thread of another rayon pool would take up other work of its own while it waits, perhaps another
/// launch, which would wait forever for the lock that this one holds; so a thread of no pool waits in
/// its place.
fn outside<R: Send>(wait: impl FnOnce() -> R + Send) -> R {
    if rayon::current_thread_index().is_none() {
        return wait();
    }
    let waited = std::thread::scope(|scope| scope.spawn(wait).join());
    waited.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
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
        SiteKind::Assertion(ref message) => {
            Error::Assertion { kernel, loc: site.loc, message: message.clone(), thread }
        }
        SiteKind::Component { count } => Error::Component { kernel, loc: site.loc, index: fault.index, count, thread },
        SiteKind::DivisionByZero => Error::DivisionByZero { kernel, loc: site.loc, thread },
        SiteKind::OutOfRange { array, axis } => {
            let mut word = 0;
            for param in &program.kernel.params[..array as usize] {
                word += param_words(param);
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
