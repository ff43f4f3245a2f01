//! Rigid bodies obey the laws that they should.
#![allow(clippy::unwrap_used, reason = "a test")]

use pullback_lang::{Quat, Real, Vec3, dot, quat_rotate, quat_rotate_inv, vec3};
use pullback_runtime::{Device, Stream};
use pullback_sim::*;

/// A model of one body and its state as it runs.
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
    fn run(&mut self, dt: R, steps: usize) {
        let Scene { model, state, control, stream } = self;
        SemiImplicitEuler.advance(stream, model, state, control, dt, steps).unwrap();
    }
    fn position(&self) -> Vec3<R> {
        self.state.bodies.position.get([0]).unwrap()
    }
    fn velocity(&self) -> Vec3<R> {
        self.state.bodies.velocity.get([0]).unwrap()
    }
    fn orientation(&self) -> Quat<R> {
        self.state.bodies.orientation.get([0]).unwrap()
    }
    fn angular_velocity(&self) -> Vec3<R> {
        self.state.bodies.angular_velocity.get([0]).unwrap()
    }
    /// Energy of rotation and angular momentum.
    fn spin(&self) -> (R, Vec3<R>) {
        let (q, w) = (self.orientation(), self.angular_velocity());
        let l = quat_rotate(q, quat_rotate_inv(q, w) * self.model.bodies.inertia.get([0]).unwrap());
        (R::lit(0.5) * dot(w, l), l)
    }
}

/// Drift of energy and of angular momentum, relative, of a body that tumbles about its middle axis for 10 s.
fn drift(steps: usize) -> (f64, f64) {
    let mut b = ModelBuilder::new();
    b.body(Body::new(1.0, vec3(0.1, 0.2, 0.25)).angular_velocity(vec3(0.02, 5.0, 0.01)));
    let mut scene = Scene::new(&b);
    let (energy, momentum) = scene.spin();
    let (mut worst, mut flipped) = (0.0, false);
    for _ in 0..100 {
        scene.run(10.0 / steps as f64, steps / 100);
        worst = f64::max(worst, (scene.spin().0 / energy - 1.0).abs());
        flipped |= quat_rotate(scene.orientation(), vec3(0.0, 1.0, 0.0)).y < -0.9;
    }
    assert!(flipped, "rotation about the middle axis is unstable, so it should flip over");
    let q = scene.orientation();
    assert!((q.dot(q) - 1.0).abs() < 1e-14);
    (worst, (scene.spin().1 - momentum).length() / momentum.length())
}

#[test]
fn a_free_body_keeps_its_energy_and_angular_momentum() {
    let (coarse, coarse_momentum) = drift(1000);
    let (fine, fine_momentum) = drift(2000);
    assert!(coarse_momentum < 1e-12 && fine_momentum < 1e-12, "{coarse_momentum} {fine_momentum}");
    assert!(coarse < 1e-3 && coarse / fine > 3.5, "the energy's drift is of second order: {coarse} {fine}");
}

#[test]
fn a_free_top_precesses() {
    // Of a body with two equal moments I and the third I₃, its axis circles the angular momentum L at the
    // rate L / I.
    let mut b = ModelBuilder::new();
    b.body(Body::new(1.0, vec3(0.2, 0.2, 0.3)).angular_velocity(vec3(1.0, 0.0, 4.0)));
    let mut scene = Scene::new(&b);
    let (_, l) = scene.spin();
    let period = std::f64::consts::TAU * 0.2 / l.length();
    scene.run(period / 2000.0, 2000);
    let axis = quat_rotate(scene.orientation(), vec3(0.0, 0.0, 1.0));
    assert!((axis - vec3(0.0, 0.0, 1.0)).length() < 1e-5, "{axis:?}");
}

#[test]
fn a_fast_spin_does_not_blow_up() {
    let mut b = ModelBuilder::<f32>::new();
    b.body(Body::new(1.0, vec3(0.01, 0.1, 0.1)).angular_velocity(vec3(300.0, 200.0, 100.0)));
    let mut scene = Scene::new(&b);
    let (_, l) = scene.spin();
    scene.run(0.01, 1000);
    let drift = (scene.spin().1 - l).length() / l.length();
    assert!(drift < 1e-3, "{drift}");
}

#[test]
fn torque_turns_and_force_moves() {
    let mut b = ModelBuilder::new();
    b.body(Body::cuboid(2.0, vec3(0.1, 0.2, 0.3)));
    let mut scene = Scene::new(&b);
    scene.control.body_torque.fill(vec3(0.0, 0.0, 0.1)).unwrap();
    scene.control.body_force.fill(vec3(1.0, 0.0, 0.0)).unwrap();
    scene.run(1e-3, 1000);
    // The moment about z is m/3 (a² + b²).
    let rate = 0.1 / (2.0 / 3.0 * 0.05);
    assert!((scene.angular_velocity() - vec3(0.0, 0.0, rate)).length() < 1e-12);
    assert!((scene.velocity() - vec3(0.5, 0.0, 0.0)).length() < 1e-12);
    let x = quat_rotate(scene.orientation(), vec3(1.0, 0.0, 0.0));
    let angle: f64 = 0.5 * rate;
    assert!((x - vec3(angle.cos(), angle.sin(), 0.0)).length() < 2e-3);
}

fn ground<R: Real>(slip_speed: f64) -> ModelBuilder<R> {
    let lit = R::lit;
    let mut b = ModelBuilder::new();
    b.gravity(Vec3::new(lit(0.0), lit(0.0), lit(-9.81)));
    b.ground(Ground { slip_speed: lit(slip_speed), ..Ground::default() });
    b
}

/// Lets a body fall from just above the ground; how deep it comes to rest.
fn rest_depth<R: Real>(body: Body<R>, bottom: f64) -> f64 {
    let lit = R::lit;
    let contact = Contact { stiffness: lit(1e5), dissipation: lit(1.0), friction: lit(0.5) };
    let mut b = ground(0.01);
    b.body(body.contact(contact).position(Vec3::new(lit(0.0), lit(0.0), lit(bottom))));
    let mut scene = Scene::new(&b);
    scene.run(lit(1e-3), 10_000);
    assert!(scene.velocity().length().to_f64() < 1e-3, "{:?}", scene.velocity());
    bottom - scene.position().z.to_f64()
}

#[test]
fn bodies_rest_where_the_ground_carries_them() {
    // k δ^{3/2} = m g for one point, and for a box a quarter of m g at each of four corners.
    let one = (2.0 * 9.81 / 1e5f64).powf(2.0 / 3.0);
    let four = (2.0 * 9.81 / 4e5f64).powf(2.0 / 3.0);
    let ball = rest_depth(Body::<f64>::sphere(2.0, 0.1), 0.1);
    assert!((ball / one - 1.0).abs() < 1e-3, "{ball} {one}");
    let brick = rest_depth(Body::<f64>::cuboid(2.0, vec3(0.3, 0.2, 0.1)), 0.1);
    assert!((brick / four - 1.0).abs() < 1e-3, "{brick} {four}");
    let brick = rest_depth(Body::<f32>::cuboid(2.0, vec3(0.3, 0.2, 0.1)), 0.1);
    assert!((brick / four - 1.0).abs() < 1e-2, "{brick} {four}");
}

#[test]
fn a_sliding_box_slows_by_friction() {
    let mut b = ground(1e-3);
    let depth = (9.81 / 4e5f64).powf(2.0 / 3.0);
    let contact = Contact { stiffness: 1e5, dissipation: 1.0, friction: 0.3 };
    let brick = Body::cuboid(1.0, vec3(0.3, 0.3, 0.02)).contact(contact);
    b.body(brick.position(vec3(0.0, 0.0, 0.02 - depth)).velocity(vec3(3.0, 0.0, 0.0)));
    let mut scene = Scene::new(&b);
    scene.run(1e-4, 5000);
    let expected = 3.0 - 0.3 * 9.81 * 0.5;
    assert!((scene.velocity().x - expected).abs() < 1e-2, "{} {expected}", scene.velocity().x);
    scene.run(1e-4, 10_000);
    assert!(scene.velocity().length() < 1e-3, "{:?}", scene.velocity());
}

#[test]
fn a_dropped_ball_restores_what_its_dissipation_leaves() {
    // For small speeds the coefficient of restitution is 1 - c v.
    for (dissipation, restored) in [(0.0, 1.0), (0.05, 0.95)] {
        let mut b = ground(0.01);
        let contact = Contact { stiffness: 1e6, dissipation, friction: 0.5 };
        b.body(Body::sphere(1.0, 0.1).contact(contact).position(vec3(0.0, 0.0, 0.1)).velocity(vec3(0.0, 0.0, -1.0)));
        let mut scene = Scene::new(&b);
        let mut fastest = 0.0;
        for _ in 0..3000 {
            scene.run(1e-5, 1);
            fastest = f64::max(fastest, scene.velocity().z);
        }
        assert!((fastest - restored).abs() < 0.01, "dissipation {dissipation}: restored {fastest}");
    }
}

#[test]
fn a_rolling_ball_loses_two_sevenths() {
    // A ball that slides without spin ends rolling at 5/7 of its speed, whatever the friction.
    let mut b = ground(1e-3);
    let depth = (9.81 / 1e5f64).powf(2.0 / 3.0);
    let contact = Contact { stiffness: 1e5, dissipation: 1.0, friction: 0.5 };
    let ball = Body::sphere(1.0, 0.1).contact(contact).position(vec3(0.0, 0.0, 0.1 - depth));
    b.body(ball.velocity(vec3(2.0, 0.0, 0.0)));
    let mut scene = Scene::new(&b);
    scene.run(1e-4, 5000);
    assert!((scene.velocity().x - 10.0 / 7.0).abs() < 5e-3, "{:?}", scene.velocity());
    assert!((scene.angular_velocity().y * 0.1 - scene.velocity().x).abs() < 5e-3);
}

#[test]
fn a_pendulum_on_a_stiff_spring_swings_with_its_period() {
    // A compound pendulum: T = 2π √(I_p / (m g d)), I_p = I + m d².
    let mut b = ModelBuilder::new();
    b.gravity(vec3(0.0, 0.0, -9.81));
    let (d, angle) = (0.5f64, 0.02f64);
    let at = vec3(d * angle.sin(), 0.0, -d * angle.cos());
    let tilt = pullback_lang::quat_from_axis_angle(vec3(0.0, 1.0, 0.0), -angle);
    let rod = b.body(Body::new(1.0, vec3(0.1, 0.1, 0.1)).position(at).orientation(tilt));
    let ends = (Anchor::World(vec3(0.0, 0.0, 0.0)), Anchor::Body(rod, vec3(0.0, 0.0, d)));
    b.body_spring(BodySpring { ends, stiffness: 1e5, damping: 0.0, rest_length: 0.0 });
    let mut scene = Scene::new(&b);
    let period = std::f64::consts::TAU * ((0.1 + d * d) / (9.81 * d)).sqrt();
    scene.run(period / 20_000.0, 20_000);
    assert!((scene.position().x - at.x).abs() < 0.01 * at.x, "{} {}", scene.position().x, at.x);
    scene.run(period / 20_000.0, 10_000);
    assert!((scene.position().x + at.x).abs() < 0.01 * at.x, "{} {}", scene.position().x, at.x);
}

#[test]
fn what_is_fixed_stays() {
    let mut b = ground(0.01);
    b.body(Body::sphere(1.0, 0.1).fixed().position(vec3(0.0, 0.0, 0.05)));
    let mut scene = Scene::new(&b);
    scene.run(1e-3, 100);
    assert_eq!(scene.position(), vec3(0.0, 0.0, 0.05));
    assert_eq!(scene.orientation(), Quat::identity());
}
