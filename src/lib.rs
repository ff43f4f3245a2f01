//! Pullback: a simulation engine with exact gradients.
//!
//! Kernels are plain Rust functions under [`macro@kernel`]; a [`Stream`] runs them over [`Array`]s, and a
//! [`Tape`] also records them and carries gradients back. This crate re-exports what users need;
//! `use pullback::prelude::*` brings it in.
//!
//! | module | holds |
//! |---|---|
//! | [`lang`] | what kernels are written in: scalars, vectors, matrices, quaternions, every builtin |
//! | [`runtime`] | devices, arrays, streams, the tape |
//! | [`sim`] | models and steppers of particles and rigid bodies |
//! | [`optim`] | optimisers |
//!
//! ```
//! use pullback::prelude::*;
//!
//! #[kernel]
//! fn spring(pos: &mut Array<f64>, vel: &mut Array<f64>, stiffness: &Array<f64>, dt: f64) {
//!     let i = thread_id();
//!     vel[i] -= stiffness[i] * pos[i] * dt;
//!     pos[i] += vel[i] * dt;
//! }
//!
//! let device = Device::cpu();
//! let mut pos = Array::from_slice(&device, &[1.0]);
//! let mut vel = Array::zeros(&device, [1]);
//! let stiffness = Array::from_slice(&device, &[4.0]);
//!
//! let mut tape = Tape::new(&device);
//! for _ in 0..100 {
//!     tape.launch(&spring(1, &mut pos, &mut vel, &stiffness, 0.01))?;
//! }
//! tape.backward(&pos)?;
//! // The position after one second is about cos(√k): its derivative is -sin(√k) / (2 √k).
//! let slope = tape.grad(&stiffness)?.to_vec()?[0];
//! assert!((slope + 2.0f64.sin() / 4.0).abs() < 0.01);
//! # Ok::<(), pullback::Error>(())
//! ```
#![forbid(unsafe_code)]

pub use pullback_lang as lang;
pub use pullback_lang::{KernelEnum, KernelStruct, func, kernel};
pub use pullback_optim as optim;
pub use pullback_runtime as runtime;
pub use pullback_runtime::{Array, ArrayMemory, Device, Error, Inputs, Launch, Stream, Tape, TapeMemory};
pub use pullback_runtime::{adjoint_text, cache, gauss_newton_product, grad, hvp, jacobian, jvp, value_and_grad, vjp};
pub use pullback_sim as sim;

/// Everything that a program with kernels, models and optimisers uses.
pub mod prelude {
    pub use pullback_lang::prelude::*;
    pub use pullback_lang::{Call, Dims};
    pub use pullback_optim::{Adam, Bfgs, Criteria, GradientDescent, Optimizer, Report, Seed, minimise};
    pub use pullback_runtime::{Array, Device, Launch, Stream, Tape};
    pub use pullback_sim::{
        Anchor, Body, BodySpring, Contact, Control, Ground, Leapfrog, Model, ModelBuilder, Particle, SemiImplicitEuler,
        Shape, Spring, State, Stepper,
    };
}

/// The page of the language, compiled and run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/language.md")]
struct Language;

/// The README's code is compiled and run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
