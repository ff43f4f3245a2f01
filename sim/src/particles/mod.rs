//! Forces on particles and their motion, as kernels: one file a force.
//!
//! Each particle is one thread and gathers what acts on it: a thread writes only its own elements, so
//! launches run in parallel and give the same bits every time.

mod gravitation;
mod motion;
mod springs;

pub(crate) use motion::{drift, kick, kick_attracted};
pub(crate) use springs::{pull, spring_forces};
