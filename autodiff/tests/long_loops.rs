//! Loops that are longer than a segment: the adjoint that keeps segments' starts only gives the bits of
//! the one that keeps every iteration, whatever the length of the loop and of the segments, and its
//! stack stays near the square root.
#![allow(clippy::unwrap_used, missing_docs)]

use pullback_autodiff::{Adjoint, Request, reverse};
use pullback_ir::interp::{Arg, ArrayData, InterpError, Limits, Records, run};
use pullback_ir::{Constant, Element, Kernel, Located, Scalar, parse, verify};

/// A chaotic enough `for`, with a value that only the rerun needs.
const FOR: &str = "kernel k(x: readwrite [f64; 1], n: i64) {
  i: i64 = const 0
  one: i64 = const 1
  a: f64 = load x[i]
  b: f64 = load x[one]
  p: f64, q: f64 = for j: i64 = one to v0 step one carry (s: f64 = a, t: f64 = b) {
    u: f64 = sin t
    v: f64 = mul s, u
    w: f64 = mul t, b
    c: f64 = convert j
    y: f64 = cos c
    z: f64 = add w, y
    yield v, z
  }
  store x[i], p
  store x[one], q
}";

/// A `while` that ends by what it computes, with a step of the counter inside and a product.
const WHILE: &str = "kernel k(x: readwrite [f64; 1], n: i64) {
  i: i64 = const 0
  one: i64 = const 1
  a: f64 = load x[i]
  p: f64, k: i64 = while (s: f64 = a, k1: i64 = i) {
    more: bool = lt k1, v0
    yield more
  } do (t: f64, k2: i64) {
    u: f64 = sin t
    v: f64 = mul u, t
    w: f64 = add v, a
    k3: i64 = iadd k2, one
    yield w, k3
  }
  store x[i], p
}";

/// A loop in a loop, the inner one as long as the outer counter says, and a branch in it.
const NESTED: &str = "kernel k(x: readwrite [f64; 1], n: i64) {
  i: i64 = const 0
  one: i64 = const 1
  a: f64 = load x[i]
  b: f64 = load x[one]
  p: f64 = for j: i64 = i to v0 step one carry (s: f64 = a) {
    q: f64 = for m: i64 = i to j step one carry (t: f64 = s) {
      c: bool = lt t, b
      d: f64 = if c {
        e: f64 = mul t, t
        f: f64 = add e, b
        yield f
      } else {
        g: f64 = sin t
        yield g
      }
      yield d
    }
    r: f64 = cos q
    yield r
  }
  store x[i], p
}";

/// Each iteration reads what the ones before wrote, by places that only the run knows: kept loads.
const IN_PLACE: &str = "kernel k(x: readwrite [f64; 1], n: i64) {
  i: i64 = const 0
  one: i64 = const 1
  three: i64 = const 3
  a: f64 = load x[i]
  p: f64 = for j: i64 = i to v0 step one carry (s: f64 = a) {
    at: i64 = iand j, three
    next: i64 = iadd at, one
    here: i64 = iand next, three
    t: f64 = load x[at]
    u: f64 = mul s, t
    v: f64 = sin u
    store x[here], v
    yield v
  }
  store x[i], p
}";

fn array(values: &[f64]) -> Arg {
    Arg::Array(ArrayData::from_f64s(Element::scalar(Scalar::F64), &[values.len()], values))
}

fn values(arg: &Arg) -> Vec<f64> {
    match arg {
        Arg::Array(data) => data.to_f64s(),
        Arg::Scalar(_) => vec![],
    }
}

/// The gradient of what the kernel leaves in `x`, with weights.
fn gradient(kernel: &Kernel, segment: u32, n: i64, stack: usize) -> Result<Vec<f64>, Located<InterpError>> {
    let request = Request { segment: Some(segment), ..Request::default() };
    let Adjoint { augmented, kernel: adjoint, .. } = reverse(&verify(kernel).unwrap(), &request).unwrap();
    let x = [0.7, 1.1, 0.4, -0.3];
    let (mut records, limits) = (Records::default(), Limits { stack, ..Limits::default() });
    let n = || Arg::Scalar(Constant::I64(n));
    if let Some(augmented) = augmented {
        run(&verify(&augmented).unwrap(), &[1], &mut [array(&x), n()], &mut records, &limits)?;
    }
    let mut args = [array(&x), n(), array(&[1.0, -0.5, 0.3, 2.0])];
    run(&verify(&adjoint).unwrap(), &[1], &mut args, &mut records, &limits)?;
    Ok(values(&args[2]))
}

#[test]
fn segments_give_the_bits_of_the_full_trail() {
    for text in [FOR, WHILE, NESTED, IN_PLACE] {
        let kernel = parse(text).unwrap();
        for n in [0, 1, 2, 3, 5, 6, 7, 12, 29, 40] {
            let full = gradient(&kernel, 0, n, usize::MAX).unwrap();
            assert!(full.iter().all(|g| g.is_finite()));
            for segment in [1, 2, 3, 7, 39, 40, 41] {
                let thinned = gradient(&kernel, segment, n, usize::MAX).unwrap();
                assert_eq!(thinned, full, "{n} iterations by {segment}\n{text}");
            }
        }
    }
}

#[test]
fn the_stack_grows_as_the_square_root() {
    // √(2n) segments' starts (of two or three values) and the longest segment.
    for (text, width) in [(FOR, 2), (WHILE, 2)] {
        let kernel = parse(text).unwrap();
        let n: i64 = 20_000;
        let root = 200 + 2;
        gradient(&kernel, 1, n, width * 2 * root).unwrap();
        let full = gradient(&kernel, 0, n, n as usize - 2).unwrap_err();
        assert!(matches!(full.what, InterpError::OutOfStack { .. }), "{full}");
    }
}
