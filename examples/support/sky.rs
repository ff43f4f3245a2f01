//! The solar system as a model: how far simulated positions are from the observed ones, as a function of
//! the masses of Jupiter and Saturn, with its gradient.
//!
//! Units are au, days and au³/day², which are as good as SI for gravitation alone.

use super::csv::{Body, Epoch};
use pullback::prelude::*;
use pullback::sim;

/// The gravitational parameter of the Sun, au³/day².
pub const SUN: f64 = 2.959_122_082_855_9e-4;
/// How often Jupiter's mass fits into the Sun's: IAU 2009 system of astronomical constants.
pub const SUN_TO_JUPITER: f64 = 1047.3486;
/// The same of Saturn.
pub const SUN_TO_SATURN: f64 = 3497.898;

/// The gravitational parameters of all bodies, in the order of their numbers, au³/day²; those of Jupiter
/// and Saturn are to be found.
const GM: [f64; 10] =
    [SUN, 4.9125e-11, 7.243e-10, 8.997e-10, 9.549e-11, f64::NAN, f64::NAN, 1.292e-8, 1.524e-8, 2.1e-12];

/// The bodies whose positions are compared: Venus to Neptune.
const FIRST: usize = Body::Venus as usize;
const COMPARED: usize = Body::Neptune as usize - FIRST + 1;

/// Adds to `loss` the squared distances between simulated and observed positions at one epoch; one thread
/// for each body from `first` on.
#[kernel]
fn compare(loss: &mut Array<f64>, position: &Array<Vec3<f64>>, seen: &Array<Vec3<f64>, 2>, epoch: i64, first: i64) {
    let body = first + thread_id();
    let miss = position[body] - seen[(epoch, body)];
    atomic_add(loss, 0, dot(miss, miss));
}

/// How an orbit is computed.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// The stepper.
    pub stepper: Leapfrog,
    /// Steps from one epoch to the next.
    pub steps: usize,
}

/// Observations, and the simulation that is compared with them.
pub struct Sky {
    scheme: Scheme,
    /// Days from one epoch to the next.
    interval: f64,
    /// Positions of all bodies at all epochs after the first.
    seen: Array<Vec3<f64>, 2>,
    start: State<f64>,
    model: Model<f64>,
    state: State<f64>,
    control: Control<f64>,
    loss: Array<f64>,
    tape: Tape,
}

/// Where the bodies are at one time, in the order of their numbers, au.
pub type Positions = Vec<Vec3<f64>>;

impl Sky {
    /// The simulation begins at the first of the epochs and is compared with all others, which must be
    /// equally far apart.
    pub fn new(epochs: &[Epoch], scheme: Scheme) -> Result<Self, sim::Error> {
        let device = Device::cpu();
        let mut builder = ModelBuilder::new();
        builder.gravitational_constant(1.0);
        for body in Body::ALL {
            let gm = match body {
                Body::Jupiter => SUN / SUN_TO_JUPITER,
                Body::Saturn => SUN / SUN_TO_SATURN,
                other => GM[other as usize],
            };
            let start = &epochs[0];
            let at = Vec3::from_array(start.position[body as usize]);
            let velocity = Vec3::from_array(start.velocity[body as usize]);
            builder.particle(Particle::attractor(at, gm).velocity(velocity));
        }
        let model = builder.build(&device)?;
        let seen: Vec<Vec3<f64>> = epochs[1..].iter().flat_map(|epoch| epoch.position).map(Vec3::from_array).collect();
        Ok(Sky {
            scheme,
            interval: (epochs[epochs.len() - 1].day - epochs[0].day) / (epochs.len() - 1) as f64,
            seen: Array::from_shape(&device, [epochs.len() - 1, Body::ALL.len()], &seen)?,
            start: model.state(),
            state: model.state(),
            control: model.control(),
            model,
            loss: Array::zeros(&device, [1]),
            tape: Tape::new(&device),
        })
    }

    /// Simulated epochs, without the first.
    pub fn epochs(&self) -> usize {
        self.seen.shape()[0]
    }

    /// The sum of squared position errors of Venus to Neptune over all epochs, au², if Jupiter and Saturn
    /// have these gravitational parameters, au³/day²; and its derivatives with respect to them.
    pub fn loss(&mut self, jupiter: f64, saturn: f64) -> Result<(f64, [f64; 2]), sim::Error> {
        let loss = self.record(jupiter, saturn)?;
        self.tape.backward(&self.loss)?;
        let gradient = self.tape.grad(&self.model.gravitation.gm)?.to_vec()?;
        Ok((loss, [gradient[Body::Jupiter as usize], gradient[Body::Saturn as usize]]))
    }

    /// The same sum without derivatives, but all recorded that they take.
    pub fn record(&mut self, jupiter: f64, saturn: f64) -> Result<f64, sim::Error> {
        self.weigh(jupiter, saturn)?;
        self.tape.reset();
        let Sky { scheme, model, state, control, loss, tape, seen, .. } = self;
        self.start.copy_to(tape, state)?;
        tape.fill(loss, 0.0)?;
        let dt = self.interval / scheme.steps as f64;
        for epoch in 0..seen.shape()[0] {
            scheme.stepper.advance(tape, model, state, control, dt, scheme.steps)?;
            tape.launch(&compare(COMPARED, loss, &state.particles.position, seen, epoch as i64, FIRST as i64))?;
        }
        Ok(loss.to_vec()?[0])
    }

    /// Where all bodies come to be at each epoch after the first, for these gravitational parameters.
    pub fn orbits(&mut self, jupiter: f64, saturn: f64) -> Result<Vec<Positions>, sim::Error> {
        self.weigh(jupiter, saturn)?;
        let mut stream = Stream::new(self.model.device());
        let mut state = self.start.duplicate()?;
        let dt = self.interval / self.scheme.steps as f64;
        let mut all = Vec::new();
        for _ in 0..self.epochs() {
            self.scheme.stepper.advance(&mut stream, &self.model, &mut state, &self.control, dt, self.scheme.steps)?;
            all.push(state.particles.position.to_vec()?);
        }
        Ok(all)
    }

    fn weigh(&mut self, jupiter: f64, saturn: f64) -> Result<(), sim::Error> {
        let mut gm = GM;
        gm[Body::Jupiter as usize] = jupiter;
        gm[Body::Saturn as usize] = saturn;
        Ok(self.model.gravitation.gm.copy_from_slice(&gm)?)
    }
}
