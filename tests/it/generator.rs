//! Makes kernels from lists of numbers: nested branches and loops, carried values, loads and stores in
//! place at own and other elements, atomics, integers and floats. Values stay small, so that
//! differences make sense.

use pullback_ir::{
    Access, AtomicOp, BoolOp, Builder, Compare, Constant, Element, FloatOp, IntOp, Kernel, Scalar, Value,
};

/// Arrays: two that are written, one that is not.
pub const ARRAYS: usize = 3;
/// Their length.
pub const LEN: usize = 6;
/// The launch.
pub const THREADS: usize = 4;

struct Generator<'c> {
    choices: std::slice::Iter<'c, u32>,
    b: Builder,
    floats: Vec<Value>,
    ints: Vec<Value>,
    depth: usize,
    trips: Value,
    scalar: Scalar,
}

/// The kernel that a list of numbers says: arrays `x`, `y` (written) and `c` of a float type, and the
/// integer `n`.
pub fn kernel(choices: &[u32], scalar: Scalar) -> Kernel {
    let mut b = Builder::new("random", 1);
    let element = Element::scalar(scalar);
    for (name, access) in [("x", Access::ReadWrite), ("y", Access::ReadWrite), ("c", Access::Read)] {
        b.array_param(name, element.clone(), 1, access);
    }
    let trips = b.scalar_param("n", Scalar::I64);
    let mut g = Generator { choices: choices.iter(), b, floats: vec![], ints: vec![], depth: 0, trips, scalar };
    let thread = g.b.thread_id(0);
    g.ints.push(thread);
    let first = g.b.load(0, &[thread])[0];
    g.floats.push(first);
    while !g.choices.as_slice().is_empty() {
        g.statement();
    }
    let last = g.float();
    g.b.store(1, &[thread], &[last]);
    g.b.finish()
}

impl Generator<'_> {
    fn choose(&mut self, below: usize) -> usize {
        self.choices.next().map_or(0, |&c| c as usize % below)
    }
    fn float(&mut self) -> Value {
        // Late values more often than early ones.
        let n = self.floats.len();
        let back = self.choose(n.min(5));
        self.floats[n - 1 - back]
    }
    fn int(&mut self) -> Value {
        let k = self.choose(self.ints.len());
        self.ints[k]
    }
    fn keep(&mut self, v: Value) {
        self.floats.push(v);
    }
    fn lit(&mut self, v: f64) -> Value {
        self.b.float_constant(self.scalar, v)
    }

    /// An index inside the arrays.
    fn index(&mut self) -> Value {
        match self.choose(4) {
            0 | 1 => self.ints[0],
            2 => {
                let k = self.choose(LEN);
                self.b.index_constant(k as i64)
            }
            _ => {
                let i = self.int();
                let i = self.b.int(IntOp::Abs, &[i]);
                let len = self.b.index_constant(LEN as i64);
                self.b.int(IntOp::Rem, &[i, len])
            }
        }
    }

    fn condition(&mut self) -> Value {
        match self.choose(4) {
            0 => {
                let (a, b) = (self.int(), self.int());
                self.b.compare(Compare::Lt, a, b)
            }
            1 => {
                let (a, b) = (self.float(), self.float());
                let c = self.b.compare(Compare::Gt, a, b);
                self.b.bool(BoolOp::Not, &[c])
            }
            _ => {
                let a = self.float();
                let level = self.choose(9) as f64 * 0.21 - 0.7;
                let level = self.lit(level);
                self.b.compare(Compare::Lt, a, level)
            }
        }
    }

    fn statement(&mut self) {
        match self.choose(18) {
            0..=4 => self.arithmetic(),
            5 => {
                let (array, i) = (self.choose(ARRAYS) as u32, self.index());
                let v = self.b.load(array, &[i])[0];
                self.keep(v);
            }
            6 | 7 => {
                let (array, i, v) = (self.choose(2) as u32, self.index(), self.float());
                self.b.store(array, &[i], &[v]);
            }
            8 => {
                let (array, i, v) = (self.choose(2) as u32, self.index(), self.float());
                let how = [AtomicOp::Add, AtomicOp::Add, AtomicOp::Max, AtomicOp::Min][self.choose(4)];
                let v = if how == AtomicOp::Add { self.scaled(v, 0.3) } else { v };
                let old = self.b.atomic(how, array, &[i], 0, v);
                if self.choose(2) == 0 {
                    let small = self.b.float(FloatOp::Sin, &[old]);
                    self.keep(small);
                }
            }
            9 => {
                let v = self.float();
                let v = self.scaled(v, 3.0);
                let i = self.b.convert(Scalar::I64, v);
                let (a, b) = (self.int(), [IntOp::Add, IntOp::Xor, IntOp::Max][self.choose(3)]);
                let i = self.b.int(b, &[i, a]);
                self.ints.push(i);
            }
            10 => {
                let (c, a, b) = (self.condition(), self.float(), self.float());
                let v = self.b.select(c, a, b);
                self.keep(v);
            }
            11 | 12 if self.depth < 3 => self.branch(),
            13 | 14 if self.depth < 3 => self.count(),
            15 if self.depth < 3 => self.until(),
            16 => self.exchange(),
            17 => self.own_rule(),
            _ => self.arithmetic(),
        }
    }

    /// An atomic exchange, or a compare-exchange of which about half happen.
    fn exchange(&mut self) {
        let (array, i, v) = (self.choose(2) as u32, self.index(), self.float());
        let old = if self.choose(2) == 0 {
            self.b.atomic(AtomicOp::Exchange, array, &[i], 0, v)
        } else {
            let (c, there, other) = (self.condition(), self.b.load(array, &[i])[0], self.lit(77.0));
            let expected = self.b.select(c, there, other);
            self.b.compare_exchange(array, &[i], 0, expected, v)
        };
        if self.choose(2) == 0 {
            let small = self.b.float(FloatOp::Sin, &[old]);
            self.keep(small);
        }
    }

    /// A computation with its own derivative: (sin(a) b, a + tanh(b)), the first by a loop of one trip.
    fn own_rule(&mut self) {
        let (x, y) = (self.float(), self.float());
        let s = self.scalar;
        let value = |g: &mut Self, a: Value, b: Value| {
            let sin = g.b.float(FloatOp::Sin, &[a]);
            let product = g.b.float(FloatOp::Mul, &[sin, b]);
            let th = g.b.float(FloatOp::Tanh, &[b]);
            [product, g.b.float(FloatOp::Add, &[a, th])]
        };
        let mut regions = Vec::new();
        for _ in 0..1 + self.choose(2) {
            let args = self.b.open(&[s, s]);
            let bounds = [0, 1, 1].map(|v| self.b.index_constant(v));
            let inner = self.b.open(&[Scalar::I64, s, s]);
            let outputs = value(self, inner[1], inner[2]);
            let body = self.b.close(&outputs);
            let outputs = self.b.for_op(bounds[0], bounds[1], bounds[2], &args, body);
            regions.push(self.b.close(&outputs));
        }
        let args = self.b.open(&[s; 6]);
        let (a, b, p, q) = (args[0], args[1], args[4], args[5]);
        let (sin, cos) = (self.b.float(FloatOp::Sin, &[a]), self.b.float(FloatOp::Cos, &[a]));
        let th = self.b.float(FloatOp::Tanh, &[b]);
        let (square, one) = (self.b.float(FloatOp::Mul, &[th, th]), self.lit(1.0));
        let slope = self.b.float(FloatOp::Sub, &[one, square]);
        let mul = |g: &mut Self, a, b| g.b.float(FloatOp::Mul, &[a, b]);
        let (pb, ps, qs) = (mul(self, p, b), mul(self, p, sin), mul(self, q, slope));
        let da = mul(self, pb, cos);
        let da = self.b.float(FloatOp::Add, &[da, q]);
        let db = self.b.float(FloatOp::Add, &[ps, qs]);
        regions.push(self.b.close(&[da, db]));
        let outputs = self.b.custom(&[x, y], regions);
        for v in outputs {
            let v = self.scaled(v, 0.5);
            self.keep(v);
        }
    }

    fn scaled(&mut self, v: Value, by: f64) -> Value {
        let by = self.lit(by);
        self.b.float(FloatOp::Mul, &[v, by])
    }

    fn arithmetic(&mut self) {
        let a = self.float();
        let v = match self.choose(12) {
            0 | 1 => {
                let b = self.float();
                let sum = self.b.float(FloatOp::Add, &[a, b]);
                self.scaled(sum, 0.6)
            }
            2 => {
                let b = self.float();
                self.b.float(FloatOp::Sub, &[a, b])
            }
            3..=5 => {
                let b = self.float();
                self.b.float(FloatOp::Mul, &[a, b])
            }
            6 => self.b.float(FloatOp::Sin, &[a]),
            7 => self.b.float(FloatOp::Tanh, &[a]),
            8 => {
                let small = self.b.float(FloatOp::Tanh, &[a]);
                self.b.float(FloatOp::Exp, &[small])
            }
            9 => {
                let square = self.b.float(FloatOp::Mul, &[a, a]);
                let one = self.lit(1.0);
                let more = self.b.float(FloatOp::Add, &[square, one]);
                self.b.float(FloatOp::Sqrt, &[more])
            }
            10 => {
                let b = self.float();
                self.b.float(FloatOp::Max, &[a, b])
            }
            _ => {
                let square = self.b.float(FloatOp::Mul, &[a, a]);
                let one = self.lit(1.0);
                let more = self.b.float(FloatOp::Add, &[square, one]);
                let b = self.float();
                self.b.float(FloatOp::Div, &[b, more])
            }
        };
        // Bounded, so that loops cannot make values large.
        let v = if self.choose(3) == 0 { self.b.float(FloatOp::Tanh, &[v]) } else { v };
        self.keep(v);
    }

    /// Some statements in the open region; a bounded float to yield.
    fn body(&mut self) -> Value {
        self.depth += 1;
        for _ in 0..1 + self.choose(4) {
            self.statement();
        }
        self.depth -= 1;
        let v = self.float();
        self.b.float(FloatOp::Tanh, &[v])
    }

    /// What is in scope inside a region goes out of scope after it.
    fn scoped(&mut self, inside: impl FnOnce(&mut Self) -> Value) -> Value {
        let (floats, ints) = (self.floats.len(), self.ints.len());
        let v = inside(self);
        self.floats.truncate(floats);
        self.ints.truncate(ints);
        v
    }

    fn branch(&mut self) {
        let c = self.condition();
        let mut arms = Vec::new();
        for _ in 0..2 {
            self.b.open(&[]);
            let v = self.scoped(Self::body);
            arms.push(self.b.close(&[v]));
        }
        let v = self.b.if_op(c, arms[0], arms[1])[0];
        self.keep(v);
    }

    fn count(&mut self) {
        let low = self.b.index_constant(0);
        let high = if self.choose(2) == 0 { self.trips } else { self.b.index_constant(20) };
        let step = if high == self.trips { 1 } else { 7 };
        let step = self.b.index_constant(step);
        let init = self.float();
        let args = self.b.open(&[Scalar::I64, self.scalar]);
        let v = self.scoped(|g| {
            g.ints.push(args[0]);
            g.floats.push(args[1]);
            g.body()
        });
        let body = self.b.close(&[v]);
        let v = self.b.for_op(low, high, step, &[init], body)[0];
        self.keep(v);
    }

    fn until(&mut self) {
        let zero = self.b.constant(Constant::I64(0));
        let init = self.float();
        let args = self.b.open(&[Scalar::I64, self.scalar]);
        let limit = self.b.index_constant(4);
        let few = self.b.compare(Compare::Lt, args[0], limit);
        let level = self.lit(0.93);
        let low = self.b.compare(Compare::Lt, args[1], level);
        let mut go = self.b.bool(BoolOp::And, &[few, low]);
        if self.choose(2) == 0 {
            let seen = self.b.load(0, &[self.ints[0]])[0];
            let far = self.lit(2.5);
            let near = self.b.compare(Compare::Lt, seen, far);
            go = self.b.bool(BoolOp::And, &[go, near]);
        }
        let cond = self.b.close(&[go]);
        let args = self.b.open(&[Scalar::I64, self.scalar]);
        let v = self.scoped(|g| {
            g.ints.push(args[0]);
            g.floats.push(args[1]);
            g.body()
        });
        let one = self.b.index_constant(1);
        let next = self.b.int(IntOp::Add, &[args[0], one]);
        let body = self.b.close(&[next, v]);
        let v = self.b.while_op(&[zero, init], cond, body)[1];
        self.keep(v);
    }
}
