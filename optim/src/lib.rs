//! Gradient-based optimisers.
//!
//! They run on the host, over a flat slice of parameters (`f32` or `f64`) and a function that gives the
//! loss and its gradient there, most often by a [`Tape`](pullback_runtime::Tape):
//!
//! | optimiser | for |
//! |---|---|
//! | [`GradientDescent`] | many parameters; with momentum |
//! | [`Adam`] | many parameters of different scales, noisy gradients |
//! | [`Bfgs`] | few parameters and exact gradients: converges superlinearly |
//!
//! [`minimise`] drives the first two until a [`Criteria`] is met; one may also call
//! [`Optimizer::step`] in a loop of one's own. [`Bfgs::minimise`] has its own loop, as it searches along
//! each step. All compute in f64, and all refuse a loss or gradient that is not finite.
//!
//! ```
//! use pullback_optim::{Bfgs, Criteria};
//!
//! // Rosenbrock's valley.
//! let mut x = [-1.2, 1.0];
//! let report = Bfgs::default().minimise(&mut x, &Criteria::default(), |x| {
//!     let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
//!     Ok::<_, pullback_optim::Error>((a * a + 100.0 * b * b, vec![-2.0 * a - 400.0 * x[0] * b, 200.0 * b]))
//! })?;
//! assert!((x[0] - 1.0).abs() < 1e-6 && (x[1] - 1.0).abs() < 1e-6, "{report:?}");
//! # Ok::<(), pullback_optim::Error>(())
//! ```
#![forbid(unsafe_code)]

mod bfgs;
mod criteria;
mod descent;
mod error;
mod parameter;

pub use bfgs::{Bfgs, Seed};
pub use criteria::{Criteria, Report, Stop};
pub use descent::{Adam, GradientDescent, Optimizer, minimise};
pub use error::Error;
pub use parameter::Parameter;
