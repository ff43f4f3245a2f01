//! The launches that steps are made of.

use crate::bodies::{body_loads, move_bodies};
use crate::control::Control;
use crate::error::Error;
use crate::model::Model;
use crate::particles::{drift, kick, kick_attracted, spring_forces};
use crate::state::State;
use pullback_lang::{Call, Real, Vec3};
use pullback_runtime::Launch;

/// Refuses what does not fit the model.
pub(super) fn check<R: Real>(model: &Model<R>, state: &State<R>, control: &Control<R>, dt: R) -> Result<(), Error> {
    if !dt.to_f64().is_finite() {
        return Err(Error::NotFinite { item: "step".to_owned(), field: "dt", value: dt.to_f64() });
    }
    let (p, b) = (&state.particles, &state.bodies);
    let (particles, bodies) = (model.particles.mass.len(), model.bodies.mass.len());
    let lengths = [
        ("state.particles.position", p.position.len(), particles, "particles"),
        ("state.particles.velocity", p.velocity.len(), particles, "particles"),
        ("state.particles.spring_force", p.spring_force.len(), particles, "particles"),
        ("control.particle_force", control.particle_force.len(), particles, "particles"),
        ("state.bodies.position", b.position.len(), bodies, "bodies"),
        ("state.bodies.orientation", b.orientation.len(), bodies, "bodies"),
        ("state.bodies.velocity", b.velocity.len(), bodies, "bodies"),
        ("state.bodies.angular_velocity", b.angular_velocity.len(), bodies, "bodies"),
        ("state.bodies.force", b.force.len(), bodies, "bodies"),
        ("state.bodies.torque", b.torque.len(), bodies, "bodies"),
        ("control.body_force", control.body_force.len(), bodies, "bodies"),
        ("control.body_torque", control.body_torque.len(), bodies, "bodies"),
    ];
    match lengths.into_iter().find(|(_, found, expected, _)| found != expected) {
        Some((what, found, expected, kind)) => Err(Error::Mismatch { what, found, expected, kind }),
        None => Ok(()),
    }
}

/// Launches calls in order.
pub(super) fn launch_all(launch: &mut impl Launch, calls: &[Call]) -> Result<(), Error> {
    calls.iter().try_for_each(|call| Ok(launch.launch(call)?))
}

/// Changes the particles' velocities by `dt` times the acceleration at their positions and velocities.
pub(super) fn kick_calls<R: Real>(model: &Model<R>, state: &mut State<R>, control: &Control<R>, dt: R) -> Vec<Call> {
    let (p, m, springs, gravitation) = (&mut state.particles, &model.particles, &model.springs, &model.gravitation);
    let n = p.position.len();
    let mut calls = Vec::with_capacity(2);
    if !springs.stiffness.is_empty() {
        calls.push(spring_forces(
            n,
            &mut p.spring_force,
            &p.position,
            &p.velocity,
            &springs.first,
            &springs.neighbour,
            &springs.spring,
            &springs.stiffness,
            &springs.damping,
            &springs.rest_length,
        ));
    }
    // A state that another model left may hold that one's forces.
    let spring_force = if springs.stiffness.is_empty() { &springs.no_force } else { &p.spring_force };
    if gravitation.gm.is_empty() {
        calls.push(kick(
            n,
            &mut p.velocity,
            &m.mass,
            &m.linear_drag,
            &m.quadratic_drag,
            &control.particle_force,
            spring_force,
            model.gravity,
            dt,
        ));
    } else {
        calls.push(kick_attracted(
            n,
            &mut p.velocity,
            &m.mass,
            &m.linear_drag,
            &m.quadratic_drag,
            &control.particle_force,
            spring_force,
            model.gravity,
            &p.position,
            &gravitation.gm,
            &gravitation.particle,
            gravitation.softening * gravitation.softening,
            dt,
        ));
    }
    calls
}

/// Changes the particles' positions by `dt` times their velocities.
pub(super) fn drift_call<R: Real>(state: &mut State<R>, dt: R) -> Call {
    let p = &mut state.particles;
    drift(p.position.len(), &mut p.position, &p.velocity, dt)
}

/// A whole step of the bodies.
pub(super) fn body_calls<R: Real>(model: &Model<R>, state: &mut State<R>, control: &Control<R>, dt: R) -> Vec<Call> {
    let (s, m, springs) = (&mut state.bodies, &model.bodies, &model.body_springs);
    let n = s.position.len();
    // Without a ground all points are above one that is infinitely low.
    let (normal, height, slip_speed) = match model.ground {
        Some(ground) => (ground.normal, ground.height, ground.slip_speed),
        None => (Vec3::zeros(), R::lit(f64::NEG_INFINITY), R::lit(1.0)),
    };
    let loads = body_loads(
        n,
        &mut s.force,
        &mut s.torque,
        &s.position,
        &s.orientation,
        &s.velocity,
        &s.angular_velocity,
        &control.body_force,
        &control.body_torque,
        &springs.first,
        &springs.end,
        &springs.body,
        &springs.anchor,
        &springs.stiffness,
        &springs.damping,
        &springs.rest_length,
        &m.points.first,
        &m.points.position,
        &m.points.radius,
        &m.stiffness,
        &m.dissipation,
        &m.friction,
        normal,
        height,
        slip_speed,
    );
    let motion = move_bodies(
        n,
        &mut s.position,
        &mut s.orientation,
        &mut s.velocity,
        &mut s.angular_velocity,
        &s.force,
        &s.torque,
        &m.mass,
        &m.inertia,
        model.gravity,
        dt,
    );
    vec![loads, motion]
}
