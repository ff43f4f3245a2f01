//! Every op of the table and every builtin: its compiled value is the table's, its gradient on the tape
//! is that of central differences in f64, and at each kink it is what the rule says; in f64 and f32.
//!
//! The lists come from `pullback_ir::FloatOp::ALL` and `pullback::lang::builtins::table::rows`, so what
//! exists is in here. (`lang` has a test that every public builtin has a row.)

use pullback::lang::builtins::table;
use pullback::lang::{ArgValue, Args, ArrayArg, ArrayElement, KernelHandle};
use pullback::prelude::*;
use pullback_ir::{Access, Builder, Element, FloatOp, IntOp, Scalar};
use rand::{Rng, SeedableRng, rngs::StdRng};
use std::sync::Arc;

const SAMPLES: usize = 48;

/// Thread i takes `x[i * inputs..]` and stores the op's value in `y[i]`.
fn op_kernel(op: FloatOp, scalar: Scalar) -> Arc<KernelHandle> {
    let mut b = Builder::new(op.name(), 1);
    let x = b.array_param("x", Element::scalar(scalar), 1, Access::Read);
    let y = b.array_param("y", Element::scalar(scalar), 1, Access::ReadWrite);
    let thread = b.thread_id(0);
    let count = b.index_constant(op.arity() as i64);
    let first = b.int(IntOp::Mul, &[thread, count]);
    let operands: Vec<_> = (0..op.arity())
        .map(|k| {
            let k = b.index_constant(k as i64);
            let at = b.int(IntOp::Add, &[first, k]);
            b.load(x, &[at])[0]
        })
        .collect();
    let value = b.float(op, &operands);
    b.store(y, &[thread], &[value]);
    KernelHandle::from_ir(op.name(), b.finish())
}

/// Runs a kernel of `x` and `y` on the tape; the values, and the gradient of Σ w·y.
fn run<T: ArrayElement>(kernel: &Arc<KernelHandle>, x: &[T], w: &[T], threads: usize) -> (Vec<T>, Vec<T>) {
    let device = Device::cpu();
    let x = Array::from_slice(&device, x);
    let y = Array::<T>::zeros(&device, [w.len()]);
    let mut args = Args::default();
    args.push(ArgValue::Array(x.handle()));
    args.push(ArgValue::Array(y.handle()));
    let mut tape = Tape::new(&device);
    tape.launch(&Call::new(kernel.clone(), threads, args)).unwrap();
    tape.backward_with(&[(&y, &Array::from_slice(&device, w))]).unwrap();
    (y.to_vec().unwrap(), tape.grad(&x).unwrap().to_vec().unwrap())
}

fn sample(rng: &mut StdRng, domain: &[(f64, f64)]) -> Vec<f64> {
    domain.iter().map(|&(low, high)| rng.random_range(low..high)).collect()
}

/// Central difference of fourth order of Σ w·f at x along input k.
fn difference(f: &dyn Fn(&[f64]) -> Vec<f64>, x: &[f64], w: &[f64], k: usize) -> f64 {
    let h = 2e-4 * x[k].abs().max(0.1);
    let at = |steps: f64| {
        let mut moved = x.to_vec();
        moved[k] += steps * h;
        f(&moved).iter().zip(w).map(|(y, w)| y * w).sum::<f64>()
    };
    (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h)
}

/// One function against differences, at random points; appends what is wrong.
fn compare(
    name: &str,
    domain: &[(f64, f64)],
    f: &dyn Fn(&[f64]) -> Vec<f64>,
    kernel: &Arc<KernelHandle>,
    kernel_f32: &Arc<KernelHandle>,
    wrong: &mut Vec<String>,
) {
    let mut rng = StdRng::seed_from_u64(7);
    let inputs = domain.len();
    let x: Vec<f64> = (0..SAMPLES).flat_map(|_| sample(&mut rng, domain)).collect();
    let outputs = f(&x[..inputs]).len();
    let w: Vec<f64> = (0..SAMPLES * outputs).map(|_| rng.random_range(0.3..1.5)).collect();
    let (y, gradient) = run(kernel, &x, &w, SAMPLES);
    let narrow = |v: &[f64]| v.iter().map(|&v| v as f32).collect::<Vec<f32>>();
    let (_, gradient32) = run(kernel_f32, &narrow(&x), &narrow(&w), SAMPLES);
    for i in 0..SAMPLES {
        let (x, w) = (&x[i * inputs..][..inputs], &w[i * outputs..][..outputs]);
        let host = f(x);
        if host != y[i * outputs..][..outputs] {
            wrong.push(format!("{name} at {x:?}: compiled {:?}, on the host {host:?}", &y[i * outputs..][..outputs]));
        }
        let differences: Vec<f64> = (0..inputs).map(|k| difference(f, x, w, k)).collect();
        // Relative to the gradient's size, as a component may be near 0.
        let size = differences.iter().fold(0.1, |m: f64, d| m.max(d.abs()));
        for (k, &d) in differences.iter().enumerate() {
            let (g, g32) = (gradient[i * inputs + k], f64::from(gradient32[i * inputs + k]));
            if (g - d).abs() > 1e-7 * size {
                wrong.push(format!("{name} (f64), input {k} at {x:?}: gradient {g}, differences {d}"));
            }
            if (g32 - d).abs() > 1e-3 * size {
                wrong.push(format!("{name} (f32), input {k} at {x:?}: gradient {g32}, differences {d}"));
            }
        }
    }
}

#[test]
fn ops_match_differences() {
    let mut wrong = Vec::new();
    for &op in FloatOp::ALL {
        let kernels = [Scalar::F64, Scalar::F32].map(|s| op_kernel(op, s));
        compare(op.name(), op.domain(), &|x| vec![op.value(x)], &kernels[0], &kernels[1], &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn builtins_match_differences() {
    let mut wrong = Vec::new();
    for row in table::rows() {
        compare(row.name, row.domain, &|x| row.host(x), &row.kernel(), &row.kernel_f32(), &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn kinks_of_ops_hold() {
    let mut wrong = Vec::new();
    for &op in FloatOp::ALL {
        let kernels = [Scalar::F64, Scalar::F32].map(|s| op_kernel(op, s));
        for (at, partials) in op.kinks() {
            let (_, gradient) = run(&kernels[0], &at, &[1.0], 1);
            let narrow: Vec<f32> = at.iter().map(|&v| v as f32).collect();
            let (_, gradient32) = run(&kernels[1], &narrow, &[1.0f32], 1);
            let near = |g: f64, p: f64, tolerance: f64| (g - p).abs() <= tolerance * (1.0 + p.abs());
            let right = gradient.iter().zip(&partials).all(|(&g, &p)| near(g, p, 1e-12))
                && gradient32.iter().zip(&partials).all(|(&g, &p)| near(f64::from(g), p, 1e-5));
            // A cotangent of 0 gives exactly 0, also where the partial is infinite.
            let (_, none) = run(&kernels[0], &at, &[0.0], 1);
            if !right || none.iter().any(|&g| g != 0.0) {
                wrong.push(format!("{} at {at:?}: {gradient:?}, {gradient32:?}; the rule is {partials:?}", op.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn kinks_of_builtins_hold() {
    let mut wrong = Vec::new();
    for row in table::rows() {
        let kernel = row.kernel();
        for kink in row.kinks {
            let (inputs, outputs) = (row.inputs(), row.outputs());
            for o in 0..outputs {
                let mut w = vec![0.0; outputs];
                w[o] = 1.0;
                let (_, gradient) = run(&kernel, kink.at, &w, 1);
                let expected = &kink.jacobian[o * inputs..][..inputs];
                if gradient.iter().zip(expected).any(|(g, e)| g.is_nan() || (g - e).abs() > 1e-12 * (1.0 + e.abs())) {
                    wrong.push(format!(
                        "{} output {o} at {:?}: {gradient:?}, the rule is {expected:?}",
                        row.name, kink.at
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Values that are hard for some op or other.
const SPECIAL: [f64; 21] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    1e-40,
    -1e-40,
    1e-300,
    1e10,
    -1e10,
    88.5,
    -88.5,
    710.0,
    1e30,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

#[test]
fn compiled_ops_give_the_bits_of_the_table() {
    let mut wrong = Vec::new();
    let mut rng = StdRng::seed_from_u64(11);
    for &op in FloatOp::ALL {
        let n = op.arity();
        let mut x: Vec<f64> = Vec::new();
        for i in 0..SPECIAL.len().pow(n.min(2) as u32) {
            x.extend((0..n).map(|k| SPECIAL[i / SPECIAL.len().pow(k.min(1) as u32) % SPECIAL.len()]));
        }
        for _ in 0..2000 {
            x.extend((0..n).map(|_| rng.random_range(-1.0f64..1.0) * 10f64.powi(rng.random_range(-6..6))));
        }
        let threads = x.len() / n;
        let (y, _) = run(&op_kernel(op, Scalar::F64), &x, &vec![1.0; threads], threads);
        let x32: Vec<f32> = x.iter().map(|&v| v as f32).collect();
        let (y32, _) = run(&op_kernel(op, Scalar::F32), &x32, &vec![1.0f32; threads], threads);
        for i in 0..threads {
            let (a, b) = (y[i], op.value(&x[i * n..][..n]));
            if a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan()) {
                wrong.push(format!("{} (f64) of {:?}: compiled {a}, table {b}", op.name(), &x[i * n..][..n]));
            }
            let (a, b) = (y32[i], op.value(&x32[i * n..][..n]));
            if a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan()) {
                wrong.push(format!("{} (f32) of {:?}: compiled {a}, table {b}", op.name(), &x32[i * n..][..n]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

#[test]
fn one_core_and_many_give_the_same_bits() {
    let mut rng = StdRng::seed_from_u64(13);
    let x: Vec<f64> = (0..200_000).map(|_| rng.random_range(0.05..0.95)).collect();
    let w: Vec<f64> = (0..200_000).map(|_| rng.random_range(0.3..1.5)).collect();
    let threads = x.len() / 4;
    for op in FloatOp::ALL.iter().filter(|op| op.arity() <= 3) {
        let kernel = op_kernel(*op, Scalar::F64);
        let results = [1, 3].map(|cores| {
            let device = Device::cpu_with_threads(cores);
            let x = Array::from_slice(&device, &x);
            let y = Array::<f64>::zeros(&device, [threads]);
            let mut args = Args::default();
            args.push(ArgValue::Array(x.handle()));
            args.push(ArgValue::Array(y.handle()));
            let mut tape = Tape::new(&device);
            tape.launch(&Call::new(kernel.clone(), threads, args)).unwrap();
            tape.backward_with(&[(&y, &Array::from_slice(&device, &w[..threads]))]).unwrap();
            let bits = |v: Vec<f64>| v.into_iter().map(f64::to_bits).collect::<Vec<_>>();
            (bits(y.to_vec().unwrap()), bits(tape.grad(&x).unwrap().to_vec().unwrap()))
        });
        assert!(results[0] == results[1], "{}", op.name());
    }
}
