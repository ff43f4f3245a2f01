//! What a model is made of, as users describe it.

use pullback_lang::{Quat, Real, Vec3};

/// A particle's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParticleId(pub(crate) usize);

/// A rigid body's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BodyId(pub(crate) usize);

impl ParticleId {
    /// Its index in arrays over particles.
    pub fn index(self) -> usize {
        self.0
    }
}

impl BodyId {
    /// Its index in arrays over bodies.
    pub fn index(self) -> usize {
        self.0
    }
}

/// A point mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle<R> {
    /// Where it begins, m.
    pub position: Vec3<R>,
    /// How it begins to move, m/s.
    pub velocity: Vec3<R>,
    /// Mass, kg. For one that attracts and whose mass is not given otherwise, `None`: gm / G.
    pub mass: Option<R>,
    /// Gravitational parameter G·m, m³/s², of one that attracts others; `None` for one that does not.
    pub gm: Option<R>,
    /// Coefficient c of the drag -c v, kg/s.
    pub linear_drag: R,
    /// Coefficient c of the drag -c |v| v, kg/m.
    pub quadratic_drag: R,
    /// Whether it stays where it is.
    pub fixed: bool,
}

impl<R: Real> Particle<R> {
    /// A particle at rest, of a mass in kg, that attracts nothing.
    pub fn new(position: Vec3<R>, mass: R) -> Self {
        Particle { mass: Some(mass), gm: None, ..Self::attractor(position, R::lit(0.0)) }
    }

    /// A particle at rest that attracts others, of a gravitational parameter G·m in m³/s².
    pub fn attractor(position: Vec3<R>, gm: R) -> Self {
        let zero = R::lit(0.0);
        Particle {
            position,
            velocity: Vec3::zeros(),
            mass: None,
            gm: Some(gm),
            linear_drag: zero,
            quadratic_drag: zero,
            fixed: false,
        }
    }

    /// The same with a velocity, m/s.
    pub fn velocity(self, velocity: Vec3<R>) -> Self {
        Particle { velocity, ..self }
    }

    /// The same with the drag -(linear + quadratic |v|) v; kg/s and kg/m.
    pub fn drag(self, linear: R, quadratic: R) -> Self {
        Particle { linear_drag: linear, quadratic_drag: quadratic, ..self }
    }

    /// The same, held where it is.
    pub fn fixed(self) -> Self {
        Particle { fixed: true, ..self }
    }
}

/// A spring between two particles; see [`Springs`](crate::Springs) for the force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring<R> {
    /// The particles that it joins.
    pub ends: (ParticleId, ParticleId),
    /// Stiffness, N/m.
    pub stiffness: R,
    /// Damping, N·s/m.
    pub damping: R,
    /// Rest length, m.
    pub rest_length: R,
}

/// The shape of a body, about its centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape<R> {
    /// A ball of a radius, m.
    Sphere(R),
    /// A box of three half extents along the body's axes, m; its corners touch the ground.
    Box(Vec3<R>),
}

/// How a body touches the ground. At each contact point, where it is δ deep in the ground, the force
/// along the normal is k δ^{3/2} max(1 + 3/2 c dδ/dt, 0) (Hunt and Crossley 1975), and friction against
/// the slip velocity s is μ F s / √(|s|² + ε²), with the ground's ε.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact<R> {
    /// Stiffness k, N/m^{3/2}.
    pub stiffness: R,
    /// Dissipation c, s/m: of a small speed v of impact, about 1 - c v is restored.
    pub dissipation: R,
    /// Coefficient of friction μ.
    pub friction: R,
}

impl<R: Real> Default for Contact<R> {
    /// Stiffness 10⁵ N/m^{3/2}, dissipation 0.2 s/m, friction 0.5.
    fn default() -> Self {
        Contact { stiffness: R::lit(1e5), dissipation: R::lit(0.2), friction: R::lit(0.5) }
    }
}

/// A rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body<R> {
    /// Mass, kg.
    pub mass: R,
    /// Principal moments of inertia about the centre of mass, kg·m²; the body's axes are its principal
    /// axes.
    pub inertia: Vec3<R>,
    /// What of it touches the ground, if anything.
    pub shape: Option<Shape<R>>,
    /// How it touches the ground.
    pub contact: Contact<R>,
    /// Where its centre of mass begins, m.
    pub position: Vec3<R>,
    /// Its orientation at the beginning: rotates body axes to world axes; the builder normalises it.
    pub orientation: Quat<R>,
    /// Velocity of its centre of mass at the beginning, m/s.
    pub velocity: Vec3<R>,
    /// Angular velocity at the beginning, rad/s, world axes.
    pub angular_velocity: Vec3<R>,
    /// Whether it stays where it is.
    pub fixed: bool,
}

impl<R: Real> Body<R> {
    /// A body at rest at the origin, without a shape: mass in kg, principal moments in kg·m².
    pub fn new(mass: R, inertia: Vec3<R>) -> Self {
        Body {
            mass,
            inertia,
            shape: None,
            contact: Contact::default(),
            position: Vec3::zeros(),
            orientation: Quat::identity(),
            velocity: Vec3::zeros(),
            angular_velocity: Vec3::zeros(),
            fixed: false,
        }
    }

    /// A solid ball: moments 2/5 m r².
    pub fn sphere(mass: R, radius: R) -> Self {
        let moment = R::lit(0.4) * mass * radius * radius;
        Body { shape: Some(Shape::Sphere(radius)), ..Self::new(mass, Vec3::splat(moment)) }
    }

    /// A solid box of half extents a, b, c: moments m/3 (b² + c²) and so on.
    pub fn cuboid(mass: R, half_extents: Vec3<R>) -> Self {
        let square = half_extents * half_extents;
        let sums = Vec3::new(square.y + square.z, square.z + square.x, square.x + square.y);
        Body { shape: Some(Shape::Box(half_extents)), ..Self::new(mass, sums * (mass / R::lit(3.0))) }
    }

    /// The same at a position, m.
    pub fn position(self, position: Vec3<R>) -> Self {
        Body { position, ..self }
    }

    /// The same with an orientation.
    pub fn orientation(self, orientation: Quat<R>) -> Self {
        Body { orientation, ..self }
    }

    /// The same with a velocity, m/s.
    pub fn velocity(self, velocity: Vec3<R>) -> Self {
        Body { velocity, ..self }
    }

    /// The same with an angular velocity, rad/s, world axes.
    pub fn angular_velocity(self, angular_velocity: Vec3<R>) -> Self {
        Body { angular_velocity, ..self }
    }

    /// The same with another contact.
    pub fn contact(self, contact: Contact<R>) -> Self {
        Body { contact, ..self }
    }

    /// The same, held where it is.
    pub fn fixed(self) -> Self {
        Body { fixed: true, ..self }
    }
}

/// Where an end of a [`BodySpring`] is fixed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor<R> {
    /// At a point of a body, in the body's axes, m from its centre of mass.
    Body(BodyId, Vec3<R>),
    /// At a point of the world, m.
    World(Vec3<R>),
}

/// A spring between points of two bodies, or of a body and the world; see [`Springs`](crate::Springs)
/// for the force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodySpring<R> {
    /// Where its ends are fixed.
    pub ends: (Anchor<R>, Anchor<R>),
    /// Stiffness, N/m.
    pub stiffness: R,
    /// Damping, N·s/m.
    pub damping: R,
    /// Rest length, m.
    pub rest_length: R,
}

/// The half space n · x < height that bodies are kept out of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground<R> {
    /// The direction n away from the ground, of length 1; the builder normalises it.
    pub normal: Vec3<R>,
    /// How far the plane is from the origin along `normal`, m.
    pub height: R,
    /// The slip speed ε, m/s, at which friction reaches 0.7 of Coulomb's law. A step must be shorter than
    /// about ε over the acceleration μ F / m that friction causes.
    pub slip_speed: R,
}

impl<R: Real> Default for Ground<R> {
    /// The plane z = 0, z up; slip speed 0.01 m/s.
    fn default() -> Self {
        let (zero, one) = (R::lit(0.0), R::lit(1.0));
        Ground { normal: Vec3::new(zero, zero, one), height: zero, slip_speed: R::lit(0.01) }
    }
}
