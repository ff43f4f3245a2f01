//! Forces and torques on bodies: control, springs, ground.

use super::ground::ground_force;
use crate::particles::pull;
use pullback_lang::{Quat, Real, Vec3, cross, dot, func, kernel, quat_rotate, thread_id, vec3};
use pullback_runtime::Array;

/// Where a point of a body, or of the world (body -1), is, and its velocity.
#[func]
fn point_motion<R: Real>(
    position: &Array<Vec3<R>>,
    orientation: &Array<Quat<R>>,
    velocity: &Array<Vec3<R>>,
    angular_velocity: &Array<Vec3<R>>,
    body: i64,
    point: Vec3<R>,
) -> (Vec3<R>, Vec3<R>) {
    if body < 0 {
        (point, vec3(0.0, 0.0, 0.0))
    } else {
        let arm = quat_rotate(orientation[body], point);
        (position[body] + arm, velocity[body] + cross(angular_velocity[body], arm))
    }
}

/// Sets force and torque of each body to those of control, springs and ground; gravity is not in them.
#[kernel]
pub(crate) fn body_loads<R: Real>(
    force: &mut Array<Vec3<R>>,
    torque: &mut Array<Vec3<R>>,
    position: &Array<Vec3<R>>,
    orientation: &Array<Quat<R>>,
    velocity: &Array<Vec3<R>>,
    angular_velocity: &Array<Vec3<R>>,
    control_force: &Array<Vec3<R>>,
    control_torque: &Array<Vec3<R>>,
    // Springs.
    spring_first: &Array<i32>,
    spring_end: &Array<i32>,
    end_body: &Array<i32>,
    anchor: &Array<Vec3<R>>,
    spring_stiffness: &Array<R>,
    spring_damping: &Array<R>,
    rest_length: &Array<R>,
    // Contact with the ground.
    point_first: &Array<i32>,
    point: &Array<Vec3<R>>,
    radius: &Array<R>,
    stiffness: &Array<R>,
    dissipation: &Array<R>,
    friction: &Array<R>,
    normal: Vec3<R>,
    height: R,
    slip_speed: R,
) {
    let i = thread_id();
    let (x, q, v, w) = (position[i], orientation[i], velocity[i], angular_velocity[i]);
    let mut f = control_force[i];
    let mut t = control_torque[i];

    for k in spring_first[i]..spring_first[i + 1] {
        let end = spring_end[k as i64] as i64;
        let other = end ^ 1;
        let s = end >> 1;
        let arm = quat_rotate(q, anchor[end]);
        let (there, speed) =
            point_motion(position, orientation, velocity, angular_velocity, end_body[other] as i64, anchor[other]);
        let d = there - (x + arm);
        let load = pull(d, speed - (v + cross(w, arm)), spring_stiffness[s], spring_damping[s], rest_length[s]);
        f += load;
        t += cross(arm, load);
    }

    for k in point_first[i]..point_first[i + 1] {
        let p = k as i64;
        // From the centre of mass to the lowest point of the ball.
        let arm = quat_rotate(q, point[p]) - normal * radius[p];
        let depth = height - dot(normal, x + arm);
        let load =
            ground_force(depth, v + cross(w, arm), normal, stiffness[i], dissipation[i], friction[i], slip_speed);
        f += load;
        t += cross(arm, load);
    }

    force[i] = f;
    torque[i] = t;
}
