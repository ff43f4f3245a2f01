#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    let v = Vec3::new(1.0, 2.0, 3.0);
    let w = Vec3 { x: 0.0, ..v };
    x[0] = w.x;
}

fn main() {}
