//! What compiled kernels and the runtime agree on: the entry function, its context and arguments.
//!
//! An entry runs the threads with linear ids `start..end` (at most [`MAX_THREADS`] of them; the last
//! launch axis runs fastest), in the order that the kernel says. It returns [`NO_FAULT`] or the first
//! fault, by thread and then by place, packed as `thread - start` (15 bits), site (16 bits), and the
//! index that was out of range, biased and clamped (32 bits): see [`Fault`].
//!
//! The arguments are 64-bit words, parameter by parameter: a scalar is one word with its bits in the
//! low end; an array is the address of element (0, …, 0), then its length along each dimension, then
//! its stride in bytes along each dimension. After the parameters come the sizes of the launch, one
//! word an axis. An array's address is valid for one element even where a length is 0.

/// How many threads one call of an entry may run.
pub const MAX_THREADS: u64 = 1 << 15;

/// The longest that an array's dimension or a launch's axis may be said to be: LLVM is told so.
pub const MAX_LENGTH: u64 = (1 << 62) - 1;

/// What an entry returns when nothing went wrong.
pub const NO_FAULT: u64 = u64::MAX;

/// A compiled kernel.
pub type Entry = unsafe extern "C" fn(context: *mut Context, args: *const u64, start: u64, end: u64) -> u64;

/// Makes room for at least `slots` slots in all and updates the context's address and capacity.
pub type Grow = unsafe extern "C" fn(context: *mut Context, slots: u64);

/// Prints: which place of the kernel (see [`Compiled::print`](crate::Compiled::print)), the thread counted
/// from the call's `start`, and the values, one 8-byte slot each.
pub type Print = unsafe extern "C" fn(context: *mut Context, site: u64, thread: u64, values: *const u64);

/// What a run of an entry uses besides its arguments. Owned by one core at a time.
#[repr(C)]
#[derive(Debug)]
pub struct Context {
    /// The thread's stack for `push` and `pop`: 8-byte slots. Empty before and after each thread.
    pub stack: *mut u64,
    /// Its size in slots.
    pub stack_capacity: u64,
    /// Makes the stack larger.
    pub grow_stack: Grow,
    /// What the launch keeps for its adjoint (`record`), or what was kept (`residual`): 8-byte slots.
    pub records: *mut u64,
    /// How many slots are in use. `record` appends here.
    pub records_len: u64,
    /// Size in slots.
    pub records_capacity: u64,
    /// Makes the records larger.
    pub grow_records: Grow,
    /// For each thread of the call (`thread - start`) where its records begin: written at the start of
    /// each thread by kernels with `record`, read by `residual_base`.
    pub bases: *mut i64,
    /// Takes what the kernel prints.
    pub print: Print,
}

/// A fault as an entry packs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Counted from the call's `start`.
    pub thread: u64,
    /// Which check failed.
    pub site: u64,
    /// The index, clamped to ±2³¹.
    pub index: i64,
}

/// Added to an index to pack it.
pub const INDEX_BIAS: i64 = 1 << 31;

impl Fault {
    /// Takes apart what an entry returned; `None` if nothing went wrong.
    pub fn unpack(code: u64) -> Option<Self> {
        (code != NO_FAULT).then(|| Fault {
            thread: code >> 48,
            site: code >> 32 & 0xffff,
            index: (code & ((1 << 32) - 1)) as i64 - INDEX_BIAS,
        })
    }
}
