//! Integers of 8 and 16 bits, and floats of 16: stored, computed with as Rust does, differentiated through.

use pullback_lang::*;
use pullback_runtime::{Array, Device, Error, Launch, Stream, Tape, grad, jacobian};

type Result<T = ()> = std::result::Result<T, Error>;

#[kernel]
fn bytes(x: &Array<u8>, y: &Array<i8>, out: &mut Array<u8>, signed: &mut Array<i8>, k: u8) {
    let i = thread_id();
    out[i] = (x[i] + k) * 3u8 ^ x[i] >> 2;
    let mut sum = 0i8;
    for j in 0..y[i] {
        sum += j;
    }
    signed[i] = sum / 3 - y[i] % 7 + min(y[i], 5i8).leading_zeros();
}

#[kernel]
fn words(x: &Array<Vec3<u16>>, y: &Array<i16>, out: &mut Array<Vec3<u16>>, total: &mut Array<i16>) {
    let i = thread_id();
    out[i] = x[i] * 5u16 + Vec3::new(1u16, y[i] as u16, (i as u16) << 3);
    atomic_add(total, 0, y[i]);
    atomic_max(total, 1, y[i]);
    atomic_xor(total, 2, y[i]);
}

#[test]
fn narrow_integers_wrap_as_those_of_rust() -> Result {
    let device = Device::cpu();
    let mut stream = Stream::new(&device);
    let x: Vec<u8> = (0..=255).collect();
    let y: Vec<i8> = (0..=255u8).map(|v| v as i8).collect();
    let (a, b) = (Array::from_slice(&device, &x), Array::from_slice(&device, &y));
    let (mut out, mut signed) = (Array::zeros(&device, [256]), Array::zeros(&device, [256]));
    stream.launch(&bytes(256, &a, &b, &mut out, &mut signed, 200))?;
    for k in 0..256 {
        assert_eq!(out.to_vec()?[k], x[k].wrapping_add(200).wrapping_mul(3) ^ (x[k] >> 2));
        let sum = (0..y[k]).fold(0i8, |s, j| s.wrapping_add(j));
        let zeros = y[k].min(5).leading_zeros() as i8;
        assert_eq!(signed.to_vec()?[k], (sum / 3).wrapping_sub(y[k] % 7).wrapping_add(zeros), "{}", y[k]);
    }
    let v = [Vec3::new(1u16, 2, 60_000), Vec3::new(40_000, 5, 6)];
    let (v, w) = (Array::from_slice(&device, &v), Array::from_slice(&device, &[-30_000i16, -10_000]));
    let (mut out, mut total) = (Array::zeros(&device, [2]), Array::from_slice(&device, &[0i16, -20_000, 1]));
    stream.launch(&words(2, &v, &w, &mut out, &mut total))?;
    assert_eq!(
        out.to_vec()?,
        [
            Vec3::new(6, 10u16.wrapping_add(-30_000i16 as u16), 60_000u16.wrapping_mul(5)),
            Vec3::new(40_000u16.wrapping_mul(5).wrapping_add(1), 25u16.wrapping_add(-10_000i16 as u16), 38),
        ]
    );
    assert_eq!(total.to_vec()?, [(-30_000i16).wrapping_add(-10_000), -10_000, 1 ^ -30_000 ^ -10_000]);
    Ok(())
}

#[kernel]
fn convert(x: &Array<f64>, y: &Array<f16>, out: &mut Array<f16>, wide: &mut Array<Vec2<f64>>, n: &mut Array<i16>) {
    let i = thread_id();
    out[i] = x[i] as f16;
    wide[i] = Vec2::new(y[i] as f64, (x[i] as f32 as f16) as f64);
    n[i] = if y[i] == out[i] { -1 } else { y[i] as i16 };
}

#[test]
fn halves_are_rounded_once() -> Result {
    let device = Device::cpu();
    let step = 1.0 + 2f64.powi(-11);
    let x = [0.1, -65_504.0, 65_519.9, 65_520.0, step, step + 1e-12, step - 1e-12, 6e-8, 1e-9, -0.0, f64::NAN, 1e300];
    let y: Vec<f16> = x.iter().map(|&v| f16::from_f32(v as f32 * 3.0)).collect();
    let n = x.len();
    let (a, b) = (Array::from_slice(&device, &x), Array::from_slice(&device, &y));
    let (mut out, mut wide, mut int) =
        (Array::zeros(&device, [n]), Array::zeros(&device, [n]), Array::zeros(&device, [n]));
    Stream::new(&device).launch(&convert(n, &a, &b, &mut out, &mut wide, &mut int))?;
    let right = [0x2e66, 0xfbff, 0x7bff, 0x7c00, 0x3c00, 0x3c01, 0x3c00, 0x0001, 0x0000, 0x8000, 0x7e00, 0x7c00];
    for k in 0..n {
        let (out, wide) = (out.to_vec()?[k], wide.to_vec()?[k]);
        assert!(out.to_bits() == right[k] || (out.is_nan() && x[k].is_nan()), "{}: {:x}", x[k], out.to_bits());
        assert!(wide.x == y[k].to_f64() || (wide.x.is_nan() && y[k].is_nan()));
        let int = int.to_vec()?[k];
        assert_eq!(int, if y[k] == out { -1 } else { y[k].to_f32() as i16 });
    }
    Ok(())
}

/// y is stored in 16 bits on the way; each x is read by many threads.
#[kernel]
fn through(x: &Array<f16>, middle: &mut Array<Vec2<f16>>, loss: &mut Array<f64>) {
    let i = thread_id();
    let v = x[i % 4] as f64;
    let mut kept = 0.0 as f16;
    for k in 0..3 {
        kept = (kept as f64 + v * v * (k + 1) as f64) as f16;
    }
    middle[i] = Vec2::new(kept, x[0]);
    let m = middle[i];
    let w = if v > 1.0 { m.x } else { m.y };
    atomic_add(loss, 0, w as f64 + detach(m.x) as f64);
}

#[test]
fn gradients_pass_through_halves() -> Result {
    let device = Device::cpu();
    let x = [0.5, 1.5, 2.0, 3.0].map(f16::from_f32);
    let array = Array::from_slice(&device, &x);
    let (mut middle, mut loss) = (Array::zeros(&device, [8]), Array::zeros(&device, [1]));
    let mut tape = Tape::new(&device);
    tape.launch(&through(8, &array, &mut middle, &mut loss))?;
    tape.backward(&loss)?;
    // Two threads each: 6 v² above 1, x[0] for the first.
    let right = [2.0, 36.0, 48.0, 72.0];
    let found = tape.grad(&array)?.to_vec()?;
    assert_eq!(found.map_to_f64(), right);
    assert_eq!(tape.grad(&middle)?.to_vec()?[0], Vec2::new(f16::ZERO, f16::ZERO));
    Ok(())
}

#[kernel]
fn double(x: &Array<f16>, y: &mut Array<f16>) {
    let i = thread_id();
    y[i] = (x[i] as f32 * 2.0) as f16;
}

#[test]
fn a_half_is_a_loss_and_has_a_jacobian() -> Result {
    let device = Device::cpu();
    let x = Array::from_slice(&device, &[f16::from_f32(1.5); 2]);
    let double = |tape: &mut Tape, x: &mut Array<f16>| {
        let mut y = Array::zeros(tape.device(), [x.len()]);
        tape.launch(&double(x.len(), x, &mut y))?;
        Ok(y)
    };
    let rows = jacobian(&device, double, &x)?;
    assert_eq!(rows[0].to_vec()?.map_to_f64(), [2.0, 0.0]);
    assert_eq!(rows[1].to_vec()?.map_to_f64(), [0.0, 2.0]);
    let slope = grad(&device, double, &Array::from_slice(&device, &[f16::from_f32(3.0)]))?;
    assert_eq!(slope.to_vec()?.map_to_f64(), [2.0]);
    Ok(())
}

#[kernel]
fn order(x: &Array<f16>, y: &Array<f16>, out: &mut Array<u8>) {
    let i = thread_id();
    let (a, b) = (x[i], y[i]);
    out[i] = (a < b) as u8 + 2 * (a <= b) as u8 + 4 * (a > b) as u8 + 8 * (a >= b) as u8 + 16 * (a == b) as u8;
}

#[test]
fn halves_are_ordered_as_numbers() -> Result {
    let device = Device::cpu();
    let all =
        [0.0, -0.0, 1.5, -1.5, 6e-8, -6e-8, 65504.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN].map(f16::from_f32);
    let pairs: Vec<(f16, f16)> = all.iter().flat_map(|&a| all.map(|b| (a, b))).collect();
    let (x, y): (Vec<f16>, Vec<f16>) = pairs.iter().copied().unzip();
    let mut out = Array::zeros(&device, [pairs.len()]);
    let (x, y) = (Array::from_slice(&device, &x), Array::from_slice(&device, &y));
    Stream::new(&device).launch(&order(pairs.len(), &x, &y, &mut out))?;
    for ((a, b), out) in pairs.into_iter().zip(out.to_vec()?) {
        let wanted =
            u8::from(a < b) + 2 * u8::from(a <= b) + 4 * u8::from(a > b) + 8 * u8::from(a >= b) + 16 * u8::from(a == b);
        assert_eq!(out, wanted, "{a} and {b}");
    }
    Ok(())
}

trait Widen {
    fn map_to_f64(&self) -> Vec<f64>;
}
impl Widen for Vec<f16> {
    fn map_to_f64(&self) -> Vec<f64> {
        self.iter().map(|v| v.to_f64()).collect()
    }
}
