//! Passes: each reads a kernel and builds another that does the same.
//!
//! [`simplify`] folds constants, unrolls small loops and shares equal computations; [`forward`] feeds
//! loads from earlier stores and loads; [`dce`] drops what nothing needs; [`inline`] replaces computations
//! with derivatives of their own by what they compute. [`optimize`] runs them in
//! the order that pays.

mod dce;
mod fold;
mod forward;
mod inline;
mod rebuild;
mod simplify;

pub use dce::dce;
pub use fold::fold;
pub use forward::{distinct, forward};
pub use inline::inline;
pub use rebuild::Rebuild;
pub use simplify::simplify;

use crate::kernel::Kernel;

/// Simplifies a kernel for differentiation: afterwards equal pure computations of a region are one
/// value, and a load that an earlier access of the same element answers is gone.
pub fn optimize(kernel: &Kernel) -> Kernel {
    let kernel = simplify(kernel);
    let kernel = forward(&kernel);
    dce(&simplify(&kernel))
}

#[cfg(test)]
mod tests;
