//! The text form of kernels: [`Display`](std::fmt::Display) prints it, [`parse`] reads it back.
//!
//! ```text
//! kernel decay(x: readwrite [f64x3; 1], rate: f64, n: i32) {
//!   v2: i64 = thread_id 0                                   ; decay.rs:4:13
//!   v3: f64, v4: f64, v5: f64 = load x[v2]
//!   v6: i32 = const 0
//!   v7: i32 = const 1
//!   v8: f64 = for v9: i32 = v6 to v1 step v7 carry (v10: f64 = v3) {
//!     v11: f64 = mul v10, v0
//!     yield v11
//!   }
//!   store x[v2].0, v8
//! }
//! ```
//!
//! - The header names the parameters; a scalar parameter's value is its number among the scalars. After
//!   them may come `rank 2` (launch axes, 1 if left out) and `parallel` or `descending`.
//! - An element is a scalar (`f32`), several of one kind (`f32x3`), or components with offsets and a
//!   size (`{f32@0, i32@4, size 8}`).
//! - `x[i, j]` names an element with all its components, `x[i, j].1` one of them.
//! - `if c { … } else { … }`; `while (v: t = init, …) { … yield cond } do (v: t, …) { … yield next }`.
//! - Floats are written so that they read back to the same bits; NaNs by their bits, `nan(0x7fc00000)`.
//! - `; file:line:column` at the end of an op's first line is its place; any other comment is skipped.

mod lex;
mod parse;
mod print;

pub use parse::{ParseError, parse};
