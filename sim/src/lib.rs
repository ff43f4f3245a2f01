//! Models, and steppers that carry their state through time, for particles and rigid bodies.
//!
//! A [`ModelBuilder`] makes a [`Model`], which holds what does not change in time; a [`State`] holds
//! what does, and a [`Control`] what acts from outside. A [`Stepper`] advances a state by kernels
//! alone, launched through any [`Launch`](pullback_runtime::Launch): on a stream it runs, on a tape it
//! is recorded and can be differentiated with respect to every array of model, state and control.
//!
//! | module | holds |
//! |---|---|
//! | `builder` | [`ModelBuilder`] and its checks |
//! | `model`, `state`, `control` | what the builder makes |
//! | `particles` | forces on particles, as kernels |
//! | `bodies` | forces on rigid bodies and their motion, as kernels |
//! | `stepper` | [`Leapfrog`], [`SemiImplicitEuler`] |
//!
//! Units are SI (any consistent set will do), axes right-handed, quaternions (x, y, z, w); all is
//! generic over `f32` and `f64`. Nothing is computed on the host inside a step.
//!
//! ```
//! use pullback_lang::vec3;
//! use pullback_runtime::{Device, Stream};
//! use pullback_sim::{ModelBuilder, Particle, SemiImplicitEuler, Stepper};
//!
//! let device = Device::cpu();
//! let mut builder = ModelBuilder::<f64>::new();
//! builder.gravity(vec3(0.0, 0.0, -9.81));
//! builder.particle(Particle::new(vec3(0.0, 0.0, 2.0), 1.0));
//! let model = builder.build(&device)?;
//! let (mut state, control) = (model.state(), model.control());
//!
//! let mut stream = Stream::new(&device);
//! SemiImplicitEuler.advance(&mut stream, &model, &mut state, &control, 1e-3, 100)?;
//! assert!((state.particles.velocity.to_vec()?[0].z + 0.981).abs() < 1e-12);
//! # Ok::<(), pullback_sim::Error>(())
//! ```
#![forbid(unsafe_code)]

mod bodies;
mod builder;
mod control;
mod error;
mod model;
mod particles;
mod state;
mod stepper;

pub use builder::{
    Anchor, Body, BodyId, BodySpring, Contact, Ground, ModelBuilder, Particle, ParticleId, Shape, Spring,
};
pub use control::Control;
pub use error::Error;
pub use model::{Bodies, BodySprings, ContactPoints, Gravitation, Model, Particles, Springs};
pub use state::{BodyState, ParticleState, State};
pub use stepper::{Leapfrog, SemiImplicitEuler, Stepper};
