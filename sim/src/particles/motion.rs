//! How particles move: kicks change velocities, drifts change positions.

use super::gravitation::attraction;
use pullback_lang::{Real, Vec3, func, kernel, length, select, thread_id, vec3};
use pullback_runtime::Array;

/// The velocity after a kick: v + (f / m + a) dt, where f is `force` and the drag -(c₁ + c₂ |v|) v, and a is
/// `field`. It is v itself for a fixed particle, of infinite mass.
#[func]
fn kicked<R: Real>(
    v: Vec3<R>,
    mass: R,
    linear_drag: R,
    quadratic_drag: R,
    force: Vec3<R>,
    field: Vec3<R>,
    dt: R,
) -> Vec3<R> {
    let inverse = 1.0 / mass;
    let drag = linear_drag + quadratic_drag * length(v);
    let fall = select(inverse > 0.0, field, vec3(0.0, 0.0, 0.0));
    v + ((force - v * drag) * inverse + fall) * dt
}

/// Kicks each particle by control, springs, drag and uniform gravity.
#[kernel]
pub(crate) fn kick<R: Real>(
    velocity: &mut Array<Vec3<R>>,
    mass: &Array<R>,
    linear_drag: &Array<R>,
    quadratic_drag: &Array<R>,
    control: &Array<Vec3<R>>,
    spring_force: &Array<Vec3<R>>,
    gravity: Vec3<R>,
    dt: R,
) {
    let i = thread_id();
    let force = control[i] + spring_force[i];
    velocity[i] = kicked(velocity[i], mass[i], linear_drag[i], quadratic_drag[i], force, gravity, dt);
}

/// The same in a model with attractors: kicks by their gravitation as well.
#[kernel]
pub(crate) fn kick_attracted<R: Real>(
    velocity: &mut Array<Vec3<R>>,
    mass: &Array<R>,
    linear_drag: &Array<R>,
    quadratic_drag: &Array<R>,
    control: &Array<Vec3<R>>,
    spring_force: &Array<Vec3<R>>,
    gravity: Vec3<R>,
    position: &Array<Vec3<R>>,
    gm: &Array<R>,
    attractor: &Array<i32>,
    softening_sq: R,
    dt: R,
) {
    let i = thread_id();
    let force = control[i] + spring_force[i];
    let field = gravity + attraction(position, gm, attractor, softening_sq, i);
    velocity[i] = kicked(velocity[i], mass[i], linear_drag[i], quadratic_drag[i], force, field, dt);
}

/// Moves each particle on: x += v dt.
#[kernel]
pub(crate) fn drift<R: Real>(position: &mut Array<Vec3<R>>, velocity: &Array<Vec3<R>>, dt: R) {
    let i = thread_id();
    position[i] += velocity[i] * dt;
}
