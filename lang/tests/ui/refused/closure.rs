#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    let f = |a: f32| a + 1.0;
    x[0] = f(x[0]);
}

fn main() {}
