//! Every op of a kernel has the place of the user's own expression, never that of the attribute: errors of a
//! launch and refused gradients name it.

mod common;

use common::Array;
use pullback_lang::*;

const ATTRIBUTE: u32 = line!() + 1;
#[kernel]
fn forms(x: &mut Array<f64>, k: &mut Array<i64>, v: &mut Array<Vec3<f64>>, m: &mut Array<Mat33<f64>, 2>) {
    let i = thread_id();
    k[i] /= k[i + 1];
    k[i] = k[i] % 3;
    x[i] -= x[i + 1] * 2.0;
    v[i].x += x[i];
    v[i] *= 3.0;
    v[i][k[i]] /= 2.0;
    m[(i, 0)][(1, k[i])] += 1.0;
    let mut a = [0.0; 4];
    a[k[i]] += x[i];
    let mut w = v[i];
    w[k[i]] *= a[1];
    w.y -= 1.0;
    let mut n = 5;
    n <<= k[0];
    n += 1;
    changed(&mut n, k);
    atomic_add(&mut *x, 0, w.x);
    while n > 3 {
        n -= k[0];
        x[n] = if n > 7 { -x[n] } else { 1.0 };
    }
    for j in (0..n).rev() {
        if j == 4 && k[j] > 2 {
            break;
        }
        x[j] %= 4.0;
    }
    x[0] = match n {
        0 | 1 => sqrt(x[1]),
        t if t < k[1] => x[2].sin(),
        _ => return,
    };
    println!("{}", n);
    assert!(n > 0);
}
const END: u32 = line!();

#[func]
fn changed(n: &mut i64, k: &Array<i64>) {
    *n += k[0];
}

#[test]
fn every_op_has_its_place_in_the_body() {
    let handle = forms::ir();
    let kernel = handle.kernel().unwrap();
    let mut lines = std::collections::BTreeSet::new();
    let mut wrong = Vec::new();
    kernel.walk(kernel.body, &mut |_, data| match data.loc {
        Some(loc) if loc.file.ends_with("places.rs") && loc.line > ATTRIBUTE => {
            lines.insert(loc.line);
        }
        loc => wrong.push(format!("{:?} at {loc:?}", data.kind)),
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Each line with an assignment, a condition or a call has ops of its own.
    let source: Vec<&str> = include_str!("places.rs").lines().collect();
    for line in ATTRIBUTE + 2..END {
        let text = source[line as usize - 1].trim();
        let quiet = ["}", "let mut w", "let mut n", "break", "changed"].iter().any(|q| text.starts_with(q))
            || text.contains("return");
        assert!(quiet || lines.contains(&line), "line {line} has no ops: {text}");
    }
}
