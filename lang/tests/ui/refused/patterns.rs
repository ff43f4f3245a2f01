#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    let Some(a) = n;
    let ref b = n;
    let c @ d = n;
}

fn main() {}
