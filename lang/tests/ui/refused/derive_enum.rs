#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[derive(Clone, Copy, Debug, PartialEq, KernelEnum)]
enum NoRepr {
    A,
}

#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, KernelEnum)]
enum NoZero {
    A = 1,
    B = -2,
    C,
}

#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, KernelEnum)]
enum Fields {
    A,
    B(f32),
}

#[derive(Clone, Copy, Debug, PartialEq, KernelEnum)]
struct NoEnum {
    a: f32,
}

fn main() {}
