#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    let mut a = 1.0;
    if n > 0 {
        a = n;
    }
    for i in 0..n {
        a = i > 0;
    }
    x[0] = a;
}

fn main() {}
