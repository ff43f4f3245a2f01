#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    let mut i = 0;
    let j = (i = n);
    x[0] = j;
}

fn main() {}
