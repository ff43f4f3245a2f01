//! Rows: operators of vectors, quaternions and matrices.

use super::*;

rows! {
    "Vec2 operators" on unit::<5>();
        |x| ((v2(x, 0) + v2(x, 2)) * v2(x, 0) / v2(x, 2) - v2(x, 2) * x[4] + -v2(x, 0) / x[4]).to_array();
    "Vec3 operators" on unit::<7>();
        |x| ((v3(x, 0) + v3(x, 3)) * v3(x, 0) / v3(x, 3) - v3(x, 3) * x[6] + -v3(x, 0) / x[6]).to_array();
    "Vec4 operators" on unit::<9>();
        |x| ((v4(x, 0) + v4(x, 4)) * v4(x, 0) / v4(x, 4) - v4(x, 4) * x[8] + -v4(x, 0) / x[8]).to_array();
    "Quat operators" on unit::<9>();
        |x| ((q(x, 0) + q(x, 4)) * q(x, 0) - q(x, 4) * x[8] + -q(x, 0) / x[8]).to_array();
    "Mat22 operators" on unit::<9>();
        |x| e2((m2(x, 0) + m2(x, 4)) * m2(x, 0) - m2(x, 4) * x[8] + -m2(x, 0) / x[8]);
    "Mat33 operators" on unit::<19>();
        |x| e3((m3(x, 0) + m3(x, 9)) * m3(x, 0) - m3(x, 9) * x[18] + -m3(x, 0) / x[18]);
    "Mat44 operators" on unit::<33>();
        |x| e4((m4(x, 0) + m4(x, 16)) * m4(x, 0) - m4(x, 16) * x[32] + -m4(x, 0) / x[32]);
    "Mat22 times Vec2" on unit::<6>(); |x| (m2(x, 0) * v2(x, 4)).to_array();
    "Mat33 times Vec3" on unit::<12>(); |x| (m3(x, 0) * v3(x, 9)).to_array();
    "Mat44 times Vec4" on unit::<20>(); |x| (m4(x, 0) * v4(x, 16)).to_array();
}
