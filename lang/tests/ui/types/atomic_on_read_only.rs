#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &Array<f32>) {
    atomic_add(x, 0, 1.0);
}

fn main() {}
