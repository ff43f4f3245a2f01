//! Rows against themselves: partials against central differences, kinks against their rules.

use super::FloatOp;

/// A fixed sequence in (0, 1); no test depends on its quality.
fn spread(i: usize) -> f64 {
    (i as f64 * 0.618_033_988_749_894_9 + 0.137).fract()
}

#[test]
fn partials_match_central_differences() {
    let mut wrong = Vec::new();
    for &op in FloatOp::ALL {
        for sample in 0..64 {
            let x: Vec<f64> = op
                .domain()
                .iter()
                .enumerate()
                .map(|(k, &(lo, hi))| lo + (hi - lo) * spread(sample * 7 + k * 31 + 1))
                .collect();
            let partials = op.partials(&x, op.value(&x));
            for k in 0..op.arity() {
                let h = 1e-6 * x[k].abs().max(0.1);
                let at = |d: f64| {
                    let mut y = x.clone();
                    y[k] += d;
                    op.value(&y)
                };
                let slope = (at(h) - at(-h)) / (2.0 * h);
                if (slope - partials[k]).abs() > 1e-7 * (1.0 + slope.abs()) {
                    wrong.push(format!("{} operand {k} at {x:?}: {} but differences {slope}", op.name(), partials[k]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn kinks_hold() {
    let mut wrong = Vec::new();
    for &op in FloatOp::ALL {
        for (at, expected) in op.kinks() {
            let got = op.partials(&at, op.value(&at));
            if got.iter().zip(&expected).any(|(g, e)| (g - e).abs() > 1e-12 || !g.is_finite()) {
                wrong.push(format!("{} at {at:?}: {got:?}, the rule says {expected:?}", op.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_are_unique_and_parse_back() {
    for &op in FloatOp::ALL {
        assert_eq!(FloatOp::from_name(op.name()), Some(op));
    }
}
