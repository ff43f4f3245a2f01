//! Replays and reverses computations with a derivative of their own: their regions are put in place.

use super::replay::bind;
use super::{Map, Sweep, at};
use pullback_ir::{BoolOp, Compare, Op, RegionId, Value};

impl Sweep<'_> {
    /// The outputs as the adjoint is to see them.
    pub(super) fn replay_custom(&mut self, op: Op, env: &mut Map) {
        let data = &self.primal.ops[op];
        let inputs: Vec<Value> = data.operands.iter().map(|&v| at(env, v)).collect();
        let outputs = self.in_place(data.regions[data.regions.len() - 2], &inputs);
        bind(env, &data.results, &outputs);
    }

    /// Puts the ops of a region here; what it yields for these arguments.
    fn in_place(&mut self, region: RegionId, args: &[Value]) -> Vec<Value> {
        let primal = self.primal;
        let mut inside = Map::new();
        bind(&mut inside, &primal.regions[region].args, args);
        self.replay_ops(region, &mut inside);
        primal.yields(region).iter().map(|&v| at(&inside, v)).collect()
    }

    pub(super) fn reverse_custom(&mut self, op: Op, env: &Map, cts: &mut Map) {
        let primal = self.primal;
        let data = &primal.ops[op];
        let floats = data.results.iter().filter(|&&r| primal.scalar(r).is_float());
        let incoming: Vec<Option<Value>> = floats.clone().map(|r| cts.remove(r)).collect();
        if incoming.iter().all(Option::is_none) {
            return;
        }
        // All zeros in, all zeros out, whatever the rule makes of them.
        let mut dead = None;
        let mut args: Vec<Value> = data.operands.iter().chain(&data.results).map(|&v| at(env, v)).collect();
        for (ct, &result) in incoming.into_iter().zip(floats) {
            let ct = match ct {
                None => self.zero_like(at(env, result)),
                Some(ct) => {
                    let zero = self.zero_like(ct);
                    let is_zero = self.builder.compare(Compare::Eq, ct, zero);
                    dead = Some(match dead {
                        None => is_zero,
                        Some(so_far) => self.builder.bool(BoolOp::And, &[so_far, is_zero]),
                    });
                    ct
                }
            };
            args.push(ct);
        }
        let Some(dead) = dead else { return };
        let shares = self.in_place(data.regions[data.regions.len() - 1], &args);
        self.builder.set_loc(data.loc);
        let inputs = data.operands.iter().filter(|&&v| primal.scalar(v).is_float());
        for (&input, share) in inputs.zip(shares) {
            if self.varied[input] {
                let zero = self.zero_like(share);
                let share = self.builder.select(dead, zero, share);
                self.contribute(cts, input, share);
            }
        }
    }
}
