#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    x[0] = n as usize as f32;
    x[n as u128] = 1.0;
}

fn main() {}
