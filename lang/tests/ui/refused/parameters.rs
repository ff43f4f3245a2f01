#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[func]
fn a((x, y): (f32, f32)) -> f32 {
    x + y
}

#[func]
fn b<'a>(x: &'a Array<f32>) -> f32 {
    x[0]
}

#[func]
fn c(x: &&Array<f32>) -> f32 {
    1.0
}

#[func]
fn d(x: &[f32]) -> f32 {
    1.0
}

#[func]
fn e(x: (&Array<f32>, f32)) -> f32 {
    1.0
}

#[func]
fn f(x: Array<f32>) -> f32 {
    1.0
}

#[func]
fn g(x: &str) -> f32 {
    1.0
}

fn main() {}
