//! The frame of every pass: a kernel being read, one being built, and the map between their values.

use crate::builder::Builder;
use crate::entity::{Op, RegionId, SecondaryMap, Value};
use crate::kernel::{Kernel, OpKind, ParamKind};
use crate::types::Scalar;

/// Copies a kernel op by op; a pass does something else where it wants to.
#[derive(Debug)]
pub struct Rebuild<'k> {
    /// The kernel that is read.
    pub old: &'k Kernel,
    /// The kernel that is built.
    pub builder: Builder,
    map: SecondaryMap<Value, Option<Value>>,
}

impl<'k> Rebuild<'k> {
    /// Starts with the same name, launch rank, order and parameters.
    pub fn new(old: &'k Kernel) -> Self {
        let mut builder = Builder::new(old.name.clone(), old.rank);
        builder.set_order(old.order);
        let mut map = SecondaryMap::new(None);
        for param in &old.params {
            match &param.kind {
                ParamKind::Scalar(scalar, value) => {
                    map[*value] = Some(builder.scalar_param(param.name.clone(), *scalar))
                }
                ParamKind::Array { element, rank, access } => {
                    builder.array_param(param.name.clone(), element.clone(), *rank, *access);
                }
            }
        }
        Rebuild { old, builder, map }
    }

    /// The new value for an old one. Every value is mapped before it is used, as scopes nest alike.
    pub fn get(&self, old: Value) -> Value {
        debug_assert!(self.map[old].is_some(), "{old} is used before it is mapped");
        self.map[old].unwrap_or(old)
    }
    /// The new values for old ones.
    pub fn get_all(&self, old: &[Value]) -> Vec<Value> {
        old.iter().map(|&v| self.get(v)).collect()
    }
    /// Says what an old value is from now on.
    pub fn set(&mut self, old: Value, new: Value) {
        self.map[old] = Some(new);
    }
    /// Says what several old values are from now on.
    pub fn set_all(&mut self, old: &[Value], new: &[Value]) {
        for (&old, &new) in old.iter().zip(new) {
            self.set(old, new);
        }
    }
    /// The types of old values.
    pub fn scalars(&self, old: &[Value]) -> Vec<Scalar> {
        old.iter().map(|&v| self.old.scalar(v)).collect()
    }

    /// Copies an op as it is, with all that it holds.
    pub fn copy_leaf(&mut self, op: Op) {
        fn whole(re: &mut Rebuild<'_>, op: Op) {
            re.copy_leaf(op);
        }
        let data = &self.old.ops[op];
        if !data.regions.is_empty() {
            return self.copy(op, &mut whole);
        }
        self.builder.set_loc(data.loc);
        let operands = self.get_all(&data.operands);
        let types = self.scalars(&data.results);
        let new = self.builder.push(data.kind.clone(), operands, &types, Vec::new());
        let results = self.builder.kernel().ops[new].results.clone();
        self.set_all(&data.results, &results);
    }

    /// Builds a region of the new kernel for one of the old: same arguments, ops by `ops`, same yields.
    pub fn copy_region(&mut self, region: RegionId, ops: &mut impl FnMut(&mut Self, Op)) -> RegionId {
        let data = &self.old.regions[region];
        let types = self.scalars(&data.args);
        let args = self.builder.open(&types);
        self.set_all(&data.args, &args);
        self.body_ops(region, ops);
        let yields = self.get_all(self.old.yields(region));
        self.builder.close(&yields)
    }

    /// Calls `ops` for each op of a region but its yield.
    pub fn body_ops(&mut self, region: RegionId, ops: &mut impl FnMut(&mut Self, Op)) {
        let old: &'k Kernel = self.old;
        for &op in &old.regions[region].ops {
            if old.ops[op].kind != OpKind::Yield {
                ops(self, op);
            }
        }
    }

    /// Copies an `if`, `for` or `while` as it is, its regions by `ops`; any other op as a leaf.
    pub fn copy(&mut self, op: Op, ops: &mut impl FnMut(&mut Self, Op)) {
        let data = &self.old.ops[op];
        if data.regions.is_empty() {
            return self.copy_leaf(op);
        }
        let operands = self.get_all(&data.operands);
        let types = self.scalars(&data.results);
        let mut regions = Vec::new();
        for &region in &data.regions {
            regions.push(self.copy_region(region, ops));
        }
        self.builder.set_loc(data.loc);
        let new = self.builder.push(data.kind.clone(), operands, &types, regions);
        let results = self.builder.kernel().ops[new].results.clone();
        self.set_all(&data.results, &results);
    }

    /// Ends the new kernel.
    pub fn finish(self) -> Kernel {
        self.builder.finish()
    }
}
