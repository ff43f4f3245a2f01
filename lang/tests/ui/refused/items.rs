#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    fn inner() {}
    use std::f32::consts::PI;
    struct S;
    x[0] = PI;
}

fn main() {}
