//! Every form of syntax, traced and run by the reference interpreter, gives what rustc makes of it.
//!
//! A case is one function body that is compiled twice: as ordinary Rust over host arrays, and as a
//! kernel. Both run on the same inputs and must leave the same bits in `x` and `k`.

mod common;
#[macro_use]
mod twice;

use common::{Array, Host, run};
use pullback_lang::Vec3;

functions! {
    fn square(x: f64) -> f64 { x * x }
    fn clamped(x: f64) -> f64 {
        if x < 0.0 { return 0.0; }
        if x > 1.0 { return 1.0; }
        x
    }
    fn first_above(x: &Array<f64>, limit: f64) -> i64 {
        for i in 0..x.len() {
            if x[i] > limit { return i; }
        }
        -1
    }
    fn swap(x: &mut Array<f64>, i: i64, j: i64) {
        let t = x[i];
        x[i] = x[j];
        x[j] = t;
    }
    fn pair(a: f64, b: f64) -> (f64, f64) { (min(a, b), max(a, b)) }
    fn nested_return(x: f64, n: i64) -> f64 {
        let mut s = x;
        if n > 2 {
            if s > 1.0 { return s; }
            s += 1.0;
        }
        let mut i = 0;
        while i < n {
            let mut j = 0;
            loop {
                if j >= i { break; }
                s *= 1.25;
                if s > 50.0 { return -s; }
                j += 1;
            }
            i += 1;
        }
        s
    }
    fn early_pair(x: &Array<f64>, n: i64) -> (f64, i64) {
        let mut best = (x[0], 0);
        for i in 1..x.len() {
            if x[i] > 8.0 { return (x[i], -i); }
            if x[i] > best.0 { best = (x[i], i); }
            if i == n { return best; }
        }
        (best.0 + 1.0, best.1)
    }
    fn search(x: &Array<f64>, n: i64) -> f64 {
        let mut i = 0;
        loop {
            if i >= x.len() { return -1.0; }
            if x[i] * 2.0 > n as f64 { return x[i]; }
            i += 1;
        }
    }
}

mod constants {
    pub const FACTOR: f64 = 1.5;
    pub const LIMITS: (f64, f64) = (-1.0, 1.0);
}

cases! {
    straight(x, k, n) {
        let a = x[0];
        let b = a * 2.0 + 1.0 - x[1] / 4.0;
        let c = -b % 0.75;
        x[2] = a + b * c;
    }
    shadowing(x, k, n) {
        let a = x[0];
        let a = a + 1.0;
        { let a = a * 2.0; x[1] = a; }
        x[0] = a;
    }
    shadowing_in_branch(x, k, n) {
        let mut a = x[0];
        if a > 0.0 {
            a = 1.0;
            let a = 7.0;
            x[1] = a;
        }
        x[0] = a;
    }
    mutation(x, k, n) {
        let mut a = x[0];
        a += 1.0; a -= 0.25; a *= 3.0; a /= 2.0; a %= 5.0;
        let mut i = k[0];
        i += 2; i -= 1; i *= 3; i /= 2; i %= 7; i |= 8; i &= 29; i ^= 3; i <<= 2; i >>= 1;
        x[0] = a; k[0] = i;
    }
    integers(x, k, n) {
        let a = k[0] * 3 - k[1];
        k[0] = (a & 6) | (a ^ 1) << 2;
        k[1] = !a >> 1;
        k[2] = -a / 2 + a % 3;
        k[3] = min(a, 4) + max(a, 2) + abs(1 - a);
        k[4] = a.min(k[5]).max(-3);
    }
    if_statement(x, k, n) {
        let mut s = 0.0;
        if x[0] > 1.0 { s = 1.0; } else if x[0] > 0.0 { s = 2.0; x[1] = 5.0; } else { s = 3.0; }
        if s > 1.5 { x[2] = s; }
        x[0] = s;
    }
    if_expression(x, k, n) {
        let s = if x[0] > 1.0 { 1.0 } else if x[1] > 0.0 { x[2] } else { let t = x[3]; t * t };
        let (a, b) = if n > 2 { (s, 1.0) } else { (2.0, s) };
        x[0] = a - b + if n == 1 { 0.5 } else { 0.25 };
    }
    if_value_and_assignment(x, k, n) {
        let mut count = 0;
        let s = if x[0] > 0.0 { count += 1; x[0] } else { count -= 1; -x[0] };
        x[0] = s; k[0] = count;
    }
    for_loop(x, k, n) {
        let mut s = 0.0;
        for i in 0..n { s += x[i]; }
        for _ in 0..3 { s = s * 0.5 + 1.0; }
        for i in 1..=n { s += i as f64 * x[i]; }
        x[0] = s;
    }
    for_reversed_and_stepped(x, k, n) {
        let mut s = 0.0;
        for i in (0..6).rev() { s = s * 2.0 + x[i]; }
        for i in (0..6).step_by(2) { s = s * 2.0 + x[i]; }
        x[0] = s;
    }
    for_reversed_steps(x, k, n) {
        let mut s = 0;
        for i in (0..n + 1).rev().step_by(2) { s = s * 10 + i; }
        k[0] = s;
        s = 0;
        for i in (1..n as i32 + 1).step_by(2).rev() { s = s * 10 + i as i64; }
        k[1] = s;
    }
    for_bounds_are_taken_once(x, k, n) {
        let mut m = n;
        for i in 0..m { m += 1; k[i] = m; }
    }
    for_variable_is_a_copy(x, k, n) {
        let mut s = 0;
        for mut i in 0..n { i += 1; s += i; }
        k[0] = s;
    }
    nested_for(x, k, n) {
        let mut s = 0.0;
        for i in 0..n { for j in i..n { s += x[i] * x[j]; } s *= 0.5; }
        x[0] = s;
    }
    while_loop(x, k, n) {
        let mut i = 0;
        let mut s = 1.0;
        while i < n && s < 20.0 { s = s * 1.5 + x[i]; i += 1; }
        x[0] = s; k[0] = i;
    }
    while_with_break_and_continue(x, k, n) {
        let mut i = 0;
        let mut s = 0.0;
        while i < 6 {
            i += 1;
            if x[i - 1] < 0.0 { continue; }
            if s > 4.0 { break; }
            s += x[i - 1];
        }
        x[0] = s; k[0] = i;
    }
    loop_with_break(x, k, n) {
        let mut i = 0;
        loop { if i >= n { break; } x[i] += 1.0; i += 1; }
        k[0] = i;
    }
    loop_with_value(x, k, n) {
        let mut i = 0;
        let found = loop {
            if i == 6 { break -1; }
            if x[i] > 2.0 { break i; }
            i += 1;
        };
        k[0] = found;
    }
    for_with_continue(x, k, n) {
        let mut best = -1e9;
        for i in 0..x.len() { if x[i] < 0.0 { continue; } best = max(best, x[i]); }
        x[0] = best;
    }
    for_with_break(x, k, n) {
        let mut acc = 0.0;
        for i in 0..6 { if acc > 5.0 { break; } acc += x[i] * x[i]; k[i] = -1; }
        x[0] = acc;
    }
    break_then_more(x, k, n) {
        let mut a = 0.0;
        for i in (0..6).rev() {
            if x[i] > 3.0 { a += 100.0; break; } else if x[i] < 0.0 { a -= 10.0; }
            a += 1.0;
            if n > 2 && a > 2.0 { continue; }
            a += 0.5;
        }
        x[5] = a;
    }
    labels(x, k, n) {
        let mut c = 0;
        'outer: for i in 0..6 {
            for j in 0..6 {
                if x[j] < 0.0 { continue 'outer; }
                if x[i] * x[j] > 8.0 { break 'outer; }
                c += 1;
            }
            c += 100;
        }
        k[0] = c;
    }
    labels_on_loops(x, k, n) {
        let mut c = 0;
        'a: loop {
            let mut j = 0;
            'b: while j < 5 {
                j += 1;
                loop {
                    c += 1;
                    if c > 30 { break 'a; }
                    if c % 3 == 0 { continue 'b; }
                    if c % 5 == 0 { break 'b; }
                    if c % 7 == 0 { continue 'a; }
                }
            }
            c += 10;
        }
        k[0] = c;
    }
    early_return(x, k, n) {
        if n == 0 { return; }
        x[0] = 9.0;
        if x[1] > 0.0 { x[2] = 8.0; if n == 2 { return; } x[3] = 7.0; }
        x[4] = 6.0;
    }
    early_return_in_else(x, k, n) {
        if n > 1 { x[0] = 1.0; } else { return; }
        if n > 2 { x[1] = 1.0; } else if n > 1 { x[2] = 5.0; return; } else { x[3] = 1.0; }
        x[4] = 1.0;
    }
    early_return_in_else_with_names(x, k, n) {
        let a = 2.0;
        if n == 1 { return; } else { let a = 3.0; x[0] = a; if n == 2 { return; } x[1] = a; }
        x[2] = a;
    }
    early_return_in_loops(x, k, n) {
        for i in 0..6 {
            x[i] += 1.0;
            for j in 0..n { k[j] += 1; if k[j] + i > 6 { return; } }
            if x[i] > 4.5 { return; }
            x[i] *= 2.0;
        }
        x[5] = 100.0;
    }
    return_in_a_block(x, k, n) {
        { let a = n; if a == 2 { return; } k[0] = a; }
        k[1] = 0;
        { k[2] = 5; return; }
    }
    return_in_let(x, k, n) {
        let a = if n == 3 { return; } else { n * 2 };
        let b = if a > 2 { a } else { k[0] = 77; return; };
        let c = if b > 5 { if b == 10 { return; } 1 } else { 2 };
        k[1] = a + b + c;
    }
    return_in_assignment(x, k, n) {
        let mut a = 1;
        a = if n == 1 { return; } else if n == 2 { 5 } else { 6 };
        k[0] = a;
        let b = { if n == 3 { return; } a * 2 };
        k[1] = b;
    }
    loop_value_or_return(x, k, n) {
        let mut i = 0;
        let v = loop {
            if i == n { return; }
            if x[i] > 2.0 { break x[i]; }
            i += 1;
        };
        x[0] = v * 100.0;
    }
    functions_called(x, k, n) {
        x[0] = square(x[1]) + clamped(x[2]);
        k[0] = first_above(x, 1.0);
        swap(x, 3, 4);
        let (lo, hi) = pair(x[1], x[2]);
        x[5] = lo - hi;
        x[1] = nested_return(x[1], n);
        x[2] = search(x, n);
    }
    reborrowed_arrays(x, k, n) {
        let y = &mut *x;
        swap(y, 0, 1);
        k[0] = first_above(&*x, 0.5);
        let z = x;
        z[2] = 1.0;
    }
    tuples(x, k, n) {
        let t = (x[0], (n, true));
        let (a, (b, c)) = t;
        let mut u = (a, t.1.0);
        if c { u.0 += 1.0; u.1 = b * 2; }
        x[0] = u.0; k[0] = u.1;
        let (mut p, _) = u;
        p += 1.0;
        x[1] = p;
    }
    vectors(x, k, n) {
        let mut v = Vec3::new(x[0], x[1], x[2]);
        v.x += 1.0;
        v.y = v.x * v.z;
        let w = cross(v, vec3(1.0, 2.0, 3.0)) * 0.5 - 2.0 * v;
        v += w;
        v /= 2.0;
        if n > 1 { v.z = dot(v, w); }
        x[0] = v.x; x[1] = v.y; x[2] = v.z;
        x[3] = -v.length_sq();
    }
    logic(x, k, n) {
        let a = n > 1;
        let b = x[0] > 0.0 || x[1] > 0.0;
        let c = !(a && b) ^ (n == 2);
        if a & b | c { k[0] = 1; }
        if a != c && (n == 3 || x[2] < 1.0) { k[1] = 1; }
        if n < 6 && x[n] > 0.0 { k[2] = 1; }
        k[3] = if a == b { 1 } else { 0 };
    }
    lazy_right_side(x, k, n) {
        let m = k.len();
        let i = n + 2;
        if i < 5 && x[i] > 0.0 || i >= m { k[0] = 1; }
        if n != 0 && 10 / n > 3 { k[1] = 1; }
    }
    casts(x, k, n) {
        let a = x[0] as i64;
        let b = (x[1] * 1e10) as i32;
        let c = n as f32 * 0.1;
        k[0] = a + b as i64;
        k[1] = (x[2] as u32) as i64 + (-n) as u32 as i64;
        x[0] = c as f64 + (a as f64) / 3.0;
        k[2] = 3 as i64;
    }
    suffixes(x, k, n) {
        let a = 0.1f32 + 2.0f32;
        let b = 7i32 / 2i32;
        x[0] = a as f64 + 1f64;
        k[0] = b as i64 + 5i64;
    }
    constants(x, k, n) {
        const LOCAL: f64 = 0.125;
        let (lo, hi) = LIMITS;
        x[0] = clamp(x[0] * FACTOR, lo, hi) + LOCAL + std::f64::consts::PI;
        k[0] = i64::MAX - (i32::MAX as i64);
    }
    evaluation_order(x, k, n) {
        let mut i = 0;
        k[{ i += 1; i }] = i;
        k[i + 1] += { i += 1; i };
    }
    carried_through_many(x, k, n) {
        let mut a = 0.0;
        let mut b = 1.0;
        let mut c = (0, 1.0);
        for i in 0..n {
            let t = a + b;
            a = b;
            b = t;
            if i % 2 == 0 { c.0 += i; } else { c.1 *= b; }
        }
        x[0] = a; x[1] = b; x[2] = c.1; k[0] = c.0;
    }
    element_of_element(x, k, n) {
        let j = k[0] - 3 + n;
        k[j] += k[n];
        x[n] = x[x[0] as i64 * 0 + n] * 2.0;
    }
    unit_function_value(x, k, n) {
        if n > 1 { swap(x, 0, 1) } else { swap(x, 1, 2) }
        let u = { x[3] = 1.0; };
        u
    }
    dead_code_after_exit(x, k, n) {
        k[0] = 1;
        return;
        k[0] = 2;
    }
    methods(x, k, n) {
        x[0] = x[0].abs().sqrt().max(0.5) + x[1].sin().powi(3) * x[2].abs().powf(0.5);
        x[1] = x[1].floor() + x[2].round() - x[3].trunc() + x[4].mul_add(2.0, 1.0);
        x[2] = x[2].powi(-2) + x[2].powi(0) + x[2].recip();
    }
    value_of_if_or_continue(x, k, n) {
        let mut s = 0.0;
        for i in 0..6 {
            let t = if x[i] < 0.0 { k[i] = 0; continue; } else { x[i] };
            let u = if t > 3.0 { t } else if n == 2 { break; } else { 1.0 };
            s += t * u;
        }
        x[0] = s;
    }
    inner_loop_value_or_outer_break(x, k, n) {
        let mut c = 0;
        'outer: for i in 0..5 {
            let mut j = i;
            let v = loop {
                if j > 5 { continue 'outer; }
                if x[j] > 5.0 { break 'outer; }
                if x[j] > 1.0 { break j; }
                if x[j] < -1.0 { if n > 2 { return; } break -j; }
                j += 1;
            };
            c += v + 1;
            k[i] = c;
        }
        k[5] = c;
    }
    chain_with_returns_inside(x, k, n) {
        let mut a = 0;
        if n == 0 { a = 1; } else if n == 1 { k[0] = 9; return; } else if n == 2 { a = 3; } else if n == 3 { return; } else { a = 5; }
        k[1] = a;
        if a > 2 { a += 1; if a > 4 { k[2] = a; return; } a += 2; } else if a == 1 { a = 7; }
        k[3] = a;
    }
    names_after_an_exit(x, k, n) {
        let mut a = 1;
        if n == 4 { return; }
        let b = 2;
        a += b;
        if n == 3 { k[0] = a; return; }
        let a2 = a;
        let mut a = a * 10;
        a += a2;
        for i in 0..n { if i == 3 { return; } a += i; }
        k[1] = a;
    }
    while_with_function_in_condition(x, k, n) {
        let mut i = 0;
        while first_above(x, i as f64) >= 0 && search(x, i) > 0.0 {
            i += 1;
            if nested_return(x[1], i) < 0.0 { break; }
        }
        k[0] = i;
    }
    loop_in_condition(x, k, n) {
        if { let mut i = 0; loop { if i == n { break; } i += 2; if i > 6 { break; } } i == n } { k[0] = 1; }
        let t = 1 + { let mut s = 0; for i in 0..n { if i == 2 { continue; } s += i; } s } * 2;
        k[1] = t;
    }
    break_in_both_arms(x, k, n) {
        let mut i = 0;
        loop {
            i += 1;
            if x[i] > 0.0 { k[0] = i; if n > 1 { break; } } else { if i > 3 { break; } continue; }
            if i == 5 { break; }
        }
        k[1] = i;
    }
    endless_loops_with_returns(x, k, n) {
        let mut i = 0;
        loop {
            k[1] = i;
            loop { i += 1; if i % 3 == 0 { return; } if i % 2 == 0 { break; } }
            if i > n { return; }
        }
    }
    early_tuple(x, k, n) {
        let (a, b) = early_pair(x, n);
        x[0] = a; k[0] = b;
    }
    deep(x, k, n) {
        let mut total = 0;
        for a in 0..3 {
            if a == n { continue; }
            for b in (0..3).rev() {
                let mut c = 0;
                while c < 4 {
                    c += 1;
                    if (a + b + c) % 4 == 0 { break; }
                    if (a + b + c) % 5 == 0 { continue; }
                    if total > 40 { k[2] = total; return; }
                    total += a * b + c;
                }
                if total % 7 == 0 { break; }
                total += 1;
            }
            total += 2;
        }
        k[3] = total;
    }
    unsigned_and_narrow(x, k, n) {
        let a = (n + 3) as u32;
        let b = a * 7 - 2;
        let mut c = (n as i32 - 3) >> 1;
        c += b as i32 % 5;
        let d = (a as u64) << 33 >> 31;
        let e = b.min(9).max(a);
        k[0] = c as i64; k[1] = d as i64; k[2] = e as i64 + (b >> 2) as i64;
        let mut t = 0u32;
        for i in (0..a).rev() { t = t * 2 + i; }
        k[3] = t as i64;
    }
}
