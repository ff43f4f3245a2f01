#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    let a = 1usize;
    let b = 2u128;
    let c = 3i128;
}

fn main() {}
