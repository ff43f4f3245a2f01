//! Atomics of all kinds with their gradients, indices of components, checks and prints.

use pullback_lang::*;
use pullback_runtime::{Array, Device, Error, Launch, Stream, Tape};
use std::sync::{Arc, Mutex, PoisonError};

type Result<T = ()> = std::result::Result<T, Error>;

#[kernel]
fn bits(x: &mut Array<u32>, old: &mut Array<u32>, v: &Array<u32>) {
    let i = thread_id();
    old[i] = atomic_and(x, 0, v[i]);
    atomic_or(x, 1, v[i]);
    atomic_xor(x, 2, v[i]);
    atomic_sub(x, 3, v[i]);
}

#[test]
fn integers() -> Result {
    let device = Device::cpu();
    let v = Array::from_slice(&device, &[0b1100u32, 0b1010, 0b1001]);
    let mut x = Array::from_slice(&device, &[0b1111u32, 0, 0b1, 5]);
    let mut old = Array::zeros(&device, [3]);
    Stream::new(&device).launch(&bits(3, &mut x, &mut old, &v))?;
    assert_eq!(x.to_vec()?, [0b1000, 0b1111, 0b1110, 5u32.wrapping_sub(12 + 10 + 9)]);
    assert_eq!(old.to_vec()?, [0b1111, 0b1100, 0b1000]);
    Ok(())
}

/// Each thread puts its value in the place of the last one's, and keeps that.
#[kernel]
fn pass_on(cell: &mut Array<Vec2<f64>>, x: &Array<Vec2<f64>>, out: &mut Array<Vec2<f64>>) {
    let i = thread_id();
    let before = atomic_exchange(cell, 0, x[i] * x[i]);
    out[i] = before * (i + 2) as f64;
}

#[test]
fn exchanges_carry_the_gradient_along() -> Result {
    let device = Device::cpu();
    let x = Array::from_slice(&device, &[Vec2::new(2.0, 3.0), Vec2::new(5.0, 7.0), Vec2::new(1.5, 0.5)]);
    let mut cell = Array::from_slice(&device, &[Vec2::new(10.0, 20.0)]);
    let mut out = Array::zeros(&device, [3]);
    let mut tape = Tape::new(&device);
    tape.launch(&pass_on(3, &mut cell, &x, &mut out))?;
    assert_eq!(out.to_vec()?[1], Vec2::new(12.0, 27.0));
    assert_eq!(cell.to_vec()?, [Vec2::new(2.25, 0.25)]);
    let ones = Array::from_slice(&device, &[Vec2::new(1.0, 1.0); 3]);
    let last = Array::from_slice(&device, &[Vec2::new(100.0, 1000.0)]);
    tape.backward_with(&[(&out, &ones)])?;
    assert_eq!(tape.grad(&x)?.to_vec()?, [Vec2::new(12.0, 18.0), Vec2::new(40.0, 56.0), Vec2::new(0.0, 0.0)]);
    assert_eq!(tape.grad(&cell)?.to_vec()?, [Vec2::new(2.0, 2.0)]);
    tape.backward_with(&[(&cell, &last)])?;
    assert_eq!(tape.grad(&x)?.to_vec()?[2], Vec2::new(300.0, 1000.0));
    assert_eq!(tape.grad(&cell)?.to_vec()?, [Vec2::new(0.0, 0.0)]);
    Ok(())
}

/// The first thread whose value is above the limit takes the free cell.
#[kernel]
fn first_above(cell: &mut Array<f64>, x: &Array<f64>, found: &mut Array<f64>) {
    let i = thread_id();
    if x[i] > 1.0 {
        found[i] = atomic_compare_exchange(cell, 0, -1.0, x[i] * x[i]);
    }
}

#[test]
fn a_compare_exchange_takes_the_gradient_where_it_happened() -> Result {
    let device = Device::cpu();
    let x = Array::from_slice(&device, &[0.5, 3.0, 4.0]);
    let mut cell = Array::from_slice(&device, &[-1.0]);
    let mut found = Array::zeros(&device, [3]);
    let mut tape = Tape::new(&device);
    tape.launch(&first_above(3, &mut cell, &x, &mut found))?;
    assert_eq!(cell.to_vec()?, [9.0]);
    assert_eq!(found.to_vec()?, [0.0, -1.0, 9.0]);
    tape.backward(&cell)?;
    assert_eq!(tape.grad(&x)?.to_vec()?, [0.0, 6.0, 0.0]);
    assert_eq!(tape.grad(&cell)?.to_vec()?, [0.0]);
    // What the last thread found was the second one's.
    tape.backward_with(&[(&found, &Array::from_slice(&device, &[0.0, 0.0, 1.0]))])?;
    assert_eq!(tape.grad(&x)?.to_vec()?, [0.0, 6.0, 0.0]);
    tape.backward_with(&[(&found, &Array::from_slice(&device, &[0.0, 1.0, 0.0]))])?;
    assert_eq!(tape.grad(&cell)?.to_vec()?, [1.0]);
    Ok(())
}

#[kernel]
fn take_off(total: &mut Array<f64>, x: &Array<f64>) {
    let i = thread_id();
    atomic_sub(total, 0, x[i] * x[i]);
}

#[test]
fn a_difference_has_the_negative_gradient() -> Result {
    let device = Device::cpu();
    let x = Array::from_slice(&device, &[1.0, 2.0, 3.0]);
    let mut total = Array::from_slice(&device, &[20.0]);
    let mut tape = Tape::new(&device);
    tape.launch(&take_off(3, &mut total, &x))?;
    assert_eq!(total.to_vec()?, [6.0]);
    tape.backward(&total)?;
    assert_eq!(tape.grad(&x)?.to_vec()?, [-2.0, -4.0, -6.0]);
    Ok(())
}

#[kernel]
fn component(v: &Array<Vec3<f64>>, m: &Array<Mat33<f64>>, k: &Array<i64>, out: &mut Array<f64>) {
    let i = thread_id();
    out[i] = v[i][k[i]] * m[i][(k[i], 1)];
}

#[kernel]
fn component_where(v: &Array<Vec3<f64>>, k: &Array<i64>, out: &mut Array<f64>) {
    let i = thread_id();
    if k[i] >= 0 {
        out[i] = v[i][k[i]];
    }
}

#[test]
fn components_out_of_range_are_errors() -> Result {
    let device = Device::cpu();
    let v = Array::from_slice(&device, &[Vec3::new(1.0, 2.0, 3.0); 4]);
    let m = Array::from_slice(&device, &[Mat33::<f64>::identity(); 4]);
    let mut out = Array::zeros(&device, [4]);
    let mut stream = Stream::new(&device);
    let k = Array::from_slice(&device, &[0i64, 1, 2, 0]);
    stream.launch(&component(4, &v, &m, &k, &mut out))?;
    assert_eq!(out.to_vec()?, [0.0, 2.0, 0.0, 0.0]);
    for bad in [3i64, -1, i64::MAX, i64::MIN] {
        let k = Array::from_slice(&device, &[0i64, 1, bad, 0]);
        let error = stream.launch(&component(4, &v, &m, &k, &mut out)).unwrap_err();
        let Error::Component { count: 3, thread: 2, loc: Some(loc), .. } = &error else { panic!("{error}") };
        assert!(loc.file.ends_with("effects.rs"), "{error}");
    }
    // Where the branch is not taken nothing is asked.
    let k = Array::from_slice(&device, &[0i64, -5, 2, 1]);
    stream.launch(&component_where(4, &v, &k, &mut out))?;
    assert_eq!(out.to_vec()?, [1.0, 2.0, 3.0, 2.0]);
    let k = Array::from_slice(&device, &[0i64, -5, 2, 7]);
    let error = stream.launch(&component_where(4, &v, &k, &mut out)).unwrap_err();
    assert!(error.to_string().contains("index 7 of something with 3 components"), "{error}");
    Ok(())
}

/// A kernel that says and asserts something, in the IR's text form.
fn handle(text: &str) -> Arc<KernelHandle> {
    KernelHandle::from_ir("said", pullback_ir::parse(text).expect("a kernel"))
}

fn call(kernel: &Arc<KernelHandle>, dims: impl Into<Dims>, x: &Array<f64>) -> Call {
    let mut args = Args::default();
    args.push(ArgValue::Array(x.handle()));
    Call::new(kernel.clone(), dims, args)
}

#[test]
fn assertions_are_errors_of_the_launch() -> Result {
    let kernel = handle(
        "kernel said(x: read [f64; 1]) {
           v0: i64 = thread_id 0
           v1: f64 = load x[v0]
           v2: f64 = const 0.0
           v3: bool = gt v1, v2
           check \"x[i] > 0.0\" v3 ; mine.rs:7:5
         }",
    );
    let device = Device::cpu();
    let mut stream = Stream::new(&device);
    stream.launch(&call(&kernel, 3, &Array::from_slice(&device, &[1.0, 2.0, 3.0])))?;
    let error = stream.launch(&call(&kernel, 4, &Array::from_slice(&device, &[1.0, 2.0, -3.0, f64::NAN]))).unwrap_err();
    assert_eq!(error.to_string(), "kernel `said`, mine.rs:7:5: x[i] > 0.0 (thread 2)");
    Ok(())
}

#[test]
fn prints_come_in_the_order_of_the_threads() -> Result {
    let kernel = handle(
        "kernel said(x: read [f64; 1]) rank 2 {
           v0: i64 = thread_id 0
           v1: i64 = thread_id 1
           v2: i64 = const 3
           v3: i64 = imul v0, v2
           v4: i64 = iadd v3, v1
           v5: f64 = load x[v4]
           v6: bool = gt v5, v5
           print \"x[{}] = {:.2}, {{{}}}, {:?}\" v4, v5, v6, v5
         }",
    );
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = lines.clone();
    pullback_runtime::set_printer(Some(Box::new(move |line| {
        sink.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_owned());
    })));
    let device = Device::cpu();
    let x = Array::from_slice(&device, &[1.0, -2.5, 3.25, 1e300, f64::NAN, 0.0]);
    Stream::new(&device).launch(&call(&kernel, [2, 3], &x))?;
    // More threads than one call of the entry takes.
    let many = Array::zeros(&device, [90_000]);
    Stream::new(&device).launch(&call(&kernel, [30_000, 3], &many))?;
    pullback_runtime::set_printer(None);
    let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(lines[1], "said[0, 1]: x[1] = -2.50, {false}, -2.5");
    assert_eq!(lines[4], "said[1, 1]: x[4] = NaN, {false}, NaN");
    assert_eq!(lines.len(), 6 + 90_000);
    for (k, line) in lines[6..].iter().enumerate() {
        assert!(line.starts_with(&format!("said[{}, {}]: x[{k}] = 0.00", k / 3, k % 3)), "{line}");
    }
    Ok(())
}

#[kernel]
fn turn(x: &Array<u32>, y: &Array<i64>, out: &mut Array<u32>, wide: &mut Array<i64>) {
    let i = thread_id();
    let (a, b) = (x[i], y[i]);
    out[i] = count_ones(a) + 64 * a.leading_zeros() + 4096 * trailing_zeros(a)
        ^ reverse_bits(a).rotate_left(5)
        ^ rotate_right(a, 35);
    wide[i] = b.count_ones() + 100 * leading_zeros(b) + 10000 * b.trailing_zeros() ^ rotate_left(reverse_bits(b), -3);
}

#[test]
fn bits_are_counted_and_turned_as_rust_does_it() -> Result {
    let device = Device::cpu();
    let x = [0u32, 1, 0x8000_0000, 0xdead_beef, u32::MAX, 48];
    let y = [0i64, 1, i64::MIN, -12345, 0x0123_4567_89ab_cdef, 48];
    let (a, b) = (Array::from_slice(&device, &x), Array::from_slice(&device, &y));
    let (mut out, mut wide) = (Array::zeros(&device, [6]), Array::zeros(&device, [6]));
    Stream::new(&device).launch(&turn(6, &a, &b, &mut out, &mut wide))?;
    for (k, (&a, &b)) in x.iter().zip(&y).enumerate() {
        let right = (a.count_ones() + 64 * a.leading_zeros() + 4096 * a.trailing_zeros())
            ^ a.reverse_bits().rotate_left(5)
            ^ a.rotate_right(35);
        assert_eq!(out.to_vec()?[k], right, "{a:x}");
        let counts = b.count_ones() + 100 * b.leading_zeros() + 10000 * b.trailing_zeros();
        assert_eq!(wide.to_vec()?[k], i64::from(counts) ^ b.reverse_bits().rotate_left(61), "{b:x}");
        assert_eq!((count_ones(a), leading_zeros(b)), (a.count_ones(), i64::from(b.leading_zeros())));
        assert_eq!((rotate_left(a, 5), rotate_right(b, -3)), (a.rotate_left(5), b.rotate_right(61)));
    }
    Ok(())
}

#[kernel]
fn cubed_in_place(x: &mut Array<f64>) {
    let i = thread_id();
    x[i] = x[i] * x[i] * x[i];
}

#[test]
fn the_adjoint_is_shown_with_its_lines() -> Result {
    let mut x = Array::from_slice(&Device::cpu(), &[2.0]);
    let text = pullback_runtime::adjoint_text(&cubed_in_place(1, &mut x))?;
    assert!(text.contains("adj_x") && text.contains("effects.rs:"), "{text}");
    Ok(())
}
