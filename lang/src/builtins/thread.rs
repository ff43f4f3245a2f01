//! What a thread knows of the launch. Only in kernels.
//!
//! A kernel has one launch rank, that of the `thread_id` functions it uses; 1 if it uses none.

use crate::trace::with;
use crate::traced::Traced;
use pullback_ir::{Builder, Loc, Value};

#[track_caller]
fn axes<const N: usize>(f: impl Fn(&mut Builder, u8) -> Value) -> [Traced<i64>; N] {
    let loc = Loc::caller();
    with(|t| {
        t.need_rank(N as u8, loc);
        t.builder.set_loc(Some(loc));
        std::array::from_fn(|axis| Traced::from_value(f(&mut t.builder, axis as u8)))
    })
}

/// This thread's id in a launch of one axis: 0, 1, … up to the launch's size.
#[track_caller]
pub fn thread_id() -> Traced<i64> {
    axes::<1>(|b, axis| b.thread_id(axis))[0]
}

/// This thread's ids along the axes of a two-dimensional launch.
#[track_caller]
pub fn thread_id2() -> (Traced<i64>, Traced<i64>) {
    axes::<2>(|b, axis| b.thread_id(axis)).into()
}

/// This thread's ids along the axes of a three-dimensional launch.
#[track_caller]
pub fn thread_id3() -> (Traced<i64>, Traced<i64>, Traced<i64>) {
    axes::<3>(|b, axis| b.thread_id(axis)).into()
}

/// This thread's ids along the axes of a four-dimensional launch.
#[track_caller]
pub fn thread_id4() -> (Traced<i64>, Traced<i64>, Traced<i64>, Traced<i64>) {
    axes::<4>(|b, axis| b.thread_id(axis)).into()
}

/// The size of a launch of one axis: the number of threads.
#[track_caller]
pub fn launch_size() -> Traced<i64> {
    axes::<1>(|b, axis| b.launch_size(axis))[0]
}

/// The sizes of a two-dimensional launch.
#[track_caller]
pub fn launch_size2() -> (Traced<i64>, Traced<i64>) {
    axes::<2>(|b, axis| b.launch_size(axis)).into()
}

/// The sizes of a three-dimensional launch.
#[track_caller]
pub fn launch_size3() -> (Traced<i64>, Traced<i64>, Traced<i64>) {
    axes::<3>(|b, axis| b.launch_size(axis)).into()
}

/// The sizes of a four-dimensional launch.
#[track_caller]
pub fn launch_size4() -> (Traced<i64>, Traced<i64>, Traced<i64>, Traced<i64>) {
    axes::<4>(|b, axis| b.launch_size(axis)).into()
}
