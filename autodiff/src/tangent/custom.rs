//! Computations with a derivative of their own: their tangents come from the adjoint, asked for one row of
//! the Jacobian after the other by cotangents that are 1 for one output and 0 for the others.

use super::Forward;
use pullback_ir::{Kernel, Op, RegionId, Value};

impl<'k> Forward<'k> {
    pub(super) fn custom(&mut self, op: Op) {
        let old: &'k Kernel = self.re.old;
        let data = &old.ops[op];
        self.re.copy_leaf(op);
        let inputs: Vec<Value> = data.operands.iter().map(|&v| self.seen(v)).collect();
        let adjoint = data.regions[data.regions.len() - 1];
        let moved = data.operands.iter().any(|v| self.near.contains_key(v));
        if data.regions.len() == 3 || moved {
            // The outputs as derivatives see them; a computation with the same derivative.
            let value = data.regions[data.regions.len() - 2];
            let regions = [value, adjoint].map(|region| self.re.copy_region(region, &mut |re, op| re.copy_leaf(op)));
            self.re.builder.set_loc(data.loc);
            let outputs = self.re.builder.custom(&inputs, regions.to_vec());
            self.near.extend(data.results.iter().copied().zip(outputs));
        }
        if !data.operands.iter().any(|&v| self.has(v)) {
            return;
        }
        let float = |v: &&Value| old.scalar(**v).is_float();
        let given: Vec<Value> = data.operands.iter().filter(float).copied().collect();
        let made: Vec<Value> = data.results.iter().filter(float).copied().collect();
        let outputs: Vec<Value> = data.results.iter().map(|&v| self.seen(v)).collect();
        for (k, &result) in made.iter().enumerate() {
            let mut args = [&inputs[..], &outputs].concat();
            for (j, &other) in made.iter().enumerate() {
                args.push(self.re.builder.float_constant(old.scalar(other), f64::from(u8::from(j == k))));
            }
            let row = self.in_place(adjoint, &args);
            self.re.builder.set_loc(data.loc);
            self.contract(&given, &row, result);
        }
    }

    /// Puts the ops of a region here; what it yields for these arguments.
    fn in_place(&mut self, region: RegionId, args: &[Value]) -> Vec<Value> {
        let old: &'k Kernel = self.re.old;
        self.re.set_all(&old.regions[region].args, args);
        self.re.body_ops(region, &mut |re, op| re.copy_leaf(op));
        self.re.get_all(old.yields(region))
    }
}
