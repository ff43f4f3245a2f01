//! Rows: noise, inside of a cell and across many.

use super::*;
use crate::word::Word;

fn seed<T: Float>(n: u32) -> T::Word {
    T::Word::word(n)
}

rows! {
    "noise_value" on [(-4.9, -4.1)]; |x| [noise_value(seed::<T>(1), x[0])];
    "noise_value" on [(0.1, 0.9), (-2.9, -2.1)]; |x| [noise_value(seed::<T>(2), v2(x, 0))];
    "noise_value" on [(0.1, 0.9), (-2.9, -2.1), (7.1, 7.9)], kink [0.0, -2.0, 7.0] => zeros::<3>();
        |x| [noise_value(seed::<T>(3), v3(x, 0))];
    "noise_value" on [(0.1, 0.9), (-2.9, -2.1), (7.1, 7.9), (0.1, 0.9)]; |x| [noise_value(seed::<T>(4), v4(x, 0))];
    "noise_value_periodic" on [(-4.9, -4.1), (7.1, 7.9)]; |x| [noise_value_periodic(seed::<T>(5), v2(x, 0), seed::<T>(3))];
    "noise_perlin" on [(-4.9, -4.1)]; |x| [noise_perlin(seed::<T>(6), x[0])];
    "noise_perlin" on [(0.1, 0.9), (-2.9, -2.1)]; |x| [noise_perlin(seed::<T>(7), v2(x, 0))];
    "noise_perlin" on [(0.1, 0.9), (-2.9, -2.1), (7.1, 7.9)]; |x| [noise_perlin(seed::<T>(8), v3(x, 0))];
    "noise_perlin" on [(0.1, 0.9), (-2.9, -2.1), (7.1, 7.9), (0.1, 0.9)]; |x| [noise_perlin(seed::<T>(9), v4(x, 0))];
    "noise_perlin_periodic" on [(-4.9, -4.1), (7.1, 7.9), (0.1, 0.9)];
        |x| [noise_perlin_periodic(seed::<T>(10), v3(x, 0), seed::<T>(4))];
    "noise_simplex" on [(-4.9, -4.1)]; |x| [noise_simplex(seed::<T>(11), x[0])];
    "noise_simplex" on [(0.11, 0.19), (0.02, 0.08)]; |x| [noise_simplex(seed::<T>(12), v2(x, 0))];
    "noise_simplex" on [(0.21, 0.29), (0.12, 0.18), (0.02, 0.08)]; |x| [noise_simplex(seed::<T>(13), v3(x, 0))];
    "noise_simplex" on [(0.21, 0.24), (0.12, 0.15), (0.02, 0.05), (0.06, 0.08)]; |x| [noise_simplex(seed::<T>(14), v4(x, 0))];
    "noise_fractal" on [(0.26, 0.49), (0.51, 0.74), (0.3, 0.7)]; |x| [noise_fractal(seed::<T>(15), v2(x, 0), 3, x[2])];
    "noise_curl2" on [(0.1, 0.9), (-2.9, -2.1)]; |x| noise_curl2(seed::<T>(16), v2(x, 0)).to_array();
    "noise_curl3" on [(0.1, 0.9), (-2.9, -2.1), (7.1, 7.9)]; |x| noise_curl3(seed::<T>(17), v3(x, 0)).to_array();
}
