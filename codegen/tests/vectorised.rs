//! The loop over threads is vectorised for the kernels that it should be vectorised for.
#![allow(clippy::unwrap_used, missing_docs)]

use pullback_codegen::{Cpu, Optimize, Options, optimized_ir};
use pullback_ir::{Access, BoolOp, Builder, Compare, Element, FloatOp, Kernel, Scalar, Value, access, verify};

const F32: Scalar = Scalar::F32;

fn text(mut kernel: Kernel) -> String {
    kernel.order = access::order(&kernel);
    let options = Options { contiguous: u64::MAX, prechecked: true, optimize: Optimize::Full };
    optimized_ir(&verify(&kernel).unwrap(), Cpu::host(), &options).unwrap()
}

/// Whether there is this instruction on a vector of this type; code outside the vector loop stays scalar.
#[track_caller]
fn vectorised(kernel: Kernel, instruction: &str, of: &str) {
    let name = kernel.name.clone();
    let text = text(kernel);
    let found = text.lines().any(|l| l.contains(instruction) && l.contains(&format!(" x {of}>")));
    assert!(found, "{name}: no {instruction} on vectors of {of}:\n{text}");
}

fn dot(b: &mut Builder, x: &[Value], y: &[Value]) -> Value {
    let products: Vec<Value> = x.iter().zip(y).map(|(&x, &y)| b.float(FloatOp::Mul, &[x, y])).collect();
    products[1..].iter().fold(products[0], |sum, &p| b.float(FloatOp::Add, &[sum, p]))
}

/// A central field, with a branch for what is too near: design §3.
#[test]
fn attract() {
    let mut b = Builder::new("attract", 1);
    let pos = b.array_param("pos", Element::packed(F32, 3), 1, Access::ReadWrite);
    let vel = b.array_param("vel", Element::packed(F32, 3), 1, Access::ReadWrite);
    let (dt, mass) = (b.scalar_param("dt", F32), b.scalar_param("mass", F32));
    let i = b.thread_id(0);
    let p = b.load(pos, &[i]);
    let squared = dot(&mut b, &p, &p);
    let r = b.float(FloatOp::Sqrt, &[squared]);
    let near = b.float_constant(F32, 1e-6);
    let near = b.compare(Compare::Lt, r, near);
    let far = b.bool(BoolOp::Not, &[near]);
    b.open(&[]);
    let cubed = b.float(FloatOp::Mul, &[squared, r]);
    let strength = b.float(FloatOp::Div, &[mass, cubed]);
    let strength = b.float(FloatOp::Mul, &[strength, dt]);
    let v = b.load(vel, &[i]);
    let mut next = (Vec::new(), Vec::new());
    for (&p, &v) in p.iter().zip(&v) {
        let kick = b.float(FloatOp::Mul, &[p, strength]);
        let v = b.float(FloatOp::Sub, &[v, kick]);
        let step = b.float(FloatOp::Mul, &[v, dt]);
        next.0.push(b.float(FloatOp::Add, &[p, step]));
        next.1.push(v);
    }
    b.store(vel, &[i], &next.1);
    b.store(pos, &[i], &next.0);
    let then = b.close(&[]);
    b.open(&[]);
    let otherwise = b.close(&[]);
    b.if_op(far, then, otherwise);
    vectorised(b.finish(), "fdiv", "float");
}

/// Elementary functions of f32 are expanded, so they do not stop it.
#[test]
fn elementary_functions() {
    for &op in FloatOp::ALL {
        // These loop, or are looked up.
        if op == FloatOp::Rem {
            continue;
        }
        let mut b = Builder::new(op.name(), 1);
        let x = b.array_param("x", Element::packed(F32, 3), 1, Access::Read);
        let y = b.array_param("y", Element::scalar(F32), 1, Access::Write);
        let i = b.thread_id(0);
        let x = b.load(x, &[i]);
        let one = b.float_constant(F32, 1.0);
        let first = b.float(FloatOp::Add, &[x[0], one]);
        let v = b.float(op, &[&[first], &x[1..]].concat()[..op.arity()]);
        b.store(y, &[i], &[v]);
        vectorised(b.finish(), "fadd", "float");
    }
}

/// Neither do indices that have to be checked, where the CPU has loads from many places that pay.
#[test]
fn indirect_loads() {
    #[cfg(target_arch = "x86_64")]
    let gathers = std::is_x86_feature_detected!("avx512f");
    #[cfg(not(target_arch = "x86_64"))]
    let gathers = false;
    if !gathers {
        return;
    }
    let mut b = Builder::new("gather", 1);
    let at = b.array_param("at", Element::scalar(Scalar::I64), 1, Access::Read);
    let x = b.array_param("x", Element::scalar(Scalar::F64), 1, Access::Read);
    let y = b.array_param("y", Element::scalar(Scalar::F64), 1, Access::ReadWrite);
    let i = b.thread_id(0);
    let at = b.load(at, &[i])[0];
    let v = b.load(x, &[at])[0];
    let old = b.load(y, &[i])[0];
    let sum = b.float(FloatOp::Add, &[old, v]);
    b.store(y, &[i], &[sum]);
    vectorised(b.finish(), "fadd", "double");
}

/// Nor rows of a launch of several axes.
#[test]
fn images() {
    let mut b = Builder::new("image", 3);
    let x = b.array_param("x", Element::scalar(F32), 3, Access::ReadWrite);
    let ids: Vec<Value> = (0..3).map(|axis| b.thread_id(axis)).collect();
    let v = b.load(x, &ids)[0];
    let w = b.float(FloatOp::Mul, &[v, v]);
    b.store(x, &ids, &[w]);
    vectorised(b.finish(), "fmul", "float");
}
