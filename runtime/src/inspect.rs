//! What the engine made of a kernel, as text to read.

use crate::error::Error;
use crate::program::Program;
use pullback_lang::Call;

/// The adjoint of a call's kernel as IR text: what [`Tape::backward`](crate::Tape::backward) runs for a
/// recorded launch of it. Each operation that comes from the kernel names the line it comes from; `adj_x`
/// holds the cotangents of array `x`, updated in place.
///
/// ```
/// use pullback_lang::*;
/// use pullback_runtime::{Array, Device, adjoint_text};
///
/// #[kernel]
/// fn square(x: &mut Array<f64>) {
///     let i = thread_id();
///     x[i] = x[i] * x[i];
/// }
///
/// let mut x = Array::from_slice(&Device::cpu(), &[3.0]);
/// let text = adjoint_text(&square(1, &mut x))?;
/// assert!(text.contains("adj_x"), "{text}");
/// # Ok::<(), pullback_runtime::Error>(())
/// ```
///
/// # Errors
/// If the kernel has no meaning, or no adjoint: [`Error::Kernel`], [`Error::Refused`].
pub fn adjoint_text(call: &Call) -> Result<String, Error> {
    Ok(Program::of(&call.kernel)?.differentiated()?.adjoint.kernel.to_string())
}
