//! What can be wrong with a kernel once it is traced.

use pullback_ir::Loc;

/// A kernel that type-checks but has no meaning. Found when the kernel is traced, before it is
/// launched; each message names the kernel, the place and the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// Something that must be a constant is computed, or a constant lies outside its range.
    #[error("kernel `{kernel}`, {loc}: {message}")]
    Trace {
        /// The kernel.
        kernel: String,
        /// The user's expression.
        loc: Loc,
        /// What is wrong, and what to write instead.
        message: String,
    },
    /// The verifier rejects the IR.
    #[error("kernel `{kernel}` does not verify: {message}")]
    Invalid {
        /// The kernel.
        kernel: String,
        /// What the verifier says.
        message: String,
    },
}

impl From<&Error> for Error {
    fn from(e: &Error) -> Self {
        e.clone()
    }
}
