//! Tangent kernels: forward-mode differentiation of a kernel.
//!
//! A tangent kernel does what the primal does, and beside each float that depends on an active array it
//! computes the derivative of it along one direction, or along several at once: the tangents. Ops are
//! taken in the order of the primal, so that arrays and their tangents change together. The partial
//! derivatives are those that the adjoint uses.
//!
//! Three maps go along: [`Rebuild`]'s from values of the primal to the same in the new kernel, `tangents`
//! to their derivatives (a value that is not there has none: it is constant), and `near` to the values at
//! which derivatives are taken, where a computation with a derivative of its own says that these are others.
//!
//! The result is an ordinary kernel, so it can be differentiated again: the reverse of a tangent kernel
//! gives second derivatives.

mod control;
mod custom;
mod memory;

use crate::records::Replay;
use crate::refuse::{self, Refusal};
use crate::{Request, activity};
use pullback_ir::ops::emit_partials;
use pullback_ir::pass::Rebuild;
use pullback_ir::{BoolOp, Compare, Constant, FloatOp, Kernel, Op, OpKind, Scalar};
use pullback_ir::{SecondaryMap, Value, Verified, access, pass, verify};
use std::collections::{HashMap, HashSet};

/// What is asked of [`forward`].
#[derive(Clone, Debug)]
pub struct TangentRequest {
    /// For each parameter whether its array has tangents; `None` means all arrays that hold floats. The
    /// contents of an array that is left out count as constant, and the kernel must not write it.
    pub active: Option<Vec<bool>>,
    /// How many directions the derivative is taken along at once, 1 at least.
    pub columns: u32,
}

impl Default for TangentRequest {
    fn default() -> Self {
        TangentRequest { active: None, columns: 1 }
    }
}

/// A tangent kernel.
///
/// Its parameters are first those of the primal, used as the primal does, and then for each active array
/// `x` an array `tan_x` of the same element and access with the tangents, which are changed along with it; its
/// integers mean nothing. With several columns there is one for each, side by side: `tan0_x`, `tan1_x`, …
#[derive(Clone, Debug)]
pub struct Tangent {
    /// The kernel.
    pub kernel: Kernel,
    /// For each parameter of the tangent kernel, the primal parameter whose tangents it is.
    pub tangent_of: Vec<Option<usize>>,
}

/// Makes the tangent kernel of a kernel.
///
/// # Errors
/// A [`Refusal`] where the kernel is an adjoint, or writes an array that the request calls constant.
pub fn forward(kernel: &Verified<'_>, request: &TangentRequest) -> Result<Tangent, Refusal> {
    let primal = pass::optimize(kernel);
    let columns = request.columns.max(1);
    let request = Request { active: request.active.clone(), ..Request::default() };
    refuse::check(&primal, &request)?;
    let active = crate::active_params(&primal, &request);
    let replay = Replay { kernel: primal, sources: HashMap::new(), found: HashMap::new() };
    let varied = activity::varied(&replay, &active);
    let primal = &replay.kernel;
    let shifted = activity::shifted(primal);

    let mut re = Rebuild::new(primal);
    let mut names: HashSet<String> = primal.params.iter().map(|p| p.name.clone()).collect();
    let mut arrays = vec![None; primal.params.len()];
    let mut tangent_of = vec![None; primal.params.len()];
    for (i, param) in primal.params.iter().enumerate() {
        if let (Some((element, rank, access)), true) = (param.array(), active[i]) {
            // The user may have taken the name: another `_` until it is free.
            for c in 0..columns {
                let column = if columns == 1 { String::new() } else { c.to_string() };
                let mut name = format!("tan{column}_{}", param.name);
                while !names.insert(name.clone()) {
                    name.push('_');
                }
                let array = re.builder.array_param(name, element.clone(), rank, access);
                arrays[i].get_or_insert(array);
                tangent_of.push(Some(i));
            }
        }
    }
    let (tangents, near) = (HashMap::new(), HashMap::new());
    let mut pass = Forward { re, varied, shifted, tangents, near, arrays, columns };
    pass.ops(primal.body);
    let kernel = pass.re.finish();
    let mut kernel = pass::dce(&pass::simplify(&pass::forward(&pass::simplify(&pass::dce(&kernel)))));
    kernel.name = format!("{}_tangent", primal.name);
    kernel.order = access::order(&kernel);
    debug_assert!(verify(&kernel).is_ok(), "{:?}\n{kernel}", verify(&kernel).err());
    Ok(Tangent { kernel, tangent_of })
}

struct Forward<'k> {
    re: Rebuild<'k>,
    /// The values that have tangents, unless these are found to be 0.
    varied: SecondaryMap<Value, bool>,
    /// The values that are others where derivatives are taken.
    shifted: SecondaryMap<Value, bool>,
    /// For each value its tangents, one for each column.
    tangents: HashMap<Value, Vec<Value>>,
    /// Shifted values as derivatives see them.
    near: HashMap<Value, Value>,
    /// For each parameter of the primal, the parameter with its tangents, of the first column.
    arrays: Vec<Option<u32>>,
    columns: u32,
}

impl<'k> Forward<'k> {
    fn ops(&mut self, region: pullback_ir::RegionId) {
        let old: &'k Kernel = self.re.old;
        for &op in &old.regions[region].ops {
            self.re.builder.set_loc(old.ops[op].loc);
            self.op(op);
        }
    }

    fn op(&mut self, op: Op) {
        let old: &'k Kernel = self.re.old;
        let data = &old.ops[op];
        match data.kind {
            OpKind::Float(float) => {
                self.copy_pure(op);
                self.float(float, &data.operands, data.results[0]);
            }
            OpKind::Convert(to) => {
                self.copy_pure(op);
                if let (Some(tangents), true) = (self.tangents.get(&data.operands[0]).cloned(), to.is_float()) {
                    let converted = tangents.iter().map(|&t| self.re.builder.convert(to.wide_float(), t)).collect();
                    self.tangents.insert(data.results[0], converted);
                }
            }
            OpKind::Select => {
                self.copy_pure(op);
                if self.has(data.operands[1]) || self.has(data.operands[2]) {
                    let cond = self.seen(data.operands[0]);
                    let (yes, no) = (self.tangent(data.operands[1]), self.tangent(data.operands[2]));
                    let picked = yes.iter().zip(no).map(|(&y, n)| self.re.builder.select(cond, y, n)).collect();
                    self.tangents.insert(data.results[0], picked);
                }
            }
            OpKind::Load { array, component } => self.load(op, array, component),
            OpKind::Store { array, component } => self.store(op, array, component),
            OpKind::Atomic { op: how, array, component } => self.atomic(op, how, array, component),
            OpKind::If => self.branch(op),
            OpKind::For | OpKind::While => self.repeat(op),
            OpKind::Custom => self.custom(op),
            OpKind::Yield => {}
            OpKind::Const(_)
            | OpKind::Int(_)
            | OpKind::Bool(_)
            | OpKind::Compare(_)
            | OpKind::ThreadId(_)
            | OpKind::LaunchSize(_)
            | OpKind::Len { .. } => self.copy_pure(op),
            OpKind::Check(_)
            | OpKind::Print(_)
            // Refused before.
            | OpKind::ResidualBase
            | OpKind::Residual
            | OpKind::Push { .. }
            | OpKind::Pop { .. }
            | OpKind::Drop { .. }
            | OpKind::Record => self.re.copy_leaf(op),
        }
    }

    /// Copies an op without effects; where derivatives see other operands, also as they see it.
    fn copy_pure(&mut self, op: Op) {
        let old: &'k Kernel = self.re.old;
        let data = &old.ops[op];
        self.re.copy_leaf(op);
        if data.operands.iter().any(|v| self.near.contains_key(v)) {
            let operands = data.operands.iter().map(|&v| self.seen(v)).collect();
            let types = self.re.scalars(&data.results);
            let new = self.re.builder.push(data.kind.clone(), operands, &types, vec![]);
            let results = self.re.builder.kernel().ops[new].results.clone();
            self.near.extend(data.results.iter().copied().zip(results));
        }
    }

    /// A value as derivatives see it.
    fn seen(&self, value: Value) -> Value {
        self.near.get(&value).copied().unwrap_or_else(|| self.re.get(value))
    }

    fn has(&self, value: Value) -> bool {
        self.tangents.contains_key(&value)
    }

    /// The tangents of a value, zeros if it has none.
    fn tangent(&mut self, value: Value) -> Vec<Value> {
        if let Some(tangents) = self.tangents.get(&value) {
            return tangents.clone();
        }
        let zero = Constant::zero(self.re.old.scalar(value).wide_float());
        let zero = self.re.builder.constant(zero);
        vec![zero; self.columns as usize]
    }

    fn float(&mut self, float: FloatOp, operands: &[Value], result: Value) {
        if !operands.iter().any(|&v| self.has(v)) {
            return;
        }
        let seen: Vec<Value> = operands.iter().map(|&v| self.seen(v)).collect();
        let out = self.seen(result);
        let partials = emit_partials(&mut self.re.builder, float, &seen, out);
        self.contract(operands, &partials, result);
    }

    /// Sets the tangents of a result: Σ partial · tangent of the operand.
    fn contract(&mut self, operands: &[Value], partials: &[Value], result: Value) {
        let mut sums: Option<Vec<Value>> = None;
        for (operand, &partial) in operands.iter().zip(partials) {
            let Some(tangents) = self.tangents.get(operand).cloned() else { continue };
            let products: Option<Vec<Value>> = tangents.iter().map(|&t| self.strong_product(t, partial)).collect();
            let Some(products) = products else { continue };
            sums = Some(match sums {
                None => products,
                Some(so_far) => {
                    let add = |(s, p)| self.re.builder.float(FloatOp::Add, &[s, p]);
                    so_far.into_iter().zip(products).map(add).collect()
                }
            });
        }
        if let Some(sums) = sums {
            self.tangents.insert(result, sums);
        }
    }

    /// tangent · partial, where a tangent of 0 gives 0 even if the partial is no number; `None` if the
    /// partial is 0 everywhere. The derivative of it with respect to the tangent is the partial also where the
    /// tangent is 0, so that second derivatives are right there.
    fn strong_product(&mut self, tangent: Value, partial: Value) -> Option<Value> {
        let builder = &mut self.re.builder;
        match builder.kernel().constant(partial).and_then(Constant::as_f64) {
            Some(0.0) => None,
            Some(1.0) => Some(tangent),
            Some(-1.0) => Some(builder.float(FloatOp::Neg, &[tangent])),
            Some(_) => Some(builder.float(FloatOp::Mul, &[tangent, partial])),
            None => {
                let scalar = builder.scalar(tangent);
                let zero = builder.constant(Constant::zero(scalar));
                let most = builder.float_constant(scalar, largest(scalar));
                let size = builder.float(FloatOp::Abs, &[partial]);
                let finite = builder.compare(Compare::Le, size, most);
                let alive = builder.compare(Compare::Ne, tangent, zero);
                let counts = builder.bool(BoolOp::Or, &[finite, alive]);
                let partial = builder.select(counts, partial, zero);
                Some(builder.float(FloatOp::Mul, &[tangent, partial]))
            }
        }
    }
}

/// The largest finite number of a type that is computed with.
fn largest(scalar: Scalar) -> f64 {
    if scalar == Scalar::F64 { f64::MAX } else { f64::from(f32::MAX) }
}
