//! `sin`, `cos`, `tan`, right for every argument.
//!
//! The reduction is Payne and Hanek's, in integers: |x| = m 2ᵉ with an integer m is multiplied by those 96 bits of 2/π
//! that matter for it, modulo 2⁹⁶ (that is, modulo four quadrants). What comes out in the two top words is the quadrant and
//! 62 bits of the fraction, enough for the float closest to a multiple of π/2 (its fraction is about 2⁻³⁰).
//! Arguments up to π/4 are left as they are.

use super::Arith;
use super::constant::{FRAC_PI_2_HI, FRAC_PI_2_LO};
use super::value::{Bits, Real};

/// The bits of 2/π from the place of weight 2²⁵ on, thirty-two a word.
const TWO_OVER_PI: [u32; 7] =
    [0x0000_0028, 0xbe60_db93, 0x9105_4a7f, 0x09d5_f47d, 0x4d37_7036, 0xd8a5_664f, 0x10e4_107f];

/// (sin r − r) / r³ in r².
const SIN: [f32; 3] = [-1.666_665_4e-1, 8.332_107e-3, -1.950_818_7e-4];

/// (cos r − 1 + r²/2) / r⁴ in r².
const COS: [f32; 3] = [4.166_664_6e-2, -1.388_730_5e-3, 2.443_142_5e-5];

/// (tan r − r) / r³ in r².
const TAN: [f32; 7] =
    [3.333_335_2e-1, 1.333_257_9e-1, 5.406_954e-2, 2.123_249_1e-2, 1.096_462_6e-2, -7.375_768e-5, 4.456_839_5e-3];

/// |x| = q π/2 + r + l, with |r| ≤ π/4 and l the rounding error of r; q is right modulo 4.
struct Reduced<'a, A: Arith> {
    q: Bits<'a, A>,
    r: Real<'a, A>,
    l: Real<'a, A>,
}

#[inline(always)]
fn reduce<'a, A: Arith>(x: Real<'a, A>) -> Reduced<'a, A> {
    let size = x.abs();
    let n = size.bits();
    // |x| = m 2^(e - 24) for |x| >= 1/2, with m even but for e = -1: so e needs no case of its own below 0.
    let e = n.lshr(23) - 127;
    let below = e.lshr(31);
    let m = ((n & 0x007f_ffff) | 0x0080_0000).shl(1).lshr(below);
    let e = e + below;

    // The window of 2/pi that starts e bits in: by words, then by bits.
    let word = |k: usize| TWO_OVER_PI[k].cast_signed();
    let near = (e & 64).is_zero();
    let by_two: [_; 5] = std::array::from_fn(|k| near.pick_bits(word(k), word(k + 2)));
    let near = (e & 32).is_zero();
    let by_one: [_; 4] = std::array::from_fn(|k| near.pick_bits(by_two[k], by_two[k + 1]));
    let left = e & 31;
    let right = left ^ 31;
    let [w0, w1, w2] = std::array::from_fn(|k| by_one[k].shl(left) | by_one[k + 1].lshr(1).lshr(right));

    // The top 64 of the low 96 bits of m w: quadrants in units of 2^-62.
    let low = m * w1;
    let lo = low + m.mul_high(w2);
    let carry = lo.below(low).pick_bits(1, 0);
    let hi = m * w0 + m.mul_high(w1) + carry;
    let q = (hi + 0x2000_0000).lshr(30);
    let hi = hi - q.shl(30);

    // The fraction as a pair, from three pieces that are exact: 24 bits with the sign, 24 and 14.
    let upper = (hi & !63).float() * exp2i(-30);
    let middle = ((hi & 63).shl(18) | lo.lshr(14)).float() * exp2i(-48);
    let (f, g) = upper.sum(middle);
    let g = (lo & 0x3fff).float().fma(exp2i(-62), g);
    let (r, l) = f.product(FRAC_PI_2_HI);
    let l = g.fma(FRAC_PI_2_HI, f.fma(FRAC_PI_2_LO, l));

    let small = size.lt(std::f32::consts::FRAC_PI_4);
    // Infinity has no remainder: its mantissa would pass for a number.
    let r = size.lt(f32::INFINITY).pick(r, f32::NAN);
    Reduced { q: small.pick_bits(0, q), r: small.pick(size, r), l: small.pick(0.0, l) }
}

/// 2 to the power n, a constant.
fn exp2i(n: i32) -> f32 {
    f32::from_bits(((127 + n) << 23).cast_unsigned())
}

/// sin(r + l) for |r| ≤ π/4.
#[inline(always)]
fn sine<'a, A: Arith>(r: Real<'a, A>, l: Real<'a, A>, z: Real<'a, A>) -> Real<'a, A> {
    let rest = (r * z).fma(z.polynomial(SIN), l.fma(z * -0.5, l));
    r + rest
}

/// cos(r + l) for |r| ≤ π/4.
#[inline(always)]
fn cosine<'a, A: Arith>(r: Real<'a, A>, l: Real<'a, A>, z: Real<'a, A>) -> Real<'a, A> {
    let (one, e) = z.constant(1.0).sum(z * -0.5);
    one + (e + (z * z).fma(z.polynomial(COS), -(r * l)))
}

/// sin(x + n π/2), where `sign` is flipped in.
#[inline(always)]
fn quarter<'a, A: Arith>(Reduced { q, r, l }: Reduced<'a, A>, n: i32, sign: Option<Bits<'a, A>>) -> Real<'a, A> {
    let z = r * r;
    let q = if n == 0 { q } else { q + n };
    let y = (q & 1).is_zero().pick(sine(r, l, z), cosine(r, l, z));
    let turned = (q & 2).shl(30);
    y.flip(sign.map_or(turned, |s| turned ^ s))
}

/// The sine of x, an angle in radians.
pub fn sin<A: Arith>(a: &A, x: A::F) -> A::F {
    let x = Real::new(a, x);
    quarter(reduce(x), 0, Some(x.sign())).v
}

/// The cosine of x, an angle in radians.
pub fn cos<A: Arith>(a: &A, x: A::F) -> A::F {
    quarter(reduce(Real::new(a, x)), 1, None).v
}

/// The tangent of x, an angle in radians.
pub fn tan<A: Arith>(a: &A, x: A::F) -> A::F {
    let x = Real::new(a, x);
    let Reduced { q, r, l } = reduce(x);
    let z = r * r;
    let rest = (r * z).fma(z.polynomial(TAN), l.fma(z, l));
    let (t, e) = r.sum(rest);
    // In the odd quadrants -1 / (t + e), with one step of Newton's.
    let v = -1.0 / t;
    let inverse = v.fma(v.fma(e, v.fma(t, 1.0)), v);
    (q & 1).is_zero().pick(t, inverse).flip(x.sign()).v
}
