//! Folds constants, drops identities, unrolls small constant loops and shares equal computations.
//!
//! A pure op is shared with an equal one that is in scope: one earlier in its region or in a region
//! around it. Carried values that a loop hands on unchanged become what they were before the loop.

use super::fold::fold;
use super::rebuild::Rebuild;
use crate::entity::{Op, RegionId, Value};
use crate::kernel::{Kernel, OpKind};
use crate::ops::{BoolOp, Compare, FloatOp, IntOp};
use crate::types::{Constant, Scalar};
use std::collections::HashMap;

/// A constant loop of at most this many trips is unrolled…
const UNROLL_TRIPS: i64 = 16;
/// …if that makes no more than this many ops.
const UNROLL_OPS: i64 = 512;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    kind: KindKey,
    operands: Vec<Value>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum KindKey {
    Const(Constant),
    Float(FloatOp),
    Int(IntOp),
    Bool(BoolOp),
    Compare(Compare),
    Convert(Scalar),
    Select,
    ThreadId(u8),
    LaunchSize(u8),
    Len(u32, u8),
    ResidualBase,
}

fn key_of(kind: &OpKind) -> Option<KindKey> {
    Some(match *kind {
        OpKind::Const(c) => KindKey::Const(c),
        OpKind::Float(op) => KindKey::Float(op),
        OpKind::Int(op) => KindKey::Int(op),
        OpKind::Bool(op) => KindKey::Bool(op),
        OpKind::Compare(op) => KindKey::Compare(op),
        OpKind::Convert(to) => KindKey::Convert(to),
        OpKind::Select => KindKey::Select,
        OpKind::ThreadId(axis) => KindKey::ThreadId(axis),
        OpKind::LaunchSize(axis) => KindKey::LaunchSize(axis),
        OpKind::Len { array, axis } => KindKey::Len(array, axis),
        OpKind::ResidualBase => KindKey::ResidualBase,
        _ => return None,
    })
}

/// How many ops a region becomes when the constant loops inside it are unrolled.
fn unrolled_size(kernel: &Kernel, region: RegionId) -> i64 {
    let mut size: i64 = 0;
    for &op in &kernel.regions[region].ops {
        let data = &kernel.ops[op];
        let inside = data.regions.iter().map(|&r| unrolled_size(kernel, r)).fold(0, i64::saturating_add);
        let bound = |k: usize| kernel.constant(data.operands[k]).and_then(Constant::as_i64);
        let trips = match data.kind {
            OpKind::For => match (bound(0), bound(1), bound(2)) {
                (Some(low), Some(high), Some(step)) if step > 0 => (high.saturating_sub(low) / step + 1).max(1),
                _ => 1,
            },
            _ => 1,
        };
        size = size.saturating_add(1).saturating_add(trips.saturating_mul(inside));
    }
    size
}

struct Simplify<'k> {
    re: Rebuild<'k>,
    /// One table for each open region.
    scopes: Vec<HashMap<Key, Value>>,
}

/// Simplifies a kernel.
pub fn simplify(kernel: &Kernel) -> Kernel {
    let mut pass = Simplify { re: Rebuild::new(kernel), scopes: vec![HashMap::new()] };
    pass.ops(kernel.body);
    pass.re.finish()
}

impl Simplify<'_> {
    fn ops(&mut self, region: RegionId) {
        let old = self.re.old;
        for &op in &old.regions[region].ops {
            self.op(op);
        }
    }

    fn op(&mut self, op: Op) {
        let old = self.re.old;
        let data = &old.ops[op];
        self.re.builder.set_loc(data.loc);
        match data.kind {
            OpKind::Yield => {}
            OpKind::If => self.if_op(op),
            OpKind::For => self.for_op(op),
            OpKind::While => self.while_op(op),
            OpKind::Custom => self.custom(op),
            // A check that surely holds is none.
            OpKind::Check(_) if self.constant(self.re.get(data.operands[0])) == Some(Constant::Bool(true)) => {}
            _ if key_of(&data.kind).is_some() => {
                let operands = self.re.get_all(&data.operands);
                let new = self.pure(&data.kind, operands, old.scalar(data.results[0]));
                self.re.set(data.results[0], new);
            }
            _ => self.re.copy_leaf(op),
        }
    }

    fn constant(&self, value: Value) -> Option<Constant> {
        self.re.builder.kernel().constant(value)
    }

    /// A pure op: folded, replaced by an operand, shared, or made.
    fn pure(&mut self, kind: &OpKind, operands: Vec<Value>, result: Scalar) -> Value {
        let constants: Option<Vec<Constant>> = operands.iter().map(|&v| self.constant(v)).collect();
        if let Some(c) = constants.filter(|c| !c.is_empty()).and_then(|c| fold(kind, &c)) {
            return self.pure(&OpKind::Const(c), vec![], c.scalar());
        }
        if let Some(value) = self.identity(kind, &operands) {
            return value;
        }
        let Some(kind_key) = key_of(kind) else {
            let op = self.re.builder.push(kind.clone(), operands, &[result], vec![]);
            return self.re.builder.kernel().ops[op].results[0];
        };
        let key = Key { kind: kind_key, operands };
        if let Some(&known) = self.scopes.iter().rev().find_map(|s| s.get(&key)) {
            return known;
        }
        let op = self.re.builder.push(kind.clone(), key.operands.clone(), &[result], vec![]);
        let value = self.re.builder.kernel().ops[op].results[0];
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(key, value);
        }
        value
    }

    /// The operand that the op is equal to, bit for bit, if it is.
    fn identity(&self, kind: &OpKind, x: &[Value]) -> Option<Value> {
        let int = |i: usize| x.get(i).and_then(|&v| self.constant(v)).and_then(Constant::as_i64);
        let float = |i: usize| x.get(i).and_then(|&v| self.constant(v)).and_then(Constant::as_f64);
        let bool = |i: usize| match self.constant(x[i]) {
            Some(Constant::Bool(b)) => Some(b),
            _ => None,
        };
        match kind {
            OpKind::Float(FloatOp::Mul) if float(1) == Some(1.0) => Some(x[0]),
            OpKind::Float(FloatOp::Mul) if float(0) == Some(1.0) => Some(x[1]),
            OpKind::Float(FloatOp::Div) if float(1) == Some(1.0) => Some(x[0]),
            // a - (+0) is a for every a, -0 included; a + 0 is not.
            OpKind::Float(FloatOp::Sub) if float(1).is_some_and(|z| z == 0.0 && z.is_sign_positive()) => Some(x[0]),
            OpKind::Float(FloatOp::Add) if float(1).is_some_and(|z| z == 0.0 && z.is_sign_negative()) => Some(x[0]),
            OpKind::Float(FloatOp::Add) if float(0).is_some_and(|z| z == 0.0 && z.is_sign_negative()) => Some(x[1]),
            OpKind::Int(IntOp::Add | IntOp::Sub | IntOp::Or | IntOp::Xor | IntOp::Shl | IntOp::Shr)
                if int(1) == Some(0) =>
            {
                Some(x[0])
            }
            OpKind::Int(IntOp::Add) if int(0) == Some(0) => Some(x[1]),
            OpKind::Int(IntOp::Mul | IntOp::Div) if int(1) == Some(1) => Some(x[0]),
            OpKind::Int(IntOp::Mul) if int(0) == Some(1) => Some(x[1]),
            OpKind::Int(IntOp::Mul) if int(0) == Some(0) => Some(x[0]),
            OpKind::Int(IntOp::Mul) if int(1) == Some(0) => Some(x[1]),
            OpKind::Bool(BoolOp::And) if bool(0) == Some(true) || bool(1) == Some(false) => Some(x[1]),
            OpKind::Bool(BoolOp::And) if bool(1) == Some(true) || bool(0) == Some(false) => Some(x[0]),
            OpKind::Bool(BoolOp::Or) if bool(0) == Some(false) || bool(1) == Some(true) => Some(x[1]),
            OpKind::Bool(BoolOp::Or) if bool(1) == Some(false) || bool(0) == Some(true) => Some(x[0]),
            OpKind::Select if bool(0) == Some(true) || x[1] == x[2] => Some(x[1]),
            OpKind::Select if bool(0) == Some(false) => Some(x[2]),
            OpKind::Convert(to) if self.re.builder.scalar(x[0]) == *to => Some(x[0]),
            _ => None,
        }
    }

    fn scoped(&mut self, region: RegionId) {
        self.scopes.push(HashMap::new());
        self.ops(region);
        self.scopes.pop();
    }

    fn if_op(&mut self, op: Op) {
        let old = self.re.old;
        let data = &old.ops[op];
        let cond = self.re.get(data.operands[0]);
        if let Some(Constant::Bool(c)) = self.constant(cond) {
            let arm = data.regions[if c { 0 } else { 1 }];
            self.ops(arm);
            let yields = self.re.get_all(old.yields(arm));
            self.re.set_all(&data.results, &yields);
            return;
        }
        let mut arms = Vec::new();
        for &region in &data.regions {
            self.re.builder.open(&[]);
            self.scoped(region);
            let yields = self.re.get_all(old.yields(region));
            arms.push(self.re.builder.close(&yields));
        }
        self.re.builder.set_loc(data.loc);
        let results = self.re.builder.if_op(cond, arms[0], arms[1]);
        // A result that both arms take from outside, or that is one constant, needs no `if`.
        for (k, (&was, &is)) in data.results.iter().zip(&results).enumerate() {
            let kernel = self.re.builder.kernel();
            let (a, b) = (kernel.yields(arms[0])[k], kernel.yields(arms[1])[k]);
            let constants = (kernel.constant(a), kernel.constant(b));
            let new = match constants {
                _ if a == b => a,
                (Some(x), Some(y)) if x == y => self.pure(&OpKind::Const(x), vec![], x.scalar()),
                _ => is,
            };
            self.re.set(was, new);
        }
    }

    /// Its regions see nothing of what is around them.
    fn custom(&mut self, op: Op) {
        let old = self.re.old;
        let data = &old.ops[op];
        let operands = self.re.get_all(&data.operands);
        let outside = std::mem::take(&mut self.scopes);
        let mut regions = Vec::new();
        for &region in &data.regions {
            let args = &old.regions[region].args;
            let types = self.re.scalars(args);
            let new = self.re.builder.open(&types);
            self.re.set_all(args, &new);
            self.scoped(region);
            let yields = self.re.get_all(old.yields(region));
            regions.push(self.re.builder.close(&yields));
        }
        self.scopes = outside;
        self.re.builder.set_loc(data.loc);
        let types = self.re.scalars(&data.results);
        let new = self.re.builder.push(OpKind::Custom, operands, &types, regions);
        let results = self.re.builder.kernel().ops[new].results.clone();
        self.re.set_all(&data.results, &results);
    }

    /// Trip count and counters of a constant loop that is small enough to be unrolled.
    fn unrollable(&self, op: Op) -> Option<Vec<Constant>> {
        let old = self.re.old;
        let data = &old.ops[op];
        let at = |i: usize| self.constant(self.re.get(data.operands[i]));
        let (low, high, step) = (at(0)?, at(1)?, at(2)?);
        let scalar = low.scalar();
        let (low, high, step) = (low.as_i64()?, high.as_i64()?, step.as_i64()?);
        // Each site of the stack has one pop, which must stay so.
        let mut stack = false;
        old.walk(data.regions[0], &mut |_, inside| {
            stack |= matches!(inside.kind, OpKind::Push { .. } | OpKind::Pop { .. } | OpKind::Drop { .. });
        });
        if stack {
            return None;
        }
        if step <= 0 || low >= high {
            return (step > 0).then(Vec::new);
        }
        let trips = (high.checked_sub(low)? - 1) / step + 1;
        if trips > UNROLL_TRIPS {
            return None;
        }
        let ops = trips.saturating_mul(unrolled_size(old, data.regions[0]));
        (ops <= UNROLL_OPS).then(|| (0..trips).map(|k| Constant::from_i64(scalar, low + k * step)).collect())
    }

    fn for_op(&mut self, op: Op) {
        let old = self.re.old;
        let data = &old.ops[op];
        let region = data.regions[0];
        let args = &old.regions[region].args;
        if let Some(counters) = self.unrollable(op) {
            let mut carried = self.re.get_all(&data.operands[3..]);
            for counter in counters {
                let iv = self.pure(&OpKind::Const(counter), vec![], counter.scalar());
                self.re.set(args[0], iv);
                self.re.set_all(&args[1..], &carried);
                self.ops(region);
                carried = self.re.get_all(old.yields(region));
            }
            self.re.set_all(&data.results, &carried);
            return;
        }
        let kept = self.carried(&data.results, &args[1..], old.yields(region), &data.operands[3..]);
        let bounds = self.re.get_all(&data.operands[..3]);
        let inits: Vec<Value> = kept.iter().map(|&k| self.re.get(data.operands[3 + k])).collect();
        let types: Vec<Scalar> =
            std::iter::once(args[0]).chain(kept.iter().map(|&k| args[k + 1])).map(|v| old.scalar(v)).collect();
        let new_args = self.re.builder.open(&types);
        self.re.set(args[0], new_args[0]);
        for (&k, &new) in kept.iter().zip(&new_args[1..]) {
            self.re.set(args[k + 1], new);
        }
        self.scoped(region);
        let yields: Vec<Value> = kept.iter().map(|&k| self.re.get(old.yields(region)[k])).collect();
        let body = self.re.builder.close(&yields);
        self.re.builder.set_loc(data.loc);
        let results = self.re.builder.for_op(bounds[0], bounds[1], bounds[2], &inits, body);
        for (&k, &new) in kept.iter().zip(&results) {
            self.re.set(data.results[k], new);
        }
    }

    /// Which carried values change; the others are mapped to what they were before the loop.
    fn carried(&mut self, results: &[Value], args: &[Value], yields: &[Value], inits: &[Value]) -> Vec<usize> {
        let mut kept = Vec::new();
        for k in 0..results.len() {
            if yields[k] == args[k] {
                let init = self.re.get(inits[k]);
                self.re.set(args[k], init);
                self.re.set(results[k], init);
            } else {
                kept.push(k);
            }
        }
        kept
    }

    fn while_op(&mut self, op: Op) {
        let old = self.re.old;
        let data = &old.ops[op];
        let (cond, body) = (data.regions[0], data.regions[1]);
        let (cond_args, body_args) = (&old.regions[cond].args, &old.regions[body].args);
        let kept = self.carried(&data.results, body_args, old.yields(body), &data.operands);
        for (k, (&arg, &init)) in cond_args.iter().zip(&data.operands).enumerate() {
            if !kept.contains(&k) {
                let init = self.re.get(init);
                self.re.set(arg, init);
            }
        }
        let inits: Vec<Value> = kept.iter().map(|&k| self.re.get(data.operands[k])).collect();
        let types: Vec<Scalar> = kept.iter().map(|&k| old.scalar(body_args[k])).collect();
        let mut regions = Vec::new();
        for (region, args) in [(cond, cond_args), (body, body_args)] {
            let new_args = self.re.builder.open(&types);
            for (&k, &new) in kept.iter().zip(&new_args) {
                self.re.set(args[k], new);
            }
            self.scoped(region);
            let all = self.re.get_all(old.yields(region));
            let yields = if region == cond { all } else { kept.iter().map(|&k| all[k]).collect() };
            regions.push(self.re.builder.close(&yields));
        }
        self.re.builder.set_loc(data.loc);
        let results = self.re.builder.while_op(&inits, regions[0], regions[1]);
        for (&k, &new) in kept.iter().zip(&results) {
            self.re.set(data.results[k], new);
        }
    }
}
