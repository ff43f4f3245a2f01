//! BFGS: a quasi-Newton method for few parameters and exact gradients.

use crate::criteria::{Criteria, Report, Stop, largest};
use crate::error::{Error, check, setting};
use crate::parameter::{Parameter, to_f64};

/// What the Hessian is taken to be at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Seed {
    /// A multiple of the identity, such that the first step has the length given; after that step it is
    /// scaled by what was learnt (Nocedal and Wright, eq. 6.20).
    FirstStep(f64),
    /// Differences of gradients: column j is (g(x + h eⱼ) - g(x)) / h for the h given, which costs a
    /// gradient a parameter. Pays where the loss is nearly quadratic and the parameters few.
    Differences(f64),
}

/// BFGS with an Armijo line search by halving.
///
/// J. Nocedal and S. J. Wright, "Numerical Optimization" (2nd ed., 2006), chapter 6: the approximate
/// Hessian B, kept as a dense matrix, is updated by eq. 6.19 wherever the curvature along the step is
/// positive. Memory n², time n³ a step for n parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bfgs {
    /// What the Hessian is taken to be at the start.
    pub seed: Seed,
    /// How often a step is halved before it is given up.
    pub halvings: usize,
}

impl Default for Bfgs {
    /// A first step of length 0.1, up to 40 halvings.
    fn default() -> Self {
        Bfgs { seed: Seed::FirstStep(0.1), halvings: 40 }
    }
}

/// The decrease of the loss that is asked for, as a fraction of what the gradient promises.
const ARMIJO: f64 = 1e-4;

/// The loss and gradient at a point.
struct Point {
    x: Vec<f64>,
    loss: f64,
    gradient: Vec<f64>,
}

impl Bfgs {
    /// Goes on until one of the criteria is met, or rounding lets the loss fall no further. `evaluate`
    /// gives the loss and its gradient at parameters. Where a trial step has a loss that is not finite it
    /// is halved, so `evaluate` may give an infinite loss (with any gradient) outside of what makes sense.
    ///
    /// # Errors
    /// Those of `evaluate`; [`Error::Loss`], [`Error::Gradient`] if they are not finite at the start or,
    /// the gradient, after a step; [`Error::Length`]; [`Error::Setting`]; [`Error::NoDescent`] if no step
    /// against the gradient lowers the loss.
    pub fn minimise<T: Parameter, E: From<Error>>(
        &self,
        parameters: &mut [T],
        criteria: &Criteria,
        mut evaluate: impl FnMut(&[T]) -> Result<(f64, Vec<T>), E>,
    ) -> Result<Report, E> {
        let n = parameters.len();
        let mut evaluations = 0;
        let mut at = |x: Vec<f64>| {
            let rounded: Vec<T> = x.iter().map(|&x| T::from_f64(x)).collect();
            let (loss, gradient) = evaluate(&rounded)?;
            evaluations += 1;
            Ok::<_, E>(Point { x: to_f64(&rounded), loss, gradient: to_f64(&gradient) })
        };
        let mut here = at(to_f64(parameters))?;
        check(here.loss, &here.gradient, n, 0)?;
        let mut hessian = self.seed(&here, &mut at)?;
        let mut step = f64::INFINITY;
        let mut iterations = 0;
        let mut restarted = false;
        let stop = loop {
            let size = largest(&here.gradient);
            if let Some(stop) = criteria.met(here.loss, size, step, iterations) {
                break stop;
            }
            let direction = hessian.solve(&here.gradient).filter(|d| dot(d, &here.gradient) > 0.0);
            let found = match direction {
                Some(direction) => self.search(&here, &direction, &mut at)?,
                None => None,
            };
            let Some(there) = found else {
                // From the gradient alone, once; then rounding is all that is left.
                let predicted = hessian.solve(&here.gradient).map_or(0.0, |d| dot(&d, &here.gradient));
                if predicted.abs() <= 1e-12 * here.loss.abs() && predicted != 0.0 {
                    break Stop::Precision;
                }
                if restarted {
                    return Err(Error::NoDescent { loss: here.loss, gradient: size }.into());
                }
                restarted = true;
                hessian = Hessian::scaled(n, norm(&here.gradient) / 1e-3);
                continue;
            };
            check(there.loss, &there.gradient, n, iterations + 1)?;
            let s = subtract(&there.x, &here.x);
            let y = subtract(&there.gradient, &here.gradient);
            if (iterations == 0 && matches!(self.seed, Seed::FirstStep(_))) || restarted {
                let curvature = dot(&y, &s);
                if curvature > 0.0 {
                    hessian = Hessian::scaled(n, dot(&y, &y) / curvature);
                }
            }
            restarted = false;
            hessian.update(&s, &y);
            step = largest(&s);
            here = there;
            iterations += 1;
        };
        for (p, x) in parameters.iter_mut().zip(&here.x) {
            *p = T::from_f64(*x);
        }
        Ok(Report { stop, loss: here.loss, gradient: largest(&here.gradient), iterations, evaluations })
    }

    fn seed<E: From<Error>>(
        &self,
        here: &Point,
        at: &mut impl FnMut(Vec<f64>) -> Result<Point, E>,
    ) -> Result<Hessian, E> {
        let n = here.x.len();
        match self.seed {
            Seed::FirstStep(length) => {
                setting("Bfgs", "seed", length, length > 0.0, "a positive length")?;
                Ok(Hessian::scaled(n, norm(&here.gradient).max(f64::MIN_POSITIVE) / length))
            }
            Seed::Differences(h) => {
                setting("Bfgs", "seed", h, h != 0.0 && h.is_finite(), "finite and not 0")?;
                let mut hessian = Hessian { n, rows: vec![0.0; n * n] };
                for j in 0..n {
                    let mut x = here.x.clone();
                    x[j] += h;
                    let shifted = at(x)?;
                    check(shifted.loss, &shifted.gradient, n, j + 1)?;
                    let h = shifted.x[j] - here.x[j];
                    for i in 0..n {
                        let slope = 0.5 * (shifted.gradient[i] - here.gradient[i]) / h;
                        hessian.rows[i * n + j] += slope;
                        hessian.rows[j * n + i] += slope;
                    }
                }
                Ok(if hessian.cholesky().is_some() {
                    hessian
                } else {
                    Hessian::scaled(n, norm(&here.gradient).max(f64::MIN_POSITIVE) / 0.1)
                })
            }
        }
    }

    /// The first of the steps -d, -d/2, -d/4, … that lowers the loss enough (Nocedal and Wright,
    /// algorithm 3.1).
    fn search<E>(
        &self,
        here: &Point,
        direction: &[f64],
        at: &mut impl FnMut(Vec<f64>) -> Result<Point, E>,
    ) -> Result<Option<Point>, E> {
        let slope = dot(direction, &here.gradient);
        let mut length = 1.0;
        for _ in 0..=self.halvings {
            let x: Vec<f64> = here.x.iter().zip(direction).map(|(x, d)| x - length * d).collect();
            let there = at(x)?;
            if there.x == here.x {
                return Ok(None);
            }
            if there.loss <= here.loss - ARMIJO * length * slope {
                return Ok(Some(there));
            }
            length *= 0.5;
        }
        Ok(None)
    }
}

/// The approximate Hessian, row by row.
struct Hessian {
    n: usize,
    rows: Vec<f64>,
}

impl Hessian {
    /// A multiple of the identity.
    fn scaled(n: usize, factor: f64) -> Self {
        let mut rows = vec![0.0; n * n];
        for i in 0..n {
            rows[i * n + i] = factor;
        }
        Hessian { n, rows }
    }

    /// B + y yᵀ / (y·s) - B s sᵀ B / (s·B s), if the curvature y·s is positive.
    fn update(&mut self, s: &[f64], y: &[f64]) {
        let n = self.n;
        let bs: Vec<f64> = self.rows.chunks(n.max(1)).map(|row| dot(row, s)).collect();
        let (curvature, old) = (dot(y, s), dot(s, &bs));
        if curvature <= 1e-12 * norm(y) * norm(s) || old <= 0.0 {
            return;
        }
        for i in 0..n {
            for j in 0..n {
                self.rows[i * n + j] += y[i] * y[j] / curvature - bs[i] * bs[j] / old;
            }
        }
    }

    /// The lower Cholesky factor, if the matrix is positive definite.
    fn cholesky(&self) -> Option<Vec<f64>> {
        let n = self.n;
        let mut l = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                let sum = self.rows[i * n + j] - dot(&l[i * n..i * n + j], &l[j * n..j * n + j]);
                if i != j {
                    l[i * n + j] = sum / l[j * n + j];
                } else if sum > 0.0 && sum.is_finite() {
                    l[i * n + i] = sum.sqrt();
                } else {
                    return None;
                }
            }
        }
        Some(l)
    }

    /// B⁻¹ g, if B is positive definite.
    fn solve(&self, g: &[f64]) -> Option<Vec<f64>> {
        let n = self.n;
        let l = self.cholesky()?;
        let mut x = g.to_vec();
        for i in 0..n {
            x[i] = (x[i] - dot(&l[i * n..i * n + i], &x[..i])) / l[i * n + i];
        }
        for i in (0..n).rev() {
            let below: f64 = (i + 1..n).map(|k| l[k * n + i] * x[k]).sum();
            x[i] = (x[i] - below) / l[i * n + i];
        }
        Some(x)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn subtract(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}
