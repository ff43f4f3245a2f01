//! The elementary functions of `f64` that compiled kernels call: those of Rust's standard library, so
//! that a kernel, the interpreter and the host get the same bits.

/// What the symbols begin with, so that LLVM does not take them for functions it knows.
pub(crate) const PREFIX: &str = "pullback_";

macro_rules! functions {
    ($list:ident, $float:ty, $prefix:expr; $($name:literal: $f:ident($($x:ident),*) = $value:expr;)*) => {
        fn $list() -> Vec<(String, usize)> {
            $(extern "C" fn $f($($x: $float),*) -> $float { $value })*
            vec![$((format!("{}{}", $prefix, $name), $f as *const () as usize)),*]
        }
    };
}

/// Each symbol and its address.
pub(crate) fn functions() -> Vec<(String, usize)> {
    [elementary(), single(), double()].concat()
}

// What LLVM calls where the CPU has no instruction for it.
functions! { single, f32, "";
    "fmaf": fma(x, y, z) = x.mul_add(y, z);
    "floorf": floor(x) = x.floor();
    "ceilf": ceil(x) = x.ceil();
    "truncf": trunc(x) = x.trunc();
    "rintf": rint(x) = x.round_ties_even();
}
functions! { double, f64, "";
    "fma": fma(x, y, z) = x.mul_add(y, z);
    "floor": floor(x) = x.floor();
    "ceil": ceil(x) = x.ceil();
    "trunc": trunc(x) = x.trunc();
    "rint": rint(x) = x.round_ties_even();
}

functions! { elementary, f64, PREFIX;
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
