#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[func]
#[adjoint(f_adjoint)]
fn f(x: &Array<f32>, i: i64) -> f32 {
    x[i]
}

#[func]
#[adjoint(g_adjoint)]
fn g(x: f32) {}

#[func]
#[adjoint]
fn h(x: f32) -> f32 {
    x
}

#[func]
#[no_grad]
fn k(x: &mut Array<f32>) -> f32 {
    x[0] = 1.0;
    2.0
}

#[kernel]
#[no_grad]
fn l(x: &mut Array<f32>) {
    x[0] = 1.0;
}

#[func]
#[no_grad]
#[adjoint(f_adjoint)]
fn m(x: f32) -> f32 {
    x
}

#[func]
#[adjoint(n_adjoint)]
fn n(x: f32) -> i64 {
    x as i64
}

fn main() {}
