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
use pullback_ir::{AtomicOp, BoolOp, Compare, FloatOp, Kernel, Op, Scalar, Value};

impl<'k> Forward<'k> {
    /// How many components an element of an array has, and which of them are floats.
    fn floats(&self, array: u32, component: Option<u32>) -> (u32, Vec<u32>) {
        let Some((element, ..)) = self.re.old.params[array as usize].array() else { return (0, vec![]) };
        let all = element.components();
        let count = all.len() as u32;
        let chosen = component.map_or(0..count, |c| c..c + 1);
        (count, chosen.filter(|&k| all[k as usize].scalar.is_float()).collect())
    }

    /// A tangent from its array, in the type that it is computed with.
    fn stored_tangent(&mut self, tangents: u32, indices: &[Value], place: u32) -> Value {
        let stored = self.re.builder.load_component(tangents, indices, place);
        let wide = self.re.builder.scalar(stored).wide_float();
        self.re.builder.convert(wide, stored)
    }

    /// The tangents of one component from their array.
    fn stored_tangents(&mut self, tangents: u32, indices: &[Value], component: u32, count: u32) -> Vec<Value> {
        (0..self.columns).map(|c| self.stored_tangent(tangents, indices, c * count + component)).collect()
    }

    fn set_tangents(&mut self, array: (u32, u32), indices: &[Value], component: u32, scalar: Scalar, values: &[Value]) {
        let (tangents, count) = array;
        for (c, &value) in (0..).zip(values) {
            let narrow = self.re.builder.convert(scalar, value);
            self.re.builder.store_component(tangents, indices, c * count + component, narrow);
        }
    }

    pub(super) fn load(&mut self, op: Op, array: u32, component: Option<u32>) {
        let old: &'k Kernel = self.re.old;
        let data = &old.ops[op];
        self.re.copy_leaf(op);
        let Some(tangents) = self.arrays[array as usize] else { return };
        let indices = self.re.get_all(&data.operands);
        let (count, floats) = self.floats(array, component);
        if component.is_none() && floats.len() == count as usize {
            let all = self.re.builder.load(tangents, &indices);
            for (k, &result) in data.results.iter().enumerate() {
                let wide = old.scalar(result).wide_float();
                let column = |c: u32| all[c as usize * count as usize + k];
                let of: Vec<Value> = (0..self.columns).map(|c| self.re.builder.convert(wide, column(c))).collect();
                self.tangents.insert(result, of);
            }
            return;
        }
        for k in floats {
            let result = data.results[(k - component.unwrap_or(0)) as usize];
            let of = self.stored_tangents(tangents, &indices, k, count);
            self.tangents.insert(result, of);
        }
    }

    pub(super) fn store(&mut self, op: Op, array: u32, component: Option<u32>) {
        let old: &'k Kernel = self.re.old;
        let data = &old.ops[op];
        self.re.copy_leaf(op);
        let Some(tangents) = self.arrays[array as usize] else { return };
        let rank = data.operands.len() - self.stored_count(array, component);
        let indices = self.re.get_all(&data.operands[..rank]);
        let values = &data.operands[rank..];
        let (count, floats) = self.floats(array, component);
        let of: Vec<Vec<Value>> = values.iter().map(|&v| self.narrow_tangents(v)).collect();
        if component.is_none() && floats.len() == count as usize {
            let all: Vec<Value> = (0..self.columns as usize).flat_map(|c| of.iter().map(move |v| v[c])).collect();
            self.re.builder.store(tangents, &indices, &all);
            return;
        }
        for k in floats {
            let which = (k - component.unwrap_or(0)) as usize;
            self.set_tangents((tangents, count), &indices, k, old.scalar(values[which]), &of[which]);
        }
    }

    fn stored_count(&self, array: u32, component: Option<u32>) -> usize {
        match (component, self.re.old.params[array as usize].array()) {
            (None, Some((element, ..))) => element.components().len(),
            _ => 1,
        }
    }

    /// The tangents of a value, in its own type; of an integer none.
    fn narrow_tangents(&mut self, value: Value) -> Vec<Value> {
        let scalar = self.re.old.scalar(value);
        if !scalar.is_float() {
            return vec![];
        }
        let all = self.tangent(value);
        all.into_iter().map(|t| self.re.builder.convert(scalar, t)).collect()
    }

    pub(super) fn atomic(&mut self, op: Op, how: AtomicOp, array: u32, component: u32) {
        let old: &'k Kernel = self.re.old;
        let data = &old.ops[op];
        self.re.copy_leaf(op);
        let (Some(tangents), Some(&value)) = (self.arrays[array as usize], data.operands.last()) else { return };
        let scalar = old.scalar(value);
        if !scalar.is_float() {
            return;
        }
        let (count, _) = self.floats(array, None);
        let rank = data.operands.len() - (how.arity() - 1);
        let indices = self.re.get_all(&data.operands[..rank]);
        let result = data.results[0];
        if how == AtomicOp::Add {
            // Added to, so that such kernels stay sums; where nothing is added there is only to look.
            let found = match self.tangents.get(&value).cloned() {
                None => self.stored_tangents(tangents, &indices, component, count),
                Some(of) => (0..)
                    .zip(of)
                    .map(|(c, t)| self.re.builder.atomic(AtomicOp::Add, tangents, &indices, c * count + component, t))
                    .collect(),
            };
            self.tangents.insert(result, found);
            return;
        }
        let found = self.stored_tangents(tangents, &indices, component, count);
        let of = self.tangent(value);
        let (new, was) = (self.re.get(value), self.re.get(result));
        let next: Vec<Value> = match how {
            AtomicOp::Exchange => of,
            AtomicOp::CompareExchange => {
                let expected = self.re.get(data.operands[rank]);
                let happened = self.re.builder.compare(Compare::Eq, was, expected);
                of.iter().zip(&found).map(|(&t, &f)| self.re.builder.select(happened, t, f)).collect()
            }
            AtomicOp::Min | AtomicOp::Max => {
                let wins = if how == AtomicOp::Min { Compare::Lt } else { Compare::Gt };
                // What was there stays if it wins, or if the new value is a NaN.
                let kept = self.re.builder.compare(wins, was, new);
                let nan = self.re.builder.compare(Compare::Ne, new, new);
                let kept = self.re.builder.bool(BoolOp::Or, &[kept, nan]);
                let tied = self.re.builder.compare(Compare::Eq, new, was);
                let half = self.re.builder.float_constant(scalar, 0.5);
                let builder = &mut self.re.builder;
                let mut pick = |(&t, &f): (&Value, &Value)| {
                    let sum = builder.float(FloatOp::Add, &[t, f]);
                    let mean = builder.float(FloatOp::Mul, &[sum, half]);
                    let unless_kept = builder.select(tied, mean, t);
                    builder.select(kept, f, unless_kept)
                };
                of.iter().zip(&found).map(&mut pick).collect()
            }
            // Of integers only, and above.
            AtomicOp::Add | AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => return,
        };
        self.set_tangents((tangents, count), &indices, component, scalar, &next);
        self.tangents.insert(result, found);
    }
}
