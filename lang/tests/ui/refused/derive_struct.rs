#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[derive(Clone, Copy, Debug, PartialEq, KernelStruct)]
struct NoRepr {
    a: f32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, KernelStruct)]
struct Tuple(f32, f32);

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, KernelStruct)]
struct Bound<T> {
    a: T,
}

#[derive(KernelStruct)]
struct Borrowed<'a> {
    a: &'a Array<f32>,
}

#[derive(Clone, Copy, Debug, PartialEq, KernelStruct)]
enum Either {
    A,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, KernelStruct)]
struct Text {
    a: char,
}

fn main() {}
