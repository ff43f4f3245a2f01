//! Tangent kernels of random kernels, by the interpreter: they do what the primal does, bit for bit, and
//! with the adjoint they satisfy ⟨w, J v⟩ = ⟨Jᵀ w, v⟩. Both hold at kinks and ties too.
//! And walked back on a tape they give second derivatives, which are the differences of gradients.

use crate::generator::{ARRAYS, LEN, THREADS, kernel};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use pullback::lang::{ArgValue, Args, ArrayArg, KernelHandle};
use pullback::prelude::*;
use pullback_autodiff::{Request, TangentRequest, forward, reverse};
use pullback_ir::interp::{Arg, ArrayData, Limits, Records, run};
use pullback_ir::{Constant, Element, Kernel, Scalar, verify};
use std::sync::Arc;

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

/// Gradients of two launches over three arrays, with weights on what they leave; and, along a direction in
/// which the arrays move at first, the derivative of the gradient.
fn derivatives(kernel: &Arc<KernelHandle>, values: &[f64], direction: Option<&[f64]>) -> Vec<f64> {
    let device = Device::cpu();
    let arrays = |all: &[f64]| all.chunks(LEN).map(|v| Array::from_slice(&device, v)).collect::<Vec<Array<f64>>>();
    let (x, seeds) = (arrays(values), arrays(&self::direction(3)));
    let mut tape = Tape::new(&device);
    for (x, v) in x.iter().zip(&arrays(direction.unwrap_or(&[]))) {
        tape.set_tangent(x, v).unwrap();
    }
    for order in [[0, 1, 2], [1, 2, 0]] {
        let mut args = Args::default();
        order.iter().for_each(|&k| args.push(ArgValue::Array(ArrayArg::handle(&x[k]))));
        args.push(ArgValue::Scalar(Constant::I64(TRIPS)));
        tape.launch(&Call::new(kernel.clone(), THREADS, args)).unwrap();
    }
    let ends: Vec<Array<f64>> = match direction {
        Some(_) => x.iter().map(|x| tape.tangent(x)).collect(),
        None => x.clone(),
    };
    let pairs: Vec<_> = ends.iter().zip(&seeds).collect();
    tape.backward_with(&pairs).unwrap();
    x.iter().flat_map(|x| tape.grad(x).unwrap().to_vec().unwrap()).collect()
}

/// What is wrong with the second derivatives of a kernel; counts the entries compared, and those at kinks.
fn second_fault(kernel: &Kernel, counts: &mut (usize, usize)) -> Option<String> {
    let handle = KernelHandle::from_ir("random", kernel.clone());
    let (start, v) = (values(), direction(1));
    let at = |h: f64| {
        let moved: Vec<f64> = start.iter().zip(&v).map(|(x, v)| x + h * v).collect();
        derivatives(&handle, &moved, None)
    };
    let slopes = |h: f64| {
        let (near, far) = ((at(h), at(-h)), (at(2.0 * h), at(-2.0 * h)));
        (0..ALL).map(move |k| (8.0 * (near.0[k] - near.1[k]) - (far.0[k] - far.1[k])) / (12.0 * h)).collect::<Vec<_>>()
    };
    let found = derivatives(&handle, &start, Some(&v));
    let (coarse, fine) = (slopes(1e-4), slopes(3e-5));
    let scale = fine.iter().chain(&at(0.0)).fold(1.0f64, |m, d| m.max(d.abs()));
    // At a kink or a jump of any of them the differences do not settle, and say nothing.
    if coarse.iter().zip(&fine).any(|(c, f)| (c - f).abs() > 1e-6 * scale || !f.is_finite()) {
        counts.1 += 1;
        return None;
    }
    counts.0 += 1;
    let off = |k: usize| (found[k] - fine[k]).abs() > 5e-6 * scale || !found[k].is_finite();
    (0..ALL).find(|&k| off(k)).map(|k| format!("entry {k}: {} along the tape, {} by differences", found[k], fine[k]))
}

#[test]
fn second_derivatives_of_random_kernels_are_differences_of_gradients() {
    let cases = std::env::var("PULLBACK_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(80);
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 300, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let compared = std::cell::Cell::new((0, 0));
    let outcome = runner.run(&prop::collection::vec(any::<u32>(), 10..90), |choices| {
        let kernel = kernel(&choices, Scalar::F64);
        let mut counts = compared.get();
        let fault = second_fault(&kernel, &mut counts);
        compared.set(counts);
        prop_assert!(fault.is_none(), "{}\n{kernel}", fault.unwrap_or_default());
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
    let (compared, kinks) = compared.get();
    assert!(compared > 2 * kinks, "{kinks} kernels of {compared} are at kinks; the test says too little");
}
