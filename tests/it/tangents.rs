//! Tangent kernels of random kernels, by the interpreter: they do what the primal does, bit for bit, and
//! with the adjoint they satisfy ⟨w, J v⟩ = ⟨Jᵀ w, v⟩. Both hold at kinks and ties too.

use crate::generator::{ARRAYS, LEN, THREADS, kernel};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use pullback_autodiff::{Request, TangentRequest, forward, reverse};
use pullback_ir::interp::{Arg, ArrayData, Limits, Records, run};
use pullback_ir::{Constant, Element, Kernel, Scalar, verify};

const TRIPS: i64 = 3;
const ALL: usize = ARRAYS * LEN;

fn values() -> Vec<f64> {
    (0..ALL).map(|i| 0.35 + 0.9 * ((i * 37 % 23) as f64 / 23.0) - 0.6 * (i % 3) as f64).collect()
}
fn direction(k: usize) -> Vec<f64> {
    (0..ALL).map(|i| ((i * (29 + 2 * k) + 5 * k) % 17) as f64 / 8.5 - 0.9).collect()
}

fn arrays(element: &Element, values: &[f64]) -> Vec<Arg> {
    values.chunks(LEN).map(|v| Arg::Array(ArrayData::from_f64s(element.clone(), &[LEN], v))).collect()
}
fn numbers(args: &[Arg]) -> Vec<f64> {
    args.iter().flat_map(|a| if let Arg::Array(a) = a { a.to_f64s() } else { vec![] }).collect()
}
fn launch(kernel: &Kernel, args: &mut [Arg], records: &mut Records) {
    let limits = Limits { fuel: 4_000_000, ..Limits::default() };
    run(&verify(kernel).unwrap(), &[THREADS], args, records, &limits).unwrap();
}

/// Contents, and the tangents of each column, after one launch.
fn push(kernel: &Kernel, scalar: Scalar, tangents: &[&[f64]]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let columns = tangents.len();
    let request = TangentRequest { columns: columns as u32, ..TangentRequest::default() };
    let tangent = forward(&verify(kernel).unwrap(), &request).unwrap();
    let element = Element::scalar(scalar);
    let mut args = arrays(&element, &values());
    args.push(Arg::Scalar(Constant::I64(TRIPS)));
    let each: Vec<Vec<Arg>> = tangents.iter().map(|t| arrays(&element, t)).collect();
    args.extend((0..ARRAYS).flat_map(|i| each.iter().map(move |column| column[i].clone())));
    launch(&tangent.kernel, &mut args, &mut Records::default());
    let (contents, tangents) = args.split_at(ARRAYS + 1);
    let column = |c: usize| tangents.iter().skip(c).step_by(columns).flat_map(|a| numbers(std::slice::from_ref(a)));
    (numbers(contents), (0..columns).map(|c| column(c).collect()).collect())
}

/// Contents after one launch, and cotangents before it.
fn pull(kernel: &Kernel, scalar: Scalar, cotangents: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let adjoint = reverse(&verify(kernel).unwrap(), &Request::default()).unwrap();
    let element = Element::scalar(scalar);
    let mut before = arrays(&element, &values());
    before.push(Arg::Scalar(Constant::I64(TRIPS)));
    let (mut after, mut records) = (before.clone(), Records::default());
    launch(adjoint.augmented.as_ref().unwrap_or(kernel), &mut after, &mut records);
    before.extend(arrays(&element, cotangents));
    launch(&adjoint.kernel, &mut before, &mut records);
    (numbers(&after), numbers(&before[ARRAYS + 1..]))
}

fn fault(kernel: &Kernel, scalar: Scalar) -> Option<String> {
    let (v, w) = (direction(1), direction(2));
    let (contents, pushed) = push(kernel, scalar, &[&v]);
    let (expected, pulled) = pull(kernel, scalar, &w);
    if contents.iter().zip(&expected).any(|(a, b)| a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan())) {
        return Some(format!("contents {contents:?}, but the primal gives {expected:?}"));
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let size = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a * b).abs()).sum::<f64>();
    let (left, right) = (dot(&w, &pushed[0]), dot(&pulled, &v));
    let scale = size(&w, &pushed[0]).max(size(&pulled, &v)).max(1.0);
    // Cancellation inside a kernel may cost more than the two sums show.
    let close = if scalar == Scalar::F64 { 1e-9 } else { 2e-2 };
    if (left - right).abs() > close * scale || !(left - right).is_finite() {
        return Some(format!("⟨w, J v⟩ = {left}, ⟨Jᵀ w, v⟩ = {right}"));
    }
    // Two columns are the same as one and then the other.
    let (_, second) = push(kernel, scalar, &[&w]);
    let (_, both) = push(kernel, scalar, &[&v, &w]);
    let same = both[0] == pushed[0] && both[1] == second[0];
    (!same).then(|| format!("two columns give {both:?}, one each {pushed:?} and {second:?}"))
}

#[test]
fn tangents_and_adjoints_of_random_kernels_are_transposes() {
    let cases = std::env::var("PULLBACK_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(400);
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let outcome = runner.run(&(prop::collection::vec(any::<u32>(), 10..160), any::<bool>()), |(choices, narrow)| {
        let scalar = if narrow { Scalar::F32 } else { Scalar::F64 };
        let kernel = kernel(&choices, scalar);
        let fault = fault(&kernel, scalar);
        prop_assert!(fault.is_none(), "{}\n{kernel}", fault.unwrap_or_default());
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
