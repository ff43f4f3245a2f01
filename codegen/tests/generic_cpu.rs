//! Code for the least CPU of the architecture, which lacks instructions that the host's code uses, gives
//! the same bits; and so does code that LLVM has not optimised.
#![allow(clippy::unwrap_used, missing_docs)]

use pullback_codegen::abi::{Context, NO_FAULT};
use pullback_codegen::{Cpu, Optimize, Options, compile};
use pullback_ir::{Access, Builder, Element, FloatOp, Kernel, Scalar, verify};

unsafe extern "C" fn no_growth(_: *mut Context, _: u64) {
    unreachable!("the kernels here use no stack");
}

/// `y[i] = op(x[i], x[i] + 1, …)`.
fn kernel(op: FloatOp, scalar: Scalar) -> Kernel {
    let mut b = Builder::new(op.name(), 1);
    let x = b.array_param("x", Element::scalar(scalar), 1, Access::Read);
    let y = b.array_param("y", Element::scalar(scalar), 1, Access::ReadWrite);
    let i = b.thread_id(0);
    let mut operands = b.load(x, &[i]);
    let one = b.float_constant(scalar, 1.0);
    while operands.len() < op.arity() {
        let next = b.float(FloatOp::Add, &[operands[operands.len() - 1], one]);
        operands.push(next);
    }
    let value = b.float(op, &operands);
    b.store(y, &[i], &[value]);
    b.finish()
}

fn run<T: Copy + Default>(kernel: &Kernel, cpu: &Cpu, optimize: Optimize, x: &[T]) -> Vec<T> {
    let options = Options { contiguous: 0b11, prechecked: true, optimize };
    let compiled = compile(&verify(kernel).unwrap(), cpu, &options).unwrap();
    let mut y = vec![T::default(); x.len()];
    let (n, size) = (x.len() as u64, size_of::<T>() as u64);
    let args = [x.as_ptr() as u64, n, size, y.as_mut_ptr() as u64, n, size, n];
    let null = std::ptr::null_mut();
    let mut context = Context {
        stack: null,
        stack_capacity: 0,
        grow_stack: no_growth,
        records: null,
        records_len: 0,
        records_capacity: 0,
        grow_records: no_growth,
        bases: std::ptr::null_mut(),
        print,
    };
    // SAFETY: the arguments are laid out as the ABI says, and both arrays have n elements.
    let code = unsafe { (compiled.entry())(&mut context, args.as_ptr(), 0, n) };
    assert_eq!(code, NO_FAULT);
    y
}

#[test]
fn every_cpu_gives_the_same_bits() {
    let x: Vec<f64> = (0..200).map(|i| (f64::from(i) - 90.0) * 0.173).chain([0.0, 1e30, 1e-30]).collect();
    let narrow: Vec<f32> = x.iter().map(|&v| v as f32).collect();
    let generic = Cpu::generic();
    for &op in FloatOp::ALL {
        let wide = kernel(op, Scalar::F64);
        let single = kernel(op, Scalar::F32);
        let expected: Vec<u64> = run(&wide, Cpu::host(), Optimize::Full, &x).iter().map(|v| v.to_bits()).collect();
        let expected32: Vec<u32> =
            run(&single, Cpu::host(), Optimize::Full, &narrow).iter().map(|v| v.to_bits()).collect();
        for (cpu, optimize) in [(&generic, Optimize::Full), (&generic, Optimize::None), (Cpu::host(), Optimize::None)] {
            let found = run(&wide, cpu, optimize, &x);
            for (i, (f, e)) in found.iter().zip(&expected).enumerate() {
                assert!(f.to_bits() == *e || f.is_nan(), "{} (f64) of {}", op.name(), x[i]);
            }
            let found = run(&single, cpu, optimize, &narrow);
            for (i, (f, e)) in found.iter().zip(&expected32).enumerate() {
                assert!(f.to_bits() == *e || f.is_nan(), "{} (f32) of {}", op.name(), narrow[i]);
            }
        }
    }
}

/// Nothing that is compiled here prints.
unsafe extern "C" fn print(_: *mut Context, _: u64, _: u64, _: *const u64) {}
