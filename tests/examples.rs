//! The examples run, and come to what they promise.

#![allow(dead_code, clippy::unwrap_used, reason = "the examples' own `main` is not used here; a test")]

#[path = "../examples/attract.rs"]
mod attract;
#[path = "../examples/lander.rs"]
mod lander;
#[path = "../examples/planets.rs"]
mod planets;
#[path = "../examples/throw.rs"]
mod throw;

/// Over two years of positions: the Sun's mass over Jupiter's and Saturn's (IAU 2009).
#[test]
fn planets_weigh_what_is_published() {
    let report = planets::run(true).unwrap();
    assert!((report.jupiter / 1047.3486 - 1.0).abs() < 1e-3, "{report:?}");
    assert!((report.saturn / 3497.898 - 1.0).abs() < 5e-3, "{report:?}");
    assert!(report.trials.len() <= 12, "{report:?}");
    assert!(std::fs::read_to_string(&report.picture).unwrap().starts_with("<svg"));
}

#[test]
fn the_lander_comes_to_rest_at_its_target() {
    let report = lander::run(true).unwrap();
    assert!(report.miss < 1e-2 && report.speed < 1e-2, "{report:?}");
}

#[test]
fn the_box_bounces_into_its_pose() {
    let report = throw::run(true).unwrap();
    assert!(report.miss < 1e-3 && report.angle < 1e-3 && report.bounces == 1, "{report:?}");
}

#[test]
fn the_gradient_of_attracted_particles_is_right() {
    let report = attract::run(true).unwrap();
    assert!(report.error < 1e-3, "{report:?}");
}
