//! Random well-typed kernels: the interpreter and the compiled code agree bit for bit, and gradients of
//! two launches over shared arrays agree with central differences of the interpreter.
//!
//! A kernel is made from a list of numbers, each of which decides one thing, so that shrinking the list
//! shrinks the kernel; a failing one is printed in text form.

use crate::generator::{ARRAYS, LEN, THREADS, kernel};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use pullback::lang::{ArgValue, Args, ArrayArg, KernelHandle};
use pullback::prelude::*;
use pullback_ir::interp::{Arg, ArrayData, Limits, Records, run};
use pullback_ir::{Constant, Element, Kernel, Scalar, verify};

const LAUNCHES: usize = 2;
const TRIPS: i64 = 3;

/// Start values of all arrays, one after the other.
fn start() -> Vec<f64> {
    (0..ARRAYS * LEN).map(|i| 0.35 + 0.9 * ((i * 37 % 23) as f64 / 23.0) - 0.6 * (i % 3) as f64).collect()
}

/// Weights of the final contents of the first two arrays in the loss.
fn weights() -> Vec<f64> {
    (0..2 * LEN).map(|i| 0.5 + (i * 29 % 17) as f64 / 17.0).collect()
}

fn interpret(kernel: &Kernel, values: &[f64]) -> Vec<f64> {
    let verified = verify(kernel).unwrap();
    let element = Element::scalar(Scalar::F64);
    let mut args: Vec<Arg> =
        values.chunks(LEN).map(|v| Arg::Array(ArrayData::from_f64s(element.clone(), &[LEN], v))).collect();
    args.push(Arg::Scalar(Constant::I64(TRIPS)));
    for _ in 0..LAUNCHES {
        run(&verified, &[THREADS], &mut args, &mut Records::default(), &Limits { fuel: 1_000_000 }).unwrap();
    }
    args.iter().flat_map(|a| if let Arg::Array(a) = a { a.to_f64s() } else { vec![] }).collect()
}

fn loss(kernel: &Kernel, values: &[f64]) -> f64 {
    interpret(kernel, values).iter().zip(weights()).map(|(v, w)| v * w).sum()
}

/// The final contents and the gradient, by compiled code on the tape.
fn compiled(kernel: &Kernel, values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let device = Device::cpu();
    let handle = KernelHandle::from_ir("random", kernel.clone());
    let arrays: Vec<Array<f64>> = values.chunks(LEN).map(|v| Array::from_slice(&device, v)).collect();
    let mut args = Args::default();
    for a in &arrays {
        args.push(ArgValue::Array(a.handle()));
    }
    args.push(ArgValue::Scalar(Constant::I64(TRIPS)));
    let call = Call::new(handle, THREADS, args);
    let mut tape = Tape::new(&device);
    for _ in 0..LAUNCHES {
        tape.launch(&call).unwrap();
    }
    let seeds: Vec<Array<f64>> = weights().chunks(LEN).map(|w| Array::from_slice(&device, w)).collect();
    tape.backward_with(&[(&arrays[0], &seeds[0]), (&arrays[1], &seeds[1])]).unwrap();
    let contents = arrays.iter().flat_map(|a| a.to_vec().unwrap()).collect();
    let gradient = arrays.iter().flat_map(|a| tape.grad(a).unwrap().to_vec().unwrap()).collect();
    (contents, gradient)
}

/// What is wrong with a kernel, if anything; counts compared entries and those at kinks.
fn fault(kernel: &Kernel, compared: &mut (usize, usize)) -> Option<String> {
    let values = start();
    let expected = interpret(kernel, &values);
    let (contents, gradient) = compiled(kernel, &values);
    for (i, (a, b)) in contents.iter().zip(&expected).enumerate() {
        if a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan()) {
            return Some(format!("contents {i}: compiled {a}, interpreted {b}"));
        }
    }
    let difference = |k: usize, h: f64| {
        let at = |d: f64| {
            let mut moved = values.clone();
            moved[k] += d;
            loss(kernel, &moved)
        };
        (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)
    };
    let all: Vec<(f64, f64)> = (0..values.len()).map(|k| (difference(k, 1e-4), difference(k, 3e-5))).collect();
    let scale = all.iter().fold(1.0f64, |m, d| m.max(d.1.abs()));
    for (k, &(coarse, fine)) in all.iter().enumerate() {
        // At a kink or a jump the differences do not settle, and say nothing.
        if (coarse - fine).abs() > 1e-6 * scale {
            compared.1 += 1;
            continue;
        }
        compared.0 += 1;
        let off = (gradient[k] - fine).abs();
        if off.is_nan() || off > 3e-6 * scale {
            return Some(format!("gradient {k}: {} by the tape, {fine} by differences", gradient[k]));
        }
    }
    None
}

/// How many kernels: `PULLBACK_RANDOM` or a number that takes a minute at most.
fn cases() -> u32 {
    std::env::var("PULLBACK_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(250)
}

#[test]
fn interpreter_cpu_and_differences_agree() {
    let config = Config { cases: cases(), failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let compared = std::cell::Cell::new((0, 0));
    let outcome = runner.run(&prop::collection::vec(any::<u32>(), 20..160), |choices| {
        let kernel = kernel(&choices);
        prop_assert!(verify(&kernel).is_ok(), "{:?}\n{kernel}", verify(&kernel).err());
        prop_assert_eq!(pullback_ir::parse(&kernel.to_string()).map(|k| k.to_string()), Ok(kernel.to_string()));
        let mut counts = compared.get();
        let fault = fault(&kernel, &mut counts);
        compared.set(counts);
        prop_assert!(fault.is_none(), "{}\n{kernel}", fault.unwrap_or_default());
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
    let (compared, kinks) = compared.get();
    assert!(compared > 4 * kinks, "{kinks} entries of {compared} are at kinks; the test says too little");
}
