//! First-order optimisers: one gradient a step, no search.

use crate::criteria::{Criteria, Report, largest};
use crate::error::{Error, check, setting};
use crate::parameter::{Parameter, to_f64};

/// Moves parameters by one gradient at a time.
pub trait Optimizer {
    /// Changes `parameters`, given the gradient of the loss there.
    ///
    /// # Errors
    /// [`Error::Length`] and [`Error::Gradient`] for a gradient that does not fit or is not finite,
    /// [`Error::Changed`] for another number of parameters than before, [`Error::Setting`].
    fn step<T: Parameter>(&mut self, parameters: &mut [T], loss: f64, gradient: &[T]) -> Result<(), Error>;
}

/// Gradient descent with momentum: u ← m u - r g; x ← x + u. Without momentum it is plain descent.
///
/// B. T. Polyak, "Some methods of speeding up the convergence of iteration methods" (1964).
#[derive(Clone, Debug)]
pub struct GradientDescent {
    /// Learning rate r: the step for a unit gradient.
    pub rate: f64,
    /// Momentum m, in [0, 1): how much of the last step goes on.
    pub momentum: f64,
    velocity: Vec<f64>,
}

impl GradientDescent {
    /// Plain descent with this learning rate.
    pub fn new(rate: f64) -> Self {
        GradientDescent { rate, momentum: 0.0, velocity: Vec::new() }
    }
    /// The same with momentum.
    pub fn momentum(self, momentum: f64) -> Self {
        GradientDescent { momentum, ..self }
    }
}

impl Optimizer for GradientDescent {
    fn step<T: Parameter>(&mut self, parameters: &mut [T], loss: f64, gradient: &[T]) -> Result<(), Error> {
        setting("GradientDescent", "rate", self.rate, self.rate > 0.0, "positive")?;
        setting("GradientDescent", "momentum", self.momentum, (0.0..1.0).contains(&self.momentum), "in [0, 1)")?;
        let gradient = to_f64(gradient);
        check(loss, &gradient, parameters.len(), 0)?;
        begin(&mut self.velocity, parameters.len())?;
        for ((x, u), g) in parameters.iter_mut().zip(&mut self.velocity).zip(gradient) {
            *u = self.momentum * *u - self.rate * g;
            *x = T::from_f64(x.to_f64() + *u);
        }
        Ok(())
    }
}

/// Adam: steps of about the learning rate in each parameter, whatever the gradient's scale.
///
/// D. P. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization" (2015), algorithm 1.
#[derive(Clone, Debug)]
pub struct Adam {
    /// Learning rate α.
    pub rate: f64,
    /// Decay β₁ of the mean of gradients, in [0, 1).
    pub beta1: f64,
    /// Decay β₂ of the mean of their squares, in [0, 1).
    pub beta2: f64,
    /// ε, which keeps the division from 0.
    pub epsilon: f64,
    steps: i32,
    mean: Vec<f64>,
    square: Vec<f64>,
}

impl Adam {
    /// With this learning rate, and β₁ = 0.9, β₂ = 0.999, ε = 10⁻⁸ as in the paper.
    pub fn new(rate: f64) -> Self {
        Adam { rate, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, steps: 0, mean: Vec::new(), square: Vec::new() }
    }
}

impl Optimizer for Adam {
    fn step<T: Parameter>(&mut self, parameters: &mut [T], loss: f64, gradient: &[T]) -> Result<(), Error> {
        setting("Adam", "rate", self.rate, self.rate > 0.0, "positive")?;
        setting("Adam", "beta1", self.beta1, (0.0..1.0).contains(&self.beta1), "in [0, 1)")?;
        setting("Adam", "beta2", self.beta2, (0.0..1.0).contains(&self.beta2), "in [0, 1)")?;
        setting("Adam", "epsilon", self.epsilon, self.epsilon > 0.0, "positive")?;
        let gradient = to_f64(gradient);
        check(loss, &gradient, parameters.len(), 0)?;
        begin(&mut self.mean, parameters.len())?;
        begin(&mut self.square, parameters.len())?;
        self.steps = self.steps.saturating_add(1);
        let (bias1, bias2) = (1.0 - self.beta1.powi(self.steps), 1.0 - self.beta2.powi(self.steps));
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((x, (mean, square)), g) in parameters.iter_mut().zip(moments).zip(gradient) {
            *mean += (1.0 - self.beta1) * (g - *mean);
            *square += (1.0 - self.beta2) * (g * g - *square);
            let step = self.rate * (*mean / bias1) / ((*square / bias2).sqrt() + self.epsilon);
            *x = T::from_f64(x.to_f64() - step);
        }
        Ok(())
    }
}

/// Sets up what an optimiser remembers, at the first step.
fn begin(memory: &mut Vec<f64>, parameters: usize) -> Result<(), Error> {
    if memory.is_empty() {
        memory.resize(parameters, 0.0);
    }
    match memory.len() == parameters {
        true => Ok(()),
        false => Err(Error::Changed { found: parameters, expected: memory.len() }),
    }
}

/// Steps until one of the criteria is met. `evaluate` gives the loss and its gradient at parameters; the
/// parameters left are those with the lowest loss.
///
/// # Errors
/// Those of `evaluate` and of [`Optimizer::step`], and [`Error::Loss`] if a loss is not finite.
pub fn minimise<T: Parameter, E: From<Error>>(
    optimizer: &mut impl Optimizer,
    parameters: &mut [T],
    criteria: &Criteria,
    mut evaluate: impl FnMut(&[T]) -> Result<(f64, Vec<T>), E>,
) -> Result<Report, E> {
    let mut best = (f64::INFINITY, f64::INFINITY, parameters.to_vec());
    let mut step = f64::INFINITY;
    let mut iterations = 0;
    loop {
        let (loss, gradient) = evaluate(parameters)?;
        let wide = to_f64(&gradient);
        check(loss, &wide, parameters.len(), iterations)?;
        let size = largest(&wide);
        if loss <= best.0 {
            best = (loss, size, parameters.to_vec());
        }
        if let Some(stop) = criteria.met(loss, size, step, iterations) {
            parameters.copy_from_slice(&best.2);
            return Ok(Report { stop, loss: best.0, gradient: best.1, iterations, evaluations: iterations + 1 });
        }
        let before = to_f64(parameters);
        optimizer.step(parameters, loss, &gradient)?;
        step = before.iter().zip(&*parameters).fold(0.0, |max, (b, x)| f64::max(max, (x.to_f64() - b).abs()));
        iterations += 1;
    }
}
