//! What once went wrong, each as the program that showed it.

use pullback::prelude::*;

const CACHE: f64 = 2.5;

/// The names of a builtin and of a constant are those of items in the macro's expansion, once.
#[kernel]
fn names(x: &Array<Mat33<f64>>, out: &mut Array<f64>) {
    out[0] = trace(x[0]) * CACHE;
}

#[test]
fn expansions_do_not_take_the_users_names() {
    let device = Device::cpu();
    let x = Array::full(&device, [1], diagonal(Vec3::new(1.0, 2.0, 3.0)));
    let mut out = Array::zeros(&device, [1]);
    Stream::new(&device).launch(&names(1, &x, &mut out)).unwrap();
    assert_eq!(out.to_vec().unwrap(), [15.0]);
}

#[kernel]
fn ranges_to_the_end(out: &mut Array<i64>, last: i32, last_u: u32) {
    let mut n = 0;
    for k in 2147483645..=2147483647i32 {
        n += k as i64;
    }
    out[0] = n;
    n = 0;
    for k in (2147483640i32..=last).step_by(4) {
        n = n * 10 + (k - 2147483640) as i64;
    }
    out[1] = n;
    n = 0;
    for k in (4294967290..=last_u).rev() {
        n = n * 10 + (k - 4294967290) as i64;
    }
    out[2] = n;
    n = 0;
    for k in (2147483640..=last).rev().step_by(3) {
        n = n * 10 + (k - 2147483640) as i64;
    }
    out[3] = n;
    n = 0;
    for k in (1..=last).rev() {
        if k < 2147483645 {
            break;
        }
        n += k as i64;
    }
    out[4] = n;
    n = 0;
    for _ in 1..=last - last {
        n += 1;
    }
    out[5] = n;
}

#[test]
fn inclusive_ranges_reach_the_largest_number() {
    let device = Device::cpu();
    let mut out = Array::zeros(&device, [6]);
    Stream::new(&device).launch(&ranges_to_the_end(1, &mut out, i32::MAX, u32::MAX)).unwrap();
    let three = 3 * i64::from(i32::MAX) - 3;
    assert_eq!(out.to_vec().unwrap(), [three, 4, 543210, 741, three, 0]);
}

#[kernel]
fn long_steps(out: &mut Array<i64>, go: i64) {
    let mut n = 0;
    for _ in (0..2_000_000_000i32).step_by(1_500_000_000) {
        n += 1;
        if n > go {
            break;
        }
    }
    out[0] = n;
}

#[test]
fn a_step_over_the_largest_number_ends_a_loop_with_a_break() {
    let device = Device::cpu();
    let mut out = Array::zeros(&device, [1]);
    Stream::new(&device).launch(&long_steps(1, &mut out, 100)).unwrap();
    assert_eq!(out.to_vec().unwrap(), [2]);
}

#[kernel]
fn every_number(out: &mut Array<i64>) {
    for k in 0..=u32::MAX {
        if k > 3 {
            break;
        }
        out[0] += 1;
    }
}

#[test]
fn a_range_that_no_counter_holds_is_refused() {
    let device = Device::cpu();
    let mut out = Array::zeros(&device, [1]);
    let error = Stream::new(&device).launch(&every_number(1, &mut out)).unwrap_err().to_string();
    assert!(error.contains("regressions.rs") && error.contains("count in a wider type"), "{error}");
}

#[kernel]
fn far_outside(x: &mut Array<f64>, i: i64) {
    x[i] = 1.0;
}

#[test]
fn an_index_that_does_not_fit_an_error_is_not_made_up() {
    let device = Device::cpu();
    let mut x = Array::zeros(&device, [2]);
    let mut stream = Stream::new(&device);
    let mut error = |i: i64| stream.launch(&far_outside(1, &mut x, i)).unwrap_err().to_string();
    assert!(error(i64::MAX).contains("index 2147483647 (or more) is outside array `x`"));
    assert!(error(i64::MIN).contains("index -2147483648 (or less) is outside array `x`"));
    assert!(error(1 << 30).contains("index 1073741824 is outside array `x`"));
}

#[test]
fn views_that_do_not_exist_are_refused_for_the_right_reason() {
    let x = Array::<f64, 2>::zeros(&Device::cpu(), [2, 3]);
    let message = |view: Result<Array<f64, 2>, pullback::Error>| view.unwrap_err().to_string();
    assert_eq!(message(x.slice(2, 0..1)), "axis 2 of an array of 2 dimensions; axes count from 0");
    assert_eq!(message(x.slice(1, 1..5)), "index 5 is outside an axis of length 3");
    #[allow(clippy::reversed_empty_ranges)]
    let backward = x.slice(1, 2..1);
    assert_eq!(message(backward), "the range 2..1 ends before it begins");
    assert_eq!(message(x.slice_step(1, 0..2, 0)), "a slice with step 0; the least is 1");
    assert_eq!(message(x.permute([1, 1])), "[1, 1] does not name each of 2 axes once");
    assert_eq!(x.slice_step(1, 0..3, usize::MAX).unwrap().shape(), [2, 1]);
}

/// A user's own adjoint: its parameters have the names that the reverse pass gives to its own.
#[kernel]
fn by_hand(x: &Array<f64>, x_: &Array<f64>, adj_x: &mut Array<f64>) {
    let i = thread_id();
    adj_x[i] += x[i] * x[i] * x_[i];
}

#[test]
fn the_reverse_pass_leaves_the_users_names_alone() {
    let device = Device::cpu();
    let x = Array::from_slice(&device, &[1.0, 2.0]);
    let weight = Array::from_slice(&device, &[3.0, 4.0]);
    let mut sum = Array::zeros(&device, [2]);
    let mut tape = Tape::new(&device);
    tape.launch(&by_hand(2, &x, &weight, &mut sum)).unwrap();
    tape.backward_with(&[(&sum, &Array::full(&device, [2], 1.0))]).unwrap();
    assert_eq!(tape.grad(&x).unwrap().to_vec().unwrap(), [6.0, 16.0]);
    assert_eq!(tape.grad(&weight).unwrap().to_vec().unwrap(), [1.0, 4.0]);
    assert_eq!(tape.grad(&sum).unwrap().to_vec().unwrap(), [1.0, 1.0]);
}
