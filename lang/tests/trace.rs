mod common;
use common::Array;
use pullback_lang::*;

const LIMIT: f32 = 1e-6;

#[kernel]
fn attract(pos: &mut Array<Vec3>, vel: &mut Array<Vec3>, dt: f32, g: f32, mass: f32) {
    let i = thread_id();
    let p = pos[i];
    let r = length(p);
    if r < LIMIT {
        return;
    }
    let accel = -p / r * (g * mass / (r * r));
    vel[i] += accel * dt;
    pos[i] += vel[i] * dt;
}

#[func]
fn energy<R: Real>(v: Vec3<R>, mass: R) -> R {
    0.5 * mass * v.length_sq()
}

#[kernel]
fn total<R: Real>(v: &Array<Vec3<R>>, mass: R, out: &mut Array<R>) {
    let mut s = 0.0;
    for i in 0..v.len() {
        if v[i].x < 0.0 {
            continue;
        }
        if s > 100.0 {
            break;
        }
        s += energy(v[i], mass);
    }
    out[0] = s;
}

#[test]
fn traces() {
    let k = attract::ir();
    println!("{:#?}", k.kernel().map(|k| k.ops.len()));
    let k = total::ir::<f64>();
    println!("{:?}", k.kernel().unwrap());
    let call = attract(10, &mut Array::new(), &mut Array::new(), 0.1, 1.0, 2.0);
    println!("{call:?}");
    let _ = total(1, &Array::<Vec3<f32>>::new(), 1.0, &mut Array::new());
}
