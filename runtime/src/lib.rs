//! Devices, arrays, launches and the gradient tape.
//!
//! An [`Array`] lives on a [`Device`]; a kernel's [`Call`](pullback_lang::Call) is launched on a [`Stream`], which
//! runs it, or on a [`Tape`], which also records it so that [`Tape::backward`] can carry cotangents
//! back. Code that works on either takes `&mut impl Launch`.
//!
//! Everything that touches the memory of arrays does so while it holds the lock of their device, so
//! host threads may share arrays and streams without races. On the CPU a launch has run when
//! [`Launch::launch`] returns, and faults inside the kernel are its errors.

mod array;
mod derivatives;
mod device;
mod error;
mod inspect;
mod interop;
mod launch;
mod memory;
mod print;
mod program;
mod run;
mod stream;
mod sums;
mod tape;
mod view;

pub use array::Array;
pub use derivatives::{Inputs, gauss_newton_product, grad, hvp, jacobian, jvp, value_and_grad, vjp};
pub use device::Device;
pub use error::Error;
pub use inspect::adjoint_text;
pub use launch::Launch;
pub use print::set_printer;
pub use pullback_codegen::cache;
pub use stream::Stream;
pub use tape::{ArrayMemory, Tape, TapeMemory};
