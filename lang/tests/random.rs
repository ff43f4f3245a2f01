//! Random numbers: known streams, distributions by moments and counts, the same in kernels as on the host.

mod common;

use common::Array;
use pullback_lang::*;

const N: usize = 40_000;

fn draw<T>(sequence: i64, mut f: impl FnMut(&mut Rng) -> T) -> Vec<T> {
    let mut rng = rand_init(2026i64, sequence);
    (0..N).map(|_| f(&mut rng)).collect()
}
fn moments(x: &[f64]) -> (f64, f64) {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    (mean, x.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / x.len() as f64)
}
/// The mean and the variance are right to five standard errors.
#[track_caller]
fn check(x: &[f64], mean: f64, variance: f64, fourth: f64) {
    let (m, v) = moments(x);
    let n = x.len() as f64;
    assert!((m - mean).abs() <= 5.0 * (variance / n).sqrt(), "mean {m}, not {mean}");
    assert!((v - variance).abs() <= 5.0 * ((fourth - variance * variance) / n).sqrt(), "variance {v}, not {variance}");
}

#[test]
fn distributions_have_their_moments() {
    check(&draw(0, randf::<f64>), 0.5, 1.0 / 12.0, 1.0 / 80.0);
    check(&draw(1, |r| f64::from(randf::<f32>(r))), 0.5, 1.0 / 12.0, 1.0 / 80.0);
    check(&draw(2, |r| randf_range(r, -3.0, 1.0)), -1.0, 16.0 / 12.0, 256.0 / 80.0);
    check(&draw(3, randn::<f64>), 0.0, 1.0, 3.0);
    check(&draw(4, |r| rand_normal(r, 2.0, 0.5)), 2.0, 0.25, 3.0 / 16.0);
    check(&draw(5, |r| rand_exponential(r, 4.0)), 0.25, 1.0 / 16.0, 9.0 / 256.0);
    for (k, mean) in [0.0, 0.3, 3.0, 11.9, 12.1, 50.0, 1000.0].into_iter().enumerate() {
        let x: Vec<f64> = draw(10 + k as i64, |r| rand_poisson(r, mean) as f64);
        assert!(x.iter().all(|&x| x >= 0.0));
        check(&x, mean, mean, mean + 3.0 * mean * mean);
    }
}

/// The χ² of counts against what is expected of them, over its degrees of freedom, is about 1.
fn chi_square(counts: &[f64], expected: &[f64]) -> f64 {
    counts.iter().zip(expected).map(|(c, e)| (c - e) * (c - e) / e).sum::<f64>() / (counts.len() - 1) as f64
}

#[test]
fn values_are_as_frequent_as_they_should_be() {
    let mut counts = vec![0.0; 100];
    for w in draw(20, |r| randu_range(r, 1000, 1100)) {
        counts[w as usize - 1000] += 1.0;
    }
    let chi = chi_square(&counts, &[N as f64 / 100.0; 100]);
    assert!((0.6..1.5).contains(&chi), "{chi}");
    // Neighbours in one stream, and the same number of neighbouring streams, are independent.
    for pairs in [
        draw(21, |r| (randf::<f64>(r), randf::<f64>(r))),
        (0..N as i64).map(|k| (randf(&mut rand_init(1, k)), randf(&mut rand_init(1, k + 1)))).collect(),
        (0..N as i64).map(|k| (randf(&mut rand_init(k, 0)), randf(&mut rand_init(k + 1, 0)))).collect(),
    ] {
        let mut counts = vec![0.0; 100];
        for (a, b) in pairs {
            counts[(a * 10.0) as usize * 10 + (b * 10.0) as usize] += 1.0;
        }
        let chi = chi_square(&counts, &[N as f64 / 100.0; 100]);
        assert!((0.6..1.5).contains(&chi), "{chi}");
    }
    // Counts of the Poisson distribution, small and large mean.
    for mean in [4.0, 30.0f64] {
        let top = (2.0 * mean) as usize;
        let mut counts = vec![0.0; top + 1];
        for k in draw(22, |r| rand_poisson(r, mean)) {
            counts[(k as usize).min(top)] += 1.0;
        }
        let mut expected: Vec<f64> =
            (0..top).map(|k| N as f64 * (k as f64 * mean.ln() - mean - lgamma(k as f64 + 1.0)).exp()).collect();
        expected.push(N as f64 - expected.iter().sum::<f64>());
        let seen: Vec<usize> = (0..=top).filter(|&k| expected[k] > 8.0).collect();
        let pick = |all: &[f64]| seen.iter().map(|&k| all[k]).collect::<Vec<_>>();
        let chi = chi_square(&pick(&counts), &pick(&expected));
        assert!((0.3..2.2).contains(&chi), "mean {mean}: {chi}");
    }
}

#[test]
fn points_are_even() {
    // Of even points on a sphere each coordinate is even in [-1, 1] (Archimedes); in a ball r³ is even.
    let surface = draw(30, sample_unit_sphere_surface::<f64>);
    for axis in 0..3 {
        check(&surface.iter().map(|p| p[axis]).collect::<Vec<_>>(), 0.0, 1.0 / 3.0, 1.0 / 5.0);
    }
    assert!(surface.iter().all(|p| (p.length() - 1.0).abs() < 1e-15));
    let ball = draw(31, sample_unit_sphere::<f64>);
    check(&ball.iter().map(|p| p.length().powi(3)).collect::<Vec<_>>(), 0.5, 1.0 / 12.0, 1.0 / 80.0);
    let half = draw(32, sample_unit_hemisphere_surface::<f64>);
    check(&half.iter().map(|p| p.z).collect::<Vec<_>>(), 0.5, 1.0 / 12.0, 1.0 / 80.0);
    let half = draw(33, sample_unit_hemisphere::<f64>);
    assert!(half.iter().all(|p| p.z >= 0.0 && p.length() <= 1.0));
    let disk = draw(34, sample_unit_disk::<f64>);
    check(&disk.iter().map(|p| p.length_sq()).collect::<Vec<_>>(), 0.5, 1.0 / 12.0, 1.0 / 80.0);
    check(&disk.iter().map(|p| p.x).collect::<Vec<_>>(), 0.0, 0.25, 1.0 / 8.0);
    let ring = draw(35, sample_unit_ring::<f64>);
    check(&ring.iter().map(|p| p.y).collect::<Vec<_>>(), 0.0, 0.5, 3.0 / 8.0);
    let square = draw(36, sample_unit_square::<f64>);
    check(&square.iter().map(|p| p.y).collect::<Vec<_>>(), 0.0, 1.0 / 12.0, 1.0 / 80.0);
    let cube = draw(37, sample_unit_cube::<f64>);
    check(&cube.iter().map(|p| p.z).collect::<Vec<_>>(), 0.0, 1.0 / 12.0, 1.0 / 80.0);
    // The centre of a triangle, and the variance of a coordinate of it.
    let corner = |x: f64, y: f64| Vec3::new(x, y, 0.0);
    let triangle = draw(38, |r| sample_triangle(r, corner(0.0, 0.0), corner(3.0, 0.0), corner(0.0, 3.0)));
    check(&triangle.iter().map(|p| p.x).collect::<Vec<_>>(), 1.0, 0.5, 0.6);
    assert!(triangle.iter().all(|p| p.x >= 0.0 && p.y >= 0.0 && p.x + p.y <= 3.0 + 1e-12));
}

#[test]
fn a_stream_is_fixed_for_good() {
    let mut rng = rand_init(0, 0);
    let first: [u32; 2] = [randu(&mut rng), randu(&mut rng)];
    assert_eq!(first[0], 0x6627_e8d5);
    // Negative numbers seed as well as others, and all 64 bits count.
    let first = |seed: i64| randu(&mut rand_init(seed, 0));
    assert!(first(-1) != first(u32::MAX as i64) && first(1 << 40) != first(0));
}

#[kernel]
fn lots(out: &mut Array<f64>, cdf: &Array<f64>, counts: &mut Array<i64>) {
    let mut rng = rand_init(7, thread_id());
    for k in 0..8 {
        if k % 2 == 0 {
            out[k] = randn(&mut rng);
        } else {
            out[k] = randf_range(&mut rng, -1.0, 1.0);
        }
    }
    for _ in 0..1000 {
        let k = sample_cdf(&mut rng, cdf);
        counts[k] += 1;
    }
    counts[4] = rand_poisson(&mut rng, out[0] * 0.0 + 20.0);
}

#[test]
fn kernels_draw_the_same_numbers() {
    use pullback_ir::interp::{Arg, ArrayData, Limits, Records, run};
    use pullback_ir::{Constant, Element, Scalar, verify};
    let handle = lots::ir();
    let kernel = handle.kernel().expect("a kernel");
    let doubles = |x: &[f64]| Arg::Array(ArrayData::from_f64s(Element::scalar(Scalar::F64), &[x.len()], x));
    let counts = Arg::Array(ArrayData::zeros(Element::scalar(Scalar::I64), &[5]));
    let mut args = [doubles(&[0.0; 8]), doubles(&[0.1, 0.1, 0.6, 1.0]), counts];
    let verified = verify(kernel).expect("verifies");
    run(&verified, &[1], &mut args, &mut Records::default(), &Limits::default()).expect("runs");
    let mut rng = rand_init(7, 0i64);
    let Arg::Array(out) = &args[0] else { panic!("an array") };
    for k in 0..8 {
        let right: f64 = if k % 2 == 0 { randn(&mut rng) } else { randf_range(&mut rng, -1.0, 1.0) };
        assert_eq!(out.get_at(k, 0), Constant::F64(right));
    }
    for _ in 0..1000 {
        let _: f64 = randf(&mut rng);
    }
    let Arg::Array(counts) = &args[2] else { panic!("an array") };
    let count = |k: usize| counts.get_at(k, 0).as_i64().expect("an integer");
    assert_eq!(count(1), 0);
    for (k, expected) in [(0, 100), (2, 500), (3, 400)] {
        assert!((count(k) - expected).abs() < 80, "{k}: {}", count(k));
    }
    assert_eq!(count(4), rand_poisson(&mut rng, 20.0f64));
}
