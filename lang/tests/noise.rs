//! Noise: its range, its periods, and that nothing jumps between cells.

use pullback_lang::*;

fn points(n: usize) -> Vec<Vec4<f64>> {
    let mut rng = rand_init(5, 0);
    (0..n).map(|_| Vec4::from_array(std::array::from_fn(|_| randf_range(&mut rng, -8.0, 8.0)))).collect()
}

/// Every kind of noise of a point, with two to four of its coordinates.
fn all(seed: u32, p: Vec4<f64>) -> Vec<f64> {
    let (a, b) = (p.xy(), p.xyz());
    let curl2 = noise_curl2(seed, a);
    let curl3 = noise_curl3(seed, b);
    vec![
        noise_value(seed, p.x),
        noise_value(seed, a),
        noise_value(seed, b),
        noise_value(seed, p),
        noise_perlin(seed, p.x),
        noise_perlin(seed, a),
        noise_perlin(seed, b),
        noise_perlin(seed, p),
        noise_simplex(seed, p.x),
        noise_simplex(seed, a),
        noise_simplex(seed, b),
        noise_simplex(seed, p),
        noise_fractal(seed, b, 4, 0.5),
        curl2.x,
        curl2.y,
        curl3.x,
        curl3.z,
    ]
}

#[test]
fn nothing_jumps() {
    // Along a line through many cells: steps of 1e-5 change nothing by more than the slope allows.
    let direction = Vec4::new(1.0, 0.7, -0.4, 0.3);
    for start in points(20) {
        let mut before = all(3, start);
        for k in 1..400 {
            let here = all(3, start + direction * (k as f64 * 1e-5));
            let apart = before.iter().zip(&here).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-3, "{apart} at {start:?}, step {k}");
            before = here;
        }
    }
    // Across lattice planes, from just below to just above.
    for p in points(200) {
        let p = Vec4::new(p.x.round(), p.y.round(), p.z, p.w.round());
        let e = Vec4::splat(1e-9);
        let (low, high) = (all(4, p - e), all(4, p + e));
        assert!(low.iter().zip(&high).all(|(a, b)| (a - b).abs() < 1e-6), "{p:?}");
    }
}

#[test]
fn ranges_means_and_seeds() {
    let samples: Vec<Vec<f64>> = points(4000).into_iter().map(|p| all(9, p)).collect();
    for k in 0..samples[0].len() {
        let x: Vec<f64> = samples.iter().map(|s| s[k]).collect();
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        let variance = x.iter().map(|v| v * v).sum::<f64>() / x.len() as f64;
        assert!(mean.abs() < 0.15 && variance > 1e-3, "noise {k}: mean {mean}, square {variance}");
        let most = x.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        assert!(most < if k < 4 { 1.0 } else { 6.0 }, "noise {k}: {most}");
    }
    let p = Vec4::new(0.3, 0.4, 0.7, 0.2);
    assert!(all(1, p).iter().zip(all(2, p)).all(|(a, b)| *a != b));
    assert_eq!(noise_perlin(5u32, Vec3::new(1.0, -2.0, 3.0)), 0.0);
}

#[test]
fn periods() {
    for p in points(100) {
        for (a, b, by) in
            [(p.xyz(), p.xyz() + Vec3::new(4.0, 0.0, 0.0), 4u32), (p.xyz(), p.xyz() - Vec3::new(0.0, 6.0, 3.0), 3)]
        {
            assert!((noise_perlin_periodic(7u32, a, by) - noise_perlin_periodic(7u32, b, by)).abs() < 1e-12);
            assert!((noise_value_periodic(7u32, a, by) - noise_value_periodic(7u32, b, by)).abs() < 1e-12);
        }
        let (by, moved) = (Vec3::new(2u32, 3, 5), p.xyz() + Vec3::new(4.0, -3.0, 10.0));
        let repeated = noise_perlin_periodic(7u32, p.xyz(), by);
        assert!((repeated - noise_perlin_periodic(7u32, moved, by)).abs() < 1e-12);
        assert_ne!(repeated, noise_perlin_periodic(7u32, moved + Vec3::new(3.0, 0.0, 0.0), by));
        assert!((noise_value_periodic(7u32, p.x, 5u32) - noise_value_periodic(7u32, p.x - 10.0, 5u32)).abs() < 1e-12);
    }
}

#[test]
fn a_curl_has_no_sources() {
    let h = 1e-5;
    for p in points(100) {
        let p = p.xyz();
        let step = |k: usize| {
            let mut e = Vec3::zeros();
            e[k] = h;
            e
        };
        let divergence: f64 =
            (0..3).map(|k| (noise_curl3(11u32, p + step(k))[k] - noise_curl3(11u32, p - step(k))[k]) / (2.0 * h)).sum();
        assert!(divergence.abs() < 1e-6, "{divergence}");
    }
}
