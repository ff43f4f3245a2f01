//! Weighs Jupiter and Saturn from where the planets were seen to be.
//!
//! Reads twelve years of positions (`examples/data/planets.csv`, JPL's ephemeris DE421), gives Jupiter
//! twice its mass and Saturn half of it, and finds both from the gradient of the squared distances between
//! simulated and observed positions, through some 50,000 recorded launches.
//!
//!     cargo run --release --example planets [-- [--short] [FILE]]

mod support;

use pullback::optim::{self, Bfgs, Criteria, Seed};
use pullback::prelude::*;
use pullback::sim;
use std::path::{Path, PathBuf};
use std::time::Instant;
use support::csv::{self, Body, Epoch};
use support::progress::Progress;
use support::sky::{Positions, SUN, SUN_TO_JUPITER, SUN_TO_SATURN, Scheme, Sky};
use support::svg::{Axis, Figure, Mark, Panel, Series};

/// How wrong the masses are at the start.
const JUPITER_START: f64 = 2.0 * SUN / SUN_TO_JUPITER;
const SATURN_START: f64 = 0.5 * SUN / SUN_TO_SATURN;

/// Epochs compared in the short mode: two years.
const SHORT: usize = 73;

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The observations cannot be read.
    #[error(transparent)]
    Csv(#[from] csv::Error),
    /// There is nothing to compare with.
    #[error("{}: expected at least two epochs, found one", .0.display())]
    OneEpoch(PathBuf),
    /// The simulation failed.
    #[error(transparent)]
    Sim(#[from] sim::Error),
    /// The search for the masses failed.
    #[error(transparent)]
    Optim(#[from] optim::Error),
    /// The picture cannot be written.
    #[error("{}: cannot be written: {source}", file.display())]
    Picture {
        /// Where to.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Report {
    /// The Sun's mass over Jupiter's.
    pub jupiter: f64,
    /// The Sun's mass over Saturn's.
    pub saturn: f64,
    /// The Sun's mass over both at each gradient, and the loss there, au².
    pub trials: Vec<([f64; 2], f64)>,
    /// The picture of the orbits and of the convergence.
    pub picture: PathBuf,
}

fn main() -> std::process::ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let count = args.len();
    args.retain(|arg| arg != "--short");
    let short = args.len() < count;
    let result = match args.first() {
        Some(file) => weigh(Path::new(file), short),
        None => run(short),
    };
    match result {
        Ok(_) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}

/// Finds the masses from the positions in the repository, and shows how.
pub fn run(short: bool) -> Result<Report, Error> {
    weigh(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/planets.csv"), short)
}

/// Finds the masses from the positions in a file, and shows how.
pub fn weigh(file: &Path, short: bool) -> Result<Report, Error> {
    let mut epochs = csv::read(file)?;
    if short {
        epochs.truncate(SHORT + 1);
    }
    if epochs.len() < 2 {
        return Err(Error::OneEpoch(file.into()));
    }
    // Fourth order, half a day; a day in the short mode.
    let scheme = Scheme { stepper: Leapfrog::fourth_order(), steps: if short { 10 } else { 20 } };
    let mut sky = Sky::new(&epochs, scheme)?;
    println!(
        "{} epochs from {}, {:.1} years; Jupiter starts twice too heavy, Saturn twice too light",
        epochs.len(),
        file.display(),
        (epochs[epochs.len() - 1].day - epochs[0].day) / 365.25
    );

    let started = Instant::now();
    let trials = find_masses(&mut sky)?;
    let [jupiter, saturn] = best(&trials);
    println!("\n                  found       published      off");
    for (name, found, published) in [("Jupiter", jupiter, SUN_TO_JUPITER), ("Saturn", saturn, SUN_TO_SATURN)] {
        let off = 100.0 * (found / published - 1.0);
        println!("Sun / {name:<8} {found:>10.4}     {published:>10.4}  {off:>+8.4} %");
    }
    println!(
        "{} gradients of {} days in {:.1} s",
        trials.len(),
        epochs[epochs.len() - 1].day - epochs[0].day,
        started.elapsed().as_secs_f64()
    );

    let picture = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/planets.svg");
    let orbits = sky.orbits(SUN / jupiter, SUN / saturn)?;
    let wrong = sky.orbits(JUPITER_START, SATURN_START)?;
    draw(&epochs, &orbits, &wrong, &trials)
        .write(&picture)
        .map_err(|source| Error::Picture { file: picture.clone(), source })?;
    println!("orbits and convergence: {}", picture.display());
    Ok(Report { jupiter, saturn, trials, picture })
}

/// The Sun's mass over those with the smallest loss.
fn best(trials: &[([f64; 2], f64)]) -> [f64; 2] {
    let least = trials.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    least.map_or([f64::NAN; 2], |trial| trial.0)
}

/// Minimises the loss; the Sun's mass over both at each gradient, with the loss.
///
/// Masses are counted as 1 + θ times those of the start: positions are nearly linear in them, so that the
/// loss is nearly quadratic and differences of two gradients at the start tell its curvature.
fn find_masses(sky: &mut Sky) -> Result<Vec<([f64; 2], f64)>, Error> {
    let mut trials = Vec::new();
    let mut progress = Progress::start("weighing", 8);
    let mut evaluate = |theta: &[f64]| {
        let gm = [JUPITER_START * (1.0 + theta[0]), SATURN_START * (1.0 + theta[1])];
        if gm.iter().any(|&gm| gm <= 0.0) {
            // No such planet: a shorter step is asked for.
            return Ok::<_, Error>((f64::INFINITY, vec![0.0; 2]));
        }
        let (loss, gradient) = sky.loss(gm[0], gm[1])?;
        let ratios = gm.map(|gm| SUN / gm);
        trials.push((ratios, loss));
        progress.step(format!("Sun/Jupiter {:.4}, Sun/Saturn {:.3}, loss {loss:.3e} au²", ratios[0], ratios[1]));
        Ok((loss, vec![gradient[0] * JUPITER_START, gradient[1] * SATURN_START]))
    };
    let mut theta = [0.0; 2];
    let bfgs = Bfgs { seed: Seed::Differences(1e-3), ..Bfgs::default() };
    let criteria = Criteria { iterations: 30, gradient: 0.0, step: 1e-6, ..Criteria::default() };
    let report = bfgs.minimise(&mut theta, &criteria, &mut evaluate)?;
    progress.finish(format!("{} gradients, loss {:.3e} au²", report.evaluations, report.loss));
    Ok(trials)
}

/// Orbits seen along the axis of the ecliptic, and how the masses came right.
fn draw(epochs: &[Epoch], orbits: &[Positions], wrong: &[Positions], trials: &[([f64; 2], f64)]) -> Figure {
    // The ecliptic is tilted against the ICRF's equator by 23.44°.
    let (sin, cos) = 23.44f64.to_radians().sin_cos();
    let flat = |p: [f64; 3]| (p[0], p[1] * cos + p[2] * sin);
    let path = |orbits: &[Positions], body: Body| -> Vec<(f64, f64)> {
        orbits.iter().map(|positions| flat(positions[body as usize].to_array())).collect()
    };
    let planets = [Body::Venus, Body::EarthMoon, Body::Mars, Body::Jupiter, Body::Saturn, Body::Uranus, Body::Neptune];
    let map = |title: &str, shown: &[Body], every: usize| {
        let mut series = Vec::new();
        for &body in shown {
            let color = planets.iter().position(|&planet| planet == body).unwrap_or(0);
            let seen = epochs.iter().step_by(every).map(|epoch| flat(epoch.position[body as usize])).collect();
            series.push(Series::new("", Mark::Dashes, color, path(wrong, body)));
            series.push(Series::new(body.name(), Mark::Line, color, path(orbits, body)));
            series.push(Series::new("", Mark::Dots, color, seen));
        }
        let (x, y) = (Axis::linear("x / au"), Axis::linear("y / au"));
        Panel { title: title.into(), x, y, equal: true, series }
    };
    let error = |which: usize, published: f64| -> Vec<(f64, f64)> {
        let off = |trial: &([f64; 2], f64)| 100.0 * (trial.0[which] / published - 1.0).abs();
        trials.iter().enumerate().map(|(i, trial)| (i as f64 + 1.0, off(trial))).collect()
    };
    let convergence = Panel {
        title: "Mass ratios against the published ones".into(),
        x: Axis::linear("gradient"),
        y: Axis::log("error / %"),
        equal: false,
        series: vec![
            Series::new("Sun / Jupiter", Mark::LineAndDots, 3, error(0, SUN_TO_JUPITER)),
            Series::new("Sun / Saturn", Mark::LineAndDots, 4, error(1, SUN_TO_SATURN)),
        ],
    };
    Figure {
        title: "Jupiter and Saturn weighed by gradient: dots seen, lines found, dashes with the masses of the start"
            .into(),
        panels: vec![map("Outer planets", &planets[3..], 20), map("Inner planets", &planets[..3], 7), convergence],
    }
}
