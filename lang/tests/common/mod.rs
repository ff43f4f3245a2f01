//! An array type for tests that only trace, and nothing more.
#![allow(dead_code, clippy::unwrap_used)]

use pullback_ir::{Constant, Handle, Kernel, OpKind, ParamKind, RegionId, Value};
use pullback_lang::{ArrayArg, ArrayElement, TracedArray};
use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

/// Stands for the runtime's array in signatures.
pub struct Array<T, const D: usize = 1>(PhantomData<T>);

impl<T, const D: usize> Array<T, D> {
    pub fn new() -> Self {
        Array(PhantomData)
    }
}

impl<T: ArrayElement, const D: usize> ArrayArg for Array<T, D> {
    type Traced = TracedArray<T, D>;
    fn handle(&self) -> Arc<dyn Any + Send + Sync> {
        Arc::new(())
    }
}

/// An array of the host, indexed as in kernels.
pub struct Host<T>(pub Vec<T>);

impl<T> Host<T> {
    pub fn len(&self) -> i64 {
        self.0.len() as i64
    }
}
impl<T: Copy, const N: usize> From<[T; N]> for Host<T> {
    fn from(values: [T; N]) -> Self {
        Host(values.to_vec())
    }
}
impl<T> std::ops::Index<i64> for Host<T> {
    type Output = T;
    fn index(&self, i: i64) -> &T {
        &self.0[i as usize]
    }
}
impl<T> std::ops::IndexMut<i64> for Host<T> {
    fn index_mut(&mut self, i: i64) -> &mut T {
        &mut self.0[i as usize]
    }
}

/// Runs a kernel of `(x, k, n)` in one thread.
pub fn run(ir: &Kernel, x: &mut [f64], k: &mut [i64], n: i64) {
    let mut m = Machine { ir, values: vec![Constant::I64(0); ir.values.len()], x, k, second: None };
    if let ParamKind::Scalar(_, v) = ir.params[2].kind {
        m.values[v.index()] = Constant::I64(n);
    }
    m.region(ir.body, &[]);
}

/// Runs a kernel of `(x, y)` in one thread, with `outputs` values of `y`; gives `y` back.
pub fn evaluate(ir: &Kernel, x: &[f64], outputs: usize) -> Vec<f64> {
    let mut all = [x, &vec![0.0; outputs]].concat();
    let mut m =
        Machine { ir, values: vec![Constant::I64(0); ir.values.len()], x: &mut all, k: &mut [], second: Some(x.len()) };
    m.region(ir.body, &[]);
    all[x.len()..].to_vec()
}

struct Machine<'a> {
    ir: &'a Kernel,
    values: Vec<Constant>,
    x: &'a mut [f64],
    k: &'a mut [i64],
    /// Where the second array begins in `x`, if it is there and not in `k`.
    second: Option<usize>,
}

impl Machine<'_> {
    fn get(&self, v: Value) -> Constant {
        self.values[v.index()]
    }
    fn int(&self, v: Value) -> i64 {
        self.get(v).as_i64().unwrap()
    }
    fn truth(&self, v: Value) -> bool {
        self.get(v) == Constant::Bool(true)
    }
    fn all(&self, vs: &[Value]) -> Vec<Constant> {
        vs.iter().map(|&v| self.get(v)).collect()
    }
    fn region(&mut self, r: RegionId, args: &[Constant]) -> Vec<Constant> {
        let ir = self.ir;
        for (v, &a) in ir.regions[r].args.iter().zip(args) {
            self.values[v.index()] = a;
        }
        for &op in &ir.regions[r].ops {
            let data = &ir.ops[op];
            let o = &data.operands;
            let results = match &data.kind {
                OpKind::Yield => return self.all(o),
                OpKind::Const(c) => vec![*c],
                OpKind::Float(f) => match self.get(o[0]) {
                    Constant::F32(_) => {
                        let x: Vec<f32> = o.iter().map(|&v| self.get(v).as_f64().unwrap() as f32).collect();
                        vec![Constant::F32(f.value(&x))]
                    }
                    _ => {
                        let x: Vec<f64> = o.iter().map(|&v| self.get(v).as_f64().unwrap()).collect();
                        vec![Constant::F64(f.value(&x))]
                    }
                },
                OpKind::Int(i) => {
                    let x: Vec<u64> = o.iter().map(|&v| self.get(v).bits()).collect();
                    let scalar = self.get(o[0]).scalar();
                    vec![Constant::from_bits(scalar, i.value(scalar, &x).expect("no division by zero"))]
                }
                OpKind::Bool(b) => {
                    vec![Constant::Bool(b.value(self.truth(o[0]), o.get(1).is_some_and(|&v| self.truth(v))))]
                }
                OpKind::Compare(c) => vec![Constant::Bool(c.value(self.get(o[0]), self.get(o[1])))],
                OpKind::Convert(to) => vec![match self.get(o[0]) {
                    Constant::F32(v) => Constant::from_f64(*to, v as f64),
                    Constant::F64(v) => Constant::from_f64(*to, v),
                    Constant::Bool(v) => Constant::from_i64(*to, v as i64),
                    Constant::U64(v) => Constant::from_i64(*to, v as i64),
                    c => Constant::from_i64(*to, c.as_i64().unwrap()),
                }],
                OpKind::Select => vec![if self.truth(o[0]) { self.get(o[1]) } else { self.get(o[2]) }],
                OpKind::ThreadId(_) => vec![Constant::I64(0)],
                OpKind::Len { array, .. } => {
                    vec![Constant::I64(if *array == 0 { self.x.len() } else { self.k.len() } as i64)]
                }
                OpKind::Load { array, .. } => {
                    let i = self.int(o[0]) as usize;
                    vec![if *array == 0 { Constant::F64(self.x[i]) } else { Constant::I64(self.k[i]) }]
                }
                OpKind::Store { array, .. } => {
                    let i = self.int(o[0]) as usize;
                    match (array, self.second) {
                        (0, _) => self.x[i] = self.get(o[1]).as_f64().unwrap(),
                        (_, Some(second)) => self.x[second + i] = self.get(o[1]).as_f64().unwrap(),
                        (_, None) => self.k[i] = self.int(o[1]),
                    }
                    vec![]
                }
                OpKind::If => self.region(data.regions[if self.truth(o[0]) { 0 } else { 1 }], &[]),
                OpKind::For => {
                    let (mut i, high, step) = (self.get(o[0]), self.int(o[1]), self.int(o[2]));
                    let mut state = self.all(&o[3..]);
                    while i.as_i64().unwrap() < high {
                        state = self.region(data.regions[0], &[&[i], &state[..]].concat());
                        i = Constant::from_i64(i.scalar(), i.as_i64().unwrap() + step);
                    }
                    state
                }
                OpKind::While => {
                    let mut state = self.all(o);
                    while self.region(data.regions[0], &state) == [Constant::Bool(true)] {
                        state = self.region(data.regions[1], &state);
                    }
                    state
                }
                other => panic!("{other:?} is not expected in these tests"),
            };
            for (v, r) in data.results.iter().zip(results) {
                self.values[v.index()] = r;
            }
        }
        vec![]
    }
}
