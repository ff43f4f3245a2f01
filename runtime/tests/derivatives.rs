//! Derivatives as plain functions.
#![allow(clippy::unwrap_used, missing_docs)]

use pullback_lang::*;
use pullback_runtime::{
    Array, Device, Error, Launch, Stream, gauss_newton_product, grad, hvp, jacobian, jvp, value_and_grad, vjp,
};

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

fn direction(device: &Device) -> Start {
    let pos = Array::from_slice(device, &[vec3(0.2, -1.0, 0.4), vec3(0.9, 0.3, -0.6)]);
    let vel = Array::from_slice(device, &[vec3(-0.5, 0.1, 0.7), vec3(0.0, 1.3, -0.2)]);
    (pos, vel, Array::from_slice(device, &[-0.8]))
}

fn flat((pos, vel, k): &Start) -> Vec<f64> {
    let mut all = pos.cast_elements::<f64>().unwrap().to_vec().unwrap();
    all.extend(vel.cast_elements::<f64>().unwrap().to_vec().unwrap());
    all.extend(k.to_vec().unwrap());
    all
}

fn moved(device: &Device, h: f64) -> Start {
    let (x, v) = (start(device), direction(device));
    let along = |x: &Array<Vec3<f64>>, v: &Array<Vec3<f64>>| {
        let sums: Vec<_> = x.to_vec().unwrap().into_iter().zip(v.to_vec().unwrap()).map(|(x, v)| x + v * h).collect();
        Array::from_slice(device, &sums)
    };
    let k = x.2.to_vec().unwrap()[0] + h * v.2.to_vec().unwrap()[0];
    (along(&x.0, &v.0), along(&x.1, &v.1), Array::from_slice(device, &[k]))
}

#[test]
fn a_hessian_times_a_direction_is_the_difference_of_gradients_along_it() {
    let device = Device::cpu();
    let found = flat(&hvp(&device, loss, &start(&device), &direction(&device)).unwrap());
    let at = |h: f64| flat(&grad(&device, loss, &moved(&device, h)).unwrap());
    let h = 1e-4;
    let (near, far) = ((at(h), at(-h)), (at(2.0 * h), at(-2.0 * h)));
    let scale = found.iter().fold(1.0f64, |m, v| m.max(v.abs()));
    for (k, &found) in found.iter().enumerate() {
        let slope = (8.0 * (near.0[k] - near.1[k]) - (far.0[k] - far.1[k])) / (12.0 * h);
        assert!((found - slope).abs() < 1e-7 * scale, "{k}: {found} {slope}");
    }
    // Not by chance: it is symmetric with another direction.
    let other = start(&device);
    let back = flat(&hvp(&device, loss, &start(&device), &other).unwrap());
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (left, right) = (dot(&found, &flat(&other)), dot(&back, &flat(&direction(&device))));
    assert!((left - right).abs() < 1e-10 * left.abs().max(1.0), "{left} {right}");
}

#[test]
fn products_with_the_jacobian_agree_with_its_rows() {
    let device = Device::cpu();
    let (inputs, along) = (start(&device), direction(&device));
    let end = |tape: &mut pullback_runtime::Tape, x: &mut Start| {
        run(tape, x)?;
        Ok(x.0.clone())
    };
    let rows: Vec<Vec<f64>> = jacobian(&device, end, &inputs).unwrap().iter().map(flat).collect();
    let v = flat(&along);
    let expected: Vec<f64> = rows.iter().map(|row| row.iter().zip(&v).map(|(r, v)| r * v).sum()).collect();
    let (value, product) = jvp(&device, end, &inputs, &along).unwrap();
    let (recorded, _) = vjp(&device, end, &inputs, &value).unwrap();
    assert_eq!(value.to_vec().unwrap(), recorded.to_vec().unwrap());
    let product = product.cast_elements::<f64>().unwrap().to_vec().unwrap();
    let close = |a: f64, b: f64| (a - b).abs() < 1e-11 * b.abs().max(1.0);
    assert!(product.iter().zip(&expected).all(|(&a, &b)| close(a, b)), "{product:?} {expected:?}");
    let gauss_newton = flat(&gauss_newton_product(&device, end, &inputs, &along).unwrap());
    for (k, &found) in gauss_newton.iter().enumerate() {
        let sum: f64 = rows.iter().zip(&expected).map(|(row, jv)| row[k] * jv).sum();
        assert!(close(found, sum), "{k}: {found} {sum}");
    }
    assert_eq!(flat(&inputs), flat(&start(&device)));
}

#[kernel]
fn fan(x: &Array<Vec3<f32>>, scale: &Array<f32>, y: &mut Array<f32>) {
    let i = thread_id();
    let p = x[i / 4];
    y[i] = scale[0] * (p.x * p.y + sin(p.z * i as f32));
}

#[test]
fn a_tall_jacobian_by_columns_is_the_one_by_rows() {
    let device = Device::cpu();
    let x = Array::from_slice(&device, &[vec3(0.5f32, -1.0, 2.0), vec3(1.5, 0.25, -0.75)]);
    let inputs = (x, Array::from_slice(&device, &[1.25f32]));
    let f = |tape: &mut pullback_runtime::Tape, (x, scale): &mut (Array<Vec3<f32>>, Array<f32>)| {
        let mut y = Array::<f32>::zeros(tape.device(), [8]);
        tape.launch(&fan(8, x, scale, &mut y))?;
        Ok(y)
    };
    // Eight outputs of seven inputs: by columns, in two runs.
    let rows = jacobian(&device, f, &inputs).unwrap();
    assert_eq!(rows.len(), 8);
    for (k, row) in rows.iter().enumerate() {
        let mut unit = [0.0f32; 8];
        unit[k] = 1.0;
        let (_, expected) = vjp(&device, f, &inputs, &Array::from_slice(&device, &unit)).unwrap();
        let flat = |r: &(Array<Vec3<f32>>, Array<f32>)| {
            let mut all = r.0.cast_elements::<f32>().unwrap().to_vec().unwrap();
            all.extend(r.1.to_vec().unwrap());
            all
        };
        for (a, b) in flat(row).iter().zip(flat(&expected)) {
            assert!((a - b).abs() < 1e-5 * b.abs().max(1.0), "{k}: {row:?} {expected:?}");
        }
    }
    let outside = inputs.0.duplicate().unwrap();
    let wrong = jacobian(&device, |tape, x: &mut (_, _)| f(tape, &mut (outside.clone(), Array::clone(&x.1))), &inputs);
    assert!(matches!(wrong, Err(Error::NotRecorded)), "{wrong:?}");
    let direction = (inputs.0.duplicate().unwrap(), inputs.1.duplicate().unwrap());
    let wrong = jvp(&device, |tape, _: &mut (_, _)| f(tape, &mut direction.clone()), &inputs, &direction);
    assert!(matches!(wrong, Err(Error::NotRecorded)), "{wrong:?}");
}

#[kernel]
fn stretch(m: &Array<Mat33<f64>>, out: &mut Array<f64>) {
    let (_, sigma, _) = svd3(m[0]);
    atomic_add(out, 0, sigma.x * sigma.y + 2.0 * sigma.z);
}

#[test]
fn a_decomposition_has_the_tangent_and_the_hessian_of_differences() {
    // Computations with derivatives of their own: the tangent comes from their adjoints.
    let device = Device::cpu();
    let f = |tape: &mut pullback_runtime::Tape, m: &mut Array<Mat33<f64>>| {
        let mut out = Array::<f64>::zeros(tape.device(), [1]);
        tape.launch(&stretch(1, m, &mut out))?;
        Ok(out)
    };
    let (m, v) = ([1.5, 0.2, -0.3, 0.1, 0.9, 0.4, -0.2, 0.3, 2.2], [0.3, -1.0, 0.5, 0.7, 0.2, -0.6, 1.1, 0.4, -0.9]);
    let at = |h: f64| {
        let moved: Vec<f64> = m.iter().zip(v).map(|(m, v)| m + h * v).collect();
        Array::from_slice(&device, &moved).cast_elements::<Mat33<f64>>().unwrap()
    };
    let direction = Array::from_slice(&device, &v).cast_elements::<Mat33<f64>>().unwrap();
    let gradient = |h: f64| grad(&device, f, &at(h)).unwrap().cast_elements::<f64>().unwrap().to_vec().unwrap();
    let slope: f64 = gradient(0.0).iter().zip(v).map(|(g, v)| g * v).sum();
    let (_, found) = jvp(&device, f, &at(0.0), &direction).unwrap();
    let found = found.to_vec().unwrap()[0];
    assert!((found - slope).abs() < 1e-11 * slope.abs().max(1.0), "{found} {slope}");
    let second = hvp(&device, f, &at(0.0), &direction).unwrap().cast_elements::<f64>().unwrap().to_vec().unwrap();
    for ((&found, plus), minus) in second.iter().zip(gradient(1e-5)).zip(gradient(-1e-5)) {
        let slope = (plus - minus) / 2e-5;
        assert!((found - slope).abs() < 1e-6 * slope.abs().max(1.0), "{found} {slope}");
    }
}
