//! Random well-typed programs: up to four launches of two kernels, fills and copies over shared arrays.
//! The interpreter and the compiled code agree bit for bit, and gradients agree with central differences
//! of the interpreter.
//!
//! A kernel is made from a list of numbers, each of which decides one thing, so that shrinking the list
//! shrinks the kernel; a failing program is printed in text form.

use crate::generator::{ARRAYS, LEN, THREADS, kernel};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use pullback::lang::{ArgValue, Args, ArrayArg, ArrayElement, KernelHandle};
use pullback::prelude::*;
use pullback_autodiff::{Request, reverse};
use pullback_ir::interp::{Arg, ArrayData, Limits, Records, run};
use pullback_ir::{Constant, Element, Kernel, Scalar, verify};

const TRIPS: i64 = 3;

/// A program over three arrays: kernels, and the order in which they and other operations are run.
#[derive(Debug)]
struct Program {
    kernels: Vec<Kernel>,
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// A kernel, with the arrays that are its `x`, `y` and `c`.
    Launch(usize, [usize; 3]),
    /// All elements of an array set to 0.4.
    Fill(usize),
    /// One array's contents to another.
    Copy(usize, usize),
}

/// The orders of three arrays.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 0, 1], [1, 2, 0], [2, 1, 0]];

impl Program {
    fn new(first: &[u32], second: &[u32], steps: &[u32]) -> Self {
        let kernels = vec![kernel(first, Scalar::F64), kernel(second, Scalar::F64)];
        let step = |&c: &u32| {
            let c = c as usize;
            match c % 8 {
                0 => Step::Fill(c / 8 % ARRAYS),
                1 => Step::Copy(c / 8 % ARRAYS, (c / 8 + 1 + c / 32 % 2) % ARRAYS),
                _ => Step::Launch(c % 2, ORDERS[c / 8 % 6]),
            }
        };
        Program { kernels, steps: steps.iter().map(step).collect() }
    }
}

impl std::fmt::Display for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}\n{}\n{}", self.steps, self.kernels[0], self.kernels[1])
    }
}

/// Start values of all arrays, one after the other.
fn start() -> Vec<f64> {
    (0..ARRAYS * LEN).map(|i| 0.35 + 0.9 * ((i * 37 % 23) as f64 / 23.0) - 0.6 * (i % 3) as f64).collect()
}

/// Weights of the final contents of the arrays in the loss.
fn weights() -> Vec<f64> {
    (0..ARRAYS * LEN).map(|i| 0.5 + (i * 29 % 17) as f64 / 17.0).collect()
}

fn interpret(program: &Program, values: &[f64]) -> Vec<f64> {
    let element = Element::scalar(Scalar::F64);
    let array = |v: &[f64]| ArrayData::from_f64s(element.clone(), &[LEN], v);
    let mut arrays: Vec<Vec<f64>> = values.chunks(LEN).map(<[f64]>::to_vec).collect();
    for &step in &program.steps {
        match step {
            Step::Fill(a) => arrays[a] = vec![0.4; LEN],
            Step::Copy(a, b) => arrays[b] = arrays[a].clone(),
            Step::Launch(k, order) => {
                let verified = verify(&program.kernels[k]).unwrap();
                let mut args: Vec<Arg> = order.iter().map(|&a| Arg::Array(array(&arrays[a]))).collect();
                args.push(Arg::Scalar(Constant::I64(TRIPS)));
                let limits = Limits { fuel: 1_000_000, ..Limits::default() };
                run(&verified, &[THREADS], &mut args, &mut Records::default(), &limits).unwrap();
                for (&a, arg) in order.iter().zip(&args) {
                    if let Arg::Array(data) = arg {
                        arrays[a] = data.to_f64s();
                    }
                }
            }
        }
    }
    arrays.concat()
}

fn loss(program: &Program, values: &[f64]) -> f64 {
    interpret(program, values).iter().zip(weights()).map(|(v, w)| v * w).sum()
}

/// The final contents and the gradient, by compiled code on the tape.
fn compiled(program: &Program, values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let device = Device::cpu();
    let handles: Vec<_> = program.kernels.iter().map(|k| KernelHandle::from_ir("random", k.clone())).collect();
    let mut arrays: Vec<Array<f64>> = values.chunks(LEN).map(|v| Array::from_slice(&device, v)).collect();
    let mut tape = Tape::new(&device);
    for &step in &program.steps {
        match step {
            Step::Fill(a) => tape.fill(&mut arrays[a], 0.4).unwrap(),
            Step::Copy(a, b) => {
                let from = arrays[a].clone();
                tape.copy(&from, &mut arrays[b]).unwrap();
            }
            Step::Launch(k, order) => {
                let mut args = Args::default();
                for a in order {
                    args.push(ArgValue::Array(arrays[a].handle()));
                }
                args.push(ArgValue::Scalar(Constant::I64(TRIPS)));
                tape.launch(&Call::new(handles[k].clone(), THREADS, args)).unwrap();
            }
        }
    }
    let seeds: Vec<Array<f64>> = weights().chunks(LEN).map(|w| Array::from_slice(&device, w)).collect();
    // An array that no step uses is not known to the tape: its gradient is its weights.
    let used = |a: &usize| {
        program.steps.iter().any(|s| match s {
            Step::Launch(..) => true,
            Step::Fill(b) => a == b,
            Step::Copy(b, c) => a == b || a == c,
        })
    };
    let known: Vec<usize> = (0..ARRAYS).filter(used).collect();
    let pairs: Vec<_> = known.iter().map(|&a| (&arrays[a], &seeds[a])).collect();
    tape.backward_with(&pairs).unwrap();
    let contents = arrays.iter().flat_map(|a| a.to_vec().unwrap()).collect();
    let gradient = (0..ARRAYS)
        .flat_map(|a| {
            if known.contains(&a) { tape.grad(&arrays[a]).unwrap() } else { seeds[a].clone() }.to_vec().unwrap()
        })
        .collect();
    (contents, gradient)
}

/// What is wrong with a program, if anything; counts compared entries and those at kinks.
fn fault(program: &Program, compared: &mut (usize, usize)) -> Option<String> {
    let values = start();
    let expected = interpret(program, &values);
    let (contents, gradient) = compiled(program, &values);
    for (i, (a, b)) in contents.iter().zip(&expected).enumerate() {
        if a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan()) {
            return Some(format!("contents {i}: compiled {a}, interpreted {b}"));
        }
    }
    let difference = |k: usize, h: f64| {
        let at = |d: f64| {
            let mut moved = values.clone();
            moved[k] += d;
            loss(program, &moved)
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
    let numbers = |range| prop::collection::vec(any::<u32>(), range);
    let strategy = (numbers(10..140), numbers(5..60), numbers(1..5));
    let outcome = runner.run(&strategy, |(first, second, steps)| {
        let program = Program::new(&first, &second, &steps);
        for kernel in &program.kernels {
            prop_assert!(verify(kernel).is_ok(), "{:?}\n{kernel}", verify(kernel).err());
            prop_assert_eq!(pullback_ir::parse(&kernel.to_string()).map(|k| k.to_string()), Ok(kernel.to_string()));
        }
        let mut counts = compared.get();
        let fault = fault(&program, &mut counts);
        compared.set(counts);
        prop_assert!(fault.is_none(), "{}\n{program}", fault.unwrap_or_default());
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
    let (compared, kinks) = compared.get();
    assert!(compared > 4 * kinks, "{kinks} entries of {compared} are at kinks; the test says too little");
}

/// One launch of a kernel and its adjoint by the interpreter: the contents after it, and the cotangents
/// before it of what has the given ones after it.
fn interpret_adjoint(kernel: &Kernel, values: &[f64], cotangents: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let scalar = kernel.params[0].array().unwrap().0.packed_scalar().unwrap();
    let array = |v: &[f64]| Arg::Array(ArrayData::from_f64s(Element::scalar(scalar), &[LEN], v));
    let numbers = |args: &[Arg]| -> Vec<f64> {
        args.iter().flat_map(|a| if let Arg::Array(a) = a { a.to_f64s() } else { vec![] }).collect()
    };
    let adjoint = reverse(&verify(kernel).unwrap(), &Request::default()).unwrap();
    let trips = Arg::Scalar(Constant::I64(TRIPS));
    let before: Vec<Arg> = values.chunks(LEN).map(array).chain([trips]).collect();
    let (mut records, limits) = (Records::default(), Limits { fuel: 2_000_000, ..Limits::default() });
    let mut after = before.clone();
    let forward = adjoint.augmented.as_ref().unwrap_or(kernel);
    run(&verify(forward).unwrap(), &[THREADS], &mut after, &mut records, &limits).unwrap();
    let mut args: Vec<Arg> = before.into_iter().chain(cotangents.chunks(LEN).map(array)).collect();
    run(&verify(&adjoint.kernel).unwrap(), &[THREADS], &mut args, &mut records, &limits).unwrap();
    (numbers(&after), numbers(&args[ARRAYS + 1..]))
}

/// The same, compiled, on the tape.
fn compiled_adjoint<T: ArrayElement>(kernel: &Kernel, values: &[T], cotangents: &[T]) -> (Vec<T>, Vec<T>) {
    let device = Device::cpu();
    let arrays: Vec<Array<T>> = values.chunks(LEN).map(|v| Array::from_slice(&device, v)).collect();
    let seeds: Vec<Array<T>> = cotangents.chunks(LEN).map(|v| Array::from_slice(&device, v)).collect();
    let mut args = Args::default();
    arrays.iter().for_each(|a| args.push(ArgValue::Array(a.handle())));
    args.push(ArgValue::Scalar(Constant::I64(TRIPS)));
    let mut tape = Tape::new(&device);
    tape.launch(&Call::new(KernelHandle::from_ir("random", kernel.clone()), THREADS, args)).unwrap();
    let pairs: Vec<_> = arrays.iter().zip(&seeds).collect();
    tape.backward_with(&pairs).unwrap();
    let contents = arrays.iter().flat_map(|a| a.to_vec().unwrap()).collect();
    (contents, arrays.iter().flat_map(|a| tape.grad(a).unwrap().to_vec().unwrap()).collect())
}

#[test]
fn compiled_adjoints_give_the_bits_of_the_interpreter() {
    let config = Config { cases: cases(), failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let values: Vec<f32> = start().iter().map(|&v| v as f32).collect();
    let seeds: Vec<f32> = weights().iter().map(|&v| v as f32).collect();
    let wide = |v: &[f32]| v.iter().map(|&v| f64::from(v)).collect::<Vec<f64>>();
    let same =
        |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()));
    let outcome = runner.run(&(prop::collection::vec(any::<u32>(), 10..160), any::<bool>()), |(choices, narrow)| {
        let kernel = kernel(&choices, if narrow { Scalar::F32 } else { Scalar::F64 });
        let expected = interpret_adjoint(&kernel, &wide(&values), &wide(&seeds));
        let found = if narrow {
            let (contents, gradient) = compiled_adjoint(&kernel, &values, &seeds);
            (wide(&contents), wide(&gradient))
        } else {
            compiled_adjoint(&kernel, &wide(&values), &wide(&seeds))
        };
        prop_assert!(same(&found.0, &expected.0), "contents {:?}, interpreted {:?}\n{kernel}", found.0, expected.0);
        prop_assert!(same(&found.1, &expected.1), "gradient {:?}, interpreted {:?}\n{kernel}", found.1, expected.1);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
