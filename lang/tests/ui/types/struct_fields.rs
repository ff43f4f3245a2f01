#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[derive(KernelStruct)]
struct Springs {
    rest: Array<f32>,
    count: i64,
}

#[derive(KernelStruct)]
struct World {
    springs: Springs,
    more: Array<f32>,
}

fn main() {}
