//! The language that Pullback kernels are written in.
//!
//! A kernel is an ordinary Rust function under `#[kernel]`. The macro rewrites it into Rust that
//! *traces*: run once, it makes the kernel's IR. In it a variable of type `f32` is a [`Traced<f32>`]
//! and a `Vec3` is a `Vec3<Traced<f32>>`, so rustc infers and checks all types. Vectors, matrices and
//! builtins are written once, generic over [`Scalar`] and [`Float`], and run on the host too.
//!
//! # The language
//!
//! ```
//! # use pullback_lang::{ArrayArg, ArrayElement, TracedArray};
//! # pub struct Array<T, const D: usize = 1>(std::marker::PhantomData<T>);
//! # impl<T: ArrayElement, const D: usize> ArrayArg for Array<T, D> {
//! #     type Traced = TracedArray<T, D>;
//! #     fn handle(&self) -> std::sync::Arc<dyn std::any::Any + Send + Sync> { std::sync::Arc::new(()) }
//! # }
//! use pullback_lang::prelude::*;
//!
//! /// Kinetic energy of a point; generic over f32 and f64.
//! #[func]
//! fn kinetic<R: Real>(mass: R, velocity: Vec3<R>) -> R {
//!     0.5 * mass * velocity.length_sq()
//! }
//!
//! /// A central force, for each point that is not too near.
//! #[kernel]
//! fn attract(pos: &mut Array<Vec3>, vel: &mut Array<Vec3>, energy: &mut Array<f32>, dt: f32, g: f32) {
//!     let i = thread_id();
//!     let r = length(pos[i]);
//!     if r < 1e-6 {
//!         return;
//!     }
//!     vel[i] -= pos[i] * (g / (r * r * r) * dt);
//!     pos[i] += vel[i] * dt;
//!     atomic_add(energy, 0, kinetic(1.0, vel[i]));
//! }
//!
//! println!("{:?}", attract::ir().kernel()?.params);
//! # Ok::<(), pullback_lang::Error>(())
//! ```
//!
//! - **Values**: `bool`, `i8` to `i64`, `u8` to `u64`, `f32`, `f64`, [`struct@f16`], vectors, [`Quat`], matrices,
//!   [`Transform`], fixed arrays `[T; N]`, tuples, structs under [`KernelStruct`] and enums without fields
//!   under [`KernelEnum`]. All are copied. A fixed array is read and written by indices that only the run
//!   knows (`a[i] += x`); one out of range is an error of the launch.
//! - **Arrays** are parameters: `&Array<T>` is read, `&mut Array<T>` is read and written;
//!   `Array<T, 2>` has two dimensions and is indexed `x[(i, j)]`. An index is `i64`. `x.len()` is the
//!   number of elements, `x.shape(axis)` the length along an axis. An index out of range is an error of
//!   the launch. A struct under [`KernelStruct`] that holds arrays is given as `&S` or `&mut S`; what
//!   else it holds is read only. A field or parameter of such a type is marked `#[arrays]`, but for `&S`.
//! - **Statements**: `let`, `let mut`, shadowing, tuple patterns, assignment and compound assignment to
//!   variables, fields and elements (`x[i].y += 1.0`), `if`, `for i in a..b`, `a..=b`, `.rev()`,
//!   `.step_by(n)`, `while`, `loop`, labels, `break`, `continue`, `return` and `const` items mean what
//!   they mean in Rust. So do `if`, blocks and `loop` as expressions.
//!   (A range `a..=b` up to the largest number of its type needs an `a` that is written as a number and
//!   is not the least.)
//! - **Numbers**: an unsuffixed literal takes the type that its use asks for, as in Rust; in a function
//!   generic over `R: Real` a floating literal is an `R`. Nothing is converted without `as`, which
//!   converts as Rust's does. Integers wrap. A division of integers by zero is an error of the launch.
//!   An [`struct@f16`] is for storage: it is loaded, stored, compared and converted (`x[i] as f32`), and gradients
//!   pass through it; its cotangents are rounded to 16 bits where they are stored.
//! - `a && b` and `a || b` compute `b` only if it decides, where `b` loads, calls or divides; else both
//!   are computed, which can't be told apart. [`select`] always computes both.
//! - **Functions**: those under `#[func]`, and the [builtins]. They are inlined, and can't call themselves.
//!   Several results are a tuple. A parameter `x: &mut f32` comes in and goes out again: the call is
//!   `f(&mut x)`. A parameter `f: impl Fn(f32) -> f32`, or `F: Fn(R) -> R`, takes a function by its name.
//!   `#[adjoint(name)]` under `#[func]` names the function that gives the gradient: it takes the inputs, the
//!   results and the cotangents of the results, and returns those of the inputs (integers and truth values
//!   have none). `#[no_grad]` makes the results constants for the gradient.
//! - **Constants**: a path that is no variable is a constant of the host (`std::f32::consts::PI`,
//!   `MAX_STEPS`), or a `const` parameter; a `usize` is an `i64` in the kernel.
//! - Everything else is refused at its token, with what to write instead.
//!
//! # How it fits
//!
//! | module | holds |
//! |---|---|
//! | [`scalar`] | the traits of scalars, on the host and traced |
//! | [`vector`], [`matrix`], [`quat`] | `Vec2`..`Vec4`, `Mat22`..`Mat44`, `Quat` |
//! | [`sized`], [`rectangular`] | `VecN` and `Mat` of any small fixed size: `Vec6`, `Mat66`, `Mat23`, .. |
//! | [`transform`](mod@transform) | `Transform` and `SpatialVec`, for rigid motions, twists and wrenches |
//! | [`rng`] | the state of a stream of random numbers |
//! | [`custom`], [`word`] | what builtins need besides arithmetic: own gradient rules, loops, words of bits |
//! | [`builtins`] | all functions that kernels may call, and the table that tests walk |
//! | [`mod@array`] | arrays inside kernels: indexing, lengths, atomics |
//! | [`call`] | a kernel with its arguments, ready to be launched |
//! | [`expand`] | what the macros' expansions call; not for users |
//!
//! Invariants: nothing here generates code or knows a device; an op carries the place of the user's
//! expression (`#[track_caller]` on everything that makes one); IR is built once for each kernel and
//! each set of generic arguments.
#![forbid(unsafe_code)]

// Expansions name this crate `::pullback_lang`, also in its own tests.
extern crate self as pullback_lang;

pub mod array;
pub mod builtins;
pub mod call;
mod control;
pub mod custom;
mod error;
pub mod expand;
mod handle;
pub mod matrix;
mod methods;
pub mod prelude;
pub mod quat;
pub mod rectangular;
pub mod rng;
pub mod scalar;
pub mod sized;
mod swizzle;
mod trace;
mod traced;
pub mod transform;
pub mod types;
pub mod vector;
pub mod word;

pub use array::{ArrayArg, KernelArg, TracedArray};
pub use builtins::*;
pub use call::{ArgValue, Args, Call, Dims};
pub use error::Error;
pub use handle::KernelHandle;
pub use matrix::{Mat22, Mat33, Mat44};
pub use pullback_macros::{KernelEnum, KernelStruct, func, kernel};
pub use quat::Quat;
pub use rectangular::{Mat, Mat23, Mat24, Mat32, Mat34, Mat36, Mat42, Mat43, Mat55, Mat63, Mat66};
pub use rng::Rng;
pub use scalar::{Float, Int, Number, Real, Scalar, ScalarType, f16};
pub use sized::{Vec5, Vec6, VecN};
pub use traced::Traced;
pub use transform::{SpatialVec, Transform};
pub use types::{ArrayElement, KernelType, Traceable};
pub use vector::{Vec2, Vec3, Vec4};
