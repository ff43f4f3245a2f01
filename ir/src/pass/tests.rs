//! Each pass on small kernels, in text form; and every kernel here prints and reads back.

use super::{dce, forward, inline, optimize, simplify};
use crate::{Kernel, parse, verify};

fn read(text: &str) -> Kernel {
    let kernel = parse(text).unwrap();
    verify(&kernel).unwrap();
    assert_eq!(parse(&kernel.to_string()).unwrap(), kernel, "{kernel}");
    kernel
}

fn check(pass: fn(&Kernel) -> Kernel, before: &str, after: &str) {
    let result = pass(&read(before));
    verify(&result).unwrap();
    assert_eq!(result.to_string(), read(after).to_string());
}

#[test]
fn constants_fold_and_equal_ops_are_shared() {
    check(
        |k| dce(&simplify(k)),
        "kernel k(x: readwrite [f64; 1], a: f64) {
           v1: i64 = thread_id 0
           v2: f64 = const 2.0
           v3: f64 = const 3.0
           v4: f64 = mul v2, v3
           v5: f64 = mul v0, v4
           v6: i64 = thread_id 0
           v7: f64 = mul v0, v4
           v8: f64 = add v5, v7
           store x[v6].0, v8
         }",
        "kernel k(x: readwrite [f64; 1], a: f64) {
           v1: i64 = thread_id 0
           v2: f64 = const 6.0
           v3: f64 = mul v0, v2
           v4: f64 = add v3, v3
           store x[v1].0, v4
         }",
    );
}

#[test]
fn small_loops_unroll_and_unchanged_carried_values_go() {
    check(
        optimize,
        "kernel k(x: readwrite [f64; 1], n: i32) {
           v1: i64 = thread_id 0
           v2: f64 = load x[v1].0
           v3: i32 = const 0
           v4: i32 = const 2
           v5: i32 = const 1
           v6: f64 = for v7: i32 = v3 to v4 step v5 carry (v8: f64 = v2) {
             v9: f64 = mul v8, v8
             yield v9
           }
           v10: f64, v11: f64 = for v12: i32 = v3 to v0 step v5 carry (v13: f64 = v6, v14: f64 = v2) {
             v15: f64 = add v13, v14
             yield v15, v14
           }
           v16: f64 = mul v10, v11
           store x[v1].0, v16
         }",
        "kernel k(x: readwrite [f64; 1], n: i32) {
           v1: i64 = thread_id 0
           v2: f64 = load x[v1].0
           v3: i32 = const 0
           v4: i32 = const 1
           v5: f64 = mul v2, v2
           v6: f64 = mul v5, v5
           v7: f64 = for v8: i32 = v3 to v0 step v4 carry (v9: f64 = v6) {
             v10: f64 = add v9, v2
             yield v10
           }
           v11: f64 = mul v7, v2
           store x[v1].0, v11
         }",
    );
}

#[test]
fn loads_are_fed_from_stores_of_the_same_element() {
    check(
        |k| dce(&forward(k)),
        "kernel k(x: readwrite [f64; 1], y: readwrite [f64; 1]) {
           v0: i64 = thread_id 0
           v1: i64 = const 1
           v2: i64 = iadd v0, v1
           v3: f64 = load x[v0].0
           store x[v2].0, v3
           v4: f64 = load x[v0].0
           v5: f64 = load x[v2].0
           v6: f64 = add v4, v5
           store y[v0].0, v6
         }",
        "kernel k(x: readwrite [f64; 1], y: readwrite [f64; 1]) {
           v0: i64 = thread_id 0
           v1: i64 = const 1
           v2: i64 = iadd v0, v1
           v3: f64 = load x[v0].0
           store x[v2].0, v3
           v4: f64 = add v3, v3
           store y[v0].0, v4
         }",
    );
}

#[test]
fn a_push_keeps_only_what_its_pop_needs() {
    check(
        dce,
        "kernel k(x: readwrite [f64; 1], n: i32) {
           v1: i64 = thread_id 0
           v2: f64 = load x[v1].0
           v3: i32 = const 0
           v4: i32 = const 1
           v5: f64, v6: f64 = for v7: i32 = v3 to v0 step v4 carry (v8: f64 = v2, v9: f64 = v2) {
             push 0, v8, v9
             v10: f64 = mul v8, v8
             v11: f64 = add v9, v8
             yield v10, v11
           }
           v12: f64 = for v13: i32 = v3 to v0 step v4 carry (v14: f64 = v2) {
             v15: f64, v16: f64 = pop 0
             v17: f64 = mul v14, v15
             yield v17
           }
           store x[v1].0, v12
         }",
        "kernel k(x: readwrite [f64; 1], n: i32) {
           v1: i64 = thread_id 0
           v2: f64 = load x[v1].0
           v3: i32 = const 0
           v4: i32 = const 1
           v5: f64 = for v6: i32 = v3 to v0 step v4 carry (v7: f64 = v2) {
             push 0, v7
             v8: f64 = mul v7, v7
             yield v8
           }
           v9: f64 = for v10: i32 = v3 to v0 step v4 carry (v11: f64 = v2) {
             v12: f64 = pop 0
             v13: f64 = mul v11, v12
             yield v13
           }
           store x[v1].0, v9
         }",
    );
}

#[test]
fn nested_constant_loops_do_not_unroll_without_bound() {
    let mut text = "kernel k(x: readwrite [f64; 1]) {
       i: i64 = thread_id 0
       zero: i64 = const 0
       one: i64 = const 1
       many: i64 = const 16
       v0: f64 = load x[i].0\n"
        .to_owned();
    for depth in 0..4 {
        text += &format!(
            "r{depth}: f64 = for i{depth}: i64 = zero to many step one carry (v{}: f64 = v{depth}) {{\n",
            depth + 1
        );
    }
    text += "w: f64 = mul v4, v4\nyield w\n}\n";
    for depth in (0..3).rev() {
        text += &format!("yield r{}\n}}\n", depth + 1);
    }
    text += "store x[i].0, r0\n}";
    let kernel = simplify(&read(&text));
    assert!(kernel.ops.len() < 1000, "{} ops", kernel.ops.len());
}

#[test]
fn loops_that_use_the_stack_do_not_unroll() {
    let text = "kernel k(x: readwrite [f64; 1]) {
           v0: i64 = thread_id 0
           v1: f64 = load x[v0].0
           v2: i64 = const 0
           v3: i64 = const 3
           v4: i64 = const 1
           v5: f64 = for v6: i64 = v2 to v3 step v4 carry (v7: f64 = v1) {
             push 0, v7
             v8: f64 = mul v7, v1
             yield v8
           }
           v9: f64 = for v10: i64 = v2 to v3 step v4 carry (v11: f64 = v5) {
             v12: f64 = pop 0
             v13: f64 = mul v11, v12
             yield v13
           }
           store x[v0].0, v9
         }";
    check(optimize, text, text);
}

#[test]
fn own_rules_are_inlined_checks_that_hold_go_and_prints_stay() {
    let text = "kernel k(x: readwrite [f64; 1], a: f64, i: i64) {
           v2: bool = const true
           check \"never \\\"said\\\"\" v2
           v3: bool = lt v0, v0
           check 3 v3, v1
           v4: f64, v5: f64 = custom (v6: f64 = v0) {
             v7: f64 = sin v6
             yield v7, v6
           } near (v8: f64) {
             yield v8, v8
           } adjoint (v9: f64, v10: f64, v11: f64, v12: f64, v13: f64) {
             yield v12
           }
           print \"{{{:.3}}} = {:?}\\n\" v4, v5
           print \"text\"
         }";
    check(
        |k| dce(&simplify(&inline(k))),
        text,
        "kernel k(x: readwrite [f64; 1], a: f64, i: i64) {
           v3: bool = lt v0, v0
           check 3 v3, v1
           v7: f64 = sin v0
           print \"{{{:.3}}} = {:?}\\n\" v7, v0
           print \"text\"
         }",
    );
    // Simplified and forwarded, it is whole.
    let whole = optimize(&read(text)).to_string();
    assert!(whole.contains("custom (") && whole.contains("near (") && whole.contains("adjoint ("), "{whole}");
}
