//! 16-bit floats: conversions, rounded once, to the nearest and ties to even.

use super::arith::{Arith, Native};

/// The f32 that a 16-bit float is, exactly.
pub fn half_to_f32(bits: u16) -> f32 {
    widen(&Native, i32::from(bits))
}

/// The 16-bit float nearest to `v`.
pub fn half_from_f32(v: f32) -> u16 {
    narrow(&Native, v) as u16
}

/// The 16-bit float nearest to `v`.
pub fn half_from_f64(v: f64) -> u16 {
    half_from_f32(to_odd(v))
}

/// `v` as an f32, rounded to odd: what lies between two of them becomes the one with an odd last bit, so that rounding
/// it again to fewer bits gives what rounding `v` once gives.
fn to_odd(v: f64) -> f32 {
    let near = v as f32;
    let back = f64::from(near);
    if v.is_nan() || back == v {
        return near;
    }
    let bits = near.to_bits();
    let towards_zero = if back.abs() > v.abs() { bits - 1 } else { bits };
    f32::from_bits(towards_zero | 1)
}

/// [`half_to_f32`] as operations of a machine; the bits stand in the low half of a word.
pub fn widen<A: Arith>(m: &A, bits: A::I) -> A::F {
    let (size, sign) = (m.iand(bits, m.i32(0x7fff)), m.iand(bits, m.i32(0x8000)));
    // The exponent's bias differs by 112; subnormal numbers come out right as well.
    let shifted = m.float_of_bits(m.shl(size, m.i32(13)));
    let scaled = m.bits(m.fmul(shifted, m.f32(f32::from_bits(0x7780_0000))));
    let special = m.not(m.ult(size, m.i32(0x7c00)));
    let infinite = m.ior(m.shl(size, m.i32(13)), m.i32(0x7f80_0000));
    let value = m.iselect(special, infinite, scaled);
    m.float_of_bits(m.ior(value, m.shl(sign, m.i32(16))))
}

/// [`half_from_f32`] as operations of a machine; the bits stand in the low half of a word. A NaN becomes 0x7e00 with its
/// sign.
pub fn narrow<A: Arith>(m: &A, v: A::F) -> A::I {
    let bits = m.bits(v);
    let size = m.iand(bits, m.i32(0x7fff_ffff));
    let sign = m.iand(m.lshr(bits, m.i32(16)), m.i32(0x8000));
    // Subnormal results: a sum with 1/2 rounds to multiples of the least one.
    let sum = m.fadd(m.float_of_bits(size), m.f32(0.5));
    let subnormal = m.isub(m.bits(sum), m.i32(0x3f00_0000));
    // Normal ones: the exponent's bias, and half of the last bit that stays, less if that bit is even.
    let odd = m.iand(m.lshr(size, m.i32(13)), m.i32(1));
    let moved = m.iadd(m.iadd(size, m.i32(0xc800_0fffu32 as i32)), odd);
    let normal = m.lshr(moved, m.i32(13));
    let finite = m.iselect(m.ult(size, m.i32(0x3880_0000)), subnormal, normal);
    let nan = m.ult(m.i32(0x7f80_0000), size);
    let special = m.iselect(nan, m.i32(0x7e00), m.i32(0x7c00));
    let large = m.not(m.ult(size, m.i32(0x4780_0000)));
    m.ior(m.iselect(large, special, finite), sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_halves_come_back() {
        for bits in 0..=u16::MAX {
            let wide = half_to_f32(bits);
            let exponent = i32::from(bits >> 10 & 31);
            let fraction = f64::from(bits & 1023) / 1024.0;
            let right = match exponent {
                0 => fraction * 2f64.powi(-14),
                31 if fraction == 0.0 => f64::INFINITY,
                31 => f64::NAN,
                e => (1.0 + fraction) * 2f64.powi(e - 15),
            } * if bits >> 15 == 1 { -1.0 } else { 1.0 };
            if right.is_nan() {
                assert!(wide.is_nan() && half_to_f32(half_from_f32(wide)).is_nan());
                continue;
            }
            assert_eq!(f64::from(wide).to_bits(), right.to_bits(), "{bits:x}");
            assert_eq!(half_from_f32(wide), bits);
            assert_eq!(half_from_f64(right), bits);
        }
    }

    #[test]
    fn rounds_once_to_the_nearest_even() {
        // Between each half and the next: below, at and above the middle, in f64 as far as a last bit away.
        for bits in (0..0x7bffu16).step_by(7) {
            let (a, b) = (f64::from(half_to_f32(bits)), f64::from(half_to_f32(bits + 1)));
            let middle = (a + b) / 2.0;
            let even = if bits & 1 == 0 { bits } else { bits + 1 };
            assert_eq!(half_from_f64(middle), even, "{bits:x}");
            assert_eq!(half_from_f64(middle.next_up()), bits + 1);
            assert_eq!(half_from_f64(middle.next_down()), bits);
            assert_eq!(half_from_f64(-middle.next_up()), (bits + 1) | 0x8000);
            assert_eq!(half_from_f32(middle as f32), even);
        }
        assert_eq!((half_from_f64(65_519.999), half_from_f64(65_520.0)), (0x7bff, 0x7c00));
        assert_eq!((half_from_f64(1e300), half_from_f64(-1e300), half_from_f64(1e-30)), (0x7c00, 0xfc00, 0));
    }
}
