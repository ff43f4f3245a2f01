//! What one launch of one thread costs: plain, on the tape, and its adjoint; and a cold compile.

use criterion::{BatchSize, Criterion};
use pullback::prelude::*;

#[kernel]
fn scale(a: &Array<f32>, b: &mut Array<f32>) {
    let i = thread_id();
    b[i] = a[i] * 1.0001;
}

const LAUNCHES: usize = 1000;

fn main() -> Result<(), pullback::Error> {
    let mut criterion = Criterion::default().configure_from_args();
    let device = Device::cpu();
    let a = Array::from_slice(&device, &[1.0f32]);
    let mut b = Array::from_slice(&device, &[0.0f32]);
    let call = scale(1, &a, &mut b);

    let mut group = criterion.benchmark_group("1000 launches of one thread");
    let mut stream = Stream::new(&device);
    group.bench_function("plain, call made once", |bench| {
        bench.iter(|| (0..LAUNCHES).try_for_each(|_| stream.launch(&call)));
    });
    group.bench_function("plain, call made each time", |bench| {
        bench.iter(|| (0..LAUNCHES).try_for_each(|_| stream.launch(&scale(1, &a, &mut b))));
    });
    let mut tape = Tape::new(&device);
    group.bench_function("on the tape", |bench| {
        bench.iter(|| {
            tape.reset();
            (0..LAUNCHES).try_for_each(|_| tape.launch(&call))
        });
    });
    group.bench_function("backward", |bench| {
        bench.iter_batched(
            || {
                let mut tape = Tape::new(&device);
                (0..LAUNCHES).try_for_each(|_| tape.launch(&call)).map(|()| tape)
            },
            |tape| tape.and_then(|mut tape| tape.backward(&b).map(|()| tape)),
            BatchSize::PerIteration,
        );
    });
    group.finish();
    criterion.final_summary();
    Ok(())
}
