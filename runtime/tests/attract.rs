//! The kernel of the design in place on two arrays: launched, recorded, differentiated.
use pullback_lang::*;
use pullback_runtime::{Array, Device, Error, Launch, Stream, Tape};

#[kernel]
fn attract<R: Real>(pos: &mut Array<Vec3<R>>, vel: &mut Array<Vec3<R>>, dt: R, gm: R) {
    let i = thread_id();
    let p = pos[i];
    let r = length(p);
    if r < 1e-6 {
        return;
    }
    let accel = -p / r * (gm / (r * r));
    vel[i] += accel * dt;
    pos[i] += vel[i] * dt;
}

#[kernel]
fn squared<R: Real>(pos: &Array<Vec3<R>>, loss: &mut Array<R>) {
    let i = thread_id();
    atomic_add(loss, 0, length_sq(pos[i]));
}

fn loss(start: &[Vec3<f64>], steps: usize) -> Result<f64, Error> {
    let device = Device::cpu();
    let mut stream = Stream::new(&device);
    let mut pos = Array::from_slice(&device, start);
    let mut vel = Array::<Vec3<f64>>::zeros(&device, [start.len()]);
    let mut loss = Array::<f64>::zeros(&device, [1]);
    for _ in 0..steps {
        stream.launch(&attract(start.len(), &mut pos, &mut vel, 0.01, 0.5))?;
    }
    stream.launch(&squared(start.len(), &pos, &mut loss))?;
    loss.get([0])
}

#[test]
fn gradient_with_respect_to_the_start() {
    let start: Vec<Vec3<f64>> =
        (0..5).map(|i| Vec3::new(1.0 + 0.3 * i as f64, 0.5 - 0.2 * i as f64, 0.1 * i as f64)).collect();
    let device = Device::cpu();
    let mut tape = Tape::new(&device);
    let mut pos = Array::from_slice(&device, &start);
    let mut vel = Array::<Vec3<f64>>::zeros(&device, [start.len()]);
    let mut total = Array::<f64>::zeros(&device, [1]);
    for _ in 0..100 {
        tape.launch(&attract(start.len(), &mut pos, &mut vel, 0.01, 0.5)).unwrap();
    }
    tape.launch(&squared(start.len(), &pos, &mut total)).unwrap();
    tape.backward(&total).unwrap();
    assert_eq!(total.to_vec().unwrap()[0], loss(&start, 100).unwrap());
    let gradient = tape.grad(&pos).unwrap().to_vec().unwrap();
    for i in 0..start.len() {
        let h = 1e-5;
        let at = |d: f64| {
            let mut moved = start.clone();
            moved[i].x += d;
            loss(&moved, 100).unwrap()
        };
        let difference = (at(h) - at(-h)) / (2.0 * h);
        assert!(
            (gradient[i].x - difference).abs() < 1e-7 * difference.abs().max(1.0),
            "{} {difference}",
            gradient[i].x
        );
    }
    println!("{}", tape.memory());
}
