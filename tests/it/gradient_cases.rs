//! Programs on which differentiable-kernel systems are known to go wrong: loops with a trip count known
//! only when they run, early exits, arrays updated in place and overwritten later, atomics whose result
//! is used, guarded overflows. Each gives the derivative of what was run, checked by a closed form or by
//! central differences in f64.
//!
//! Kept in `autodiff/src` (what a kernel's adjoint is) and `runtime/src/tape` (which contents it reads).

use crate::support::{check, gradient, near};
use pullback::prelude::*;

#[kernel]
fn product(x: &Array<f64>, out: &mut Array<f64>, n: i64) {
    let mut p = 1.0;
    for i in 0..n {
        p *= x[i];
    }
    out[0] = p;
}

#[test]
fn product_over_a_run_time_loop() {
    let g = gradient(&[&[2.0, 3.0, 4.0]], |tape, x| {
        let mut out = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&product(1, &x[0], &mut out, 3))?;
        Ok(out)
    });
    assert_eq!(g[0], [12.0, 8.0, 6.0]);
}

#[kernel]
fn product20(x: &Array<f64>, out: &mut Array<f64>) {
    let mut p = 1.0;
    for i in 0..20 {
        p *= x[i];
    }
    out[0] = p;
}

#[test]
fn product_over_a_long_constant_loop() {
    let x: Vec<f64> = (0..20).map(|i| 0.8 + 0.03 * i as f64).collect();
    check(&[&x], 1e-8, |tape, x| {
        let mut out = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&product20(1, &x[0], &mut out))?;
        Ok(out)
    });
}

#[kernel]
fn iterate(x: &Array<f64>, out: &mut Array<f64>, n: i32) {
    let mut s = x[0];
    let mut k = 0;
    while k < n {
        s = sin(s) + 0.3 * s * s;
        k += 1;
    }
    out[0] = s;
}

#[test]
fn while_with_a_carried_float() {
    for n in [0, 1, 5, 40] {
        check(&[&[0.7]], 1e-7, |tape, x| {
            let mut out = Array::zeros(&Device::cpu(), [1]);
            tape.launch(&iterate(1, &x[0], &mut out, n))?;
            Ok(out)
        });
    }
}

#[kernel]
fn nested(a: &Array<f64>, b: &Array<f64>, out: &mut Array<f64>) {
    let mut acc = 0.0;
    for i in 0..a.len() {
        let mut t = 1.0;
        for j in 0..b.len() {
            t *= 1.0 + a[i] * b[j];
        }
        acc += t * t;
    }
    out[0] = acc;
}

#[test]
fn nested_run_time_loops() {
    check(&[&[0.3, -0.2, 0.5], &[0.1, 0.4, -0.3, 0.2]], 1e-7, |tape, x| {
        let mut out = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&nested(1, &x[0], &x[1], &mut out))?;
        Ok(out)
    });
}

#[kernel]
fn until_full(x: &Array<f64>, out: &mut Array<f64>) {
    let mut acc = 0.0;
    for i in 0..x.len() {
        if acc > 5.0 {
            break;
        }
        acc += x[i] * x[i];
    }
    out[0] = acc;
}

#[test]
fn break_out_of_a_loop() {
    let g = gradient(&[&[1.0, 2.0, 3.0, 4.0]], |tape, x| {
        let mut out = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&until_full(1, &x[0], &mut out))?;
        Ok(out)
    });
    assert_eq!(g[0], [2.0, 4.0, 6.0, 0.0]);
}

#[kernel]
fn best_of(x: &Array<f64>, out: &mut Array<f64>) {
    let mut best = -1e300;
    for i in 0..x.len() {
        if x[i] < 0.0 {
            continue;
        }
        best = max(best, x[i]);
    }
    out[0] = best * best;
}

#[test]
fn continue_and_max() {
    let g = gradient(&[&[3.0, 5.0, -1.0, 4.0]], |tape, x| {
        let mut out = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&best_of(1, &x[0], &mut out))?;
        Ok(out)
    });
    assert_eq!(g[0], [0.0, 10.0, 0.0, 0.0]);
}

#[kernel]
fn used_twice(x: &Array<f64>, out: &mut Array<f64>, n: i32) {
    let c = x[0] * x[1];
    let mut s = 0.0;
    for i in 0..n {
        s += c * sin(0.1 * i as f64);
    }
    out[0] = s + c * c;
}

#[test]
fn value_used_in_a_loop_and_after_it() {
    check(&[&[1.3, -0.4]], 1e-7, |tape, x| {
        let mut out = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&used_twice(1, &x[0], &mut out, 30))?;
        Ok(out)
    });
}

#[kernel]
fn scale(a: &mut Array<f64>, b: &Array<f64>) {
    let i = thread_id();
    a[i] *= b[i];
}

#[kernel]
fn sum_of_squares(x: &Array<f64>, loss: &mut Array<f64>) {
    let i = thread_id();
    atomic_add(loss, 0, x[i] * x[i]);
}

#[test]
fn array_scaled_in_place_after_it_was_read() {
    let (a, b) = ([1.5, -2.0, 0.5], [0.3, 0.7, -1.1]);
    check(&[&a, &b], 1e-7, |tape, x| {
        let mut loss = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&sum_of_squares(3, &x[0], &mut loss))?;
        let b = x[1].clone();
        tape.launch(&scale(3, &mut x[0], &b))?;
        tape.launch(&sum_of_squares(3, &x[0], &mut loss))?;
        Ok(loss)
    });
}

#[kernel]
fn square(x: &mut Array<f64>) {
    let i = thread_id();
    x[i] = x[i] * x[i];
}

#[kernel]
fn sum(x: &Array<f64>, loss: &mut Array<f64>) {
    let i = thread_id();
    atomic_add(loss, 0, x[i]);
}

#[test]
fn squared_in_place_three_times() {
    let x = [1.1, -0.9, 0.5, 2.0];
    let g = gradient(&[&x], |tape, x| {
        let mut loss = Array::zeros(&Device::cpu(), [1]);
        for _ in 0..3 {
            tape.launch(&square(4, &mut x[0]))?;
        }
        tape.launch(&sum(4, &x[0], &mut loss))?;
        Ok(loss)
    });
    for (g, x) in g[0].iter().zip(x) {
        near(*g, 8.0 * f64::powi(x, 7), 1e-13);
    }
}

#[test]
fn read_and_then_overwritten_by_each_means() {
    let x = [1.0, -2.0, 3.0];
    for means in 0..4 {
        let g = gradient(&[&x], |tape, x| {
            let mut loss = Array::zeros(&Device::cpu(), [1]);
            tape.launch(&sum_of_squares(3, &x[0], &mut loss))?;
            match means {
                0 => tape.fill(&mut x[0], 7.0)?,
                1 => tape.write(&mut x[0], &[5.0, 5.0, 5.0])?,
                2 => {
                    let other = Array::from_slice(&Device::cpu(), &[9.0, 9.0, 9.0]);
                    tape.copy(&other, &mut x[0])?;
                }
                _ => tape.launch(&square(3, &mut x[0]))?,
            }
            Ok(loss)
        });
        assert_eq!(g[0], [2.0, -4.0, 6.0], "means {means}");
    }
}

#[kernel]
fn components(a: &Array<Vec3<f64>>, out: &mut Array<f64>) {
    let i = thread_id();
    let mut v = a[i];
    v.x = v.y * v.z;
    v.x = v.x * v.x + a[i].x;
    out[i] = v.x;
}

#[test]
fn components_assigned_one_by_one() {
    check(&[&[0.7, -1.2, 0.4]], 1e-7, |tape, x| {
        let a = x[0].cast_elements::<Vec3<f64>>()?;
        let mut out = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&components(1, &a, &mut out))?;
        Ok(out)
    });
}

#[kernel]
fn claim_slots(x: &Array<f64>, count: &mut Array<i32>, out: &mut Array<f64>) {
    let i = thread_id();
    let slot = atomic_add(count, 0, 1);
    out[slot as i64] = sqrt(x[i]);
}

#[test]
fn slot_claimed_by_an_atomic() {
    let x = [1.0, 4.0, 9.0, 16.0, 25.0];
    let g = gradient(&[&x], |tape, x| {
        let mut count = Array::zeros(&Device::cpu(), [1]);
        let mut out = Array::zeros(&Device::cpu(), [5]);
        let mut loss = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&claim_slots(5, &x[0], &mut count, &mut out))?;
        tape.launch(&sum(5, &out, &mut loss))?;
        Ok(loss)
    });
    for (g, x) in g[0].iter().zip(x) {
        near(*g, 0.5 / x.sqrt(), 1e-14);
    }
}

#[kernel]
fn guarded_branch(x: &Array<f64>, out: &mut Array<f64>) {
    let i = thread_id();
    let y = if x[i] < 1.0 { x[i] * x[i] } else { exp(1000.0 * x[i]) };
    out[i] = y;
}

#[kernel]
fn guarded_select(x: &Array<f64>, out: &mut Array<f64>) {
    let i = thread_id();
    let e = exp(1000.0 * x[i]);
    out[i] = select(x[i] < 1.0, x[i] * x[i], x[i] * e * e);
}

#[test]
fn overflow_in_the_branch_not_taken() {
    let g = gradient(&[&[0.5]], |tape, x| {
        let mut out = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&guarded_branch(1, &x[0], &mut out))?;
        Ok(out)
    });
    assert_eq!(g[0], [1.0]);
    let g = gradient(&[&[0.75]], |tape, x| {
        let mut out = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&guarded_select(1, &x[0], &mut out))?;
        Ok(out)
    });
    assert_eq!(g[0], [1.5]);
}

#[kernel]
fn early_return(x: &Array<f64>, y: &mut Array<f64>) {
    let i = thread_id();
    y[i] = x[i] * 3.0;
    if x[i] > 1.0 {
        y[i] += x[i] * x[i];
        if x[i] > 2.0 {
            return;
        }
        y[i] *= x[i];
    }
    y[i] = y[i] * y[i];
}

#[test]
fn return_between_writes() {
    check(&[&[0.5, 1.5, 2.5, -0.3]], 1e-7, |tape, x| {
        let mut y = Array::zeros(&Device::cpu(), [4]);
        let mut loss = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&early_return(4, &x[0], &mut y))?;
        tape.launch(&sum_of_squares(4, &y, &mut loss))?;
        Ok(loss)
    });
}

#[kernel]
fn return_in_a_loop(x: &Array<f64>, y: &mut Array<f64>) {
    let i = thread_id();
    let mut s = x[i];
    for k in 0..10 {
        s = s * 1.3;
        y[i] = s * s;
        if s > 2.0 {
            return;
        }
        s += 0.01 * k as f64 * x[i];
    }
    y[i] += s;
}

#[test]
fn return_inside_a_loop() {
    check(&[&[0.5, 1.9, 0.01, -0.3]], 1e-7, |tape, x| {
        let mut y = Array::zeros(&Device::cpu(), [4]);
        let mut loss = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&return_in_a_loop(4, &x[0], &mut y))?;
        tape.launch(&sum(4, &y, &mut loss))?;
        Ok(loss)
    });
}

#[kernel]
fn pendulum(start: &Array<f64>, length: &Array<f64>, damping: &Array<f64>, end: &mut Array<f64>, n: i32, dt: f64) {
    let i = thread_id();
    let mut angle = start[i];
    let mut rate = 0.0;
    for _ in 0..n {
        let accel = -9.81 / length[i] * sin(angle) - damping[i] * rate;
        rate += 0.5 * dt * accel;
        angle += dt * rate;
        let accel = -9.81 / length[i] * sin(angle) - damping[i] * rate;
        rate += 0.5 * dt * accel;
    }
    end[i] = angle * angle;
}

#[test]
fn trajectory_inside_one_kernel() {
    check(&[&[0.5, 1.2], &[1.0, 0.7], &[0.1, 0.2]], 1e-7, |tape, x| {
        let mut end = Array::zeros(&Device::cpu(), [2]);
        let mut loss = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&pendulum(2, &x[0], &x[1], &x[2], &mut end, 1000, 0.002))?;
        tape.launch(&sum(2, &end, &mut loss))?;
        Ok(loss)
    });
}

#[kernel]
fn neighbours(x: &Array<f64>, y: &mut Array<f64>) {
    let i = thread_id();
    y[i] = x[i] * x[i + 1];
}

#[test]
fn one_array_as_both_arguments_is_refused_by_name() {
    let mut x = Array::from_slice(&Device::cpu(), &[1.0, 2.0, 3.0, 4.0]);
    let same = x.clone();
    let mut tape = Tape::new(&Device::cpu());
    let message = tape.launch(&neighbours(3, &same, &mut x)).unwrap_err().to_string();
    assert!(message.contains("`x`") && message.contains("`y`"), "{message}");
}

#[kernel]
fn neighbours_in_place(x: &mut Array<f64>) {
    let i = thread_id();
    x[i] = x[i] * x[i + 1] + sin(x[i + 1]);
}

#[test]
fn neighbour_read_in_the_array_that_is_written() {
    check(&[&[1.0, 0.8, 1.3, 0.4, 0.9]], 1e-7, |tape, x| {
        let mut loss = Array::zeros(&Device::cpu(), [1]);
        for _ in 0..3 {
            tape.launch(&neighbours_in_place(4, &mut x[0]))?;
        }
        tape.launch(&sum_of_squares(5, &x[0], &mut loss))?;
        Ok(loss)
    });
}

#[kernel]
fn prefix(x: &mut Array<f64>) {
    let i = thread_id();
    if i > 0 {
        x[i] = x[i] * (1.0 + x[i - 1]);
    }
}

#[test]
fn each_thread_reads_what_the_one_before_it_wrote() {
    check(&[&[1.0, 0.8, -0.3, 0.4, 0.9]], 1e-7, |tape, x| {
        let mut loss = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&prefix(5, &mut x[0]))?;
        tape.launch(&prefix(5, &mut x[0]))?;
        tape.launch(&sum_of_squares(5, &x[0], &mut loss))?;
        Ok(loss)
    });
}

#[kernel]
fn look_up(u: &Array<f64>, t: &Array<f64>, out: &mut Array<f64>) {
    let i = thread_id();
    let k = floor(u[i]) as i64;
    let w = u[i] - k as f64;
    out[i] = (1.0 - w) * t[k] + w * t[k + 1];
}

#[test]
fn table_look_up_through_an_integer() {
    let g = gradient(&[&[2.25], &[0.0, 1.0, 4.0, 9.0, 16.0]], |tape, x| {
        let mut out = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&look_up(1, &x[0], &x[1], &mut out))?;
        Ok(out)
    });
    assert_eq!(g[0], [5.0]);
    assert_eq!(g[1], [0.0, 0.0, 0.75, 0.25, 0.0]);
}

#[kernel]
fn largest(x: &Array<f64>, best: &mut Array<f64>) {
    let i = thread_id();
    atomic_max(best, 0, x[i]);
}

#[test]
fn atomic_max_gives_all_to_the_winner_and_shares_a_tie() {
    let run = |x: &[f64]| {
        gradient(&[x], |tape, x| {
            let mut best = Array::full(&Device::cpu(), [1], -1e9);
            tape.launch(&largest(x[0].len(), &x[0], &mut best))?;
            Ok(best)
        })
    };
    assert_eq!(run(&[1.0, 5.0, 3.0, -2.0])[0], [0.0, 1.0, 0.0, 0.0]);
    let tied = run(&[1.0, 5.0, 5.0, 2.0]);
    assert_eq!(tied[0], [0.0, 0.5, 0.5, 0.0]);
}

#[kernel]
fn remainders(x: &Array<f64>, y: &Array<f64>, out: &mut Array<f64>) {
    let i = thread_id();
    out[i] = x[i] % y[i];
}

#[test]
fn remainder_by_both_operands() {
    let g = gradient(&[&[7.5, -7.5], &[2.0, 2.0]], |tape, x| {
        let mut out = Array::zeros(&Device::cpu(), [2]);
        let mut loss = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&remainders(2, &x[0], &x[1], &mut out))?;
        tape.launch(&sum(2, &out, &mut loss))?;
        Ok(loss)
    });
    assert_eq!(g[0], [1.0, 1.0]);
    assert_eq!(g[1], [-3.0, 3.0]);
}

#[kernel]
fn spin(start: &Array<f64>, rate: &Array<f64>, out: &mut Array<f64>, n: i32, dt: f64) {
    let w = vec3(rate[0], rate[1], rate[2]);
    let mut q = Quat::new(start[0], start[1], start[2], start[3]);
    for _ in 0..n {
        let dq = q * Quat::new(w.x, w.y, w.z, 0.0);
        q = normalize(q + dq * (0.5 * dt));
    }
    let m = quat_to_matrix(q);
    out[0] = m[(0, 1)];
}

#[test]
fn quaternion_integrated_and_renormalised() {
    check(&[&[0.1, 0.2, 0.3, 0.9], &[0.4, -0.7, 1.1]], 1e-7, |tape, x| {
        let mut out = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&spin(1, &x[0], &x[1], &mut out, 500, 0.004))?;
        Ok(out)
    });
}

#[test]
fn loops_and_launches_of_no_size() {
    let g = gradient(&[&[2.0, 3.0]], |tape, x| {
        let mut out = Array::zeros(&Device::cpu(), [1]);
        let mut loss = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&product(1, &x[0], &mut out, 0))?;
        tape.launch(&square(0, &mut x[0]))?;
        let empty = Array::<f64>::zeros(&Device::cpu(), [0]);
        tape.launch(&sum(0, &empty, &mut loss))?;
        tape.launch(&sum_of_squares(2, &x[0], &mut loss))?;
        Ok(loss)
    });
    assert_eq!(g[0], [4.0, 6.0]);
}

#[kernel]
fn scatter(x: &Array<f64>, grid: &mut Array<f64>) {
    let i = thread_id();
    let cell = i % 3;
    atomic_add(grid, cell, x[i] * x[i]);
}

#[kernel]
fn gather(grid: &Array<f64>, x: &mut Array<f64>) {
    let i = thread_id();
    x[i] += 0.1 * sin(grid[i % 3]) * x[i];
}

#[test]
fn grid_zeroed_and_refilled_in_every_step() {
    check(&[&[0.3, -0.8, 0.5, 1.1, 0.2]], 1e-7, |tape, x| {
        let mut grid = Array::zeros(&Device::cpu(), [3]);
        let mut loss = Array::zeros(&Device::cpu(), [1]);
        for _ in 0..20 {
            tape.fill(&mut grid, 0.0)?;
            tape.launch(&scatter(5, &x[0], &mut grid))?;
            tape.launch(&gather(5, &grid, &mut x[0]))?;
        }
        tape.launch(&sum_of_squares(5, &x[0], &mut loss))?;
        Ok(loss)
    });
}

#[kernel]
fn newton_cube_root(x: &Array<f64>, out: &mut Array<f64>) {
    let a = x[0];
    let mut c = a;
    while abs(c * c * c - a) > 1e-12 {
        c -= (c * c * c - a) / (3.0 * c * c);
    }
    out[0] = c;
}

#[test]
fn newton_until_it_has_converged() {
    let g = gradient(&[&[2.0]], |tape, x| {
        let mut out = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&newton_cube_root(1, &x[0], &mut out))?;
        Ok(out)
    });
    near(g[0][0], 1.0 / (3.0 * 2f64.cbrt().powi(2)), 1e-9);
}

#[kernel]
fn relax_in_memory(x: &mut Array<f64>, n: i32) {
    let i = thread_id();
    for _ in 0..n {
        x[i] = x[i] + 0.1 * cos(x[i]) * x[i];
    }
}

#[test]
fn array_updated_in_place_inside_a_loop() {
    check(&[&[0.3, -0.8, 0.5]], 1e-7, |tape, x| {
        let mut loss = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&relax_in_memory(3, &mut x[0], 7))?;
        tape.launch(&sum_of_squares(3, &x[0], &mut loss))?;
        Ok(loss)
    });
}

#[kernel]
fn stencil_in_memory(x: &mut Array<f64>, n: i32) {
    for _ in 0..n {
        let mut k = 1;
        while k < 4 {
            if x[k] > 0.0 {
                x[k] = x[k - 1] * x[k + 1] - 0.5 * x[k];
            } else {
                x[k] += sin(x[k + 1]);
            }
            k += 1;
        }
    }
}

#[test]
fn branches_and_loops_over_memory() {
    check(&[&[0.9, 0.8, -0.5, 1.2, 0.7]], 1e-7, |tape, x| {
        let mut loss = Array::zeros(&Device::cpu(), [1]);
        tape.launch(&stencil_in_memory(1, &mut x[0], 5))?;
        tape.launch(&sum_of_squares(5, &x[0], &mut loss))?;
        Ok(loss)
    });
}

#[test]
fn backward_twice_and_cotangents_of_choice() {
    let device = Device::cpu();
    let mut x = Array::from_slice(&device, &[1.0, 2.0, 3.0]);
    let mut tape = Tape::new(&device);
    for _ in 0..2 {
        tape.launch(&square(3, &mut x)).unwrap();
    }
    let seed = Array::from_slice(&device, &[1.0, 10.0, 100.0]);
    let expected = [4.0, 10.0 * 4.0 * 8.0, 100.0 * 4.0 * 27.0];
    for _ in 0..2 {
        tape.backward_with(&[(&x, &seed)]).unwrap();
        assert_eq!(tape.grad(&x).unwrap().to_vec().unwrap(), expected);
    }
    // A new recording over the same arrays starts from nothing.
    let mut tape = Tape::new(&device);
    let mut loss = Array::zeros(&device, [1]);
    tape.launch(&sum(3, &x, &mut loss)).unwrap();
    tape.backward(&loss).unwrap();
    assert_eq!(tape.grad(&x).unwrap().to_vec().unwrap(), [1.0; 3]);
}

/// x → x / (1 + a x), n times: x / (1 + n a x).
#[kernel]
fn decay(x: &mut Array<f64>, a: &Array<f64>, n: i64) {
    let mut s = x[0];
    let rate = a[0];
    for _ in 0..n {
        s /= 1.0 + rate * s;
    }
    x[0] = s;
}

#[kernel]
fn decay_while(x: &mut Array<f64>, a: &Array<f64>, n: i64) {
    let mut s = x[0];
    let mut k = 0;
    loop {
        if k == n {
            break;
        }
        s /= 1.0 + a[0] * s;
        k += 1;
    }
    x[0] = s;
}

#[test]
fn a_million_iterations_in_a_kernel() {
    let (x0, a0, n) = (0.8, 3e-6, 1_000_000);
    for which in 0..2 {
        let g = gradient(&[&[x0], &[a0]], |tape, v| {
            let mut x = Array::zeros(&Device::cpu(), [1]);
            tape.copy(&v[0], &mut x)?;
            match which {
                0 => tape.launch(&decay(1, &mut x, &v[1], n))?,
                _ => tape.launch(&decay_while(1, &mut x, &v[1], n))?,
            }
            Ok(x)
        });
        let root = 1.0 + n as f64 * a0 * x0;
        near(g[0][0], 1.0 / (root * root), 1e-9);
        near(g[1][0], -(n as f64) * x0 * x0 / (root * root), 1e-9);
    }
}
