#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    let mut a = 1.0;
    let mut b = 2.0;
    (a, b) = (b, a);
    _ = a;
}

fn main() {}
