#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    let a = x[0] + n;
    let b = n * 2.0;
    x[0] = 1;
    let c: f64 = x[0];
    if n > 1.0 {
        x[0] = 1.0;
    }
}

fn main() {}
