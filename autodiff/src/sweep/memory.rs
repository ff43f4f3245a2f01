//! Reverses loads, stores and atomics: they move cotangents between values and the cotangent arrays.
//!
//! | primal | adjoint |
//! |---|---|
//! | `v = x[i]` | `adj_x[i] += ct(v)` |
//! | `x[i] = v` | `ct(v) += adj_x[i]; adj_x[i] = 0` |
//! | `x[i] += v`, atomically | `ct(v) += adj_x[i]` |
//! | `x[i] = v`, exchanged atomically | `ct(v) += adj_x[i]; adj_x[i] = 0` |
//! | `x[i] = v` if `x[i] == w`, atomically | the same where it happened |
//! | `x[i] = max(x[i], v)`, atomically | the winner takes `adj_x[i]`, at a tie each takes half |

use super::{Map, Sweep, at};
use pullback_ir::{AtomicOp, BoolOp, Compare, Constant, FloatOp, Op, OpKind, Scalar, Value};

impl Sweep<'_> {
    /// A load, or a kept value that was one.
    pub(super) fn reverse_load(&mut self, op: Op, env: &Map, cts: &mut Map) {
        let primal = self.primal;
        let data = &primal.ops[op];
        let (array, indices, components) = match (self.replay.sources.get(&op), &data.kind) {
            (Some(source), _) => (source.array, &source.indices, source.components.clone()),
            (None, &OpKind::Load { array, component: Some(c) }) => (array, &data.operands, vec![c]),
            (None, &OpKind::Load { array, component: None }) => {
                (array, &data.operands, (0..data.results.len() as u32).collect())
            }
            _ => return,
        };
        let Some(Some(adjoint)) = self.adjoints.get(array as usize).copied() else { return };
        let indices: Vec<Value> = indices.iter().map(|&v| at(env, v)).collect();
        for (&result, component) in data.results.iter().zip(components) {
            if let Some(ct) = cts.remove(&result) {
                if primal.scalar(result) == Scalar::F16 {
                    // Stored in 16 bits, added in 32.
                    let so_far = self.cotangent(adjoint, &indices, component);
                    let sum = self.builder.float(FloatOp::Add, &[so_far, ct]);
                    let sum = self.builder.convert(Scalar::F16, sum);
                    self.builder.store_component(adjoint, &indices, component, sum);
                } else {
                    self.builder.atomic(AtomicOp::Add, adjoint, &indices, component, ct);
                }
            }
        }
    }

    /// A cotangent from its array, in the type that it is added up in.
    fn cotangent(&mut self, adjoint: u32, indices: &[Value], component: u32) -> Value {
        let stored = self.builder.load_component(adjoint, indices, component);
        let wide = self.builder.scalar(stored).wide_float();
        self.builder.convert(wide, stored)
    }

    pub(super) fn reverse_store(&mut self, op: Op, array: u32, component: Option<u32>, env: &Map, cts: &mut Map) {
        let primal = self.primal;
        let Some(adjoint) = self.adjoints[array as usize] else { return };
        let data = &primal.ops[op];
        let rank = primal.params[array as usize].array().map_or(0, |(_, rank, _)| rank as usize);
        let indices: Vec<Value> = data.operands[..rank].iter().map(|&v| at(env, v)).collect();
        for (k, &value) in data.operands[rank..].iter().enumerate() {
            let scalar = primal.scalar(value);
            if scalar.is_float() {
                let component = component.unwrap_or(0) + k as u32;
                let ct = self.cotangent(adjoint, &indices, component);
                let zero = self.builder.constant(Constant::zero(scalar));
                self.builder.store_component(adjoint, &indices, component, zero);
                self.contribute(cts, value, ct);
            }
        }
    }

    pub(super) fn reverse_atomic(
        &mut self,
        op: Op,
        how: AtomicOp,
        array: u32,
        component: u32,
        env: &Map,
        cts: &mut Map,
    ) {
        let primal = self.primal;
        let Some(adjoint) = self.adjoints[array as usize] else { return };
        let data = &primal.ops[op];
        let rank = primal.params[array as usize].array().map_or(0, |(_, rank, _)| rank as usize);
        let (indices, values) = data.operands.split_at(rank);
        let Some(&value) = values.last() else { return };
        if !primal.scalar(value).is_float() {
            return;
        }
        let indices: Vec<Value> = indices.iter().map(|&v| at(env, v)).collect();
        let wins = match how {
            AtomicOp::Add => {
                let ct = self.cotangent(adjoint, &indices, component);
                self.contribute(cts, value, ct);
                return;
            }
            AtomicOp::Exchange => {
                let ct = self.cotangent(adjoint, &indices, component);
                let zero = self.builder.constant(Constant::zero(primal.scalar(value)));
                self.builder.store_component(adjoint, &indices, component, zero);
                self.contribute(cts, value, ct);
                return;
            }
            AtomicOp::CompareExchange => {
                let Some(&found) = self.replay.found.get(&op) else { return };
                let happened = self.builder.compare(Compare::Eq, at(env, found), at(env, values[0]));
                let ct = self.cotangent(adjoint, &indices, component);
                let zero = self.zero_like(ct);
                let rest = self.builder.select(happened, zero, ct);
                let rest = self.builder.convert(primal.scalar(value), rest);
                self.builder.store_component(adjoint, &indices, component, rest);
                let share = self.builder.select(happened, ct, zero);
                self.contribute(cts, value, share);
                return;
            }
            AtomicOp::Min => Compare::Lt,
            AtomicOp::Max => Compare::Gt,
            // Of integers only.
            AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => return,
        };
        let Some(&found) = self.replay.found.get(&op) else { return };
        let (new, old) = (at(env, value), at(env, found));
        let ct = self.cotangent(adjoint, &indices, component);
        let zero = self.zero_like(ct);
        let half = self.builder.float_constant(primal.scalar(value), 0.5);
        let shared = self.builder.float(FloatOp::Mul, &[ct, half]);
        // What was there stays if it wins, or if the new value is a NaN.
        let kept = self.builder.compare(wins, old, new);
        let nan = self.builder.compare(Compare::Ne, new, new);
        let kept = self.builder.bool(BoolOp::Or, &[kept, nan]);
        let tied = self.builder.compare(Compare::Eq, new, old);
        let unless_kept = self.builder.select(tied, shared, ct);
        let share = self.builder.select(kept, zero, unless_kept);
        let rest_unless_kept = self.builder.select(tied, shared, zero);
        let rest = self.builder.select(kept, ct, rest_unless_kept);
        self.builder.store_component(adjoint, &indices, component, rest);
        self.contribute(cts, value, share);
    }
}
