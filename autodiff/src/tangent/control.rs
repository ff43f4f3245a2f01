//! Control flow: branches yield tangents beside their results, loops carry them beside what they carry.

use super::Forward;
use pullback_ir::{Kernel, Op, OpKind, RegionId, Scalar, Value};

/// Which of the results of an op have company: for each position whether it has tangents, and whether it
/// is another value where derivatives are taken.
struct Company(Vec<(bool, bool)>);

impl<'k> Forward<'k> {
    fn company(&self, results: &[Value]) -> Company {
        Company(results.iter().map(|&v| (self.varied[v], self.shifted[v])).collect())
    }

    /// Their types, tangents before shifted values.
    fn company_types(&self, company: &Company, values: &[Value]) -> Vec<Scalar> {
        let old = self.re.old;
        let mut types = Vec::new();
        for (&v, _) in values.iter().zip(&company.0).filter(|(_, c)| c.0) {
            types.extend(std::iter::repeat_n(old.scalar(v).wide_float(), self.columns as usize));
        }
        types.extend(values.iter().zip(&company.0).filter(|(_, c)| c.1).map(|(&v, _)| old.scalar(v)));
        types
    }

    /// The company of these values here.
    fn company_of(&mut self, company: &Company, values: &[Value]) -> Vec<Value> {
        let mut all = Vec::new();
        for (&v, _) in values.iter().zip(&company.0).filter(|(_, c)| c.0) {
            all.extend(self.tangent(v));
        }
        all.extend(values.iter().zip(&company.0).filter(|(_, c)| c.1).map(|(&v, _)| self.seen(v)));
        all
    }

    /// Says what the company of these values is.
    fn bind_company(&mut self, company: &Company, values: &[Value], all: &[Value]) {
        let mut all = all.iter().copied();
        for (&v, _) in values.iter().zip(&company.0).filter(|(_, c)| c.0) {
            let of: Vec<Value> = all.by_ref().take(self.columns as usize).collect();
            self.tangents.insert(v, of);
        }
        for (&v, _) in values.iter().zip(&company.0).filter(|(_, c)| c.1) {
            self.near.extend(all.next().map(|near| (v, near)));
        }
    }

    pub(super) fn branch(&mut self, op: Op) {
        let old: &'k Kernel = self.re.old;
        let data = &old.ops[op];
        let company = self.company(&data.results);
        let cond = self.re.get(data.operands[0]);
        let arms: Vec<RegionId> = data.regions.iter().map(|&arm| self.arm(arm, &company)).collect();
        self.re.builder.set_loc(data.loc);
        let all = self.re.builder.if_op(cond, arms[0], arms[1]);
        self.bind_results(op, &company, &all);
    }

    fn arm(&mut self, arm: RegionId, company: &Company) -> RegionId {
        let old: &'k Kernel = self.re.old;
        self.re.builder.open(&[]);
        self.ops(arm);
        let mut yields = self.re.get_all(old.yields(arm));
        yields.extend(self.company_of(company, old.yields(arm)));
        self.re.builder.close(&yields)
    }

    fn bind_results(&mut self, op: Op, company: &Company, all: &[Value]) {
        let old: &'k Kernel = self.re.old;
        let results = &old.ops[op].results;
        let (own, others) = all.split_at(results.len());
        self.re.set_all(results, own);
        self.bind_company(company, results, others);
    }

    pub(super) fn repeat(&mut self, op: Op) {
        let old: &'k Kernel = self.re.old;
        let data = &old.ops[op];
        let company = self.company(&data.results);
        let (counters, first_init) = if data.kind == OpKind::For { (1, 3) } else { (0, 0) };
        let mut operands = self.re.get_all(&data.operands);
        operands.extend(self.company_of(&company, &data.operands[first_init..]));
        let mut regions = Vec::new();
        for (which, &region) in data.regions.iter().enumerate() {
            let old_args = &old.regions[region].args;
            let carried = &old_args[counters..];
            let mut types = self.re.scalars(old_args);
            types.extend(self.company_types(&company, carried));
            let args = self.re.builder.open(&types);
            let (own, others) = args.split_at(old_args.len());
            self.re.set_all(old_args, own);
            self.bind_company(&company, carried, others);
            self.ops(region);
            let mut yields = self.re.get_all(old.yields(region));
            if which + 1 == data.regions.len() {
                yields.extend(self.company_of(&company, old.yields(region)));
            }
            regions.push(self.re.builder.close(&yields));
        }
        let mut types = self.re.scalars(&data.results);
        types.extend(self.company_types(&company, &data.results));
        self.re.builder.set_loc(data.loc);
        let new = self.re.builder.push(data.kind.clone(), operands, &types, regions);
        let all = self.re.builder.kernel().ops[new].results.clone();
        self.bind_results(op, &company, &all);
    }
}
