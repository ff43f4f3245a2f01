//! Jacobians, by rows or by columns.

use super::inputs::{Inputs, float_components, with_floats};
use super::record;
use crate::array::Array;
use crate::device::Device;
use crate::error::Error;
use crate::tape::Tape;
use crate::view::read_float;
use pullback_lang::ArrayElement;

/// The Jacobian by rows: row k is the gradient of the output's k-th float, elements row-major and the
/// components of each in order.
///
/// The closure is recorded once, and walked back for each float of the output. If the inputs have fewer
/// floats than the output, it is run again instead, with the tangents of four inputs' floats at a time.
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
/// As [`grad`](super::grad), but the output may have any number of floats.
pub fn jacobian<I: Inputs, L: ArrayElement, const E: usize>(
    device: &Device,
    mut f: impl FnMut(&mut Tape, &mut I) -> Result<Array<L, E>, Error>,
    inputs: &I,
) -> Result<Vec<I>, Error> {
    let (mut tape, start, output) = record(device, &mut f, inputs)?;
    let floats = Inputs::floats(&output);
    if inputs.floats() < floats {
        drop(tape);
        return by_columns(device, f, inputs, floats);
    }
    (0..floats)
        .map(|k| {
            tape.backward_with(&[(&output, &with_floats(&output, [(k, 1.0)]))])?;
            start.gradients(&tape)
        })
        .collect()
}

/// How many columns go along at once.
const COLUMNS: usize = 4;

fn by_columns<I: Inputs, L: ArrayElement, const E: usize>(
    device: &Device,
    mut f: impl FnMut(&mut Tape, &mut I) -> Result<Array<L, E>, Error>,
    inputs: &I,
    floats: usize,
) -> Result<Vec<I>, Error> {
    let width = inputs.floats().min(COLUMNS);
    let mut columns = Vec::new();
    while columns.len() < inputs.floats() {
        let start = inputs.copies(device)?;
        let mut given = start.handles();
        let mut tape = Tape::forward_columns(device, width);
        for c in 0..width {
            start.set_unit_tangent(&mut tape, columns.len() + c, c)?;
        }
        let output = f(&mut tape, &mut given)?;
        if !start.used(&tape) {
            return Err(Error::NotRecorded);
        }
        for c in 0..width {
            let column = tape.column(&output, c).contiguous()?;
            columns.push(floats_of(&column)?);
        }
    }
    let row = |k: usize| columns.iter().take(inputs.floats()).map(move |column| column.get(k).copied().unwrap_or(0.0));
    (0..floats).map(|k| inputs.of_floats(&mut row(k))).collect()
}

/// The floats of a contiguous array.
fn floats_of<T: ArrayElement, const D: usize>(array: &Array<T, D>) -> Result<Vec<f64>, Error> {
    let element = T::element();
    let guard = array.device().lock();
    let view = array.view_handle();
    view.check_usable("jacobian", &guard)?;
    let first = view.base(&guard).wrapping_add(view.offset);
    let mut floats = Vec::new();
    for index in 0..array.len() {
        for component in float_components(&element) {
            let at = index * element.size() as usize + component.offset as usize;
            // SAFETY: the lock is held, the elements lie one after the other, `index` is one of them, and
            // the component lies in it, aligned.
            floats.push(unsafe { read_float(component.scalar, first.add(at)) });
        }
    }
    Ok(floats)
}
