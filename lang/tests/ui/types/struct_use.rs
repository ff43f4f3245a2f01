#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, KernelStruct)]
struct Body {
    mass: f32,
    id: i64,
}

#[derive(KernelStruct)]
struct Springs {
    rest: Array<f32>,
    count: i64,
}

#[kernel]
fn literals(x: &mut Array<Body>) {
    x[0] = Body { mass: 1.0 };
    x[1] = Body { mass: 1.0, idd: 2 };
    x[2] = Body { mass: 1, id: 2 };
    x[3].masss = 1.0;
}

#[kernel]
fn read_only(springs: &Springs) {
    springs.rest[0] = 1.0;
}

#[kernel]
fn scalars(springs: &mut Springs) {
    springs.count = 2;
}

#[kernel]
fn rank(springs: &mut Springs) {
    springs.rest[(0, 1)] = 1.0;
}

#[kernel]
fn by_value(springs: Springs) {}

fn main() {}
