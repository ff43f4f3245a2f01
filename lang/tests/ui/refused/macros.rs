#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    println!("{}", n);
    assert!(n > 0);
    let v = vec![1.0];
    x[0] = my_macro!(n);
}

fn main() {}
