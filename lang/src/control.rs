//! Control flow being traced: `if`, `for` and `while` as the expansions drive them.
//!
//! An expansion calls the builders in program order, with the user's code between the calls. `S` is
//! the tuple of the outer variables that the code assigns: they enter a region as its arguments (or
//! are seen from outside, in an `if`), leave it by its yield, and are set to the op's results.

use crate::scalar::{Int, Number};
use crate::trace::{emit, with};
use crate::traced::Traced;
use crate::types::{Traceable, flatten, rebuild};
use pullback_ir::{Constant, IntOp, Loc, RegionId, Value};
use std::marker::PhantomData;

/// An `if` being traced. Its arms are traced in turn: [`IfBuilder::arm`] says which one.
#[derive(Debug)]
pub struct IfBuilder<V, S> {
    cond: Value,
    then: Option<RegionId>,
    loc: Loc,
    types: PhantomData<(V, S)>,
}

impl<V: Traceable, S: Traceable> IfBuilder<V, S> {
    #[track_caller]
    pub(crate) fn begin(cond: Traced<bool>) -> Self {
        with(|t| t.builder.open(&[]));
        IfBuilder { cond: cond.value(), then: None, loc: Loc::caller(), types: PhantomData }
    }

    /// Whether it is the turn of the first arm.
    pub fn arm(&self) -> bool {
        self.then.is_none()
    }

    /// Ends the arm, which has the value `v` and leaves the variables as `s`. After the second arm:
    /// what the `if` gives.
    pub fn end_arm(&mut self, v: V, s: S) -> Option<(V, S)> {
        let mut yields = flatten(&v);
        let count = yields.len();
        s.values(&mut yields);
        let region = with(|t| {
            t.builder.set_loc(Some(self.loc));
            t.builder.close(&yields)
        });
        let Some(then) = self.then else {
            self.then = Some(region);
            with(|t| t.builder.open(&[]));
            return None;
        };
        let results = emit(self.loc, |b| b.if_op(self.cond, then, region));
        Some((rebuild(&results[..count]), rebuild(&results[count..])))
    }
}

/// Opens a region with arguments for the variables; what they are in it.
fn open_with<S: Traceable>(extra: &[pullback_ir::Scalar]) -> (Vec<Value>, S) {
    let mut types = extra.to_vec();
    S::scalars(&mut types);
    let args = with(|t| t.builder.open(&types));
    let carried = rebuild(&args[extra.len()..]);
    (args, carried)
}

/// A `while` being traced: first the condition, then the body.
#[derive(Debug)]
pub struct WhileBuilder<S> {
    inits: Vec<Value>,
    cond: Option<RegionId>,
    body: Option<RegionId>,
    loc: Loc,
    state: PhantomData<S>,
}

impl<S: Traceable> WhileBuilder<S> {
    #[track_caller]
    pub(crate) fn begin(state: S) -> Self {
        WhileBuilder { inits: flatten(&state), cond: None, body: None, loc: Loc::caller(), state: PhantomData }
    }

    /// Begins the condition; the variables in it.
    pub fn begin_cond(&mut self) -> S {
        open_with(&[]).1
    }
    /// Ends the condition.
    pub fn end_cond(&mut self, cond: Traced<bool>) {
        self.cond = Some(emit(self.loc, |b| b.close(&[cond.value()])));
    }
    /// Begins the body; the variables in it.
    pub fn begin_body(&mut self) -> S {
        open_with(&[]).1
    }
    /// Ends the body, which leaves the variables as `state`.
    pub fn end_body(&mut self, state: S) {
        let yields = flatten(&state);
        self.body = Some(emit(self.loc, |b| b.close(&yields)));
    }
    /// The variables after the loop.
    pub fn end(self) -> S {
        match (self.cond, self.body) {
            (Some(cond), Some(body)) => rebuild(&emit(self.loc, |b| b.while_op(&self.inits, cond, body))),
            _ => rebuild(&self.inits),
        }
    }
}

/// The numbers that a `for` runs over: the counter goes through `low..high` in steps of `step`, and a
/// counter `k` stands for `k` itself or, reversed, for `mirror - k`; of a shifted range, for one more.
#[derive(Clone, Copy, Debug)]
pub struct Span<T> {
    low: Traced<T>,
    high: Traced<T>,
    step: Option<Traced<T>>,
    mirror: Option<Traced<T>>,
    shifted: bool,
}

impl<T: Int> Span<T> {
    /// `low..high`.
    pub fn new(low: Traced<T>, high: Traced<T>) -> Self {
        Span { low, high, step: None, mirror: None, shifted: false }
    }
    /// `low..=high`. As `high + 1` may not exist, the counter is one less than what it stands for if
    /// `low` is known to leave room for that and `high` is not known to leave any. Where neither is, a
    /// `high` known to be the largest number is refused; met only in the run, it makes the range empty.
    #[track_caller]
    pub fn inclusive(low: Traced<T>, high: Traced<T>) -> Self {
        // Whether it is known, and at an end of its type.
        let at_end = |v: Traced<T>, largest: bool| {
            let constant = with(|t| t.constant(v.value()))?;
            Some(match constant {
                Constant::I8(v) => v == if largest { i8::MAX } else { i8::MIN },
                Constant::U8(v) => v == if largest { u8::MAX } else { u8::MIN },
                Constant::I16(v) => v == if largest { i16::MAX } else { i16::MIN },
                Constant::U16(v) => v == if largest { u16::MAX } else { u16::MIN },
                Constant::I32(v) => v == if largest { i32::MAX } else { i32::MIN },
                Constant::U32(v) => v == if largest { u32::MAX } else { u32::MIN },
                Constant::I64(v) => v == if largest { i64::MAX } else { i64::MIN },
                Constant::U64(v) => v == if largest { u64::MAX } else { u64::MIN },
                Constant::Bool(_) | Constant::F16(_) | Constant::F32(_) | Constant::F64(_) => false,
            })
        };
        let loc = Loc::caller();
        match (at_end(low, false), at_end(high, true)) {
            (_, Some(false)) => Span::new(low, high + one()),
            (Some(false), _) => Span { shifted: true, ..Span::new(low - one(), high) },
            (_, Some(true)) => {
                let name = T::SCALAR;
                let what =
                    format!("`..=` up to the largest {name} from the least, or from what only the run knows, is");
                with(|t| {
                    t.fail(loc, format!("{what} too long for its counter; count in a wider type, or use `while`"))
                });
                Span::new(low, high)
            }
            (_, None) => Span::new(low, high + one()),
        }
    }
    /// Every `n`-th, from the first. An `n` below 1 is an error, of the kernel for a constant, else of the launch.
    #[track_caller]
    pub fn step_by(self, n: Traced<T>) -> Self {
        let loc = Loc::caller();
        let n = match n.known() {
            Some(known) if known < 1 => {
                with(|t| t.fail(loc, format!("step_by({known}): a step must be positive")));
                n
            }
            Some(_) => n,
            None => {
                crate::expand::assert(crate::expand::ge(n, one()), "step_by: a step must be positive");
                n.max(one())
            }
        };
        Span { step: Some(self.step.map_or(n, |s| s * n)), ..self }
    }
    /// From the last to the first.
    #[track_caller]
    pub fn rev(self) -> Self {
        let last = match self.step {
            None => self.high - one(),
            Some(step) => self.low + (self.high - self.low - one()) / step * step,
        };
        let mirror = match self.mirror {
            None => Some(self.low + last),
            // Mirrored twice: m - k runs from m - last up to m - low.
            Some(m) => {
                let (low, high) = (m - last, m - self.low + one());
                return Span { low, high, mirror: None, ..self };
            }
        };
        Span { mirror, ..self }
    }
    /// The first position of the loop's counter.
    pub fn start(&self) -> Traced<T> {
        self.low
    }
    /// Whether the counter is still in the range.
    #[track_caller]
    pub fn contains(&self, counter: Traced<T>) -> Traced<bool> {
        crate::scalar::Scalar::less(counter, self.high)
    }
    /// The counter's next position.
    #[track_caller]
    pub fn next(&self, counter: Traced<T>) -> Traced<T> {
        let Some(step) = self.step else { return counter + one() };
        let next = counter + step;
        // A step that wraps is past the end.
        crate::builtins::select(crate::scalar::Scalar::less(next, counter), self.high, next)
    }
    /// The number that a position of the counter stands for.
    #[track_caller]
    pub fn at(&self, counter: Traced<T>) -> Traced<T> {
        let number = match self.mirror {
            None => counter,
            Some(mirror) => mirror - counter,
        };
        if self.shifted { number + one() } else { number }
    }
    #[track_caller]
    fn step_or_one(&self) -> Traced<T> {
        match self.step {
            Some(step) => step,
            None => one(),
        }
    }
}

#[track_caller]
fn one<T: Number>() -> Traced<T> {
    crate::scalar::Scalar::lit(1.0)
}

/// A `for` being traced.
#[derive(Debug)]
pub struct ForBuilder<T, S> {
    span: Span<T>,
    step: Traced<T>,
    inits: Vec<Value>,
    body: Option<RegionId>,
    loc: Loc,
    state: PhantomData<S>,
}

impl<T: Int, S: Traceable> ForBuilder<T, S> {
    #[track_caller]
    pub(crate) fn begin(span: Span<T>, state: S) -> Self {
        let step = span.step_or_one();
        ForBuilder { span, step, inits: flatten(&state), body: None, loc: Loc::caller(), state: PhantomData }
    }
    /// Begins the body; the loop's number and the variables in it.
    pub fn begin_body(&mut self) -> (Traced<T>, S) {
        let (args, state) = open_with(&[T::SCALAR]);
        let counter: Traced<T> = rebuild(&args[..1]);
        (self.number(counter), state)
    }
    /// [`Span::at`] with the loop's own place.
    fn number(&self, counter: Traced<T>) -> Traced<T> {
        let int = |op, a: Traced<T>, b: Value| Traced::from_value(emit(self.loc, |t| t.int(op, &[a.value(), b])));
        let number = self.span.mirror.map_or(counter, |mirror| int(IntOp::Sub, mirror, counter.value()));
        match self.span.shifted {
            true => {
                let one = emit(self.loc, |b| b.constant(Constant::from_f64(T::SCALAR, 1.0)));
                int(IntOp::Add, number, one)
            }
            false => number,
        }
    }
    /// Ends the body, which leaves the variables as `state`.
    pub fn end_body(&mut self, state: S) {
        let yields = flatten(&state);
        self.body = Some(emit(self.loc, |b| b.close(&yields)));
    }
    /// The variables after the loop.
    pub fn end(self) -> S {
        let Some(body) = self.body else { return rebuild(&self.inits) };
        let (low, high, step) = (self.span.low.value(), self.span.high.value(), self.step.value());
        rebuild(&emit(self.loc, |b| b.for_op(low, high, step, &self.inits, body)))
    }
}
