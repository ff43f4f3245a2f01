//! Rigid bodies: what acts on them and how they move, as kernels.
//!
//! A body is one thread; it gathers the forces on it and writes only its own elements.

mod ground;
mod integrate;
mod loads;

pub(crate) use integrate::move_bodies;
pub(crate) use loads::body_loads;
