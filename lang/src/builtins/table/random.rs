//! Rows: random numbers. Their bits are fixed, so differences tell what the pathwise derivative is; to what is
//! drawn without parameters one of the inputs is added.

use super::*;
use crate::rng::Rng;
use crate::word::Word;

fn rng<T: Float>(sequence: u32) -> Rng<T::Word> {
    let zero = T::Word::word(0);
    Rng::new([T::Word::word(42), zero], [T::Word::word(sequence), zero])
}
/// A word as a float.
fn float<T: Float>(w: T::Word) -> T {
    T::unit(w, T::Word::word(0))
}

rows! {
    "rand_init" on unit::<1>(); |x| [x[0] * randf::<T>(&mut rng::<T>(1))];
    "randu" on unit::<1>(); |x| [x[0] * float::<T>(randu(&mut rng::<T>(2)))];
    "randu_range" on unit::<1>();
        |x| [x[0] * float::<T>(randu_range(&mut rng::<T>(3), T::Word::word(1 << 30), T::Word::word(3 << 30)))];
    "randf" on unit::<1>(); |x| { let mut r = rng::<T>(4); [x[0] * randf::<T>(&mut r) + randf::<T>(&mut r)] };
    "randf_range" on unit::<2>(); |x| [randf_range(&mut rng::<T>(5), x[0], x[1])];
    "randn" on unit::<1>(); |x| [x[0] * randn::<T>(&mut rng::<T>(6))];
    "rand_normal" on unit::<2>(); |x| [rand_normal(&mut rng::<T>(7), x[0], x[1])];
    "rand_exponential" on unit::<1>(); |x| [rand_exponential(&mut rng::<T>(8), x[0])];
    "rand_poisson" on unit::<1>(); |x| [x[0] * T::from_index(rand_poisson(&mut rng::<T>(9), T::lit(3.0)))];
    "rand_poisson" on unit::<1>(); |x| [x[0] * T::from_index(rand_poisson(&mut rng::<T>(9), T::lit(50.0)))];
    "sample_unit_disk" on unit::<1>(); |x| (sample_unit_disk::<T>(&mut rng::<T>(10)) * x[0]).to_array();
    "sample_unit_ring" on unit::<1>(); |x| (sample_unit_ring::<T>(&mut rng::<T>(11)) * x[0]).to_array();
    "sample_unit_sphere_surface" on unit::<1>();
        |x| (sample_unit_sphere_surface::<T>(&mut rng::<T>(12)) * x[0]).to_array();
    "sample_unit_sphere" on unit::<1>(); |x| (sample_unit_sphere::<T>(&mut rng::<T>(13)) * x[0]).to_array();
    "sample_unit_hemisphere_surface" on unit::<1>();
        |x| (sample_unit_hemisphere_surface::<T>(&mut rng::<T>(14)) * x[0]).to_array();
    "sample_unit_hemisphere" on unit::<1>(); |x| (sample_unit_hemisphere::<T>(&mut rng::<T>(15)) * x[0]).to_array();
    "sample_unit_square" on unit::<1>(); |x| (sample_unit_square::<T>(&mut rng::<T>(16)) * x[0]).to_array();
    "sample_unit_cube" on unit::<1>(); |x| (sample_unit_cube::<T>(&mut rng::<T>(17)) * x[0]).to_array();
    "sample_triangle" on unit::<9>();
        |x| sample_triangle(&mut rng::<T>(18), v3(x, 0), v3(x, 3), v3(x, 6)).to_array();
}
