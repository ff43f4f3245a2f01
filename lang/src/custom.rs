//! Computations with a derivative of their own, and loops, for builtins that are generic over the host
//! and kernels.
//!
//! On the host they are what they compute. In a kernel a computation with its own derivative is one op that
//! holds what it computes and its adjoint, so that an iteration is never differentiated step by step; and a
//! loop is a loop of the kernel, traced once.

use crate::scalar::{Real, Select};
use crate::trace::{emit, with};
use crate::traced::Traced;
use crate::types::{KernelType, Traceable, flatten};
use crate::word::Word;
use pullback_ir::{Constant, Loc, RegionId, Scalar, Value};

/// The outputs at which derivatives are taken, of inputs.
pub type Near<'a, S> = &'a dyn Fn(&[S]) -> Vec<S>;

/// What a builtin computes from the host's or a kernel's floats.
pub trait Custom: Select {
    /// What counts: `i64` on the host, `Traced<i64>` in kernels.
    type Index: Select<Bool = Self::Bool>;
    /// A number that counts.
    fn index(k: usize) -> Self::Index;
    /// It as a float.
    fn from_index(k: Self::Index) -> Self;
    /// The integer part, as `as i64` takes it.
    fn to_index(self) -> Self::Index;
    /// 32 bits: `u32` on the host, `Traced<u32>` in kernels.
    type Word: Word<Bool = Self::Bool>;
    /// The low 32 bits of the integer part.
    fn to_word(self) -> Self::Word;
    /// A number in [0, 1) from random bits: 24 of the first word in `f32`, 53 of both in `f64`.
    fn unit(high: Self::Word, low: Self::Word) -> Self;

    /// Outputs of `inputs` whose derivative is not that of the operations of `value`, but what `adjoint`
    /// says: from the inputs, the outputs and the cotangents of the outputs it makes those of the inputs.
    ///
    /// `near`, if there is one, gives the outputs at which derivatives are taken, the adjoint's own and those
    /// of whatever uses the outputs in the same kernel: a point close by where `value` gives one at which
    /// derivatives are not defined.
    fn custom(
        inputs: &[Self],
        value: impl Fn(&[Self]) -> Vec<Self>,
        near: Option<Near<'_, Self>>,
        adjoint: impl Fn(&[Self], &[Self], &[Self]) -> Vec<Self>,
    ) -> Vec<Self>;

    /// The constant `wide` in `f64`, `narrow` in `f32`.
    fn by_precision(wide: f64, narrow: f32) -> Self;

    /// `body` applied `count` times to a state.
    fn repeat(count: usize, state: &[Self], body: impl Fn(&[Self]) -> Vec<Self>) -> Vec<Self>;
}

macro_rules! host {
    ($($t:ty)*) => { $(
        impl Custom for $t {
            type Index = i64;
            fn index(k: usize) -> i64 {
                k as i64
            }
            fn from_index(k: i64) -> Self {
                k as $t
            }
            fn to_index(self) -> i64 {
                self as i64
            }
            type Word = u32;
            fn to_word(self) -> u32 {
                self as i64 as u32
            }
            fn unit(high: u32, low: u32) -> Self {
                let narrow = (high >> 8) as f32 * (1.0 / 16_777_216.0);
                let wide = (f64::from(high >> 5) * 67_108_864.0 + f64::from(low >> 6)) * (1.0 / 9_007_199_254_740_992.0);
                Real::either(wide, narrow)
            }
            fn custom(
                inputs: &[Self],
                value: impl Fn(&[Self]) -> Vec<Self>,
                _: Option<Near<'_, Self>>,
                _: impl Fn(&[Self], &[Self], &[Self]) -> Vec<Self>,
            ) -> Vec<Self> {
                value(inputs)
            }
            fn by_precision(wide: f64, narrow: f32) -> Self {
                Real::either(wide, narrow)
            }
            fn repeat(count: usize, state: &[Self], body: impl Fn(&[Self]) -> Vec<Self>) -> Vec<Self> {
                (0..count).fold(state.to_vec(), |state, _| body(&state))
            }
        }
    )* };
}
host!(f32 f64);

fn values<R: Real>(all: &[Traced<R>]) -> Vec<Value> {
    all.iter().map(|x| x.value()).collect()
}
fn traced<R: Real>(all: &[Value]) -> Vec<Traced<R>> {
    all.iter().map(|&v| Traced::from_value(v)).collect()
}

/// Opens a region, runs `body` on its arguments and closes it with what that gives.
fn region<R: Real>(args: usize, body: impl FnOnce(&[Traced<R>]) -> Vec<Traced<R>>) -> RegionId {
    let args = with(|t| t.builder.open(&vec![R::SCALAR; args]));
    let yields = values(&body(&traced(&args)));
    with(|t| t.builder.close(&yields))
}

impl<R: Real> Custom for Traced<R> {
    type Index = Traced<i64>;
    #[track_caller]
    fn index(k: usize) -> Traced<i64> {
        (k as i64).constant()
    }
    #[track_caller]
    fn from_index(k: Traced<i64>) -> Self {
        Traced::from_value(emit(Loc::caller(), |b| b.convert(R::SCALAR, k.value())))
    }
    #[track_caller]
    fn to_index(self) -> Traced<i64> {
        Traced::from_value(emit(Loc::caller(), |b| b.convert(Scalar::I64, self.value())))
    }
    type Word = Traced<u32>;
    #[track_caller]
    fn to_word(self) -> Traced<u32> {
        let index = self.to_index();
        Traced::from_value(emit(Loc::caller(), |b| b.convert(Scalar::U32, index.value())))
    }
    #[track_caller]
    fn unit(high: Traced<u32>, low: Traced<u32>) -> Self {
        use crate::scalar::Scalar as Number;
        let float = |w: Traced<u32>| Self::from_value(emit(Loc::caller(), |b| b.convert(R::SCALAR, w.value())));
        match R::SCALAR {
            Scalar::F64 => {
                let sum = float(high.down(5)) * Self::lit(67_108_864.0) + float(low.down(6));
                sum * Self::lit(1.0 / 9_007_199_254_740_992.0)
            }
            _ => float(high.down(8)) * Self::lit(1.0 / 16_777_216.0),
        }
    }
    #[track_caller]
    fn custom(
        inputs: &[Self],
        value: impl Fn(&[Self]) -> Vec<Self>,
        near: Option<Near<'_, Self>>,
        adjoint: impl Fn(&[Self], &[Self], &[Self]) -> Vec<Self>,
    ) -> Vec<Self> {
        let loc = Loc::caller();
        let n = inputs.len();
        let mut outputs = 0;
        let mut regions = vec![region(n, |x| {
            let y = value(x);
            outputs = y.len();
            y
        })];
        regions.extend(near.map(|near| region(n, near)));
        regions.push(region(n + 2 * outputs, |all| {
            let (x, rest) = all.split_at(n);
            let (y, ct) = rest.split_at(outputs);
            adjoint(x, y, ct)
        }));
        traced(&emit(loc, |b| b.custom(&values(inputs), regions)))
    }

    #[track_caller]
    fn by_precision(wide: f64, narrow: f32) -> Self {
        R::either(wide, narrow).constant()
    }

    #[track_caller]
    fn repeat(count: usize, state: &[Self], body: impl Fn(&[Self]) -> Vec<Self>) -> Vec<Self> {
        let loc = Loc::caller();
        let bounds = emit(loc, |b| [0, count as i64, 1].map(|v| b.index_constant(v)));
        let mut types = vec![Scalar::I64];
        types.extend(vec![R::SCALAR; state.len()]);
        let args = with(|t| t.builder.open(&types));
        let yields = values(&body(&traced(&args[1..])));
        let inner = with(|t| t.builder.close(&yields));
        traced(&emit(loc, |b| b.for_op(bounds[0], bounds[1], bounds[2], &values(state), inner)))
    }
}

/// A function with a gradient rule of its own, inside a kernel: any inputs and outputs.
///
/// The regions of the op see nothing but their arguments, so a value from around them that a rule uses
/// would be an error of the verifier.
#[track_caller]
pub(crate) fn own_adjoint<I: Traceable, O: Traceable, C: Traceable, G: Traceable>(
    inputs: I,
    value: impl FnOnce(I) -> O,
    adjoint: impl FnOnce(I, O, C) -> G,
) -> O {
    let loc = Loc::caller();
    let (mut x, mut y, mut c, mut g) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    I::scalars(&mut x);
    O::scalars(&mut y);
    C::scalars(&mut c);
    G::scalars(&mut g);
    let floats = |all: &[Scalar]| all.iter().copied().filter(|s| s.is_float()).collect::<Vec<_>>();
    let result = || emit(loc, |b| y.iter().map(|&s| b.constant(Constant::zero(s))).collect::<Vec<_>>());
    if floats(&y) != c || floats(&x) != g {
        with(|t| {
            t.fail(
                loc,
                "the adjoint takes the inputs, the result and the cotangents of the result's floats, and gives those of \
                 the inputs' floats",
            );
        });
        return crate::types::rebuild(&result());
    }
    let args = with(|t| t.builder.open(&x));
    let out = flatten(&value(crate::types::rebuild(&args)));
    let first = with(|t| t.builder.close(&out));
    let args = with(|t| t.builder.open(&[&x[..], &y[..], &c[..]].concat()));
    let (a, rest) = args.split_at(x.len());
    let (b, ct) = rest.split_at(y.len());
    let rebuilt = (crate::types::rebuild(a), crate::types::rebuild(b), crate::types::rebuild(ct));
    let shares = flatten(&adjoint(rebuilt.0, rebuilt.1, rebuilt.2));
    let last = with(|t| t.builder.close(&shares));
    crate::types::rebuild(&emit(loc, |b| b.custom(&flatten(&inputs), vec![first, last])))
}

/// The value, with derivative 0.
#[track_caller]
pub(crate) fn detach<T: Traceable>(x: &T) -> T {
    let loc = Loc::caller();
    let mut values = flatten(x);
    let floats: Vec<usize> = with(|t| (0..values.len()).filter(|&k| t.builder.scalar(values[k]).is_float()).collect());
    if floats.is_empty() {
        return crate::types::rebuild(&values);
    }
    let results = emit(loc, |b| {
        // Halves are not computed with; they go through as f32, which changes nothing.
        let inputs: Vec<Value> = floats
            .iter()
            .map(|&k| {
                let wide = b.scalar(values[k]).wide_float();
                b.convert(wide, values[k])
            })
            .collect();
        let types: Vec<Scalar> = inputs.iter().map(|&v| b.scalar(v)).collect();
        let args = b.open(&types);
        let value = b.close(&args);
        b.open(&types.repeat(3));
        let zeros: Vec<Value> = types.iter().map(|&s| b.constant(Constant::zero(s))).collect();
        let adjoint = b.close(&zeros);
        let wide = b.custom(&inputs, vec![value, adjoint]);
        floats
            .iter()
            .zip(wide)
            .map(|(&k, v)| {
                let scalar = b.scalar(values[k]);
                b.convert(scalar, v)
            })
            .collect::<Vec<_>>()
    });
    floats.into_iter().zip(results).for_each(|(k, v)| values[k] = v);
    crate::types::rebuild(&values)
}
