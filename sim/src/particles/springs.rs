//! Springs with damping.

use pullback_lang::{Real, Vec3, dot, func, kernel, normalize, thread_id, vec3};
use pullback_runtime::Array;

/// The force on one end of a spring, whose other end is at a distance `d` and moves away at `w`:
/// (k (l - l₀) + c dl/dt) u, with l = |d| and u = d / l. It is written k (d - l₀ u) + c (w · u) u, which
/// is k d for l₀ = 0, also at d = 0, where u is 0.
#[func]
pub(crate) fn pull<R: Real>(d: Vec3<R>, w: Vec3<R>, stiffness: R, damping: R, rest_length: R) -> Vec3<R> {
    let u = normalize(d);
    (d - u * rest_length) * stiffness + u * (dot(w, u) * damping)
}

/// The sum of the forces of the springs at each particle. Each particle goes through its own springs,
/// so every spring is computed twice and nothing is added up between threads.
#[kernel]
pub(crate) fn spring_forces<R: Real>(
    force: &mut Array<Vec3<R>>,
    position: &Array<Vec3<R>>,
    velocity: &Array<Vec3<R>>,
    first: &Array<i32>,
    neighbour: &Array<i32>,
    spring: &Array<i32>,
    stiffness: &Array<R>,
    damping: &Array<R>,
    rest_length: &Array<R>,
) {
    let i = thread_id();
    let (x, v) = (position[i], velocity[i]);
    let mut sum = vec3(0.0, 0.0, 0.0);
    for k in first[i]..first[i + 1] {
        let j = neighbour[k as i64] as i64;
        let s = spring[k as i64] as i64;
        sum += pull(position[j] - x, velocity[j] - v, stiffness[s], damping[s], rest_length[s]);
    }
    force[i] = sum;
}
