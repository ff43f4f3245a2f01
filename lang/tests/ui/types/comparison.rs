#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    if x[0] == n {
        x[0] = 1.0;
    }
    let a = Vec3::new(1.0, 2.0, 3.0) < Vec3::new(1.0, 2.0, 3.0);
    let b = (1.0, 2.0) == (1.0, 2.0);
}

fn main() {}
