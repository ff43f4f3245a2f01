//! `rem`: the remainder of the division that truncates, exact.

use super::Arith;
use super::log::split_any;
use super::value::{Bits, Real};

/// How many bits of the quotient one step takes.
const STEP: i32 = 22;
/// How many steps: the exponents of two floats differ by at most 276.
const STEPS: usize = 13;

/// x − trunc(x / y) y, exact: C's `fmodf`, special cases included.
///
/// With |x| = m 2ʲ and |y| = d 2ᵏ the remainder of m 2ʲ⁻ᵏ by d is found twenty-two bits at a time, as a signed number
/// below d in magnitude; each step is exact, since what remains is a multiple of 2⁻²³ below 2.
pub fn rem<A: Arith>(a: &A, x: A::F, y: A::F) -> A::F {
    let (x, y) = (Real::new(a, x), Real::new(a, y));
    let (size, by) = (x.abs(), y.abs());
    let (j, m) = split_any(size, 1.0_f32.to_bits().cast_signed());
    let (k, d) = split_any(by, 1.0_f32.to_bits().cast_signed());
    let inverse = 1.0 / d;
    let mut left = (j - k).at_least(0.0);
    let mut r = m;
    for _ in 0..STEPS {
        let step = left.at_most(STEP as f32);
        left = left - step;
        r = r * power_of_two(step);
        r = (r * inverse).rint().fma(-d, r);
    }
    let r = r.lt(0.0).pick(r + d, r);
    // Back to the scale of y: twice, since 2^k alone may be subnormal.
    let k = whole(k);
    let half = k.ashr(1);
    let r = r * half.exp2() * (k - half).exp2();
    let r = size.lt(by).pick(size, r).flip(x.sign());
    let defined = size.lt(f32::INFINITY) & by.gt(0.0);
    defined.pick(r, f32::NAN).v
}

/// The integer-valued float n as an integer, |n| < 2²².
#[inline(always)]
fn whole<'a, A: Arith>(n: Real<'a, A>) -> Bits<'a, A> {
    const ROUNDER: f32 = 12_582_912.0;
    (n + ROUNDER).bits() - ROUNDER.to_bits().cast_signed()
}

/// 2 to the power n, for an integer-valued float in 0 ..= 22.
#[inline(always)]
fn power_of_two<'a, A: Arith>(n: Real<'a, A>) -> Real<'a, A> {
    whole(n).exp2()
}
