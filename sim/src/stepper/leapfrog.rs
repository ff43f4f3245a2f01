//! Leapfrog (velocity Verlet) and its fourth-order composition, for particles.

use super::Stepper;
use super::calls::{check, drift_call, kick_calls, launch_all};
use crate::control::Control;
use crate::error::Error;
use crate::model::Model;
use crate::state::State;
use pullback_lang::{Call, Real};
use pullback_runtime::Launch;

/// Velocity Verlet: half a kick, a drift, half a kick. Second order, symplectic and reversible for forces
/// that do not depend on velocity (E. Hairer, C. Lubich, G. Wanner, "Geometric Numerical Integration",
/// 2006, I.1.4); or three such steps in one, of fourth order.
///
/// Each kick takes the forces at the positions and velocities where it begins, so with drag or damping
/// the order falls to the first. [`Stepper::advance`] joins the kick that ends a step with the one that
/// begins the next, which are at the same positions, and so computes the forces once a step and once more
/// at the end; if drag or damping were built into the model the two differ and are not joined.
#[derive(Clone, Debug, PartialEq)]
pub struct Leapfrog {
    /// The lengths of the leapfrog steps that make one step, as fractions of it.
    fractions: Vec<f64>,
}

impl Default for Leapfrog {
    fn default() -> Self {
        Self::new()
    }
}

impl Leapfrog {
    /// Velocity Verlet, of second order.
    pub fn new() -> Self {
        Leapfrog { fractions: vec![1.0] }
    }

    /// The fourth-order composition of three: fractions w, 1 - 2w, w with w = 1 / (2 - ∛2), the middle
    /// one backwards. E. Forest and R. D. Ruth, "Fourth-order symplectic integration" (Physica D 43, 1990);
    /// H. Yoshida, "Construction of higher order symplectic integrators" (Phys. Lett. A 150, 1990).
    pub fn fourth_order() -> Self {
        let outer = 1.0 / (2.0 - 2.0f64.cbrt());
        Leapfrog { fractions: vec![outer, 1.0 - 2.0 * outer, outer] }
    }
}

impl<R: Real> Stepper<R> for Leapfrog {
    fn advance(
        &self,
        launch: &mut impl Launch,
        model: &Model<R>,
        state: &mut State<R>,
        control: &Control<R>,
        dt: R,
        steps: usize,
    ) -> Result<(), Error> {
        check(model, state, control, dt)?;
        let bodies = state.bodies.position.len();
        if bodies > 0 {
            return Err(Error::BodiesUnsupported { stepper: "Leapfrog", bodies });
        }
        if state.particles.position.is_empty() || steps == 0 {
            return Ok(());
        }
        let mut kick = |fraction: f64| kick_calls(model, state, control, dt * R::lit(fraction));
        let (first, last) = (self.fractions[0], self.fractions[self.fractions.len() - 1]);
        let (begin, end) = (kick(0.5 * first), kick(0.5 * last));
        // After each drift but the very last: the kick up to the next drift, of this or the next step.
        let next = self.fractions.iter().skip(1).chain([&first]);
        let between: Vec<Vec<Call>> = (self.fractions.iter().zip(next))
            .map(|(this, next)| match model.velocity_forces {
                false => kick(0.5 * (this + next)),
                true => [kick(0.5 * this), kick(0.5 * next)].concat(),
            })
            .collect();
        let drifts: Vec<Call> = self.fractions.iter().map(|f| drift_call(state, dt * R::lit(*f))).collect();

        launch_all(launch, &begin)?;
        for step in 1..=steps {
            for (stage, (drift, kick)) in drifts.iter().zip(&between).enumerate() {
                launch.launch(drift)?;
                let over = step == steps && stage + 1 == drifts.len();
                launch_all(launch, if over { &end } else { kick })?;
            }
        }
        Ok(())
    }
}
