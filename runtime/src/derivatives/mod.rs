//! Derivatives as plain functions: each takes a closure that records on a tape it is given.
//!
//! The closure gets copies of the inputs, so that it may update them in place and the caller's arrays
//! stay as they are. Everything it does to them must go through the tape. All of these walk back
//! through the recording, so the contract of [`Tape`] is theirs too.

mod inputs;

pub use inputs::Inputs;

use crate::array::Array;
use crate::device::Device;
use crate::error::Error;
use crate::tape::Tape;
use crate::view::write_one;
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

/// The Jacobian by rows: one walk back for each float of the output, over one recording. Row k is the
/// gradient of the output's k-th float, elements row-major and the components of each in order.
///
/// ```
/// use pullback_lang::*;
/// use pullback_runtime::{Array, Device, Error, Launch, jacobian};
///
/// #[kernel]
/// fn polar(x: &Array<f64>, y: &mut Array<f64>) {
///     y[0] = x[0] * x[1];
///     y[1] = x[0] + 3.0 * x[1];
/// }
///
/// let device = Device::cpu();
/// let x = Array::from_slice(&device, &[2.0, 5.0]);
/// let rows = jacobian(
///     &device,
///     |tape, x| {
///         let mut y = Array::<f64>::zeros(tape.device(), [2]);
///         tape.launch(&polar(1, x, &mut y))?;
///         Ok(y)
///     },
///     &x,
/// )?;
/// assert_eq!(rows[0].to_vec()?, [5.0, 2.0]);
/// assert_eq!(rows[1].to_vec()?, [1.0, 3.0]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// As [`grad`], but the output may have any number of floats.
pub fn jacobian<I: Inputs, L: ArrayElement, const E: usize>(
    device: &Device,
    f: impl FnOnce(&mut Tape, &mut I) -> Result<Array<L, E>, Error>,
    inputs: &I,
) -> Result<Vec<I>, Error> {
    let (mut tape, start, output) = record(device, f, inputs)?;
    let element = L::element();
    let mut rows = Vec::new();
    for index in 0..output.len() {
        for component in element.components().iter().filter(|c| c.scalar.is_float()) {
            let seed = Array::<L, E>::zeros(device, output.shape());
            {
                let guard = device.lock();
                let at = index * element.size() as usize + component.offset as usize;
                // SAFETY: the lock is held; the new array's elements lie one after the other, `index` is
                // one of them, and the component lies in it, aligned.
                unsafe { write_one(component.scalar, seed.view_handle().base(&guard).add(at)) };
            }
            tape.backward_with(&[(&output, &seed)])?;
            rows.push(start.gradients(&tape)?);
        }
    }
    Ok(rows)
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
