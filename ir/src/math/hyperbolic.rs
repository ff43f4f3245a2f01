//! `sinh`, `cosh`, `tanh`.
//!
//! From eᵃ = 2ⁱ (1 + r + t) ([`super::exp`]) with the leading sums kept exact; `sinh` and `tanh` near 0 by odd
//! polynomials, minimax in the relative error.

use super::Arith;
use super::exp::Parts;
use super::value::Real;

/// (sinh a − a) / a³ in a², for a ≤ 1.
const SINH: [f32; 4] = [1.666_666_7e-1, 8.333_310_5e-3, 1.984_289_6e-4, 2.782_213_2e-6];

/// (tanh a − a) / a³ in a², for a ≤ 0.62.
const TANH: [f32; 6] = [-3.333_333e-1, 1.333_322_4e-1, -5.394_879_4e-2, 2.171_123e-2, -8.202_679e-3, 2.165_798_6e-3];

/// (e^a ± e^−a) / 2 for a ≥ 0.
#[inline(always)]
fn half_sum<'a, A: Arith>(a: Real<'a, A>, plus: bool) -> Real<'a, A> {
    let parts = Parts::new(a.at_most(89.5));
    // A quarter of e^a, so that the largest results do not overflow early; e^−a / 4 is 1/16 of its inverse.
    let s = (parts.i - 2).exp2();
    let inverse = (if plus { 0.0625 } else { -0.0625 }) / (s * parts.mantissa());
    let (h, e) = s.sum(s * parts.r);
    let (h, f) = h.sum(inverse);
    (h + (f + s.fma(parts.t, e))) * 2.0
}

/// The hyperbolic sine of x.
pub fn sinh<A: Arith>(a: &A, x: A::F) -> A::F {
    let x = Real::new(a, x);
    let size = x.abs();
    let z = size * size;
    let near = (size * z).fma(z.polynomial(SINH), size);
    size.lt(1.0).pick(near, half_sum(size, false)).flip(x.sign()).v
}

/// The hyperbolic cosine of x.
pub fn cosh<A: Arith>(a: &A, x: A::F) -> A::F {
    half_sum(Real::new(a, x).abs(), true).v
}

/// The hyperbolic tangent of x.
pub fn tanh<A: Arith>(a: &A, x: A::F) -> A::F {
    let x = Real::new(a, x);
    let size = x.abs();
    let z = size * size;
    let near = (size * z).fma(z.polynomial(TANH), size);
    // 1 − 2 / (e^2a + 1), which at 10 is 1, with e^2a as a pair.
    let parts = Parts::new((size * 2.0).at_most(20.0));
    let (m, lost) = parts.mantissa_pair();
    let s = parts.i.exp2();
    let (d, e) = (s * m).sum(1.0);
    let v = 2.0 / d;
    let v = (v * 0.5).fma(-(v * s.fma(lost, e)), v);
    let far = 1.0 - v;
    size.lt(0.62).pick(near, far).flip(x.sign()).v
}
