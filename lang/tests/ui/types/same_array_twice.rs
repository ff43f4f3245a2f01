#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn add(x: &mut Array<f32>, y: &mut Array<f32>) {
    let i = thread_id();
    x[i] += y[i];
}

fn caller(x: &mut Array<f32>) {
    let _ = add(1, x, x);
}

fn main() {}
