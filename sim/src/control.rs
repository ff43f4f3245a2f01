//! `Control`: what acts on a model from outside.

use pullback_lang::{Real, Vec3};
use pullback_runtime::{Array, Device};

/// Forces and torques from outside, held constant during a step. Made by
/// [`Model::control`](crate::Model::control), all zero; a field may be replaced by a view of a larger
/// array, as one row of a table of controls.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Control<R: Real> {
    /// \[particles\] Force on a particle, N, world axes.
    pub particle_force: Array<Vec3<R>>,
    /// \[bodies\] Force at a body's centre of mass, N, world axes.
    pub body_force: Array<Vec3<R>>,
    /// \[bodies\] Torque on a body, N·m, world axes.
    pub body_torque: Array<Vec3<R>>,
}

impl<R: Real> Control<R> {
    pub(crate) fn zeros(device: &Device, particles: usize, bodies: usize) -> Self {
        Control {
            particle_force: Array::zeros(device, [particles]),
            body_force: Array::zeros(device, [bodies]),
            body_torque: Array::zeros(device, [bodies]),
        }
    }
}
