#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn floats(x: &mut Array<f32>) {
    match x[0] {
        1.0 => x[1] = 1.0,
        -2.5..=0.0 => x[1] = 2.0,
        _ => x[1] = 3.0,
    }
}

#[kernel]
fn patterns(x: &mut Array<f32>, n: i64) {
    match n {
        m | 1 => x[0] = m as f32,
        &2 => x[0] = 1.0,
        _ => {}
    }
    match n {}
    match "text" {
        "a" => {}
        _ => {}
    }
}

fn main() {}
