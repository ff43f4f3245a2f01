//! Tangent kernels: text in, text out, as for adjoints; and with the adjoint they satisfy
//! ⟨w, J v⟩ = ⟨Jᵀ w, v⟩ for every op of the table, at regular points and at kinks.
//!
//! Each file of `files/tangent/` is a primal kernel and, below, its tangent kernel; in two columns if its name
//! says so. Run with `BLESS=1` to rewrite that part.
#![allow(clippy::unwrap_used, missing_docs)]

use pullback_autodiff::{Reason, Request, TangentRequest, forward, reverse};
use pullback_ir::interp::{Arg, ArrayData, Limits, Records, run};
use pullback_ir::{Access, Builder, Element, FloatOp, Kernel, Scalar, parse, verify};
use std::fs;
use std::path::Path;

const MARK: &str = "; expect\n";

#[test]
fn tangent_kernels_are_as_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/tangent");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    let mut wrong = Vec::new();
    for path in &files {
        let text = fs::read_to_string(path).unwrap();
        let (primal, expected) = text.split_once(MARK).unwrap_or((&text, ""));
        let kernel = parse(primal).unwrap_or_else(|e| panic!("{e}\n{primal}"));
        let columns = if path.to_string_lossy().contains("two_columns") { 2 } else { 1 };
        let request = TangentRequest { columns, ..TangentRequest::default() };
        let tangent = forward(&verify(&kernel).unwrap(), &request).unwrap();
        verify(&tangent.kernel).unwrap();
        let found = tangent.kernel.to_string();
        assert_eq!(parse(&found).unwrap().to_string(), found);
        if found != expected {
            if std::env::var_os("BLESS").is_some() {
                fs::write(path, format!("{primal}{MARK}{found}")).unwrap();
            } else {
                wrong.push(format!("{}: the pass now makes\n{found}", path.display()));
            }
        }
    }
    assert!(files.len() >= 7, "the files are there");
    assert!(wrong.is_empty(), "{}\nRun with BLESS=1 if this is better.", wrong.join("\n"));
}

fn array(scalar: Scalar, v: &[f64]) -> Arg {
    Arg::Array(ArrayData::from_f64s(Element::scalar(scalar), &[v.len()], v))
}

fn numbers(arg: &Arg) -> Vec<f64> {
    if let Arg::Array(a) = arg { a.to_f64s() } else { vec![] }
}

/// One launch over the arrays: contents after it, and the tangents after it.
fn push(kernel: &Kernel, scalar: Scalar, values: &[Vec<f64>], tangents: &[Vec<f64>]) -> (Vec<f64>, Vec<f64>) {
    let tangent = forward(&verify(kernel).unwrap(), &TangentRequest::default()).unwrap();
    let mut args: Vec<Arg> = values.iter().chain(tangents).map(|v| array(scalar, v)).collect();
    let (mut records, limits) = (Records::default(), Limits::default());
    run(&verify(&tangent.kernel).unwrap(), &[values[0].len()], &mut args, &mut records, &limits).unwrap();
    let (contents, tangents) = args.split_at(values.len());
    (contents.iter().flat_map(numbers).collect(), tangents.iter().flat_map(numbers).collect())
}

/// The cotangents before one launch over the arrays.
fn pull(kernel: &Kernel, scalar: Scalar, values: &[Vec<f64>], cotangents: &[Vec<f64>]) -> Vec<f64> {
    let adjoint = reverse(&verify(kernel).unwrap(), &Request::default()).unwrap();
    let mut args: Vec<Arg> = values.iter().map(|v| array(scalar, v)).collect();
    let (mut records, limits) = (Records::default(), Limits::default());
    if let Some(augmented) = &adjoint.augmented {
        let mut args = args.clone();
        run(&verify(augmented).unwrap(), &[values[0].len()], &mut args, &mut records, &limits).unwrap();
    }
    args.extend(cotangents.iter().map(|v| array(scalar, v)));
    run(&verify(&adjoint.kernel).unwrap(), &[values[0].len()], &mut args, &mut records, &limits).unwrap();
    args[values.len()..].iter().flat_map(numbers).collect()
}

/// `y[i] = op(x0[i], x1[i], …)`.
fn kernel_of(op: FloatOp, scalar: Scalar) -> Kernel {
    let mut b = Builder::new(op.name(), 1);
    let y = b.array_param("y", Element::scalar(scalar), 1, Access::Write);
    let x: Vec<u32> =
        (0..op.arity()).map(|k| b.array_param(format!("x{k}"), Element::scalar(scalar), 1, Access::Read)).collect();
    let i = b.thread_id(0);
    let operands: Vec<_> = x.iter().map(|&x| b.load(x, &[i])[0]).collect();
    let out = b.float(op, &operands);
    b.store(y, &[i], &[out]);
    b.finish()
}

#[test]
fn every_op_has_the_tangent_that_its_adjoint_says() {
    let mut compared = 0;
    for &op in FloatOp::ALL {
        let (n, domain) = (23, op.domain());
        let mut values = vec![vec![]];
        for (k, &(low, high)) in domain.iter().enumerate() {
            let at = |i: usize| low + (high - low) * ((i * (7 + 4 * k) % n) as f64 + 0.5) / n as f64;
            values.push((0..n).map(at).collect());
        }
        for (at, _) in op.kinks() {
            at.iter().zip(&mut values[1..]).for_each(|(&a, v)| v.push(a));
        }
        let n = values[1].len();
        values[0] = vec![0.0; n];
        let direction = |k: usize| (0..n).map(|i| 0.3 + ((i * 5 + k * 11) % 13) as f64 / 7.0).collect::<Vec<f64>>();
        let tangents: Vec<Vec<f64>> = (0..values.len()).map(direction).collect();
        for (scalar, close) in [(Scalar::F64, 1e-13), (Scalar::F32, 1e-5)] {
            let kernel = kernel_of(op, scalar);
            let (contents, pushed) = push(&kernel, scalar, &values, &tangents);
            let mut cotangents = vec![vec![0.0; n]; values.len()];
            for i in 0..n {
                cotangents.iter_mut().for_each(|c| c[i] = 0.0);
                cotangents[0][i] = 1.0;
                let pulled = pull(&kernel, scalar, &values, &cotangents);
                cotangents[0][i] = 0.0;
                let expected: f64 = (n..pulled.len()).map(|j| pulled[j] * tangents[j / n][j % n]).sum();
                let scale: f64 = (n..pulled.len()).map(|j| (pulled[j] * tangents[j / n][j % n]).abs()).sum();
                let off = (pushed[i] - expected).abs();
                assert!(off <= close * scale.max(1e-30), "{} {scalar} #{i}: {} {expected}", op.name(), pushed[i]);
                compared += 1;
            }
            assert!(contents[..n].iter().zip(0..n).all(|(&y, i)| {
                let x: Vec<f64> = values[1..].iter().map(|v| v[i]).collect();
                scalar == Scalar::F32 || y == op.value(&x) || y.is_nan()
            }));
        }
    }
    assert!(compared > 1500, "{compared}");
}

#[test]
fn a_constant_direction_makes_no_nan_of_an_infinite_slope() {
    let kernel = parse(
        "kernel f(x: read [f64; 1], c: read [f64; 1], y: write [f64; 1]) {
           v0: i64 = thread_id 0
           v1: f64 = load x[v0]
           v2: f64 = load c[v0]
           v3: f64 = div v1, v2
           store y[v0], v3
         }",
    )
    .unwrap();
    // x / c with c tiny: the partial with respect to c overflows, but nothing moves it.
    let values = [vec![1.0], vec![1e-200], vec![0.0]];
    let (_, tangents) = push(&kernel, Scalar::F64, &values, &[vec![1.0], vec![0.0], vec![5.0]]);
    assert_eq!(tangents[2], 1e200);
}

#[test]
fn columns_are_the_tangents_along_each_direction() {
    let text = "kernel f(x: readwrite [f64x2; 1], top: readwrite [f64; 1]) {
           v0: i64 = thread_id 0
           v1: i64 = const 0
           v2: f64, v3: f64 = load x[v0]
           v4: f64 = mul v2, v3
           v5: f64 = atomic_max top[v1].0, v4
           v6: f64 = atomic_add top[v1].0, v2
           v7: f64 = mul v5, v6
           store x[v0].1, v7
         }";
    let kernel = parse(text).unwrap();
    let pair = Element::packed(Scalar::F64, 2);
    let x = [1.5, -0.5, 2.0, 1.25, 0.75, 3.0];
    let run_columns = |tangents: &[(&[f64], f64)]| {
        let columns = tangents.len() as u32;
        let request = TangentRequest { columns, ..TangentRequest::default() };
        let tangent = forward(&verify(&kernel).unwrap(), &request).unwrap();
        let pairs = |v: &[f64]| Arg::Array(ArrayData::from_f64s(pair.clone(), &[3], v));
        let mut args = vec![pairs(&x), array(Scalar::F64, &[0.1])];
        args.extend(tangents.iter().map(|t| pairs(t.0)));
        args.extend(tangents.iter().map(|t| array(Scalar::F64, &[t.1])));
        assert_eq!(tangent.tangent_of.len(), args.len());
        run(&verify(&tangent.kernel).unwrap(), &[3], &mut args, &mut Records::default(), &Limits::default()).unwrap();
        args[2..].iter().map(numbers).collect::<Vec<_>>()
    };
    let first = (&[0.3, -1.0, 0.7, 0.2, -0.4, 0.9][..], 0.5);
    let second = (&[1.0, 0.5, -0.25, 2.0, 0.125, -1.5][..], -2.0);
    let (a, b, both) = (run_columns(&[first]), run_columns(&[second]), run_columns(&[first, second]));
    assert_eq!([&both[0], &both[1]], [&a[0], &b[0]]);
    assert_eq!([&both[2], &both[3]], [&a[1], &b[1]]);
}

#[test]
fn an_array_left_out_is_constant_and_must_not_be_written() {
    let kernel = kernel_of(FloatOp::Mul, Scalar::F64);
    let only = |active: [bool; 3]| {
        let request = TangentRequest { active: Some(active.to_vec()), ..TangentRequest::default() };
        forward(&verify(&kernel).unwrap(), &request)
    };
    let tangent = only([true, false, true]).unwrap();
    assert_eq!(tangent.tangent_of, [None, None, None, Some(0), Some(2)]);
    let refusal = only([false, true, true]).unwrap_err();
    assert_eq!(refusal.reason, Reason::WritesConstant { array: "y".into() });
    let keeps = parse(
        "kernel f(x: readwrite [f64; 1]) {
           v0: i64 = const 0
           v1: f64 = load x[v0]
           record v1
         }",
    )
    .unwrap();
    let refusal = forward(&verify(&keeps).unwrap(), &TangentRequest::default()).unwrap_err();
    assert_eq!(refusal.reason, Reason::Adjoint);
}
