//! The motion of rigid bodies over one step.

use pullback_lang::{Quat, Real, Vec3, func, kernel, normalize, quat_rotate, quat_rotate_inv, thread_id};
use pullback_runtime::Array;

/// The angular velocity of a body of orientation `q` whose angular momentum is `l`; world axes.
#[func]
fn spin<R: Real>(q: Quat<R>, inertia: Vec3<R>, l: Vec3<R>) -> Vec3<R> {
    quat_rotate(q, quat_rotate_inv(q, l) / inertia)
}

/// `q` turned by the angular velocity `w` (world axes) for a time `dt`: q + dt/2 (w, 0) q, normalised.
/// The angle is 2 atan(|w| dt / 2), which is |w| dt up to the third order.
#[func]
fn turn<R: Real>(q: Quat<R>, w: Vec3<R>, dt: R) -> Quat<R> {
    let half = w * (0.5 * dt);
    let rate = Quat::new(half.x, half.y, half.z, 0.0);
    normalize(q + rate * q)
}

/// Moves each body by one step of semi-implicit Euler.
///
/// v += (f / m + g) dt and x += v dt with the new v. Rotation is carried by the angular momentum
/// L = R I Rᵀ ω in world axes: L += τ dt, which is Euler's equation I dω/dt + ω × I ω = τ with its
/// gyroscopic term in it exactly; a free body keeps its L, and no spin, however fast, blows up. The body
/// turns for dt by the angular velocity that L makes halfway, and ω is what L makes at the new orientation.
#[kernel]
pub(crate) fn move_bodies<R: Real>(
    position: &mut Array<Vec3<R>>,
    orientation: &mut Array<Quat<R>>,
    velocity: &mut Array<Vec3<R>>,
    angular_velocity: &mut Array<Vec3<R>>,
    force: &Array<Vec3<R>>,
    torque: &Array<Vec3<R>>,
    mass: &Array<R>,
    inertia: &Array<Vec3<R>>,
    gravity: Vec3<R>,
    dt: R,
) {
    let i = thread_id();
    let inverse = 1.0 / mass[i];
    // A fixed body has infinite mass.
    if inverse > 0.0 {
        let v = velocity[i] + (force[i] * inverse + gravity) * dt;
        velocity[i] = v;
        position[i] += v * dt;

        let (q, moments) = (orientation[i], inertia[i]);
        let l = quat_rotate(q, quat_rotate_inv(q, angular_velocity[i]) * moments) + torque[i] * dt;
        let halfway = turn(q, spin(q, moments, l), 0.5 * dt);
        let turned = turn(q, spin(halfway, moments, l), dt);
        orientation[i] = turned;
        angular_velocity[i] = spin(turned, moments, l);
    }
}
