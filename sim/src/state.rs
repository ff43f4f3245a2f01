//! `State`: what changes in time.

use crate::error::Error;
use pullback_lang::{Quat, Real, Vec3};
use pullback_runtime::{Array, Device, Launch};

/// What changes in time. Made by [`Model::state`](crate::Model::state). A clone shares the arrays;
/// [`State::duplicate`] copies them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct State<R: Real> {
    /// Of the particles.
    pub particles: ParticleState<R>,
    /// Of the bodies.
    pub bodies: BodyState<R>,
}

/// The state of particles.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ParticleState<R: Real> {
    /// \[particles\] Position, m.
    pub position: Array<Vec3<R>>,
    /// \[particles\] Velocity, m/s.
    pub velocity: Array<Vec3<R>>,
    /// \[particles\] The springs' force, N, as last computed inside a step.
    pub spring_force: Array<Vec3<R>>,
}

/// The state of rigid bodies.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BodyState<R: Real> {
    /// \[bodies\] Position of the centre of mass, m.
    pub position: Array<Vec3<R>>,
    /// \[bodies\] Orientation: the unit quaternion (x, y, z, w) that rotates body axes to world axes.
    pub orientation: Array<Quat<R>>,
    /// \[bodies\] Velocity of the centre of mass, m/s.
    pub velocity: Array<Vec3<R>>,
    /// \[bodies\] Angular velocity, rad/s, world axes.
    pub angular_velocity: Array<Vec3<R>>,
    /// \[bodies\] Force of control, springs and ground, N, as last computed inside a step.
    pub force: Array<Vec3<R>>,
    /// \[bodies\] Their torque about the centre of mass, N·m, world axes, as last computed inside a step.
    pub torque: Array<Vec3<R>>,
}

/// Initial values, on the host.
#[derive(Clone, Debug)]
pub(crate) struct Initial<R> {
    pub(crate) particle_position: Vec<Vec3<R>>,
    pub(crate) particle_velocity: Vec<Vec3<R>>,
    pub(crate) body_position: Vec<Vec3<R>>,
    pub(crate) body_orientation: Vec<Quat<R>>,
    pub(crate) body_velocity: Vec<Vec3<R>>,
    pub(crate) body_angular_velocity: Vec<Vec3<R>>,
}

impl<R: Real> State<R> {
    pub(crate) fn new(device: &Device, initial: &Initial<R>) -> Self {
        let (particles, bodies) = (initial.particle_position.len(), initial.body_position.len());
        State {
            particles: ParticleState {
                position: Array::from_slice(device, &initial.particle_position),
                velocity: Array::from_slice(device, &initial.particle_velocity),
                spring_force: Array::zeros(device, [particles]),
            },
            bodies: BodyState {
                position: Array::from_slice(device, &initial.body_position),
                orientation: Array::from_slice(device, &initial.body_orientation),
                velocity: Array::from_slice(device, &initial.body_velocity),
                angular_velocity: Array::from_slice(device, &initial.body_angular_velocity),
                force: Array::zeros(device, [bodies]),
                torque: Array::zeros(device, [bodies]),
            },
        }
    }

    /// A state of its own with the same values.
    ///
    /// # Errors
    /// As for [`Array::duplicate`].
    pub fn duplicate(&self) -> Result<Self, Error> {
        let (p, b) = (&self.particles, &self.bodies);
        Ok(State {
            particles: ParticleState {
                position: p.position.duplicate()?,
                velocity: p.velocity.duplicate()?,
                spring_force: p.spring_force.duplicate()?,
            },
            bodies: BodyState {
                position: b.position.duplicate()?,
                orientation: b.orientation.duplicate()?,
                velocity: b.velocity.duplicate()?,
                angular_velocity: b.angular_velocity.duplicate()?,
                force: b.force.duplicate()?,
                torque: b.torque.duplicate()?,
            },
        })
    }

    /// Copies positions and velocities to another state, on the device (and on the tape, if `launch`
    /// is one). The forces are left: they are what the last step computed.
    ///
    /// # Errors
    /// As for [`Launch::copy`].
    pub fn copy_to(&self, launch: &mut impl Launch, to: &mut State<R>) -> Result<(), Error> {
        let (from, to_p) = (&self.particles, &mut to.particles);
        if !from.position.is_empty() {
            launch.copy(&from.position, &mut to_p.position)?;
            launch.copy(&from.velocity, &mut to_p.velocity)?;
        }
        let (from, to_b) = (&self.bodies, &mut to.bodies);
        if !from.position.is_empty() {
            launch.copy(&from.position, &mut to_b.position)?;
            launch.copy(&from.orientation, &mut to_b.orientation)?;
            launch.copy(&from.velocity, &mut to_b.velocity)?;
            launch.copy(&from.angular_velocity, &mut to_b.angular_velocity)?;
        }
        Ok(())
    }
}
