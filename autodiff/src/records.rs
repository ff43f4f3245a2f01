//! Loads that a replay cannot repeat, and keeping their values.
//!
//! The adjoint replays a thread from the arrays' contents at the start of the launch. That repeats a
//! load exactly if the kernel does not write the array; or if no other thread touches the element and
//! this one has not written it before. The other loads, and the old values of atomics, are suspects:
//! the augmented primal appends their values to the launch's records, and the replay reads them from
//! there, by a position that is carried through branches and loops like any other integer.

use pullback_ir::access::ArrayFacts;
use pullback_ir::pass::{Rebuild, distinct};
use pullback_ir::{
    Access, AtomicOp, Constant, Element, IntOp, Kernel, Op, OpKind, RegionId, Scalar, SecondaryMap, Value,
};
use std::collections::HashMap;

/// The suspects of a kernel that are to be kept, and those that nobody needs.
#[derive(Debug)]
pub struct Records {
    /// Load and atomic ops in program order, and whether each is kept.
    ops: Vec<(Op, bool)>,
    index: SecondaryMap<Op, Option<usize>>,
}

/// The element component whose value an op brings, where the op does not name it itself.
#[derive(Clone, Debug)]
pub struct Source {
    /// The array.
    pub array: u32,
    /// The element.
    pub indices: Vec<Value>,
    /// The components, one for each result.
    pub components: Vec<u32>,
}

/// A primal kernel made ready to be replayed.
#[derive(Debug)]
pub struct Replay {
    /// Its suspects read kept values, or probes.
    pub kernel: Kernel,
    /// Where the values of those reads were loaded from in the primal.
    pub sources: HashMap<Op, Source>,
    /// For each atomic minimum, maximum and compare-exchange the value that it found.
    pub found: HashMap<Op, Value>,
}

impl Records {
    /// How many suspects there are, kept or not.
    pub fn len(&self) -> usize {
        self.ops.len()
    }
    /// Whether none is kept.
    pub fn is_empty(&self) -> bool {
        self.ops.iter().all(|&(_, kept)| !kept)
    }
    /// Keeps those that are needed.
    pub fn keep(&mut self, needed: &[bool]) {
        for (op, &needed) in self.ops.iter_mut().zip(needed) {
            op.1 = needed;
        }
    }
    /// Keeps some more.
    pub fn keep_also(&mut self, more: &[usize]) {
        for &i in more {
            self.ops[i].1 = true;
        }
    }
    fn of(&self, op: Op) -> Option<(usize, bool)> {
        self.index[op].map(|i| (i, self.ops[i].1))
    }
    fn kept_in(&self, kernel: &Kernel, regions: &[RegionId]) -> bool {
        let mut found = false;
        for &region in regions {
            kernel.walk(region, &mut |op, _| found |= self.of(op).is_some_and(|(_, kept)| kept));
        }
        found
    }
}

/// The suspects that an adjoint reads though they were not kept.
pub fn missed(adjoint: &Kernel) -> Vec<usize> {
    let mut missed = Vec::new();
    adjoint.walk(adjoint.body, &mut |_, data| {
        if let (OpKind::Residual, Some(&position)) = (&data.kind, data.operands.first())
            && let Some(nowhere) = adjoint.constant(position).and_then(Constant::as_i64)
            && nowhere < 0
        {
            missed.push((-1 - nowhere) as usize);
        }
    });
    missed
}

/// A write that has happened, or may have, before the op at hand.
#[derive(Clone)]
struct Written {
    array: u32,
    component: Option<u32>,
    /// The element, if its indices still mean the same.
    indices: Option<Vec<Value>>,
}

/// Finds the suspects.
pub fn suspects(kernel: &Kernel, facts: &[ArrayFacts]) -> Records {
    let mut records = Records { ops: Vec::new(), index: SecondaryMap::new(None) };
    let mut written = Vec::new();
    scan(kernel, facts, kernel.body, &mut written, &mut records);
    records
}

fn rank(kernel: &Kernel, array: u32) -> usize {
    kernel.params[array as usize].array().map_or(0, |(_, rank, _)| rank as usize)
}

fn scan(kernel: &Kernel, facts: &[ArrayFacts], region: RegionId, written: &mut Vec<Written>, records: &mut Records) {
    for &op in &kernel.regions[region].ops {
        let data = &kernel.ops[op];
        let suspect = |records: &mut Records| {
            records.index[op] = Some(records.ops.len());
            records.ops.push((op, true));
        };
        match data.kind {
            OpKind::Load { array, component } => {
                let fact = &facts[array as usize];
                let before = written.iter().any(|w| {
                    w.array == array
                        && (component.is_none() || w.component.is_none() || w.component == component)
                        && !w.indices.as_ref().is_some_and(|i| distinct(kernel, i, &data.operands))
                });
                if fact.written() && (!fact.private || before) {
                    suspect(records);
                }
            }
            OpKind::Store { array, component } => {
                let indices = Some(data.operands[..rank(kernel, array)].to_vec());
                written.push(Written { array, component, indices });
            }
            OpKind::Atomic { array, component, op: how } => {
                let float = kernel.scalar(data.results[0]).is_float();
                let decides = matches!(how, AtomicOp::Min | AtomicOp::Max | AtomicOp::CompareExchange) && float;
                if decides || used(kernel, data.results[0]) {
                    suspect(records);
                }
                let indices = Some(data.operands[..rank(kernel, array)].to_vec());
                written.push(Written { array, component: Some(component), indices });
            }
            OpKind::For | OpKind::While => {
                // What any iteration writes may have been written before any op of the loop.
                for &inner in &data.regions {
                    kernel.walk(inner, &mut |_, data| match data.kind {
                        OpKind::Store { array, component } => {
                            written.push(Written { array, component, indices: None });
                        }
                        OpKind::Atomic { array, component, .. } => {
                            written.push(Written { array, component: Some(component), indices: None });
                        }
                        _ => {}
                    });
                }
                for &inner in &data.regions {
                    scan(kernel, facts, inner, written, records);
                }
            }
            _ => {
                for &inner in &data.regions {
                    scan(kernel, facts, inner, written, records);
                }
            }
        }
    }
}

fn used(kernel: &Kernel, value: Value) -> bool {
    let mut found = false;
    kernel.walk(kernel.body, &mut |_, data| found |= data.operands.contains(&value));
    found
}

/// The primal, keeping the values of its suspects as it runs.
pub fn augmented(kernel: &Kernel, records: &Records) -> Kernel {
    fn copy(re: &mut Rebuild<'_>, op: Op, records: &Records) {
        re.copy(op, &mut |re, op| copy(re, op, records));
        if let Some((_, true)) = records.of(op) {
            let values = re.get_all(&re.old.ops[op].results);
            re.builder.push(OpKind::Record, values, &[], vec![]);
        }
    }
    let mut re = Rebuild::new(kernel);
    re.body_ops(kernel.body, &mut |re, op| copy(re, op, records));
    re.finish()
}

/// The primal with each suspect reading from an array of its own (parameter number i after the
/// primal's for suspect number i). Only for finding out which of them the adjoint needs.
pub fn replay_from_probes(kernel: &Kernel, records: &Records) -> Replay {
    let mut pass = Pass::new(kernel, records, true);
    for (i, &(op, _)) in records.ops.iter().enumerate() {
        let data = &kernel.ops[op];
        let components = data
            .results
            .iter()
            .enumerate()
            .map(|(k, &v)| pullback_ir::Component { scalar: kernel.scalar(v), offset: 8 * k as u32 })
            .collect();
        let element = Element::with_layout(components, 8 * data.results.len() as u32)
            .unwrap_or_else(|| Element::scalar(Scalar::F64));
        pass.re.builder.array_param(format!("probe {i}"), element, 1, Access::Read);
    }
    pass.ops(kernel.body);
    pass.finish()
}

/// The primal with each kept suspect reading its value from the records.
pub fn replay(kernel: &Kernel, records: &Records) -> Replay {
    let mut pass = Pass::new(kernel, records, false);
    if !records.is_empty() {
        let op = pass.re.builder.push(OpKind::ResidualBase, vec![], &[Scalar::I64], vec![]);
        pass.position = Some(pass.re.builder.kernel().ops[op].results[0]);
    }
    pass.ops(kernel.body);
    pass.finish()
}

struct Pass<'k> {
    re: Rebuild<'k>,
    records: &'k Records,
    probes: bool,
    /// Where the next record is.
    position: Option<Value>,
    sources: HashMap<Op, Source>,
    found: HashMap<Op, Value>,
}

impl<'k> Pass<'k> {
    fn new(kernel: &'k Kernel, records: &'k Records, probes: bool) -> Self {
        Pass {
            re: Rebuild::new(kernel),
            records,
            probes,
            position: None,
            sources: HashMap::new(),
            found: HashMap::new(),
        }
    }

    fn finish(self) -> Replay {
        Replay { kernel: self.re.finish(), sources: self.sources, found: self.found }
    }

    fn ops(&mut self, region: RegionId) {
        let old: &'k Kernel = self.re.old;
        for &op in &old.regions[region].ops {
            let data = &old.ops[op];
            self.re.builder.set_loc(data.loc);
            match data.kind {
                OpKind::Yield => {}
                OpKind::If | OpKind::For | OpKind::While => self.control(op),
                OpKind::Load { array, component } => match self.records.of(op) {
                    Some((i, kept)) => {
                        let components = match component {
                            Some(c) => vec![c],
                            None => (0..data.results.len() as u32).collect(),
                        };
                        self.read(op, i, kept, array, components);
                    }
                    None => self.re.copy_leaf(op),
                },
                OpKind::Atomic { array, component, .. } => {
                    if let Some((i, kept)) = self.records.of(op) {
                        self.read(op, i, kept, array, vec![component]);
                        let found = self.re.get(data.results[0]);
                        self.re.copy_leaf(op);
                        self.re.set(data.results[0], found);
                        let ops = &self.re.builder.kernel().regions[self.re.builder.current()].ops;
                        if let Some(&new) = ops.last() {
                            self.found.insert(new, found);
                        }
                    } else {
                        self.re.copy_leaf(op);
                    }
                }
                _ => self.re.copy_leaf(op),
            }
        }
    }

    /// Brings a suspect's values from where they were kept. Nobody needs those that were not: see `missed`.
    fn read(&mut self, op: Op, i: usize, kept: bool, array: u32, components: Vec<u32>) {
        let old: &'k Kernel = self.re.old;
        let data = &old.ops[op];
        let types = self.re.scalars(&data.results);
        let indices = self.re.get_all(&data.operands[..rank(old, array)]);
        let new = if self.probes {
            let zero = self.re.builder.index_constant(0);
            let probe = (old.params.len() + i) as u32;
            self.re.builder.push(OpKind::Load { array: probe, component: None }, vec![zero], &types, vec![])
        } else if let (true, Some(position)) = (kept, self.position) {
            let new = self.re.builder.push(OpKind::Residual, vec![position], &types, vec![]);
            let count = self.re.builder.index_constant(types.len() as i64);
            self.position = Some(self.re.builder.int(IntOp::Add, &[position, count]));
            new
        } else {
            // An op of its own, so that the cotangent finds its way to the array all the same. That it
            // is at no position says that there is nothing to read.
            let nowhere = self.re.builder.index_constant(-1 - i as i64);
            self.re.builder.push(OpKind::Residual, vec![nowhere], &types, vec![])
        };
        let results = self.re.builder.kernel().ops[new].results.clone();
        self.re.set_all(&data.results, &results);
        self.sources.insert(new, Source { array, indices, components });
    }

    /// Control flow; the position goes through it as one more carried value if there are records inside.
    fn control(&mut self, op: Op) {
        let old: &'k Kernel = self.re.old;
        let data = &old.ops[op];
        let before = self.position.filter(|_| self.records.kept_in(old, &data.regions));
        let mut operands = self.re.get_all(&data.operands);
        let is_if = data.kind == OpKind::If;
        if let (Some(position), false) = (before, is_if) {
            operands.push(position);
        }
        let mut regions = Vec::new();
        for (which, &region) in data.regions.iter().enumerate() {
            let old_args = &old.regions[region].args;
            let mut types = self.re.scalars(old_args);
            if before.is_some() && !is_if {
                types.push(Scalar::I64);
            }
            let args = self.re.builder.open(&types);
            self.re.set_all(old_args, &args);
            if before.is_some() {
                self.position = if is_if { before } else { args.last().copied() };
            }
            self.ops(region);
            let mut yields = self.re.get_all(old.yields(region));
            let is_cond = data.kind == OpKind::While && which == 0;
            if before.is_some() && !is_cond {
                yields.extend(self.position);
            }
            regions.push(self.re.builder.close(&yields));
        }
        let mut types = self.re.scalars(&data.results);
        if before.is_some() {
            types.push(Scalar::I64);
        }
        self.re.builder.set_loc(data.loc);
        let new = self.re.builder.push(data.kind.clone(), operands, &types, regions);
        let results = self.re.builder.kernel().ops[new].results.clone();
        self.re.set_all(&data.results, &results);
        if before.is_some() {
            self.position = results.last().copied();
        }
    }
}
