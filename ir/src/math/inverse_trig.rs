//! `asin`, `acos`, `atan`, `atan2`.

use super::Arith;
use super::constant::{
    FRAC_PI_2_HI, FRAC_PI_2_LO, FRAC_PI_4_HI, FRAC_PI_4_LO, PI_HI, PI_LO, THREE_PI_4_HI, THREE_PI_4_LO,
};
use super::value::{Flag, Real};

/// (asin s − s) / s³ in s², for s² ≤ 1/4.
const ASIN: [f32; 6] = [1.666_666e-1, 7.500_52e-2, 4.451_423_5e-2, 3.182_869_4e-2, 1.436_481_5e-2, 3.761_349_6e-2];

/// (atan u − u) / u³ in u², for |u| ≤ tan(π/8).
const ATAN: [f32; 5] = [-3.333_331_3e-1, 1.999_835_7e-1, -1.424_122_6e-1, 1.057_589_4e-1, -6.030_924e-2];

/// tan(π/8).
const TAN_PI_8: f32 = std::f32::consts::SQRT_2 - 1.0;

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

/// base ± atan(n / d) for 0 ≤ n ≤ d, where the angle of the point (n, d) is counted from an axis.
///
/// `steep`: from the vertical axis, so π/2 − … or, `left`, π/2 + …; else from the horizontal one, … or π − ….
#[inline(always)]
fn angle<'a, A: Arith>(n: Real<'a, A>, d: Real<'a, A>, steep: Flag<'a, A>, left: Option<Flag<'a, A>>) -> Real<'a, A> {
    // Above π/8 it is counted from the diagonal: atan(n / d) = π/4 + atan((n − d) / (n + d)).
    let high = n.gt(d * TAN_PI_8);
    let (difference, e) = d.sum(-n);
    let (total, f) = d.sum(n);
    let (over, over_lost) = (high.pick(-difference, n), high.pick(-e, 0.0));
    let (under, under_lost) = (high.pick(total, d), high.pick(f, 0.0));
    // The quotient u + l.
    let inverse = 1.0 / under;
    let u = over * inverse;
    let l = (u.fma(-under, over) + u.fma(-under_lost, over_lost)) * inverse;
    // atan(u + l) = u + rest; d/du atan u = 1 / (1 + u²), near enough 1 − u² for l.
    let z = u * u;
    let rest = (u * z).fma(z.polynomial(ATAN), l.fma(-z, l));

    let (base, base_rest, factor) = match left {
        None => (
            high.pick(FRAC_PI_4_HI, steep.pick(FRAC_PI_2_HI, 0.0)),
            high.pick(FRAC_PI_4_LO, steep.pick(FRAC_PI_2_LO, 0.0)),
            steep.pick(-1.0, 1.0),
        ),
        Some(left) => (
            high.pick(left.pick(THREE_PI_4_HI, FRAC_PI_4_HI), steep.pick(FRAC_PI_2_HI, left.pick(PI_HI, 0.0))),
            high.pick(left.pick(THREE_PI_4_LO, FRAC_PI_4_LO), steep.pick(FRAC_PI_2_LO, left.pick(PI_LO, 0.0))),
            steep.pick(left.pick(1.0, -1.0), left.pick(-1.0, 1.0)),
        ),
    };
    let (h, e) = base.sum(u * factor);
    h + rest.fma(factor, e + base_rest)
}

/// The arc tangent of x, in [−π/2, π/2].
pub fn atan<A: Arith>(a: &A, x: A::F) -> A::F {
    let x = Real::new(a, x);
    let size = x.abs().at_most(1e20);
    let steep = size.gt(1.0);
    let one = x.constant(1.0);
    angle(steep.pick(one, size), steep.pick(size, one), steep, None).flip(x.sign()).v
}

/// The angle of the point (x, y), in [−π, π]: C's `atan2f`, special cases included.
pub fn atan2<A: Arith>(a: &A, y: A::F, x: A::F) -> A::F {
    let (y, x) = (Real::new(a, y), Real::new(a, x));
    let (up, along) = (y.abs(), x.abs());
    let steep = up.gt(along);
    let (n, d) = (steep.pick(along, up), steep.pick(up, along));
    // Scaled, so that the remainder of the division is not lost, and with 0 / 0 taken for 0 / 1, ∞ / ∞ for 1 / 1.
    let scale = d.lt(1.0).pick(TWO_TO_100, d.gt(1e20).pick(TWO_TO_MINUS_48, 1.0));
    let infinite = d.eq(f32::INFINITY);
    let n = infinite.pick(n.eq(f32::INFINITY).pick(1.0, 0.0), n * scale);
    let d = (infinite | d.eq(0.0)).pick(1.0, d * scale);
    let known = x.eq(x) & y.eq(y);
    known.pick(angle(n, d, steep, Some(x.is_signed())), f32::NAN).flip(y.sign()).v
}
