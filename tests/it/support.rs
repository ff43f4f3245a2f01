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

/// A program that records on a tape what it does to arrays of numbers; the loss is a weighted sum of the
/// array that it gives.
pub type Program<R> = fn(&mut Tape, &mut [Array<R>]) -> Result<Array<R>>;

/// The output and the gradients of a program in one precision, as f64s. No weights are weights of 1.
pub fn outcome<R: Real>(program: Program<R>, inputs: &[&[f64]], weights: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let device = Device::cpu();
    let array = |v: &[f64]| Array::from_slice(&device, &v.iter().map(|&v| R::lit(v)).collect::<Vec<R>>());
    let wide = |a: &Array<R>| a.to_vec().unwrap().into_iter().map(R::to_f64).collect::<Vec<f64>>();
    let mut tape = Tape::new(&device);
    let arrays: Vec<Array<R>> = inputs.iter().map(|x| array(x)).collect();
    let mut given = arrays.clone();
    let out = program(&mut tape, &mut given).unwrap();
    let weights = if weights.is_empty() { vec![1.0; out.len()] } else { weights.to_vec() };
    tape.backward_with(&[(&out, &array(&weights))]).unwrap();
    (wide(&out), arrays.iter().map(|a| wide(&tape.grad(a).unwrap())).collect())
}

/// Each entry right, to a tolerance relative to the larger of 1 and the largest entry.
#[track_caller]
pub fn close(what: &str, found: &[f64], right: &[f64], tolerance: f64) {
    assert_eq!(found.len(), right.len(), "{what}");
    let size = right.iter().fold(1.0, |m: f64, r| m.max(r.abs()));
    for (f, r) in found.iter().zip(right) {
        assert!((f - r).abs() <= tolerance * size, "{what}: {found:?}, not {right:?}");
    }
}

/// Output and gradients as they should be.
#[track_caller]
pub fn agree(what: &str, found: &(Vec<f64>, Vec<Vec<f64>>), out: &[f64], gradients: &[&[f64]], tolerance: f64) {
    close(&format!("{what}, output"), &found.0, out, tolerance);
    assert_eq!(found.1.len(), gradients.len(), "{what}");
    for (i, (f, r)) in found.1.iter().zip(gradients).enumerate() {
        close(&format!("{what}, gradient of input {i}"), f, r, tolerance);
    }
}

/// The closed form of a program's output and of the gradient with respect to each input, in f64 and f32.
macro_rules! right {
    ($program:ident at $($x:expr),+; $(weights $w:expr;)? out $out:expr; grad $($g:expr),+) => {{
        let none: &[f64] = &[];
        let weights = [none $(, &$w)?].concat();
        let (inputs, gradients): (&[&[f64]], &[&[f64]]) = (&[$(&$x),+], &[$(&$g),+]);
        let found = $crate::support::outcome::<f64>($program, inputs, &weights);
        $crate::support::agree("f64", &found, &$out, gradients, 1e-9);
        let found = $crate::support::outcome::<f32>($program, inputs, &weights);
        $crate::support::agree("f32", &found, &$out, gradients, 3e-5);
    }};
}
pub(crate) use right;

/// A program against central differences in f64 to 1e-7, its f32 form against its f64 form, and both
/// against figures with six digits.
macro_rules! by_differences {
    ($program:ident at $($x:expr),+; out $out:expr; grad $($g:expr),+) => {{
        let (inputs, gradients): (&[&[f64]], &[&[f64]]) = (&[$(&$x),+], &[$(&$g),+]);
        $crate::support::check(inputs, 1e-7, $program::<f64>);
        let wide = $crate::support::outcome::<f64>($program, inputs, &[]);
        $crate::support::agree("f64", &wide, &$out, gradients, 6e-6);
        let narrow = $crate::support::outcome::<f32>($program, inputs, &[]);
        let right: Vec<&[f64]> = wide.1.iter().map(Vec::as_slice).collect();
        $crate::support::agree("f32", &narrow, &wide.0, &right, 1e-3);
    }};
}
pub(crate) use by_differences;

/// A new array of zeros.
pub fn zeros<R: Real>(len: usize) -> Array<R> {
    Array::zeros(&Device::cpu(), [len])
}
