#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    let a = 1.0;
    if n > 0 {
        a = 2.0;
    }
    let s = 0.0;
    for i in 0..n {
        s += x[i];
    }
    x[0] = a + s;
}

fn main() {}
