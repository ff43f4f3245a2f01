//! Constants in pieces: the nearest float and the nearest float to what it leaves (`HI`, `LO`), or a leading piece of
//! 16 bits, whose product with a small integer is exact, and the nearest float to the rest (`SHORT`, `SHORT_REST`).
//! Computed to 120 digits with mpmath.

pub(super) const LN_2_HI: f32 = std::f32::consts::LN_2;
pub(super) const LN_2_LO: f32 = -1.904_654_2e-9;
pub(super) const LN_2_SHORT: f32 = 6.931_457_5e-1;
pub(super) const LN_2_SHORT_REST: f32 = 1.428_606_8e-6;
pub(super) const LOG2_E_HI: f32 = std::f32::consts::LOG2_E;
pub(super) const LOG2_E_LO: f32 = 1.925_963e-8;
pub(super) const LOG10_E_HI: f32 = std::f32::consts::LOG10_E;
pub(super) const LOG10_E_LO: f32 = -1.010_305e-8;
pub(super) const LOG10_2_SHORT: f32 = 3.010_254e-1;
pub(super) const LOG10_2_SHORT_REST: f32 = 4.605_039e-6;
pub(super) const PI_HI: f32 = std::f32::consts::PI;
pub(super) const PI_LO: f32 = -8.742_278e-8;
pub(super) const FRAC_PI_2_HI: f32 = std::f32::consts::FRAC_PI_2;
pub(super) const FRAC_PI_2_LO: f32 = -4.371_139e-8;
pub(super) const FRAC_PI_4_HI: f32 = std::f32::consts::FRAC_PI_4;
pub(super) const FRAC_PI_4_LO: f32 = -2.185_569_4e-8;
pub(super) const THREE_PI_4_HI: f32 = 2.356_194_5;
pub(super) const THREE_PI_4_LO: f32 = -5.962_440_3e-9;
