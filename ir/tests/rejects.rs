//! What the verifier and the parser refuse, and what they say; and that no text makes the parser panic.
#![allow(clippy::unwrap_used, missing_docs)]

use pullback_ir::{parse, verify};

/// Bodies of `kernel k(x: readwrite [f64; 1], r: read [f64x3; 2], i: i64, a: f64)`, in which the scalar
/// parameters are v0 and v1, and what the verifier says of each.
const REJECTED: &[(&str, &str)] = &[
    ("v2: f64 = add v0, v1", "`add` has operands [I64, F64]; expected [F64, F64]"),
    ("v2: f64 = add v1", "`add` has operands [F64]; expected [F64, F64]"),
    ("v2: f32 = mul v1, v1", "`mul` has results [F32]; expected [F64]"),
    ("v2: i64 = iadd v0, v1", "`iadd` has operands [I64, F64]"),
    ("v2: bool = lt v0, v1", "`lt` has operands [I64, F64]"),
    ("v2: bool = and v0, v0", "`and` has operands [I64, I64]; expected [Bool, Bool]"),
    ("v2: f64 = select v1, v1, v1", "`select` has operands"),
    ("v2: f64 = load x[v1]", "`load` has operands [F64]; expected [I64]"),
    ("v2: f64 = load r[v0, v0]", "`load` has results [F64]; expected [F64, F64, F64]"),
    ("v2: f64 = load r[v0, v0].3", "component 3 of array `r`, which has 3"),
    ("store r[v0, v0].0, v1", "`store` on array `r`, which is declared `read`"),
    ("v2: f64 = atomic_add r[v0, v0].0, v1", "`atomic_add` on array `r`, which is declared `read`"),
    ("v2: i64 = thread_id 1", "`thread_id` names axis 1 of 1"),
    ("v2: i64 = len r, 2", "`len` names axis 2 of 2"),
    (
        "v2: bool = lt v1, v1\nv3: f64 = if v2 {\n yield v1\n} else {\n yield v0\n}",
        "`if` has yields [I64]; expected [F64]",
    ),
    ("v2: bool = lt v1, v1\nif v2 {\n} else {\n yield\n}", "must end in its only yield"),
    ("v2: f64 = for v3: i64 = v0 to v1 step v0 carry (v4: f64 = v1) {\n yield v4\n}", "`for` has operands"),
    ("v2: f64 = for v3: i64 = v0 to v0 step v0 carry (v4: f64 = v1) {\n yield v3\n}", "`for` has yields [I64]"),
    (
        "v2: f64 = while (v3: f64 = v1) {\n yield v3\n} do (v4: f64) {\n yield v4\n}",
        "`while` has yields [F64]; expected [Bool]",
    ),
    ("v2: f64 = pop 3", "stack site 3 needs pushes of the same types"),
    ("push 1, v1\npush 1, v0", "stack site 1 needs pushes of the same types"),
    ("push 1, v1\nv2: f64 = pop 1\nv3: f64 = pop 1", "stack site 1 needs pushes of the same types, at most one pop"),
    ("push 1, v1\ndrop 1 of 2, v0", "stack site 1 needs pushes of the same types"),
    ("push 1, v1\ndrop 1 of 1, v1", "`drop` has operands [F64]; expected [I64]"),
    ("yield v1", "a kernel's body yields nothing"),
    ("check 3 v1, v0", "`check` has operands [F64, I64]; expected [Bool, I64]"),
    ("print \"{} and {:.2}\" v1", "`print` has operands [F64]; expected one for each mark"),
    ("print \"{\" v1", "`print` has operands [F64]; expected one for each mark"),
    (
        "v2: f64 = custom (v3: f64 = v1) {\n yield v3\n} adjoint (v4: f64, v5: f64) {\n yield v4\n}",
        "has arguments [F64, F64], but what holds it gives [F64, F64, F64]",
    ),
    (
        "v2: f64 = custom (v3: f64 = v1) {\n yield v3\n} adjoint (v4: f64, v5: f64, v6: f64) {\n yield\n}",
        "`custom` has yields []; expected [F64]",
    ),
    (
        "v2: f64 = custom (v3: i64 = v0) {\n v4: f64 = load x[v3]\n yield v4\n} adjoint (v5: i64, v6: f64, v7: f64) {\n \
         yield\n}",
        "of a `custom` touches memory",
    ),
    ("v2: f64 = atomic_and x[v0].0, v1", "`atomic_and` has operands [I64, F64]"),
    ("v2: f64 = atomic_compare_exchange x[v0].0, v1", "`atomic_compare_exchange` has operands [I64, F64]"),
];

fn text(body: &str) -> String {
    format!("kernel k(x: readwrite [f64; 1], r: read [f64x3; 2], i: i64, a: f64) {{\n{body}\n}}")
}

#[test]
fn the_verifier_says_what_is_wrong() {
    let mut missed = Vec::new();
    for (body, expected) in REJECTED {
        let kernel = parse(&text(body)).unwrap_or_else(|e| panic!("{e}: {body}"));
        let said = verify(&kernel).err().map(|e| e.to_string()).unwrap_or_default();
        if !said.contains(expected) {
            missed.push(format!("{body}\n  said: {said}\n  expected: {expected}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn all_faults_are_reported_at_once() {
    let kernel = parse(&text("v2: f64 = add v0, v1\nv3: bool = and v0, v0")).unwrap();
    assert_eq!(verify(&kernel).unwrap_err().errors.len(), 2);
}

/// Texts that are no kernels, and what the parser says.
const UNREADABLE: &[(&str, &str)] = &[
    ("", "1:1: expected `kernel`, found the end"),
    ("kernel k(", "expected a parameter, found the end"),
    ("kernel k(x: f128) {}", "1:13: expected a type, found `f128`"),
    ("kernel k(x: read [f32x0; 1]) {}", "expected an element type"),
    ("kernel k(x: read [f32]) {}", "expected `;`, found `]`"),
    ("kernel k(a: f64) { v1: f64 = add v0, v9 }", "expected a value that is in scope, found `v9`"),
    ("kernel k(a: f64) { v1: f64 = frobnicate v0 }", "expected an op, found `frobnicate`"),
    ("kernel k() { v0: i32 = const 1.5 }", "expected a constant of type i32, found `1.5`"),
    ("kernel k(x: read [f64; 1], i: i64) { v1: f64 = load x[v0, v0] }", "expected 1 indices"),
    ("kernel k(i: i64) { v1: f64 = load y[v0] }", "expected an array parameter, found `y`"),
    ("kernel k() {} trailing", "expected the end, found `trailing`"),
];

#[test]
fn the_parser_says_where_and_what() {
    for (text, expected) in UNREADABLE {
        let said = parse(text).unwrap_err().to_string();
        assert!(said.contains(expected), "{text}\n  said: {said}\n  expected: {expected}");
    }
}

const SAMPLE: &str = "kernel k(x: readwrite [{f64@0, i32@8, size 16}; 2], n: i64, b: bool) rank 2 descending {
  v2: i64 = thread_id 1                ; some/file.rs:12:5
  v3: f64, v4: i32 = load x[v2, v2]
  v5: f64 = const nan(0x7ff8000000000001)
  v6: f64 = const -inf
  v7: f64 = if v1 {
    v8: f64 = for v9: i64 = v2 to v0 step v2 carry (v10: f64 = v3) {
      push 0, v10, v9
      drop 0 of 2, v9
      yield v10
    }
    yield v8
  } else {
    v11: f64, v12: bool = while (v13: f64 = v5, v14: bool = v1) {
      yield v14
    } do (v15: f64, v16: bool) {
      yield v15, v16
    }
    yield v11
  }
  store x[v2, v2].0, v7
}
";

#[test]
fn what_is_printed_reads_back() {
    let kernel = parse(SAMPLE).unwrap();
    verify(&kernel).unwrap();
    let printed = kernel.to_string();
    let again = parse(&printed).unwrap();
    assert_eq!(again, kernel);
    assert_eq!(again.to_string(), printed);
    assert!(printed.contains("; some/file.rs:12:5"), "{printed}");
}

#[test]
fn no_text_makes_the_parser_panic() {
    // Every prefix, every text with one piece left out or doubled, and every one with one byte changed.
    for cut in 0..SAMPLE.len() {
        let _ = parse(&SAMPLE[..cut]);
        for size in [1, 4, 9] {
            let end = (cut + size).min(SAMPLE.len());
            let without = [&SAMPLE[..cut], &SAMPLE[end..]].concat();
            let doubled = [&SAMPLE[..end], &SAMPLE[cut..]].concat();
            for text in [without, doubled] {
                if let Ok(kernel) = parse(&text) {
                    let _ = verify(&kernel);
                    let _ = kernel.to_string();
                }
            }
        }
        for c in ['}', '{', ';', '0', 'v', 'é', '\0'] {
            let changed = format!("{}{c}{}", &SAMPLE[..cut], &SAMPLE[cut + 1..]);
            if let Ok(kernel) = parse(&changed) {
                let _ = verify(&kernel);
                let _ = kernel.to_string();
            }
        }
    }
}
