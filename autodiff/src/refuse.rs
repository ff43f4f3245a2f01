//! Every reason for which a kernel is not differentiated, and the check for them.
//!
//! - It is an adjoint itself (it uses the stack or kept values): second derivatives by reverse over
//!   reverse are not supported.
//! - It writes an array that the request calls constant, so that a derivative would be lost.

use crate::Request;
use pullback_ir::{Kernel, Loc, OpKind};
use thiserror::Error;

/// Why a kernel has no adjoint.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("kernel `{kernel}` cannot be differentiated{}: {reason}", place(.loc))]
pub struct Refusal {
    /// The kernel.
    pub kernel: String,
    /// The user's expression that stands in the way.
    pub loc: Option<Loc>,
    /// The reason.
    pub reason: Reason,
}

fn place(loc: &Option<Loc>) -> String {
    loc.map(|l| format!(" at {l}")).unwrap_or_default()
}

/// A reason, with what to do instead.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Reason {
    /// Reverse over reverse.
    #[error("it is an adjoint kernel already; differentiate the primal kernel instead")]
    Adjoint,
    /// A write whose derivative would be dropped.
    #[error("it writes array `{array}`, which was asked to be constant; ask for its cotangent too")]
    WritesConstant {
        /// The array.
        array: String,
    },
}

/// Looks for a reason to refuse.
pub fn check(kernel: &Kernel, request: &Request) -> Result<(), Refusal> {
    let mut found = None;
    kernel.walk(kernel.body, &mut |_, data| {
        let reason = match data.kind {
            OpKind::Push { .. }
            | OpKind::Pop { .. }
            | OpKind::Drop { .. }
            | OpKind::Record
            | OpKind::Residual
            | OpKind::ResidualBase => Reason::Adjoint,
            OpKind::Store { array, .. } | OpKind::Atomic { array, .. } => {
                let param = &kernel.params[array as usize];
                let constant =
                    request.active.as_ref().is_some_and(|a| !a.get(array as usize).copied().unwrap_or(false));
                if !constant || !param.array().is_some_and(|(element, ..)| element.has_float()) {
                    return;
                }
                Reason::WritesConstant { array: param.name.clone() }
            }
            _ => return,
        };
        found.get_or_insert(Refusal { kernel: kernel.name.clone(), loc: data.loc, reason });
    });
    found.map_or(Ok(()), Err)
}
