//! Loss and gradient of the planets' twelve years: 8,780 leapfrog steps of half a day, as in
//! `benches/peers/planets_jax.py`; and with the fourth-order scheme of the example, three times as many.

#[path = "../examples/support/mod.rs"]
mod support;

use criterion::{Criterion, criterion_group, criterion_main};
use pullback::prelude::*;
use std::hint::black_box;
use std::path::Path;
use support::csv;
use support::sky::{SUN, SUN_TO_JUPITER, SUN_TO_SATURN, Scheme, Sky};

fn planets(c: &mut Criterion) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/planets.csv");
    let epochs = csv::read(&file).expect("the ephemeris is in the repository");
    let mut group = c.benchmark_group("planets, 12 years, loss and gradient");
    group.sample_size(10);
    for (name, stepper) in [("leapfrog", Leapfrog::new()), ("fourth order", Leapfrog::fourth_order())] {
        let mut sky = Sky::new(&epochs, Scheme { stepper, steps: 20 }).expect("a valid model");
        group.bench_function(name, |b| {
            b.iter(|| black_box(sky.loss(SUN / SUN_TO_JUPITER, SUN / SUN_TO_SATURN).expect("a recording")));
        });
    }
    group.finish();
}

criterion_group!(benches, planets);
criterion_main!(benches);
