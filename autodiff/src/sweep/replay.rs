//! Runs the primal again inside the adjoint: the same computations and loads, no writes.

use super::{Map, Sweep, Trail, at};
use pullback_ir::{Compare, Constant, IntOp, Op, OpKind, RegionId, Scalar, Value};
use std::collections::HashMap;

impl Sweep<'_> {
    /// Replays one op. With `trails`, loops push what undoing them takes, and are noted there.
    pub(super) fn replay_op(&mut self, op: Op, env: &mut Map, trails: Option<&mut HashMap<Op, Trail>>) {
        let primal = self.primal;
        let data = &primal.ops[op];
        self.builder.set_loc(data.loc);
        match data.kind {
            // What was checked held, or there is nothing to differentiate; what was printed is printed.
            OpKind::Yield | OpKind::Store { .. } | OpKind::Check(_) | OpKind::Print(_) => {}
            // Its result is used only where it was kept, and then `read` in the replay stands for it.
            OpKind::Atomic { .. } => {}
            OpKind::If => {
                let cond = at(env, data.operands[0]);
                let mut arms = Vec::new();
                for &arm in &data.regions {
                    self.builder.open(&[]);
                    let mut inside = env.clone();
                    self.replay_ops(arm, &mut inside);
                    let yields: Vec<Value> = primal.yields(arm).iter().map(|&v| at(&inside, v)).collect();
                    arms.push(self.builder.close(&yields));
                }
                self.builder.set_loc(data.loc);
                let results = self.builder.if_op(cond, arms[0], arms[1]);
                bind(env, &data.results, &results);
            }
            OpKind::For | OpKind::While => self.replay_loop(op, env, trails),
            OpKind::Custom => self.replay_custom(op, env),
            _ => {
                let operands = data.operands.iter().map(|&v| at(env, v)).collect();
                let types: Vec<Scalar> = data.results.iter().map(|&v| primal.scalar(v)).collect();
                let new = self.builder.push(data.kind.clone(), operands, &types, vec![]);
                let results = self.builder.kernel().ops[new].results.clone();
                bind(env, &data.results, &results);
            }
        }
    }

    pub(super) fn replay_ops(&mut self, region: RegionId, env: &mut Map) {
        let primal = self.primal;
        for &op in &primal.regions[region].ops {
            self.replay_op(op, env, None);
        }
    }

    fn replay_loop(&mut self, op: Op, env: &mut Map, trails: Option<&mut HashMap<Op, Trail>>) {
        let primal = self.primal;
        let data = &primal.ops[op];
        let is_for = data.kind == OpKind::For;
        let thin = trails.is_some() && {
            self.loops += 1;
            self.thinned.contains(&(self.loops - 1))
        };
        if thin {
            return self.replay_thinned(op, env, trails);
        }
        let site = trails.is_some().then(|| self.site());
        if let (Some(site), true) = (site, self.may_be_long(op)) {
            self.full.push((site, self.loops - 1));
        }
        let counts = site.is_some() && !is_for;
        let mut operands: Vec<Value> = data.operands.iter().map(|&v| at(env, v)).collect();
        if counts {
            operands.push(self.builder.index_constant(0));
        }
        let mut regions = Vec::new();
        for (which, &region) in data.regions.iter().enumerate() {
            let is_cond = !is_for && which == 0;
            let old_args = &primal.regions[region].args;
            let mut types: Vec<Scalar> = old_args.iter().map(|&v| primal.scalar(v)).collect();
            if counts {
                types.push(Scalar::I64);
            }
            let args = self.builder.open(&types);
            let mut inside = env.clone();
            bind(&mut inside, old_args, &args);
            if let (Some(site), false) = (site, is_cond) {
                let carried = args[usize::from(is_for)..old_args.len()].to_vec();
                self.builder.push(OpKind::Push { site }, carried, &[], vec![]);
            }
            self.replay_ops(region, &mut inside);
            let mut yields: Vec<Value> = primal.yields(region).iter().map(|&v| at(&inside, v)).collect();
            if counts && !is_cond {
                let one = self.builder.index_constant(1);
                yields.push(self.builder.int(IntOp::Add, &[args[old_args.len()], one]));
            }
            regions.push(self.builder.close(&yields));
        }
        let mut types: Vec<Scalar> = data.results.iter().map(|&v| primal.scalar(v)).collect();
        if counts {
            types.push(Scalar::I64);
        }
        self.builder.set_loc(data.loc);
        let new = self.builder.push(data.kind.clone(), operands, &types, regions);
        let results = self.builder.kernel().ops[new].results.clone();
        bind(env, &data.results, &results);
        if let (Some(trails), Some(site)) = (trails, site) {
            let trips = if counts { results.last().copied() } else { None };
            trails.insert(op, Trail::Full { site, trips });
        }
    }

    fn site(&mut self) -> u32 {
        self.next_site += 1;
        self.next_site - 1
    }

    /// Whether a loop is not known to have a single segment's iterations or fewer.
    fn may_be_long(&self, op: Op) -> bool {
        let data = &self.primal.ops[op];
        let at = |k: usize| self.primal.constant(data.operands[k]).and_then(Constant::as_i64);
        match data.kind {
            _ if self.segment == 0 => false,
            OpKind::For => match (at(0), at(1), at(2)) {
                (Some(low), Some(high), Some(step)) => {
                    (i128::from(high) - i128::from(low)) > i128::from(self.segment) * i128::from(step)
                }
                _ => true,
            },
            _ => true,
        }
    }

    /// Replays a loop in segments: number k has room for `segment + k` iterations. Each iteration pushes
    /// its carried values; when a segment is full, all of its pushes are dropped but what it began with.
    fn replay_thinned(&mut self, op: Op, env: &mut Map, trails: Option<&mut HashMap<Op, Trail>>) {
        let primal = self.primal;
        let data = &primal.ops[op];
        let (skip, first_init) = if data.kind == OpKind::For { (1, 3) } else { (0, 0) };
        let (starts, site) = (self.site(), self.site());
        let mut operands: Vec<Value> = data.operands.iter().map(|&v| at(env, v)).collect();
        let inits = operands[first_init..].to_vec();
        self.builder.push(OpKind::Push { site: starts }, inits, &[], vec![]);
        let segment = self.builder.index_constant(self.segment);
        let (zero, one) = (self.builder.index_constant(0), self.builder.index_constant(1));
        operands.extend([segment, zero]);
        let mut regions = Vec::new();
        for (which, &region) in data.regions.iter().enumerate() {
            let old_args = &primal.regions[region].args;
            let mut types: Vec<Scalar> = old_args.iter().map(|&v| primal.scalar(v)).collect();
            types.extend([Scalar::I64, Scalar::I64]);
            let args = self.builder.open(&types);
            let mut inside = env.clone();
            bind(&mut inside, old_args, &args);
            if which + 1 < data.regions.len() {
                // The condition of a `while`.
                self.replay_ops(region, &mut inside);
                let yields: Vec<Value> = primal.yields(region).iter().map(|&v| at(&inside, v)).collect();
                regions.push(self.builder.close(&yields));
                continue;
            }
            let carried = args[skip..old_args.len()].to_vec();
            let (room, number) = (args[old_args.len()], args[old_args.len() + 1]);
            let full = self.builder.compare(Compare::Eq, room, zero);
            self.builder.open(&[]);
            let length = self.builder.int(IntOp::Add, &[segment, number]);
            let width = carried.len() as u32;
            self.builder.push(OpKind::Drop { site, width }, vec![length], &[], vec![]);
            self.builder.push(OpKind::Push { site: starts }, carried.clone(), &[], vec![]);
            let next = [self.builder.int(IntOp::Add, &[length, one]), self.builder.int(IntOp::Add, &[number, one])];
            let fresh = self.builder.close(&next);
            self.builder.open(&[]);
            let same = self.builder.close(&[room, number]);
            let here = self.builder.if_op(full, fresh, same);
            self.builder.push(OpKind::Push { site }, carried, &[], vec![]);
            self.replay_ops(region, &mut inside);
            let mut yields: Vec<Value> = primal.yields(region).iter().map(|&v| at(&inside, v)).collect();
            yields.extend([self.builder.int(IntOp::Sub, &[here[0], one]), here[1]]);
            regions.push(self.builder.close(&yields));
        }
        let mut types: Vec<Scalar> = data.results.iter().map(|&v| primal.scalar(v)).collect();
        types.extend([Scalar::I64, Scalar::I64]);
        self.builder.set_loc(data.loc);
        let new = self.builder.push(data.kind.clone(), operands, &types, regions);
        let results = self.builder.kernel().ops[new].results.clone();
        bind(env, &data.results, &results);
        if let (Some(trails), &[.., room, last]) = (trails, &results[..]) {
            trails.insert(op, Trail::Thinned { starts, site, room, last });
        }
    }
}

/// Says what primal values are in a scope.
pub(super) fn bind(env: &mut Map, primal: &[Value], values: &[Value]) {
    env.extend(primal.iter().copied().zip(values.iter().copied()));
}
