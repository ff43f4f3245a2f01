//! Drops what nothing needs: ops, carried values of loops, results of `if`s, and the parts of the pushes
//! of a site that its pop does not use.
//!
//! Needed are stores, atomics and records, what they depend on, and the control flow around them. A
//! carried value is needed if its result is, or if something needed uses it; that it feeds only itself
//! does not count.

use super::rebuild::Rebuild;
use crate::entity::{Op, RegionId, SecondaryMap, Value};
use crate::kernel::{Kernel, OpKind, ValueDef};
use std::collections::HashMap;

struct Live<'k> {
    kernel: &'k Kernel,
    values: SecondaryMap<Value, bool>,
    ops: SecondaryMap<Op, bool>,
    /// The op that holds a region.
    holder: SecondaryMap<RegionId, Option<Op>>,
    /// The region that an op is in.
    home: SecondaryMap<Op, RegionId>,
    /// The pushes and drops of a site.
    stack: HashMap<u32, Vec<Op>>,
    pops: HashMap<u32, Op>,
    work: Vec<Value>,
}

/// Drops what nothing needs.
pub fn dce(kernel: &Kernel) -> Kernel {
    let mut live = Live {
        kernel,
        values: SecondaryMap::new(false),
        ops: SecondaryMap::new(false),
        holder: SecondaryMap::new(None),
        home: SecondaryMap::new(kernel.body),
        stack: HashMap::new(),
        pops: HashMap::new(),
        work: Vec::new(),
    };
    live.places(kernel.body);
    kernel.walk(kernel.body, &mut |op, data| match data.kind {
        OpKind::Push { site } | OpKind::Drop { site, .. } => live.stack.entry(site).or_default().push(op),
        OpKind::Pop { site } => _ = live.pops.insert(site, op),
        _ => {}
    });
    kernel.walk(kernel.body, &mut |op, data| {
        let effect = matches!(
            data.kind,
            OpKind::Store { .. } | OpKind::Atomic { .. } | OpKind::Record | OpKind::Check(_) | OpKind::Print(_)
        );
        if effect {
            live.need_op(op);
            live.work.extend(&data.operands);
        }
    });
    while let Some(value) = live.work.pop() {
        if !live.values[value] {
            live.values[value] = true;
            live.need(value);
        }
    }
    let mut re = Rebuild::new(kernel);
    sweep(&live, &mut re, kernel.body);
    re.finish()
}

impl Live<'_> {
    fn places(&mut self, region: RegionId) {
        for &op in &self.kernel.regions[region].ops {
            self.home[op] = region;
            for &inner in &self.kernel.ops[op].regions {
                self.holder[inner] = Some(op);
                self.places(inner);
            }
        }
    }

    /// Marks an op and the control flow around it, whose conditions and bounds are then needed too.
    fn need_op(&mut self, op: Op) {
        if self.ops[op] {
            return;
        }
        self.ops[op] = true;
        let data = &self.kernel.ops[op];
        match data.kind {
            OpKind::If => self.work.push(data.operands[0]),
            OpKind::For => self.work.extend(&data.operands[..3]),
            OpKind::While => self.work.extend(self.kernel.yields(data.regions[0])),
            OpKind::Custom => self.work.extend(&data.operands),
            _ => {}
        }
        if let Some(holder) = self.holder[self.home[op]] {
            self.need_op(holder);
        }
    }

    fn need(&mut self, value: Value) {
        let kernel = self.kernel;
        match kernel.values[value].def {
            ValueDef::Param(_) => {}
            ValueDef::Arg(region, i) => {
                let Some(holder) = self.holder[region] else { return };
                self.need_op(holder);
                self.need_carried(holder, i as usize);
            }
            ValueDef::Result(op, k) => {
                self.need_op(op);
                let data = &kernel.ops[op];
                let k = k as usize;
                match data.kind {
                    OpKind::If => {
                        for &region in &data.regions {
                            self.work.push(kernel.yields(region)[k]);
                        }
                    }
                    OpKind::For => self.need_carried(op, k + 1),
                    OpKind::While => self.need_carried(op, k),
                    OpKind::Pop { site } => {
                        for op in self.stack.get(&site).cloned().unwrap_or_default() {
                            self.need_op(op);
                            let data = &kernel.ops[op];
                            let part = if matches!(data.kind, OpKind::Push { .. }) { k } else { 0 };
                            self.work.push(data.operands[part]);
                        }
                    }
                    _ => self.work.extend(&data.operands),
                }
            }
        }
    }

    /// A loop's argument number `i`: the carried value is needed all the way round.
    fn need_carried(&mut self, op: Op, i: usize) {
        let data = &self.kernel.ops[op];
        match data.kind {
            OpKind::For if i > 0 => {
                self.work.push(data.operands[i + 2]);
                self.work.push(self.kernel.yields(data.regions[0])[i - 1]);
                self.work.push(self.kernel.regions[data.regions[0]].args[i]);
            }
            OpKind::While => {
                self.work.push(data.operands[i]);
                self.work.push(self.kernel.yields(data.regions[1])[i]);
                for &region in &data.regions {
                    self.work.push(self.kernel.regions[region].args[i]);
                }
            }
            _ => {}
        }
    }

    /// Whether carried value `k` of a loop is needed.
    fn carries(&self, op: Op, k: usize) -> bool {
        let data = &self.kernel.ops[op];
        let skip = usize::from(data.kind == OpKind::For);
        self.values[data.results[k]] || data.regions.iter().any(|&r| self.values[self.kernel.regions[r].args[k + skip]])
    }
}

fn sweep(live: &Live<'_>, re: &mut Rebuild<'_>, region: RegionId) {
    let old = re.old;
    for &op in &old.regions[region].ops {
        if !live.ops[op] {
            continue;
        }
        let data = &old.ops[op];
        match data.kind {
            OpKind::If => {
                let kept: Vec<usize> = (0..data.results.len()).filter(|&k| live.values[data.results[k]]).collect();
                let mut arms = Vec::new();
                for &arm in &data.regions {
                    re.builder.open(&[]);
                    sweep(live, re, arm);
                    let yields: Vec<Value> = kept.iter().map(|&k| re.get(old.yields(arm)[k])).collect();
                    arms.push(re.builder.close(&yields));
                }
                re.builder.set_loc(data.loc);
                let cond = re.get(data.operands[0]);
                let results = re.builder.if_op(cond, arms[0], arms[1]);
                for (&k, &new) in kept.iter().zip(&results) {
                    re.set(data.results[k], new);
                }
            }
            OpKind::For | OpKind::While => sweep_loop(live, re, op),
            OpKind::Push { site } | OpKind::Pop { site } | OpKind::Drop { site, .. } => sweep_stack(live, re, op, site),
            _ => re.copy_leaf(op),
        }
    }
}

fn sweep_loop(live: &Live<'_>, re: &mut Rebuild<'_>, op: Op) {
    let old = re.old;
    let data = &old.ops[op];
    let is_for = data.kind == OpKind::For;
    let skip = usize::from(is_for);
    let kept: Vec<usize> = (0..data.results.len()).filter(|&k| live.carries(op, k)).collect();
    let first_init = if is_for { 3 } else { 0 };
    let inits: Vec<Value> = kept.iter().map(|&k| re.get(data.operands[first_init + k])).collect();
    let mut regions = Vec::new();
    for (which, &region) in data.regions.iter().enumerate() {
        let args = &old.regions[region].args;
        let mut old_args: Vec<Value> = if is_for { vec![args[0]] } else { Vec::new() };
        old_args.extend(kept.iter().map(|&k| args[k + skip]));
        let types = re.scalars(&old_args);
        let new_args = re.builder.open(&types);
        re.set_all(&old_args, &new_args);
        sweep(live, re, region);
        let is_cond = !is_for && which == 0;
        let yields: Vec<Value> = match is_cond {
            true => re.get_all(old.yields(region)),
            false => kept.iter().map(|&k| re.get(old.yields(region)[k])).collect(),
        };
        regions.push(re.builder.close(&yields));
    }
    re.builder.set_loc(data.loc);
    let results = if is_for {
        let bounds = re.get_all(&data.operands[..3]);
        re.builder.for_op(bounds[0], bounds[1], bounds[2], &inits, regions[0])
    } else {
        re.builder.while_op(&inits, regions[0], regions[1])
    };
    for (&k, &new) in kept.iter().zip(&results) {
        re.set(data.results[k], new);
    }
}

/// A push keeps the operands whose popped values are needed, its pop the same; a drop, as many.
fn sweep_stack(live: &Live<'_>, re: &mut Rebuild<'_>, op: Op, site: u32) {
    let old = re.old;
    let data = &old.ops[op];
    let popped = live.pops.get(&site).map_or(&[][..], |&pop| &old.ops[pop].results);
    let kept: Vec<usize> = (0..popped.len()).filter(|&k| live.values[popped[k]]).collect();
    re.builder.set_loc(data.loc);
    if let OpKind::Drop { .. } = data.kind {
        let count = re.get_all(&data.operands);
        re.builder.push(OpKind::Drop { site, width: kept.len() as u32 }, count, &[], vec![]);
    } else if let OpKind::Push { .. } = data.kind {
        let operands = kept.iter().map(|&k| re.get(data.operands[k])).collect();
        re.builder.push(data.kind.clone(), operands, &[], vec![]);
    } else {
        let types: Vec<_> = kept.iter().map(|&k| old.scalar(data.results[k])).collect();
        let new = re.builder.push(data.kind.clone(), vec![], &types, vec![]);
        let results = re.builder.kernel().ops[new].results.clone();
        for (&k, &value) in kept.iter().zip(&results) {
            re.set(data.results[k], value);
        }
    }
}
