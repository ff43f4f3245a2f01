//! What no model can have.

use super::{Anchor, Body, Ground, ModelBuilder, Particle, Shape};
use crate::error::Error;
use pullback_lang::{Quat, Real, Vec3};

/// Checks everything; the first thing that is wrong.
pub(super) fn check<R: Real>(b: &ModelBuilder<R>) -> Result<(), Error> {
    let world = Item::new("model", None);
    world.finite_vec("gravity", b.gravity)?;
    world.positive("gravitational_constant", b.gravitational_constant)?;
    world.not_negative("softening", b.softening)?;
    if let Some(ground) = &b.ground {
        check_ground(ground)?;
    }
    let kinds = [
        ("particles", b.particles.len(), 1),
        ("springs", b.springs.len(), 2),
        ("bodies", b.bodies.len(), 8),
        ("body springs", b.body_springs.len(), 2),
    ];
    for (kind, count, entries) in kinds {
        if count > (i32::MAX / entries) as usize {
            return Err(Error::TooMany { kind, count });
        }
    }
    for (i, particle) in b.particles.iter().enumerate() {
        check_particle(&Item::new("particle", Some(i)), particle)?;
    }
    for (i, spring) in b.springs.iter().enumerate() {
        let item = Item::new("spring", Some(i));
        item.spring(spring.stiffness, spring.damping, spring.rest_length)?;
        let (first, second) = (spring.ends.0.0, spring.ends.1.0);
        item.exists("particle", first, b.particles.len())?;
        item.exists("particle", second, b.particles.len())?;
        if first == second {
            return Err(Error::SameEnds { item: item.name(), end: format!("particle {first}") });
        }
    }
    for (i, body) in b.bodies.iter().enumerate() {
        check_body(&Item::new("body", Some(i)), body)?;
    }
    for (i, spring) in b.body_springs.iter().enumerate() {
        let item = Item::new("body spring", Some(i));
        item.spring(spring.stiffness, spring.damping, spring.rest_length)?;
        let first = check_anchor(&item, &spring.ends.0, b.bodies.len())?;
        let second = check_anchor(&item, &spring.ends.1, b.bodies.len())?;
        if first == second {
            let end = first.map_or_else(|| "the world".to_owned(), |body| format!("body {body}"));
            return Err(Error::SameEnds { item: item.name(), end });
        }
    }
    Ok(())
}

fn check_ground<R: Real>(ground: &Ground<R>) -> Result<(), Error> {
    let item = Item::new("ground", None);
    item.direction("normal", ground.normal.to_array())?;
    item.finite("height", ground.height)?;
    item.positive("slip_speed", ground.slip_speed)
}

fn check_particle<R: Real>(item: &Item, p: &Particle<R>) -> Result<(), Error> {
    item.finite_vec("position", p.position)?;
    item.finite_vec("velocity", p.velocity)?;
    if let Some(mass) = p.mass {
        item.positive("mass", mass)?;
    }
    if let Some(gm) = p.gm {
        // One whose mass comes from gm must have some.
        if p.mass.is_none() && !p.fixed { item.positive("gm", gm)? } else { item.finite("gm", gm)? }
    }
    item.not_negative("linear_drag", p.linear_drag)?;
    item.not_negative("quadratic_drag", p.quadratic_drag)?;
    item.still_if_fixed(p.fixed, &p.velocity.to_array())
}

fn check_body<R: Real>(item: &Item, b: &Body<R>) -> Result<(), Error> {
    item.positive("mass", b.mass)?;
    for moment in b.inertia.to_array() {
        item.finite("inertia", moment)?;
    }
    let moments = b.inertia.to_array().map(Real::to_f64);
    let [x, y, z] = moments;
    // Flat and thin bodies reach equality; leave room for the rounding of their moments.
    let room = 1.0 + 1e-5;
    let possible = x > 0.0 && y > 0.0 && z > 0.0 && x <= (y + z) * room && y <= (z + x) * room && z <= (x + y) * room;
    if !possible {
        return Err(Error::Inertia { item: item.name(), moments });
    }
    match b.shape {
        None => {}
        Some(Shape::Sphere(radius)) => item.positive("radius", radius)?,
        Some(Shape::Box(half)) => half.to_array().into_iter().try_for_each(|h| item.positive("half extent", h))?,
    }
    item.not_negative("contact stiffness", b.contact.stiffness)?;
    item.not_negative("contact dissipation", b.contact.dissipation)?;
    item.not_negative("contact friction", b.contact.friction)?;
    item.finite_vec("position", b.position)?;
    item.direction("orientation", b.orientation.to_array())?;
    item.finite_vec("velocity", b.velocity)?;
    item.finite_vec("angular_velocity", b.angular_velocity)?;
    item.still_if_fixed(b.fixed, &b.velocity.to_array())?;
    item.still_if_fixed(b.fixed, &b.angular_velocity.to_array())
}

/// Checks an end of a spring; its body.
fn check_anchor<R: Real>(item: &Item, anchor: &Anchor<R>, bodies: usize) -> Result<Option<usize>, Error> {
    match *anchor {
        Anchor::World(point) => item.finite_vec("anchor", point).map(|()| None),
        Anchor::Body(body, point) => {
            item.finite_vec("anchor", point)?;
            item.exists("body", body.0, bodies)?;
            Ok(Some(body.0))
        }
    }
}

/// Names an item in errors.
struct Item {
    kind: &'static str,
    index: Option<usize>,
}

impl Item {
    fn new(kind: &'static str, index: Option<usize>) -> Self {
        Item { kind, index }
    }

    fn name(&self) -> String {
        match self.index {
            Some(index) => format!("{} {index}", self.kind),
            None => self.kind.to_owned(),
        }
    }

    fn finite<R: Real>(&self, field: &'static str, value: R) -> Result<(), Error> {
        let value = value.to_f64();
        if value.is_finite() { Ok(()) } else { Err(Error::NotFinite { item: self.name(), field, value }) }
    }

    fn finite_vec<R: Real>(&self, field: &'static str, value: Vec3<R>) -> Result<(), Error> {
        value.to_array().into_iter().try_for_each(|component| self.finite(field, component))
    }

    fn positive<R: Real>(&self, field: &'static str, value: R) -> Result<(), Error> {
        self.finite(field, value)?;
        let value = value.to_f64();
        if value > 0.0 { Ok(()) } else { Err(Error::NotPositive { item: self.name(), field, value }) }
    }

    fn not_negative<R: Real>(&self, field: &'static str, value: R) -> Result<(), Error> {
        self.finite(field, value)?;
        let value = value.to_f64();
        if value >= 0.0 { Ok(()) } else { Err(Error::Negative { item: self.name(), field, value }) }
    }

    /// Neither 0 nor so small or large that its square is out of range.
    fn direction<R: Real, const N: usize>(&self, field: &'static str, value: [R; N]) -> Result<(), Error> {
        for component in value {
            self.finite(field, component)?;
        }
        let square = value.into_iter().map(|c| c.to_f64() * c.to_f64()).sum::<f64>();
        if square > 1e-30 { Ok(()) } else { Err(Error::NoDirection { item: self.name(), field }) }
    }

    fn spring<R: Real>(&self, stiffness: R, damping: R, rest_length: R) -> Result<(), Error> {
        self.not_negative("stiffness", stiffness)?;
        self.not_negative("damping", damping)?;
        self.not_negative("rest_length", rest_length)
    }

    fn exists(&self, kind: &'static str, index: usize, count: usize) -> Result<(), Error> {
        if index < count { Ok(()) } else { Err(Error::Unknown { item: self.name(), kind, index, count }) }
    }

    fn still_if_fixed<R: Real>(&self, fixed: bool, velocity: &[R]) -> Result<(), Error> {
        match fixed && velocity.iter().any(|v| v.to_f64() != 0.0) {
            true => Err(Error::FixedMoves { item: self.name() }),
            false => Ok(()),
        }
    }
}

/// A unit quaternion, from one that `check` has let through.
pub(super) fn unit<R: Real>(q: Quat<R>) -> Quat<R> {
    let [x, y, z, w] = q.to_array().map(Real::to_f64);
    let length = (x * x + y * y + z * z + w * w).sqrt();
    Quat::from_array([x, y, z, w].map(|c| R::lit(c / length)))
}

/// A unit vector, from one that `check` has let through.
pub(super) fn unit_vec<R: Real>(v: Vec3<R>) -> Vec3<R> {
    let [x, y, z] = v.to_array().map(Real::to_f64);
    let length = (x * x + y * y + z * z).sqrt();
    Vec3::from_array([x, y, z].map(|c| R::lit(c / length)))
}
