//! What can go wrong with a model or a step.

/// An error of a model's builder or of a stepper. Each names the item, counted from 0 in the order in
/// which items of its kind were added.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number that is infinite or NaN.
    #[error("{item}: {field} is {value}, but must be finite")]
    NotFinite {
        /// The item, as `particle 3`.
        item: String,
        /// Its field.
        field: &'static str,
        /// What was given.
        value: f64,
    },
    /// A number that must be above zero.
    #[error("{item}: {field} is {value}, but must be positive")]
    NotPositive {
        /// The item.
        item: String,
        /// Its field.
        field: &'static str,
        /// What was given.
        value: f64,
    },
    /// A number that must not be below zero.
    #[error("{item}: {field} is {value}, but must not be negative")]
    Negative {
        /// The item.
        item: String,
        /// Its field.
        field: &'static str,
        /// What was given.
        value: f64,
    },
    /// Moments of inertia that no body has.
    #[error(
        "{item}: no body has the principal moments of inertia {moments:?} kg·m²: each must be positive and at most \
         the sum of the other two"
    )]
    Inertia {
        /// The body.
        item: String,
        /// What was given, kg·m².
        moments: [f64; 3],
    },
    /// A quaternion or a vector that gives a direction and is zero.
    #[error("{item}: {field} is zero, but must have a direction")]
    NoDirection {
        /// The item.
        item: String,
        /// Its field.
        field: &'static str,
    },
    /// A particle or body that the model has not got.
    #[error("{item}: there is no {kind} {index}; the model has {count} (counted from 0)")]
    Unknown {
        /// The item that names it.
        item: String,
        /// `particle` or `body`.
        kind: &'static str,
        /// The number that was given.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A spring from something to itself, or from the world to the world.
    #[error("{item}: both ends are at {end}; a spring joins two different things")]
    SameEnds {
        /// The spring.
        item: String,
        /// What both ends are fixed to.
        end: String,
    },
    /// Something fixed that is to move.
    #[error("{item} is fixed, but was given a velocity; what is fixed stays where it is")]
    FixedMoves {
        /// The item.
        item: String,
    },
    /// More items than a 32-bit index can count.
    #[error("the model has {count} {kind}, but can have at most {}", i32::MAX)]
    TooMany {
        /// Of what, as `springs`.
        kind: &'static str,
        /// How many.
        count: usize,
    },
    /// A state or control that was made for another model.
    #[error(
        "{what} has {found} elements, but the model has {expected} {kind}; use `model.state()` and `model.control()`"
    )]
    Mismatch {
        /// The array, as `state.particles.position`.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length that fits.
        expected: usize,
        /// Of what, as `particles`.
        kind: &'static str,
    },
    /// A stepper that does not know how to move something in the model.
    #[error("{stepper} moves particles only, but the model has {bodies} bodies; use `SemiImplicitEuler`")]
    BodiesUnsupported {
        /// The stepper.
        stepper: &'static str,
        /// How many bodies there are.
        bodies: usize,
    },
    /// An error of the runtime: memory, launches, kernels.
    #[error(transparent)]
    Runtime(#[from] pullback_runtime::Error),
}
