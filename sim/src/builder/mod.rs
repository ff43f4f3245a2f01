//! `ModelBuilder`: collects items, checks them, and lays them out in arrays.

mod check;
mod items;
mod layout;

pub use items::{Anchor, Body, BodyId, BodySpring, Contact, Ground, Particle, ParticleId, Shape, Spring};

use crate::error::Error;
use crate::model::Model;
use pullback_lang::{Real, Vec3};
use pullback_runtime::Device;

/// Newton's constant of gravitation, m³/(kg·s²): CODATA 2018.
const NEWTON: f64 = 6.674_30e-11;

/// Collects what a [`Model`] is made of. Nothing is checked before [`ModelBuilder::build`].
///
/// ```
/// use pullback_lang::vec3;
/// use pullback_sim::{ModelBuilder, Particle, Spring};
///
/// let mut builder = ModelBuilder::<f32>::new();
/// builder.gravity(vec3(0.0, 0.0, -9.81));
/// let hook = builder.particle(Particle::new(vec3(0.0, 0.0, 1.0), 1.0).fixed());
/// let bob = builder.particle(Particle::new(vec3(0.0, 0.0, 0.0), 0.2));
/// builder.spring(Spring { ends: (hook, bob), stiffness: 50.0, damping: 0.1, rest_length: 1.0 });
/// ```
#[derive(Clone, Debug)]
pub struct ModelBuilder<R: Real> {
    pub(crate) gravity: Vec3<R>,
    pub(crate) gravitational_constant: R,
    pub(crate) softening: R,
    pub(crate) ground: Option<Ground<R>>,
    pub(crate) particles: Vec<Particle<R>>,
    pub(crate) springs: Vec<Spring<R>>,
    pub(crate) bodies: Vec<Body<R>>,
    pub(crate) body_springs: Vec<BodySpring<R>>,
}

impl<R: Real> Default for ModelBuilder<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Real> ModelBuilder<R> {
    /// Nothing yet: no gravity, no ground, no particles, no bodies.
    pub fn new() -> Self {
        ModelBuilder {
            gravity: Vec3::zeros(),
            gravitational_constant: R::lit(NEWTON),
            softening: R::lit(0.0),
            ground: None,
            particles: Vec::new(),
            springs: Vec::new(),
            bodies: Vec::new(),
            body_springs: Vec::new(),
        }
    }

    /// Sets uniform gravity, m/s².
    pub fn gravity(&mut self, acceleration: Vec3<R>) -> &mut Self {
        self.gravity = acceleration;
        self
    }

    /// Sets the constant G, m³/(kg·s²), by which masses of attracting particles become their gm. It is
    /// Newton's constant in SI units unless set.
    pub fn gravitational_constant(&mut self, g: R) -> &mut Self {
        self.gravitational_constant = g;
        self
    }

    /// Sets the softening length of gravitation, m; see [`Gravitation`](crate::Gravitation).
    pub fn softening(&mut self, length: R) -> &mut Self {
        self.softening = length;
        self
    }

    /// Sets the plane that bodies touch.
    pub fn ground(&mut self, ground: Ground<R>) -> &mut Self {
        self.ground = Some(ground);
        self
    }

    /// Adds a particle; its index in the model's arrays is that of the id.
    pub fn particle(&mut self, particle: Particle<R>) -> ParticleId {
        self.particles.push(particle);
        ParticleId(self.particles.len() - 1)
    }

    /// Adds a spring between two particles; its index in the model's arrays counts springs from 0.
    pub fn spring(&mut self, spring: Spring<R>) -> &mut Self {
        self.springs.push(spring);
        self
    }

    /// Adds a rigid body; its index in the model's arrays is that of the id.
    pub fn body(&mut self, body: Body<R>) -> BodyId {
        self.bodies.push(body);
        BodyId(self.bodies.len() - 1)
    }

    /// Adds a spring between points of two bodies, or of a body and the world; its index in the model's
    /// arrays counts these springs from 0.
    pub fn body_spring(&mut self, spring: BodySpring<R>) -> &mut Self {
        self.body_springs.push(spring);
        self
    }

    /// Checks everything and makes the model on a device.
    ///
    /// # Errors
    /// What no model can have, naming the item and its field: numbers that are not finite, masses that
    /// are not positive, impossible inertia, negative stiffness or length, springs to what does not exist.
    pub fn build(&self, device: &Device) -> Result<Model<R>, Error> {
        check::check(self)?;
        Ok(layout::model(self, device))
    }
}
