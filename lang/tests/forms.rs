//! `match`, and functions with all kinds of parameters: what the kernel computes is what rustc makes of the
//! same text on the host. See `syntax.rs`.

mod common;
#[macro_use]
mod twice;

use common::{Array, Host, run};
use pullback_lang::Vec3;

mod constants {
    pub const LOW: i64 = -2;
    pub const HIGH: i64 = 4;
    pub mod inner {
        pub const ONE: i64 = 1;
    }
}

functions! {
    fn classify(n: i64) -> f64 {
        match n {
            LOW => -1.0,
            -1 | 0 => 0.0,
            inner::ONE..=HIGH => return n as f64,
            _ => 9.0,
        }
    }
    fn sign_of(up: bool, strong: bool) -> i64 {
        match (up, strong) {
            (true, true) => 2,
            (true, false) => 1,
            (false, s) => if s { -2 } else { -1 },
        }
    }
    fn twice(x: f64) -> f64 { x + x }
    fn squared(x: f64) -> f64 { x * x }
    fn apply(f: impl Fn(f64) -> f64, x: f64) -> f64 { f(f(x)) }
    fn both[F: Fn(f64) -> f64 + Copy, G: Fn(f64) -> f64](f: F, g: G, x: f64) -> f64 { apply(f, x) - g(f(x)) }
    fn summed(f: impl Fn(&Array<f64>, i64) -> f64, x: &Array<f64>) -> f64 {
        let mut s = 0.0;
        for i in 0..x.len() { s += f(x, i); }
        s
    }
    fn product(x: &Array<f64>, i: i64) -> f64 { x[i] * x[(i + 1) % x.len()] }
    fn visited(f: impl Fn(&mut f64, i64), g: impl Fn(&mut Array<f64>, i64, f64), x: &mut Array<f64>) -> f64 {
        let mut s = 1.0;
        for i in 0..x.len() {
            f(&mut s, i);
            g(x, i, s);
        }
        s
    }
    fn grown(s: &mut f64, i: i64) { *s += i as f64; }
    fn scaled(x: &mut Array<f64>, i: i64, by: f64) { x[i] *= by; }
    fn bump(x: &mut f64, by: f64) -> f64 {
        let old = *x;
        if by < 0.0 { return old; }
        *x += by;
        old
    }
    fn bump_twice(x: &mut f64, n: &mut i64) {
        for i in 0..*n {
            if i == 3 { break; }
            bump(x, 0.5 * i as f64);
        }
        *n -= 1;
        let first = bump(&mut *x, 1.0);
        *x = *x - first / 4.0;
    }
    fn parts[const N: usize](x: f64) -> f64 {
        let mut s = x;
        for i in 0..N as i64 { s = s * 0.5 + i as f64; }
        s
    }
    fn all_at_once(x: f64, y: f64) -> (f64, (f64, bool)) { (x + y, (x - y, x < y)) }
}

cases! {
    functions_of_arrays_and_of_changed_values(x, k, n) {
        x[0] = summed(product, x);
        x[1] = visited(grown, scaled, x);
    }
    match_as_value(x, k, n) {
        x[0] = match n { 0 => 10.0, 1 | 2 => x[1] + 1.0, 3.. => x[2], _ => 4.0 };
        for i in 0..6 { x[i] = x[i] + classify(i - 3); }
    }
    match_as_statement(x, k, n) {
        let mut s = 0.0;
        match k[n] {
            1 => s = 1.0,
            3 => { s = 2.0; x[1] = 7.0; }
            4 | 5 => s -= 1.0,
            _ => {}
        }
        x[0] = s;
    }
    match_guards_and_names(x, k, n) {
        for i in 0..6 {
            let v = k[i];
            k[i] = match v {
                m if m % 2 == 0 => m / 2,
                1 if n > 2 => -1,
                m @ (3 | 5) => m * 10,
                mut m => { m += 1; m }
            };
        }
    }
    match_is_computed_once(x, k, n) {
        let mut calls = 0;
        let r = match { calls += 1; n } { 0 => 5, 1 => 6, 2 => 7, _ => 8 };
        k[0] = calls * 100 + r;
    }
    match_of_what_its_arms_assign(x, k, n) {
        let mut v = n;
        match v { 0 => v = 1, 1 => v = 2, 2 => v = 0, _ => v = 9 }
        k[0] = v;
    }
    match_of_truth_values(x, k, n) {
        k[0] = match x[0] > 1.0 { true => 1, false => 2 };
        k[1] = sign_of(n > 1, x[0] > 0.0);
        k[2] = match (n, k[0]) { (0, 1) => 1, (a, 2) if a > 0 => a, (_, b) => b };
    }
    match_with_exits(x, k, n) {
        let mut s = 0;
        for i in 0..6 {
            match k[i] + n {
                4 => continue,
                9 => break,
                2 | 3 => { s += 100; if i > 3 { return; } }
                10 => { k[5] = s; return; }
                v => s += v,
            }
            s += 1;
        }
        k[0] = s;
    }
    match_with_exits_as_value(x, k, n) {
        let mut s = 0;
        'outer: for i in 0..6 {
            let v = match k[i] { 1 => { if n == 3 { break 'outer; } 7 } 4 => continue, w if w > 8 => return, w => w };
            s = match v % 3 { 0 => s + v, 1 => { k[i] = 0; s * 2 } _ => s - 1 };
        }
        k[0] = s;
    }
    match_nested(x, k, n) {
        k[0] = match n { 0 => match k[1] { 1 => 10, _ => 11 }, a => match a % 2 { 0 => a, b => match k[2] { 4 => b, _ => 0 } } };
    }
    match_of_other_integers(x, k, n) {
        let a = n as i32; let b = k[0] as u32;
        k[1] = match a { i32::MIN..0 => 1, 0 => 2, 1..=2 => 3, 3.. => 4 };
        k[2] = match b { 0u32 => 1, 3 => 2, u32::MAX => 3, _ => 4 };
    }
    functions_as_parameters(x, k, n) {
        x[0] = apply(twice, x[1]) + apply(squared, x[2]);
        x[1] = both(squared, twice, x[3]);
        x[2] = apply(parts::<3>, x[2]) + parts::<0>(1.0);
    }
    parameters_that_come_back(x, k, n) {
        let mut v = x[0];
        let mut m = n;
        let a = bump(&mut v, 0.25);
        bump_twice(&mut v, &mut m);
        if m > 1 { bump(&mut v, 2.0); }
        for i in 0..m { bump(&mut v, x[i]); }
        x[1] = v; x[2] = a; k[0] = m;
    }
    several_results(x, k, n) {
        let (a, (b, less)) = all_at_once(x[0], x[1]);
        x[0] = a; x[1] = b;
        k[0] = if less { 1 } else { 0 };
    }
}
