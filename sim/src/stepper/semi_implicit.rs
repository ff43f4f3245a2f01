//! Semi-implicit Euler, for particles and bodies.

use super::Stepper;
use super::calls::{body_calls, check, drift_call, kick_calls, launch_all};
use crate::control::Control;
use crate::error::Error;
use crate::model::Model;
use crate::state::State;
use pullback_lang::Real;
use pullback_runtime::Launch;

/// Semi-implicit (symplectic) Euler: velocities change by the forces at the beginning of the step, then
/// positions by the new velocities. First order; for forces that do not depend on velocity it is
/// symplectic, so that energy errors stay bounded (E. Hairer, C. Lubich, G. Wanner, "Geometric Numerical
/// Integration", 2006, I.1). Stable for springs while dt √(k / m) < 2.
///
/// Bodies turn by a rule of second order that keeps their angular momentum; it is described at the kernel
/// `move_bodies`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SemiImplicitEuler;

impl<R: Real> Stepper<R> for SemiImplicitEuler {
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
        let mut calls = Vec::new();
        if !state.particles.position.is_empty() {
            calls = kick_calls(model, state, control, dt);
            calls.push(drift_call(state, dt));
        }
        if !state.bodies.position.is_empty() {
            calls.extend(body_calls(model, state, control, dt));
        }
        (0..steps).try_for_each(|_| launch_all(launch, &calls))
    }
}
