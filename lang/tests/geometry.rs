//! Closest points, rays and signed distances against searches over many points.

use pullback_lang::*;

type V = Vec3<f64>;

/// A sequence that fills a unit interval evenly.
struct Points(Rng);
impl Points {
    fn point(&mut self, size: f64) -> V {
        sample_unit_cube::<f64>(&mut self.0) * (2.0 * size)
    }
    fn number(&mut self, low: f64, high: f64) -> f64 {
        randf_range(&mut self.0, low, high)
    }
}

#[test]
fn closest_points_are_the_closest() {
    let mut source = Points(rand_init(1, 0));
    for _ in 0..300 {
        let [p, a, b, c, d] = std::array::from_fn(|_| source.point(2.0));
        let (q, t) = closest_point_segment(p, a, b);
        assert!((a + (b - a) * t - q).length() < 1e-14);
        let on_segment = |k: usize, a: V, b: V| a + (b - a) * (k as f64 / 200.0);
        assert!((0..=200).all(|k| distance(p, on_segment(k, a, b)) >= distance(p, q) - 1e-14));

        let (q, uvw) = (closest_point_triangle(p, a, b, c), closest_barycentric_triangle(p, a, b, c));
        assert!((uvw.x + uvw.y + uvw.z - 1.0).abs() < 1e-12 && uvw.min_element() >= 0.0);
        let mut best = f64::INFINITY;
        for i in 0..=60 {
            for j in 0..=60 - i {
                let (u, v) = (i as f64 / 60.0, j as f64 / 60.0);
                best = best.min(distance(p, a * (1.0 - u - v) + b * u + c * v));
            }
        }
        assert!((-1e-13..0.08).contains(&(best - distance(p, q))), "{best} {}", distance(p, q));

        let (s, t) = closest_segment_segment(p, a, b, c);
        let found = distance(p + (a - p) * s, b + (c - b) * t);
        let mut best = f64::INFINITY;
        for k in 0..=200 {
            let (q, _) = closest_point_segment(on_segment(k, p, a), b, c);
            best = best.min(distance(on_segment(k, p, a), q));
        }
        assert!((-1e-13..0.01).contains(&(best - found)), "{best} {found}");

        let half = d.abs() + V::splat(0.1);
        let q = closest_point_box(p, half);
        assert!((0..50).all(|_| {
            let r = source.point(1.0) * half;
            distance(p, r) >= distance(p, q) - 1e-14
        }));
        let uvw = barycentric(a * 0.2 + b * 0.5 + c * 0.3, a, b, c);
        assert!((uvw - Vec3::new(0.2, 0.5, 0.3)).length() < 1e-10);
    }
    // What is degenerate gives what is left of it.
    let (o, x) = (V::zeros(), Vec3::new(1.0, 0.0, 0.0));
    assert_eq!(closest_point_segment(x, o, o).0, o);
    assert_eq!(closest_segment_segment(o, x, x * 3.0, x * 3.0), (1.0, 0.0));
    let flat = closest_point_triangle(Vec3::new(0.5, 1.0, 0.0), o, x, x * 2.0);
    assert!((flat - Vec3::new(0.5, 0.0, 0.0)).length() < 1e-14 || (flat.y == 0.0 && flat.x.is_finite()), "{flat:?}");
    assert_eq!(barycentric(x, o, x, x * 2.0), V::zeros());
}

/// The first change of sign of a signed distance along a ray, to 1e-3; infinite if there is none up to 20.
fn march(o: V, d: V, f: impl Fn(V) -> f64) -> f64 {
    let step = 5e-4;
    let mut before = f(o);
    for k in 1..40_000 {
        let t = k as f64 * step;
        let here = f(o + d * t);
        if (here < 0.0) != (before < 0.0) {
            return t;
        }
        before = here;
    }
    f64::INFINITY
}

#[test]
fn rays_meet_what_the_distances_say() {
    let mut source = Points(rand_init(2, 0));
    for _ in 0..60 {
        let (o, mut d) = (source.point(3.0), source.point(1.0));
        if source.number(0.0, 1.0) < 0.7 {
            // Towards the shape.
            d = d * 0.2 - normalize(o);
        }
        let (r, h) = (source.number(0.3, 1.5), source.number(0.3, 1.5));
        let half = Vec3::new(r, h, 0.7);
        let pairs = [
            (ray_sphere(o, d, V::zeros(), r), march(o, d, |p| sdf_sphere(p, r))),
            (ray_box(o, d, half), march(o, d, |p| sdf_box(p, half))),
            (ray_cylinder(o, d, r, h), march(o, d, |p| sdf_cylinder(p, r, h))),
            (ray_capsule(o, d, r, h), march(o, d, |p| sdf_capsule(p, r, h))),
            (
                ray_plane(o, d, V::zeros(), Vec3::new(0.0, 0.6, 0.8)),
                march(o, d, |p| sdf_plane(p, Vec3::new(0.0, 0.6, 0.8), 0.0)),
            ),
        ];
        for (k, (found, marched)) in pairs.into_iter().enumerate() {
            // A graze may be missed by the steps, and what is far away is not looked at.
            let grazes = marched.is_infinite() && found.is_finite();
            assert!(
                (found - marched).abs() < 2e-3
                    || found == marched
                    || found > 19.9
                    || (grazes && k < 4 && {
                        let near = o + d * (found + 1e-4);
                        let depth = [
                            sdf_sphere(near, r),
                            sdf_box(near, half),
                            sdf_cylinder(near, r, h),
                            sdf_capsule(near, r, h),
                        ][k];
                        depth.abs() < 2e-3
                    }),
                "{k}: {found} {marched}"
            );
        }
        let [a, b, c] = std::array::from_fn(|_| source.point(2.0));
        let (t, uvw) = ray_triangle(o, d, a, b, c);
        if t.is_finite() {
            assert!((o + d * t - (a * uvw.x + b * uvw.y + c * uvw.z)).length() < 1e-9);
        } else {
            assert_eq!(uvw, V::zeros());
        }
        let inside = a * 0.3 + b * 0.3 + c * 0.4;
        assert!((ray_triangle(o, (inside - o) * 0.5, a, b, c).0 - 2.0).abs() < 1e-9);
    }
    // Along an axis, and in the plane of a face far from the origin.
    let x = Vec3::new(-1.0, 0.0, 0.0);
    assert_eq!(ray_box(Vec3::new(6.0, 1.0, 0.3), x, Vec3::splat(1.0)), 5.0);
    assert_eq!(ray_box(Vec3::new(6.0, 1.001, 0.3), x, Vec3::splat(1.0)), f64::INFINITY);
    assert_eq!(ray_sphere(Vec3::new(6.0, 0.0, 0.0), -x, V::zeros(), 1.0), f64::INFINITY);
}

#[test]
fn distances_are_distances() {
    let mut source = Points(rand_init(3, 0));
    // Points of each surface: the distance to the nearest of many is about the signed distance's size.
    let (r, h) = (0.9, 0.7);
    let half = Vec3::new(0.9, 0.6, 0.4);
    type Shape<'a> = (&'a str, Box<dyn Fn(V) -> f64>);
    let shapes: Vec<Shape<'_>> = vec![
        ("sphere", Box::new(move |p| sdf_sphere(p, r))),
        ("box", Box::new(move |p| sdf_box(p, half))),
        ("rounded box", Box::new(move |p| sdf_rounded_box(p, half, 0.2))),
        ("capsule", Box::new(move |p| sdf_capsule(p, r, h))),
        ("cylinder", Box::new(move |p| sdf_cylinder(p, r, h))),
        ("cone", Box::new(move |p| sdf_cone(p, r, h))),
        ("torus", Box::new(move |p| sdf_torus(p, r, 0.3))),
    ];
    for (name, f) in &shapes {
        let mut surface = Vec::new();
        while surface.len() < 4000 {
            // Bisect between an outer and an inner point.
            let (mut out, mut inner) = (source.point(2.2), source.point(1.0));
            if f(out) <= 0.0 || f(inner) >= 0.0 {
                continue;
            }
            for _ in 0..40 {
                let middle = (out + inner) * 0.5;
                if f(middle) > 0.0 { out = middle } else { inner = middle }
            }
            surface.push(out);
        }
        for _ in 0..200 {
            let p = source.point(2.0);
            let nearest = surface.iter().map(|&q| distance(p, q)).fold(f64::INFINITY, f64::min);
            let claimed = f(p).abs();
            assert!(nearest >= claimed - 1e-9 && nearest - claimed < 0.15, "{name}: {nearest} {claimed} at {p:?}");
        }
    }
    // The ellipsoid's bound has the right sign and surface.
    let axes = Vec3::new(1.0, 0.5, 0.3);
    for _ in 0..100 {
        let on = normalize(source.point(1.0)) * axes;
        assert!(sdf_ellipsoid(on, axes).abs() < 1e-14);
        assert!(sdf_ellipsoid(on * 1.1, axes) > 0.0 && sdf_ellipsoid(on * 0.9, axes) < 0.0);
    }
    assert_eq!(sdf_ellipsoid(V::zeros(), axes), -0.3);
}

#[test]
fn triangles_meet_or_do_not() {
    let a = [Vec3::new(0.0, 0.0, 0.0), Vec3::new(2.0, 0.0, 0.0), Vec3::new(0.0, 2.0, 0.0)];
    let moved = |by: V| a.map(|p| p + by);
    let upright = [Vec3::new(0.5, 0.5, -1.0), Vec3::new(0.5, 0.5, 1.0), Vec3::new(0.6, 0.5, 0.0)];
    assert!(triangles_intersect(a, upright));
    assert!(!triangles_intersect(a, upright.map(|p| p + Vec3::new(2.0, 0.0, 0.0))));
    assert!(!triangles_intersect(a, moved(Vec3::new(0.0, 0.0, 1e-9))));
    assert!(triangles_intersect(a, moved(Vec3::new(0.5, 0.5, 0.0))));
    assert!(!triangles_intersect(a, moved(Vec3::new(1.5, 1.5, 0.0))));
}
