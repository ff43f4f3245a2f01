//! The elementary functions of `f64` that compiled kernels call: those of Rust's standard library, so
//! that a kernel, the interpreter and the host get the same bits.

/// What the symbols begin with, so that LLVM does not take them for functions it knows.
pub(crate) const PREFIX: &str = "pullback_";

macro_rules! functions {
    ($($name:literal: $f:ident($($x:ident),*) = $value:expr;)*) => {
        $(extern "C" fn $f($($x: f64),*) -> f64 { $value })*

        /// Each symbol and its address.
        pub(crate) fn functions() -> Vec<(String, usize)> {
            vec![$((format!("{PREFIX}{}", $name), $f as *const () as usize)),*]
        }
    };
}

functions! {
    "fmod": fmod(x, y) = x % y;
    "cbrt": cbrt(x) = x.cbrt();
    "exp": exp(x) = x.exp();
    "exp2": exp2(x) = x.exp2();
    "expm1": expm1(x) = x.exp_m1();
    "log": log(x) = x.ln();
    "log2": log2(x) = x.log2();
    "log10": log10(x) = x.log10();
    "log1p": log1p(x) = x.ln_1p();
    "pow": pow(x, y) = x.powf(y);
    "sin": sin(x) = x.sin();
    "cos": cos(x) = x.cos();
    "tan": tan(x) = x.tan();
    "asin": asin(x) = x.asin();
    "acos": acos(x) = x.acos();
    "atan": atan(x) = x.atan();
    "atan2": atan2(y, x) = y.atan2(x);
    "sinh": sinh(x) = x.sinh();
    "cosh": cosh(x) = x.cosh();
    "tanh": tanh(x) = x.tanh();
}
