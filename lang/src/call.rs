//! A kernel with its arguments: what a launch takes.
//!
//! `attract(n, &mut pos, &mut vel, dt)` makes a [`Call`]; a stream or a tape launches it. Making one
//! traces the kernel the first time, and costs well under a microsecond after that.

use crate::array::KernelArg;
use crate::handle::KernelHandle;
use crate::types::KernelType;
use pullback_ir::Constant;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The sizes of a launch: one to four axes, the last running fastest. One thread runs for each point.
///
/// ```
/// use pullback_lang::Dims;
/// assert_eq!(Dims::from(100).as_slice(), &[100]);
/// assert_eq!(Dims::from((4, 5)).threads(), 20);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dims {
    sizes: [usize; 4],
    rank: u8,
}

impl Dims {
    /// The size along each axis.
    pub fn as_slice(&self) -> &[usize] {
        &self.sizes[..self.rank as usize]
    }
    /// The number of axes, 1 to 4.
    pub fn rank(&self) -> usize {
        self.rank as usize
    }
    /// The number of threads: the product of the sizes; `usize::MAX` if that is larger.
    pub fn threads(&self) -> usize {
        self.as_slice().iter().fold(1, |n, &s| n.saturating_mul(s))
    }
}

impl fmt::Debug for Dims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

impl fmt::Display for Dims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, size) in self.as_slice().iter().enumerate() {
            if i > 0 {
                f.write_str(" × ")?;
            }
            size.fmt(f)?;
        }
        Ok(())
    }
}

impl From<usize> for Dims {
    fn from(n: usize) -> Self {
        Dims { sizes: [n, 1, 1, 1], rank: 1 }
    }
}
macro_rules! dims_from_arrays {
    ($($n:literal)*) => { $(
        impl From<[usize; $n]> for Dims {
            fn from(sizes: [usize; $n]) -> Self {
                let mut all = [1; 4];
                all[..$n].copy_from_slice(&sizes);
                Dims { sizes: all, rank: $n }
            }
        }
    )* };
}
dims_from_arrays!(1 2 3 4);
impl From<(usize, usize)> for Dims {
    fn from((a, b): (usize, usize)) -> Self {
        [a, b].into()
    }
}
impl From<(usize, usize, usize)> for Dims {
    fn from((a, b, c): (usize, usize, usize)) -> Self {
        [a, b, c].into()
    }
}
impl From<(usize, usize, usize, usize)> for Dims {
    fn from((a, b, c, d): (usize, usize, usize, usize)) -> Self {
        [a, b, c, d].into()
    }
}

/// One argument of a kernel, for one of its IR parameters.
#[derive(Clone)]
pub enum ArgValue {
    /// A scalar, and so its type.
    Scalar(Constant),
    /// An array, as the runtime knows it.
    Array(Arc<dyn Any + Send + Sync>),
}

impl fmt::Debug for ArgValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArgValue::Scalar(c) => write!(f, "{c:?}"),
            ArgValue::Array(_) => f.write_str("array"),
        }
    }
}

/// The arguments of a call, in the order of the kernel's IR parameters.
#[derive(Clone, Debug, Default)]
pub struct Args(Vec<ArgValue>);

impl Args {
    /// None yet, with room for `count`.
    pub fn with_capacity(count: usize) -> Self {
        Args(Vec::with_capacity(count))
    }
    /// All of them.
    pub fn as_slice(&self) -> &[ArgValue] {
        &self.0
    }
    /// Appends one.
    pub fn push(&mut self, arg: ArgValue) {
        self.0.push(arg);
    }
    /// Appends the scalars of a value.
    #[doc(hidden)]
    pub fn value<T: KernelType>(&mut self, value: T) {
        value.push(self);
    }
    /// Appends what is `T` inside the kernel: an array, or a struct that holds arrays.
    #[doc(hidden)]
    pub fn array<T, A: KernelArg<Traced = T>>(&mut self, array: &A) {
        array.pass(self);
    }
}

/// A kernel, the sizes of a launch, and the arguments.
#[derive(Clone, Debug)]
pub struct Call {
    /// The kernel.
    pub kernel: Arc<KernelHandle>,
    /// The sizes of the launch.
    pub dims: Dims,
    /// The arguments, one for each IR parameter.
    pub args: Args,
}

impl Call {
    /// The call of a kernel.
    pub fn new(kernel: Arc<KernelHandle>, dims: impl Into<Dims>, args: Args) -> Self {
        Call { kernel, dims: dims.into(), args }
    }
}
