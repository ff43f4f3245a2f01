#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[func]
fn length_of<R: Real>(v: Vec3<R>) -> R {
    length(v)
}

#[kernel]
fn kernel_under_test(x: &mut Array<Vec3<i32>>, y: &mut Array<i32>) {
    y[0] = length_of(x[0]);
    y[1] = sqrt(y[1]);
    y[2] = -true as i32;
}

fn main() {}
