#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    let mut i = 0;
    while { i += 1; i < n } {
        x[i] = 1.0;
    }
}

#[func]
fn next(x: &mut f32) -> f32 {
    *x += 1.0;
    *x
}

#[kernel]
fn through_a_function(x: &mut Array<f32>) {
    let mut s = 0.0;
    while next(&mut s) < 9.0 {
        x[0] = s;
    }
}

#[func]
fn handed_on(x: &mut f32) {
    while next(x) < 9.0 {}
}

fn main() {}
