#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

struct Mine;

#[func]
fn a(x: Mine) -> f32 {
    1.0
}

#[func]
fn b(x: &Vec3) -> f32 {
    1.0
}

#[func]
fn c(x: &Array<Mine>) -> f32 {
    1.0
}

#[func]
fn d(x: f32) -> f32 {
    const S: Mine = Mine;
    let y = S;
    host(x)
}

fn host(x: f32) -> f32 {
    x
}

fn main() {}
