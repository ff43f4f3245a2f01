//! `asin`, `acos`, `atan`, `atan2`.

use super::Arith;
use super::constant::{FRAC_PI_2_HI, FRAC_PI_2_LO, PI_HI, PI_LO};
use super::value::{Flag, Real};

/// (asin s − s) / s³ in s², for s² ≤ 1/4.
const ASIN: [f32; 6] = [1.666_666e-1, 7.500_52e-2, 4.451_423_5e-2, 3.182_869_4e-2, 1.436_481_5e-2, 3.761_349_6e-2];

/// (atan u − u) / u³ in u², for u ≤ 1.
const ATAN: [f32; 10] = [
    -3.333_332_8e-1,
    1.999_971_6e-1,
    -1.428_034_3e-1,
    1.106_123_4e-1,
    -8.821_469e-2,
    6.763_673e-2,
    -4.498_37e-2,
    2.277_806_6e-2,
    -7.425_606e-3,
    1.134_576_6e-3,
];

/// Scales that lose nothing.
const TWO_TO_100: f32 = f32::from_bits((127 + 100) << 23);
const TWO_TO_MINUS_48: f32 = f32::from_bits((127 - 48) << 23);

/// asin|x| = s + l, or π/2 − 2 (s + l) where `far`.
struct Half<'a, A: Arith> {
    far: Flag<'a, A>,
    s: Real<'a, A>,
    l: Real<'a, A>,
}

/// Above 1/2, asin a = π/2 − 2 asin √((1 − a) / 2). A NaN above 1, from the root.
#[inline(always)]
fn half<'a, A: Arith>(a: Real<'a, A>) -> Half<'a, A> {
    let far = a.gt(0.5);
    let z = far.pick(0.5 - a * 0.5, a * a);
    let root = z.sqrt();
    // What the root lost; the small number keeps 0 / 0 away.
    let lost = root.fma(-root, z) / root.fma(2.0, 1e-30);
    let s = far.pick(root, a);
    let l = (s * z).fma(z.polynomial(ASIN), far.pick(lost, 0.0));
    Half { far, s, l }
}

/// The arc sine of x, in [−π/2, π/2]; NaN outside [−1, 1].
pub fn asin<A: Arith>(a: &A, x: A::F) -> A::F {
    let x = Real::new(a, x);
    let Half { far, s, l } = half(x.abs());
    let (h, e) = x.constant(FRAC_PI_2_HI).sum(s * -2.0);
    let far_value = h + l.fma(-2.0, e + FRAC_PI_2_LO);
    far.pick(far_value, s + l).flip(x.sign()).v
}

/// The arc cosine of x, in [0, π]; NaN outside [−1, 1].
pub fn acos<A: Arith>(a: &A, x: A::F) -> A::F {
    let x = Real::new(a, x);
    let Half { far, s, l } = half(x.abs());
    // B − sign(x) (s + l): B is π/2 near 0, with doubled s and l 0 near 1 and π near −1.
    let negative = x.lt(0.0);
    let base = far.pick(negative.pick(PI_HI, 0.0), FRAC_PI_2_HI);
    let base_rest = far.pick(negative.pick(PI_LO, 0.0), FRAC_PI_2_LO);
    let factor = far.pick(negative.pick(-2.0, 2.0), negative.pick(1.0, -1.0));
    let (h, e) = base.sum(s * factor);
    (h + l.fma(factor, e + base_rest)).v
}

/// The terms after u of atan(u + l), for 0 ≤ u ≤ 1.
#[inline(always)]
fn atan_rest<'a, A: Arith>(u: Real<'a, A>, l: Real<'a, A>) -> Real<'a, A> {
    let z = u * u;
    // d/du atan u = 1 / (1 + u²), near enough 1 − u²/2 for l.
    (u * z).fma(z.polynomial(ATAN), l.fma(z * -0.5, l))
}

/// The arc tangent of x, in [−π/2, π/2].
pub fn atan<A: Arith>(a: &A, x: A::F) -> A::F {
    let x = Real::new(a, x);
    let size = x.abs().at_most(1e20);
    let far = size.gt(1.0);
    let inverse = 1.0 / size;
    let lost = inverse * inverse.fma(-size, 1.0);
    let u = far.pick(inverse, size);
    let rest = atan_rest(u, far.pick(lost, 0.0));
    let (h, e) = x.constant(FRAC_PI_2_HI).sum(-u);
    let far_value = h + (e + (FRAC_PI_2_LO - rest));
    far.pick(far_value, u + rest).flip(x.sign()).v
}

/// The angle of the point (x, y), in [−π, π]: C's `atan2f`, special cases included.
pub fn atan2<A: Arith>(a: &A, y: A::F, x: A::F) -> A::F {
    let (y, x) = (Real::new(a, y), Real::new(a, x));
    let (up, along) = (y.abs(), x.abs());
    let steep = up.gt(along);
    let (n, d) = (steep.pick(along, up), steep.pick(up, along));

    // n / d = u + l with 0 ≤ u ≤ 1: scaled, so that the remainder of the division is not lost, and with
    // 0 / 0 taken for 0 / 1, ∞ / ∞ for 1 / 1.
    let scale = d.lt(1e-20).pick(TWO_TO_100, d.gt(1e20).pick(TWO_TO_MINUS_48, 1.0));
    let infinite = d.eq(f32::INFINITY);
    let n = infinite.pick(n.eq(f32::INFINITY).pick(1.0, 0.0), n * scale);
    let d = (infinite | d.eq(0.0)).pick(1.0, d * scale);
    let u = n / d;
    let l = u.fma(-d, n) / d;
    let rest = atan_rest(u, l);

    // base ± (u + rest).
    let left = x.is_signed();
    let base = steep.pick(FRAC_PI_2_HI, left.pick(PI_HI, 0.0));
    let base_rest = steep.pick(FRAC_PI_2_LO, left.pick(PI_LO, 0.0));
    let factor = steep.pick(left.pick(1.0, -1.0), left.pick(-1.0, 1.0));
    let (h, e) = base.sum(u * factor);
    let angle = h + rest.fma(factor, e + base_rest);
    let known = x.eq(x) & y.eq(y);
    known.pick(angle, f32::NAN).flip(y.sign()).v
}
