//! Exponentials: `exp`, `exp2`, `expm1`.
//!
//! x = i ln 2 + r with |r| ≤ ln 2 / 2, and eˣ = 2ⁱ (1 + r + t), where r is exact and t holds the rest of the series
//! (minimax in the relative error, below 2⁻²⁸) together with what was cut off ln 2. 1 + r is added with its rounding
//! error kept, so that the result is rounded about once.

use super::Arith;
use super::constant::{LN_2_HI, LN_2_LO};
use super::value::{Bits, Real};

/// Adding this to a float below 2²² in magnitude leaves the nearest integer in the low bits.
pub(super) const ROUNDER: f32 = 12_582_912.0;

/// (eʳ − 1 − r) / r².
const EXP: [f32; 5] = [4.999_999_4e-1, 1.666_651_7e-1, 4.166_827_7e-2, 8.369_249e-3, 1.382_111e-3];

/// (2ʳ − 1 − r ln 2) / r².
const EXP2: [f32; 5] = [2.402_264_8e-1, 5.550_360_7e-2, 9.618_507e-3, 1.339_112_6e-3, 1.532_756_7e-4];

/// (eʳ − 1 − r) / r², one degree more: eʳ − 1 is wanted to a relative error.
const EXPM1: [f32; 6] = [5.0e-1, 1.666_666_6e-1, 4.166_648_5e-2, 8.333_542e-3, 1.393_322_7e-3, 1.976_610_5e-4];

/// eˣ = 2ⁱ (1 + r + t).
pub(super) struct Parts<'a, A: Arith> {
    /// The power of two.
    pub(super) i: Bits<'a, A>,
    /// The reduced argument, exact.
    pub(super) r: Real<'a, A>,
    /// eʳ − 1 − r and the effect of the reduction's rounding.
    pub(super) t: Real<'a, A>,
}

impl<'a, A: Arith> Parts<'a, A> {
    /// The parts of eˣ for |x| < 2²².
    #[inline(always)]
    fn of<const N: usize>(x: Real<'a, A>, series: [f32; N]) -> Self {
        let shifted = x.fma(std::f32::consts::LOG2_E, ROUNDER);
        let k = shifted - ROUNDER;
        let i = shifted.bits() - ROUNDER.to_bits().cast_signed();
        let r = k.fma(-LN_2_HI, x);
        let cut = k * -LN_2_LO;
        let t = (r * r).fma(r.polynomial(series), cut.fma(r, cut));
        Self { i, r, t }
    }

    /// The parts of eˣ for |x| < 2²², as precise as the hyperbolic functions and `exp` need.
    #[inline(always)]
    pub(super) fn new(x: Real<'a, A>) -> Self {
        Self::of(x, EXP)
    }

    /// 1 + r + t, rounded.
    #[inline(always)]
    pub(super) fn mantissa(&self) -> Real<'a, A> {
        let (one, e) = self.r.constant(1.0).sum(self.r);
        one + (e + self.t)
    }

    /// 1 + r + t, rounded, and what that lost.
    #[inline(always)]
    pub(super) fn mantissa_pair(&self) -> (Real<'a, A>, Real<'a, A>) {
        let (one, e) = self.r.constant(1.0).sum(self.r);
        one.sum(e + self.t)
    }
}

/// m 2ⁱ, rounded once, for i in −252 ..= 254.
#[inline(always)]
pub(super) fn scale<'a, A: Arith>(m: Real<'a, A>, i: Bits<'a, A>) -> Real<'a, A> {
    let half = i.ashr(1);
    m * half.exp2() * (i - half).exp2()
}

/// eˣ.
pub fn exp<A: Arith>(a: &A, x: A::F) -> A::F {
    let x = Real::new(a, x).at_most(90.0).at_least(-110.0);
    let parts = Parts::new(x);
    scale(parts.mantissa(), parts.i).v
}

/// 2ˣ for a number h + l with −180 < h < 180 and |l| small beside 1: (m, i) with 2ˣ = m 2ⁱ.
#[inline(always)]
pub(super) fn exp2_parts<'a, A: Arith>(h: Real<'a, A>, l: Option<Real<'a, A>>) -> (Real<'a, A>, Bits<'a, A>) {
    let shifted = h + ROUNDER;
    let r = h - (shifted - ROUNDER);
    let i = shifted.bits() - ROUNDER.to_bits().cast_signed();
    let (p, e) = r.product(LN_2_HI);
    let t = (r * r).fma(r.polynomial(EXP2), r.fma(LN_2_LO, e));
    let (one, e) = p.constant(1.0).sum(p);
    let t = e + t;
    // d/dh 2^h = 2^h ln 2.
    let t = l.map_or(t, |l| (l * LN_2_HI).fma(one + t, t));
    (one + t, i)
}

/// 2ˣ.
pub fn exp2<A: Arith>(a: &A, x: A::F) -> A::F {
    let x = Real::new(a, x).at_most(130.0).at_least(-160.0);
    let (m, i) = exp2_parts(x, None);
    scale(m, i).v
}

/// eˣ − 1, accurate also near 0.
pub fn expm1<A: Arith>(a: &A, x: A::F) -> A::F {
    let x = Real::new(a, x);
    let Parts { i, r, t } = Parts::of(x.at_most(89.0).at_least(-30.0), EXPM1);
    // Half of 2^i (r + t) + (2^i − 1), so that i = 128 does not overflow early.
    let s = (i - 1).exp2();
    let (c, lost) = s.sum(-0.5);
    let (h, e) = c.sum(r * s);
    let y = (h + t.fma(s, e + lost)) * 2.0;
    // Tiny arguments are their own result, −0 and the subnormal ones among them.
    x.abs().lt(2e-8).pick(x, y).v
}
