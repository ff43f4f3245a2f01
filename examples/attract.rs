//! 100,000 particles in a central field, moved in place over 1,000 steps, and the gradient of their summed
//! squared radius with respect to the initial positions, through 100 recorded steps.
//!
//!     cargo run --release --example attract [-- --short]

use pullback::prelude::*;
use std::time::{Duration, Instant};

/// One step of semi-implicit Euler in the field of a mass at the origin.
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

/// Adds up squared distances from the origin, in 64 bits: a hundred thousand of them are too many for 32.
#[kernel]
fn squared_radius(pos: &Array<Vec3>, loss: &mut Array<f64>) {
    let i = thread_id();
    atomic_add(loss, 0, dot(pos[i], pos[i]) as f64);
}

const G: f32 = 6.674e-2;
const MASS: f32 = 1e2;
const DT: f32 = 1e-4;

/// What came out.
#[derive(Clone, Debug)]
pub struct Report {
    /// Nanoseconds a particle-step: run plain.
    pub forward: f64,
    /// The same, recorded.
    pub taped: f64,
    /// The same, of the walk back.
    pub backward: f64,
    /// The largest relative difference of the gradient from central differences, among some particles.
    pub error: f64,
}

fn main() -> Result<(), pullback::Error> {
    run(std::env::args().any(|arg| arg == "--short")).map(|_| ())
}

/// `count` particles on a disc between radii 1 and 2, on about circular orbits.
fn scatter(count: usize) -> (Vec<Vec3>, Vec<Vec3>) {
    let place = |i: usize| {
        // The golden angle spreads them evenly.
        let (angle, share) = (i as f32 * 2.399_963, i as f32 / count as f32);
        let (sin, cos) = angle.sin_cos();
        let radius = (1.0 + 3.0 * share).sqrt();
        let speed = (G * MASS / radius).sqrt();
        (vec3(radius * cos, radius * sin, 0.1 * share), vec3(-speed * sin, speed * cos, 0.0))
    };
    (0..count).map(place).unzip()
}

/// Runs it, and prints the time of each part.
pub fn run(short: bool) -> Result<Report, pullback::Error> {
    let (count, steps, recorded) = if short { (10_000, 100, 20) } else { (100_000, 1_000, 100) };
    let device = Device::cpu();
    let (at, speed) = scatter(count);
    let mut pos = Array::from_slice(&device, &at);
    let mut vel = Array::from_slice(&device, &speed);
    let mut loss = Array::<f64>::zeros(&device, [1]);

    let mut stream = Stream::new(&device);
    let step = attract(count, &mut pos, &mut vel, DT, G, MASS);
    stream.launch(&step)?; // Compiles.
    let started = Instant::now();
    for _ in 0..steps {
        stream.launch(&step)?;
    }
    let forward = per_step(started.elapsed(), count * steps);

    let mut tape = Tape::new(&device);
    let mut times = (f64::INFINITY, f64::INFINITY);
    // The first recording compiles the adjoint and takes memory; the second has both.
    for _ in 0..2 {
        pos.copy_from_slice(&at)?;
        vel.copy_from_slice(&speed)?;
        loss.fill(0.0)?;
        tape.reset();
        let started = Instant::now();
        for _ in 0..recorded {
            tape.launch(&step)?;
        }
        let taped = per_step(started.elapsed(), count * recorded);
        tape.launch(&squared_radius(count, &pos, &mut loss))?;
        let started = Instant::now();
        tape.backward(&loss)?;
        times = (taped, per_step(started.elapsed(), count * recorded));
    }
    let gradient = tape.grad(&pos)?.to_vec()?;
    let error = check(&mut stream, &at, &speed, &gradient, recorded)?;

    let (taped, backward) = times;
    println!("{count} particles in a central field, f32, in place");
    println!("forward   {steps:>5} steps  {forward:>7.2} ns a particle-step");
    println!("recorded  {recorded:>5} steps  {taped:>7.2} ns a particle-step");
    println!("backward  {recorded:>5} steps  {backward:>7.2} ns a particle-step");
    println!("sum of squared radii {:.1}; tape {:.1} MiB", loss.to_vec()?[0], mib(tape.memory().total()));
    println!("gradient against central differences: {error:.1e} off at most");
    Ok(Report { forward, taped, backward, error })
}

/// The largest relative difference of the gradient from central differences among ten particles, which
/// feel nothing of each other.
fn check(
    stream: &mut Stream,
    at: &[Vec3],
    speed: &[Vec3],
    gradient: &[Vec3],
    steps: usize,
) -> Result<f64, pullback::Error> {
    const H: f32 = 1e-2;
    let device = stream.device().clone();
    let mut worst = 0.0f64;
    for i in (0..at.len()).step_by(at.len() / 10) {
        // The particle moved along x, y and z, forth and back.
        let moved: Vec<Vec3> = (0..6)
            .map(|k| {
                let mut p = at[i];
                p[k / 2] += if k % 2 == 0 { H } else { -H };
                p
            })
            .collect();
        let mut pos = Array::from_slice(&device, &moved);
        let mut vel = Array::from_slice(&device, &[speed[i]; 6]);
        for _ in 0..steps {
            stream.launch(&attract(6, &mut pos, &mut vel, DT, G, MASS))?;
        }
        let square: Vec<f64> = pos.to_vec()?.into_iter().map(|p| f64::from(dot(p, p))).collect();
        let slope = [0, 2, 4].map(|k| (square[k] - square[k + 1]) / f64::from(moved[k][k / 2] - moved[k + 1][k / 2]));
        let size = slope.iter().map(|s| s * s).sum::<f64>().sqrt();
        for (axis, slope) in slope.into_iter().enumerate() {
            worst = worst.max((f64::from(gradient[i][axis]) - slope).abs() / size);
        }
    }
    Ok(worst)
}

fn per_step(time: Duration, particle_steps: usize) -> f64 {
    time.as_secs_f64() * 1e9 / particle_steps as f64
}

fn mib(bytes: usize) -> f64 {
    bytes as f64 / (1 << 20) as f64
}
