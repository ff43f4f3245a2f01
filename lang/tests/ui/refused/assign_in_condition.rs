#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    let mut i = 0;
    while { i += 1; i < n } {
        x[i] = 1.0;
    }
}

fn main() {}
