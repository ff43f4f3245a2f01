#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    let i = 2i32;
    let a = x[i];
    let b = x[(n, n)];
    let c = n[0];
    let d = x[1.5];
}

fn main() {}
