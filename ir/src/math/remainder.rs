//! `rem`: the remainder of the division that truncates, exact.

use super::Arith;
use super::exp::ROUNDER;
use super::log::split_any;
use super::value::{Bits, Real};

/// How many bits of the quotient one step takes.
const STEP: i32 = 22;
/// How many steps after the first: the exponents of two floats differ by at most 276.
const STEPS: i32 = 276 / STEP;

/// x − trunc(x / y) y, exact: C's `fmodf`, special cases included.
///
/// With |x| = m 2ʲ and |y| = d 2ᵏ the remainder of m 2ʲ⁻ᵏ by d is found twenty-two bits at a time, as a signed number
/// below d in magnitude; each step is exact, since what remains is a multiple of 2⁻²³ below 2.
pub fn rem<'a, A: Arith>(a: &'a A, x: A::F, y: A::F) -> A::F {
    let (x, y) = (Real::new(a, x), Real::new(a, y));
    let (size, by) = (x.abs(), y.abs());
    let (j, m) = split_any(size, 1.0_f32.to_bits().cast_signed());
    let (k, d) = split_any(by, 1.0_f32.to_bits().cast_signed());
    let k = whole(k);
    let apart = whole(j) - k;
    // apart = 22 · full + first; 2979 / 2^16 is 1 / 22 near enough. Where |x| < |y| they mean nothing.
    let full = (apart * 2979).lshr(16);
    let first = apart - full * STEP;
    let inverse = 1.0 / d;
    // The quotient is rounded to an integer by the shift of its bits.
    let reduce = |r: Real<'a, A>, scale: Real<'a, A>| {
        let quotient = r.fma(inverse * scale, ROUNDER) - ROUNDER;
        quotient.fma(-d, r * scale)
    };
    let mut r = reduce(m, first.exp2());
    for step in 0..STEPS {
        let more = Bits::constant(a, step).below(full);
        r = reduce(r, more.pick(4_194_304.0, 1.0));
    }
    let r = r.lt(0.0).pick(r + d, r);
    // Back to the scale of y: in two factors, since 2^k alone may be subnormal.
    let half = k.ashr(1);
    let r = r * half.exp2() * (k - half).exp2();
    let r = size.lt(by).pick(size, r).flip(x.sign());
    let defined = size.lt(f32::INFINITY) & by.gt(0.0);
    defined.pick(r, f32::NAN).v
}

/// The integer-valued float n as an integer, |n| < 2²².
#[inline(always)]
fn whole<'a, A: Arith>(n: Real<'a, A>) -> Bits<'a, A> {
    (n + ROUNDER).bits() - ROUNDER.to_bits().cast_signed()
}
