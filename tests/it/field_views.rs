//! Views, atomics, functions and random numbers.

use crate::support::{outcome, right, zeros};
use pullback::Error;
use pullback::prelude::*;

type Result<T> = std::result::Result<T, Error>;

#[kernel]
fn rows<R: Real>(a: &Array<Vec3<R>, 2>, b: &Array<Vec3<R>, 2>, c: &mut Array<Vec3<R>, 2>) {
    let i = thread_id();
    c[(i, 0)] = a[(i, 1)] * b[(i, 0)];
}

fn by_rows<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let vectors = |a: &Array<R>| a.reshape([2, 6])?.cast_elements::<Vec3<R>>();
    let out = zeros(12);
    tape.launch(&rows(2, &vectors(&x[0])?, &vectors(&x[1])?, &mut vectors(&out)?))?;
    Ok(out)
}

#[test]
fn row_by_row() {
    let a = [0.0, 0.0, 0.0, 3.0, 4.0, 5.0, 0.0, 0.0, 0.0, 9.0, 10.0, 11.0];
    let b = [2.0, 2.0, 2.0, 7.0, 7.0, 7.0, 2.0, 2.0, 2.0, 7.0, 7.0, 7.0];
    right!(by_rows at a, b; out [6.0, 8.0, 10.0, 0.0, 0.0, 0.0, 18.0, 20.0, 22.0, 0.0, 0.0, 0.0];
        grad [0.0, 0.0, 0.0, 2.0, 2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 2.0, 2.0],
        [3.0, 4.0, 5.0, 0.0, 0.0, 0.0, 9.0, 10.0, 11.0, 0.0, 0.0, 0.0]);
}

#[kernel]
fn squares<R: Real>(x: &Array<R>, y: &mut Array<R>) {
    let i = thread_id();
    y[i] = x[i] * x[i];
}

#[kernel]
fn sum_of_squares<R: Real>(x: &Array<R>, sum: &mut Array<R>) {
    let i = thread_id();
    atomic_add(sum, 0, x[i] * x[i]);
}

fn every_other<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let (y, mut sum) = (zeros(6), zeros(1));
    tape.launch(&squares(3, &x[0].slice_step(0, 1..6, 2)?, &mut y.slice_step(0, 0..6, 2)?))?;
    tape.launch(&sum_of_squares(6, &y, &mut sum))?;
    Ok(sum)
}

/// The same with both in one array: the evens from the odds.
fn in_one_array<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let mut sum = zeros(1);
    let mut evens = x[0].slice_step(0, 0..6, 2)?;
    tape.launch(&squares(3, &x[0].slice_step(0, 1..6, 2)?, &mut evens))?;
    tape.launch(&sum_of_squares(3, &evens, &mut sum))?;
    Ok(sum)
}

#[test]
fn views_with_steps() {
    let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    right!(every_other at x; out [1568.0]; grad [0.0, 32.0, 0.0, 256.0, 0.0, 864.0]);
    right!(in_one_array at x; out [1568.0]; grad [0.0, 32.0, 0.0, 256.0, 0.0, 864.0]);
}

#[kernel]
fn products<R: Real>(x: &Array<R>, y: &Array<R>, out: &mut Array<R>) {
    let i = thread_id();
    out[i] = x[i] * y[i];
}

fn twice_an_input<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let mut out = zeros(2);
    tape.launch(&products(2, &x[0], &x[0], &mut out))?;
    Ok(out)
}

fn overlapping_inputs<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let mut out = zeros(2);
    tape.launch(&products(2, &x[0].slice(0, 0..2)?, &x[0].slice(0, 1..3)?, &mut out))?;
    Ok(out)
}

#[test]
fn one_array_as_two_inputs() {
    right!(twice_an_input at [3.0, 4.0]; out [9.0, 16.0]; grad [6.0, 8.0]);
    right!(overlapping_inputs at [3.0, 4.0, 5.0]; out [12.0, 20.0]; grad [4.0, 8.0, 4.0]);
}

#[kernel]
fn all_squares<R: Real>(x: &Array<R, 2>, sum: &mut Array<R>) {
    let (i, j) = thread_id2();
    atomic_add(sum, 0, x[(i, j)] * x[(i, j)]);
}

fn turned_and_reshaped<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let a = x[0].reshape([2, 3])?;
    let mut sum = zeros(1);
    tape.launch(&all_squares((3, 2), &a.permute([1, 0])?, &mut sum))?;
    tape.launch(&sum_of_squares(6, &a.reshape([6])?, &mut sum))?;
    Ok(sum)
}

#[test]
fn transposed_and_reshaped() {
    right!(turned_and_reshaped at [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]; out [110.0];
        grad [0.0, 4.0, 8.0, 12.0, 16.0, 20.0]);
}

#[test]
fn empty_slice() {
    let device = Device::cpu();
    let a = Array::from_slice(&device, &[1.0, 2.0, 3.0, 4.0]);
    let empty = a.slice(0, 2..2).unwrap();
    assert_eq!((empty.len(), empty.shape(), empty.to_vec().unwrap()), (0, [0], vec![]));
    let mut sum = zeros::<f64>(1);
    let mut tape = Tape::new(&device);
    tape.launch(&sum_of_squares(0, &empty, &mut sum)).unwrap();
    tape.launch(&sum_of_squares(2, &a, &mut sum)).unwrap();
    tape.fill(&mut empty.clone(), 7.0).unwrap();
    tape.backward(&sum).unwrap();
    assert_eq!(tape.grad(&a).unwrap().to_vec().unwrap(), [2.0, 4.0, 0.0, 0.0]);
    assert_eq!(tape.grad(&empty).unwrap().to_vec().unwrap(), [0.0; 0]);
}

#[kernel]
fn cubes<R: Real>(x: &Array<R>, sum: &mut Array<R>) {
    let i = thread_id();
    atomic_add(sum, 0, x[i] * x[i] * x[i]);
}

fn sum_of_cubes<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let mut sum = zeros(1);
    tape.launch(&cubes(3, &x[0], &mut sum))?;
    Ok(sum)
}

#[test]
fn gradient_of_an_array_argument() {
    right!(sum_of_cubes at [1.0, 2.0, 3.0]; out [36.0]; grad [3.0, 12.0, 27.0]);
}

#[kernel]
fn claim<R: Real>(x: &Array<R>, count: &mut Array<i32>, out: &mut Array<R>) {
    let i = thread_id();
    if x[i] > 0.0 {
        let k = atomic_add(count, 0, 1);
        out[k as i64] = x[i] * x[i];
    }
}

fn claimed<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let (mut count, mut out) = (Array::zeros(&Device::cpu(), [1]), zeros(5));
    tape.launch(&claim(5, &x[0], &mut count, &mut out))?;
    // What becomes of the counter says nothing about the slots that were given out.
    tape.fill(&mut count, 0)?;
    Ok(out)
}

#[test]
fn slots_from_a_counter() {
    right!(claimed at [-1.0, 2.0, -3.0, 4.0, 5.0]; weights [1.0, 10.0, 100.0, 1000.0, 10000.0];
        out [4.0, 16.0, 25.0, 0.0, 0.0]; grad [0.0, 4.0, 0.0, 80.0, 1000.0]);
}

#[kernel]
fn largest_square<R: Real>(x: &Array<R>, m: &mut Array<R>) {
    let i = thread_id();
    atomic_max(m, 0, x[i] * x[i]);
}
#[kernel]
fn least_square<R: Real>(x: &Array<R>, m: &mut Array<R>) {
    let i = thread_id();
    atomic_min(m, 0, x[i] * x[i]);
}

fn largest<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let mut m = zeros(1);
    tape.launch(&largest_square(3, &x[0], &mut m))?;
    Ok(m)
}
fn least<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let mut m = Array::full(&Device::cpu(), [1], R::lit(100.0));
    tape.launch(&least_square(3, &x[0], &mut m))?;
    Ok(m)
}

#[test]
fn atomic_maximum() {
    right!(largest at [1.0, -3.0, 2.0]; out [9.0]; grad [0.0, -6.0, 0.0]);
    right!(least at [1.5, -3.0, -1.0]; out [1.0]; grad [0.0, 0.0, -2.0]);
    // Of a tie each has half: 6 / 2.
    right!(largest at [3.0, -3.0, 2.0]; out [9.0]; grad [3.0, -3.0, 0.0]);
}

#[kernel]
fn vector_then_component<R: Real>(x: &Array<R>, out: &mut Array<Vec3<R>>) {
    let i = thread_id();
    atomic_add(out, 0, Vec3::new(x[i], x[i] * x[i], 1.0));
    out[0].z += x[i];
}

fn both_ways<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let out = zeros(3);
    tape.launch(&vector_then_component(2, &x[0], &mut out.cast_elements()?))?;
    Ok(out)
}

#[test]
fn atomic_on_a_vector_and_update_of_a_component() {
    right!(both_ways at [2.0, 3.0]; out [5.0, 13.0, 7.0]; grad [6.0, 8.0]);
}

#[kernel]
fn large_numbers(sum: &mut Array<i64>) {
    atomic_add(sum, 0, 3_000_000_000);
}

#[test]
fn sum_of_64_bits() {
    let device = Device::cpu();
    let mut sum = Array::zeros(&device, [1]);
    Stream::new(&device).launch(&large_numbers(1024, &mut sum)).unwrap();
    assert_eq!(sum.to_vec().unwrap(), [3_072_000_000_000]);
}

#[func]
fn two_results<R: Real>(x: R, y: R) -> (R, R) {
    (x * y, sin(x) + y * y)
}

#[kernel]
fn one_unused<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let (a, b) = two_results(x[0], x[1]);
    let (c, _) = two_results(b, a);
    out[0] = c;
}

fn unused_result<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let mut out = zeros(1);
    tape.launch(&one_unused(1, &x[0], &mut out))?;
    Ok(out)
}

#[test]
fn two_results_of_which_one_is_unused() {
    // o = (sin x + y²) x y.
    let (x, y) = (0.7f64, 1.5f64);
    let b = x.sin() + y * y;
    right!(unused_result at [x, y]; out [b * x * y]; grad [x.cos() * x * y + b * y, 2.0 * y * x * y + b * x]);
}

#[func]
#[adjoint(pass_through)]
fn clip<R: Real>(x: R) -> R {
    clamp(x, -1.0, 1.0)
}
#[func]
fn pass_through<R: Real>(_x: R, _y: R, dy: R) -> R {
    dy
}

#[kernel]
fn clipped<R: Real>(x: &Array<R>, out: &mut Array<R>, n: i32) {
    let mut s = x[0];
    for _ in 0..n {
        s = clip(1.5 * s);
    }
    out[0] = s;
}

fn straight_through<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let mut out = zeros(1);
    tape.launch(&clipped(1, &x[0], &mut out, 4))?;
    Ok(out)
}

#[test]
fn rule_of_the_users_in_a_loop() {
    right!(straight_through at [0.9]; out [1.0]; grad [5.0625]);
}

#[kernel]
fn drawn<R: Real>(x: &Array<R>, out: &mut Array<R>, draws: &mut Array<R>) {
    let i = thread_id();
    let mut rng = rand_init(42, i as u64);
    let a: R = randf(&mut rng);
    let b: R = randf(&mut rng);
    draws[2 * i] = a;
    draws[2 * i + 1] = b;
    out[i] = a * x[i] + b * x[i] * x[i];
}

fn draws<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let out = zeros(6);
    tape.launch(&drawn(2, &x[0], &mut out.slice(0, 0..2)?, &mut out.slice(0, 2..6)?))?;
    Ok(out)
}

#[test]
fn the_same_draws_backward() {
    let x = [1.0, 1.5];
    let (out, gradient) = outcome::<f64>(draws, &[&x], &[1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    for i in 0..2 {
        let (a, b) = (out[2 + 2 * i], out[3 + 2 * i]);
        assert!(a > 0.0 && b > 0.0 && a != b);
        assert_eq!((out[i], gradient[0][i]), (a * x[i] + b * x[i] * x[i], a + 2.0 * b * x[i]));
    }
    assert_ne!(out[2], out[4]);
}
