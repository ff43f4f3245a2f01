#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    match n {
        0 => x[0] = 1.0,
        _ => x[0] = 2.0,
    }
}

fn main() {}
