//! `Model`: what does not change in time.

use crate::builder::Ground;
use crate::control::Control;
use crate::state::{Initial, State};
use pullback_lang::{Real, Vec3};
use pullback_runtime::{Array, Device};

/// What does not change in time: masses, stiffnesses, shapes, and who acts on whom. Made by
/// [`ModelBuilder::build`](crate::ModelBuilder::build).
///
/// Its arrays may be written between runs, and gradients taken with respect to them; its plain fields
/// are constants of the kernels.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Model<R: Real> {
    /// Uniform gravity, m/s², on all particles and bodies that are not fixed.
    pub gravity: Vec3<R>,
    /// Point masses.
    pub particles: Particles<R>,
    /// Gravitation between particles.
    pub gravitation: Gravitation<R>,
    /// Springs between particles.
    pub springs: Springs<R>,
    /// Rigid bodies.
    pub bodies: Bodies<R>,
    /// Springs between points of bodies.
    pub body_springs: BodySprings<R>,
    /// The plane that bodies touch, if there is one.
    pub ground: Option<Ground<R>>,
    pub(crate) device: Device,
    pub(crate) initial: Initial<R>,
    /// Some particle was built with drag, or some spring with damping.
    pub(crate) velocity_forces: bool,
}

/// Properties of particles.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Particles<R: Real> {
    /// \[particles\] Mass, kg; +∞ for one that is fixed.
    pub mass: Array<R>,
    /// \[particles\] Coefficient of the drag -c v, kg/s.
    pub linear_drag: Array<R>,
    /// \[particles\] Coefficient of the drag -c |v| v, kg/m.
    pub quadratic_drag: Array<R>,
}

/// Gravitation: each attractor k pulls every other particle i, at a distance r along the unit vector
/// u, by the acceleration gmₖ r u / (r² + ε²)^{3/2}: Newton's law, softened as by H. C. Plummer (1911).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Gravitation<R: Real> {
    /// \[attractors\] Gravitational parameter G·m, m³/s².
    pub gm: Array<R>,
    /// \[attractors\] Which particle it is.
    pub particle: Array<i32>,
    /// The length ε, m, below which attraction weakens; 0 for Newton's law.
    pub softening: R,
}

/// Springs between particles: the force on one end, at a distance l along the unit vector u towards
/// the other end, is (k (l - l₀) + c dl/dt) u. At l = 0 the direction u is taken as 0, with derivative
/// 0, so that a spring of rest length 0 is linear everywhere.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Springs<R: Real> {
    /// \[springs\] Stiffness k, N/m.
    pub stiffness: Array<R>,
    /// \[springs\] Damping c, N·s/m.
    pub damping: Array<R>,
    /// \[springs\] Rest length l₀, m.
    pub rest_length: Array<R>,
    /// \[particles + 1\] Where in `neighbour` and `spring` the entries of each particle begin.
    pub(crate) first: Array<i32>,
    /// \[2 springs\] The particle at the other end.
    pub(crate) neighbour: Array<i32>,
    /// \[2 springs\] The number of the spring.
    pub(crate) spring: Array<i32>,
    /// \[particles\] Zeros: the springs' force where there are no springs.
    pub(crate) no_force: Array<Vec3<R>>,
}

/// Properties of rigid bodies. A body's own axes are its principal axes of inertia, their origin its
/// centre of mass.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Bodies<R: Real> {
    /// \[bodies\] Mass, kg; +∞ for one that is fixed.
    pub mass: Array<R>,
    /// \[bodies\] Principal moments of inertia, kg·m², about the body's axes.
    pub inertia: Array<Vec3<R>>,
    /// \[bodies\] Stiffness k of a contact point with the ground, N/m^{3/2}; see [`Contact`](crate::Contact).
    pub stiffness: Array<R>,
    /// \[bodies\] Dissipation c of a contact, s/m.
    pub dissipation: Array<R>,
    /// \[bodies\] Coefficient of friction μ with the ground.
    pub friction: Array<R>,
    /// Where bodies can touch the ground.
    pub points: ContactPoints<R>,
}

/// Where bodies can touch the ground: a sphere has one point, its centre, with its radius; a box its
/// eight corners, with radius 0.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ContactPoints<R: Real> {
    /// \[points\] Position in the body's axes, m; those of a body stand together, in the bodies' order.
    pub position: Array<Vec3<R>>,
    /// \[points\] Radius of the ball around the point, m.
    pub radius: Array<R>,
    /// \[bodies + 1\] Where in `position` the points of each body begin.
    pub first: Array<i32>,
}

/// Springs between points of bodies, or of a body and the world; the force is that of [`Springs`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BodySprings<R: Real> {
    /// \[springs\] Stiffness k, N/m.
    pub stiffness: Array<R>,
    /// \[springs\] Damping c, N·s/m.
    pub damping: Array<R>,
    /// \[springs\] Rest length l₀, m.
    pub rest_length: Array<R>,
    /// \[2 springs\] Where the ends are fixed, m: spring s has the ends 2s and 2s + 1; in the axes of
    /// the body, or of the world.
    pub anchor: Array<Vec3<R>>,
    /// \[2 springs\] The body of each end, -1 for the world.
    pub(crate) body: Array<i32>,
    /// \[bodies + 1\] Where in `end` the entries of each body begin.
    pub(crate) first: Array<i32>,
    /// \[ends at bodies\] The end.
    pub(crate) end: Array<i32>,
}

impl<R: Real> Model<R> {
    /// A new state, as the builder was told that it begins.
    pub fn state(&self) -> State<R> {
        State::new(&self.device, &self.initial)
    }

    /// A new control, all zero.
    pub fn control(&self) -> Control<R> {
        Control::zeros(&self.device, self.particles.mass.len(), self.bodies.mass.len())
    }

    /// Where its arrays live.
    pub fn device(&self) -> &Device {
        &self.device
    }
}
