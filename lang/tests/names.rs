//! What a kernel takes over from code of the host by its Rust names: methods of numbers, paths such as
//! `f64::sqrt`, types written at a call, rows of matrices. See `syntax.rs`.

mod common;
#[macro_use]
mod twice;

use common::{Array, Host, run};
use pullback_lang::Vec3;

mod constants {
    pub const EDGES_OF: f64 = 0.5;
    pub const EDGES: [f64; 5] = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
}

functions! {
    fn kind(e: f64) -> i64 { e.is_nan() as i64 + 2 * e.is_finite() as i64 + 4 * e.is_infinite() as i64 }
    fn applied(f: impl Fn(f64) -> f64, x: f64) -> f64 { f(f(x)) }
    fn joined(f: impl Fn(f64, f64) -> f64, x: f64, y: f64) -> f64 { f(x, f(y, x)) }
}

cases! {
    methods_of_floats(x, k, n) {
        x[0] = x[0].signum() + x[1].copysign(x[2]) + x[3].rem_euclid(x[4]) + x[4].rem_euclid(x[3]);
        x[1] = x[1].div_euclid(x[2]) + x[2].div_euclid(x[1]) * 8.0 + (-x[5]).div_euclid(-0.75);
        x[2] = x[3].to_radians() + x[3].to_degrees();
    }
    methods_of_edges(x, k, n) {
        k[0] = kind(EDGES[0]); x[0] = EDGES[0].signum();
        k[1] = kind(EDGES[1]); x[1] = EDGES[1].signum();
        k[2] = kind(EDGES[2]); x[2] = EDGES[2].signum();
        k[3] = kind(EDGES[3]); x[3] = EDGES[3].signum();
        k[4] = kind(EDGES[4]); x[4] = EDGES[4].signum();
    }
    methods_near_those_of_rust(x, k, n) {
        let (a, b) = (x[0].abs(), x[1]);
        k[0] = ((a.hypot(b) - (a * a + b * b).sqrt()).abs() < 1e-12) as i64;
        k[1] = ((b.asinh().sinh() - b).abs() < 1e-12 && ((a + 1.0).acosh().cosh() - a - 1.0).abs() < 1e-12) as i64;
        k[2] = (((a * 0.1).atanh().tanh() - a * 0.1).abs() < 1e-12) as i64;
    }
    methods_of_integers(x, k, n) {
        k[0] = (k[0] - 5).rem_euclid(3) + (k[0] - 5).rem_euclid(-3) * 8 + (k[1] - 7).signum();
        k[1] = (k[1] - 8).div_euclid(3) + (k[1] - 8).div_euclid(-3) * 16 + 7i64.div_euclid(-2);
        k[2] = i64::MAX.wrapping_add(k[2]).wrapping_sub(2).wrapping_mul(3);
        k[3] = ((k[3] as u8 * 9).rem_euclid(7) + 200u8.div_euclid(9)) as i64;
    }
    paths_of_scalars(x, k, n) {
        x[0] = f64::sqrt(x[0].abs()) + f64::max(x[1], x[2]) + f64::powi(x[1], 2) + f64::mul_add(x[2], 2.0, 1.0);
        x[1] = applied(f64::floor, x[3]) + joined(f64::max, x[1], 0.5) + f64::MAX.min(1.0) + f64::EPSILON;
        k[0] = i64::min(k[0], 2) + i64::abs(-k[1]) + i64::MAX / 2 + (i32::MIN as i64).rem_euclid(5);
    }
    types_at_a_call(x, k, n) {
        let mut rng = rand_init(7i64, n);
        x[0] = randf::<f64>(&mut rng) + randn::<f32>(&mut rng) as f64;
        let p = sample_unit_disk::<f64>(&mut rng);
        x[1] = p.x * p.y + (quat_identity::<f64>() * Vec3::<f64>::new(1.0, x[1], 3.0)).y;
        x[2] = transform_identity::<f64>().q.w;
    }
    vectors_by_component(x, k, n) {
        let (v, w) = (Vec3::new(x[0], x[1], x[2]), Vec3::new(x[3], x[4], x[5]));
        let all = min(v, w) + max(v, w) * 2.0 + clamp(v, -abs(w), abs(w)) * sign(v);
        x[0] = all.x; x[1] = all.y; x[2] = all.z;
        let m = max(Vec2::new(k[0], k[1]), Vec2::new(k[2], k[3])) - abs(Vec2::new(-k[4], k[5]));
        k[0] = m.x; k[1] = m.y;
        let u = min(VecN::new([x[0], x[1], 3.0, 4.0, 5.0]), VecN::new([1.0, 2.0, x[3], x[4], x[5]]));
        x[3] = u.c[0] + u.c[1] * 2.0 + u.c[2] * 4.0 + u.c[3] * 8.0 + u.c[4] * 16.0;
    }
    rows(x, k, n) {
        let mut m = Mat33::from_rows(Vec3::new(x[0], 1.0, 2.0), Vec3::new(3.0, x[1], 4.0), Vec3::new(5.0, 6.0, x[2]));
        m[0] = m[1] * 2.0 + m[2];
        m[1].y += m[0].x;
        m[2][0] *= x[3];
        let r = m[1];
        m[2] -= r;
        x[0] = m[0][2] + m[1].z;
        x[1] = m[1][1] * m[(2, 0)];
        x[2] = dot(m[2], m[0]);
    }
}

#[test]
fn rows_by_an_index_of_the_run() {
    mod kernel {
        use super::Array;
        use pullback_lang::*;
        #[kernel]
        pub fn device(x: &mut Array<f64>, k: &mut Array<i64>, n: i64) {
            let mut m = Mat44::diagonal(Vec4::new(x[0], x[1], x[2], x[3]));
            let mut w = Mat::<f64, 2, 6>::zeros();
            let (i, j) = (k[0], k[1]);
            m[i] = m[j] * 2.0;
            m[j][i] += 5.0;
            m[n].w -= 1.0;
            w[k[2]][k[3]] = x[4];
            w[1 - k[2]] = w[k[2]] * 3.0;
            x[0] = m[i][j] + m[j][i] * 100.0 + m[n][3] * 10_000.0;
            x[1] = w[0][4] + w[1][4] * 100.0;
        }
    }
    let (mut x, mut k) = ([1.0, 2.0, 3.0, 4.0, 7.0], [3, 1, 1, 4]);
    run(kernel::device::ir().kernel().unwrap(), &mut x, &mut k, 2);
    assert_eq!((x[0], x[1]), (4.0 + 500.0 - 10_000.0, 21.0 + 700.0));
}

/// What a `macro_rules` puts into a kernel comes in invisible groups.
macro_rules! made {
    ($kernel:ident, $x:ident, $float:ty, $int:ty, $vector:ty, $count:literal, $sum:expr, $limit:path, $name:ident,
        $place:expr, $range:expr) => {
        mod $kernel {
            use super::{Array, constants::*};
            use pullback_lang::*;
            #[func]
            #[adjoint(back)]
            fn power(x: $float, n: $int) -> ($float, $int) {
                (x.pow(n as $float), n - $count)
            }
            #[func]
            fn back(x: $float, n: $int, _y: $float, _m: $int, dy: $float) -> $float {
                dy * x * n as $float
            }
            #[kernel]
            pub fn device($x: &mut Array<$float>, k: &mut Array<$int>, $name: $int) {
                let mut rng = rand_init(3i64, 4i64);
                let r = randf::<$float>(&mut rng) * 0.0 + <$vector>::splat(2.0).x + <$float>::sqrt(4.0);
                let a: [$float; $count] = [r; $count];
                let (y, m) = power(a[$count - 1], 2);
                $x[0] = y + $sum * 2.0 + $limit;
                for i in $range {
                    $place += i as $float * 0.25;
                }
                k[0] = match $name {
                    $count => 7,
                    -1 => $count,
                    _ => m,
                };
            }
        }
    };
}
made!(from_macro, x, f64, i64, pullback_lang::Vec3<f64>, 3, 1.0 + 2.0, EDGES_OF, n, x[0], 0..3);

#[test]
fn kernels_may_be_made_by_macros() {
    let (mut x, mut k) = ([0.0], [0]);
    run(from_macro::device::ir().kernel().unwrap(), &mut x, &mut k, 3);
    assert_eq!((x, k), ([16.0 + 6.0 + 0.5 + 0.75], [7]));
    run(from_macro::device::ir().kernel().unwrap(), &mut x, &mut k, 0);
    assert_eq!(k, [-1]);
}
