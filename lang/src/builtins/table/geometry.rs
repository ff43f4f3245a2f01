//! Rows: closest points, rays and signed distances; a row for each region.

use super::*;

const HALF: (f64, f64) = (0.8, 1.0);
/// A point and then three more intervals, and so on.
const fn join<const A: usize, const B: usize, const AB: usize>(
    a: [(f64, f64); A],
    b: [(f64, f64); B],
) -> [(f64, f64); AB] {
    let mut all = [(0.0, 0.0); AB];
    let mut i = 0;
    while i < AB {
        all[i] = if i < A { a[i] } else { b[i - A] };
        i += 1;
    }
    all
}
/// Near the corners (0, 0, 0), (2, 0, 0), (0, 2, 0).
const TRIANGLE: [(f64, f64); 9] =
    [(-0.1, 0.1), (-0.1, 0.1), (-0.1, 0.1), (1.9, 2.1), (-0.1, 0.1), (-0.1, 0.1), (-0.1, 0.1), (1.9, 2.1), (-0.1, 0.1)];
const fn near(x: f64, y: f64, z: f64) -> [(f64, f64); 3] {
    [(x - 0.1, x + 0.1), (y - 0.1, y + 0.1), (z - 0.1, z + 0.1)]
}
fn finite<T: Float>(t: T) -> T {
    T::pick(isfinite(t), t, T::lit(0.0))
}

rows! {
    "closest_point_segment" on join::<3, 6, 9>(near(0.5, 1.0, 0.3), join::<3, 3, 6>(near(0.0, 0.0, 0.0), near(1.0, 0.2, 0.4)));
        |x| { let (p, t) = closest_point_segment(v3(x, 0), v3(x, 3), v3(x, 6)); [p.x, p.y, p.z, t] };
    "closest_point_segment" on join::<3, 6, 9>(near(2.0, 1.0, 0.3), join::<3, 3, 6>(near(0.0, 0.0, 0.0), near(1.0, 0.2, 0.4))),
        kink [1.0, 2.0, 3.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5] => [
            0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        ];
        |x| { let (p, t) = closest_point_segment(v3(x, 0), v3(x, 3), v3(x, 6)); [p.x, p.y, p.z, t] };
    // Inside, at each edge and at each corner.
    "closest_point_triangle" on join::<3, 9, 12>(near(0.5, 0.5, 1.5), TRIANGLE);
        |x| closest_point_triangle(v3(x, 0), v3(x, 3), v3(x, 6), v3(x, 9)).to_array();
    "closest_point_triangle" on join::<3, 9, 12>(near(2.0, 1.8, 0.5), TRIANGLE);
        |x| closest_point_triangle(v3(x, 0), v3(x, 3), v3(x, 6), v3(x, 9)).to_array();
    "closest_point_triangle" on join::<3, 9, 12>(near(-1.0, 1.0, 0.5), TRIANGLE);
        |x| closest_point_triangle(v3(x, 0), v3(x, 3), v3(x, 6), v3(x, 9)).to_array();
    "closest_point_triangle" on join::<3, 9, 12>(near(1.0, -1.0, 0.5), TRIANGLE);
        |x| closest_point_triangle(v3(x, 0), v3(x, 3), v3(x, 6), v3(x, 9)).to_array();
    "closest_point_triangle" on join::<3, 9, 12>(near(-1.0, -1.0, 0.5), TRIANGLE);
        |x| closest_point_triangle(v3(x, 0), v3(x, 3), v3(x, 6), v3(x, 9)).to_array();
    "closest_point_triangle" on join::<3, 9, 12>(near(4.0, -1.0, 0.5), TRIANGLE);
        |x| closest_point_triangle(v3(x, 0), v3(x, 3), v3(x, 6), v3(x, 9)).to_array();
    "closest_point_triangle" on join::<3, 9, 12>(near(-1.0, 4.0, 0.5), TRIANGLE);
        |x| closest_point_triangle(v3(x, 0), v3(x, 3), v3(x, 6), v3(x, 9)).to_array();
    "closest_barycentric_triangle" on join::<3, 9, 12>(near(2.0, 1.8, 0.5), TRIANGLE);
        |x| closest_barycentric_triangle(v3(x, 0), v3(x, 3), v3(x, 6), v3(x, 9)).to_array();
    "closest_segment_segment" on
        join::<6, 6, 12>(join::<3, 3, 6>(near(-1.0, 0.0, 0.0), near(1.0, 0.2, 0.0)), join::<3, 3, 6>(near(0.0, -1.0, 1.0), near(0.3, 1.0, 1.0)));
        |x| { let (s, t) = closest_segment_segment(v3(x, 0), v3(x, 3), v3(x, 6), v3(x, 9)); [s, t] };
    "closest_segment_segment" on
        join::<6, 6, 12>(join::<3, 3, 6>(near(-1.0, 0.0, 0.0), near(1.0, 0.2, 0.0)), join::<3, 3, 6>(near(0.2, 1.0, 1.0), near(0.3, 3.0, 1.0)));
        |x| { let (s, t) = closest_segment_segment(v3(x, 0), v3(x, 3), v3(x, 6), v3(x, 9)); [s, t] };
    "closest_segment_segment" on
        join::<6, 6, 12>(join::<3, 3, 6>(near(-1.0, 0.0, 0.0), near(1.0, 0.2, 0.0)), join::<3, 3, 6>(near(0.2, -3.0, 1.0), near(0.3, -1.0, 1.0)));
        |x| { let (s, t) = closest_segment_segment(v3(x, 0), v3(x, 3), v3(x, 6), v3(x, 9)); [s, t] };
    "closest_point_box" on join::<3, 3, 6>(near(2.0, 0.1, -2.0), [HALF; 3]);
        |x| closest_point_box(v3(x, 0), v3(x, 3)).to_array();
    "barycentric" on join::<3, 9, 12>(near(0.5, 0.5, 0.5), TRIANGLE);
        |x| barycentric(v3(x, 0), v3(x, 3), v3(x, 6), v3(x, 9)).to_array();
    "ray_sphere" on join::<6, 4, 10>(join::<3, 3, 6>(near(0.1, -0.2, 5.0), near(0.0, 0.05, -1.0)), join::<3, 1, 4>(near(0.0, 0.0, 0.0), [HALF]));
        |x| [ray_sphere(v3(x, 0), v3(x, 3), v3(x, 6), x[9])];
    "ray_sphere" on join::<6, 4, 10>(join::<3, 3, 6>(near(0.1, -0.2, 0.2), near(0.3, 0.5, -1.0)), join::<3, 1, 4>(near(0.0, 0.0, 0.0), [HALF]));
        |x| [ray_sphere(v3(x, 0), v3(x, 3), v3(x, 6), x[9])];
    // A miss.
    "ray_sphere" on join::<6, 4, 10>(join::<3, 3, 6>(near(3.0, 0.0, 5.0), near(0.0, 0.05, -1.0)), join::<3, 1, 4>(near(0.0, 0.0, 0.0), [HALF]));
        |x| [finite(ray_sphere(v3(x, 0), v3(x, 3), v3(x, 6), x[9]))];
    "ray_plane" on join::<6, 6, 12>(join::<3, 3, 6>(near(0.1, -0.2, 5.0), near(0.3, 0.5, -1.0)), join::<3, 3, 6>(near(0.0, 0.0, 0.0), near(0.2, 0.1, 1.0)));
        |x| [ray_plane(v3(x, 0), v3(x, 3), v3(x, 6), v3(x, 9))];
    "ray_box" on join::<6, 3, 9>(join::<3, 3, 6>(near(0.1, -0.2, 5.0), near(0.0, 0.05, -1.0)), [HALF; 3]);
        |x| [ray_box(v3(x, 0), v3(x, 3), v3(x, 6))];
    "ray_box" on join::<6, 3, 9>(join::<3, 3, 6>(near(0.1, -0.2, 0.2), near(1.0, 0.2, -0.3)), [HALF; 3]);
        |x| [ray_box(v3(x, 0), v3(x, 3), v3(x, 6))];
    "ray_triangle" on join::<6, 9, 15>(join::<3, 3, 6>(near(0.5, 0.6, 3.0), near(0.0, 0.05, -1.0)), TRIANGLE);
        |x| { let (t, b) = ray_triangle(v3(x, 0), v3(x, 3), v3(x, 6), v3(x, 9), v3(x, 12)); [t, b.x, b.y, b.z] };
    "ray_cylinder" on join::<6, 2, 8>(join::<3, 3, 6>(near(4.0, -0.2, 0.3), near(-1.0, 0.05, 0.05)), [HALF; 2]);
        |x| [ray_cylinder(v3(x, 0), v3(x, 3), x[6], x[7])];
    "ray_cylinder" on join::<6, 2, 8>(join::<3, 3, 6>(near(0.1, -0.2, 4.0), near(0.0, 0.05, -1.0)), [HALF; 2]);
        |x| [ray_cylinder(v3(x, 0), v3(x, 3), x[6], x[7])];
    "ray_capsule" on join::<6, 2, 8>(join::<3, 3, 6>(near(4.0, -0.2, 0.2), near(-1.0, 0.05, 0.05)), [HALF; 2]);
        |x| [ray_capsule(v3(x, 0), v3(x, 3), x[6], x[7])];
    "ray_capsule" on join::<6, 2, 8>(join::<3, 3, 6>(near(0.1, -0.2, 4.0), near(0.0, 0.05, -1.0)), [HALF; 2]);
        |x| [ray_capsule(v3(x, 0), v3(x, 3), x[6], x[7])];
    "triangles_intersect" on join::<9, 9, 18>(TRIANGLE, [(0.3, 0.5); 9]);
        |x| {
            let hit = triangles_intersect([v3(x, 0), v3(x, 3), v3(x, 6)], [v3(x, 9), v3(x, 12), v3(x, 15)]);
            [T::pick(hit, x[0], x[1])]
        };
    "signed_area" on unit::<6>(); |x| [signed_area(v2(x, 0), v2(x, 2), v2(x, 4))];

    "sdf_sphere" on unit::<4>(), kink [0.0, 0.0, 0.0, 1.0] => [0.0, 0.0, 0.0, -1.0],
        kink [0.0, 3.0, 4.0, 5.0] => [0.0, 0.6, 0.8, -1.0];
        |x| [sdf_sphere(v3(x, 0), x[3])];
    "sdf_sphere_grad" on unit::<4>(); |x| sdf_sphere_grad(v3(x, 0), x[3]).to_array();
    // Outside at a corner, inside, and on a face.
    "sdf_box" on join::<3, 3, 6>(near(2.0, -1.5, 3.0), [HALF; 3]); |x| [sdf_box(v3(x, 0), v3(x, 3))];
    "sdf_box" on join::<3, 3, 6>(near(0.1, -0.6, 0.3), [HALF; 3]), kink [1.0, 0.5, -0.25, 1.0, 2.0, 1.0] => [1.0, 0.0, 0.0, -1.0, 0.0, 0.0];
        |x| [sdf_box(v3(x, 0), v3(x, 3))];
    "sdf_box_grad" on join::<3, 3, 6>(near(2.0, -1.5, 3.0), [HALF; 3]); |x| sdf_box_grad(v3(x, 0), v3(x, 3)).to_array();
    "sdf_rounded_box" on join::<3, 4, 7>(near(2.0, -1.5, 3.0), [HALF, HALF, HALF, (0.1, 0.2)]);
        |x| [sdf_rounded_box(v3(x, 0), v3(x, 3), x[6])];
    "sdf_capsule" on join::<3, 2, 5>(near(1.0, 0.5, 2.0), [HALF; 2]); |x| [sdf_capsule(v3(x, 0), x[3], x[4])];
    "sdf_capsule" on join::<3, 2, 5>(near(1.0, 0.5, 0.2), [HALF; 2]); |x| [sdf_capsule(v3(x, 0), x[3], x[4])];
    "sdf_capsule_grad" on join::<3, 2, 5>(near(1.0, 0.5, 2.0), [HALF; 2]); |x| sdf_capsule_grad(v3(x, 0), x[3], x[4]).to_array();
    "sdf_cylinder" on join::<3, 2, 5>(near(1.0, 0.9, 2.0), [HALF; 2]); |x| [sdf_cylinder(v3(x, 0), x[3], x[4])];
    "sdf_cylinder" on join::<3, 2, 5>(near(0.2, 0.3, 0.7), [HALF; 2]), kink [0.6, 0.8, 0.0, 1.0, 2.0] => [0.6, 0.8, 0.0, -1.0, 0.0];
        |x| [sdf_cylinder(v3(x, 0), x[3], x[4])];
    "sdf_cone" on join::<3, 2, 5>(near(0.7, 0.7, 0.3), [HALF; 2]); |x| [sdf_cone(v3(x, 0), x[3], x[4])];
    "sdf_cone" on join::<3, 2, 5>(near(0.1, 0.1, 3.0), [HALF; 2]); |x| [sdf_cone(v3(x, 0), x[3], x[4])];
    "sdf_cone" on join::<3, 2, 5>(near(0.3, 0.2, -3.0), [HALF; 2]); |x| [sdf_cone(v3(x, 0), x[3], x[4])];
    "sdf_cone" on join::<3, 2, 5>(near(0.15, 0.12, -0.1), [HALF; 2]), kink [0.25, 0.0, -1.0, 0.5, 1.0] => [0.0, 0.0, -1.0, 0.0, -1.0];
        |x| [sdf_cone(v3(x, 0), x[3], x[4])];
    "sdf_torus" on join::<3, 2, 5>(near(1.0, 0.9, 0.5), [(1.0, 1.2), (0.2, 0.3)]); |x| [sdf_torus(v3(x, 0), x[3], x[4])];
    "sdf_torus_grad" on join::<3, 2, 5>(near(1.0, 0.9, 0.5), [(1.0, 1.2), (0.2, 0.3)]);
        |x| sdf_torus_grad(v3(x, 0), x[3], x[4]).to_array();
    "sdf_plane" on unit::<7>(); |x| [sdf_plane(v3(x, 0), v3(x, 3), x[6])];
    "sdf_ellipsoid" on unit::<6>(), kink [0.0, 0.0, 0.0, 1.0, 2.0, 3.0] => [0.0, 0.0, 0.0, -1.0, 0.0, 0.0];
        |x| [sdf_ellipsoid(v3(x, 0), v3(x, 3))];
    "sdf_union" on [(0.1, 0.5), (0.6, 0.9)], kink [1.0, 1.0] => [0.5, 0.5]; |x| [sdf_union(x[0], x[1])];
    "sdf_intersection" on [(0.1, 0.5), (0.6, 0.9)], kink [1.0, 1.0] => [0.5, 0.5]; |x| [sdf_intersection(x[0], x[1])];
    "sdf_subtraction" on [(0.1, 0.5), (-0.9, -0.6)]; |x| [sdf_subtraction(x[0], x[1])];
    "sdf_smooth_union" on [(0.1, 0.2), (0.3, 0.4), (0.5, 0.8)], kink [1.0, 1.0, 0.5] => [0.5, 0.5, -0.25],
        kink [1.0, 2.0, 0.5] => [1.0, 0.0, 0.0];
        |x| [sdf_smooth_union(x[0], x[1], x[2])];
    "sdf_smooth_intersection" on [(0.1, 0.2), (0.3, 0.4), (0.5, 0.8)]; |x| [sdf_smooth_intersection(x[0], x[1], x[2])];
    "sdf_smooth_subtraction" on [(0.1, 0.2), (-0.4, -0.3), (0.5, 0.8)]; |x| [sdf_smooth_subtraction(x[0], x[1], x[2])];
}
