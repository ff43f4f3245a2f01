#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

/// A name that is bound in one arm only.
#[kernel]
fn one_arm(x: &Array<f32>, o: &mut Array<f32>) {
    let i = thread_id();
    if x[i] > 0.0 {
        let y = 2.0 * x[i];
    }
    o[i] = y;
}

#[derive(KernelStruct)]
struct Outer {
    k: Array<f32>,
}

#[kernel]
fn counted(outer: &Outer, o: &mut Array<f32>, n: i32) {
    o[0] = outer.k[n as i64];
}

fn caller(flat: Array<f32>, square: Array<f32, 2>, o: &mut Array<f32>) {
    // A field of another rank, too few arguments, a fraction for an integer.
    let _ = Outer { k: square };
    let outer = Outer { k: flat };
    let _ = counted(1, &outer);
    let _ = counted(1, &outer, o, 2.75);
}

fn main() {}
