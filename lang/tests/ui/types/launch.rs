#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn scale(x: &mut Array<f32>, by: f32) {
    let i = thread_id();
    x[i] *= by;
}

fn caller(x: &mut Array<f32>, y: &Array<f32>, z: &mut Array<f64>, w: &mut Array<f32, 2>) {
    let _ = scale(1, x, 1.0f64);
    let _ = scale(1, y, 1.0);
    let _ = scale(1, z, 1.0);
    let _ = scale(1, w, 1.0);
    let _ = scale(1, x);
    let _ = scale(1.5, x, 1.0);
}

fn main() {}
