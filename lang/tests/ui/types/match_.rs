#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

const FEW: i64 = 3;

#[kernel]
fn not_all(x: &mut Array<f32>, n: i64) {
    match n {
        0 => x[0] = 1.0,
        FEW => x[0] = 2.0,
        m if m > 3 => x[0] = 3.0,
    }
}

#[kernel]
fn floats(x: &mut Array<f32>) {
    match x[0] {
        y => x[1] = y,
    }
}

#[kernel]
fn other_type(x: &mut Array<f32>, n: i64) {
    match n {
        true => x[0] = 1.0,
        _ => x[0] = 2.0,
    }
}

#[kernel]
fn unknown(x: &mut Array<f32>, n: i64) {
    match n {
        MANY => x[0] = 1.0,
        _ => x[0] = 2.0,
    }
}

fn main() {}
