//! Launch sizes, arguments and bounds; and arguments that share memory, in every combination.
//!
//! What does not compile is a test of `lang/tests/ui`: too few arguments, a fraction for an integer,
//! a kernel with a result.

use crate::support::{right, zeros};
use pullback::Error;
use pullback::lang::{ArgValue, Args, ArrayArg};
use pullback::prelude::*;

type Result<T> = std::result::Result<T, Error>;

#[kernel]
fn last_thread(out: &mut Array<i64>, from: i64) {
    let i = thread_id();
    if i >= from {
        out[0] += 1;
        out[1] = i;
    }
}

#[test]
fn more_threads_than_32_bits_count() {
    let n = (1usize << 31) + 1;
    let mut out = Array::zeros(&Device::cpu(), [2]);
    Stream::new(&Device::cpu()).launch(&last_thread(n, &mut out, 1 << 31)).unwrap();
    assert_eq!(out.to_vec().unwrap(), [1, 1 << 31]);
}

#[kernel]
fn last_cell(out: &mut Array<i64>, from: i64) {
    let (i, j) = thread_id2();
    if i >= from && j >= from {
        out[0] += 1;
        out[1] = i * 65536 + j;
    }
}

#[test]
fn a_grid_of_more_cells_than_32_bits_count() {
    let mut out = Array::zeros(&Device::cpu(), [2]);
    Stream::new(&Device::cpu()).launch(&last_cell((65536, 65536), &mut out, 65535)).unwrap();
    assert_eq!(out.to_vec().unwrap(), [1, (1 << 32) - 1]);
}

#[test]
fn launch_of_the_wrong_rank() {
    let mut out = Array::zeros(&Device::cpu(), [2]);
    let error = Stream::new(&Device::cpu()).launch(&last_cell(7, &mut out, 0)).unwrap_err().to_string();
    assert!(error.contains("`last_cell`") && error.contains('2') && error.contains('7'), "{error}");
    let error = Tape::new(&Device::cpu()).launch(&last_thread((7, 2), &mut out, 0)).unwrap_err().to_string();
    assert!(error.contains("`last_thread`") && error.contains("7 × 2"), "{error}");
    assert_eq!(out.to_vec().unwrap(), [0, 0]);
}

/// A call that was put together by hand is checked like one that was compiled.
#[test]
fn arguments_that_do_not_fit() {
    let out = Array::<i64>::zeros(&Device::cpu(), [2]);
    let handle = last_thread(1, &mut out.clone(), 0).kernel.clone();
    let refused = |args: Vec<ArgValue>| {
        let mut all = Args::default();
        args.into_iter().for_each(|a| all.push(a));
        let call = Call::new(handle.clone(), 1, all);
        Stream::new(&Device::cpu()).launch(&call).unwrap_err().to_string()
    };
    let array = || ArgValue::Array(out.handle());
    let error = refused(vec![array()]);
    assert!(
        error.contains("`last_thread`") && error.contains("1 arguments") && error.contains("2 parameters"),
        "{error}"
    );
    let error = refused(vec![array(), ArgValue::Scalar(pullback_ir::Constant::F64(2.75))]);
    assert!(error.contains("`from`") && error.contains("f64") && error.contains("i64"), "{error}");
    let error = refused(vec![array(), array()]);
    assert!(error.contains("`from`") && error.contains("array"), "{error}");
}

#[kernel]
fn four_axes<R: Real>(a: &Array<R, 4>, sum: &mut Array<R>) {
    let (i, j, k, l) = thread_id4();
    let weight = (i + 2 * j + 3 * k + 4 * l) as R;
    let v = a[(i, j, k, l)];
    atomic_add(sum, 0, v * v * weight);
}

fn on_four_axes<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let mut sum = zeros(1);
    tape.launch(&four_axes((2, 2, 2, 2), &x[0].reshape([2, 2, 2, 2])?, &mut sum))?;
    Ok(sum)
}

#[test]
fn launch_on_four_axes() {
    let a: [f64; 16] = std::array::from_fn(|n| n as f64);
    let weight = |n: usize| (n / 8 + 2 * (n / 4 % 2) + 3 * (n / 2 % 2) + 4 * (n % 2)) as f64;
    let loss: f64 = (0..16).map(|n| a[n] * a[n] * weight(n)).sum();
    let gradient = [0.0, 8.0, 12.0, 42.0, 16.0, 60.0, 60.0, 126.0, 16.0, 90.0, 80.0, 176.0, 72.0, 182.0, 168.0, 300.0];
    right!(on_four_axes at a; out [loss]; grad gradient);
}

#[kernel]
fn shifted(a: &mut Array<f64>, b: &Array<f64>) {
    let i = thread_id();
    a[i] += b[i + 2];
}

#[test]
fn read_past_the_end_of_a_view() {
    let device = Device::cpu();
    let data = Array::from_slice(&device, &[1.0, 2.0, 3.0, 4.0, 777.0]);
    let b = data.slice(0, 0..4).unwrap();
    let mut a = zeros(3);
    let line = format!("field_launches.rs:{}", line!() - 9);
    for _ in 0..2 {
        let error = Stream::new(&device).launch(&shifted(3, &mut a, &b)).unwrap_err().to_string();
        assert!(error.contains("`shifted`") && error.contains("`b`") && error.contains("index 4"), "{error}");
        assert!(error.contains(&line) && error.contains("thread 2"), "{error}, not {line}");
    }
    // A recording with such a launch has no gradient.
    let mut tape = Tape::new(&device);
    assert!(tape.launch(&shifted(3, &mut a, &b)).is_err());
    let error = tape.backward_with(&[(&a, &zeros(3))]).unwrap_err().to_string();
    assert!(error.contains("`shifted`") && error.contains("reset"), "{error}");
}

#[kernel]
fn one_written(r: &Array<f64>, w: &mut Array<f64>) {
    let i = thread_id();
    w[i] = r[i] * r[i];
}
#[kernel]
fn two_written(w: &mut Array<f64>, v: &mut Array<f64>) {
    let i = thread_id();
    w[i] = 2.0 * v[i];
    v[i] = 3.0;
}
#[kernel]
fn summed(r: &Array<f64>, w: &mut Array<f64>) {
    atomic_add(w, 0, r[thread_id()]);
}
#[kernel]
fn only_read(r: &Array<f64>, w: &mut Array<f64>, out: &mut Array<f64>) {
    let i = thread_id();
    out[i] = r[i] * w[i];
}
#[derive(KernelStruct)]
struct Pair {
    r: Array<f64>,
    w: Array<f64>,
}
#[kernel]
fn in_a_struct(pair: &mut Pair) {
    let i = thread_id();
    pair.w[i] = 2.0 * pair.r[i];
}

/// Views of one array of eight elements: name, view.
fn views(a: &Array<f64>) -> Vec<(&'static str, Array<f64>)> {
    let matrix = a.reshape([2, 4]).unwrap();
    vec![
        ("all", a.clone()),
        ("first half", a.slice(0, 0..4).unwrap()),
        ("second half", a.slice(0, 4..8).unwrap()),
        ("middle", a.slice(0, 2..6).unwrap()),
        ("evens", a.slice_step(0, 0..8, 2).unwrap()),
        ("odds", a.slice_step(0, 1..8, 2).unwrap()),
        ("thirds", a.slice_step(0, 0..8, 3).unwrap()),
        ("row 1", matrix.row(1).unwrap()),
        ("column 2", matrix.permute([1, 0]).unwrap().row(2).unwrap()),
        ("column 3", matrix.permute([1, 0]).unwrap().row(3).unwrap()),
        ("reshaped", matrix.reshape([8]).unwrap()),
        ("none", a.slice(0, 3..3).unwrap()),
    ]
}

/// The places of a view's elements in the array it is of.
fn places(view: &Array<f64>) -> Vec<usize> {
    view.to_vec().unwrap().iter().map(|&v| v as usize).collect()
}

#[test]
fn shared_memory_that_is_written_is_refused_and_else_right() {
    let device = Device::cpu();
    let numbers: Vec<f64> = (0..8).map(f64::from).collect();
    let a = Array::from_slice(&device, &numbers);
    let count = views(&a).len();
    let (mut refused, mut launched) = (0, 0);
    for i in 0..count {
        for j in 0..count {
            let (first, second) = (views(&a)[i].clone(), views(&a)[j].clone());
            let what = format!("{} and {}", first.0, second.0);
            let (from, to) = (places(&first.1), places(&second.1));
            let shared = from.iter().any(|p| to.contains(p));
            let n = from.len().min(to.len());
            let (x, mut y) = (first.1, second.1);
            let mut tape = Tape::new(&device);
            let names = [("r", "w"), ("w", "v"), ("r", "w"), ("pair.r", "pair.w")];
            for (kind, (p, q)) in names.into_iter().enumerate() {
                let pair = &mut Pair { r: x.clone(), w: y.clone() };
                let call = match kind {
                    0 => one_written(n, &x, &mut y),
                    1 => two_written(n, &mut x.clone(), &mut y),
                    2 => summed(n, &x, &mut y),
                    _ => in_a_struct(n, pair),
                };
                let outcomes = [Stream::new(&device).launch(&call), tape.launch(&call)];
                for outcome in outcomes {
                    match outcome {
                        Err(error @ Error::Aliasing { .. }) => {
                            let text = error.to_string();
                            let named = text.contains(&format!("`{p}`")) && text.contains(&format!("`{q}`"));
                            assert!(named && text.contains("field_launches.rs"), "{what}: {text}");
                            refused += 1;
                            // Nothing ran.
                            assert_eq!(a.to_vec().unwrap(), numbers, "{what}");
                        }
                        other => {
                            assert!(other.is_ok(), "{what}: {other:?}");
                            assert!(!shared, "{what} share memory, and were launched");
                            launched += 1;
                        }
                    }
                }
                a.clone().copy_from_slice(&numbers).unwrap();
                tape = Tape::new(&device);
            }
            // Read twice is no trouble, and the gradients add up.
            let mut out = zeros(n);
            tape.launch(&only_read(n, &x, &mut y.clone(), &mut out)).unwrap();
            let mut right = vec![0.0; 8];
            for k in 0..n {
                right[from[k]] += to[k] as f64;
                right[to[k]] += from[k] as f64;
            }
            tape.backward_with(&[(&out, &Array::full(&device, [n], 1.0))]).unwrap();
            assert_eq!(tape.grad(&a).unwrap().to_vec().unwrap(), right, "{what}");
        }
    }
    assert!(refused > 400 && launched > 100, "{refused} refused, {launched} launched");
}

/// Views that take turns in memory share nothing: their launches run, and their gradients are right.
#[test]
fn views_that_take_turns_are_apart() {
    let device = Device::cpu();
    let x = Array::from_slice(&device, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    let (evens, odds) = (x.slice_step(0, 0..8, 2).unwrap(), x.slice_step(0, 1..8, 2).unwrap());
    let mut tape = Tape::new(&device);
    tape.launch(&one_written(4, &evens, &mut odds.clone())).unwrap();
    tape.launch(&two_written(4, &mut evens.clone(), &mut odds.clone())).unwrap();
    // x₂ₖ ← 2 x₂ₖ², x₂ₖ₊₁ ← 3.
    assert_eq!(x.to_vec().unwrap(), [2.0, 3.0, 18.0, 3.0, 50.0, 3.0, 98.0, 3.0]);
    tape.backward_with(&[(&x, &Array::full(&device, [8], 1.0))]).unwrap();
    assert_eq!(tape.grad(&x).unwrap().to_vec().unwrap(), [4.0, 0.0, 12.0, 0.0, 20.0, 0.0, 28.0, 0.0]);
}
