//! Optimisers find known minima, stop as they are told, and refuse what is not finite.
#![allow(clippy::unwrap_used, reason = "a test")]

use pullback_optim::{
    Adam, Bfgs, Criteria, Error, GradientDescent, Optimizer, Parameter, Report, Seed, Stop, minimise,
};

/// Σ aᵢ (xᵢ - i)²: the minimum is 0 at (0, 1, 2, …).
fn bowl<T: Parameter>(x: &[T]) -> Result<(f64, Vec<T>), Error> {
    let weight = [1.0, 3.0, 10.0];
    let off: Vec<f64> = x.iter().enumerate().map(|(i, x)| x.to_f64() - i as f64).collect();
    let loss = off.iter().zip(weight).map(|(o, a)| a * o * o).sum();
    Ok((loss, off.iter().zip(weight).map(|(o, a)| T::from_f64(2.0 * a * o)).collect()))
}

fn rosenbrock(x: &[f64]) -> Result<(f64, Vec<f64>), Error> {
    let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
    Ok((a * a + 100.0 * b * b, vec![-2.0 * a - 400.0 * x[0] * b, 200.0 * b]))
}

fn descend(mut optimizer: impl Optimizer, tolerance: f64) -> Report {
    let mut x = [5.0f64, 5.0, 5.0];
    let criteria = Criteria { iterations: 5000, gradient: 1e-10, ..Criteria::default() };
    let report = minimise(&mut optimizer, &mut x, &criteria, bowl).unwrap();
    for (i, x) in x.iter().enumerate() {
        assert!((x - i as f64).abs() < tolerance, "{x} for {i}: {report:?}");
    }
    report
}

#[test]
fn descent_finds_the_bottom_of_a_bowl() {
    let plain = descend(GradientDescent::new(0.05), 1e-9);
    assert_eq!(plain.stop, Stop::Gradient);
    descend(GradientDescent::new(0.02).momentum(0.9), 1e-9);
    descend(Adam::new(0.05), 1e-6);
}

#[test]
fn f32_parameters_converge_to_their_precision() {
    let mut x = [5.0f32, 5.0, 5.0];
    minimise(&mut Adam::new(0.05), &mut x, &Criteria::default(), bowl).unwrap();
    assert!((x[2] - 2.0).abs() < 1e-4, "{x:?}");
    let mut x = [5.0f32, 5.0, 5.0];
    Bfgs::default().minimise(&mut x, &Criteria { gradient: 1e-5, ..Criteria::default() }, bowl).unwrap();
    assert!((x[2] - 2.0).abs() < 1e-5, "{x:?}");
}

#[test]
fn bfgs_follows_the_valley() {
    for seed in [Seed::FirstStep(0.1), Seed::Differences(1e-4)] {
        let mut x = [-1.2, 1.0];
        let report = Bfgs { seed, ..Bfgs::default() }.minimise(&mut x, &Criteria::default(), rosenbrock).unwrap();
        assert!((x[0] - 1.0).abs() < 1e-7 && (x[1] - 1.0).abs() < 1e-7, "{x:?}, {report:?}");
        assert!(report.evaluations < 80, "{report:?}");
    }
}

#[test]
fn bfgs_with_differences_solves_a_quadratic_in_one_step() {
    let mut x = [9.0, -4.0, 7.0];
    let bfgs = Bfgs { seed: Seed::Differences(1e-3), ..Bfgs::default() };
    let report = bfgs.minimise(&mut x, &Criteria { gradient: 1e-6, ..Criteria::default() }, bowl).unwrap();
    assert_eq!((report.iterations, report.evaluations), (1, 5), "{report:?}");
}

#[test]
fn bfgs_shortens_steps_into_infinity() {
    // The loss x - ln x is infinite for x <= 0; its minimum is at 1.
    let mut x = [30.0];
    let bfgs = Bfgs { seed: Seed::FirstStep(100.0), ..Bfgs::default() };
    let report = bfgs.minimise(&mut x, &Criteria::default(), |x: &[f64]| {
        let loss = if x[0] > 0.0 { x[0] - x[0].ln() } else { f64::INFINITY };
        Ok::<_, Error>((loss, vec![1.0 - 1.0 / x[0]]))
    });
    assert!((x[0] - 1.0).abs() < 1e-6, "{x:?}, {report:?}");
}

#[test]
fn criteria_end_the_search() {
    let mut x = [5.0, 5.0, 5.0];
    let criteria = Criteria { iterations: 3, ..Criteria::default() };
    let report = minimise(&mut GradientDescent::new(1e-3), &mut x, &criteria, bowl).unwrap();
    assert_eq!((report.stop, report.iterations, report.evaluations), (Stop::Iterations, 3, 4));
    let criteria = Criteria { loss: 1e-2, ..Criteria::default() };
    let report = minimise(&mut GradientDescent::new(0.05), &mut x, &criteria, bowl).unwrap();
    assert!(report.stop == Stop::Loss && report.loss <= 1e-2);
    let criteria = Criteria { step: 1e-3, ..Criteria::default() };
    let report = minimise(&mut GradientDescent::new(0.05), &mut x, &criteria, bowl).unwrap();
    assert_eq!(report.stop, Stop::Step);
}

#[test]
fn what_is_not_finite_is_refused() {
    let mut x = [1.0];
    let nan = |_: &[f64]| Ok::<_, Error>((f64::NAN, vec![0.0]));
    let loss = minimise(&mut Adam::new(0.1), &mut x, &Criteria::default(), nan);
    assert!(matches!(loss, Err(Error::Loss { .. })), "{loss:?}");
    let loss = Bfgs::default().minimise(&mut x, &Criteria::default(), nan);
    assert!(matches!(loss, Err(Error::Loss { .. })), "{loss:?}");
    let steep = |_: &[f64]| Ok::<_, Error>((1.0, vec![f64::INFINITY]));
    let gradient = minimise(&mut Adam::new(0.1), &mut x, &Criteria::default(), steep);
    assert!(matches!(gradient, Err(Error::Gradient { index: 0, .. })), "{gradient:?}");
    let gradient = Bfgs::default().minimise(&mut x, &Criteria::default(), steep);
    assert!(matches!(gradient, Err(Error::Gradient { index: 0, .. })), "{gradient:?}");
}

#[test]
fn misuse_is_an_error() {
    let short = GradientDescent::new(0.1).step(&mut [1.0, 2.0], 0.0, &[1.0]);
    assert_eq!(short, Err(Error::Length { found: 1, expected: 2 }));
    let mut adam = Adam::new(0.1);
    adam.step(&mut [1.0], 0.0, &[1.0]).unwrap();
    assert_eq!(adam.step(&mut [1.0, 2.0], 0.0, &[1.0, 1.0]), Err(Error::Changed { found: 2, expected: 1 }));
    let rate = GradientDescent::new(-1.0).step(&mut [1.0], 0.0, &[1.0]);
    assert!(matches!(rate, Err(Error::Setting { setting: "rate", .. })), "{rate:?}");
    // A gradient that points the wrong way.
    let wrong = Bfgs::default()
        .minimise(&mut [1.0], &Criteria::default(), |x: &[f64]| Ok::<_, Error>((x[0] * x[0], vec![-2.0 * x[0]])));
    assert!(matches!(wrong, Err(Error::NoDescent { .. })), "{wrong:?}");
}
