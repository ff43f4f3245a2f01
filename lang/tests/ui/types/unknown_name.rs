#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    let a = x[0] + y;
    x[0] = lenght(a);
    x[1] = a.foo();
}

fn main() {}
