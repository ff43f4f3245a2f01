#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

static mut COUNT: i64 = 0;

fn host() {
    let factor = 2.0f32;
    #[kernel]
    fn local(x: &mut Array<f32>) {
        x[0] = factor;
    }
}

#[kernel]
fn not_constant(x: &mut Array<i64>) {
    x[0] = COUNT;
}

fn main() {}
