//! Derivatives as plain functions: each takes a closure that records on a tape it is given.
//!
//! The closure gets copies of the inputs, so that it may update them in place and the caller's arrays
//! stay as they are. Everything it does to them must go through the tape. All of these walk back
//! through the recording or carry tangents along it, so the contract of [`Tape`] is theirs too.

mod forward;
mod inputs;
mod jacobian;

pub use forward::{gauss_newton_product, hvp, jvp};
pub use inputs::Inputs;
pub use jacobian::jacobian;

use crate::array::Array;
use crate::device::Device;
use crate::error::Error;
use crate::tape::Tape;
use pullback_lang::ArrayElement;

/// The gradient of a loss, an array with one float, with respect to the inputs: one array, or a tuple of
/// up to four.
///
/// ```
/// use pullback_lang::*;
/// use pullback_runtime::{Array, Device, Error, Launch, grad};
///
/// #[kernel]
/// fn energy(x: &Array<f64>, k: &Array<f64>, total: &mut Array<f64>) {
///     let i = thread_id();
///     atomic_add(total, 0, 0.5 * k[i] * x[i] * x[i]);
/// }
///
/// let device = Device::cpu();
/// let x = Array::from_slice(&device, &[1.0, 2.0]);
/// let k = Array::from_slice(&device, &[3.0, 5.0]);
/// let (dx, dk) = grad(
///     &device,
///     |tape, (x, k)| {
///         let mut total = Array::<f64>::zeros(tape.device(), [1]);
///         tape.launch(&energy(2, x, k, &mut total))?;
///         Ok(total)
///     },
///     &(x, k),
/// )?;
/// assert_eq!(dx.to_vec()?, [3.0, 10.0]);
/// assert_eq!(dk.to_vec()?, [0.5, 2.0]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// What the closure returns; [`Error::NotRecorded`] if the recording does not use the loss or an input
/// (perhaps the closure used an array from outside in place of its copy); else as [`Tape::backward`].
pub fn grad<I: Inputs, L: ArrayElement, const E: usize>(
    device: &Device,
    f: impl FnOnce(&mut Tape, &mut I) -> Result<Array<L, E>, Error>,
    inputs: &I,
) -> Result<I, Error> {
    value_and_grad(device, f, inputs).map(|(_, gradient)| gradient)
}

/// The loss and its gradient: see [`grad`].
///
/// ```
/// use pullback_lang::*;
/// use pullback_runtime::{Array, Device, Error, Launch, value_and_grad};
///
/// #[kernel]
/// fn square(x: &mut Array<f32>) {
///     let i = thread_id();
///     x[i] = x[i] * x[i];
/// }
///
/// let device = Device::cpu();
/// let x = Array::from_slice(&device, &[3.0]);
/// let (value, gradient) = value_and_grad(
///     &device,
///     |tape, x| {
///         tape.launch(&square(1, x))?;
///         Ok(x.clone())
///     },
///     &x,
/// )?;
/// assert_eq!((value.to_vec()?, gradient.to_vec()?), (vec![9.0], vec![6.0]));
/// assert_eq!(x.to_vec()?, [3.0]); // The closure had a copy.
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// As [`grad`].
pub fn value_and_grad<I: Inputs, L: ArrayElement, const E: usize>(
    device: &Device,
    f: impl FnOnce(&mut Tape, &mut I) -> Result<Array<L, E>, Error>,
    inputs: &I,
) -> Result<(Array<L, E>, I), Error> {
    let (mut tape, start, loss) = record(device, f, inputs)?;
    tape.backward(&loss)?;
    Ok((loss, start.gradients(&tape)?))
}

/// The outputs, and the product of a cotangent of their shape with the Jacobian: the gradient of
/// Σ cotangent · output.
///
/// # Errors
/// As [`grad`]; [`Error::Shape`] for a cotangent of another shape than the output's.
pub fn vjp<I: Inputs, L: ArrayElement, const E: usize>(
    device: &Device,
    f: impl FnOnce(&mut Tape, &mut I) -> Result<Array<L, E>, Error>,
    inputs: &I,
    cotangent: &Array<L, E>,
) -> Result<(Array<L, E>, I), Error> {
    let (mut tape, start, output) = record(device, f, inputs)?;
    tape.backward_with(&[(&output, cotangent)])?;
    Ok((output, start.gradients(&tape)?))
}

/// Runs the closure on copies; the tape, handles of the copies, and what the closure returned.
fn record<I: Inputs, O>(
    device: &Device,
    f: impl FnOnce(&mut Tape, &mut I) -> Result<O, Error>,
    inputs: &I,
) -> Result<(Tape, I, O), Error> {
    let start = inputs.copies(device)?;
    // The closure may put other arrays in place of those it was given; the derivative is with respect to these.
    let mut given = start.handles();
    let mut tape = Tape::new(device);
    let output = f(&mut tape, &mut given)?;
    Ok((tape, start, output))
}
