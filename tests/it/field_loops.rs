//! Loops: trip counts known only when they run, `while`, nests, `break`, `continue` and
//! `return`, and recurrences through memory.

use crate::support::{by_differences, right, zeros};
use pullback::Error;
use pullback::prelude::*;

type Result<T> = std::result::Result<T, Error>;

/// A program of one launch: of some threads, over all inputs, with an output of some length.
macro_rules! program {
    ($name:ident, $threads:expr, $kernel:ident($($x:literal),*; out $len:expr $(, $arg:expr)*)) => {
        fn $name<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
            let mut out = zeros($len);
            tape.launch(&$kernel($threads, $(&x[$x],)* &mut out $(, $arg)*))?;
            Ok(out)
        }
    };
}

#[kernel]
fn logistic<R: Real>(s0: &Array<R>, rate: &Array<R>, out: &mut Array<R>, n: i32) {
    let mut s = s0[0];
    for _ in 0..n {
        s = rate[0] * s * (1.0 - s);
    }
    out[0] = s;
}
program!(logistic_map, 1, logistic(0, 1; out 1, 7));

#[test]
fn logistic_map_with_a_run_time_count() {
    by_differences!(logistic_map at [0.3], [3.1]; out [0.631805]; grad [1.98103], [0.0205146]);
}

#[kernel]
fn in_and_after<R: Real>(x: &Array<R>, w: &Array<R>, out: &mut Array<R>) {
    let a = x[0] * x[1];
    let mut s = 0.0;
    for k in 0..w.len() {
        s += w[k] * a;
    }
    out[0] = s * a + a * a;
}
program!(used_in_and_after, 1, in_and_after(0, 1; out 1));

#[test]
fn value_used_in_a_loop_and_after_it() {
    right!(used_in_and_after at [2.0, 3.0], [0.5, 0.25, 0.25]; out [72.0]; grad [72.0, 48.0], [36.0, 36.0, 36.0]);
}

#[kernel]
fn sines<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let mut s = 1.0;
    for i in 0..24 {
        s += sin(s) * x[i % 3];
    }
    out[0] = s;
}
#[kernel]
fn fewer_sines<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let mut s = 1.0;
    for i in 0..12 {
        s += sin(s) * x[i % 3];
    }
    out[0] = s;
}
program!(long_constant, 1, sines(0; out 1));
program!(short_constant, 1, fewer_sines(0; out 1));

#[test]
fn constant_trip_counts() {
    let x = [0.05, 0.1, -0.02];
    // The values of the program itself are not among the published figures.
    let value = |n: usize| (0..n).fold(1.0f64, |s, i| s + s.sin() * x[i % 3]);
    by_differences!(long_constant at x; out [value(24)]; grad [7.4585, 7.43395, 7.47072]);
    by_differences!(short_constant at x; out [value(12)]; grad [3.96408, 3.90277, 4.03974]);
}

#[kernel]
fn multiplied<R: Real>(x: &Array<R>, out: &mut Array<R>, n: i64) {
    let mut s = x[0] * x[0];
    for _ in 0..n {
        s *= x[1];
    }
    out[0] = s;
}
program!(no_trips, 1, multiplied(0; out 1, 0));
program!(backward_range, 1, multiplied(0; out 1, -3));

#[test]
fn loops_without_a_trip() {
    right!(no_trips at [3.0, 2.0]; out [9.0]; grad [6.0, 0.0]);
    right!(backward_range at [3.0, 2.0]; out [9.0]; grad [6.0, 0.0]);
}

#[kernel]
fn plain<R: Real>(x: &Array<R>, out: &mut Array<R>, n: i64) {
    let mut s = 0.0;
    for k in 0..n {
        s += x[k] * sin(x[k]);
    }
    out[0] = s;
}
program!(plain_sum, 1, plain(0; out 1, 3));

#[test]
fn sum_in_a_run_time_loop() {
    let x = [0.3f64, 1.2, -2.0];
    right!(plain_sum at x; out [x.map(|x| x * x.sin()).iter().sum::<f64>()]; grad x.map(|x| x.sin() + x * x.cos()));
}

#[kernel]
fn fibonacci<R: Real>(x: &Array<R>, out: &mut Array<R>, n: i32) {
    let mut s = 0.0;
    let (mut p, mut q) = (0i64, 1i64);
    for _ in 0..n {
        s += x[q] * x[q];
        let next = p + q;
        p = q;
        q = next;
    }
    out[0] = s;
}
program!(fibonacci_indices, 1, fibonacci(0; out 1, 5));

#[test]
fn indices_carried_by_the_loop() {
    right!(fibonacci_indices at [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]; out [69.0]; grad [0.0, 8.0, 6.0, 8.0, 0.0, 12.0]);
}

#[kernel]
fn counted<R: Real>(x: &Array<R>, count: &Array<i32>, out: &mut Array<R>) {
    let mut s = 0.0;
    for k in 0..count[0] as i64 {
        s += x[k] * x[k];
    }
    out[0] = s;
}

#[kernel]
fn set_count(count: &mut Array<i32>, to: i32) {
    count[0] = to;
}

fn count_changed_by<R: Real, const MEANS: usize>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let mut count = Array::from_slice(&Device::cpu(), &[3]);
    let mut out = zeros(1);
    tape.launch(&counted(1, &x[0], &count, &mut out))?;
    match MEANS {
        0 => tape.fill(&mut count, 1)?,
        1 => tape.write(&mut count, &[1])?,
        2 => tape.launch(&set_count(1, &mut count, 1))?,
        _ => tape.copy(&Array::from_slice(&Device::cpu(), &[1]), &mut count)?,
    }
    Ok(out)
}
fn filled<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    count_changed_by::<R, 0>(tape, x)
}
fn written<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    count_changed_by::<R, 1>(tape, x)
}
fn launched<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    count_changed_by::<R, 2>(tape, x)
}
fn copied<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    count_changed_by::<R, 3>(tape, x)
}

#[test]
fn trip_count_in_an_array_that_changes_later() {
    let x = [1.0, 2.0, 3.0, 4.0];
    right!(filled at x; out [14.0]; grad [2.0, 4.0, 6.0, 0.0]);
    right!(written at x; out [14.0]; grad [2.0, 4.0, 6.0, 0.0]);
    right!(launched at x; out [14.0]; grad [2.0, 4.0, 6.0, 0.0]);
    right!(copied at x; out [14.0]; grad [2.0, 4.0, 6.0, 0.0]);
    // By the host, behind the tape's back: the error names the count.
    let device = Device::cpu();
    let (x, mut out) = (Array::from_slice(&device, &x), zeros(1));
    let mut count = Array::from_slice(&device, &[3]);
    let mut tape = Tape::new(&device);
    tape.launch(&counted(1, &x, &count, &mut out)).unwrap();
    count.copy_from_slice(&[1]).unwrap();
    let error = tape.backward(&out).unwrap_err().to_string();
    assert!(error.contains("`count`") && error.contains("`counted`") && error.contains("field_loops.rs"), "{error}");
}

#[kernel]
fn of_a_row<R: Real>(x: &Array<R>, out: &mut Array<R>, counts: &Array<i64>) {
    let i = thread_id();
    let mut p = 1.0;
    for k in 0..counts[i] {
        p *= x[3 * i + k];
    }
    out[i] = p;
}

fn product_of_rows<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let counts = Array::from_slice(&Device::cpu(), &[3, 0, 2]);
    let mut out = zeros(3);
    tape.launch(&of_a_row(3, &x[0], &mut out, &counts))?;
    Ok(out)
}

#[test]
fn trip_count_of_each_thread() {
    right!(product_of_rows at [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 1.5, 2.0, 9.0]; out [24.0, 1.0, 3.0];
        grad [12.0, 8.0, 6.0, 0.0, 0.0, 0.0, 2.0, 1.5, 0.0]);
}

#[kernel]
fn swing<R: Real>(angle: &Array<R>, len: &Array<R>, damping: &Array<R>, out: &mut Array<R>, n: i32, h: R) {
    let (mut theta, mut omega) = (angle[0], 0.0);
    for _ in 0..n {
        omega -= h * (9.81 / len[0] * sin(theta) + damping[0] * omega);
        theta += h * omega;
    }
    out[0] = theta * theta;
}
program!(swung, 1, swing(0, 1, 2; out 1, 400, R::lit(0.005)));

#[test]
fn pendulum_in_one_kernel() {
    by_differences!(swung at [1.0], [0.8], [0.1]; out [0.733316]; grad [1.82417], [1.94499], [-1.6407]);
}

#[kernel]
fn squares_of_a_local<R: Real>(a: &Array<R>, f: &mut Array<R>) {
    let i = thread_id();
    let p = a[i];
    let mut q = 0.0;
    for _ in 0..5 {
        q += p * p;
    }
    f[i] = q;
}
program!(local_in_a_loop, 3, squares_of_a_local(0; out 3));

#[test]
fn power_of_a_local_from_before_the_loop() {
    right!(local_in_a_loop at [1.0, 2.0, 3.0]; out [5.0, 20.0, 45.0]; grad [10.0, 20.0, 30.0]);
}

#[kernel]
fn by_hand<R: Real>(x: &Array<R>, out: &mut Array<R>, n: i64) {
    let mut s = 0.0;
    let mut i = 0;
    while i < n {
        s += x[i] * x[i];
        i += 1;
    }
    out[0] = s;
}
program!(index_by_hand, 1, by_hand(0; out 1, 4));

#[kernel]
fn and_first<R: Real>(x: &Array<R>, out: &mut Array<R>, n: i64) {
    let mut s = 0.0;
    let mut i = -1;
    loop {
        i += 1;
        if i >= n {
            break;
        }
        s += x[i] * x[i];
    }
    out[0] = s;
}
program!(advanced_first, 1, and_first(0; out 1, 4));

#[test]
fn index_advanced_by_hand() {
    right!(index_by_hand at [1.0, 2.0, 3.0, 4.0]; out [30.0]; grad [2.0, 4.0, 6.0, 8.0]);
    right!(advanced_first at [1.0, 2.0, 3.0, 4.0]; out [30.0]; grad [2.0, 4.0, 6.0, 8.0]);
}

#[kernel]
fn newton<R: Real>(c: &Array<R>, out: &mut Array<R>, tolerance: R) {
    let mut y = 1.0;
    while abs(y * y * y - c[0]) > tolerance {
        y -= (y * y * y - c[0]) / (3.0 * y * y);
    }
    out[0] = y;
}
program!(cube_root, 1, newton(0; out 1, R::lit(if R::EPSILON.to_f64() < 1e-10 { 1e-13 } else { 2e-6 })));

#[test]
fn newtons_iteration() {
    let c = 5.0f64;
    right!(cube_root at [c]; out [c.cbrt()]; grad [1.0 / (3.0 * c.cbrt() * c.cbrt())]);
}

#[kernel]
fn chains<R: Real>(q: &Array<R>, out: &mut Array<R>, starts: &Array<i32>) {
    let c = thread_id();
    let mut angle = 0.0;
    let mut p = Vec2::new(0.0, 0.0);
    for j in starts[c]..starts[c + 1] {
        angle += q[j as i64];
        p += Vec2::new(cos(angle), sin(angle));
    }
    out[c] = p.x + 2.0 * p.y;
}

fn planar_chains<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let starts = Array::from_slice(&Device::cpu(), &[0, 3, 5]);
    let (mut out, mut sum) = (zeros(2), zeros(1));
    tape.launch(&chains(2, &x[0], &mut out, &starts))?;
    tape.launch(&plain_total(2, &out, &mut sum))?;
    Ok(sum)
}

#[kernel]
fn plain_total<R: Real>(x: &Array<R>, sum: &mut Array<R>) {
    atomic_add(sum, 0, x[thread_id()]);
}

#[test]
fn joint_ranges_from_an_array() {
    let (q, mut value) = ([0.3f64, -0.2, 0.5, 0.9, 0.1], 0.0);
    for chain in [&q[..3], &q[3..]] {
        let mut angle = 0.0;
        for q in chain {
            angle += q;
            value += f64::cos(angle) + 2.0 * f64::sin(angle);
        }
    }
    by_differences!(planar_chains at q; out [value]; grad [4.59136, 2.9762, 1.08603, 0.699027, 0.239134]);
}

#[kernel]
fn to_the_root<R: Real>(x: &Array<R>, out: &mut Array<R>, parent: &Array<i32>, dofs: &Array<i32>, first: &Array<i32>) {
    let mut s = 0.0;
    let mut body = 2;
    while body >= 0 {
        let mut j = dofs[body as i64] - 1;
        while j >= 0 {
            let v = x[(first[body as i64] + j) as i64];
            s += v * v;
            j -= 1;
        }
        body = parent[body as i64];
    }
    out[0] = s;
}

fn walked<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let array = |v: &[i32]| Array::from_slice(&Device::cpu(), v);
    let mut out = zeros(1);
    let (parent, dofs, first) = (array(&[-1, 0, 1, 0]), array(&[2, 1, 3, 1]), array(&[0, 2, 3, 6]));
    tape.launch(&to_the_root(1, &x[0], &mut out, &parent, &dofs, &first))?;
    Ok(out)
}

#[test]
fn walk_from_a_leaf_to_the_root() {
    right!(walked at [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]; out [91.0]; grad [2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 0.0]);
}

#[kernel]
fn two_inside_one<R: Real>(x: &Array<R>, out: &mut Array<R>, outer: i32, inner: i32) {
    let mut y = 0.0;
    for _ in 0..outer {
        for _ in 0..inner {
            y += x[0] * x[0];
        }
        for _ in 0..inner {
            y += sin(x[0]);
        }
    }
    out[0] = y;
}
program!(two_loops_in_a_loop, 1, two_inside_one(0; out 1, 2, 3));

#[test]
fn two_loops_inside_one() {
    let x = 1.3f64;
    right!(two_loops_in_a_loop at [x]; out [6.0 * (x * x + x.sin())]; grad [6.0 * (2.0 * x + x.cos())]);
}

#[kernel]
fn masked<R: Real>(x: &Array<R>, c: &Array<R>, out: &mut Array<R>) {
    let i = thread_id();
    let mut best = -1e9;
    for p in 0..c.len() {
        if c[p] == 0.0 {
            continue;
        }
        let v = c[p] * x[i] * x[i];
        if v > best {
            best = v;
        }
    }
    out[i] = best;
}
program!(masked_maximum, 2, masked(0, 1; out 2));

#[test]
fn maximum_of_what_is_not_masked() {
    right!(masked_maximum at [1.0, 2.0], [0.0, 3.0, -2.0, 0.0, 1.0]; out [3.0, 12.0];
        grad [6.0, 12.0], [0.0, 5.0, 0.0, 0.0, 0.0]);
}

#[kernel]
fn returned<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let mut s = 1.0;
    for i in 0..x.len() {
        s *= x[i];
        if s > 5.0 {
            out[0] = s * s;
            return;
        }
    }
}
#[kernel]
fn broken<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let mut s = 1.0;
    for i in 0..x.len() {
        s *= x[i];
        if s > 5.0 {
            out[0] = s * s;
            break;
        }
    }
}
#[kernel]
fn found<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let mut s = 1.0;
    let mut i = 0;
    let s = loop {
        s *= x[i];
        if s > 5.0 {
            break s * s;
        }
        i += 1;
    };
    out[0] = s;
}
program!(left_by_return, 1, returned(0; out 1));
program!(left_by_break, 1, broken(0; out 1));
program!(left_with_a_value, 1, found(0; out 1));

#[test]
fn left_as_soon_as_a_product_is_large() {
    let x = [1.5, 2.0, 2.5, 4.0];
    right!(left_by_return at x; out [56.25]; grad [75.0, 56.25, 45.0, 0.0]);
    right!(left_by_break at x; out [56.25]; grad [75.0, 56.25, 45.0, 0.0]);
    right!(left_with_a_value at x; out [56.25]; grad [75.0, 56.25, 45.0, 0.0]);
}

#[kernel]
fn between<R: Real>(x: &Array<R>, out: &mut Array<R>) {
    let i = thread_id();
    out[i] = 2.0 * x[i];
    if x[i] < 0.0 {
        return;
    }
    out[i] = x[i] * x[i] * x[i];
}
program!(return_between, 2, between(0; out 2));

#[test]
fn return_between_two_writes() {
    right!(return_between at [-1.0, 2.0]; out [-2.0, 8.0]; grad [2.0, 12.0]);
}

#[kernel]
fn sweep<R: Real>(x: &Array<R>, y: &mut Array<R>) {
    y[0] = x[0];
    for i in 1..x.len() {
        y[i] = y[i - 1] * sin(x[i]) + x[i];
    }
}
#[kernel]
fn last<R: Real>(y: &Array<R>, out: &mut Array<R>) {
    out[0] = y[y.len() - 1];
}

fn swept<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let (mut y, mut out) = (zeros(4), zeros(1));
    tape.launch(&sweep(1, &x[0], &mut y))?;
    tape.launch(&last(1, &y, &mut out))?;
    Ok(out)
}

#[test]
fn a_thread_reads_what_it_wrote() {
    by_differences!(swept at [0.5, 1.1, 0.7, 2.0]; out [3.5419]; grad [0.522056, 0.71864, 1.98422, 0.294338]);
}

#[kernel]
fn project<R: Real>(p: &mut Array<Vec3<R>>, rest: &Array<R>, sweeps: i32) {
    for _ in 0..sweeps {
        for c in 0..rest.len() {
            let d = p[c + 1] - p[c];
            let l = length(d);
            let move_by = d * (0.5 * (l - rest[c]) / l);
            p[c] += move_by;
            p[c + 1] -= move_by;
        }
    }
}
#[kernel]
fn weighted<R: Real>(p: &Array<Vec3<R>>, out: &mut Array<R>) {
    let mut s = 0.0;
    for i in 0..p.len() {
        let k = 3.0 * i as R;
        s += dot(p[i], Vec3::new(k + 1.0, k + 2.0, k + 3.0));
    }
    out[0] = s;
}

fn projected<R: Real>(tape: &mut Tape, x: &mut [Array<R>]) -> Result<Array<R>> {
    let mut p = x[0].cast_elements::<Vec3<R>>()?;
    let mut out = zeros(1);
    tape.launch(&project(1, &mut p, &x[1], 4))?;
    tape.launch(&weighted(1, &p, &mut out))?;
    Ok(out)
}

#[test]
fn projection_in_place() {
    by_differences!(projected at [0.0, 0.0, 0.0, 1.2, 0.1, 0.0, 2.1, 0.7, 0.2], [1.0, 0.8]; out [25.5609];
        grad [4.297, 3.19138, 3.70991, 4.08481, 5.73773, 6.34582, 3.61819, 6.07088, 7.94427], [3.4356, 4.01641]);
}
