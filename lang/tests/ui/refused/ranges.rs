#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    let r = 0..n;
    for i in r {
        x[i] = 1.0;
    }
    for v in x {}
    for i in 0.. {}
}

fn main() {}
