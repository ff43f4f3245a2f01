#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &Array<f32>) {
    x[0] = 1.0;
    x[1] += 1.0;
}

fn main() {}
