//! What can go wrong with arrays, launches and gradients.

use pullback_codegen::abi::INDEX_BIAS;
use pullback_ir::access::first_access;
use pullback_ir::{Kernel, Loc};
use thiserror::Error;

/// An error of the runtime. Each says what it is about, both sides of what does not fit, and what to do.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// A device that this build or machine has not got.
    #[error("no CUDA device {index}: this version has no CUDA back end; use `Device::cpu()`")]
    NoCuda {
        /// The device that was asked for.
        index: usize,
    },
    /// Data or shapes of different lengths.
    #[error("{what}: {found} given, but {expected} expected")]
    Shape {
        /// What was attempted.
        what: String,
        /// What was given.
        found: String,
        /// What fits.
        expected: String,
    },
    /// An index or range outside an array, from the host.
    #[error("index {index} is outside an axis of length {len}")]
    HostIndex {
        /// The index, or the end of the range.
        index: usize,
        /// The axis' length.
        len: usize,
    },
    /// A view that an array has not got.
    #[error("{what}")]
    NoView {
        /// What was asked for, and what there is.
        what: String,
    },
    /// A view needs elements that lie one after the other.
    #[error("{what} needs an array whose elements lie one after the other; copy the view first (`Array::contiguous`)")]
    NotContiguous {
        /// What was attempted.
        what: &'static str,
    },
    /// Memory given back by [`Array::free`](crate::Array::free).
    #[error("array {name} was freed")]
    Freed {
        /// Its name in the launch, or what was done with it.
        name: String,
    },
    /// An array of another device.
    #[error("kernel `{kernel}`: array `{array}` is on {found}, but the launch is on {expected}; copy it there first")]
    Device {
        /// The kernel.
        kernel: String,
        /// The parameter.
        array: String,
        /// Where the array is.
        found: String,
        /// Where the launch runs.
        expected: String,
    },
    /// A kernel that type-checks but has no meaning.
    #[error("{0}")]
    Kernel(#[from] pullback_lang::Error),
    /// Arguments that do not fit the kernel's parameters.
    #[error("kernel `{kernel}`: {message}")]
    Argument {
        /// The kernel.
        kernel: String,
        /// What does not fit.
        message: String,
    },
    /// A launch of the wrong number of axes.
    #[error("kernel `{kernel}` uses {expected} thread id axes, but the launch has {found}: {dims}")]
    LaunchRank {
        /// The kernel.
        kernel: String,
        /// Axes the kernel uses.
        expected: usize,
        /// Axes of the launch.
        found: usize,
        /// The sizes given.
        dims: String,
    },
    /// One piece of memory as two arguments, one of them written.
    #[error(
        "kernel `{kernel}`: arguments `{first}` and `{second}` are the same memory, or overlap, and the kernel writes \
         `{written}`{}; pass a copy for one of them (`tape.copy`, or `Array::duplicate` where nothing is recorded)",
        at(.loc)
    )]
    Aliasing {
        /// The kernel.
        kernel: String,
        /// One parameter.
        first: String,
        /// The other.
        second: String,
        /// The one that is written.
        written: String,
        /// Where it is written first.
        loc: Option<Loc>,
    },
    /// An index outside an array, in a kernel.
    #[error(
        "kernel `{kernel}`{}: index {} is outside array `{array}`, whose axis {axis} has length {len} (thread {thread})",
        place(.loc), shown(*.index)
    )]
    OutOfRange {
        /// The kernel.
        kernel: String,
        /// The user's expression.
        loc: Option<Loc>,
        /// The parameter.
        array: String,
        /// The dimension.
        axis: usize,
        /// The index; one beyond ±2³¹ stands as the nearest within.
        index: i64,
        /// The length along that dimension.
        len: usize,
        /// The linear id of the thread.
        thread: usize,
    },
    /// An integer division or remainder by zero, in a kernel.
    #[error("kernel `{kernel}`{}: integer division by zero (thread {thread})", place(.loc))]
    DivisionByZero {
        /// The kernel.
        kernel: String,
        /// The user's expression.
        loc: Option<Loc>,
        /// The linear id of the thread.
        thread: usize,
    },
    /// An `assert!` in a kernel that does not hold.
    #[error("kernel `{kernel}`{}: {message} (thread {thread})", place(.loc))]
    Assertion {
        /// The kernel.
        kernel: String,
        /// The assertion.
        loc: Option<Loc>,
        /// Its text, or what it asserts.
        message: String,
        /// The linear id of the thread.
        thread: usize,
    },
    /// An index outside a vector, a matrix or a local array, in a kernel.
    #[error(
        "kernel `{kernel}`{}: index {} of something with {count} components, which count from 0 (thread {thread})",
        place(.loc), shown(*.index)
    )]
    Component {
        /// The kernel.
        kernel: String,
        /// The user's expression.
        loc: Option<Loc>,
        /// The index; one beyond ±2³¹ stands as the nearest within.
        index: i64,
        /// How many components there are.
        count: u32,
        /// The linear id of the thread.
        thread: usize,
    },
    /// The kernel could not be compiled.
    #[error("kernel `{kernel}` could not be compiled: {message}")]
    Compile {
        /// The kernel.
        kernel: String,
        /// What the code generator says.
        message: String,
    },
    /// The kernel has no adjoint.
    #[error("{0}")]
    Refused(#[from] pullback_autodiff::Refusal),
    /// A loss that is not one number.
    #[error(
        "`backward` starts from one float, but the array has {count} floats; sum it in a kernel, or give a cotangent with \
         `backward_with`"
    )]
    NotScalar {
        /// How many floats it has.
        count: usize,
    },
    /// A gradient before there is one.
    #[error("there is no gradient yet: call `backward` first")]
    NoBackward,
    /// An array that the recording does not know.
    #[error("the array was not used in this recording, so there is no gradient with respect to it")]
    NotRecorded,
    /// An array changed behind the tape's back while recording.
    #[error(
        "array `{array}` of kernel `{kernel}`{} was written outside of the recording since its last recorded use; write it \
         through the tape (`tape.write`, `tape.fill`, `tape.copy`, `tape.launch`), or begin a new recording with \
         `tape.reset`",
        used(.loc)
    )]
    WrittenOutside {
        /// The kernel, or the operation, that uses it now.
        kernel: String,
        /// The parameter.
        array: String,
        /// Where the kernel uses it first.
        loc: Option<Loc>,
    },
    /// Contents that an adjoint needs are gone.
    #[error(
        "the gradient of kernel `{kernel}` needs array `{array}`{} as it was at that launch, but it was written since, \
         outside of the recording; write it through the tape, or call `backward` before",
        used(.loc)
    )]
    Overwritten {
        /// The kernel.
        kernel: String,
        /// The parameter.
        array: String,
        /// Where the kernel uses it first.
        loc: Option<Loc>,
    },
    /// A recording with a launch that failed.
    #[error("the recording has a launch that failed ({message}); reset the tape and record again")]
    FailedRecording {
        /// The failure.
        message: String,
    },
}

impl Error {
    /// Adds where a kernel uses an array first.
    pub(crate) fn used_by(mut self, user: &Kernel, param: usize) -> Self {
        if let Error::WrittenOutside { loc, .. } | Error::Overwritten { loc, .. } = &mut self {
            *loc = first_access(user, param, false).or_else(|| first_access(user, param, true));
        }
        self
    }
}

/// An index; of one that was clamped on its way here, what is known.
fn shown(index: i64) -> String {
    const LEAST: i64 = -INDEX_BIAS;
    const MOST: i64 = INDEX_BIAS - 1;
    match index {
        ..=LEAST => format!("{LEAST} (or less)"),
        MOST.. => format!("{MOST} (or more)"),
        _ => index.to_string(),
    }
}

fn place(loc: &Option<Loc>) -> String {
    loc.map(|l| format!(", {l}")).unwrap_or_default()
}

fn at(loc: &Option<Loc>) -> String {
    loc.map(|l| format!(" at {l}")).unwrap_or_default()
}

fn used(loc: &Option<Loc>) -> String {
    loc.map(|l| format!(", used at {l},")).unwrap_or_default()
}
