//! Noise: smooth functions that look random, the same for one seed everywhere.
//!
//! Points have 1 to 4 dimensions: a number, [`Vec2`], [`Vec3`] or [`Vec4`]. A lattice point's random numbers come from
//! a hash of its integer coordinates and the seed. All are twice differentiable at least, also across the borders of
//! cells, so that their gradients, and functions of those such as the curl, have derivatives too.

use crate::custom::Custom;
use crate::scalar::{Float, Scalar};
use crate::sized::Size;
use crate::vector::{Vec2, Vec3, Vec4};
use crate::word::Word;

/// A point of 1 to 4 dimensions.
pub trait NoisePoint: Copy {
    /// The type of its coordinates.
    type Coordinate: Float;
    /// Marks its dimensions.
    type Dimensions;
    /// The coordinates.
    #[doc(hidden)]
    fn coordinates(self) -> Vec<Self::Coordinate>;
}
impl<S: Float> NoisePoint for S {
    type Coordinate = S;
    type Dimensions = Size<1>;
    fn coordinates(self) -> Vec<S> {
        vec![self]
    }
}
macro_rules! points {
    ($($vec:ident $n:literal)*) => { $(
        impl<S: Float> NoisePoint for $vec<S> {
            type Coordinate = S;
            type Dimensions = Size<$n>;
            fn coordinates(self) -> Vec<S> {
                self.to_array().to_vec()
            }
        }
        impl<W: Word> Period<W, Size<$n>> for $vec<W> {
            fn of_axes(self, _: usize) -> Vec<W> {
                self.to_array().to_vec()
            }
        }
    )* };
}
points!(Vec2 2 Vec3 3 Vec4 4);

/// After how many cells noise repeats, an integer of at least 1: one for all axes, or a vector of one an axis.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no period of noise at this point",
    note = "a period is a u32 for all axes, or a vector of a u32 an axis"
)]
pub trait Period<W, Dimensions>: Copy {
    /// It by axis.
    #[doc(hidden)]
    fn of_axes(self, axes: usize) -> Vec<W>;
}
impl<W: Word, D> Period<W, D> for W {
    fn of_axes(self, axes: usize) -> Vec<W> {
        vec![self; axes]
    }
}

/// A seed of noise: a word of the same place as the coordinates, host or kernel.
type WordOf<P> = <<P as NoisePoint>::Coordinate as Custom>::Word;

/// A hash of integers: each is mixed in by a multiplication and shifts (the finaliser of MurmurHash3, A. Appleby).
#[track_caller]
fn hash<W: Word>(seed: W, cell: &[W]) -> W {
    let mut h = seed ^ W::word(0x9E37_79B9);
    for &c in cell {
        h = (h ^ c).times(W::word(0x85EB_CA6B));
        h = (h ^ h.down(13)).times(W::word(0xC2B2_AE35));
        h = h ^ h.down(16);
    }
    h
}

/// A number in [-1, 1) from a hash.
#[track_caller]
fn signed<S: Float>(h: S::Word) -> S {
    S::unit(h, S::Word::word(0)) * S::lit(2.0) - S::lit(1.0)
}

/// 6t⁵ − 15t⁴ + 10t³, and its derivative (Perlin 2002, *Improving noise*).
#[track_caller]
fn fade<S: Float>(t: S) -> (S, S) {
    let (six, fifteen, ten, thirty) = (S::lit(6.0), S::lit(15.0), S::lit(10.0), S::lit(30.0));
    let one = S::lit(1.0);
    (t * t * t * (t * (t * six - fifteen) + ten), thirty * t * t * (t - one) * (t - one))
}

/// The corners of a point's cell: for each a hash, the offset of the point from it, its weight and the weight's
/// gradient.
struct Corner<S: Float> {
    hash: S::Word,
    offset: Vec<S>,
    weight: S,
    slope: Vec<S>,
}

#[track_caller]
fn corners<S: Float>(seed: S::Word, p: &[S], period: Option<&[S::Word]>) -> Vec<Corner<S>> {
    let n = p.len();
    let one = S::lit(1.0);
    let floors: Vec<S> = p.iter().map(|x| x.floor()).collect();
    let inside: Vec<S> = p.iter().zip(&floors).map(|(&x, &f)| x - f).collect();
    let fades: Vec<(S, S)> = inside.iter().map(|&t| fade(t)).collect();
    let cells: Vec<[S::Word; 2]> = (0..n)
        .map(|k| {
            let low = floors[k].to_word();
            let high = low.plus(S::Word::word(1));
            match period {
                Some(period) => [low.wrapped(period[k]), high.wrapped(period[k])],
                None => [low, high],
            }
        })
        .collect();
    (0..1usize << n)
        .map(|corner| {
            let bit = |k: usize| corner >> k & 1;
            let cell: Vec<S::Word> = (0..n).map(|k| cells[k][bit(k)]).collect();
            let offset = (0..n).map(|k| if bit(k) == 1 { inside[k] - one } else { inside[k] }).collect();
            let part = |k: usize| if bit(k) == 1 { fades[k].0 } else { one - fades[k].0 };
            let product = |skip: usize| {
                (0..n).filter(|&k| k != skip).map(part).fold(None, |so_far: Option<S>, x| {
                    Some(match so_far {
                        None => x,
                        Some(y) => y * x,
                    })
                })
            };
            let weight = product(n).unwrap_or(one);
            let slope = (0..n)
                .map(|k| {
                    let along = if bit(k) == 1 { fades[k].1 } else { -fades[k].1 };
                    product(k).map_or(along, |rest| along * rest)
                })
                .collect();
            Corner { hash: hash(seed, &cell), offset, weight, slope }
        })
        .collect()
}

/// A corner's random direction: components in [-1, 1), from the bits of its hash.
#[track_caller]
fn direction<S: Float>(h: S::Word, n: usize) -> Vec<S> {
    (0..n).map(|k| signed::<S>(hash(h, &[S::Word::word(k as u32 + 1)]))).collect()
}

#[track_caller]
fn dot<S: Float>(a: &[S], b: &[S]) -> S {
    let products: Vec<S> = a.iter().zip(b).map(|(&x, &y)| x * y).collect();
    super::small::sum(products.into_iter())
}

#[track_caller]
fn value<S: Float>(seed: S::Word, p: &[S], period: Option<&[S::Word]>) -> S {
    super::small::sum(corners(seed, p, period).into_iter().map(|c| c.weight * signed::<S>(c.hash)))
}

#[track_caller]
fn perlin<S: Float>(seed: S::Word, p: &[S], period: Option<&[S::Word]>) -> S {
    let n = p.len();
    super::small::sum(corners(seed, p, period).into_iter().map(|c| {
        let g = direction::<S>(c.hash, n);
        c.weight * dot(&g, &c.offset)
    }))
}

/// The gradient of Perlin's noise.
#[track_caller]
fn perlin_gradient<S: Float>(seed: S::Word, p: &[S]) -> Vec<S> {
    let n = p.len();
    let mut sum = vec![S::lit(0.0); n];
    for c in corners(seed, p, None) {
        let g = direction::<S>(c.hash, n);
        let height = dot(&g, &c.offset);
        for k in 0..n {
            sum[k] = sum[k] + c.weight * g[k] + c.slope[k] * height;
        }
    }
    sum
}

/// Value noise, in [-1, 1): random values at lattice points, joined by the quintic fade.
#[track_caller]
pub fn noise_value<P: NoisePoint>(seed: WordOf<P>, p: P) -> P::Coordinate {
    value(seed, &p.coordinates(), None)
}

/// [`noise_value`] that repeats every `period` cells: an integer of at least 1, for all axes or one an axis.
#[track_caller]
pub fn noise_value_periodic<P: NoisePoint>(
    seed: WordOf<P>,
    p: P,
    period: impl Period<WordOf<P>, P::Dimensions>,
) -> P::Coordinate {
    let p = p.coordinates();
    value(seed, &p, Some(&period.of_axes(p.len())))
}

/// Perlin's noise: 0 at lattice points, with random slopes there, joined by the quintic fade; within ±n/2 in n
/// dimensions, and mostly within ±1/2.
#[track_caller]
pub fn noise_perlin<P: NoisePoint>(seed: WordOf<P>, p: P) -> P::Coordinate {
    perlin(seed, &p.coordinates(), None)
}

/// [`noise_perlin`] that repeats every `period` cells: an integer of at least 1, for all axes or one an axis.
#[track_caller]
pub fn noise_perlin_periodic<P: NoisePoint>(
    seed: WordOf<P>,
    p: P,
    period: impl Period<WordOf<P>, P::Dimensions>,
) -> P::Coordinate {
    let p = p.coordinates();
    perlin(seed, &p, Some(&period.of_axes(p.len())))
}

/// Simplex noise: like Perlin's, over simplices, with n + 1 corners and no directions that it prefers (Perlin 2001;
/// Gustavson 2005, *Simplex noise demystified*). Each corner counts within √(1/2), so that it is smooth everywhere.
#[track_caller]
pub fn noise_simplex<P: NoisePoint>(seed: WordOf<P>, p: P) -> P::Coordinate {
    simplex(seed, &p.coordinates())
}

#[track_caller]
fn simplex<S: Float>(seed: S::Word, p: &[S]) -> S {
    let n = p.len();
    let size = n as f64;
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    let skew = S::lit(((size + 1.0).sqrt() - 1.0) / size);
    let back = (1.0 - 1.0 / (size + 1.0).sqrt()) / size;
    let shift = super::small::sum(p.iter().copied()) * skew;
    let cell: Vec<S> = p.iter().map(|&x| (x + shift).floor()).collect();
    let unskew = super::small::sum(cell.iter().copied()) * S::lit(back);
    let first: Vec<S> = p.iter().zip(&cell).map(|(&x, &c)| x - (c - unskew)).collect();
    // How many coordinates each one is above: the order in which the corners are walked.
    let rank: Vec<S> = (0..n)
        .map(|i| {
            let above = (0..n).filter(|&j| j != i).map(|j| {
                let wins = if j < i { first[j].less_eq(first[i]) } else { first[j].less(first[i]) };
                S::pick(wins, one, zero)
            });
            super::small::sum(above)
        })
        .collect();
    let words: Vec<S::Word> = cell.iter().map(|c| c.to_word()).collect();
    let mut total = zero;
    for corner in 0..=n {
        let steps: Vec<S> = rank
            .iter()
            .map(|&r| {
                // The first steps go along the largest coordinates.
                let taken = S::lit((n - corner) as f64).less_eq(r);
                if corner == 0 {
                    zero
                } else if corner == n {
                    one
                } else {
                    S::pick(taken, one, zero)
                }
            })
            .collect();
        let at: Vec<S::Word> = words.iter().zip(&steps).map(|(&w, s)| w.plus(s.to_word())).collect();
        let offset: Vec<S> = (0..n).map(|k| first[k] - steps[k] + S::lit(corner as f64 * back)).collect();
        let near = (S::lit(0.5) - dot(&offset, &offset)).maximum(zero);
        let near2 = near * near;
        total += near2 * near2 * dot(&direction::<S>(hash(seed, &at), n), &offset);
    }
    total * S::lit(40.0)
}

/// A sum of octaves of [`noise_perlin`], each at twice the frequency and `gain` times the height of the one before (fractal
/// Brownian motion). At least one octave, at most 16; a constant.
#[track_caller]
pub fn noise_fractal<P: NoisePoint>(seed: WordOf<P>, p: P, octaves: impl Count, gain: P::Coordinate) -> P::Coordinate {
    let p = p.coordinates();
    let mut height = P::Coordinate::lit(1.0);
    let mut total = P::Coordinate::lit(0.0);
    for k in 0..octaves.count().clamp(1, 16) {
        let scale = P::Coordinate::lit(f64::from(1u32 << k));
        let scaled: Vec<P::Coordinate> = p.iter().map(|&x| x * scale).collect();
        let octave = WordOf::<P>::word(k as u32);
        total += height * perlin(seed.plus(octave), &scaled, None);
        height *= gain;
    }
    total
}

/// A constant that counts.
pub trait Count: Copy {
    /// It.
    #[doc(hidden)]
    #[track_caller]
    fn count(self) -> usize;
}
macro_rules! counts {
    ($($t:ty)*) => { $(
        impl Count for $t {
            fn count(self) -> usize {
                usize::try_from(self).unwrap_or(0)
            }
        }
        impl Count for crate::traced::Traced<$t> {
            #[track_caller]
            fn count(self) -> usize {
                let loc = pullback_ir::Loc::caller();
                self.known().and_then(|k| usize::try_from(k).ok()).unwrap_or_else(|| {
                    crate::trace::with(|t| t.fail(loc, "the number of octaves must be a constant"));
                    1
                })
            }
        }
    )* };
}
counts!(i32 u32 i64 u64);

/// The curl of Perlin's noise in the plane, (∂n/∂y, −∂n/∂x): a flow without sources (Bridson, Houriham and Nordenstam
/// 2007, *Curl-noise for procedural fluid flow*).
#[track_caller]
pub fn noise_curl2<S: Float>(seed: S::Word, p: Vec2<S>) -> Vec2<S> {
    let g = perlin_gradient(seed, &p.to_array());
    Vec2::new(g[1], -g[0])
}

/// The curl of three independent fields of Perlin's noise: a flow without sources in space.
#[track_caller]
pub fn noise_curl3<S: Float>(seed: S::Word, p: Vec3<S>) -> Vec3<S> {
    let p = p.to_array();
    let [a, b, c] = [1u32, 2, 3].map(|k| perlin_gradient(hash(seed, &[S::Word::word(k)]), &p));
    Vec3::new(c[1] - b[2], a[2] - c[0], b[0] - a[1])
}
