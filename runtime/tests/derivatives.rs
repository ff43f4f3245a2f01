//! Derivatives as plain functions.
#![allow(clippy::unwrap_used, missing_docs)]

use pullback_lang::*;
use pullback_runtime::{Array, Device, Error, Launch, Stream, grad, jacobian, value_and_grad, vjp};

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

fn start(device: &Device) -> (Array<Vec3<f64>>, Array<Vec3<f64>>, Array<f64>) {
    let pos = Array::from_slice(device, &[vec3(1.0, 0.5, -0.25), vec3(0.3, -0.7, 0.2)]);
    let vel = Array::from_slice(device, &[vec3(0.0, 1.0, 0.5), vec3(-0.4, 0.1, 0.9)]);
    (pos, vel, Array::from_slice(device, &[1.7]))
}

type Start = (Array<Vec3<f64>>, Array<Vec3<f64>>, Array<f64>);

fn run(launch: &mut impl Launch, (pos, vel, k): &mut Start) -> Result<(), Error> {
    (0..20).try_for_each(|_| launch.launch(&advance(2, pos, vel, k, 0.05)))
}

fn loss(launch: &mut impl Launch, inputs: &mut Start) -> Result<Array<f64>, Error> {
    run(launch, inputs)?;
    let mut total = Array::zeros(launch.device(), [1]);
    launch.launch(&energy(2, &inputs.0, &mut total))?;
    Ok(total)
}

#[test]
fn gradient_of_a_rollout_is_that_of_differences_and_the_inputs_stay() {
    let device = Device::cpu();
    let inputs = start(&device);
    let (value, gradient) = value_and_grad(&device, loss, &inputs).unwrap();
    assert_eq!(inputs.0.to_vec().unwrap(), start(&device).0.to_vec().unwrap());
    let at = |nudge: f64| {
        let mut x = start(&device);
        x.2.fill(1.7 + nudge).unwrap();
        loss(&mut Stream::new(&device), &mut x).unwrap().to_vec().unwrap()[0]
    };
    assert_eq!(value.to_vec().unwrap(), [at(0.0)]);
    let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
    let found = gradient.2.to_vec().unwrap()[0];
    assert!((found - slope).abs() < 1e-7 * slope.abs().max(1.0), "{found} {slope}");
    let alone = grad(&device, loss, &inputs).unwrap();
    assert_eq!(alone.0.to_vec().unwrap(), gradient.0.to_vec().unwrap());
}

#[test]
fn rows_of_the_jacobian_contract_to_the_product_with_a_cotangent() {
    let device = Device::cpu();
    let inputs = start(&device);
    let end = |tape: &mut pullback_runtime::Tape, x: &mut Start| {
        run(tape, x)?;
        Ok(x.0.clone())
    };
    let rows = jacobian(&device, end, &inputs).unwrap();
    assert_eq!(rows.len(), 6);
    let weights = [0.3, -1.0, 2.0, 0.7, 1.1, -0.2];
    let cotangent = Array::from_slice(&device, &weights).cast_elements().unwrap();
    let (_, product) = vjp(&device, end, &inputs, &cotangent).unwrap();
    let flat = |x: &Start| {
        let mut all = x.0.cast_elements::<f64>().unwrap().to_vec().unwrap();
        all.extend(x.1.cast_elements::<f64>().unwrap().to_vec().unwrap());
        all.extend(x.2.to_vec().unwrap());
        all
    };
    for (k, product) in flat(&product).into_iter().enumerate() {
        let sum: f64 = rows.iter().zip(weights).map(|(row, w)| flat(row)[k] * w).sum();
        assert!((product - sum).abs() < 1e-12 * sum.abs().max(1.0), "{k}: {product} {sum}");
    }
}

#[test]
fn an_array_from_outside_in_place_of_the_copy_is_an_error() {
    let device = Device::cpu();
    let inputs = start(&device);
    let outside = start(&device);
    let found = grad(&device, |tape, _| loss(tape, &mut outside.clone()), &inputs);
    assert!(matches!(found, Err(Error::NotRecorded)), "{found:?}");
    let not_scalar = grad(
        &device,
        |tape, x: &mut Start| {
            run(tape, x)?;
            Ok(x.1.clone())
        },
        &inputs,
    );
    assert!(matches!(not_scalar, Err(Error::NotScalar { count: 6 })), "{not_scalar:?}");
}

#[test]
fn no_outputs_no_rows() {
    let device = Device::cpu();
    let x = Array::from_slice(&device, &[1.0]);
    let rows = jacobian(&device, |tape, _| Ok(Array::<f64>::zeros(tape.device(), [0])), &x).unwrap();
    assert!(rows.is_empty());
}
