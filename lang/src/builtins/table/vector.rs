//! Rows: functions of vectors.

use super::*;

rows! {
    "dot" on unit::<4>(); |x| [dot(v2(x, 0), v2(x, 2))];
    "dot" on unit::<6>(); |x| [dot(v3(x, 0), v3(x, 3))];
    "dot" on unit::<8>(); |x| [dot(v4(x, 0), v4(x, 4))];
    "dot" on unit::<8>(); |x| [dot(q(x, 0), q(x, 4))];
    "cross" on unit::<6>(); |x| cross(v3(x, 0), v3(x, 3)).to_array();
    "length" on unit::<2>(), kink zeros::<2>() => zeros::<2>(); |x| [length(v2(x, 0))];
    "length" on unit::<3>(), kink zeros::<3>() => zeros::<3>(); |x| [length(v3(x, 0))];
    "length" on unit::<4>(), kink zeros::<4>() => zeros::<4>(); |x| [length(v4(x, 0))];
    "length_sq" on unit::<3>(), kink zeros::<3>() => zeros::<3>(); |x| [length_sq(v3(x, 0))];
    "normalize" on unit::<2>(), kink zeros::<2>() => zeros::<4>(); |x| normalize(v2(x, 0)).to_array();
    "normalize" on unit::<3>(), kink zeros::<3>() => zeros::<9>(); |x| normalize(v3(x, 0)).to_array();
    "normalize" on unit::<4>(), kink zeros::<4>() => zeros::<16>(); |x| normalize(v4(x, 0)).to_array();
    "normalize" on unit::<4>(), kink zeros::<4>() => zeros::<16>(); |x| normalize(q(x, 0)).to_array();
    "lerp" on [(-1.0, 1.0); 3]; |x| [scalar_lerp(x[0], x[1], x[2])];
    "lerp" on [(-1.0, 1.0); 7]; |x| lerp(v3(x, 0), v3(x, 3), x[6]).to_array();
    "outer" on unit::<4>(); |x| e2(outer(v2(x, 0), v2(x, 2)));
    "outer" on unit::<6>(); |x| e3(outer(v3(x, 0), v3(x, 3)));
    "outer" on unit::<8>(); |x| e4(outer(v4(x, 0), v4(x, 4)));
}

/// `lerp` of scalars; `T` is not known to be its own component in generic code.
fn scalar_lerp<T: Float>(a: T, b: T, t: T) -> T {
    lerp(Vec2::new(a, a), Vec2::new(b, b), t).x
}
