//! `pow` and `cbrt`.

use super::Arith;
use super::constant::{LOG2_E_HI, LOG2_E_LO};
use super::exp::{exp2_parts, scale};
use super::log::split_any;
use super::value::{Bits, Real};

/// (atanh(s) / s − 1 − s²/3) / s⁴ in s², for |s| ≤ 0.1734.
const ATANH: [f32; 3] = [2.000_007_6e-1, 1.427_306_7e-1, 1.172_169_6e-1];

/// 1/3 and what it leaves.
const THIRD_HI: f32 = 1.0 / 3.0;
const THIRD_LO: f32 = -9.934_108e-9;

/// ∛m, minimax in the relative error (2⁻¹⁷) on [1/2, 1].
const CBRT: [f32; 5] = [4.023_905_7e-1, 1.139_993_9, -9.543_729e-1, 5.466_373_6e-1, -1.346_581_6e-1];

/// ∛2 and ∛4.
const CBRT_2: f32 = 1.259_921;
const CBRT_4: f32 = 1.587_401;

/// The bits of √½.
const SQRT_HALF: i32 = 0x3f35_04f3;

/// log₂ x = h + l for x positive and finite, to about 2⁻³⁵ of its size.
///
/// x = 2ᵏ m with m in [√½, √2); ln m = 2 atanh s with s = (m − 1) / (m + 1), all in pairs of floats but the last terms.
#[inline(always)]
fn log2_pair<'a, A: Arith>(x: Real<'a, A>) -> (Real<'a, A>, Real<'a, A>) {
    let (k, m) = split_any(x, SQRT_HALF);
    let f = m - 1.0;
    let d = m + 1.0;
    let d_lost = m - (d - 1.0);
    let inverse = 1.0 / d;
    let s = f * inverse;
    let s_lost = s.fma(-d_lost, s.fma(-d, f)) * inverse;
    let (z, e) = s.product(s);
    let z_lost = (s * 2.0).fma(s_lost, e);
    // z/3 + z² …
    let (c, e) = z.product(THIRD_HI);
    let c_lost = (z * z).fma(z.polynomial(ATANH), z_lost.fma(THIRD_HI, z.fma(THIRD_LO, e)));
    // s + s c.
    let (p, e) = s.product(c);
    let p_lost = s.fma(c_lost, e) + s_lost.fma(c, s_lost);
    let (h, e) = s.sum(p);
    let (h, l) = h.sum(e + p_lost);
    let l = l * (2.0 * LOG2_E_HI);
    let (h, e) = h.product(2.0 * LOG2_E_HI);
    let l = h.fma(LOG2_E_LO / LOG2_E_HI, e + l);
    let (h, e) = k.sum(h);
    (h, e + l)
}

/// x to the power y: C's `powf`, special cases included.
pub fn pow<A: Arith>(a: &A, x: A::F, y: A::F) -> A::F {
    let (x, y) = (Real::new(a, x), Real::new(a, y));
    let size = x.abs();
    let (h, l) = log2_pair(size);
    // Beyond 2^40 y makes every logarithm but 0 overflow or underflow.
    let bounded = y.at_most(1.1e12).at_least(-1.1e12);
    let (p, e) = bounded.product(h);
    let rest = bounded.fma(l, e);
    let inside = p.abs().lt(170.0);
    let p = p.at_most(170.0).at_least(-170.0);
    let (m, i) = exp2_parts(p, Some(inside.pick(rest, 0.0)));
    let y_value = scale(m, i);

    // 0 and infinity go to 0 or infinity.
    let inverse = y.lt(0.0).pick(1.0 / size, size);
    let extreme = size.eq(0.0) | size.eq(f32::INFINITY);
    let value = extreme.pick(inverse, y_value);

    // A negative base: the sign of an odd power, NaN for a broken one.
    let negative = x.lt(0.0);
    let whole = y.rint().eq(y);
    let half = y * 0.5;
    let odd = whole & !half.rint().eq(half);
    let value = (negative & !whole & !extreme).pick(f32::NAN, value);
    let sign = (odd & x.is_signed()).pick_bits(i32::MIN, 0);
    let value = value.flip(sign);

    let value = (x.eq(x) & y.eq(y)).pick(value, f32::NAN);
    (y.eq(0.0) | x.eq(1.0)).pick(1.0, value).v
}

/// The cube root of x.
pub fn cbrt<A: Arith>(a: &A, x: A::F) -> A::F {
    let x = Real::new(a, x);
    let size = x.abs();
    let subnormal = size.lt(f32::MIN_POSITIVE);
    let n = subnormal.pick(size * 16_777_216.0, size).bits();
    // |x| = m 2^(e - 126) with m in [1/2, 1) and e = 3 k + j: the root is ∛(m 2^j) 2^(k - 42).
    let m = ((n & 0x007f_ffff) | 0x3f00_0000).float_of_bits();
    let e = n.lshr(23);
    let k = (e * 21_846).lshr(16);
    let j: Bits<'_, A> = e - k * 3;
    let v = m * j.exp2();
    let start = m.polynomial(CBRT) * j.is_zero().pick(1.0, (j - 1).is_zero().pick(CBRT_2, CBRT_4));
    // Newton's step twice with one division, the second with the remainder exact.
    let inverse = 1.0 / (start * start * 3.0);
    let y = (start * start).fma(-start, v).fma(inverse, start);
    let (z, e) = y.product(y);
    let remainder = e.fma(-y, z.fma(-y, v));
    let y = remainder.fma(inverse, y);
    let k = k - subnormal.pick_bits(50, 42);
    let ordinary = size.gt(0.0) & size.lt(f32::INFINITY);
    ordinary.pick((y * k.exp2()).flip(x.sign()), x).v
}
