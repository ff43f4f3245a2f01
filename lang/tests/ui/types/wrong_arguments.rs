#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[func]
fn helper(a: f32) -> f32 {
    a
}

#[func]
fn store(x: &mut Array<f32>, v: f32) {
    x[0] = v;
}

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    x[0] = helper(x[0], 1.0);
    x[0] = helper(n);
    x[0] = helper(x);
    store(x, 1.0);
}

fn main() {}
