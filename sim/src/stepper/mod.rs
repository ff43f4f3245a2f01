//! Steppers: they advance a state by kernels alone.

mod calls;
mod leapfrog;
mod semi_implicit;

pub use leapfrog::Leapfrog;
pub use semi_implicit::SemiImplicitEuler;

use crate::control::Control;
use crate::error::Error;
use crate::model::Model;
use crate::state::State;
use pullback_lang::Real;
use pullback_runtime::Launch;

/// Advances a state in time.
///
/// Launched on a stream a step runs; on a tape it is recorded as well. `dt` is a constant of the
/// kernels; everything in the arrays of model, state and control can be differentiated.
pub trait Stepper<R: Real> {
    /// Advances `state` by `steps` steps of `dt` seconds under the same control, in place.
    ///
    /// # Errors
    /// If state or control were made for another model, if the stepper cannot move something in the
    /// model, if `dt` is not finite, and as for [`Launch::launch`].
    fn advance(
        &self,
        launch: &mut impl Launch,
        model: &Model<R>,
        state: &mut State<R>,
        control: &Control<R>,
        dt: R,
        steps: usize,
    ) -> Result<(), Error>;

    /// Advances `state` by one step of `dt` seconds, in place.
    ///
    /// # Errors
    /// As for [`Stepper::advance`].
    fn step_in_place(
        &self,
        launch: &mut impl Launch,
        model: &Model<R>,
        state: &mut State<R>,
        control: &Control<R>,
        dt: R,
    ) -> Result<(), Error> {
        self.advance(launch, model, state, control, dt, 1)
    }

    /// Sets `state_out` to what `state_in` becomes in one step of `dt` seconds.
    ///
    /// # Errors
    /// As for [`Stepper::advance`]; and if the two states share memory.
    fn step(
        &self,
        launch: &mut impl Launch,
        model: &Model<R>,
        state_in: &State<R>,
        state_out: &mut State<R>,
        control: &Control<R>,
        dt: R,
    ) -> Result<(), Error> {
        state_in.copy_to(launch, state_out)?;
        self.step_in_place(launch, model, state_out, control, dt)
    }
}
