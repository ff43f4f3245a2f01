#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn a(f: impl Fn(f32) -> f32, x: &mut Array<f32>) {
    x[0] = f(x[0]);
}

#[kernel]
fn b<F: Fn(f32) -> f32>(f: F, x: &mut Array<f32>) {
    x[0] = f(x[0]);
}

fn main() {}
