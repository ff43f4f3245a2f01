//! What a gradient costs beside its primal: a network of springs (gathers, scatters and sums that
//! threads share), a pendulum of 1,000 and of 100,000 steps inside one kernel, the taped planets; and
//! what it costs that shared sums have the same bits in each run, beside the same loops by hand that race.
//!
//! The ratio to read is gradient over forward; both run on the tape.

#[path = "../examples/support/mod.rs"]
mod support;

use criterion::Criterion;
use pullback::prelude::*;
use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use support::csv;
use support::sky::{SUN, SUN_TO_JUPITER, SUN_TO_SATURN, Scheme, Sky};

/// Particles along each side of the cloth.
const SIDE: usize = 192;
const STEPS: usize = 20;
const STIFFNESS: f32 = 200.0;
const DT: f32 = 1e-3;

#[kernel]
fn spring_forces(pos: &Array<Vec3>, ends: &Array<[i32; 2]>, rest: &Array<f32>, force: &mut Array<Vec3>, k: f32) {
    let s = thread_id();
    let ends = ends[s];
    let (a, b) = (ends[0] as i64, ends[1] as i64);
    let d = pos[b] - pos[a];
    let r = length(d);
    let pull = d * (k * (r - rest[s]) / r);
    atomic_add(force, a, pull);
    atomic_sub(force, b, pull);
}

#[kernel]
fn integrate(pos: &mut Array<Vec3>, vel: &mut Array<Vec3>, force: &Array<Vec3>, dt: f32) {
    let i = thread_id();
    vel[i] += force[i] * dt;
    pos[i] += vel[i] * dt;
}

#[kernel]
fn squared_length(x: &Array<Vec3>, loss: &mut Array<f32>) {
    atomic_add(loss, 0, length_sq(x[thread_id()]));
}

/// One pendulum for each thread, `steps` of semi-implicit Euler.
#[kernel]
fn pendulum(angle: &Array<f64>, ratio: &Array<f64>, end: &mut Array<f64>, steps: i64, dt: f64) {
    let i = thread_id();
    let mut q = angle[i];
    let mut w = 0.0;
    for _ in 0..steps {
        w -= ratio[0] * sin(q) * dt;
        q += w * dt;
    }
    end[i] = q;
}

/// Springs between neighbours of a square grid, in rows and columns.
fn cloth() -> (Vec<Vec3>, Vec<[i32; 2]>) {
    let at = |x: usize, y: usize| (x + SIDE * y) as i32;
    let mut ends = Vec::new();
    let mut pos = Vec::new();
    for y in 0..SIDE {
        for x in 0..SIDE {
            let (u, v) = (x as f32, y as f32);
            pos.push(Vec3::new(u, v, 0.3 * (0.2 * u).sin() * (0.3 * v).cos()));
            if x + 1 < SIDE {
                ends.push([at(x, y), at(x + 1, y)]);
            }
            if y + 1 < SIDE {
                ends.push([at(x, y), at(x, y + 1)]);
            }
        }
    }
    (pos, ends)
}

struct Springs {
    pos: Array<Vec3>,
    vel: Array<Vec3>,
    force: Array<Vec3>,
    ends: Array<[i32; 2]>,
    rest: Array<f32>,
    loss: Array<f32>,
}

impl Springs {
    fn new(device: &Device) -> Self {
        let (pos, ends) = cloth();
        Springs {
            pos: Array::from_slice(device, &pos),
            vel: Array::zeros(device, [pos.len()]),
            force: Array::zeros(device, [pos.len()]),
            rest: Array::from_slice(device, &vec![0.9f32; ends.len()]),
            ends: Array::from_slice(device, &ends),
            loss: Array::zeros(device, [1]),
        }
    }

    fn run(&mut self, tape: &mut Tape) -> Result<(), pullback::Error> {
        let (particles, springs) = (self.pos.len(), self.rest.len());
        for _ in 0..STEPS {
            tape.fill(&mut self.force, Vec3::new(0.0, 0.0, 0.0))?;
            tape.launch(&spring_forces(springs, &self.pos, &self.ends, &self.rest, &mut self.force, STIFFNESS))?;
            tape.launch(&integrate(particles, &mut self.pos, &mut self.vel, &self.force, DT))?;
        }
        tape.launch(&squared_length(particles, &self.pos, &mut self.loss))
    }
}

fn springs(criterion: &mut Criterion) {
    for cores in [1, 2] {
        let device = Device::cpu_with_threads(cores);
        let mut springs = Springs::new(&device);
        let mut tape = Tape::new(&device);
        let mut group = criterion.benchmark_group(format!("springs, {cores} core(s)"));
        group.bench_function("forward", |b| {
            b.iter(|| {
                tape.reset();
                springs.run(&mut tape)
            });
        });
        group.bench_function("forward and backward", |b| {
            b.iter(|| {
                tape.reset();
                springs.run(&mut tape).and_then(|()| tape.backward(&springs.loss))
            });
        });
        group.finish();
    }
}

fn pendulums(criterion: &mut Criterion) {
    let device = Device::cpu_with_threads(1);
    for (steps, threads) in [(1_000, 100), (100_000, 1)] {
        let angles: Vec<f64> = (0..threads).map(|i| 0.5 + 0.01 * i as f64).collect();
        let angle = Array::from_slice(&device, &angles);
        let ratio = Array::from_slice(&device, &[9.81]);
        let mut end = Array::<f64>::zeros(&device, [threads]);
        let mut loss = Array::<f64>::zeros(&device, [1]);
        let mut tape = Tape::new(&device);
        let mut group = criterion.benchmark_group(format!("{threads} pendulum(s) of {steps} steps in a kernel"));
        let mut run = |tape: &mut Tape, back: bool| -> Result<(), pullback::Error> {
            tape.reset();
            tape.launch(&pendulum(threads, &angle, &ratio, &mut end, steps, 1e-3))?;
            tape.launch(&squared(threads, &end, &mut loss))?;
            if back { tape.backward(&loss) } else { Ok(()) }
        };
        group.bench_function("forward", |b| b.iter(|| run(&mut tape, false)));
        group.bench_function("forward and backward", |b| b.iter(|| run(&mut tape, true)));
        group.finish();
    }
}

#[kernel]
fn squared(x: &Array<f64>, loss: &mut Array<f64>) {
    let i = thread_id();
    atomic_add(loss, 0, x[i] * x[i]);
}

fn planets(criterion: &mut Criterion) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/planets.csv");
    let epochs = csv::read(&file).expect("the ephemeris is in the repository");
    let mut group = criterion.benchmark_group("planets, 12 years, leapfrog");
    group.sample_size(10);
    let scheme = || Scheme { stepper: Leapfrog::new(), steps: 20 };
    let mut sky = Sky::new(&epochs, scheme()).expect("a valid model");
    group.bench_function("forward", |b| {
        b.iter(|| black_box(sky.record(SUN / SUN_TO_JUPITER, SUN / SUN_TO_SATURN).expect("a recording")));
    });
    group.bench_function("forward and backward", |b| {
        b.iter(|| black_box(sky.loss(SUN / SUN_TO_JUPITER, SUN / SUN_TO_SATURN).expect("a recording")));
    });
    group.finish();
}

/// Adds 2 x[slot[i]] to the slots' cotangents: what the adjoint of a gather does.
#[kernel]
fn gather(x: &Array<f32>, slot: &Array<i32>, loss: &mut Array<f32>) {
    let v = x[slot[thread_id()] as i64];
    atomic_add(loss, 0, v * v);
}

fn add_racing(to: &AtomicU32, share: f32) {
    let mut seen = to.load(Ordering::Relaxed);
    loop {
        let sum = (f32::from_bits(seen) + share).to_bits();
        match to.compare_exchange_weak(seen, sum, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return,
            Err(now) => seen = now,
        }
    }
}

/// The forward sum and its adjoint as racing threads would have it, on two cores.
fn gather_racing(x: &[f32], slots: &[i32], adjoint: &[AtomicU32]) -> f32 {
    let loss = AtomicU32::new(0);
    for back in [false, true] {
        std::thread::scope(|scope| {
            for part in slots.chunks(slots.len().div_ceil(2)) {
                let loss = &loss;
                scope.spawn(move || {
                    for &slot in part {
                        let v = x[slot as usize];
                        match back {
                            false => add_racing(loss, v * v),
                            true => add_racing(&adjoint[slot as usize], 2.0 * v),
                        }
                    }
                });
            }
        });
    }
    f32::from_bits(loss.into_inner())
}

fn contended(criterion: &mut Criterion) {
    const N: usize = 1 << 20;
    let device = Device::cpu_with_threads(2);
    for slots in [16usize, 1 << 16] {
        let slot: Vec<i32> = (0..N).map(|i| ((i as u64 * 2_654_435_761) % slots as u64) as i32).collect();
        let x = vec![0.5f32; slots];
        let mut group = criterion.benchmark_group(format!("sums of {N} threads over {slots} slots, 2 cores"));
        group.sample_size(20);
        let (xs, at) = (Array::from_slice(&device, &x), Array::from_slice(&device, &slot));
        let mut loss = Array::<f32>::zeros(&device, [1]);
        let mut tape = Tape::new(&device);
        group.bench_function("forward and backward, same bits in each run", |b| {
            b.iter(|| -> Result<(), pullback::Error> {
                tape.reset();
                tape.launch(&gather(N, &xs, &at, &mut loss))?;
                tape.backward(&loss)
            });
        });
        group.bench_function("by hand, racing", |b| {
            b.iter(|| {
                let adjoint: Vec<AtomicU32> = (0..slots).map(|_| AtomicU32::new(0)).collect();
                black_box(gather_racing(&x, &slot, &adjoint))
            });
        });
        group.finish();
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    springs(&mut criterion);
    pendulums(&mut criterion);
    planets(&mut criterion);
    contended(&mut criterion);
    criterion.final_summary();
}
