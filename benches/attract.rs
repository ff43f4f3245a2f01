//! 100,000 particles in a central field, forward, taped and backward, against the same loops by hand.
//!
//! The loops by hand are what one would write in plain Rust without any library: array of structs, one
//! core, compiled for the host's CPU (`make bench` sets `-C target-cpu=native`). The tape's share of the
//! work by hand is a copy of the positions before each step.

use criterion::{Criterion, Throughput};
use pullback::prelude::*;
use std::hint::black_box;

const N: usize = 100_000;
const STEPS: usize = 20;
const DT: f32 = 0.01;
const GM: f32 = 0.5;

#[kernel]
fn attract(pos: &mut Array<Vec3>, vel: &mut Array<Vec3>, dt: f32, g: f32, mass: f32) {
    let i = thread_id();
    let p = pos[i];
    let r = length(p);
    if r < 1e-6 {
        return;
    }
    let accel = -p / r * (g * mass / (r * r));
    vel[i] += accel * dt;
    pos[i] += vel[i] * dt;
}

#[kernel]
fn squared_radius(pos: &Array<Vec3>, loss: &mut Array<f32>) {
    let i = thread_id();
    atomic_add(loss, 0, length_sq(pos[i]));
}

fn start() -> Vec<[f32; 3]> {
    use rand::{Rng, SeedableRng};
    let mut rng = rand::rngs::StdRng::seed_from_u64(0);
    (0..N).map(|_| std::array::from_fn(|_| rng.random_range(-10.0..10.0))).collect()
}

#[inline(never)]
fn step_by_hand(pos: &mut [[f32; 3]], vel: &mut [[f32; 3]], dt: f32, gm: f32) {
    for (p, v) in pos.iter_mut().zip(vel) {
        let r = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt();
        if r < 1e-6 {
            continue;
        }
        let s = gm / (r * r);
        for k in 0..3 {
            v[k] += -p[k] / r * s * dt;
            p[k] += v[k] * dt;
        }
    }
}

#[inline(never)]
fn adjoint_by_hand(pos: &[[f32; 3]], adj_pos: &mut [[f32; 3]], adj_vel: &mut [[f32; 3]], dt: f32, gm: f32) {
    for ((p, gp), gv) in pos.iter().zip(adj_pos).zip(adj_vel) {
        let r2 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
        let r = r2.sqrt();
        if r < 1e-6 {
            continue;
        }
        let inverse = gm / (r2 * r);
        let mut along = 0.0;
        for k in 0..3 {
            gv[k] += dt * gp[k];
            along += p[k] * gv[k];
        }
        let radial = 3.0 * along / r2;
        for k in 0..3 {
            gp[k] += dt * inverse * (radial * p[k] - gv[k]);
        }
    }
}

fn main() -> Result<(), pullback::Error> {
    let mut criterion = Criterion::default().configure_from_args().sample_size(20);
    let device = Device::cpu();
    let start = start();
    let vectors: Vec<Vec3> = start.iter().map(|p| Vec3::new(p[0], p[1], p[2])).collect();
    let particle_steps = Throughput::Elements((N * STEPS) as u64);

    let mut group = criterion.benchmark_group("attract");
    group.throughput(particle_steps);
    for cores in [1, 2] {
        let stream_device = Device::cpu_with_threads(cores);
        let mut stream = Stream::new(&stream_device);
        let mut pos = Array::from_slice(&stream_device, &vectors);
        let mut vel = Array::<Vec3>::zeros(&stream_device, [N]);
        let call = attract(N, &mut pos, &mut vel, DT, GM, 1.0);
        group.bench_function(format!("forward/pullback, {cores} core(s)"), |b| {
            b.iter(|| (0..STEPS).try_for_each(|_| stream.launch(&call)));
        });
    }
    let (mut pos, mut vel) = (start.clone(), vec![[0.0f32; 3]; N]);
    group.bench_function("forward/by hand, 1 core", |b| {
        b.iter(|| (0..STEPS).for_each(|_| step_by_hand(black_box(&mut pos), &mut vel, DT, GM)));
    });

    for cores in [1, 2] {
        let device = Device::cpu_with_threads(cores);
        let mut tape = Tape::new(&device);
        let mut pos = Array::from_slice(&device, &vectors);
        let mut vel = Array::<Vec3>::zeros(&device, [N]);
        let mut loss = Array::<f32>::zeros(&device, [1]);
        let call = attract(N, &mut pos, &mut vel, DT, GM, 1.0);
        let last = squared_radius(N, &pos, &mut loss);
        group.bench_function(format!("forward and backward/pullback, {cores} core(s)"), |b| {
            b.iter(|| -> Result<(), pullback::Error> {
                tape.reset();
                for _ in 0..STEPS {
                    tape.launch(&call)?;
                }
                tape.launch(&last)?;
                tape.backward(&loss)
            });
        });
        group.bench_function(format!("forward on the tape/pullback, {cores} core(s)"), |b| {
            b.iter(|| -> Result<(), pullback::Error> {
                tape.reset();
                (0..STEPS).try_for_each(|_| tape.launch(&call))
            });
        });
    }
    let (mut pos, mut vel) = (start.clone(), vec![[0.0f32; 3]; N]);
    let mut kept = vec![vec![[0.0f32; 3]; N]; STEPS];
    let (mut adj_pos, mut adj_vel) = (vec![[0.0f32; 3]; N], vec![[0.0f32; 3]; N]);
    group.bench_function("forward and backward/by hand, 1 core", |b| {
        b.iter(|| {
            for kept in &mut kept {
                kept.copy_from_slice(&pos);
                step_by_hand(black_box(&mut pos), &mut vel, DT, GM);
            }
            let mut loss = 0.0;
            for ((p, gp), gv) in pos.iter().zip(&mut adj_pos).zip(&mut adj_vel) {
                loss += p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
                *gp = p.map(|x| 2.0 * x);
                *gv = [0.0; 3];
            }
            for kept in kept.iter().rev() {
                adjoint_by_hand(black_box(kept), &mut adj_pos, &mut adj_vel, DT, GM);
            }
            black_box(loss)
        });
    });
    group.finish();
    let _ = device;
    criterion.final_summary();
    Ok(())
}
