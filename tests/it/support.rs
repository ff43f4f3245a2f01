//! Gradients of programs by the tape and by central differences.

use pullback::Error;
use pullback::prelude::*;

type Result<T> = std::result::Result<T, Error>;

/// Records `run` on arrays made of `inputs`; the gradient of the single number that it returns.
pub fn gradient(inputs: &[&[f64]], run: impl Fn(&mut Tape, &mut [Array<f64>]) -> Result<Array<f64>>) -> Vec<Vec<f64>> {
    value_and_gradient(inputs, &run).1
}

fn value_and_gradient(
    inputs: &[&[f64]],
    run: &impl Fn(&mut Tape, &mut [Array<f64>]) -> Result<Array<f64>>,
) -> (f64, Vec<Vec<f64>>) {
    let device = Device::cpu();
    let mut tape = Tape::new(&device);
    let mut arrays: Vec<Array<f64>> = inputs.iter().map(|x| Array::from_slice(&device, x)).collect();
    let loss = run(&mut tape, &mut arrays).unwrap();
    tape.backward(&loss).unwrap();
    let gradients = arrays.iter().map(|a| tape.grad(a).unwrap().to_vec().unwrap()).collect();
    (loss.to_vec().unwrap()[0], gradients)
}

fn value(inputs: &[Vec<f64>], run: &impl Fn(&mut Tape, &mut [Array<f64>]) -> Result<Array<f64>>) -> f64 {
    let device = Device::cpu();
    let mut arrays: Vec<Array<f64>> = inputs.iter().map(|x| Array::from_slice(&device, x)).collect();
    let loss = run(&mut Tape::new(&device), &mut arrays).unwrap();
    loss.to_vec().unwrap()[0]
}

/// Compares every entry of the gradient with central differences of fourth order.
#[track_caller]
pub fn check(inputs: &[&[f64]], tolerance: f64, run: impl Fn(&mut Tape, &mut [Array<f64>]) -> Result<Array<f64>>) {
    let (_, gradients) = value_and_gradient(inputs, &run);
    let scale = gradients.iter().flatten().fold(1e-3, |m: f64, g| m.max(g.abs()));
    for (k, input) in inputs.iter().enumerate() {
        for i in 0..input.len() {
            let h = 1e-3 * input[i].abs().max(0.1);
            let at = |steps: f64| {
                let mut moved: Vec<Vec<f64>> = inputs.iter().map(|x| x.to_vec()).collect();
                moved[k][i] += steps * h;
                value(&moved, &run)
            };
            let difference = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h);
            let gradient = gradients[k][i];
            assert!(
                (gradient - difference).abs() <= tolerance * scale,
                "input {k}[{i}]: gradient {gradient}, differences {difference}"
            );
        }
    }
}

/// Equal to a relative tolerance.
#[track_caller]
pub fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * b.abs().max(1e-300), "{a} is not {b}");
}
