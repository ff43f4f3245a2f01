//! 200 steps of thrust that bring a point mass with drag to rest at a target, found by gradient descent
//! through the simulation.
//!
//!     cargo run --release --example lander [-- --short]

use pullback::optim;
use pullback::prelude::*;
use pullback::sim;

/// Steps, and their length in seconds.
const STEPS: usize = 200;
const DT: f64 = 0.02;
/// Where it is to be at rest, m.
const TARGET: Vec3<f64> = vec3(3.0, -2.0, 0.0);

/// What is to be small: the squared distance from the target, m², and the squared speed times (1 s)², with
/// a little of the squared thrust.
#[kernel]
fn miss(loss: &mut Array<f64>, position: &Array<Vec3<f64>>, velocity: &Array<Vec3<f64>>, target: Vec3<f64>) {
    let off = position[0] - target;
    loss[0] += dot(off, off) + dot(velocity[0], velocity[0]);
}

/// Adds the effort of all steps: each thread one.
#[kernel]
fn effort(loss: &mut Array<f64>, thrust: &Array<Vec3<f64>, 2>, weight: f64) {
    let k = thread_id();
    atomic_add(loss, 0, weight * dot(thrust[(k, 0)], thrust[(k, 0)]));
}

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The simulation failed.
    #[error(transparent)]
    Sim(#[from] sim::Error),
    /// An array or a launch failed.
    #[error(transparent)]
    Runtime(#[from] pullback::Error),
    /// The optimiser failed.
    #[error(transparent)]
    Optim(#[from] optim::Error),
}

/// How it lands.
#[derive(Clone, Debug)]
pub struct Report {
    /// Final distance from the target, m.
    pub miss: f64,
    /// Final speed, m/s.
    pub speed: f64,
    /// Gradients taken.
    pub gradients: usize,
}

fn main() -> Result<(), Error> {
    run(std::env::args().any(|arg| arg == "--short")).map(|_| ())
}

/// Finds the thrust, and shows how.
pub fn run(short: bool) -> Result<Report, Error> {
    let device = Device::cpu();
    let mut builder = ModelBuilder::new();
    builder.gravity(vec3(0.0, 0.0, -1.62)); // The Moon's.
    let craft = Particle::new(vec3(0.0, 0.0, 10.0), 1.0).velocity(vec3(1.0, 0.5, -2.0)).drag(0.05, 0.02);
    builder.particle(craft);
    let model = builder.build(&device)?;
    let start = model.state();
    let mut state = model.state();

    // One row of thrust, N, for each step; a step's control is a view of its row.
    let mut thrust = Array::<Vec3<f64>, 2>::zeros(&device, [STEPS, 1]);
    let mut controls = Vec::new();
    for step in 0..STEPS {
        let mut control = model.control();
        control.particle_force = thrust.row(step)?;
        controls.push(control);
    }
    let mut loss = Array::<f64>::zeros(&device, [1]);
    let mut tape = Tape::new(&device);
    let mut gradients = 0;

    let evaluate = |parameters: &[f64]| {
        let rows: Vec<Vec3<f64>> = parameters.chunks_exact(3).map(|c| vec3(c[0], c[1], c[2])).collect();
        thrust.copy_from_slice(&rows)?;
        tape.reset();
        start.copy_to(&mut tape, &mut state)?;
        tape.fill(&mut loss, 0.0)?;
        for control in &controls {
            SemiImplicitEuler.step_in_place(&mut tape, &model, &mut state, control, DT)?;
        }
        tape.launch(&miss(1, &mut loss, &state.particles.position, &state.particles.velocity, TARGET))?;
        tape.launch(&effort(STEPS, &mut loss, &thrust, 1e-6))?;
        tape.backward(&loss)?;
        let value = loss.get([0])?;
        if gradients % 25 == 0 {
            let (at, speed) = (state.particles.position.get([0])?, state.particles.velocity.get([0])?);
            println!(
                "gradient {gradients:>4}: loss {value:>10.3e}, {:>9.5} m off at {:>8.5} m/s",
                (at - TARGET).length(),
                speed.length()
            );
        }
        gradients += 1;
        let gradient = tape.grad(&thrust)?.to_vec()?.into_iter().flat_map(Vec3::to_array).collect();
        Ok::<_, Error>((value, gradient))
    };
    let mut parameters = vec![0.0; 3 * STEPS];
    let criteria = Criteria { iterations: if short { 150 } else { 400 }, gradient: 1e-7, ..Criteria::default() };
    let mut descent = GradientDescent::new(0.25).momentum(0.8);
    let report = minimise(&mut descent, &mut parameters, &criteria, evaluate)?;

    // The same once more, plain.
    let mut stream = Stream::new(&device);
    start.copy_to(&mut stream, &mut state)?;
    for control in &controls {
        SemiImplicitEuler.step_in_place(&mut stream, &model, &mut state, control, DT)?;
    }
    let (at, speed) = (state.particles.position.get([0])?, state.particles.velocity.get([0])?);
    let result = Report { miss: (at - TARGET).length(), speed: speed.length(), gradients: report.evaluations };
    println!(
        "after {} gradients: {:.2e} m from the target, {:.2e} m/s ({:?})",
        result.gradients, result.miss, result.speed, report.stop
    );
    Ok(result)
}
