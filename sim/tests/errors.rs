//! What no model can have is an error that names the item; so is a misused step.
#![allow(clippy::unwrap_used, reason = "a test")]

use pullback_lang::{Quat, vec3};
use pullback_runtime::{Device, Stream};
use pullback_sim::*;

/// The error of a model.
fn refused(describe: impl FnOnce(&mut ModelBuilder<f64>)) -> String {
    let mut b = ModelBuilder::new();
    describe(&mut b);
    b.build(&Device::cpu()).map(|_| ()).unwrap_err().to_string()
}

fn particle() -> Particle<f64> {
    Particle::new(vec3(0.0, 0.0, 0.0), 1.0)
}

fn body() -> Body<f64> {
    Body::cuboid(1.0, vec3(0.1, 0.2, 0.3))
}

#[test]
fn particles() {
    let one = |p: Particle<f64>| {
        refused(|b| {
            b.particle(particle());
            b.particle(p);
        })
    };
    assert_eq!(one(Particle::new(vec3(0.0, 0.0, 0.0), -2.0)), "particle 1: mass is -2, but must be positive");
    assert_eq!(one(Particle::new(vec3(0.0, 0.0, 0.0), 0.0)), "particle 1: mass is 0, but must be positive");
    assert_eq!(one(Particle::attractor(vec3(0.0, 0.0, 0.0), 0.0)), "particle 1: gm is 0, but must be positive");
    let nowhere = Particle::new(vec3(0.0, f64::NAN, 0.0), 1.0);
    assert_eq!(one(nowhere), "particle 1: position is NaN, but must be finite");
    assert_eq!(one(particle().drag(-1.0, 0.0)), "particle 1: linear_drag is -1, but must not be negative");
    assert_eq!(one(particle().drag(0.0, -1.0)), "particle 1: quadratic_drag is -1, but must not be negative");
    let moves = one(particle().fixed().velocity(vec3(1.0, 0.0, 0.0)));
    assert_eq!(moves, "particle 1 is fixed, but was given a velocity; what is fixed stays where it is");
}

#[test]
fn springs() {
    let spring = |stiffness: f64, damping: f64, rest_length: f64| {
        refused(|b| {
            let ends = (b.particle(particle()), b.particle(particle()));
            b.spring(Spring { ends, stiffness, damping, rest_length });
        })
    };
    assert_eq!(spring(-1.0, 0.0, 0.0), "spring 0: stiffness is -1, but must not be negative");
    assert_eq!(spring(1.0, -1.0, 0.0), "spring 0: damping is -1, but must not be negative");
    assert_eq!(spring(1.0, 0.0, -1.0), "spring 0: rest_length is -1, but must not be negative");
    assert_eq!(spring(f64::INFINITY, 0.0, 0.0), "spring 0: stiffness is inf, but must be finite");

    let foreign = {
        let mut other = ModelBuilder::<f64>::new();
        (0..5).map(|_| other.particle(particle())).last().unwrap()
    };
    let unknown = refused(|b| {
        let first = b.particle(particle());
        b.spring(Spring { ends: (first, foreign), stiffness: 1.0, damping: 0.0, rest_length: 0.0 });
    });
    assert_eq!(unknown, "spring 0: there is no particle 4; the model has 1 (counted from 0)");
    let same = refused(|b| {
        let first = b.particle(particle());
        b.spring(Spring { ends: (first, first), stiffness: 1.0, damping: 0.0, rest_length: 0.0 });
    });
    assert_eq!(same, "spring 0: both ends are at particle 0; a spring joins two different things");
}

#[test]
fn bodies() {
    let one = |body: Body<f64>| {
        refused(|b| {
            b.body(body);
        })
    };
    assert_eq!(one(Body { mass: 0.0, ..body() }), "body 0: mass is 0, but must be positive");
    assert_eq!(
        one(Body::new(1.0, vec3(0.1, 0.1, 0.5))),
        "body 0: no body has the principal moments of inertia [0.1, 0.1, 0.5] kg·m²: each must be positive and at \
         most the sum of the other two"
    );
    assert!(one(Body::new(1.0, vec3(0.1, 0.1, -0.1))).contains("principal moments"));
    assert_eq!(one(Body::sphere(1.0, -0.1)), "body 0: radius is -0.1, but must be positive");
    let flat = Body { shape: Some(Shape::Box(vec3(0.1, 0.0, 0.1))), ..body() };
    assert_eq!(one(flat), "body 0: half extent is 0, but must be positive");
    let nowhere = body().orientation(Quat::new(0.0, 0.0, 0.0, 0.0));
    assert_eq!(one(nowhere), "body 0: orientation is zero, but must have a direction");
    let slippery = body().contact(Contact { friction: -0.1, ..Contact::default() });
    assert_eq!(one(slippery), "body 0: contact friction is -0.1, but must not be negative");
    let turns = one(body().fixed().angular_velocity(vec3(0.0, 1.0, 0.0)));
    assert_eq!(turns, "body 0 is fixed, but was given a velocity; what is fixed stays where it is");
    // A thin plate is at the limit.
    assert!(ModelBuilder::<f32>::new().build(&Device::cpu()).is_ok());
    let mut b = ModelBuilder::<f32>::new();
    b.body(Body::new(1.0, vec3(0.1, 0.2, 0.3)));
    assert!(b.build(&Device::cpu()).is_ok());
}

#[test]
fn body_springs_and_ground() {
    let world = Anchor::World(vec3(0.0, 0.0, 0.0));
    let same = refused(|b| {
        b.body_spring(BodySpring { ends: (world, world), stiffness: 1.0, damping: 0.0, rest_length: 0.0 });
    });
    assert_eq!(same, "body spring 0: both ends are at the world; a spring joins two different things");
    let foreign = ModelBuilder::<f64>::new().body(body());
    let unknown = refused(|b| {
        let ends = (world, Anchor::Body(foreign, vec3(0.0, 0.0, 0.0)));
        b.body_spring(BodySpring { ends, stiffness: 1.0, damping: 0.0, rest_length: 0.0 });
    });
    assert_eq!(unknown, "body spring 0: there is no body 0; the model has 0 (counted from 0)");
    let level = refused(|b| {
        b.ground(Ground { normal: vec3(0.0, 0.0, 0.0), ..Ground::default() });
    });
    assert_eq!(level, "ground: normal is zero, but must have a direction");
    let sticky = refused(|b| {
        b.ground(Ground { slip_speed: 0.0, ..Ground::default() });
    });
    assert_eq!(sticky, "ground: slip_speed is 0, but must be positive");
    let gravity = refused(|b| {
        b.gravity(vec3(0.0, 0.0, f64::NAN));
    });
    assert_eq!(gravity, "model: gravity is NaN, but must be finite");
}

#[test]
fn steps() {
    let device = Device::cpu();
    let mut stream = Stream::new(&device);
    let mut b = ModelBuilder::<f64>::new();
    b.particle(particle());
    let small = b.build(&device).unwrap();
    b.particle(particle());
    let large = b.build(&device).unwrap();
    let (mut state, control) = (large.state(), large.control());

    let step = SemiImplicitEuler.step_in_place(&mut stream, &large, &mut small.state(), &control, 0.1);
    assert_eq!(
        step.unwrap_err().to_string(),
        "state.particles.position has 1 elements, but the model has 2 particles; use `model.state()` and \
         `model.control()`"
    );
    let step = SemiImplicitEuler.step_in_place(&mut stream, &large, &mut state, &small.control(), 0.1);
    assert!(matches!(step, Err(Error::Mismatch { what: "control.particle_force", found: 1, expected: 2, .. })));
    let step = SemiImplicitEuler.step_in_place(&mut stream, &large, &mut state, &control, f64::NAN);
    assert!(matches!(step, Err(Error::NotFinite { field: "dt", .. })));
    let mut shared = state.clone();
    let step = SemiImplicitEuler.step(&mut stream, &large, &state, &mut shared, &control, 0.1);
    assert!(matches!(step, Err(Error::Runtime(pullback_runtime::Error::Aliasing { .. }))), "{step:?}");

    b.body(body());
    let model = b.build(&device).unwrap();
    let step = Leapfrog::new().step_in_place(&mut stream, &model, &mut model.state(), &model.control(), 0.1);
    assert_eq!(
        step.unwrap_err().to_string(),
        "Leapfrog moves particles only, but the model has 1 bodies; use `SemiImplicitEuler`"
    );
}

#[test]
fn an_empty_model_steps() {
    let device = Device::cpu();
    let model = ModelBuilder::<f32>::new().build(&device).unwrap();
    let mut stream = Stream::new(&device);
    SemiImplicitEuler.step_in_place(&mut stream, &model, &mut model.state(), &model.control(), 0.1).unwrap();
    Leapfrog::new().advance(&mut stream, &model, &mut model.state(), &model.control(), 0.1, 3).unwrap();
    let (from, mut to) = (model.state(), model.state());
    SemiImplicitEuler.step(&mut stream, &model, &from, &mut to, &model.control(), 0.1).unwrap();
}
