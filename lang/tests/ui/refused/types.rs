#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    let a: [f32; 2] = n;
    let b: &f32 = n;
    let c: fn(f32) -> f32 = n;
    let d: usize = n;
    let e: _ = n;
    let f: u128 = n;
}

fn main() {}
