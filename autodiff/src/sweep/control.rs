//! Reverses `if`, `for` and `while`.

use super::replay::bind;
use super::{Map, Sweep, Trail, at};
use pullback_ir::{Compare, Constant, IntOp, Op, OpKind, RegionId, Scalar, Value};
use std::collections::HashSet;

/// What undoing a loop is about.
struct Reversal<'a> {
    op: Op,
    body: RegionId,
    /// The body's arguments without the counter.
    args: &'a [Value],
    /// Which of them have cotangents.
    carried: Vec<usize>,
    /// The values from outside that have.
    free: Vec<Value>,
}

impl Sweep<'_> {
    /// Active values from outside that the regions use, in a fixed order.
    fn free(&self, regions: &[RegionId]) -> Vec<Value> {
        let primal = self.primal;
        let mut inside = HashSet::new();
        let mut seen = HashSet::new();
        let mut free = Vec::new();
        for &region in regions {
            inside.extend(primal.regions[region].args.iter().copied());
            primal.walk(region, &mut |_, data| {
                inside.extend(data.results.iter().copied());
                for &inner in &data.regions {
                    inside.extend(primal.regions[inner].args.iter().copied());
                }
                for &v in &data.operands {
                    if self.varied[v] && seen.insert(v) {
                        free.push(v);
                    }
                }
            });
        }
        free.retain(|v| !inside.contains(v));
        free
    }

    /// Whether the regions write an array that has cotangents.
    fn writes(&self, regions: &[RegionId]) -> bool {
        let mut found = false;
        for &region in regions {
            self.primal.walk(region, &mut |_, data| {
                if let OpKind::Store { array, .. } | OpKind::Atomic { array, .. } = data.kind {
                    found |= self.adjoints[array as usize].is_some();
                }
            });
        }
        found
    }

    pub(super) fn reverse_if(&mut self, op: Op, env: &Map, cts: &mut Map) {
        let primal = self.primal;
        let data = &primal.ops[op];
        let incoming: Vec<Option<Value>> = data.results.iter().map(|r| cts.remove(r)).collect();
        if incoming.iter().all(Option::is_none) && !self.writes(&data.regions) {
            return;
        }
        let free = self.free(&data.regions);
        // A zero of each type from outside, for what an arm does not touch.
        let zeros: Vec<Value> =
            free.iter().map(|&v| self.builder.constant(Constant::zero(primal.scalar(v).wide_float()))).collect();
        let mut arms = Vec::new();
        for &arm in &data.regions {
            self.builder.open(&[]);
            let mut inside = env.clone();
            let mut shares = Map::new();
            for (&value, ct) in primal.yields(arm).iter().zip(&incoming) {
                if let Some(ct) = *ct {
                    self.contribute(&mut shares, value, ct);
                }
            }
            self.region(arm, &mut inside, &mut shares);
            arms.push((self.builder.suspend(), shares));
        }
        let touched: Vec<usize> =
            (0..free.len()).filter(|&k| arms.iter().any(|(_, s)| s.contains_key(&free[k]))).collect();
        let mut regions = Vec::new();
        for (region, shares) in arms {
            self.builder.resume(region);
            let yields: Vec<Value> =
                touched.iter().map(|&k| shares.get(&free[k]).copied().unwrap_or(zeros[k])).collect();
            regions.push(self.builder.close(&yields));
        }
        self.builder.set_loc(data.loc);
        let cond = at(env, data.operands[0]);
        let results = self.builder.if_op(cond, regions[0], regions[1]);
        for (&k, &share) in touched.iter().zip(&results) {
            self.contribute(cts, free[k], share);
        }
    }

    /// Undoes the iterations of a loop, the last one first. Carried are the cotangents of the loop's
    /// carried values and the sums for what the body uses from outside.
    pub(super) fn reverse_loop(&mut self, op: Op, trail: Trail, env: &Map, cts: &mut Map) {
        let primal = self.primal;
        let data = &primal.ops[op];
        let is_for = data.kind == OpKind::For;
        let body = data.regions[data.regions.len() - 1];
        let incoming: Vec<Option<Value>> = data.results.iter().map(|r| cts.remove(r)).collect();
        if incoming.iter().all(Option::is_none) && !self.writes(&data.regions) {
            return;
        }
        let (first_init, first_arg) = if is_for { (3, 1) } else { (0, 0) };
        let (inits, args) = (&data.operands[first_init..], &primal.regions[body].args[first_arg..]);
        let carried: Vec<usize> = (0..args.len()).filter(|&k| self.varied[args[k]]).collect();
        let free = self.free(&[body]);

        let mut starts = Vec::new();
        for &k in &carried {
            let zero = Constant::zero(primal.scalar(args[k]).wide_float());
            starts.push(match incoming[k] {
                Some(ct) => ct,
                None => self.builder.constant(zero),
            });
        }
        for &v in &free {
            let zero = Constant::zero(primal.scalar(v).wide_float());
            starts.push(match cts.get(&v) {
                Some(&ct) => ct,
                None => self.builder.constant(zero),
            });
        }
        let reversal = Reversal { op, body, args, carried, free };
        let results = match trail {
            Trail::Full { site, trips } => {
                let trips = match trips {
                    Some(trips) => trips,
                    None => self.trip_count(op, env),
                };
                self.undo(&reversal, None, trips, site, &starts, env)
            }
            Trail::Thinned { .. } => self.undo_segments(&reversal, trail, &starts, env),
        };
        for (&v, &sum) in reversal.free.iter().zip(&results[reversal.carried.len()..]) {
            cts.insert(v, sum);
        }
        for (&k, &ct) in reversal.carried.iter().zip(&results) {
            self.contribute(cts, inits[k], ct);
        }
    }

    /// Undoes iterations that have pushed: `trips` of them, of which the first one is number `first` of
    /// the loop (0 if `None`). Takes and gives the cotangents and sums.
    fn undo(
        &mut self,
        reversal: &Reversal<'_>,
        first: Option<Value>,
        trips: Value,
        site: u32,
        starts: &[Value],
        env: &Map,
    ) -> Vec<Value> {
        let primal = self.primal;
        let Reversal { op, body, args, ref carried, ref free } = *reversal;
        let (zero, one) = (self.builder.index_constant(0), self.builder.index_constant(1));
        let mut types = vec![Scalar::I64];
        types.extend(starts.iter().map(|&v| self.builder.scalar(v)));
        let loop_args = self.builder.open(&types);

        let mut inside = env.clone();
        let popped_types: Vec<Scalar> = args.iter().map(|&v| primal.scalar(v)).collect();
        let pop = self.builder.push(OpKind::Pop { site }, vec![], &popped_types, vec![]);
        let popped = self.builder.kernel().ops[pop].results.clone();
        bind(&mut inside, args, &popped);
        if primal.ops[op].kind == OpKind::For {
            let last = self.builder.int(IntOp::Sub, &[trips, one]);
            let k = self.builder.int(IntOp::Sub, &[last, loop_args[0]]);
            self.counter(op, first, k, env, &mut inside);
        }
        let mut shares = Map::new();
        for (&v, &sum) in free.iter().zip(&loop_args[1 + carried.len()..]) {
            shares.insert(v, sum);
        }
        for (&k, &ct) in carried.iter().zip(&loop_args[1..]) {
            self.contribute(&mut shares, primal.yields(body)[k], ct);
        }
        self.region(body, &mut inside, &mut shares);
        let mut yields = Vec::new();
        for &k in carried {
            yields.push(match shares.get(&args[k]) {
                Some(&ct) => ct,
                None => self.builder.constant(Constant::zero(primal.scalar(args[k]).wide_float())),
            });
        }
        for (&v, &sum) in free.iter().zip(&loop_args[1 + carried.len()..]) {
            yields.push(shares.get(&v).copied().unwrap_or(sum));
        }
        let region = self.builder.close(&yields);
        self.builder.set_loc(primal.ops[op].loc);
        self.builder.for_op(zero, trips, one, starts, region)
    }

    /// The counter of a `for` in iteration `first + k`.
    fn counter(&mut self, op: Op, first: Option<Value>, k: Value, env: &Map, inside: &mut Map) {
        let data = &self.primal.ops[op];
        let counter = self.primal.regions[data.regions[0]].args[0];
        let k = match first {
            Some(first) => self.builder.int(IntOp::Add, &[first, k]),
            None => k,
        };
        let k = self.builder.convert(self.primal.scalar(counter), k);
        let distance = self.builder.int(IntOp::Mul, &[k, at(env, data.operands[2])]);
        let value = self.builder.int(IntOp::Add, &[at(env, data.operands[0]), distance]);
        inside.insert(counter, value);
    }

    /// Undoes a thinned trail, the last segment first: of that one all pushes are there; each one before
    /// runs again from its start and pushes them.
    fn undo_segments(&mut self, reversal: &Reversal<'_>, trail: Trail, cts: &[Value], env: &Map) -> Vec<Value> {
        let primal = self.primal;
        let Reversal { op, body, args, .. } = *reversal;
        let Trail::Thinned { starts, site, room, last } = trail else { return cts.to_vec() };
        let (zero, one) = (self.builder.index_constant(0), self.builder.index_constant(1));
        let segment = self.builder.index_constant(self.segment);
        let mut types = vec![Scalar::I64];
        types.extend(cts.iter().map(|&v| self.builder.scalar(v)));
        let loop_args = self.builder.open(&types);
        let back = loop_args[0];
        let number = self.builder.int(IntOp::Sub, &[last, back]);
        let is_last = self.builder.compare(Compare::Eq, back, zero);
        let whole = self.builder.int(IntOp::Add, &[segment, number]);
        let missing = self.builder.select(is_last, room, zero);
        let trips = self.builder.int(IntOp::Sub, &[whole, missing]);
        // The segments before: number · segment + number · (number - 1) / 2 iterations.
        let below = self.builder.int(IntOp::Sub, &[number, one]);
        let product = self.builder.int(IntOp::Mul, &[number, below]);
        let half = self.builder.int(IntOp::Shr, &[product, one]);
        let long = self.builder.int(IntOp::Mul, &[number, segment]);
        let first = self.builder.int(IntOp::Add, &[long, half]);

        // Run again what left only its start.
        self.builder.open(&[]);
        let there = self.builder.close(&[]);
        self.builder.open(&[]);
        let types: Vec<Scalar> = args.iter().map(|&v| primal.scalar(v)).collect();
        let pop = self.builder.push(OpKind::Pop { site: starts }, vec![], &types, vec![]);
        let popped = self.builder.kernel().ops[pop].results.clone();
        let mut with_counter = vec![Scalar::I64];
        with_counter.extend(types);
        let again = self.builder.open(&with_counter);
        let mut inside = env.clone();
        bind(&mut inside, args, &again[1..]);
        if primal.ops[op].kind == OpKind::For {
            self.counter(op, Some(first), again[0], env, &mut inside);
        }
        self.builder.push(OpKind::Push { site }, again[1..].to_vec(), &[], vec![]);
        self.replay_ops(body, &mut inside);
        let yields: Vec<Value> = primal.yields(body).iter().map(|&v| at(&inside, v)).collect();
        let replayed = self.builder.close(&yields);
        self.builder.set_loc(primal.ops[op].loc);
        self.builder.for_op(zero, trips, one, &popped, replayed);
        let rerun = self.builder.close(&[]);
        self.builder.if_op(is_last, there, rerun);

        let results = self.undo(reversal, Some(first), trips, site, &loop_args[1..], env);
        // The last segment's start is still there.
        let left = self.builder.select(is_last, one, zero);
        let width = args.len() as u32;
        self.builder.push(OpKind::Drop { site: starts, width }, vec![left], &[], vec![]);
        let region = self.builder.close(&results);
        self.builder.set_loc(primal.ops[op].loc);
        let segments = self.builder.int(IntOp::Add, &[last, one]);
        self.builder.for_op(zero, segments, one, cts, region)
    }

    /// How often a `for` runs: ceil((high - low) / step), or 0; as `i64`.
    fn trip_count(&mut self, op: Op, env: &Map) -> Value {
        let operands = &self.primal.ops[op].operands;
        let (low, high, step) = (at(env, operands[0]), at(env, operands[1]), at(env, operands[2]));
        // Narrow counters are widened, so that the distance cannot wrap; that of wide ones is right
        // as an unsigned number.
        let runs = self.builder.compare(Compare::Lt, low, high);
        let wide = |sweep: &mut Self, v| match sweep.builder.scalar(v) {
            s if s.bits() < 64 => {
                let v = sweep.builder.convert(Scalar::I64, v);
                sweep.builder.convert(Scalar::U64, v)
            }
            _ => sweep.builder.convert(Scalar::U64, v),
        };
        let (low, high, step) = (wide(self, low), wide(self, high), wide(self, step));
        let distance = self.builder.int(IntOp::Sub, &[high, low]);
        let one = self.builder.constant(Constant::U64(1));
        let last = self.builder.int(IntOp::Sub, &[distance, one]);
        let steps = self.builder.int(IntOp::Div, &[last, step]);
        let trips = self.builder.int(IntOp::Add, &[steps, one]);
        let trips = self.builder.convert(Scalar::I64, trips);
        let zero = self.builder.index_constant(0);
        self.builder.select(runs, trips, zero)
    }
}
