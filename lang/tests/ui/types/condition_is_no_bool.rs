#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    if n {
        x[0] = 1.0;
    }
    while x[0] {
        x[0] = 1.0;
    }
    let a = n && true;
}

fn main() {}
