//! Logarithms: `log`, `log2`, `log10`, `log1p`.
//!
//! x = 2ᵏ (1 + f) with 1 + f in [2/3, 4/3), and log(1 + f) = f + tail, where f is exact and the tail is
//! −f²/2 + f³ P(f), P minimax in the relative error of the logarithm (2⁻³⁰). The sum with k log 2 keeps the rounding
//! error of its larger half.

use super::Arith;
use super::constant::{
    LN_2_SHORT, LN_2_SHORT_REST, LOG2_E_HI, LOG2_E_LO, LOG10_2_SHORT, LOG10_2_SHORT_REST, LOG10_E_HI, LOG10_E_LO,
};
use super::value::{Bits, Real};

/// (log(1 + f) − f + f²/2) / f³.
const LOG: [f32; 9] = [
    3.333_333_4e-1,
    -2.499_982_7e-1,
    1.999_968_1e-1,
    -1.667_929_4e-1,
    1.430_270_2e-1,
    -1.219_944_9e-1,
    1.076_984_9e-1,
    -1.282_994e-1,
    1.195_701_7e-1,
];

/// The bits of 2/3.
const TWO_THIRDS: i32 = 0x3f2a_aaab;

/// log(1 + f) − f.
#[inline(always)]
fn tail<'a, A: Arith>(f: Real<'a, A>) -> Real<'a, A> {
    (f * f) * f.fma(f.polynomial(LOG), -0.5)
}

/// x = 2ᵏ m for x positive and normal: (k, m) with m in [`low`, 2 `low`), where `low` is given by its bits.
#[inline(always)]
pub(super) fn split<'a, A: Arith>(x: Real<'a, A>, low: i32) -> (Bits<'a, A>, Real<'a, A>) {
    let n = x.bits() - low;
    let m = (n & 0x007f_ffff) + low;
    (n.ashr(23), m.float_of_bits())
}

/// x = 2ᵏ m like [`split`], for x positive, subnormal ones included, with k as a float.
#[inline(always)]
pub(super) fn split_any<'a, A: Arith>(x: Real<'a, A>, low: i32) -> (Real<'a, A>, Real<'a, A>) {
    let subnormal = x.lt(f32::MIN_POSITIVE);
    let (k, m) = split(subnormal.pick(x * 8_388_608.0, x), low);
    (k.float() - subnormal.pick(23.0, 0.0), m)
}

/// A logarithm's value `y` at positive finite `x`, completed: infinity at infinity, −infinity at 0, NaN below and at NaN.
#[inline(always)]
fn complete<'a, A: Arith>(x: Real<'a, A>, y: Real<'a, A>) -> Real<'a, A> {
    let y = x.eq(f32::INFINITY).pick(x, y);
    x.gt(0.0).pick(y, x.eq(0.0).pick(f32::NEG_INFINITY, f32::NAN))
}

/// The natural logarithm of x.
pub fn log<A: Arith>(a: &A, x: A::F) -> A::F {
    let x = Real::new(a, x);
    let (k, m) = split_any(x, TWO_THIRDS);
    let f = m - 1.0;
    complete(x, natural(k, f, tail(f))).v
}

/// k ln 2 + f + rest; `LN_2_SHORT` has bits to spare, so its product with k is exact.
#[inline(always)]
fn natural<'a, A: Arith>(k: Real<'a, A>, f: Real<'a, A>, rest: Real<'a, A>) -> Real<'a, A> {
    let (h, e) = (k * LN_2_SHORT).sum(f);
    h + (e + k.fma(LN_2_SHORT_REST, rest))
}

/// log(1 + f) as a pair: f − f²/2 exactly, then the smaller terms.
#[inline(always)]
fn pair<'a, A: Arith>(f: Real<'a, A>) -> (Real<'a, A>, Real<'a, A>) {
    let (z, lost) = f.product(f);
    let (h, e) = f.sum(z * -0.5);
    (h, (z * f).fma(f.polynomial(LOG), lost.fma(-0.5, e)))
}

/// The logarithm of x to the base 2.
pub fn log2<A: Arith>(a: &A, x: A::F) -> A::F {
    let x = Real::new(a, x);
    let (k, m) = split_any(x, TWO_THIRDS);
    let (h, l) = pair(m - 1.0);
    let (p, e) = h.product(LOG2_E_HI);
    let rest = l.fma(LOG2_E_HI, h.fma(LOG2_E_LO, e));
    let (h, e) = k.sum(p);
    complete(x, h + (e + rest)).v
}

/// The logarithm of x to the base 10.
pub fn log10<A: Arith>(a: &A, x: A::F) -> A::F {
    let x = Real::new(a, x);
    let (k, m) = split_any(x, TWO_THIRDS);
    let (h, l) = pair(m - 1.0);
    let (p, e) = h.product(LOG10_E_HI);
    let rest = l.fma(LOG10_E_HI, h.fma(LOG10_E_LO, e));
    let (h, e) = (k * LOG10_2_SHORT).sum(p);
    complete(x, h + (e + k.fma(LOG10_2_SHORT_REST, rest))).v
}

/// log(1 + x), accurate also near 0.
pub fn log1p<A: Arith>(a: &A, x: A::F) -> A::F {
    let x = Real::new(a, x);
    let u = x + 1.0;
    // What 1 + x lost: exact either way.
    let lost = x.lt(1.0).pick(x - (u - 1.0), 1.0 - (u - x));
    let (k, m) = split(u, TWO_THIRDS);
    // 2^-k; where it could not be written, nothing was lost that matters.
    let scale = x.lt(1e9).pick((0 - k).exp2(), 0.0);
    let lost = x.lt(1e9).pick(lost, 0.0);
    let f0 = m - 1.0;
    let lost = lost * scale;
    let f = f0 + lost;
    let rest = lost - (f - f0);
    let y = natural(k.float(), f, tail(f) + rest * (1.0 - f));
    let y = complete(u, y);
    // Tiny arguments are their own result, −0 and the subnormal ones among them.
    x.abs().lt(2e-8).pick(x, y).v
}
