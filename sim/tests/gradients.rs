//! Gradients of whole trajectories, by the tape, against central differences in f64.
#![allow(clippy::unwrap_used, reason = "a test")]

use pullback_lang::{Real, Vec3, quat_from_axis_angle, vec3};
use pullback_runtime::{Array, Device, Stream, Tape};
use pullback_sim::*;

/// A model about to run.
struct Scene {
    model: Model<f64>,
    state: State<f64>,
    control: Control<f64>,
}

impl Scene {
    fn new(builder: &ModelBuilder<f64>) -> Self {
        let model = builder.build(&Device::cpu()).unwrap();
        Scene { state: model.state(), control: model.control(), model }
    }

    /// Everything that the trajectory depends on, as numbers.
    fn inputs(&self) -> Vec<(&'static str, Array<f64>)> {
        let (m, c) = (&self.model, &self.control);
        let all = [
            ("mass", m.particles.mass.clone()),
            ("linear drag", m.particles.linear_drag.clone()),
            ("quadratic drag", m.particles.quadratic_drag.clone()),
            ("gm", m.gravitation.gm.clone()),
            ("spring stiffness", m.springs.stiffness.clone()),
            ("spring damping", m.springs.damping.clone()),
            ("spring rest length", m.springs.rest_length.clone()),
            ("particle force", numbers(&c.particle_force)),
            ("body mass", m.bodies.mass.clone()),
            ("inertia", numbers(&m.bodies.inertia)),
            ("contact stiffness", m.bodies.stiffness.clone()),
            ("contact dissipation", m.bodies.dissipation.clone()),
            ("friction", m.bodies.friction.clone()),
            ("contact point", numbers(&m.bodies.points.position)),
            ("contact radius", m.bodies.points.radius.clone()),
            ("body spring stiffness", m.body_springs.stiffness.clone()),
            ("body spring damping", m.body_springs.damping.clone()),
            ("body spring rest length", m.body_springs.rest_length.clone()),
            ("anchor", numbers(&m.body_springs.anchor)),
            ("body force", numbers(&c.body_force)),
            ("body torque", numbers(&c.body_torque)),
        ];
        let moving = self.moving().into_iter();
        all.into_iter().chain(moving).filter(|(_, array)| !array.is_empty()).collect()
    }

    /// All that moves.
    fn moving(&self) -> [(&'static str, Array<f64>); 6] {
        let (p, b) = (&self.state.particles, &self.state.bodies);
        [
            ("particle position", numbers(&p.position)),
            ("particle velocity", numbers(&p.velocity)),
            ("body position", numbers(&b.position)),
            ("orientation", b.orientation.cast_elements().unwrap()),
            ("body velocity", numbers(&b.velocity)),
            ("angular velocity", numbers(&b.angular_velocity)),
        ]
    }

    /// What the loss is a weighted sum of, with the weights.
    fn outputs(&self) -> Vec<(Array<f64>, Array<f64>)> {
        let weigh = |array: Array<f64>| {
            let weights: Vec<f64> = (0..array.len()).map(|i| (1.0 + 0.7 * i as f64).cos()).collect();
            (array, Array::from_slice(&Device::cpu(), &weights))
        };
        self.moving().into_iter().filter(|(_, array)| !array.is_empty()).map(|(_, array)| weigh(array)).collect()
    }

    fn loss(&self) -> f64 {
        let products = self.outputs().into_iter().map(|(array, weights)| {
            let (a, w) = (array.to_vec().unwrap(), weights.to_vec().unwrap());
            a.iter().zip(&w).map(|(a, w)| a * w).sum::<f64>()
        });
        products.sum()
    }
}

fn numbers(vectors: &Array<Vec3<f64>>) -> Array<f64> {
    vectors.cast_elements().unwrap()
}

/// A run of so many steps of `dt` seconds, after `prepare`.
struct Run<'a, S> {
    stepper: S,
    builder: &'a ModelBuilder<f64>,
    prepare: fn(&mut Scene),
    dt: f64,
    steps: usize,
}

impl<S: Stepper<f64>> Run<'_, S> {
    fn scene(&self) -> Scene {
        let mut scene = Scene::new(self.builder);
        (self.prepare)(&mut scene);
        scene
    }

    /// The loss if one number of one input is another.
    fn perturbed(&self, input: usize, index: usize, by: f64) -> f64 {
        let mut scene = self.scene();
        let mut array = scene.inputs().swap_remove(input).1;
        let mut values = array.to_vec().unwrap();
        values[index] += by;
        array.copy_from_slice(&values).unwrap();
        let mut stream = Stream::new(&Device::cpu());
        self.stepper.advance(&mut stream, &scene.model, &mut scene.state, &scene.control, self.dt, self.steps).unwrap();
        scene.loss()
    }

    /// Compares the gradient of a weighted sum of the final state with central differences, for every
    /// number of every input. Errors are relative to the input's largest derivative.
    #[track_caller]
    fn check(&self) {
        let mut taped = self.scene();
        let mut tape = Tape::new(&Device::cpu());
        self.stepper.advance(&mut tape, &taped.model, &mut taped.state, &taped.control, self.dt, self.steps).unwrap();
        let outputs = taped.outputs();
        tape.backward_with(&outputs.iter().map(|(array, weights)| (array, weights)).collect::<Vec<_>>()).unwrap();

        for (input, (name, array)) in self.scene().inputs().iter().enumerate() {
            let values = array.to_vec().unwrap();
            let gradient = tape.grad(&taped.inputs()[input].1).unwrap().to_vec().unwrap();
            let scale = gradient.iter().fold(1e-6, |max, g| f64::max(max, g.abs()));
            for (i, (&g, value)) in gradient.iter().zip(&values).enumerate() {
                if value.is_infinite() {
                    assert_eq!(g, 0.0, "{name} {i}: of something fixed");
                    continue;
                }
                let mut errors = Vec::new();
                let right = STEPS.iter().any(|h| {
                    let difference = self.difference(input, i, h * value.abs().max(1.0));
                    errors.push((g - difference).abs() / scale);
                    errors.last().is_some_and(|&error| error < 1e-6)
                });
                assert!(right, "{name} {i}: gradient {g}, relative errors by step of the differences {errors:?}");
            }
        }
    }

    /// The derivative by central differences of fourth order.
    fn difference(&self, input: usize, index: usize, h: f64) -> f64 {
        let at = |by: f64| self.perturbed(input, index, by);
        (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)
    }
}

/// Steps of the differences; one of them must agree. At the onset of a contact, where the force grows as
/// δ^{3/2}, differences need small steps, elsewhere rounding asks for large ones.
const STEPS: [f64; 3] = [1e-4, 1e-6, 1e-7];

#[test]
fn orbits_by_leapfrog_over_a_thousand_steps() {
    let mut b = ModelBuilder::new();
    b.softening(0.05);
    b.particle(Particle { mass: Some(3.0), ..Particle::attractor(vec3(0.0, 0.1, 0.0), 1.0) });
    let planet = Particle::attractor(vec3(1.0, 0.0, 0.0), 1e-2).velocity(vec3(0.0, 1.0, 0.1));
    b.particle(Particle { mass: Some(2.0), ..planet });
    b.particle(Particle::new(vec3(-1.7, 0.0, 0.2), 1.0).velocity(vec3(0.0, -0.8, 0.0)));
    let prepare = |scene: &mut Scene| scene.control.particle_force.fill(vec3(1e-3, 0.0, -2e-3)).unwrap();
    Run { stepper: Leapfrog::new(), builder: &b, prepare, dt: 0.01, steps: 1000 }.check();
    Run { stepper: Leapfrog::fourth_order(), builder: &b, prepare, dt: 0.04, steps: 250 }.check();
}

#[test]
fn damped_springs_with_drag_over_a_thousand_steps() {
    let mut b = ModelBuilder::new();
    b.gravity(vec3(0.0, 0.0, -9.81));
    let top = b.particle(Particle::new(vec3(0.0, 0.0, 2.0), 1.0).fixed());
    let middle = b.particle(Particle::new(vec3(0.3, 0.0, 1.0), 0.5).drag(0.05, 0.02));
    let low = b.particle(Particle::new(vec3(0.8, 0.1, 0.2), 0.3).drag(0.01, 0.04).velocity(vec3(0.0, 1.0, 0.0)));
    b.spring(Spring { ends: (top, middle), stiffness: 200.0, damping: 0.3, rest_length: 0.9 });
    b.spring(Spring { ends: (low, middle), stiffness: 100.0, damping: 0.2, rest_length: 0.8 });
    let prepare = |scene: &mut Scene| scene.control.particle_force.fill(vec3(0.1, 0.2, 0.3)).unwrap();
    Run { stepper: SemiImplicitEuler, builder: &b, prepare, dt: 1e-3, steps: 1000 }.check();
    Run { stepper: Leapfrog::new(), builder: &b, prepare, dt: 2e-3, steps: 500 }.check();
}

#[test]
fn springs_of_length_zero() {
    let mut b = ModelBuilder::new();
    let pair = [0.5, 0.25].map(|mass| b.particle(Particle::new(vec3(0.1, 0.2, 0.3), mass)));
    b.spring(Spring { ends: (pair[0], pair[1]), stiffness: 30.0, damping: 0.0, rest_length: 0.0 });
    Run { stepper: SemiImplicitEuler, builder: &b, prepare: |_| (), dt: 0.01, steps: 100 }.check();
}

#[test]
fn free_tumbling_over_200_steps() {
    let mut b = ModelBuilder::new();
    let body = Body::new(2.0, vec3(0.1, 0.2, 0.25)).velocity(vec3(0.1, -0.2, 0.3));
    b.body(body.angular_velocity(vec3(0.1, 6.0, 0.2)));
    let prepare = |scene: &mut Scene| {
        scene.control.body_force.fill(vec3(0.1, 0.2, 0.3)).unwrap();
        scene.control.body_torque.fill(vec3(0.02, -0.03, 0.01)).unwrap();
    };
    Run { stepper: SemiImplicitEuler, builder: &b, prepare, dt: 0.01, steps: 200 }.check();
}

#[test]
fn bouncing_box_with_friction_over_200_steps() {
    let mut b = ModelBuilder::new();
    b.gravity(vec3(0.0, 0.0, -9.81)).ground(Ground { slip_speed: 0.05, ..Ground::default() });
    let contact = Contact { stiffness: 2e4, dissipation: 0.05, friction: 0.2 };
    let brick = Body::cuboid(1.0, vec3(0.2, 0.3, 0.1)).contact(contact).position(vec3(0.0, 0.0, 0.6));
    let tilted = brick.orientation(quat_from_axis_angle(vec3(0.6, 0.8, 0.0), 0.3));
    b.body(tilted.velocity(vec3(2.0, 0.5, -1.0)).angular_velocity(vec3(0.5, 1.0, -2.0)));
    let prepare = |scene: &mut Scene| scene.control.body_torque.fill(vec3(0.01, 0.02, 0.03)).unwrap();
    let run = Run { stepper: SemiImplicitEuler, builder: &b, prepare, dt: 2e-3, steps: 200 };

    // It comes down, touches the ground, and leaves it.
    let mut scene = run.scene();
    let mut stream = Stream::new(&Device::cpu());
    let mut speeds = Vec::new();
    for _ in 0..run.steps {
        run.stepper.step_in_place(&mut stream, &scene.model, &mut scene.state, &scene.control, run.dt).unwrap();
        speeds.push(scene.state.bodies.velocity.get([0]).unwrap().z);
    }
    assert!(speeds.iter().any(|&v| v < -2.0) && speeds.iter().any(|&v| v > 0.5), "it should bounce: {speeds:?}");
    run.check();
}

#[test]
fn bodies_on_springs_and_ground_over_200_steps() {
    let mut b = ModelBuilder::new();
    b.gravity(vec3(0.0, 0.0, -9.81)).ground(Ground { slip_speed: 0.1, ..Ground::default() });
    let contact = Contact { stiffness: 2e3, dissipation: 0.2, friction: 0.3 };
    let ball = Body::sphere(0.5, 0.1).contact(contact).position(vec3(0.0, 0.0, 0.12));
    let ball = b.body(ball.velocity(vec3(0.5, 0.0, 0.0)));
    let rod = Body::new(1.0, vec3(0.1, 0.1, 0.02)).position(vec3(0.3, 0.0, 0.6));
    let rod = b.body(rod.angular_velocity(vec3(0.0, 1.0, 0.3)));
    let at = |body, x: f64, y: f64, z: f64| Anchor::Body(body, vec3(x, y, z));
    let spring = |ends| BodySpring { ends, stiffness: 40.0, damping: 0.5, rest_length: 0.3 };
    b.body_spring(spring((at(ball, 0.0, 0.05, 0.0), at(rod, 0.0, 0.0, -0.4))));
    b.body_spring(spring((at(rod, 0.0, 0.1, 0.4), Anchor::World(vec3(0.3, 0.2, 1.4)))));
    let post = b.body(Body::sphere(1.0, 0.1).fixed().position(vec3(-0.5, 0.0, 0.5)));
    b.body_spring(spring((at(post, 0.1, 0.0, 0.0), at(rod, 0.0, 0.0, 0.0))));
    Run { stepper: SemiImplicitEuler, builder: &b, prepare: |_| (), dt: 2e-3, steps: 200 }.check();
}

/// The gradient of a chain's end after 300 steps, with respect to its start and its stiffnesses.
fn chain<R: Real>() -> Vec<f64> {
    let lit = R::lit;
    let mut b = ModelBuilder::<R>::new();
    b.gravity(Vec3::new(lit(0.0), lit(0.0), lit(-9.81)));
    let mut last = b.particle(Particle::new(Vec3::zeros(), lit(1.0)).fixed());
    for i in 1..4 {
        let at = Vec3::new(lit(0.5 * f64::from(i)), lit(0.1), lit(0.0));
        let next = b.particle(Particle::new(at, lit(0.2)).drag(lit(0.05), lit(0.02)));
        b.spring(Spring { ends: (last, next), stiffness: lit(150.0), damping: lit(0.3), rest_length: lit(0.4) });
        last = next;
    }
    let device = Device::cpu();
    let model = b.build(&device).unwrap();
    let (mut state, control) = (model.state(), model.control());
    let mut tape = Tape::new(&device);
    SemiImplicitEuler.advance(&mut tape, &model, &mut state, &control, lit(1e-3), 300).unwrap();
    let end = state.particles.position.slice(0, 3..4).unwrap();
    let weights = Array::from_slice(&device, &[Vec3::new(lit(1.0), lit(0.5), lit(2.0))]);
    tape.backward_with(&[(&end, &weights)]).unwrap();
    let start = tape.grad(&state.particles.position).unwrap().cast_elements::<R>().unwrap();
    let stiffness = tape.grad(&model.springs.stiffness).unwrap();
    [start, stiffness].iter().flat_map(|g| g.to_vec().unwrap()).map(Real::to_f64).collect()
}

#[test]
fn single_precision_gives_the_same_gradient() {
    let (single, double) = (chain::<f32>(), chain::<f64>());
    let scale = |range: std::ops::Range<usize>| double[range].iter().fold(0.0, |max, g| f64::max(max, g.abs()));
    let scales = [scale(0..12), scale(12..15)];
    for (i, (s, d)) in single.iter().zip(&double).enumerate() {
        assert!((s - d).abs() < 1e-3 * scales[usize::from(i >= 12)], "{i}: {s} in f32, {d} in f64");
    }
}
