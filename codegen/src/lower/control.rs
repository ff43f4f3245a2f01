//! `if`, `for` and `while`: blocks, branches and phis.

use super::emit::V;
use super::{Lower, llvm_type};
use pullback_ir::{Op, RegionId, Value};

impl Lower<'_> {
    pub(super) fn if_op(&mut self, op: Op) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let (then, other, join) =
            (self.emit.fresh_label("then"), self.emit.fresh_label("else"), self.emit.fresh_label("join"));
        let cond = self.s(data.operands[0]);
        self.emit.line(&format!("br i1 {cond}, label %{then}, label %{other}"));
        let mut ends = Vec::new();
        for (&region, label) in data.regions.iter().zip([&then, &other]) {
            self.emit.label(label);
            self.region(region);
            let yields: Vec<String> = kernel.yields(region).iter().map(|&v| self.s(v)).collect();
            ends.push((self.emit.block(), yields));
            self.emit.line(&format!("br label %{join}"));
        }
        self.emit.label(&join);
        for (k, &result) in data.results.iter().enumerate() {
            let ty = llvm_type(kernel.scalar(result));
            let [(a, x), (b, y)] = &ends[..] else { continue };
            let phi = self.emit.inst(&format!("phi {ty} [ {}, %{a} ], [ {}, %{b} ]", x[k], y[k]));
            self.values[result] = Some(phi);
        }
    }

    /// Phis at the head of a loop, to be completed once its end is known: each is written as a line with
    /// a place-holder for what comes round.
    fn head_phis(&mut self, values: &[(Value, String)], from: &str) -> Vec<V> {
        values
            .iter()
            .enumerate()
            .map(|(k, (value, init))| {
                let ty = llvm_type(self.kernel.scalar(*value));
                let hole = self.emit.fresh_label("hole");
                let phi = self.emit.inst(&format!("phi {ty} [ {init}, %{from} ], [ @{hole}@, %@{hole}.from@ ]"));
                self.holes.push((hole, k));
                phi
            })
            .collect()
    }

    fn fill_holes(&mut self, first: usize, yields: &[String], from: &str) {
        for (hole, k) in self.holes.split_off(first) {
            self.emit.replace(&format!("@{hole}@"), &yields[k]);
            self.emit.replace(&format!("@{hole}.from@"), from);
        }
    }

    pub(super) fn for_op(&mut self, op: Op) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let region = data.regions[0];
        let args = &kernel.regions[region].args;
        let scalar = kernel.scalar(args[0]);
        let ty = llvm_type(scalar);
        let less = if scalar.is_signed() { "slt" } else { "ult" };
        let (low, high, step) = (self.s(data.operands[0]), self.s(data.operands[1]), self.s(data.operands[2]));
        let (body, end) = (self.emit.fresh_label("for"), self.emit.fresh_label("done"));
        let before = self.emit.block();
        let any = self.emit.inst(&format!("icmp {less} {ty} {low}, {high}"));
        self.emit.line(&format!("br i1 {}, label %{body}, label %{end}", self.emit.s(any)));
        self.emit.label(&body);
        let mut carried = vec![(args[0], low.clone())];
        for (&arg, &init) in args[1..].iter().zip(&data.operands[3..]) {
            carried.push((arg, self.s(init)));
        }
        let first = self.holes.len();
        let phis = self.head_phis(&carried, &before);
        for (&arg, &phi) in args.iter().zip(&phis) {
            self.values[arg] = Some(phi);
        }
        self.region(region);
        let iv = self.emit.s(phis[0]);
        let (next, more) = if step == "1" {
            // The counter is below the end, so one more does not wrap.
            let wraps = if scalar.is_signed() { "nsw" } else { "nuw" };
            let next = self.emit.inst(&format!("add {wraps} {ty} {iv}, 1"));
            (next, self.emit.inst(&format!("icmp {less} {ty} {}, {high}", self.emit.s(next))))
        } else {
            // How far it is to the end decides whether there is another step, as the counter may wrap.
            let left = self.emit.inst(&format!("sub {ty} {high}, {iv}"));
            let next = self.emit.inst(&format!("add {ty} {iv}, {step}"));
            (next, self.emit.inst(&format!("icmp ugt {ty} {}, {step}", self.emit.s(left))))
        };
        let mut yields = vec![self.emit.s(next)];
        yields.extend(kernel.yields(region).iter().map(|&v| self.s(v)));
        let last = self.emit.block();
        self.emit.line(&format!("br i1 {}, label %{body}, label %{end}", self.emit.s(more)));
        self.fill_holes(first, &yields, &last);
        self.emit.label(&end);
        for (k, &result) in data.results.iter().enumerate() {
            let ty = llvm_type(kernel.scalar(result));
            let (init, out) = (&carried[k + 1].1, &yields[k + 1]);
            let phi = self.emit.inst(&format!("phi {ty} [ {init}, %{before} ], [ {out}, %{last} ]"));
            self.values[result] = Some(phi);
        }
    }

    pub(super) fn while_op(&mut self, op: Op) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let (cond, body): (RegionId, RegionId) = (data.regions[0], data.regions[1]);
        let (cond_args, body_args) = (&kernel.regions[cond].args, &kernel.regions[body].args);
        let (head, inside, end) =
            (self.emit.fresh_label("while"), self.emit.fresh_label("do"), self.emit.fresh_label("done"));
        let before = self.emit.block();
        self.emit.line(&format!("br label %{head}"));
        self.emit.label(&head);
        let carried: Vec<(Value, String)> =
            cond_args.iter().zip(&data.operands).map(|(&arg, &init)| (arg, self.s(init))).collect();
        let first = self.holes.len();
        let phis = self.head_phis(&carried, &before);
        for (k, &phi) in phis.iter().enumerate() {
            self.values[cond_args[k]] = Some(phi);
            self.values[body_args[k]] = Some(phi);
            self.values[data.results[k]] = Some(phi);
        }
        self.region(cond);
        let go = self.s(kernel.yields(cond)[0]);
        self.emit.line(&format!("br i1 {go}, label %{inside}, label %{end}"));
        self.emit.label(&inside);
        self.region(body);
        let yields: Vec<String> = kernel.yields(body).iter().map(|&v| self.s(v)).collect();
        let last = self.emit.block();
        self.emit.line(&format!("br label %{head}"));
        self.fill_holes(first, &yields, &last);
        self.emit.label(&end);
    }
}
