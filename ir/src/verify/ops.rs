//! The checks of each kind of op.

use super::{Checker, VerifyError};
use crate::entity::{RegionId, SecondaryMap, Value};
use crate::kernel::{Check, OpData, OpKind};
use crate::ops::AtomicOp;
use crate::types::{Access, Scalar};

impl OpKind {
    /// The op's word in the text form.
    pub fn name(&self) -> &'static str {
        match self {
            OpKind::Const(_) => "const",
            OpKind::Float(op) => op.name(),
            OpKind::Int(op) => op.name(),
            OpKind::Bool(op) => op.name(),
            OpKind::Compare(op) => op.name(),
            OpKind::Convert(_) => "convert",
            OpKind::Select => "select",
            OpKind::ThreadId(_) => "thread_id",
            OpKind::LaunchSize(_) => "launch_size",
            OpKind::Len { .. } => "len",
            OpKind::Load { .. } => "load",
            OpKind::Store { .. } => "store",
            OpKind::Atomic { op, .. } => op.name(),
            OpKind::If => "if",
            OpKind::For => "for",
            OpKind::While => "while",
            OpKind::Custom => "custom",
            OpKind::Check(_) => "check",
            OpKind::Print(_) => "print",
            OpKind::Yield => "yield",
            OpKind::Push { .. } => "push",
            OpKind::Pop { .. } => "pop",
            OpKind::Drop { .. } => "drop",
            OpKind::Record => "record",
            OpKind::ResidualBase => "residual_base",
            OpKind::Residual => "residual",
        }
    }
}

impl Checker<'_> {
    pub(super) fn op(&mut self, data: &OpData) {
        let kernel = self.kernel;
        for &v in &data.operands {
            if kernel.values.get(v).is_none() || !self.defined[v] {
                self.fail(VerifyError::Undefined { value: v });
                return;
            }
        }
        let name = data.kind.name();
        let x = self.types(&data.operands);
        let r = self.types(&data.results);
        let regions = match data.kind {
            OpKind::If | OpKind::While => 2,
            OpKind::For => 1,
            OpKind::Custom => data.regions.len().clamp(2, 3),
            _ => 0,
        };
        if data.regions.len() != regions {
            return self.fail(VerifyError::Regions { op: name, found: data.regions.len(), expected: regions });
        }
        match data.kind {
            OpKind::Const(c) => self.signature(name, &x, &[], &r, &[c.scalar()]),
            OpKind::Float(f) => {
                let t = x.first().copied().filter(|t| t.is_float() && *t != Scalar::F16).unwrap_or(Scalar::F64);
                self.signature(name, &x, &vec![t; f.arity()], &r, &[t]);
            }
            OpKind::Int(f) => {
                let t = x.first().copied().filter(|t| t.is_int()).unwrap_or(Scalar::I64);
                self.signature(name, &x, &vec![t; f.arity()], &r, &[t]);
            }
            OpKind::Bool(f) => self.signature(name, &x, &vec![Scalar::Bool; f.arity()], &r, &[Scalar::Bool]),
            OpKind::Compare(_) => {
                let t = x.first().copied().unwrap_or(Scalar::F64);
                self.signature(name, &x, &[t, t], &r, &[Scalar::Bool]);
            }
            OpKind::Convert(to) => {
                let t = x.first().copied().unwrap_or(Scalar::F64);
                self.signature(name, &x, &[t], &r, &[to]);
            }
            OpKind::Select => {
                let t = x.get(1).copied().unwrap_or(Scalar::F64);
                self.signature(name, &x, &[Scalar::Bool, t, t], &r, &[t]);
            }
            OpKind::ThreadId(axis) | OpKind::LaunchSize(axis) => {
                if axis >= kernel.rank {
                    self.fail(VerifyError::Axis { op: name, axis, rank: kernel.rank });
                }
                self.signature(name, &x, &[], &r, &[Scalar::I64]);
            }
            OpKind::Len { array, axis } => {
                if let Some((_, rank, _)) = self.array(name, array)
                    && axis >= rank
                {
                    self.fail(VerifyError::Axis { op: name, axis, rank });
                }
                self.signature(name, &x, &[], &r, &[Scalar::I64]);
            }
            OpKind::Load { array, component } => {
                let Some((components, rank, access)) = self.array_components(name, array, component) else { return };
                self.allowed(name, array, access.reads(), access);
                self.signature(name, &x, &vec![Scalar::I64; rank], &r, &components);
            }
            OpKind::Store { array, component } => {
                let Some((components, rank, access)) = self.array_components(name, array, component) else { return };
                self.allowed(name, array, access.writes(), access);
                self.signature(name, &x, &[&vec![Scalar::I64; rank], &components[..]].concat(), &r, &[]);
            }
            OpKind::Atomic { op, array, component } => {
                let Some((mut components, rank, access)) = self.array_components(name, array, Some(component)) else {
                    return;
                };
                self.allowed(name, array, access == Access::ReadWrite, access);
                if components == [Scalar::Bool] {
                    components = vec![Scalar::I32];
                }
                let computes = !matches!(op, AtomicOp::Exchange | AtomicOp::CompareExchange);
                if (op.is_bitwise() && components[0].is_float()) || (computes && components[0] == Scalar::F16) {
                    components = vec![Scalar::I32];
                }
                let operands = vec![components[0]; op.arity() - 1];
                self.signature(name, &x, &[&vec![Scalar::I64; rank], &operands[..]].concat(), &r, &components);
            }
            OpKind::If => {
                self.signature(name, &x, &[Scalar::Bool], &[], &[]);
                for &region in &data.regions {
                    self.held(name, region, &[], &r);
                }
            }
            OpKind::For => {
                let t = x.first().copied().filter(|t| t.is_int()).unwrap_or(Scalar::I64);
                let carried = x.get(3..).unwrap_or(&[]).to_vec();
                self.signature(name, &x, &[&[t, t, t], &carried[..]].concat(), &r, &carried);
                self.held(name, data.regions[0], &[&[t], &carried[..]].concat(), &carried);
            }
            OpKind::While => {
                self.signature(name, &x, &x.clone(), &r, &x.clone());
                self.held(name, data.regions[0], &x, &[Scalar::Bool]);
                self.held(name, data.regions[1], &x, &x.clone());
            }
            OpKind::Custom => self.custom(data, &x, &r),
            OpKind::Check(ref check) => {
                let index = [Scalar::Bool, Scalar::I64];
                let operands = match check {
                    Check::Assert(_) => &index[..1],
                    Check::Component { .. } => &index,
                };
                self.signature(name, &x, operands, &r, &[]);
            }
            OpKind::Print(ref text) => {
                let marks = crate::show::print_marks(text);
                if marks != Some(x.len()) {
                    let expected = format!("one for each mark of {text:?}");
                    self.fail(VerifyError::Types { op: name, part: "operands", found: x.clone(), expected });
                }
                self.signature(name, &[], &[], &r, &[]);
            }
            OpKind::Yield => self.signature(name, &[], &[], &r, &[]),
            OpKind::Push { site } => {
                self.signature(name, &[], &[], &r, &[]);
                if self.pushes.insert(site, x.clone()).is_some_and(|other| other != x) {
                    self.fail(VerifyError::StackSite { site });
                }
            }
            OpKind::Pop { site } => {
                self.signature(name, &x, &[], &[], &[]);
                if self.pops.insert(site, r).is_some() {
                    self.fail(VerifyError::StackSite { site });
                }
            }
            OpKind::Drop { site, width } => {
                self.signature(name, &x, &[Scalar::I64], &r, &[]);
                self.drops.push((site, width as usize));
            }
            OpKind::Record => self.signature(name, &[], &[], &r, &[]),
            OpKind::ResidualBase => self.signature(name, &x, &[], &r, &[Scalar::I64]),
            OpKind::Residual => self.signature(name, &x, &[Scalar::I64], &[], &[]),
        }
    }

    /// Regions that see their arguments only and touch no memory.
    fn custom(&mut self, data: &OpData, inputs: &[Scalar], outputs: &[Scalar]) {
        let floats = |all: &[Scalar]| all.iter().copied().filter(|s| s.is_float()).collect::<Vec<_>>();
        if inputs.iter().chain(outputs).any(|&s| s == Scalar::F16) {
            let expected = "no f16, which nothing computes with".to_owned();
            self.fail(VerifyError::Types { op: "custom", part: "operands", found: inputs.to_vec(), expected });
        }
        let outside = std::mem::replace(&mut self.defined, SecondaryMap::new(false));
        let (last, values) = data.regions.split_last().map_or((None, &[][..]), |(l, v)| (Some(*l), v));
        for &region in values {
            self.held("custom", region, inputs, outputs);
        }
        if let Some(adjoint) = last {
            self.held("custom", adjoint, &[inputs, outputs, &floats(outputs)].concat(), &floats(inputs));
        }
        self.defined = outside;
        for &region in &data.regions {
            if self.kernel.regions.get(region).is_none() {
                continue;
            }
            let mut memory = false;
            self.kernel.walk(region, &mut |_, inner| {
                memory |= !(inner.kind.is_pure()
                    || matches!(
                        inner.kind,
                        OpKind::If | OpKind::For | OpKind::While | OpKind::Custom | OpKind::Yield | OpKind::Check(_)
                    ))
                    || matches!(inner.kind, OpKind::Residual | OpKind::ResidualBase);
            });
            if memory {
                self.fail(VerifyError::CustomMemory { region });
            }
        }
    }

    fn signature(&mut self, op: &'static str, x: &[Scalar], operands: &[Scalar], r: &[Scalar], results: &[Scalar]) {
        for (part, found, expected) in [("operands", x, operands), ("results", r, results)] {
            if found != expected {
                let expected = format!("{expected:?}");
                self.fail(VerifyError::Types { op, part, found: found.to_vec(), expected });
            }
        }
    }

    /// A region that an op holds: its arguments and yields.
    fn held(&mut self, op: &'static str, region: RegionId, args: &[Scalar], yields: &[Scalar]) {
        let loc = self.loc;
        self.region(region, args, false);
        self.loc = loc;
        if self.kernel.regions.get(region).is_some() {
            let values: &[Value] = self.kernel.yields(region);
            let found = self.types(values);
            if found != yields {
                let expected = format!("{yields:?}");
                self.fail(VerifyError::Types { op, part: "yields", found, expected });
            }
        }
    }

    fn array(&mut self, op: &'static str, param: u32) -> Option<(Vec<Scalar>, u8, Access)> {
        let found = self.kernel.params.get(param as usize).and_then(|p| p.array());
        if found.is_none() {
            self.fail(VerifyError::NotAnArray { op, param });
        }
        found.map(|(element, rank, access)| (element.components().iter().map(|c| c.scalar).collect(), rank, access))
    }

    fn array_components(
        &mut self,
        op: &'static str,
        param: u32,
        component: Option<u32>,
    ) -> Option<(Vec<Scalar>, usize, Access)> {
        let (all, rank, access) = self.array(op, param)?;
        let Some(component) = component else { return Some((all, rank as usize, access)) };
        match all.get(component as usize) {
            Some(&scalar) => Some((vec![scalar], rank as usize, access)),
            None => {
                let array = self.kernel.params[param as usize].name.clone();
                self.fail(VerifyError::Component { op, array, component, count: all.len() });
                None
            }
        }
    }

    fn allowed(&mut self, op: &'static str, param: u32, allowed: bool, access: Access) {
        if !allowed {
            let array = self.kernel.params[param as usize].name.clone();
            self.fail(VerifyError::Access { op, array, access: access.name() });
        }
    }
}
