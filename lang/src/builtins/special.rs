//! Error functions, their inverses, and the logarithm of the gamma function with its derivatives; and the
//! smaller functions of scalars that graphics and physics use.
//!
//! The approximations are rational functions and series without branches, the same on the host and in kernels.
//! Their errors as the tests measure them, in units of the last place, in both precisions: erf 3, erfc 4, erfinv
//! and erfcinv 5, the inverse hyperbolic functions 2. Each has its derivative by formula.

use super::{exp, log};
use crate::scalar::{Float, Scalar};
use std::f64::consts::{PI, SQRT_2};

/// c₀ + c₁ x + c₂ x² + …
#[track_caller]
fn poly<S: Float>(x: S, coefficients: &[f64]) -> S {
    let mut terms = coefficients.iter().rev();
    let mut sum = S::lit(terms.next().copied().unwrap_or(0.0));
    for &c in terms {
        sum = x.fma(sum, S::lit(c));
    }
    sum
}

/// A function of one number with its derivative, which is given the number and the value.
#[track_caller]
fn smooth<S: Float>(x: S, value: impl Fn(S) -> S, derivative: impl Fn(S, S) -> S) -> S {
    let one = |all: &[S]| vec![value(all[0])];
    S::custom(&[x], one, None, |x, y, ct| vec![derivative(x[0], y[0]) * ct[0]])[0]
}

/// exp(-y²) for y >= 0, by a square split so that its rounding does no harm.
#[track_caller]
fn exp_of_square<S: Float>(y: S) -> S {
    let coarse = (y * S::lit(16.0)).trunc() * S::lit(1.0 / 16.0);
    let rest = (y - coarse) * (y + coarse);
    exp(-(coarse * coarse)) * exp(-rest)
}

/// erf(x) for small |x|, and erfc(|x|) for the others (Cody 1969, *Rational Chebyshev approximations for the error
/// function*).
#[track_caller]
fn error_functions<S: Float>(x: S) -> (S, S) {
    let (one, four) = (S::lit(1.0), S::lit(4.0));
    // Beyond 30 erfc is 0 in either precision.
    let most = S::lit(30.0);
    let y = S::pick(most.less(x.magnitude()), most, x.magnitude());
    let square = x * x;
    let near = x * poly(
        square,
        &[
            3.209_377_589_138_469_4e3,
            3.774_852_376_853_02e2,
            1.138_641_541_510_501_6e2,
            3.161_123_743_870_565_6,
            1.857_777_061_846_031_5e-1,
        ],
    ) / poly(
        square,
        &[
            2.844_236_833_439_171e3,
            1.282_616_526_077_372_3e3,
            2.440_246_379_344_441_7e2,
            2.360_129_095_234_412_2e1,
            1.0,
        ],
    );
    let middle = poly(
        y,
        &[
            1.230_339_354_797_997_2e3,
            2.051_078_377_826_071_6e3,
            1.712_047_612_634_070_7e3,
            8.819_522_212_417_69e2,
            2.986_351_381_974_001e2,
            6.611_919_063_714_163e1,
            8.883_149_794_388_377,
            5.641_884_969_886_701e-1,
            2.153_115_354_744_038_3e-8,
        ],
    ) / poly(
        y,
        &[
            1.230_339_354_803_749_5e3,
            3.439_367_674_143_721_6e3,
            4.362_619_090_143_247e3,
            3.290_799_235_733_459_7e3,
            1.621_389_574_566_690_3e3,
            5.371_811_018_620_099e2,
            1.176_939_508_913_125e2,
            1.574_492_611_070_983_3e1,
            1.0,
        ],
    );
    let far_y = y.maximum(four);
    let inverse = one / (far_y * far_y);
    let correction = inverse
        * poly(
            inverse,
            &[
                6.587_491_615_298_378e-4,
                1.608_378_514_874_227_6e-2,
                1.257_817_261_112_292_6e-1,
                3.603_448_999_498_044_5e-1,
                3.053_266_349_612_323_6e-1,
                1.631_538_713_730_209_7e-2,
            ],
        )
        / poly(
            inverse,
            &[
                2.335_204_976_268_691_8e-3,
                6.051_834_131_244_132e-2,
                5.279_051_029_514_285e-1,
                1.872_952_849_923_460_4,
                2.568_520_192_289_822,
                1.0,
            ],
        );
    let far = (S::lit(1.0 / PI.sqrt()) - correction) / far_y;
    let tail = S::pick(y.less_eq(four), middle, far) * exp_of_square(y);
    (near, tail)
}

/// Where the series of erf ends.
const NEAR: f64 = 0.468_75;

/// The error function 2/√π ∫₀ˣ exp(−t²) dt, to 3 ULP. Derivative 2/√π exp(−x²).
#[track_caller]
pub fn erf<S: Float>(x: S) -> S {
    smooth(
        x,
        |x| {
            let (near, tail) = error_functions(x);
            let (zero, one) = (S::lit(0.0), S::lit(1.0));
            let far = one - tail;
            S::pick(x.magnitude().less_eq(S::lit(NEAR)), near, S::pick(x.less(zero), -far, far))
        },
        |x, _| S::lit(2.0 / PI.sqrt()) * exp(-(x * x)),
    )
}

/// The complement 1 − erf(x), accurate where it is small: to 4 ULP. Derivative −2/√π exp(−x²).
#[track_caller]
pub fn erfc<S: Float>(x: S) -> S {
    smooth(
        x,
        |x| {
            let (near, tail) = error_functions(x);
            let (zero, one, two) = (S::lit(0.0), S::lit(1.0), S::lit(2.0));
            S::pick(x.magnitude().less_eq(S::lit(NEAR)), one - near, S::pick(x.less(zero), two - tail, tail))
        },
        |x, _| -(S::lit(2.0 / PI.sqrt()) * exp(-(x * x))),
    )
}

/// √2 times erfinv, from q = x/2 and the distance r of x from the nearer end of (−1, 1), halved (Wichura 1988,
/// algorithm AS 241).
#[track_caller]
fn normal_quantile<S: Float>(q: S, r: S) -> S {
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    let c = S::lit(0.180_625) - q * q;
    let central = q * poly(
        c,
        &[
            3.387_132_872_796_366_5,
            1.331_416_678_917_843_8e2,
            1.971_590_950_306_551_3e3,
            1.373_169_376_550_946e4,
            4.592_195_393_154_987e4,
            6.726_577_092_700_87e4,
            3.343_057_558_358_813e4,
            2.509_080_928_730_122_7e3,
        ],
    ) / poly(
        c,
        &[
            1.0,
            4.231_333_070_160_091e1,
            6.871_870_074_920_579e2,
            5.394_196_021_424_751e3,
            2.121_379_430_158_659_7e4,
            3.930_789_580_009_271e4,
            2.872_908_573_572_194_3e4,
            5.226_495_278_852_854e3,
        ],
    );
    let edge = r.equals(zero);
    let depth = (-log(S::pick(edge, one, r))).sqrt();
    let d = depth - S::lit(1.6);
    let outer = poly(
        d,
        &[
            1.423_437_110_749_683_5,
            4.630_337_846_156_546,
            5.769_497_221_460_691,
            3.647_848_324_763_204_5,
            1.270_458_252_452_368_4,
            2.417_807_251_774_506e-1,
            2.272_384_498_926_918_4e-2,
            7.745_450_142_783_414e-4,
        ],
    ) / poly(
        d,
        &[
            1.0,
            2.053_191_626_637_759,
            1.676_384_830_183_803_8,
            6.897_673_349_851e-1,
            1.481_039_764_274_800_8e-1,
            1.519_866_656_361_645_7e-2,
            5.475_938_084_995_345e-4,
            1.050_750_071_644_416_9e-9,
        ],
    );
    let d = depth - S::lit(5.0);
    let outermost = poly(
        d,
        &[
            6.657_904_643_501_103,
            5.463_784_911_164_114,
            1.784_826_539_917_291_3,
            2.965_605_718_285_048_7e-1,
            2.653_218_952_657_612_4e-2,
            1.242_660_947_388_078_4e-3,
            2.711_555_568_743_487_6e-5,
            2.010_334_399_292_288_1e-7,
        ],
    ) / poly(
        d,
        &[
            1.0,
            5.998_322_065_558_88e-1,
            1.369_298_809_227_358e-1,
            1.487_536_129_085_061_5e-2,
            7.868_691_311_456_133e-4,
            1.846_318_317_510_054_8e-5,
            1.421_511_758_316_446e-7,
            2.044_263_103_389_939_8e-15,
        ],
    );
    let tail = S::pick(depth.less_eq(S::lit(5.0)), outer, outermost);
    let tail = S::pick(edge, S::lit(f64::INFINITY), tail);
    let tail = S::pick(q.less(zero), -tail, tail);
    S::pick(q.magnitude().less_eq(S::lit(0.425)), central, tail)
}

/// The inverse of [`erf`] on (−1, 1), to 5 ULP; ±∞ at ±1 and NaN outside. Derivative √π/2 exp(y²) for the value y, 0 at ±1 by
/// rule.
#[track_caller]
pub fn erfinv<S: Float>(x: S) -> S {
    smooth(
        x,
        |x| {
            let (half, one) = (S::lit(0.5), S::lit(1.0));
            normal_quantile(x * half, (one - x.magnitude()) * half) * S::lit(1.0 / SQRT_2)
        },
        inverse_slope,
    )
}

/// The inverse of [`erfc`] on (0, 2), accurate near 0 too: to 5 ULP; ±∞ at the ends and NaN outside. Derivative −√π/2 exp(y²) for the
/// value y, 0 at the ends by rule.
#[track_caller]
pub fn erfcinv<S: Float>(x: S) -> S {
    smooth(
        x,
        |x| {
            let (half, one, two) = (S::lit(0.5), S::lit(1.0), S::lit(2.0));
            normal_quantile((one - x) * half, x.minimum(two - x) * half) * S::lit(1.0 / SQRT_2)
        },
        |x, y| -inverse_slope(x, y),
    )
}

#[track_caller]
fn inverse_slope<S: Float>(_: S, y: S) -> S {
    let end = y.magnitude().equals(S::lit(f64::INFINITY));
    S::pick(end, S::lit(0.0), S::lit(PI.sqrt() / 2.0) * exp(S::pick(end, S::lit(0.0), y * y)))
}

/// How far arguments are shifted before the asymptotic series.
const SHIFT: f64 = 12.0;

/// For functions of the gamma function: whether x is to be reflected, what it is then, and that shifted.
#[track_caller]
fn reflected<S: Float>(x: S) -> (S::Bool, S, S::Bool, S) {
    let (half, one, shift) = (S::lit(0.5), S::lit(1.0), S::lit(SHIFT));
    let left = x.less(half);
    let z = S::pick(left, one - x, x);
    let near = z.less(shift);
    (left, z, near, S::pick(near, z + shift, z))
}

/// sin(πx), exactly 0 at integers.
#[track_caller]
fn sin_pi<S: Float>(x: S) -> S {
    let two = S::lit(2.0);
    let r = x - (x / two).round() * two;
    // To within half of 0, where π r is accurate.
    let (half, one) = (S::lit(0.5), S::lit(1.0));
    let r = S::pick(half.less(r), one - r, S::pick(r.less(-half), -one - r, r));
    (r * S::lit(PI)).sin()
}

/// The natural logarithm of |Γ(x)|; ∞ at 0 and the negative integers. Stirling's series from 12 on, below by the
/// recurrence, left of 1/2 by reflection. Near its zeros at 1 and 2 the error is absolute (4e-15 in f64, 2e-6 in f32).
/// Derivative [`digamma`].
#[track_caller]
pub fn lgamma<S: Float>(x: S) -> S {
    smooth(
        x,
        |x| {
            let (left, z, near, w) = reflected(x);
            let (one, half) = (S::lit(1.0), S::lit(0.5));
            let inverse = one / w;
            let series = inverse
                * poly(
                    inverse * inverse,
                    &[
                        1.0 / 12.0,
                        -1.0 / 360.0,
                        1.0 / 1260.0,
                        -1.0 / 1680.0,
                        1.0 / 1188.0,
                        -691.0 / 360_360.0,
                        1.0 / 156.0,
                    ],
                );
            let stirling = (w - half) * log(w) - w + S::lit(0.5 * (2.0 * PI).ln()) + series;
            let safe = S::pick(near, z, one);
            let product = (1..SHIFT as usize).fold(safe, |p, k| p * (safe + S::lit(k as f64)));
            let right = stirling - S::pick(near, log(product), S::lit(0.0));
            let sine = sin_pi(x).magnitude();
            let pole = sine.equals(S::lit(0.0));
            let reflected = log(S::lit(PI) / S::pick(pole, one, sine)) - right;
            let infinite = S::lit(f64::INFINITY);
            let value = S::pick(left, S::pick(pole, infinite, reflected), right);
            S::pick(x.magnitude().equals(infinite), infinite, value)
        },
        |x, _| digamma(x),
    )
}

/// The logarithmic derivative of the gamma function, ψ(x) = Γ'(x)/Γ(x); at its poles, 0 and the negative integers, NaN. The
/// error is below 2e-15 (f64) and 1e-6 (f32) of the larger of 1 and the value.
/// Derivative [`trigamma`].
#[track_caller]
pub fn digamma<S: Float>(x: S) -> S {
    smooth(
        x,
        |x| {
            let (left, z, near, w) = reflected(x);
            let (zero, one, half) = (S::lit(0.0), S::lit(1.0), S::lit(0.5));
            let inverse = one / w;
            let square = inverse * inverse;
            let series = square
                * poly(
                    square,
                    &[1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32_760.0, 1.0 / 12.0],
                );
            let mut right = log(w) - half * inverse - series;
            let safe = S::pick(near, z, one);
            for k in (0..SHIFT as usize).rev() {
                right -= S::pick(near, one / (safe + S::lit(k as f64)), zero);
            }
            let (sine, cosine) = (sin_pi(x), sin_pi(x + half));
            S::pick(left, right - S::lit(PI) * cosine / sine, right)
        },
        |x, _| trigamma(x),
    )
}

/// The derivative ψ'(x) of [`digamma`], to 6 ULP on the right; ∞ at 0 and the negative integers. Its own derivative is that of the series it is
/// computed by.
#[track_caller]
pub fn trigamma<S: Float>(x: S) -> S {
    let (left, z, near, w) = reflected(x);
    let (zero, one, half) = (S::lit(0.0), S::lit(1.0), S::lit(0.5));
    let inverse = one / w;
    let square = inverse * inverse;
    let series = inverse
        * square
        * poly(square, &[1.0 / 6.0, -1.0 / 30.0, 1.0 / 42.0, -1.0 / 30.0, 5.0 / 66.0, -691.0 / 2730.0, 7.0 / 6.0]);
    let mut right = inverse + half * square + series;
    let safe = S::pick(near, z, one);
    for k in (0..SHIFT as usize).rev() {
        let term = safe + S::lit(k as f64);
        right += S::pick(near, one / (term * term), zero);
    }
    let ratio = S::lit(PI) / sin_pi(x);
    S::pick(left, ratio * ratio - right, right)
}

/// |x| with the sign of `sign`, of a zero too. Derivatives ±1 (0 at x = 0) and 0.
#[track_caller]
pub fn copysign<S: Float>(x: S, sign: S) -> S {
    let (zero, one) = (S::lit(0.0), S::lit(1.0));
    let size = x.magnitude();
    let below = sign.less(zero) | (sign.equals(zero) & (one / sign).less(zero));
    S::pick(below, -size, size)
}

/// 0 for x < edge, else 1. Derivative 0.
#[track_caller]
pub fn step<S: Float>(edge: S, x: S) -> S {
    S::pick(x.less(edge), S::lit(0.0), S::lit(1.0))
}

/// 0 up to `low`, 1 from `high` on, and t² (3 − 2t) between, t = (x − low)/(high − low): once differentiable. The
/// edges must differ; at an edge the derivative is 0.
#[track_caller]
pub fn smoothstep<S: Float>(low: S, high: S, x: S) -> S {
    let t = saturate((x - low) / (high - low));
    t * t * (S::lit(3.0) - t - t)
}

/// x held between 0 and 1. Derivative 1 inside and 0 outside; at 0 and 1 half of each.
#[track_caller]
pub fn saturate<S: Float>(x: S) -> S {
    x.maximum(S::lit(0.0)).minimum(S::lit(1.0))
}

/// x − floor(x): another name of [`fract`](super::fract).
#[track_caller]
pub fn frac<S: Float>(x: S) -> S {
    x.fract()
}

/// x − floor(x/y) y: the remainder with the sign of `y`. Derivatives 1 and −floor(x/y).
#[track_caller]
pub fn floor_mod<S: Scalar>(x: S, y: S) -> S {
    let zero = S::lit(0.0);
    let r = x % y;
    // Where the signs differ, one `y` more; its derivative goes along.
    let apart = (r.less(zero) & zero.less(y)) | (zero.less(r) & y.less(zero));
    S::pick(apart, r + y, r)
}

/// Radians as degrees: x 180/π.
#[track_caller]
pub fn degrees<S: Float>(x: S) -> S {
    x * S::lit(180.0 / PI)
}

/// Degrees as radians: x π/180.
#[track_caller]
pub fn radians<S: Float>(x: S) -> S {
    x * S::lit(PI / 180.0)
}

/// Whether x is neither infinite nor a NaN.
#[track_caller]
pub fn isfinite<S: Float>(x: S) -> S::Bool {
    x.magnitude().less(S::lit(f64::INFINITY))
}

/// Whether x is a NaN.
#[track_caller]
pub fn isnan<S: Float>(x: S) -> S::Bool {
    !x.equals(x)
}

/// Whether x is ∞ or −∞.
#[track_caller]
pub fn isinf<S: Float>(x: S) -> S::Bool {
    x.magnitude().equals(S::lit(f64::INFINITY))
}

/// The smallest of three; at a tie of the first two each has half of the derivative, and so on.
#[track_caller]
pub fn min3<T: Scalar>(a: T, b: T, c: T) -> T {
    a.minimum(b).minimum(c)
}

/// The largest of three; at a tie of the first two each has half of the derivative, and so on.
#[track_caller]
pub fn max3<T: Scalar>(a: T, b: T, c: T) -> T {
    a.maximum(b).maximum(c)
}

/// The smallest of four; ties as in [`min3`].
#[track_caller]
pub fn min4<T: Scalar>(a: T, b: T, c: T, d: T) -> T {
    min3(a, b, c).minimum(d)
}

/// The largest of four; ties as in [`max3`].
#[track_caller]
pub fn max4<T: Scalar>(a: T, b: T, c: T, d: T) -> T {
    max3(a, b, c).maximum(d)
}

/// √(x² + y²), without overflow of the squares. Derivative 0 at (0, 0).
#[track_caller]
pub fn hypot<S: Float>(x: S, y: S) -> S {
    let value = S::custom(
        &[x, y],
        |v| {
            let (zero, one) = (S::lit(0.0), S::lit(1.0));
            let (a, b) = (v[0].magnitude(), v[1].magnitude());
            let (large, small) = (a.maximum(b), a.minimum(b));
            let plain = large.equals(zero) | large.equals(S::lit(f64::INFINITY));
            let ratio = small / S::pick(plain, one, large);
            vec![S::pick(plain, large, large * (one + ratio * ratio).sqrt())]
        },
        None,
        |v, h, ct| {
            let (zero, one) = (S::lit(0.0), S::lit(1.0));
            let none = h[0].equals(zero);
            let by = S::pick(none, zero, ct[0] / S::pick(none, one, h[0]));
            vec![v[0] * by, v[1] * by]
        },
    );
    value[0]
}

/// 1/√x. Not finite at 0; its derivative there is 0 by rule.
#[track_caller]
pub fn rsqrt<S: Float>(x: S) -> S {
    smooth(x, |x| S::lit(1.0) / x.sqrt(), |x, y| S::pick(x.equals(S::lit(0.0)), S::lit(0.0), S::lit(-0.5) * y * y * y))
}

/// The inverse hyperbolic sine, to 2 ULP. Derivative 1/√(x² + 1).
#[track_caller]
pub fn asinh<S: Float>(x: S) -> S {
    smooth(
        x,
        |x| {
            let one = S::lit(1.0);
            let a = x.magnitude();
            // log(a + √(a² + 1)), for small a without cancellation and for large a without overflow.
            let square = a * a;
            let large = S::by_precision(1e8, 1e4).less(a);
            let square = S::pick(large, one, square);
            let near = (a + square / (one + (square + one).sqrt())).log1p();
            let value = S::pick(large, log(a) + S::lit(std::f64::consts::LN_2), near);
            S::pick(x.less(S::lit(0.0)), -value, value)
        },
        |x, _| S::lit(1.0) / hypot_one(x),
    )
}

/// √(x² + 1), large x too.
#[track_caller]
fn hypot_one<S: Float>(x: S) -> S {
    let one = S::lit(1.0);
    let large = S::by_precision(1e8, 1e4).less(x.magnitude());
    S::pick(large, x.magnitude(), (S::pick(large, one, x * x) + one).sqrt())
}

/// The inverse hyperbolic cosine, to 2 ULP; NaN below 1. Derivative 1/√(x² − 1), at 1 by rule 0.
#[track_caller]
pub fn acosh<S: Float>(x: S) -> S {
    smooth(
        x,
        |x| {
            let one = S::lit(1.0);
            let large = S::by_precision(1e8, 1e4).less(x);
            let t = S::pick(large, one, x - one);
            let near = (t + (t * (t + S::lit(2.0))).sqrt()).log1p();
            S::pick(large, log(x) + S::lit(std::f64::consts::LN_2), near)
        },
        |x, _| {
            let (zero, one) = (S::lit(0.0), S::lit(1.0));
            let large = S::by_precision(1e8, 1e4).less(x);
            let root = S::pick(large, x, ((x - one) * (S::pick(large, one, x) + one)).sqrt());
            let end = x.equals(one);
            S::pick(end, zero, one / S::pick(end, one, root))
        },
    )
}

/// The inverse hyperbolic tangent, to 2 ULP; ±∞ at ±1 and NaN outside. Derivative 1/(1 − x²), at ±1 by rule 0.
#[track_caller]
pub fn atanh<S: Float>(x: S) -> S {
    smooth(
        x,
        |x| {
            let (one, two) = (S::lit(1.0), S::lit(2.0));
            let a = x.magnitude();
            let value = ((two * a) / (one - a)).log1p() * S::lit(0.5);
            S::pick(x.less(S::lit(0.0)), -value, value)
        },
        |x, _| {
            let (zero, one) = (S::lit(0.0), S::lit(1.0));
            let rest = (one - x) * (one + x);
            let end = rest.equals(zero);
            S::pick(end, zero, one / S::pick(end, one, rest))
        },
    )
}
