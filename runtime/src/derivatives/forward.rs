//! Derivatives along a direction, of values and of gradients.

use super::{Inputs, vjp};
use crate::array::Array;
use crate::device::Device;
use crate::error::Error;
use crate::tape::Tape;
use pullback_lang::ArrayElement;

/// The outputs, and the product of the Jacobian with a direction in which the inputs move: the derivative of
/// the outputs along it. Nothing is recorded, so it takes no memory for the length of the run.
///
/// ```
/// use pullback_lang::*;
/// use pullback_runtime::{Array, Device, Error, Launch, jvp};
///
/// #[kernel]
/// fn square(x: &mut Array<f32>) {
///     let i = thread_id();
///     x[i] = x[i] * x[i];
/// }
///
/// let device = Device::cpu();
/// let x = Array::from_slice(&device, &[3.0, 5.0]);
/// let direction = Array::from_slice(&device, &[1.0, 0.5]);
/// let (value, slope) = jvp(
///     &device,
///     |tape, x| {
///         tape.launch(&square(2, x))?;
///         Ok(x.clone())
///     },
///     &x,
///     &direction,
/// )?;
/// assert_eq!((value.to_vec()?, slope.to_vec()?), (vec![9.0, 25.0], vec![6.0, 5.0]));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// What the closure returns; [`Error::Shape`] for a direction of other shapes than the inputs';
/// [`Error::NotRecorded`] if the tape was not used on an input (perhaps the closure used an array from outside in
/// place of its copy).
pub fn jvp<I: Inputs, L: ArrayElement, const E: usize>(
    device: &Device,
    f: impl FnOnce(&mut Tape, &mut I) -> Result<Array<L, E>, Error>,
    inputs: &I,
    direction: &I,
) -> Result<(Array<L, E>, Array<L, E>), Error> {
    let start = inputs.copies(device)?;
    let mut given = start.handles();
    let mut tape = Tape::forward(device);
    start.set_tangents(&mut tape, direction)?;
    let output = f(&mut tape, &mut given)?;
    if !start.used(&tape) {
        return Err(Error::NotRecorded);
    }
    let tangent = tape.tangent(&output);
    Ok((output, tangent))
}

/// The product of the Hessian of a loss, an array with one float, with a direction: the derivative of the
/// gradient along it. The loss's derivative along the direction goes with the recording, and is walked back.
///
/// ```
/// use pullback_lang::*;
/// use pullback_runtime::{Array, Device, Error, Launch, hvp};
///
/// #[kernel]
/// fn rosenbrock(x: &Array<f64>, loss: &mut Array<f64>) {
///     let a = 1.0 - x[0];
///     let b = x[1] - x[0] * x[0];
///     loss[0] = a * a + 100.0 * b * b;
/// }
///
/// let device = Device::cpu();
/// let x = Array::from_slice(&device, &[1.0, 1.0]);
/// let column = hvp(
///     &device,
///     |tape, x| {
///         let mut loss = Array::<f64>::zeros(tape.device(), [1]);
///         tape.launch(&rosenbrock(1, x, &mut loss))?;
///         Ok(loss)
///     },
///     &x,
///     &Array::from_slice(&device, &[1.0, 0.0]),
/// )?;
/// assert_eq!(column.to_vec()?, [802.0, -400.0]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// As [`grad`](crate::grad); [`Error::Shape`] for a direction of other shapes than the inputs'.
pub fn hvp<I: Inputs, L: ArrayElement, const E: usize>(
    device: &Device,
    f: impl FnOnce(&mut Tape, &mut I) -> Result<Array<L, E>, Error>,
    inputs: &I,
    direction: &I,
) -> Result<I, Error> {
    let start = inputs.copies(device)?;
    let mut given = start.handles();
    let mut tape = Tape::new(device);
    start.set_tangents(&mut tape, direction)?;
    let loss = f(&mut tape, &mut given)?;
    let slope = tape.tangent(&loss);
    tape.backward(&slope)?;
    start.gradients(&tape)
}

/// The product Jᵀ J v of the Jacobian J of residuals with a direction v. For the loss ½ Σ r² it is what is left of
/// the Hessian's product where the residuals r are small or nearly linear, and never indefinite
/// (Nocedal and Wright, Numerical Optimization, section 10.3). The closure is run twice: once with
/// tangents, once recorded.
///
/// # Errors
/// As [`jvp`] and [`vjp`].
pub fn gauss_newton_product<I: Inputs, L: ArrayElement, const E: usize>(
    device: &Device,
    mut residuals: impl FnMut(&mut Tape, &mut I) -> Result<Array<L, E>, Error>,
    inputs: &I,
    direction: &I,
) -> Result<I, Error> {
    let (_, along) = jvp(device, &mut residuals, inputs, direction)?;
    let (_, product) = vjp(device, &mut residuals, inputs, &along)?;
    Ok(product)
}
