#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    let a = if n > 0 { 1.0 } else { n };
    let b = if n > 0 { 1.0 };
    x[0] = a;
}

fn main() {}
