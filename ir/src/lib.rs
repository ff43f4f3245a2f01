//! The SSA intermediate representation of Pullback kernels.
//!
//! A kernel is a list of parameters and one body [region](RegionData). A region is a straight list of
//! ops that ends in a `yield`; control flow is ops that hold regions (`if`, `for`, `while`), so there
//! are no basic blocks, no phis and no mutable variables. Every SSA value is a scalar; vectors and
//! matrices are the front end's, which makes them of scalars. In text form:
//!
//! ```text
//! kernel energy(x: read [f64; 1], energy: readwrite [f64; 1]) {
//!   v0: i64 = thread_id 0
//!   v1: f64 = load x[v0]
//!   v2: f64 = mul v1, v1
//!   v3: i64 = const 0
//!   v4: f64 = atomic_add energy[v3], v2
//! }
//! ```
//!
//! **Scope.** A value may be used by later ops of its region and inside their regions, and nowhere
//! else. **Effects.** Only loads, stores, atomics and the stack and residual ops touch memory; all
//! others are pure. **Threads** behave as if they ran one after the other, in ascending linear order
//! (last axis fastest) unless the kernel says otherwise.
#![forbid(unsafe_code)]

pub mod access;
mod builder;
mod entity;
pub mod interp;
mod kernel;
mod loc;
pub mod math;
pub mod ops;
pub mod pass;
pub mod show;
mod text;
mod types;
mod verify;
pub use verify::{Verified, VerifyError, VerifyErrors, verify};

pub use builder::Builder;
pub use entity::{EntityVec, Handle, Op, RegionId, SecondaryMap, Value};
pub use kernel::{Check, Kernel, OpData, OpKind, Order, Param, ParamKind, RegionData, ValueData, ValueDef};
pub use loc::{Loc, Located};
pub use ops::{AtomicOp, BoolOp, Compare, FloatOp, IntOp};
pub use text::{ParseError, parse};
pub use types::{Access, Component, Constant, Element, Scalar};
