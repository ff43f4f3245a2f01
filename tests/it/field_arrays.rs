//! Arrays that are updated in place, overwritten, reused and copied, and of what the
//! host does around a recording.

use crate::support::{agree, by_differences, close, outcome, right, zeros};
use pullback::Error;
use pullback::prelude::*;

type Result<T> = std::result::Result<T, Error>;

#[kernel]
fn total<R: Real>(x: &Array<R>, sum: &mut Array<R>) {
    atomic_add(sum, 0, x[thread_id()]);
}

#[kernel]
fn add_one<R: Real>(a: &mut Array<R>) {
    let i = thread_id();
    a[i] = a[i] + 1.0;
}

fn one_more<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let (mut a, mut sum) = (zeros(3), zeros(1));
    tape.copy(&x[0], &mut a)?;
    tape.launch(&add_one(3, &mut a))?;
    tape.launch(&total(3, &a, &mut sum))?;
    Ok(sum)
}

#[test]
fn add_one_in_place() {
    right!(one_more at [1.0, 2.0, 3.0]; out [9.0]; grad [1.0, 1.0, 1.0]);
}

#[kernel]
fn scale<R: Real>(a: &mut Array<R>, by: &Array<R>) {
    let i = thread_id();
    a[i] = a[i] * by[0];
}

fn scaled_five_times<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let (mut a, mut sum) = (zeros(3), zeros(1));
    tape.copy(&x[0], &mut a)?;
    for _ in 0..5 {
        tape.launch(&scale(3, &mut a, &x[1]))?;
    }
    tape.launch(&total(3, &a, &mut sum))?;
    Ok(sum)
}

#[test]
fn scaled_again_and_again_by_a_parameter() {
    let s = 1.1f64;
    right!(scaled_five_times at [1.0, 2.0, 3.0], [s];
        out [6.0 * s.powi(5)]; grad [s.powi(5), s.powi(5), s.powi(5)], [30.0 * s.powi(4)]);
}

#[kernel]
fn fly<R: Real>(pos: &mut Array<Vec3<R>>, vel: &mut Array<Vec3<R>>, drag: &Array<R>, h: R) {
    let i = thread_id();
    vel[i] += Vec3::new(0.0, -9.81, 0.0) * h - vel[i] * (drag[0] * length(vel[i]) * h);
    pos[i] += vel[i] * h;
}

#[kernel]
fn squared_distance<R: Real>(pos: &Array<Vec3<R>>, out: &mut Array<R>) {
    let i = thread_id();
    out[i] = length_sq(pos[i]);
}

fn projectile<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let (mut pos, mut vel) = (x[0].cast_elements()?, x[1].cast_elements()?);
    let mut out = zeros(1);
    for _ in 0..30 {
        tape.launch(&fly(1, &mut pos, &mut vel, &x[2], R::lit(0.02)))?;
    }
    tape.launch(&squared_distance(1, &pos, &mut out))?;
    Ok(out)
}

#[test]
fn projectile_with_quadratic_drag() {
    by_differences!(projectile at [0.1, 1.0, -0.2], [3.0, 4.0, 0.5], [0.05]; out [5.48051];
        grad [3.59706, 2.99258, 0.166177], [1.93123, 1.61537, 0.0765285], [-11.2963]);
}

#[kernel]
fn divide<R: Real>(a: &mut Array<R>, by: &Array<R>) {
    let i = thread_id();
    a[i] /= by[i];
}

fn divided<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let (mut a, mut sum) = (zeros(2), zeros(1));
    tape.copy(&x[0], &mut a)?;
    tape.launch(&divide(2, &mut a, &x[1]))?;
    tape.launch(&total(2, &a, &mut sum))?;
    Ok(sum)
}

#[test]
fn division_in_place() {
    right!(divided at [3.0, 5.0], [2.0, 4.0]; out [2.75]; grad [0.5, 0.25], [-0.75, -0.3125]);
}

#[kernel]
fn three_outputs<R: Real>(x: &Array<R>, y: &mut Array<R>, z: &mut Array<R>, s: &mut Array<R>) {
    let i = thread_id();
    y[i] = x[i] * x[i];
    z[i] = 3.0 * y[i];
    s[i] = z[i] * y[i];
}

fn output<R: Real, const K: usize>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let mut outputs = [zeros(2), zeros(2), zeros(2)];
    let [y, z, s] = &mut outputs;
    tape.launch(&three_outputs(2, &x[0], y, z, s))?;
    Ok(outputs[K].clone())
}

#[test]
fn outputs_that_are_read_back() {
    fn y<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
        output::<R, 0>(tape, x)
    }
    fn z<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
        output::<R, 1>(tape, x)
    }
    fn s<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
        output::<R, 2>(tape, x)
    }
    right!(y at [1.0, 2.0]; out [1.0, 4.0]; grad [2.0, 4.0]);
    right!(z at [1.0, 2.0]; out [3.0, 12.0]; grad [6.0, 12.0]);
    right!(s at [1.0, 2.0]; out [3.0, 48.0]; grad [12.0, 96.0]);
    // And of one recording, in turn.
    let device = Device::cpu();
    let x = Array::from_slice(&device, &[1.0, 2.0]);
    let (mut y, mut z, mut s) = (zeros(2), zeros(2), zeros(2));
    let mut tape = Tape::new(&device);
    tape.launch(&three_outputs(2, &x, &mut y, &mut z, &mut s)).unwrap();
    let ones = Array::full(&device, [2], 1.0);
    for (output, right) in [(&y, [2.0, 4.0]), (&z, [6.0, 12.0]), (&s, [12.0, 96.0]), (&y, [2.0, 4.0])] {
        tape.backward_with(&[(output, &ones)]).unwrap();
        assert_eq!(tape.grad(&x).unwrap().to_vec().unwrap(), right);
    }
}

#[kernel]
fn powers<R: Real>(x: &Array<R>, y: &mut Array<R>, n: i32) {
    let i = thread_id();
    let mut p = 1.0;
    for _ in 0..n {
        p *= x[i];
    }
    y[i] = p;
}

fn dead_write<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let (mut y, mut sum) = (zeros(2), zeros(1));
    tape.launch(&powers(2, &x[0], &mut y, 2))?;
    tape.launch(&powers(2, &x[1], &mut y, 3))?;
    tape.launch(&total(2, &y, &mut sum))?;
    Ok(sum)
}

#[test]
fn a_write_that_nothing_reads() {
    right!(dead_write at [1.0, 2.0], [0.5, 0.7]; out [0.125 + 0.343]; grad [0.0, 0.0], [0.75, 1.47]);
}

#[kernel]
fn square_of<R: Real>(x: &Array<R>, j: i64, m: &mut Array<R>) {
    m[0] = x[j] * x[j];
}

#[kernel]
fn cube_to<R: Real>(m: &Array<R>, o: &mut Array<R>, j: i64) {
    o[j] = m[0] * m[0] * m[0];
}

fn one_cell_for_all<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let (mut m, mut o, mut sum) = (zeros(1), zeros(3), zeros(1));
    for j in 0..3 {
        tape.launch(&square_of(1, &x[0], j, &mut m))?;
        tape.launch(&cube_to(1, &m, &mut o, j))?;
    }
    tape.launch(&total(3, &o, &mut sum))?;
    Ok(sum)
}

#[test]
fn one_cell_of_scratch_for_three_inputs() {
    let x = [1.1f64, 0.8, 1.3];
    right!(one_cell_for_all at x; out [x.map(|x| x.powi(6)).iter().sum::<f64>()]; grad x.map(|x| 6.0 * x.powi(5)));
}

#[kernel]
fn read_then_change<R: Real>(x: &Array<R>, b: &mut Array<R>, out: &mut Array<R>) {
    out[0] = x[0] * b[0];
    b[0] += 100.0;
}

fn factor_changed<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let mut out = zeros(1);
    let (x, b) = x.split_at_mut(1);
    tape.launch(&read_then_change(1, &x[0], &mut b[0], &mut out))?;
    Ok(out)
}

#[test]
fn the_factor_is_changed_after_it_was_read() {
    right!(factor_changed at [1.0], [10.0]; out [10.0]; grad [10.0], [1.0]);
}

#[kernel]
fn squares<R: Real>(x: &Array<R>, y: &mut Array<R>) {
    let i = thread_id();
    y[i] = x[i] * x[i];
}

#[test]
fn input_changed_by_the_host_before_backward() {
    let device = Device::cpu();
    let (mut x, mut y) = (Array::from_slice(&device, &[3.0, 4.0]), zeros(2));
    let mut loss = zeros(1);
    let mut tape = Tape::new(&device);
    tape.launch(&squares(2, &x, &mut y)).unwrap();
    tape.launch(&total(2, &y, &mut loss)).unwrap();
    // Through the tape: what the adjoint needs is kept.
    tape.write(&mut x, &[5.0, -1.0]).unwrap();
    tape.backward(&loss).unwrap();
    assert_eq!(tape.grad(&x).unwrap().to_vec().unwrap(), [6.0, 8.0]);
    // What was kept does not mind a write of the host's, either.
    x.copy_from_slice(&[7.0, 7.0]).unwrap();
    tape.backward(&loss).unwrap();
    assert_eq!(tape.grad(&x).unwrap().to_vec().unwrap(), [6.0, 8.0]);

    // Behind the tape's back: refused by name.
    let mut x = Array::from_slice(&device, &[3.0, 4.0]);
    let mut tape = Tape::new(&device);
    tape.launch(&squares(2, &x, &mut y)).unwrap();
    tape.launch(&total(2, &y, &mut loss)).unwrap();
    x.copy_from_slice(&[5.0, -1.0]).unwrap();
    let error = tape.backward(&loss).unwrap_err().to_string();
    assert!(error.contains("`x`") && error.contains("`squares`") && error.contains("field_arrays.rs"), "{error}");
    // And so is a launch that would read it.
    let error = tape.launch(&squares(2, &x, &mut y)).unwrap_err().to_string();
    assert!(error.contains("`x`") && error.contains("`squares`"), "{error}");
}

fn read_after_copy<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let (mut y, mut sum) = (zeros(2), zeros(1));
    tape.copy(&x[0], &mut y)?;
    for (array, n) in [(&y, 2), (&x[0], 3)] {
        let mut p = zeros(2);
        tape.launch(&powers(2, array, &mut p, n))?;
        tape.launch(&total(2, &p, &mut sum))?;
    }
    Ok(sum)
}

#[test]
fn source_read_after_a_copy() {
    right!(read_after_copy at [1.0, 2.0]; out [14.0]; grad [5.0, 16.0]);
}

fn part_of_a_copy<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let (y, mut sum) = (Array::full(&Device::cpu(), [6], R::lit(9.0)), zeros(1));
    tape.copy(&x[0].slice(0, 1..3)?, &mut y.slice(0, 3..5)?)?;
    let mut p = zeros(6);
    tape.launch(&powers(6, &y, &mut p, 2))?;
    tape.launch(&total(6, &p, &mut sum))?;
    Ok(sum)
}

#[test]
fn copy_between_two_offsets() {
    right!(part_of_a_copy at [1.0, 2.0, 3.0, 4.0]; out [337.0]; grad [0.0, 4.0, 6.0, 0.0]);
}

fn many_clones<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let mut sum = zeros(1);
    for _ in 0..4 {
        let (mut c, mut a) = (zeros(3), zeros(3));
        tape.copy(&x[0], &mut c)?;
        tape.launch(&squares(3, &c, &mut a))?;
        tape.launch(&total(3, &a, &mut sum))?;
    }
    Ok(sum)
}

#[test]
fn many_clones_of_one_array() {
    right!(many_clones at [0.0, 0.5, 1.0]; out [5.0]; grad [0.0, 4.0, 8.0]);
}

#[test]
fn each_backward_starts_afresh() {
    let device = Device::cpu();
    let (x, mut y) = (Array::from_slice(&device, &[3.0]), zeros(1));
    let mut tape = Tape::new(&device);
    tape.launch(&squares(1, &x, &mut y)).unwrap();
    for _ in 0..2 {
        tape.backward(&y).unwrap();
        assert_eq!(tape.grad(&x).unwrap().to_vec().unwrap(), [6.0]);
    }
}

#[test]
fn cotangents_of_the_caller_stay_as_they_are() {
    let device = Device::cpu();
    let x = Array::from_slice(&device, &[1.0, 2.0]);
    let seed = Array::from_slice(&device, &[1.0, 1.0]);
    for _ in 0..2 {
        let mut y = zeros(2);
        let mut tape = Tape::new(&device);
        tape.launch(&squares(2, &x, &mut y)).unwrap();
        tape.backward_with(&[(&y, &seed)]).unwrap();
        assert_eq!(tape.grad(&x).unwrap().to_vec().unwrap(), [2.0, 4.0]);
        assert_eq!(seed.to_vec().unwrap(), [1.0, 1.0]);
        // Nor does a gradient that was given out change when the tape is used again.
        let gradient = tape.grad(&x).unwrap();
        tape.backward_with(&[(&y, &Array::full(&device, [2], 5.0))]).unwrap();
        assert_eq!(gradient.to_vec().unwrap(), [2.0, 4.0]);
    }
}

fn through_an_intermediate<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let (mut m, mut loss) = (zeros(1), zeros(1));
    tape.launch(&squares(1, &x[0], &mut m))?;
    tape.copy(&m, &mut loss)?;
    Ok(loss)
}

/// No array asks for a gradient: all have one.
#[test]
fn intermediates_and_losses_ask_for_nothing() {
    right!(through_an_intermediate at [3.0]; out [9.0]; grad [6.0]);
}

#[test]
fn a_tape_inside_a_tape() {
    let device = Device::cpu();
    let x = Array::from_slice(&device, &[3.0, 1.0]);
    let (mut y, mut loss) = (zeros(2), zeros(1));
    let (mut outer, mut inner) = (Tape::new(&device), Tape::new(&device));
    inner.launch(&squares(2, &x, &mut y)).unwrap();
    outer.launch(&total(2, &y, &mut loss)).unwrap();
    // Each tape knows its own launches: the outer one begins with y, and does not know x.
    outer.backward(&loss).unwrap();
    assert_eq!(outer.grad(&y).unwrap().to_vec().unwrap(), [1.0, 1.0]);
    assert!(matches!(outer.grad(&x), Err(Error::NotRecorded)));
    inner.backward_with(&[(&y, &outer.grad(&y).unwrap())]).unwrap();
    assert_eq!(inner.grad(&x).unwrap().to_vec().unwrap(), [6.0, 2.0]);
    // What the inner tape writes while the outer one uses it is a write behind the outer one's back.
    inner.launch(&squares(2, &x, &mut y)).unwrap();
    let error = outer.launch(&total(2, &y, &mut loss)).unwrap_err().to_string();
    assert!(error.contains("`x`") && error.contains("`total`") && error.contains("outside"), "{error}");
}

#[test]
fn jacobian_of_a_function_that_changes_its_input() {
    let device = Device::cpu();
    let x = Array::from_slice(&device, &[1.0, 2.0]);
    let rows = pullback::jacobian(
        &device,
        |tape, a| {
            let mut y = zeros::<f64>(2);
            tape.launch(&add_one(2, a))?;
            tape.launch(&squares(2, a, &mut y))?;
            Ok(y)
        },
        &x,
    );
    let rows: Vec<Vec<f64>> = rows.unwrap().iter().map(|r| r.to_vec().unwrap()).collect();
    assert_eq!(rows, [[4.0, 0.0], [0.0, 6.0]]);
    assert_eq!(x.to_vec().unwrap(), [1.0, 2.0]);
}

/// A linear solve as its user writes it: a matrix of constants, a vector from an array.
#[kernel]
fn solved<R: Real>(b: &Array<R>, out: &mut Array<R>) {
    let mut a = Mat66::zeros();
    for i in 0..6 {
        for j in 0..6 {
            let near = select(abs(i - j) == 1, -1.0, 0.0);
            a[(i, j)] = select(i == j, 2.7, near);
        }
    }
    let x = solve(a, Vec6::from([b[0], b[1], b[2], b[3], b[4], b[5]]));
    for i in 0..6 {
        out[i] = x[i];
    }
}

/// The same by conjugate gradients, until they have converged.
#[kernel]
fn solved_by_iteration<R: Real>(b: &Array<R>, out: &mut Array<R>) {
    let mut r = [b[0], b[1], b[2], b[3], b[4], b[5]];
    let mut p = r;
    let mut x = [0.0; 6];
    let mut rr = 0.0;
    for i in 0..6 {
        rr += r[i] * r[i];
    }
    while rr > 1e-24 {
        let mut ap = [0.0; 6];
        let mut pap = 0.0;
        for i in 0..6 {
            ap[i] = 2.7 * p[i];
            if i > 0 {
                ap[i] -= p[i - 1];
            }
            if i < 5 {
                ap[i] -= p[i + 1];
            }
            pap += p[i] * ap[i];
        }
        let alpha = rr / pap;
        let before = rr;
        rr = 0.0;
        for i in 0..6 {
            x[i] += alpha * p[i];
            r[i] -= alpha * ap[i];
            rr += r[i] * r[i];
        }
        for i in 0..6 {
            p[i] = r[i] + rr / before * p[i];
        }
    }
    for i in 0..6 {
        out[i] = x[i];
    }
}

fn direct<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let mut out = zeros(6);
    tape.launch(&solved(1, &x[0], &mut out))?;
    Ok(out)
}

fn iterated<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let mut out = zeros(6);
    tape.launch(&solved_by_iteration(1, &x[0], &mut out))?;
    Ok(out)
}

#[test]
fn linear_solves() {
    let (b, w) = ([1.0, -2.0, 3.0, 0.5, 0.0, 1.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let x = [0.33631, -0.0919621, 1.41539, 0.913521, 0.551114, 0.574487];
    let gradient = [1.36776, 2.69295, 3.9032, 4.8457, 5.18019, 4.14081];
    for (what, found) in [
        ("direct", outcome::<f64>(direct, &[&b], &w)),
        ("direct, f32", outcome::<f32>(direct, &[&b], &w)),
        ("iterated", outcome::<f64>(iterated, &[&b], &w)),
    ] {
        agree(what, &found, &x, &[&gradient], 2e-6);
    }
    // The solution is linear in b: its gradient is the solution for the weights, to the last digits.
    let right = outcome::<f64>(direct, &[&w], &w).0;
    close("direct", &outcome::<f64>(direct, &[&b], &w).1[0], &right, 1e-13);
    close("iterated", &outcome::<f64>(iterated, &[&b], &w).1[0], &right, 1e-7);
}

#[kernel]
fn move_on<R: Real>(z: &mut Array<R>, theta: &Array<R>, t: i64) {
    z[t + 1] = z[t] + 2.0 * theta[0];
}

#[kernel]
fn miss<R: Real>(z: &Array<R>, loss: &mut Array<R>) {
    loss[0] = abs(z[3] - 200.0);
}

#[test]
fn no_gradient_of_an_earlier_pass_is_left() {
    let device = Device::cpu();
    let theta = Array::from_slice(&device, &[2.0]);
    let mut z = Array::from_slice(&device, &[1.0, 0.0, 0.0, 0.0]);
    let mut loss = zeros(1);
    let mut tape = Tape::new(&device);
    for _ in 0..2 {
        tape.reset();
        for t in 0..3 {
            tape.launch(&move_on(1, &mut z, &theta, t)).unwrap();
        }
        tape.launch(&miss(1, &z, &mut loss)).unwrap();
        for _ in 0..2 {
            tape.backward(&loss).unwrap();
            assert_eq!(tape.grad(&theta).unwrap().to_vec().unwrap(), [-6.0]);
            assert_eq!(tape.grad(&z).unwrap().to_vec().unwrap(), [-1.0, 0.0, 0.0, 0.0]);
        }
    }
}
