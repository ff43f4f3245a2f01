#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    x[0] = 1.0 + if n > 0 { return } else { 2.0 };
    x[1] = sin(return);
}

fn main() {}
