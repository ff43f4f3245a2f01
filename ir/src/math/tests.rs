//! Errors against `f64`, special cases, and that the bits do not depend on how a function is run.

use super::{Native, ULP};
use crate::FloatOp;
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};

type Unary = (&'static str, fn(f32) -> f32, fn(f64) -> f64);
type Binary = (&'static str, fn(f32, f32) -> f32, fn(f64, f64) -> f64);

macro_rules! unary {
    ($($name:ident = $reference:ident),* $(,)?) => {
        &[$((stringify!($name), |x| super::$name(&Native, x), |x: f64| x.$reference())),*]
    };
}

const UNARY: &[Unary] = unary![
    exp = exp,
    exp2 = exp2,
    expm1 = exp_m1,
    log = ln,
    log2 = log2,
    log10 = log10,
    log1p = ln_1p,
    sin = sin,
    cos = cos,
    tan = tan,
    asin = asin,
    acos = acos,
    atan = atan,
    sinh = sinh,
    cosh = cosh,
    tanh = tanh,
    cbrt = cbrt,
];

const BINARY: &[Binary] = &[
    ("pow", |x, y| super::pow(&Native, x, y), f64::powf),
    ("atan2", |y, x| super::atan2(&Native, y, x), f64::atan2),
    ("rem", |x, y| super::rem(&Native, x, y), |x, y| x % y),
];

/// |got − exact| in the spacing of the floats around `exact`; infinite where one is NaN and the other not, where an
/// infinity is wrong, or where a zero has the wrong sign.
fn error(got: f32, exact: f64) -> f64 {
    const TOP: f64 = 3.402_823_669_209_385e38; // 2^128: where the next float would be
    if got.is_nan() || exact.is_nan() {
        return if got.is_nan() && exact.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if got == 0.0 && got.is_sign_negative() != exact.is_sign_negative() {
        return f64::INFINITY;
    }
    let exponent = ((exact.abs().to_bits() >> 52) as i32 - 1023).clamp(-126, 127);
    let spacing = f64::from_bits(((exponent - 23 + 1023) as u64) << 52);
    let bounded = |v: f64| v.clamp(-TOP, TOP);
    (bounded(f64::from(got)) - bounded(exact)).abs() / spacing
}

/// The largest error over every `stride`-th bit pattern from `first` on, and where it is.
fn worst(&(_, ours, reference): &Unary, first: u64, stride: u64) -> (f64, f32) {
    let mut worst = (0.0, 0.0);
    for bits in (first..1 << 32).step_by(stride as usize) {
        let x = f32::from_bits(bits as u32);
        let e = error(ours(x), reference(f64::from(x)));
        if e > worst.0 {
            worst = (e, x);
        }
    }
    worst
}

fn promised(name: &str) -> f64 {
    f64::from(ULP.iter().find(|(n, _)| *n == name).unwrap_or_else(|| panic!("{name} has no row in ULP")).1)
}

#[test]
fn sweep_of_one_argument() {
    for row in UNARY {
        let (e, x) = worst(row, 0, 8191);
        println!("{:6} {e:.4} at {x:e}", row.0);
        assert!(e <= promised(row.0), "{}({x:e}) is off by {e} ulp", row.0);
    }
}

/// Where something begins or ends: overflow, underflow, subnormal results, the limits of domains and of the ways that a
/// function is computed, and the angles that reduction finds hardest.
const LIMITS: &[f32] = &[
    2e-8,
    0.25,
    FRAC_PI_4,
    0.62,
    2.0 / 3.0,
    4.0 / 3.0,
    FRAC_PI_2,
    PI,
    TAU,
    9.0,
    10.0,
    17.328_68,
    88.722_84,
    89.415_99,
    87.336_54,
    103.278_93,
    103.972_08,
    126.0,
    127.0,
    128.0,
    149.0,
    150.0,
    1e9,
    1e20,
    1.223e4,
    2.608_000_2e34,
    7.729_179_5e28,
    6.113_076e17,
    4.386_558e33,
    1e30,
];

#[test]
fn limits_of_one_argument() {
    let near = |x: f32| {
        (0..7).scan(x.next_down().next_down().next_down(), |x, _| {
            let here = *x;
            *x = here.next_up();
            Some(here)
        })
    };
    for (name, ours, reference) in UNARY {
        for x in SPECIAL.iter().chain(LIMITS).flat_map(|&x| near(x).chain(near(-x))) {
            let (got, exact) = (ours(x), reference(f64::from(x)));
            assert!(error(got, exact) <= promised(name), "{name}({x:e}) is {got:e}, not {exact:e}");
        }
    }
}

#[test]
fn ops_expand_to_their_values() {
    for &op in FloatOp::ALL {
        let points = [[0.3, 0.7], [0.9, -2.5], [-1.75, 3.0], [1e30, 1e-30], [0.0, -0.0]];
        for args in points.map(|p: [f32; 2]| p[..op.arity().min(2)].to_vec()) {
            let Some(value) = super::f32_expansion(&Native, op, &args) else { continue };
            let expected: f32 = op.value(&args);
            let same = value.to_bits() == expected.to_bits() || value.is_nan() && expected.is_nan();
            assert!(same, "{} at {args:?} expands to {value:e}, its value is {expected:e}", op.name());
            promised(op.name());
        }
    }
    let expanded = FloatOp::ALL
        .iter()
        .filter(|op| super::f32_expansion(&Native, **op, &[0.5, 0.5][..op.arity().min(2)]).is_some());
    assert_eq!(expanded.count(), ULP.len());
}

/// Minutes in release mode with `-C target-cpu=native`; `PULLBACK_MATH=exp,sin` restricts it.
#[test]
#[ignore = "walks all 2^32 floats for each function"]
fn every_float() {
    let only = std::env::var("PULLBACK_MATH").unwrap_or_default();
    for row in UNARY.iter().filter(|row| only.is_empty() || only.split(',').any(|n| n == row.0)) {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get()) as u64;
        let results: Vec<_> = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads).map(|t| scope.spawn(move || worst(row, t, threads))).collect();
            handles.into_iter().map(|h| h.join().expect("a thread of the sweep")).collect()
        });
        let (e, x) = results.into_iter().fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
        println!("{:6} {e:.4} at {x:e} ({:#010x})", row.0, x.to_bits());
        assert!(e <= promised(row.0), "{}({x:e}) is off by {e} ulp", row.0);
    }
}

/// A small generator (xorshift), so that the samples are the same everywhere.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32
    }

    /// Any float.
    fn any(&mut self) -> f32 {
        f32::from_bits(self.bits())
    }

    /// Even in the logarithm, 2^-spread to 2^spread, either sign.
    fn around_one(&mut self, spread: f32) -> f32 {
        let size = ((self.bits() as f32 / 4_294_967_296.0 * 2.0 - 1.0) * spread).exp2();
        if self.bits() & 1 == 0 { size } else { -size }
    }

    /// Near one, as far as 2^-24 to 2^-2 away.
    fn near_one(&mut self) -> f32 {
        let away = self.around_one(11.0) / 8192.0;
        1.0 + away
    }
}

fn worst_of_samples(&(_, ours, reference): &Binary, count: usize) -> (f64, f32, f32) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut worst = (0.0, 0.0, 0.0);
    let mut try_at = |x: f32, y: f32| {
        let e = error(ours(x, y), reference(f64::from(x), f64::from(y)));
        if e > worst.0 {
            worst = (e, x, y);
        }
    };
    for x in SPECIAL {
        for y in SPECIAL {
            try_at(*x, *y);
        }
    }
    for _ in 0..count {
        try_at(random.any(), random.any());
        try_at(random.around_one(8.0), random.around_one(4.0));
        // For pow: results over the whole range, with exponents that fit the base.
        let x = random.around_one(20.0).abs();
        try_at(x, random.around_one(0.0) * (random.bits() as f32 / 4_294_967_296.0) * 152.0 / x.log2().abs());
        let x = random.near_one();
        try_at(x, random.around_one(0.0) * (random.bits() as f32 / 4_294_967_296.0) * 152.0 / x.log2().abs());
        // Whole exponents of negative bases, integer grids.
        try_at(-random.around_one(6.0).abs(), (random.bits() % 40) as f32 - 20.0);
        try_at((random.bits() % 64) as f32 - 32.0, (random.bits() % 64) as f32 - 32.0);
        // Subnormal against anything, and nearly equal.
        let tiny = f32::from_bits(random.bits() >> 9);
        try_at(tiny, random.any());
        try_at(random.any(), tiny);
        let x = random.any();
        try_at(x, x * (1.0 + random.around_one(10.0) / 4096.0));
    }
    worst
}

/// Arguments at which C's Annex F says something, and their neighbours.
const SPECIAL: &[f32] = &[
    0.0,
    -0.0,
    1e-45,
    -1e-45,
    1.175_494_2e-38,
    -1.175_494_2e-38,
    f32::MIN_POSITIVE,
    -f32::MIN_POSITIVE,
    0.5,
    -0.5,
    0.999_999_94,
    -0.999_999_94,
    1.0,
    -1.0,
    1.000_000_1,
    -1.000_000_1,
    1.5,
    -1.5,
    2.0,
    -2.0,
    2.5,
    3.0,
    -3.0,
    4.0,
    8_388_607.5,
    -8_388_607.5,
    8_388_609.0,
    16_777_215.0,
    -16_777_215.0,
    16_777_216.0,
    -16_777_216.0,
    1e10,
    -1e10,
    1e30,
    -1e30,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    FRAC_PI_2,
    -PI,
];

#[test]
fn samples_of_two_arguments() {
    for row in BINARY {
        let (e, x, y) = worst_of_samples(row, 20_000);
        println!("{:6} {e:.4} at {x:e}, {y:e}", row.0);
        assert!(e <= promised(row.0), "{}({x:e}, {y:e}) is off by {e} ulp", row.0);
    }
}

#[test]
#[ignore = "takes a minute"]
fn many_samples_of_two_arguments() {
    for row in BINARY {
        let (e, x, y) = worst_of_samples(row, 20_000_000);
        println!("{:6} {e:.4} at {x:e}, {y:e}", row.0);
        assert!(e <= promised(row.0), "{}({x:e}, {y:e}) is off by {e} ulp", row.0);
    }
}
