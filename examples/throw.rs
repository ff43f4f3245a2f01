//! The velocity and spin to throw a box with, so that after one bounce it comes to a given pose: found by
//! gradients through contact and friction.
//!
//!     cargo run --release --example throw [-- --short]

use pullback::optim;
use pullback::prelude::*;
use pullback::sim;

/// Steps of a flight, and their length in seconds.
const STEPS: usize = 500;
const DT: f64 = 1e-3;

/// The pose that the box is to come to: position, m, and orientation.
const POSITION: Vec3<f64> = vec3(0.5, 0.1, 0.6);
/// The turn about each axis in turn, radians, that makes the orientation.
const TURN: [f64; 3] = [0.2, 0.9, 0.3];

/// What is to be small: the squared distance, m², and how far the orientation is from the target's, as
/// four times the squared sine of half of the angle between them; about the angle's square.
#[kernel]
fn miss(
    loss: &mut Array<f64>,
    position: &Array<Vec3<f64>>,
    orientation: &Array<Quat<f64>>,
    target: Vec3<f64>,
    pose: Quat<f64>,
) {
    let off = position[0] - target;
    let aligned = dot(orientation[0], pose);
    loss[0] = dot(off, off) + 4.0 * (1.0 - aligned * aligned);
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

/// How the box arrives.
#[derive(Clone, Debug)]
pub struct Report {
    /// Distance from the target, m.
    pub miss: f64,
    /// Angle from the target's orientation, radians.
    pub angle: f64,
    /// How often it touched the ground and left it.
    pub bounces: usize,
    /// Gradients taken.
    pub gradients: usize,
}

fn main() -> Result<(), Error> {
    run(std::env::args().any(|arg| arg == "--short")).map(|_| ())
}

/// The throw, and all that its simulation needs.
struct Throw {
    model: Model<f64>,
    start: State<f64>,
    state: State<f64>,
    control: Control<f64>,
    pose: Quat<f64>,
}

impl Throw {
    fn new(device: &Device) -> Result<Self, Error> {
        let mut builder = ModelBuilder::new();
        // Of rubber, as it were: stiffer contacts make the pose a rougher function of the throw.
        builder.gravity(vec3(0.0, 0.0, -9.81)).ground(Ground { slip_speed: 0.05, ..Ground::default() });
        let contact = Contact { stiffness: 5e3, dissipation: 0.05, friction: 0.3 };
        builder.body(Body::cuboid(1.0, vec3(0.2, 0.15, 0.1)).contact(contact).position(vec3(0.0, 0.0, 0.8)));
        let model = builder.build(device)?;
        let axes = [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)];
        let pose = (axes.into_iter().zip(TURN))
            .fold(Quat::identity(), |q, (axis, angle)| quat_from_axis_angle(axis, angle) * q);
        Ok(Throw { start: model.state(), state: model.state(), control: model.control(), model, pose })
    }

    /// Throws with a velocity, m/s, and a spin, rad/s, and lets the box fly.
    fn fly(&mut self, launch: &mut impl Launch, throw: &[f64]) -> Result<(), Error> {
        let Throw { model, start, state, control, .. } = self;
        start.bodies.velocity.copy_from_slice(&[vec3(throw[0], throw[1], throw[2])])?;
        start.bodies.angular_velocity.copy_from_slice(&[vec3(throw[3], throw[4], throw[5])])?;
        start.copy_to(launch, state)?;
        Ok(SemiImplicitEuler.advance(launch, model, state, control, DT, STEPS)?)
    }

    /// How far it is from the target, m, and turned from it, radians.
    fn off(&self) -> Result<(f64, f64), Error> {
        let (at, q) = (self.state.bodies.position.get([0])?, self.state.bodies.orientation.get([0])?);
        let aligned = dot(q, self.pose).abs().min(1.0);
        Ok(((at - POSITION).length(), 2.0 * aligned.acos()))
    }

    /// How often the box touches the ground and leaves it, when thrown like this.
    fn bounces(&mut self, stream: &mut Stream, throw: &[f64]) -> Result<usize, Error> {
        self.fly(stream, throw)?;
        let Throw { model, start, state, control, .. } = self;
        start.copy_to(stream, state)?;
        let (mut touching, mut bounces) = (false, 0);
        for _ in 0..STEPS {
            SemiImplicitEuler.step_in_place(stream, model, state, control, DT)?;
            let touches = state.bodies.force.get([0])?.z > 0.0;
            bounces += usize::from(touching && !touches);
            touching = touches;
        }
        Ok(bounces)
    }
}

/// Finds the throw, and shows how.
pub fn run(short: bool) -> Result<Report, Error> {
    let device = Device::cpu();
    let mut throw = Throw::new(&device)?;
    let mut loss = Array::<f64>::zeros(&device, [1]);
    let mut tape = Tape::new(&device);
    let mut best = f64::INFINITY;
    let evaluate = |parameters: &[f64]| {
        tape.reset();
        throw.fly(&mut tape, parameters)?;
        let bodies = &throw.state.bodies;
        tape.launch(&miss(1, &mut loss, &bodies.position, &bodies.orientation, POSITION, throw.pose))?;
        tape.backward(&loss)?;
        let value = loss.get([0])?;
        let mut gradient = tape.grad(&throw.start.bodies.velocity)?.to_vec()?;
        gradient.extend(tape.grad(&throw.start.bodies.angular_velocity)?.to_vec()?);
        if value < 0.5 * best {
            best = value;
            let (miss, angle) = throw.off()?;
            println!("loss {value:>9.2e}: {miss:>7.4} m and {:>7.3}° off", angle.to_degrees());
        }
        Ok::<_, Error>((value, gradient.into_iter().flat_map(Vec3::to_array).collect()))
    };
    let mut parameters = [2.0, 0.0, -2.5, 0.0, 1.0, 0.0];
    let criteria = Criteria { iterations: if short { 100 } else { 200 }, loss: 1e-9, ..Criteria::default() };
    let report = Bfgs::default().minimise(&mut parameters, &criteria, evaluate)?;

    let mut stream = Stream::new(&device);
    let bounces = throw.bounces(&mut stream, &parameters)?;
    let (miss, angle) = throw.off()?;
    let (at, q) = (throw.state.bodies.position.get([0])?, throw.state.bodies.orientation.get([0])?);
    let q = if dot(q, throw.pose) < 0.0 { -q } else { q };
    let [vx, vy, vz, wx, wy, wz] = parameters;
    println!("\nthrow: velocity ({vx:.3}, {vy:.3}, {vz:.3}) m/s, spin ({wx:.3}, {wy:.3}, {wz:.3}) rad/s");
    println!("              position / m              orientation (x, y, z, w)");
    let row = |name: &str, p: Vec3<f64>, q: Quat<f64>| {
        println!(
            "{name:<8} ({:>7.4}, {:>7.4}, {:>7.4})  ({:>7.4}, {:>7.4}, {:>7.4}, {:>7.4})",
            p.x, p.y, p.z, q.x, q.y, q.z, q.w
        );
    };
    row("target", POSITION, throw.pose);
    row("achieved", at, q);
    println!(
        "{miss:.1e} m and {:.1e}° off after {} bounce(s), {} gradients ({:?})",
        angle.to_degrees(),
        bounces,
        report.evaluations,
        report.stop
    );
    Ok(Report { miss, angle, bounces, gradients: report.evaluations })
}
