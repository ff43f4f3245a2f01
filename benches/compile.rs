//! Cold compile of kernels and their adjoints: differentiation, LLVM and loading, nothing cached; and a warm start,
//! where the machine code is found on disk. (Tracing is done once in a process, so it is timed once, and printed.)

use criterion::{BatchSize, Criterion};
use pullback::lang::{ArgValue, Args, ArrayArg, ArrayElement, KernelHandle};
use pullback::prelude::*;
use pullback_codegen::cache;
use std::sync::Arc;
use std::time::Instant;

#[kernel]
fn attract(pos: &mut Array<Vec3>, vel: &mut Array<Vec3>, dt: f32, g: f32, mass: f32) {
    let i = thread_id();
    let p = pos[i];
    let r = length(p);
    if r < 1e-6 {
        return;
    }
    let accel = -p / r * (g * mass / (r * r));
    vel[i] += accel * dt;
    pos[i] += vel[i] * dt;
}

/// The matrix rebuilt from its singular values.
#[kernel]
fn rebuild(a: &Array<Mat33>, out: &mut Array<Mat33>) {
    let (u, s, v) = svd3(a[0]);
    out[0] = u * diagonal(s) * transpose(v);
}

/// The solution of six equations with a symmetric matrix.
#[kernel]
fn solve6(a: &Array<Mat66>, out: &mut Array<Vec6>) {
    out[0] = cholesky_solve(cholesky(a[0]), out[0]);
}

/// Times the first launch of a kernel, and that with its first backward pass from `seed`.
fn compile<T: ArrayElement>(
    criterion: &mut Criterion,
    name: &str,
    seed: &Array<T>,
    fresh: impl Fn() -> Call,
) -> Result<(), pullback::Error> {
    let device = Device::cpu();
    let whole = |call: &Call| {
        let mut tape = Tape::new(&device);
        tape.launch(call)?;
        tape.backward_with(&[(seed, seed)])
    };
    cache::set_current(None);
    whole(&fresh())?;
    let mut group = criterion.benchmark_group(format!("cold compile of {name}"));
    group.bench_function("forward", |bench| {
        let mut stream = Stream::new(&device);
        bench.iter_batched(&fresh, |call| stream.launch(&call), BatchSize::PerIteration);
    });
    group.bench_function("forward and adjoint", |bench| {
        bench.iter_batched(&fresh, |call| whole(&call), BatchSize::PerIteration);
    });
    let folder = std::env::temp_dir().join(format!("pullback-bench-{}", std::process::id()));
    cache::set_current(Some(cache::Cache::new(&folder, 1 << 30)));
    whole(&fresh())?;
    group.bench_function("forward and adjoint, code on disk", |bench| {
        bench.iter_batched(&fresh, |call| whole(&call), BatchSize::PerIteration);
    });
    group.finish();
    cache::set_current(None);
    let _ = std::fs::remove_dir_all(folder);
    Ok(())
}

/// Calls of a kernel of two arrays, made anew from its IR.
fn calls<A: ArrayElement, B: ArrayElement>(
    name: &'static str,
    ir: &pullback_ir::Kernel,
    a: &Array<A>,
    out: &Array<B>,
) -> impl Fn() -> Call {
    let mut args = Args::default();
    args.push(ArgValue::Array(a.handle()));
    args.push(ArgValue::Array(out.handle()));
    let ir = ir.clone();
    move || Call::new(KernelHandle::from_ir(name, ir.clone()), 1, args.clone())
}

/// Traces a kernel and prints how long that took.
fn traced(name: &str, ir: impl FnOnce() -> Arc<KernelHandle>) -> Arc<KernelHandle> {
    let start = Instant::now();
    let ir = ir();
    println!("traced {name} in {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
    ir
}

fn main() -> Result<(), pullback::Error> {
    let mut criterion = Criterion::default().configure_from_args().sample_size(30);
    let device = Device::cpu();
    let pos = Array::from_slice(&device, &[Vec3::new(1.0f32, 2.0, 3.0)]);
    let vel = Array::<Vec3>::zeros(&device, [1]);
    let mut args = Args::default();
    args.push(ArgValue::Array(pos.handle()));
    args.push(ArgValue::Array(vel.handle()));
    for value in [0.01f32, 0.5, 1.0] {
        args.value(value);
    }
    let ir = traced("attract", attract::ir);
    let ir = ir.kernel().map_err(Clone::clone)?.clone();
    let fresh = || Call::new(KernelHandle::from_ir("attract", ir.clone()), 1, args.clone());
    compile(&mut criterion, "attract", &pos, fresh)?;

    let a = Array::from_slice(&device, &[Mat33::<f32>::identity()]);
    let out = Array::<Mat33>::zeros(&device, [1]);
    let ir = traced("rebuild", rebuild::ir);
    let ir = ir.kernel().map_err(Clone::clone)?;
    compile(&mut criterion, "svd3", &out, calls("rebuild", ir, &a, &out))?;

    let a = Array::from_slice(&device, &[Mat66::<f32>::identity()]);
    let out = Array::<Vec6>::zeros(&device, [1]);
    let ir = traced("solve6", solve6::ir);
    let ir = ir.kernel().map_err(Clone::clone)?;
    compile(&mut criterion, "a Cholesky solve of six", &out, calls("solve6", ir, &a, &out))?;
    criterion.final_summary();
    Ok(())
}
