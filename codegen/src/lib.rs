//! Machine code for Pullback IR through LLVM.
//!
//! [`compile`] lowers a verified kernel to LLVM's IR (`lower`), runs a pass list of our own over it
//! (`pipeline`) and loads the object into this process (`jit`). The result is an entry function as
//! [`abi`] says: a loop over thread ids around the kernel's body, which LLVM vectorises. So nothing in
//! that loop may stop it: bounds checks set a sticky fault, elementary functions are inlined, and
//! small branches become selects (`flatten`).
//!
//! Objects are kept on disk ([`cache`]), so that the next run of a program compiles nothing.
//!
//! What a target cannot do has to be refused by the verifier before: errors in LLVM's back end end the
//! process.

pub mod abi;
pub mod cache;
mod flatten;
mod jit;
mod libm;
mod lower;
mod pipeline;
mod recipe;
mod target;

pub use target::Cpu;

use abi::Entry;
use pullback_ir::{Kernel, Loc, OpKind, Scalar, Verified, access, pass};
use thiserror::Error;

/// What went wrong inside LLVM. None of these is the user's fault.
#[derive(Debug, Error)]
pub enum Error {
    /// LLVM does not accept what was lowered, or a pass failed.
    #[error("LLVM rejects kernel `{kernel}`: {message}")]
    Llvm {
        /// The kernel.
        kernel: String,
        /// What LLVM says.
        message: String,
    },
    /// The object could not be loaded.
    #[error("the machine code of kernel `{kernel}` could not be loaded: {message}")]
    Load {
        /// The kernel.
        kernel: String,
        /// What the loader says.
        message: String,
    },
    /// No machine code can be made for this host.
    #[error("no code can be made for this machine: {0}")]
    Host(String),
}

/// How much LLVM does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Optimize {
    /// Nothing: quick to compile, slow to run.
    None,
    /// The pass list that ends in vectorisation.
    #[default]
    Full,
}

/// The variant of a kernel that is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Bit i: parameter number i is an array whose elements lie row-major, one after the other.
    pub contiguous: u64,
    /// All [`requirements`] hold, so those accesses are not checked.
    pub prechecked: bool,
    /// How much LLVM does.
    pub optimize: Optimize,
}

/// A launch axis must not be longer than an array's dimension, as its thread id is an index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The array parameter.
    pub array: u32,
    /// Its dimension.
    pub dim: u8,
    /// The launch axis.
    pub axis: u8,
    /// The access.
    pub loc: Option<Loc>,
}

/// The requirements of a kernel, each array, dimension and axis once.
pub fn requirements(kernel: &Kernel) -> Vec<Requirement> {
    let mut found: Vec<Requirement> = Vec::new();
    kernel.walk(kernel.body, &mut |_, data| {
        let (OpKind::Load { array, .. } | OpKind::Store { array, .. } | OpKind::Atomic { array, .. }) = data.kind
        else {
            return;
        };
        let rank = kernel.params[array as usize].array().map_or(0, |(_, rank, _)| rank);
        for dim in 0..rank {
            let Some(axis) = access::thread_axis(kernel, data.operands[dim as usize]) else { continue };
            if !found.iter().any(|r| (r.array, r.dim, r.axis) == (array, dim, axis)) {
                found.push(Requirement { array, dim, axis, loc: data.loc });
            }
        }
    });
    found
}

/// A place in a kernel at which a fault can arise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// What kind of fault.
    pub kind: SiteKind,
    /// The user's expression.
    pub loc: Option<Loc>,
}

/// Kinds of faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteKind {
    /// An index outside an array.
    OutOfRange {
        /// The array parameter.
        array: u32,
        /// The dimension.
        axis: u8,
    },
    /// An integer division or remainder by zero.
    DivisionByZero,
    /// What the user asserts does not hold; the user's words.
    Assertion(String),
    /// An index outside a vector, a matrix or a local array.
    Component {
        /// How many components there are.
        count: u32,
    },
}

/// What a kernel prints at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Print {
    /// The text with marks for the values: see [`pullback_ir::show`].
    pub text: String,
    /// The values' types.
    pub scalars: Vec<Scalar>,
}

/// A kernel as machine code in this process. The code goes when this is dropped.
#[derive(Debug)]
pub struct Compiled {
    code: jit::Code,
    sites: Vec<Site>,
    prints: Vec<Print>,
}

impl Compiled {
    /// The function to call; see [`abi`].
    pub fn entry(&self) -> Entry {
        self.code.entry()
    }
    /// What a fault's site means.
    pub fn site(&self, site: u64) -> Option<&Site> {
        self.sites.get(site as usize)
    }
    /// What is printed at a place.
    pub fn print(&self, site: u64) -> Option<&Print> {
        self.prints.get(site as usize)
    }
}

/// Compiles a kernel for the CPU, or loads what was compiled before ([`cache`]).
///
/// # Errors
/// Only if LLVM fails.
pub fn compile(kernel: &Verified<'_>, cpu: &Cpu, options: &Options) -> Result<Compiled, Error> {
    let mut lowered = lower(kernel, cpu, options);
    let cache = cache::current();
    let key = pipeline::key(&lowered, cpu, options);
    let symbol = format!("pullback_{}", key.to_hex());
    lowered.rename_entry(&symbol);
    if let Some(code) = jit::shared(&symbol) {
        return Ok(Compiled { code, sites: lowered.sites, prints: lowered.prints });
    }
    // What was kept is as good as new; if it cannot be loaded all the same, it is made anew.
    let kept = cache.as_ref().and_then(|cache| cache.load(&key));
    let code = match kept.and_then(|object| jit::load(&kernel.name, &object, &symbol).ok()) {
        Some(code) => code,
        None => {
            let object = pipeline::object(&lowered, &kernel.name, cpu, options)?;
            if let Some(cache) = &cache {
                cache.store(&key, &object);
            }
            jit::load(&kernel.name, &object, &symbol)?
        }
    };
    Ok(Compiled { code, sites: lowered.sites, prints: lowered.prints })
}

/// LLVM's IR of a kernel, after the passes, as text: for looking at what became of it.
///
/// # Errors
/// Only if LLVM fails.
pub fn optimized_ir(kernel: &Verified<'_>, cpu: &Cpu, options: &Options) -> Result<String, Error> {
    let lowered = lower(kernel, cpu, options);
    pipeline::optimized_text(&lowered, &kernel.name, cpu, options)
}

fn lower(kernel: &Verified<'_>, cpu: &Cpu, options: &Options) -> lower::Lowered {
    let mut own_rules = false;
    kernel.walk(kernel.body, &mut |_, data| own_rules |= data.kind == OpKind::Custom);
    let plain = own_rules.then(|| pass::simplify(&pass::inline(kernel)));
    let flat = flatten::flatten(plain.as_ref().unwrap_or(kernel), options.prechecked);
    lower::lower(&flat, cpu, options)
}
