//! Cold compile of `attract` and its adjoint: differentiation, LLVM and loading, nothing cached.

use criterion::{BatchSize, Criterion};
use pullback::lang::{ArgValue, Args, ArrayArg, KernelHandle};
use pullback::prelude::*;

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

fn main() -> Result<(), pullback::Error> {
    let mut criterion = Criterion::default().configure_from_args().sample_size(30);
    let device = Device::cpu();
    let pos = Array::from_slice(&device, &[Vec3::new(1.0f32, 2.0, 3.0)]);
    let vel = Array::<Vec3>::zeros(&device, [1]);
    let traced = attract::ir();
    let ir = traced.kernel().map_err(Clone::clone)?;
    let mut args = Args::default();
    args.push(ArgValue::Array(pos.handle()));
    args.push(ArgValue::Array(vel.handle()));
    for value in [0.01f32, 0.5, 1.0] {
        args.value(value);
    }
    let fresh = || Call::new(KernelHandle::from_ir("attract", ir.clone()), 1, args.clone());

    let mut group = criterion.benchmark_group("cold compile of attract");
    group.bench_function("forward", |bench| {
        let mut stream = Stream::new(&device);
        bench.iter_batched(fresh, |call| stream.launch(&call), BatchSize::PerIteration);
    });
    group.bench_function("forward and adjoint", |bench| {
        bench.iter_batched(
            fresh,
            |call| {
                let mut tape = Tape::new(&device);
                tape.launch(&call)?;
                tape.backward_with(&[(&pos, &pos)])
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();
    criterion.final_summary();
    Ok(())
}
