#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[func]
#[adjoint(too_few)]
fn f(x: f32, y: f32) -> f32 {
    x * y
}
#[func]
fn too_few(x: f32, y: f32, z: f32) -> (f32, f32) {
    (y * z, x * z)
}

#[func]
#[adjoint(nowhere)]
fn g(x: f32) -> f32 {
    x
}

#[kernel]
fn kernel_under_test(x: &mut Array<f32>) {
    x[0] = f(x[0], g(x[1]));
}

fn main() {}
