#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[func]
fn apply(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    f(x)
}
#[func]
fn two(x: f32, y: f32) -> f32 {
    x + y
}
#[func]
fn change(x: &mut f32) {
    *x += 1.0;
}

#[kernel]
fn kernel_under_test(x: &mut Array<f32>) {
    x[0] = apply(two, x[0]);
    x[1] = apply(unknown, x[1]);
    let v = x[0];
    change(&mut v);
    let mut w = 1i32;
    change(&mut w);
    change(w);
}

fn main() {}
