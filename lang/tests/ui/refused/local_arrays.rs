#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    let a = [1.0, 2.0];
    let b = [0.0; 4];
    x[0] = a[0] + b[0];
}

fn main() {}
