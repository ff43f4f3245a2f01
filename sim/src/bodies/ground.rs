//! Compliant contact of a point with the ground, and smooth Coulomb friction.

use pullback_lang::{Real, Vec3, dot, func, max, sqrt, vec3};

/// The force of the ground on a point that is `depth` inside it and moves with velocity `u`; 0 outside.
///
/// Along the ground's normal, F = k δ^{3/2} max(1 + 3/2 c dδ/dt, 0): K. H. Hunt and F. R. E. Crossley,
/// "Coefficient of Restitution Interpreted as Damping in Vibroimpact" (J. Appl. Mech. 42, 1975), which
/// begins smoothly, never pulls, and for small speeds v restores 1 - c v of them. Against the slip
/// velocity s, μ F s / √(|s|² + ε²): Coulomb's law for |s| ≫ ε, linear and so smooth for |s| ≪ ε, where a
/// point on a slope creeps.
#[func]
pub(crate) fn ground_force<R: Real>(
    depth: R,
    u: Vec3<R>,
    normal: Vec3<R>,
    stiffness: R,
    dissipation: R,
    friction: R,
    slip_speed: R,
) -> Vec3<R> {
    if depth > 0.0 {
        let rate = -dot(normal, u);
        let press = stiffness * depth * sqrt(depth) * max(1.0 + 1.5 * dissipation * rate, 0.0);
        let slip = u + normal * rate;
        let grip = friction * press / sqrt(dot(slip, slip) + slip_speed * slip_speed);
        normal * press - slip * grip
    } else {
        vec3(0.0, 0.0, 0.0)
    }
}
