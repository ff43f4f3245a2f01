#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[func]
fn store(x: &mut Array<f32>, v: f32) {
    x[0] = v;
}

#[kernel]
fn kernel_under_test(x: &Array<f32>) {
    store(x, 1.0);
}

fn main() {}
