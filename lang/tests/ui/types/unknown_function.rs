#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

fn host_only(x: f32) -> f32 {
    x
}

#[kernel]
fn kernel_under_test(x: &mut Array<f32>) {
    x[0] = sinus(x[0]);
    x[1] = host_only(x[1]);
    x[2] = x[2].sinus();
}

fn main() {}
