//! Loads, stores and atomics: each does to the tangents what it does to the array.
//!
//! | primal | tangent |
//! |---|---|
//! | `v = x[i]` | `tan(v) = tan_x[i]` |
//! | `x[i] = v` | `tan_x[i] = tan(v)` |
//! | `x[i] += v`, atomically | `tan_x[i] += tan(v)` |
//! | `x[i] = v`, exchanged atomically | `tan_x[i] = tan(v)` |
//! | `x[i] = v` if `x[i] == w`, atomically | the same where it happened |
//! | `x[i] = max(x[i], v)`, atomically | the winner's; at a tie the mean |
//!
//! An atomic gives what was there, and so does its tangent. A kernel whose threads share an array runs them
//! one after the other, unless all they do is to add to it, so the two updates are as one.

use super::Forward;
use pullback_ir::{AtomicOp, BoolOp, Compare, FloatOp, Kernel, Op, OpKind, Value};

impl<'k> Forward<'k> {
    /// The arrays with the tangents of an array, one for each column; none if it has none.
    fn columns_of(&self, array: u32) -> Vec<u32> {
        self.arrays[array as usize].map_or_else(Vec::new, |first| (first..first + self.columns).collect())
    }

    fn rank(&self, array: u32) -> usize {
        self.re.old.params[array as usize].array().map_or(0, |(_, rank, _)| rank as usize)
    }

    /// A tangent from its array, in the type that it is computed with.
    fn stored_tangent(&mut self, tangents: u32, indices: &[Value], component: u32) -> Value {
        let stored = self.re.builder.load_component(tangents, indices, component);
        let wide = self.re.builder.scalar(stored).wide_float();
        self.re.builder.convert(wide, stored)
    }

    pub(super) fn load(&mut self, op: Op, array: u32, component: Option<u32>) {
        let old: &'k Kernel = self.re.old;
        let data = &old.ops[op];
        self.re.copy_leaf(op);
        let indices = self.re.get_all(&data.operands);
        let all_floats = data.results.iter().all(|&r| old.scalar(r).is_float());
        for tangents in self.columns_of(array) {
            let types = self.re.scalars(&data.results);
            let loaded: Vec<Option<Value>> = if all_floats {
                let kind = OpKind::Load { array: tangents, component };
                let new = self.re.builder.push(kind, indices.clone(), &types, vec![]);
                self.re.builder.kernel().ops[new].results.iter().copied().map(Some).collect()
            } else {
                let place = (0..).zip(&types);
                place.map(|(k, s)| s.is_float().then(|| self.stored_tangent(tangents, &indices, k))).collect()
            };
            for (&result, of) in data.results.iter().zip(loaded) {
                if let Some(of) = of {
                    let wide = old.scalar(result).wide_float();
                    let of = self.re.builder.convert(wide, of);
                    self.tangents.entry(result).or_default().push(of);
                }
            }
        }
    }

    pub(super) fn store(&mut self, op: Op, array: u32, component: Option<u32>) {
        let old: &'k Kernel = self.re.old;
        let data = &old.ops[op];
        self.re.copy_leaf(op);
        let (indices, values) = data.operands.split_at(self.rank(array));
        let indices = self.re.get_all(indices);
        let all_floats = values.iter().all(|&v| old.scalar(v).is_float());
        for (c, tangents) in self.columns_of(array).into_iter().enumerate() {
            let mut of = Vec::new();
            for (k, &value) in (component.unwrap_or(0)..).zip(values) {
                let scalar = old.scalar(value);
                if scalar.is_float() {
                    let tangent = self.tangent(value)[c];
                    of.push((k, self.re.builder.convert(scalar, tangent)));
                }
            }
            if component.is_none() && all_floats {
                let of: Vec<Value> = of.into_iter().map(|(_, t)| t).collect();
                self.re.builder.store(tangents, &indices, &of);
            } else {
                of.into_iter().for_each(|(k, t)| self.re.builder.store_component(tangents, &indices, k, t));
            }
        }
    }

    pub(super) fn atomic(&mut self, op: Op, how: AtomicOp, array: u32, component: u32) {
        let old: &'k Kernel = self.re.old;
        let data = &old.ops[op];
        self.re.copy_leaf(op);
        let (indices, values) = data.operands.split_at(self.rank(array));
        let (columns, result) = (self.columns_of(array), data.results[0]);
        let Some(&value) = values.last() else { return };
        let scalar = old.scalar(value);
        if columns.is_empty() || !scalar.is_float() {
            return;
        }
        let indices = self.re.get_all(indices);
        let found: Vec<Value> = match (how, self.tangents.get(&value).cloned()) {
            // Added to, so that such kernels stay sums; where nothing is added there is only to look.
            (AtomicOp::Add, Some(of)) => {
                let add = |(&array, t)| self.re.builder.atomic(AtomicOp::Add, array, &indices, component, t);
                columns.iter().zip(of).map(add).collect()
            }
            _ => columns.iter().map(|&array| self.stored_tangent(array, &indices, component)).collect(),
        };
        if how != AtomicOp::Add {
            let next = self.after_atomic(how, values, result, &found);
            for (&array, t) in columns.iter().zip(next) {
                let narrow = self.re.builder.convert(scalar, t);
                self.re.builder.store_component(array, &indices, component, narrow);
            }
        }
        self.tangents.insert(result, found);
    }

    /// The tangents of what an atomic leaves, from those of what it found.
    fn after_atomic(&mut self, how: AtomicOp, values: &[Value], result: Value, found: &[Value]) -> Vec<Value> {
        let Some(&value) = values.last() else { return vec![] };
        let of = self.tangent(value);
        let (new, was, expected) = (self.re.get(value), self.re.get(result), self.re.get(values[0]));
        let scalar = self.re.old.scalar(value);
        let builder = &mut self.re.builder;
        match how {
            AtomicOp::Exchange => of,
            AtomicOp::CompareExchange => {
                let happened = builder.compare(Compare::Eq, was, expected);
                of.iter().zip(found).map(|(&t, &f)| builder.select(happened, t, f)).collect()
            }
            AtomicOp::Min | AtomicOp::Max => {
                let wins = if how == AtomicOp::Min { Compare::Lt } else { Compare::Gt };
                // What was there stays if it wins, or if the new value is a NaN.
                let kept = builder.compare(wins, was, new);
                let nan = builder.compare(Compare::Ne, new, new);
                let kept = builder.bool(BoolOp::Or, &[kept, nan]);
                let tied = builder.compare(Compare::Eq, new, was);
                let half = builder.float_constant(scalar, 0.5);
                let pick = |(&t, &f)| {
                    let sum = builder.float(FloatOp::Add, &[t, f]);
                    let mean = builder.float(FloatOp::Mul, &[sum, half]);
                    let unless_kept = builder.select(tied, mean, t);
                    builder.select(kept, f, unless_kept)
                };
                of.iter().zip(found).map(pick).collect()
            }
            // Of integers only, and a sum, which is added to.
            AtomicOp::Add | AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => found.to_vec(),
        }
    }
}
