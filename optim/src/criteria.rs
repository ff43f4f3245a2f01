//! When an optimisation ends, and how it ended.

/// When an optimisation ends: as soon as one of these is met. A tolerance of 0 is never met unless
/// the quantity is exactly 0 (loss and gradient) or never (step).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Criteria {
    /// Steps at most.
    pub iterations: usize,
    /// Ends when the loss is at most this.
    pub loss: f64,
    /// Ends when no component of the gradient is larger than this.
    pub gradient: f64,
    /// Ends when no parameter changed by more than this in a step.
    pub step: f64,
}

impl Default for Criteria {
    /// 1,000 iterations; gradient 10⁻⁹; nothing about loss and step.
    fn default() -> Self {
        Criteria { iterations: 1000, loss: f64::NEG_INFINITY, gradient: 1e-9, step: 0.0 }
    }
}

/// Why an optimisation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The loss is small enough.
    Loss,
    /// The gradient is small enough.
    Gradient,
    /// The last step was small enough.
    Step,
    /// The loss cannot be lowered further within rounding.
    Precision,
    /// There were as many iterations as were allowed.
    Iterations,
}

/// How an optimisation ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Why.
    pub stop: Stop,
    /// The lowest loss, that of the parameters given back.
    pub loss: f64,
    /// The largest component of the gradient there, in absolute value.
    pub gradient: f64,
    /// Steps taken.
    pub iterations: usize,
    /// Losses and gradients computed.
    pub evaluations: usize,
}

impl Criteria {
    /// Whether it ends here, before a further step.
    pub(crate) fn met(&self, loss: f64, gradient: f64, step: f64, iterations: usize) -> Option<Stop> {
        if loss <= self.loss {
            Some(Stop::Loss)
        } else if gradient <= self.gradient {
            Some(Stop::Gradient)
        } else if iterations > 0 && step < self.step {
            Some(Stop::Step)
        } else if iterations >= self.iterations {
            Some(Stop::Iterations)
        } else {
            None
        }
    }
}

/// The largest component in absolute value.
pub(crate) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |max, v| f64::max(max, v.abs()))
}
