//! Tangents that go along with a tape, and second derivatives by walking them back.
#![allow(clippy::unwrap_used, missing_docs)]

use pullback_lang::*;
use pullback_runtime::{Array, Device, Error, Launch, Stream, Tape};

#[kernel]
fn advance(pos: &mut Array<Vec3<f64>>, vel: &mut Array<Vec3<f64>>, k: &Array<f64>, dt: f64) {
    let i = thread_id();
    vel[i] -= pos[i] * (k[0] * dot(pos[i], pos[i]) * dt);
    pos[i] += vel[i] * dt;
}

#[kernel]
fn energy(pos: &Array<Vec3<f64>>, total: &mut Array<f64>) {
    let p = pos[thread_id()];
    atomic_add(total, 0, dot(p, p));
}

#[kernel]
fn square(x: &mut Array<f64>) {
    let i = thread_id();
    x[i] = x[i] * x[i];
}

#[kernel]
fn exponential(x: &Array<f64>, y: &mut Array<f64>) {
    let i = thread_id();
    y[i] = exp(x[i]);
}

#[test]
fn a_tangent_of_a_rollout_is_the_difference_along_it() {
    let device = Device::cpu();
    let run = |launch: &mut dyn FnMut(&Call) -> Result<(), Error>,
               x: &mut (Array<Vec3<f64>>, Array<Vec3<f64>>, Array<f64>)| {
        let mut total = Array::<f64>::zeros(&device, [1]);
        for _ in 0..20 {
            launch(&advance(2, &mut x.0, &mut x.1, &x.2, 0.05)).unwrap();
        }
        launch(&energy(2, &x.0, &mut total)).unwrap();
        total
    };
    let start = |h: f64| {
        let pos = [vec3(1.0 + 0.3 * h, 0.5, -0.25 - h), vec3(0.3, -0.7, 0.2)];
        let vel = [vec3(0.0, 1.0, 0.5), vec3(-0.4 + 2.0 * h, 0.1, 0.9)];
        (
            Array::from_slice(&device, &pos),
            Array::from_slice(&device, &vel),
            Array::from_slice(&device, &[1.7 + 0.4 * h]),
        )
    };
    let plain = |h: f64| {
        let mut stream = Stream::new(&device);
        run(&mut |call| stream.launch(call), &mut start(h)).to_vec().unwrap()[0]
    };
    let slope = (plain(1e-5) - plain(-1e-5)) / 2e-5;
    for mut tape in [Tape::new(&device), Tape::forward(&device)] {
        let mut x = start(0.0);
        let v = [vec3(0.3, 0.0, -1.0), vec3(0.0, 0.0, 0.0)];
        let w = [vec3(0.0, 0.0, 0.0), vec3(2.0, 0.0, 0.0)];
        tape.set_tangent(&x.0, &Array::from_slice(&device, &v)).unwrap();
        tape.set_tangent(&x.1, &Array::from_slice(&device, &w)).unwrap();
        tape.set_tangent(&x.2, &Array::from_slice(&device, &[0.4])).unwrap();
        let total = run(&mut |call| tape.launch(call), &mut x);
        assert_eq!(total.to_vec().unwrap(), [plain(0.0)]);
        let found = tape.tangent(&total).to_vec().unwrap()[0];
        assert!((found - slope).abs() < 1e-7 * slope.abs().max(1.0), "{found} {slope}");
    }
}

#[test]
fn fills_writes_copies_and_views_take_their_tangents_along() {
    let device = Device::cpu();
    for mut tape in [Tape::new(&device), Tape::forward(&device)] {
        let mut x = Array::from_slice(&device, &[1.0, 2.0, 3.0, 4.0]);
        let mut y = Array::<f64>::zeros(&device, [4]);
        tape.set_tangent(&x, &Array::from_slice(&device, &[1.0, 10.0, 100.0, 1000.0])).unwrap();
        tape.launch(&square(4, &mut x)).unwrap();
        tape.copy(&x, &mut y).unwrap();
        let mut odd = y.slice_step(0, 1..4, 2).unwrap();
        tape.launch(&square(2, &mut odd)).unwrap();
        assert_eq!(tape.tangent(&y).to_vec().unwrap(), [2.0, 4.0 * 8.0 * 10.0, 600.0, 16.0 * 16.0 * 1000.0]);
        assert_eq!(tape.tangent(&odd).to_vec().unwrap(), [320.0, 256_000.0]);
        tape.fill(&mut odd, 2.0).unwrap();
        assert_eq!(tape.tangent(&y).to_vec().unwrap(), [2.0, 0.0, 600.0, 0.0]);
        tape.write(&mut x, &[1.0; 4]).unwrap();
        assert_eq!(tape.tangent(&x).to_vec().unwrap(), [0.0; 4]);
        // A copy of what does not move stops what did.
        let still = Array::from_slice(&device, &[5.0; 4]);
        tape.copy(&still, &mut y).unwrap();
        assert_eq!(tape.tangent(&y).to_vec().unwrap(), [0.0; 4]);
        assert_eq!(tape.tangent(&still).to_vec().unwrap(), [0.0; 4]);
    }
}

#[test]
fn second_derivatives_are_right_where_a_tangent_is_zero() {
    // exp(x²) at 0: the tangent of the square is 0 there, and the second derivative 2.
    let device = Device::cpu();
    let mut tape = Tape::new(&device);
    let mut x = Array::from_slice(&device, &[0.0, 0.5]);
    let start = x.clone();
    let mut y = Array::<f64>::zeros(&device, [2]);
    tape.set_tangent(&x, &Array::from_slice(&device, &[1.0, 1.0])).unwrap();
    tape.launch(&square(2, &mut x)).unwrap();
    tape.launch(&exponential(2, &x, &mut y)).unwrap();
    let slope = tape.tangent(&y);
    tape.backward_with(&[(&slope, &Array::from_slice(&device, &[1.0, 1.0]))]).unwrap();
    let second = tape.grad(&start).unwrap().to_vec().unwrap();
    assert_eq!(second[0], 2.0);
    let expected = (2.0 + 4.0 * 0.25) * 0.25f64.exp();
    assert!((second[1] - expected).abs() < 1e-14, "{second:?}");
}

#[test]
fn what_goes_wrong_is_said() {
    let device = Device::cpu();
    let mut x = Array::from_slice(&device, &[1.0, 2.0]);
    let mut tape = Tape::forward(&device);
    let short = Array::from_slice(&device, &[1.0]);
    assert!(matches!(tape.set_tangent(&x, &short), Err(Error::Shape { .. })));
    tape.set_tangent(&x, &Array::from_slice(&device, &[1.0, 1.0])).unwrap();
    tape.launch(&square(2, &mut x)).unwrap();
    // Outside of the tape, so that the tangent stays behind.
    x.fill(3.0).unwrap();
    let error = tape.launch(&square(2, &mut x)).unwrap_err();
    assert!(matches!(error, Error::WrittenOutside { .. }), "{error}");
    assert!(
        error.to_string().contains("`x` of kernel `square`") && error.to_string().contains("tangents.rs"),
        "{error}"
    );
    assert!(matches!(tape.backward_with(&[(&x, &x)]), Err(Error::NotRecorded)));
    // An index out of range is one of the kernel, not of what goes along with it.
    let mut tape = Tape::new(&device);
    tape.set_tangent(&x, &Array::from_slice(&device, &[1.0, 1.0])).unwrap();
    let error = tape.launch(&square(3, &mut x)).unwrap_err();
    assert!(matches!(&error, Error::OutOfRange { kernel, array, .. } if kernel == "square" && array == "x"), "{error}");
}
