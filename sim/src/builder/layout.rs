//! From checked items to arrays.

use super::check::{unit, unit_vec};
use super::{Anchor, Body, Ground, ModelBuilder, Particle, Shape};
use crate::model::{Bodies, BodySprings, ContactPoints, Gravitation, Model, Particles, Springs};
use crate::state::Initial;
use pullback_lang::{ArrayElement, Real, Vec3};
use pullback_runtime::{Array, Device};

/// The model of a builder that `check` has passed; so every index fits an i32.
pub(super) fn model<R: Real>(b: &ModelBuilder<R>, device: &Device) -> Model<R> {
    let initial = Initial {
        particle_position: b.particles.iter().map(|p| p.position).collect(),
        particle_velocity: b.particles.iter().map(|p| p.velocity).collect(),
        body_position: b.bodies.iter().map(|p| p.position).collect(),
        body_orientation: b.bodies.iter().map(|p| unit(p.orientation)).collect(),
        body_velocity: b.bodies.iter().map(|p| p.velocity).collect(),
        body_angular_velocity: b.bodies.iter().map(|p| p.angular_velocity).collect(),
    };
    let dragged = |p: &Particle<R>| p.linear_drag.to_f64() != 0.0 || p.quadratic_drag.to_f64() != 0.0;
    let velocity_forces = b.particles.iter().any(dragged) || b.springs.iter().any(|s| s.damping.to_f64() != 0.0);
    Model {
        gravity: b.gravity,
        particles: particles(b, device),
        gravitation: gravitation(b, device),
        springs: springs(b, device),
        bodies: bodies(b, device),
        body_springs: body_springs(b, device),
        ground: b.ground.map(|ground| Ground { normal: unit_vec(ground.normal), ..ground }),
        device: device.clone(),
        initial,
        velocity_forces,
    }
}

fn array<I, T: ArrayElement>(device: &Device, items: &[I], field: impl Fn(&I) -> T) -> Array<T> {
    Array::from_slice(device, &items.iter().map(field).collect::<Vec<_>>())
}

fn particles<R: Real>(b: &ModelBuilder<R>, device: &Device) -> Particles<R> {
    let mass = |p: &Particle<R>| match (p.fixed, p.mass, p.gm) {
        (false, Some(mass), _) => mass,
        (false, None, Some(gm)) => gm / b.gravitational_constant,
        _ => R::lit(f64::INFINITY),
    };
    Particles {
        mass: array(device, &b.particles, mass),
        linear_drag: array(device, &b.particles, |p| p.linear_drag),
        quadratic_drag: array(device, &b.particles, |p| p.quadratic_drag),
    }
}

fn gravitation<R: Real>(b: &ModelBuilder<R>, device: &Device) -> Gravitation<R> {
    let attractors: Vec<(i32, R)> =
        b.particles.iter().enumerate().filter_map(|(i, p)| p.gm.map(|gm| (i as i32, gm))).collect();
    Gravitation {
        gm: array(device, &attractors, |a| a.1),
        particle: array(device, &attractors, |a| a.0),
        softening: b.softening,
    }
}

fn springs<R: Real>(b: &ModelBuilder<R>, device: &Device) -> Springs<R> {
    let ends = b.springs.iter().map(|s| (Some(s.ends.0.0), Some(s.ends.1.0)));
    let (first, entries) = adjacency(b.particles.len(), ends);
    let neighbour = |&end: &usize| {
        let ends = b.springs[end / 2].ends;
        if end % 2 == 0 { ends.1.0 as i32 } else { ends.0.0 as i32 }
    };
    Springs {
        stiffness: array(device, &b.springs, |s| s.stiffness),
        damping: array(device, &b.springs, |s| s.damping),
        rest_length: array(device, &b.springs, |s| s.rest_length),
        first: Array::from_slice(device, &first),
        neighbour: array(device, &entries, neighbour),
        spring: array(device, &entries, |&end| (end / 2) as i32),
        no_force: Array::zeros(device, [b.particles.len()]),
    }
}

fn bodies<R: Real>(b: &ModelBuilder<R>, device: &Device) -> Bodies<R> {
    let mut first = vec![0];
    let (mut position, mut radius) = (Vec::new(), Vec::new());
    for body in &b.bodies {
        for (point, r) in contact_points(body) {
            position.push(point);
            radius.push(r);
        }
        first.push(position.len() as i32);
    }
    Bodies {
        mass: array(device, &b.bodies, |p| if p.fixed { R::lit(f64::INFINITY) } else { p.mass }),
        inertia: array(device, &b.bodies, |p| p.inertia),
        stiffness: array(device, &b.bodies, |p| p.contact.stiffness),
        dissipation: array(device, &b.bodies, |p| p.contact.dissipation),
        friction: array(device, &b.bodies, |p| p.contact.friction),
        points: ContactPoints {
            position: Array::from_slice(device, &position),
            radius: Array::from_slice(device, &radius),
            first: Array::from_slice(device, &first),
        },
    }
}

/// Where a body can touch the ground: points with their radii.
fn contact_points<R: Real>(body: &Body<R>) -> Vec<(Vec3<R>, R)> {
    match body.shape {
        None => Vec::new(),
        Some(Shape::Sphere(radius)) => vec![(Vec3::zeros(), radius)],
        Some(Shape::Box(half)) => (0..8)
            .map(|corner: u32| {
                let side = |axis: u32| R::lit(if corner >> axis & 1 == 0 { 1.0 } else { -1.0 });
                (half * Vec3::new(side(0), side(1), side(2)), R::lit(0.0))
            })
            .collect(),
    }
}

fn body_springs<R: Real>(b: &ModelBuilder<R>, device: &Device) -> BodySprings<R> {
    let body_of = |anchor: &Anchor<R>| match anchor {
        Anchor::Body(body, _) => Some(body.0),
        Anchor::World(_) => None,
    };
    let ends = b.body_springs.iter().map(|s| (body_of(&s.ends.0), body_of(&s.ends.1)));
    let (first, entries) = adjacency(b.bodies.len(), ends);
    let anchors: Vec<Anchor<R>> = b.body_springs.iter().flat_map(|s| [s.ends.0, s.ends.1]).collect();
    BodySprings {
        stiffness: array(device, &b.body_springs, |s| s.stiffness),
        damping: array(device, &b.body_springs, |s| s.damping),
        rest_length: array(device, &b.body_springs, |s| s.rest_length),
        anchor: array(device, &anchors, |&(Anchor::Body(_, point) | Anchor::World(point))| point),
        body: array(device, &anchors, |anchor| body_of(anchor).map_or(-1, |body| body as i32)),
        first: Array::from_slice(device, &first),
        end: array(device, &entries, |&end| end as i32),
    }
}

/// For each of `count` things, which spring ends are at it: where its entries begin, and the ends, where
/// spring s has the ends 2s and 2s + 1; in the springs' order.
fn adjacency(
    count: usize,
    springs: impl Iterator<Item = (Option<usize>, Option<usize>)> + Clone,
) -> (Vec<i32>, Vec<usize>) {
    let ends = springs.flat_map(|(a, b)| [a, b]).enumerate().filter_map(|(end, at)| Some((end, at?)));
    let mut first = vec![0usize; count + 1];
    for (_, at) in ends.clone() {
        first[at + 1] += 1;
    }
    for i in 0..count {
        first[i + 1] += first[i];
    }
    let mut next = first.clone();
    let mut entries = vec![0; first[count]];
    for (end, at) in ends {
        entries[next[at]] = end;
        next[at] += 1;
    }
    (first.into_iter().map(|i| i as i32).collect(), entries)
}

#[cfg(test)]
mod tests {
    use super::adjacency;

    #[test]
    fn adjacency_lists_ends_by_thing() {
        let springs = [(Some(0), Some(2)), (None, Some(0)), (Some(2), Some(0))];
        let (first, entries) = adjacency(3, springs.into_iter());
        assert_eq!(first, [0, 3, 3, 5]);
        assert_eq!(entries, [0, 3, 5, 1, 4]);
    }

    #[test]
    fn adjacency_of_nothing() {
        assert_eq!(adjacency(0, [].into_iter()), (vec![0], vec![]));
    }
}
