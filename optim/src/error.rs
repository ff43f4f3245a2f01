//! What can go wrong in an optimisation.

/// An error of an optimiser. An error of the user's function is passed on as it is: its type must be
/// made from this one (`#[from]`).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The loss is infinite or NaN.
    #[error("the loss is {loss} after {evaluations} evaluations; a smaller learning rate or another start may help")]
    Loss {
        /// What it is.
        loss: f64,
        /// How many losses were computed before.
        evaluations: usize,
    },
    /// A component of the gradient is infinite or NaN.
    #[error("component {index} of the gradient is {value}, though the loss is {loss}")]
    Gradient {
        /// Which one.
        index: usize,
        /// What it is.
        value: f64,
        /// The loss there.
        loss: f64,
    },
    /// A gradient of another length than the parameters.
    #[error("the gradient has {found} components, but there are {expected} parameters")]
    Length {
        /// Components of the gradient.
        found: usize,
        /// Parameters.
        expected: usize,
    },
    /// An optimiser that has begun with another number of parameters.
    #[error("the optimiser began with {expected} parameters, but was given {found}; use a new one")]
    Changed {
        /// Parameters given now.
        found: usize,
        /// Parameters at the first step.
        expected: usize,
    },
    /// A setting that makes no sense.
    #[error("{optimiser}: {setting} is {value}, but must be {expected}")]
    Setting {
        /// The optimiser.
        optimiser: &'static str,
        /// Its field.
        setting: &'static str,
        /// What was given.
        value: f64,
        /// What fits.
        expected: &'static str,
    },
    /// No step along the direction of descent lowers the loss.
    #[error(
        "no step lowers the loss {loss}, though its gradient is {gradient}; is the gradient that of the loss, and is \
         the loss smooth?"
    )]
    NoDescent {
        /// The loss.
        loss: f64,
        /// The largest component of the gradient.
        gradient: f64,
    },
}

/// Refuses a loss or gradient that is not finite, or a gradient of the wrong length.
pub(crate) fn check(loss: f64, gradient: &[f64], parameters: usize, evaluations: usize) -> Result<(), Error> {
    if gradient.len() != parameters {
        return Err(Error::Length { found: gradient.len(), expected: parameters });
    }
    if !loss.is_finite() {
        return Err(Error::Loss { loss, evaluations });
    }
    match gradient.iter().position(|g| !g.is_finite()) {
        Some(index) => Err(Error::Gradient { index, value: gradient[index], loss }),
        None => Ok(()),
    }
}

/// Refuses a setting outside of a range.
pub(crate) fn setting(
    optimiser: &'static str,
    setting: &'static str,
    value: f64,
    fits: bool,
    expected: &'static str,
) -> Result<(), Error> {
    if fits { Ok(()) } else { Err(Error::Setting { optimiser, setting, value, expected }) }
}
