//! Particles obey the laws that they should.
#![allow(clippy::unwrap_used, reason = "a test")]

use pullback_lang::{Real, Vec3, cross, dot, vec3};
use pullback_runtime::{Device, Stream};
use pullback_sim::*;
use std::f64::consts::TAU;

/// A model and its state as it runs.
struct Scene<R: Real> {
    model: Model<R>,
    state: State<R>,
    control: Control<R>,
    stream: Stream,
}

impl<R: Real> Scene<R> {
    fn new(builder: &ModelBuilder<R>) -> Self {
        let model = builder.build(&Device::cpu()).unwrap();
        Scene { state: model.state(), control: model.control(), model, stream: Stream::new(&Device::cpu()) }
    }
    fn run(&mut self, stepper: &impl Stepper<R>, dt: R, steps: usize) {
        stepper.advance(&mut self.stream, &self.model, &mut self.state, &self.control, dt, steps).unwrap();
    }
    fn position(&self, i: usize) -> Vec3<R> {
        self.state.particles.position.get([i]).unwrap()
    }
    fn velocity(&self, i: usize) -> Vec3<R> {
        self.state.particles.velocity.get([i]).unwrap()
    }
}

/// A body of no weight on an ellipse of semi-major axis 1 and eccentricity `e` about gm = 1, at its
/// pericentre; its period is 2π.
fn kepler(e: f64) -> ModelBuilder<f64> {
    let mut b = ModelBuilder::new();
    b.particle(Particle::attractor(vec3(0.0, 0.0, 0.0), 1.0).fixed());
    let speed = ((1.0 + e) / (1.0 - e)).sqrt();
    b.particle(Particle::new(vec3(1.0 - e, 0.0, 0.0), 1.0).velocity(vec3(0.0, speed, 0.0)));
    b
}

/// How far from its start the body is after `periods` periods of `steps` steps.
fn miss(stepper: &impl Stepper<f64>, e: f64, periods: usize, steps: usize) -> f64 {
    let mut scene = Scene::new(&kepler(e));
    let start = scene.position(1);
    scene.run(stepper, TAU / steps as f64, periods * steps);
    (scene.position(1) - start).length()
}

#[test]
fn an_orbit_closes_after_keplers_period() {
    // The error falls with the order of the stepper.
    let (coarse, fine) = (miss(&Leapfrog::new(), 0.2, 1, 500), miss(&Leapfrog::new(), 0.2, 1, 1000));
    assert!(fine < 3e-4 && (coarse / fine - 4.0).abs() < 0.2, "{coarse} {fine}");
    let fourth = Leapfrog::fourth_order();
    let (coarse, fine) = (miss(&fourth, 0.2, 1, 500), miss(&fourth, 0.2, 1, 1000));
    assert!(fine < 1e-7 && (coarse / fine - 16.0).abs() < 1.0, "{coarse} {fine}");
    let euler = miss(&SemiImplicitEuler, 0.2, 1, 2000);
    assert!(euler < 2e-2, "{euler}");
}

#[test]
fn energy_and_angular_momentum_of_an_orbit_stay() {
    let mut scene = Scene::new(&kepler(0.3));
    let invariants = |scene: &Scene<f64>| {
        let (x, v) = (scene.position(1), scene.velocity(1));
        (0.5 * dot(v, v) - 1.0 / x.length(), cross(x, v))
    };
    let (energy, momentum) = invariants(&scene);
    assert!((energy + 0.5).abs() < 1e-12);
    for _ in 0..50 {
        scene.run(&Leapfrog::new(), TAU / 500.0, 500);
        let (e, l) = invariants(&scene);
        assert!((e - energy).abs() < 1e-6, "energy drifted by {}", e - energy);
        assert!((l - momentum).length() < 1e-12, "angular momentum {l:?}");
    }
}

#[test]
fn two_bodies_circle_their_centre_of_mass() {
    // gm 0.8 and 0.2 at distance 1: period 2π; momentum is kept.
    let mut b = ModelBuilder::new();
    b.gravitational_constant(1.0);
    b.particle(Particle::attractor(vec3(-0.2, 0.0, 0.0), 0.8).velocity(vec3(0.0, -0.2, 0.0)));
    b.particle(Particle::attractor(vec3(0.8, 0.0, 0.0), 0.2).velocity(vec3(0.0, 0.8, 0.0)));
    let mut scene = Scene::new(&b);
    scene.run(&Leapfrog::fourth_order(), TAU / 400.0, 400);
    assert!((scene.position(0) - vec3(-0.2, 0.0, 0.0)).length() < 1e-6);
    assert!((scene.position(1) - vec3(0.8, 0.0, 0.0)).length() < 1e-6);
    let masses = scene.model.particles.mass.to_vec().unwrap();
    assert_eq!(masses, [0.8, 0.2]);
    let momentum = scene.velocity(0) * masses[0] + scene.velocity(1) * masses[1];
    assert!(momentum.length() < 1e-14, "{momentum:?}");
}

#[test]
fn softening_is_plummers() {
    let mut b = ModelBuilder::<f64>::new();
    b.softening(3.0);
    b.particle(Particle::attractor(vec3(0.0, 0.0, 0.0), 50.0).fixed());
    b.particle(Particle::new(vec3(4.0, 0.0, 0.0), 1.0));
    let mut scene = Scene::new(&b);
    scene.run(&SemiImplicitEuler, 1.0, 1);
    // gm r / (r² + ε²)^{3/2} = 50 · 4 / 125.
    assert!((scene.velocity(1).x + 1.6).abs() < 1e-14);
}

/// A mass of 0.5 kg on a spring of 200 N/m, drawn out by 0.1 m: the frequency is √(k/m) = 20 / s.
fn oscillator<R: Real>(damping: f64) -> Scene<R> {
    let lit = R::lit;
    let mut b = ModelBuilder::new();
    let wall = b.particle(Particle::new(Vec3::zeros(), lit(1.0)).fixed());
    let mass = b.particle(Particle::new(Vec3::new(lit(1.1), lit(0.0), lit(0.0)), lit(0.5)));
    b.spring(Spring { ends: (wall, mass), stiffness: lit(200.0), damping: lit(damping), rest_length: lit(1.0) });
    Scene::new(&b)
}

#[test]
fn a_spring_swings_with_its_period() {
    let mut scene = oscillator::<f64>(0.0);
    scene.run(&Leapfrog::new(), TAU / 20.0 / 1000.0, 1000);
    assert!((scene.position(1).x - 1.1).abs() < 1e-6);
    // Half a period in f32.
    let mut scene = oscillator::<f32>(0.0);
    scene.run(&SemiImplicitEuler, (TAU / 20.0 / 1000.0) as f32, 500);
    assert!((scene.position(1).x - 0.9).abs() < 2e-3);
}

#[test]
fn a_damped_spring_decays_as_it_should() {
    // m x'' + c x' + k x = 0 with c = 2: decay rate c / 2m = 2 / s, frequency √(400 - 4) / s.
    let mut scene = oscillator::<f64>(2.0);
    let frequency = 396.0f64.sqrt();
    let time = TAU / frequency;
    scene.run(&SemiImplicitEuler, time / 20000.0, 20000);
    let expected = 0.1 * (-2.0 * time).exp();
    assert!((scene.position(1).x - 1.0 - expected).abs() < 2e-5, "{}", scene.position(1).x);
}

#[test]
fn a_thrown_particle_flies_a_parabola() {
    let mut b = ModelBuilder::new();
    b.gravity(vec3(0.0, 0.0, -9.81));
    b.particle(Particle::new(vec3(0.0, 0.0, 0.0), 2.0).velocity(vec3(3.0, 0.0, 4.0)));
    let mut scene = Scene::new(&b);
    scene.control.particle_force.fill(vec3(0.0, 1.0, 0.0)).unwrap();
    // Leapfrog is exact for constant forces.
    scene.run(&Leapfrog::new(), 0.01, 100);
    let expected = vec3(3.0, 0.25, 4.0 - 0.5 * 9.81);
    assert!((scene.position(0) - expected).length() < 1e-12);
}

#[test]
fn drag_leads_to_the_terminal_velocity() {
    let mut b = ModelBuilder::<f64>::new();
    b.gravity(vec3(0.0, 0.0, -10.0));
    b.particle(Particle::new(vec3(0.0, 0.0, 0.0), 2.0).drag(5.0, 0.0));
    b.particle(Particle::new(vec3(0.0, 0.0, 0.0), 2.0).drag(0.0, 5.0));
    let mut scene = Scene::new(&b);
    scene.run(&SemiImplicitEuler, 0.01, 1000);
    // m g / c, and √(m g / c).
    assert!((scene.velocity(0).z + 4.0).abs() < 1e-9);
    assert!((scene.velocity(1).z + 2.0).abs() < 1e-9);
}

#[test]
fn what_is_fixed_stays() {
    let mut b = ModelBuilder::new();
    b.gravity(vec3(0.0, 0.0, -10.0));
    let held = b.particle(Particle::new(vec3(1.0, 2.0, 3.0), 2.0).drag(1.0, 1.0).fixed());
    let star = b.particle(Particle::attractor(vec3(0.0, 0.0, 0.0), 1.0));
    b.spring(Spring { ends: (held, star), stiffness: 1.0, damping: 1.0, rest_length: 0.0 });
    let mut scene = Scene::new(&b);
    scene.run(&SemiImplicitEuler, 0.01, 100);
    assert_eq!(scene.position(held.index()), vec3(1.0, 2.0, 3.0));
    assert_eq!(scene.velocity(held.index()), vec3(0.0, 0.0, 0.0));
}

#[test]
fn joined_kicks_and_separate_states_change_nothing() {
    let mut many = Scene::new(&kepler(0.5));
    let mut single = Scene::new(&kepler(0.5));
    many.run(&Leapfrog::fourth_order(), 0.01, 100);
    let mut other = single.model.state();
    for _ in 0..50 {
        let Scene { model, state, control, stream } = &mut single;
        Leapfrog::fourth_order().step(stream, model, state, &mut other, control, 0.01).unwrap();
        Leapfrog::fourth_order().step(stream, model, &other, state, control, 0.01).unwrap();
    }
    assert!((many.position(1) - single.position(1)).length() < 1e-12);
}
