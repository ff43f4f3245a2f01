#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: usize) {
    let f = |a: f32| a;
    match n {
        _ => {}
    }
    println!("no");
    let s = "text";
    x[0] = 1.0;
}

#[kernel]
fn another(x: &mut Array<f32>) {
    x[0] = y;
}

fn caller(x: &mut Array<f32>) {
    let _ = kernel_under_test(1, x, 3);
}

fn main() {}
