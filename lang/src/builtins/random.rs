//! Random numbers, by a counter: see [`Rng`]. Every function takes the stream by `&mut` and one block of it.
//!
//! Derivatives are pathwise: of a drawn number with respect to the parameters that shift and scale it, at the
//! random bits as they were drawn. Counts have none.

use crate::rng::Rng;
use crate::scalar::{Condition, Float, Real};
use crate::trace::emit;
use crate::traced::Traced;
use crate::types::KernelType;
use crate::vector::{Vec2, Vec3};
use crate::word::Word;
use pullback_ir::{Loc, Scalar};
use std::f64::consts::TAU;

/// An integer that seeds: its 64 bits, low word first.
pub trait Seed: Copy {
    /// A word of the host or of a kernel.
    type Word: Word;
    /// The low and the high 32 bits.
    #[doc(hidden)]
    fn words(self) -> [Self::Word; 2];
}
macro_rules! seeds {
    ($($t:ty)*) => { $(
        impl Seed for $t {
            type Word = u32;
            fn words(self) -> [u32; 2] {
                let all = self as i64 as u64;
                [all as u32, (all >> 32) as u32]
            }
        }
        impl Seed for Traced<$t> {
            type Word = Traced<u32>;
            #[track_caller]
            fn words(self) -> [Traced<u32>; 2] {
                let all = Traced::<u64>::from_value(emit(Loc::caller(), |b| {
                    let wide = b.convert(Scalar::I64, self.value());
                    b.convert(Scalar::U64, wide)
                }));
                [all, all >> 32u32.constant()]
                    .map(|half| Traced::from_value(emit(Loc::caller(), |b| b.convert(Scalar::U32, half.value()))))
            }
        }
    )* };
}
seeds!(i32 u32 i64 u64);

/// The stream of random numbers number `sequence` of a seed. Threads that draw independently have one seed and
/// sequences of their own: `rand_init(seed, thread_id())`.
#[track_caller]
pub fn rand_init<A: Seed, B: Seed<Word = A::Word>>(seed: A, sequence: B) -> Rng<A::Word> {
    Rng::new(seed.words(), sequence.words())
}

/// 32 random bits.
#[track_caller]
pub fn randu<W: Word>(rng: &mut Rng<W>) -> W {
    rng.block()[0]
}

/// An integer from `low` to `high - 1`: low + ⌊(high − low) u/2³²⌋ of 32 random bits u, so no value is more likely
/// than another by more than a part in 2³²/(high − low). `high` must be above `low`.
#[track_caller]
pub fn randu_range<W: Word>(rng: &mut Rng<W>, low: W, high: W) -> W {
    let minus = |w: W| (w ^ W::word(u32::MAX)).plus(W::word(1));
    low.plus(high.plus(minus(low)).times_high(rng.block()[0]))
}

/// A number in [0, 1): 24 random bits in `f32`, 53 in `f64`.
#[track_caller]
pub fn randf<S: Float>(rng: &mut Rng<S::Word>) -> S {
    let block = rng.block();
    S::unit(block[0], block[1])
}

/// A number in [low, high): low + (high − low) u. Derivatives 1 − u and u.
#[track_caller]
pub fn randf_range<S: Float>(rng: &mut Rng<S::Word>, low: S, high: S) -> S {
    let u: S = randf(rng);
    low + (high - low) * u
}

/// A number of the standard normal distribution (Box and Muller 1958).
#[track_caller]
pub fn randn<S: Float>(rng: &mut Rng<S::Word>) -> S {
    let block = rng.block();
    let (u, v) = (S::unit(block[0], block[1]), S::unit(block[2], block[3]));
    // 1 − u is never 0.
    ((S::lit(1.0) - u).log() * S::lit(-2.0)).sqrt() * (v * S::lit(TAU)).cos()
}

/// A number of the normal distribution: mean + std · n. Derivatives 1 and n.
#[track_caller]
pub fn rand_normal<S: Float>(rng: &mut Rng<S::Word>, mean: S, std: S) -> S {
    let n: S = randn(rng);
    mean + std * n
}

/// A number of the exponential distribution with the given rate: −log(1 − u)/rate. Derivative −value/rate.
#[track_caller]
pub fn rand_exponential<S: Float>(rng: &mut Rng<S::Word>, rate: S) -> S {
    let u: S = randf(rng);
    -((-u).log1p() / rate)
}

/// Up to this mean a Poisson number is found by inversion.
const SMALL_MEAN: f64 = 12.0;
/// Terms that inversion looks at; more have a probability below 1e-24.
const TERMS: usize = 64;
/// How often rejection tries; that all fail has a probability below 1e-8 (then the number is the mean's integer part).
const TRIES: usize = 12;

/// A count of the Poisson distribution with the given mean (at least 0), an `i64` without derivative; by inversion up to
/// a mean of 12, above by transformed rejection (Hörmann 1993, *The transformed rejection method for generating
/// Poisson random variables*, PTRS). It takes thirteen blocks.
#[track_caller]
pub fn rand_poisson<S: Float>(rng: &mut Rng<S::Word>, mean: S) -> S::Index {
    let (zero, half, one) = (S::lit(0.0), S::lit(0.5), S::lit(1.0));
    let limit = S::lit(SMALL_MEAN);
    let few = mean.less_eq(limit);
    let small = S::pick(few, mean, zero);
    let u: S = randf(rng);
    // State: the count, its probability, and the sum of those so far; then what does not change.
    let start = (-small).exp();
    let state = S::repeat(TERMS, &[zero, start, start, u, small], |s| {
        let on = s[2].less_eq(s[3]);
        let (zero, one) = (S::lit(0.0), S::lit(1.0));
        let count = s[0] + S::pick(on, one, zero);
        let term = S::pick(on, s[1] * s[4] / (s[0] + one), s[1]);
        vec![count, term, s[2] + S::pick(on, term, zero), s[3], s[4]]
    });
    let large = S::pick(few, limit, mean);
    let b = S::lit(0.931) + S::lit(2.53) * large.sqrt();
    let a = S::lit(-0.059) + S::lit(0.02483) * b;
    let inverse_alpha = S::lit(1.1239) + S::lit(1.1328) / (b - S::lit(3.4));
    let squeeze = S::lit(0.9277) - S::lit(3.6224) / (b - S::lit(2.0));
    let mut found = large.floor();
    let mut open = S::Bool::truth(true);
    for _ in 0..TRIES {
        let block = rng.block();
        let (u, v) = (S::unit(block[0], block[1]) - half, S::unit(block[2], block[3]));
        let edge = half - u.magnitude();
        let edge = edge.maximum(S::by_precision(1e-17, 1e-8));
        let k = ((S::lit(2.0) * a / edge + b) * u + large + S::lit(0.43)).floor();
        let quick = !edge.less(S::lit(0.07)) & v.less_eq(squeeze);
        let never = k.less(zero) | (edge.less(S::lit(0.013)) & edge.less(v));
        let safe = S::pick(k.less(zero), zero, k);
        let left = (v * inverse_alpha / (a / (edge * edge) + b)).log();
        let right = safe * large.log() - large - super::lgamma(safe + one);
        let accepted = (quick | (!never & left.less_eq(right))) & !k.less(zero);
        found = S::pick(open & accepted, k, found);
        open = open & !accepted;
    }
    S::pick(few, state[0], found).to_index()
}

/// A point of the unit disk, evenly.
#[track_caller]
pub fn sample_unit_disk<S: Float>(rng: &mut Rng<S::Word>) -> Vec2<S> {
    let block = rng.block();
    let (u, v) = (S::unit(block[0], block[1]), S::unit(block[2], block[3]));
    let (r, angle) = (u.sqrt(), v * S::lit(TAU));
    Vec2::new(r * angle.cos(), r * angle.sin())
}

/// A point of the unit circle, evenly.
#[track_caller]
pub fn sample_unit_ring<S: Float>(rng: &mut Rng<S::Word>) -> Vec2<S> {
    let angle = randf::<S>(rng) * S::lit(TAU);
    Vec2::new(angle.cos(), angle.sin())
}

/// The point of the unit sphere at the height z and the angle 2πv.
#[track_caller]
fn on_sphere<S: Float>(z: S, v: S) -> Vec3<S> {
    let (one, zero) = (S::lit(1.0), S::lit(0.0));
    let r = (one - z * z).maximum(zero).sqrt();
    let angle = v * S::lit(TAU);
    Vec3::new(r * angle.cos(), r * angle.sin(), z)
}

/// A point of the unit sphere's surface, evenly.
#[track_caller]
pub fn sample_unit_sphere_surface<S: Float>(rng: &mut Rng<S::Word>) -> Vec3<S> {
    let block = rng.block();
    let (u, v) = (S::unit(block[0], block[1]), S::unit(block[2], block[3]));
    on_sphere(S::lit(1.0) - u - u, v)
}

/// A point inside the unit sphere, evenly. It takes two blocks.
#[track_caller]
pub fn sample_unit_sphere<S: Float>(rng: &mut Rng<S::Word>) -> Vec3<S> {
    let surface = sample_unit_sphere_surface(rng);
    surface * randf::<S>(rng).cbrt()
}

/// A point of the surface of the upper half (z >= 0) of the unit sphere, evenly.
#[track_caller]
pub fn sample_unit_hemisphere_surface<S: Float>(rng: &mut Rng<S::Word>) -> Vec3<S> {
    let block = rng.block();
    let (u, v) = (S::unit(block[0], block[1]), S::unit(block[2], block[3]));
    on_sphere(u, v)
}

/// A point of the upper half (z >= 0) of the unit ball, evenly. It takes two blocks.
#[track_caller]
pub fn sample_unit_hemisphere<S: Float>(rng: &mut Rng<S::Word>) -> Vec3<S> {
    let surface = sample_unit_hemisphere_surface(rng);
    surface * randf::<S>(rng).cbrt()
}

/// A point of the square [−1/2, 1/2)², evenly.
#[track_caller]
pub fn sample_unit_square<S: Float>(rng: &mut Rng<S::Word>) -> Vec2<S> {
    let block = rng.block();
    let half = S::lit(0.5);
    Vec2::new(S::unit(block[0], block[1]) - half, S::unit(block[2], block[3]) - half)
}

/// A point of the cube [−1/2, 1/2)³, evenly. It takes two blocks.
#[track_caller]
pub fn sample_unit_cube<S: Float>(rng: &mut Rng<S::Word>) -> Vec3<S> {
    let (a, z) = (sample_unit_square(rng), randf::<S>(rng));
    Vec3::new(a.x, a.y, z - S::lit(0.5))
}

/// A point of the triangle with these corners, evenly. Derivatives: its barycentric coordinates.
#[track_caller]
pub fn sample_triangle<S: Float>(rng: &mut Rng<S::Word>, a: Vec3<S>, b: Vec3<S>, c: Vec3<S>) -> Vec3<S> {
    let block = rng.block();
    let (u, v) = (S::unit(block[0], block[1]).sqrt(), S::unit(block[2], block[3]));
    a * (S::lit(1.0) - u) + b * (u * (S::lit(1.0) - v)) + c * (u * v)
}

/// The first index whose value in `cdf` is above a random number of [0, 1): a draw from the discrete distribution
/// whose sums of probabilities are `cdf`, ascending up to 1. Only in kernels; by bisection. If the last value is not
/// above the number, the last index.
#[pullback_macros::func]
pub fn sample_cdf<R: Real>(rng: &mut Rng, cdf: &Array<R>) -> i64 {
    let u: R = randf(rng);
    let mut low = 0;
    let mut high = cdf.len() - 1;
    while low < high {
        let middle = (low + high) / 2;
        if cdf[middle] > u {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}
