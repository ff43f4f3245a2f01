#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>) {
    let a: [f32; 0] = [];
    let b: &[f32] = x;
    for v in [1.0, 2.0] {
        x[0] = v;
    }
}

fn main() {}
