//! The verifier: what every pass after it may rely on.
//!
//! It checks handles, scopes, operand and result types, region shapes, array access modes and the
//! pairing of stack ops, and reports all faults at once. [`Verified`] can be made only here, and
//! differentiation and code generation accept nothing else.

mod error;
mod ops;

pub use error::{VerifyError, VerifyErrors};

use crate::entity::{Op, RegionId, SecondaryMap, Value};
use crate::kernel::{Kernel, OpKind, ParamKind, ValueDef};
use crate::loc::{Loc, Located};
use crate::types::Scalar;
use std::collections::HashMap;
use std::ops::Deref;

/// A kernel that has passed [`verify`].
#[derive(Clone, Copy, Debug)]
pub struct Verified<'k>(&'k Kernel);

impl<'k> Verified<'k> {
    /// The kernel.
    pub fn kernel(self) -> &'k Kernel {
        self.0
    }
}

impl Deref for Verified<'_> {
    type Target = Kernel;
    fn deref(&self) -> &Kernel {
        self.0
    }
}

/// Checks a kernel.
///
/// # Errors
/// All faults found, each with the place it came from where that is known.
pub fn verify(kernel: &Kernel) -> Result<Verified<'_>, VerifyErrors> {
    let mut checker = Checker {
        kernel,
        errors: Vec::new(),
        defined: SecondaryMap::new(false),
        seen_ops: SecondaryMap::new(false),
        seen_regions: SecondaryMap::new(false),
        pushes: HashMap::new(),
        drops: Vec::new(),
        pops: HashMap::new(),
        loc: None,
    };
    checker.params();
    checker.region(kernel.body, &[], true);
    checker.stack_sites();
    match checker.errors.is_empty() {
        true => Ok(Verified(kernel)),
        false => Err(VerifyErrors { kernel: kernel.name.clone(), errors: checker.errors }),
    }
}

struct Checker<'k> {
    kernel: &'k Kernel,
    errors: Vec<Located<VerifyError>>,
    /// Values in scope.
    defined: SecondaryMap<Value, bool>,
    seen_ops: SecondaryMap<Op, bool>,
    seen_regions: SecondaryMap<RegionId, bool>,
    pushes: HashMap<u32, Vec<Scalar>>,
    drops: Vec<(u32, usize)>,
    pops: HashMap<u32, Vec<Scalar>>,
    loc: Option<Loc>,
}

impl Checker<'_> {
    fn fail(&mut self, what: VerifyError) {
        self.errors.push(Located { what, loc: self.loc });
    }

    fn params(&mut self) {
        let kernel = self.kernel;
        if !(1..=4).contains(&kernel.rank) {
            self.fail(VerifyError::LaunchRank { rank: kernel.rank });
        }
        for (i, param) in kernel.params.iter().enumerate() {
            let name = param.name.clone();
            if name.is_empty() || kernel.params[..i].iter().any(|p| p.name == param.name) {
                self.fail(VerifyError::ParamName { name: name.clone() });
            }
            match &param.kind {
                ParamKind::Array { element, rank, .. } => {
                    if !(1..=4).contains(rank) || element.components().is_empty() {
                        self.fail(VerifyError::ArrayShape { name, rank: *rank });
                    }
                }
                ParamKind::Scalar(scalar, value) => match kernel.values.get(*value) {
                    Some(v) if v.scalar == *scalar && v.def == ValueDef::Param(i as u32) => {
                        self.defined[*value] = true;
                    }
                    _ => self.fail(VerifyError::Definition { value: *value }),
                },
            }
        }
    }

    /// Checks a region whose arguments must have these types. Its values go out of scope at its end.
    fn region(&mut self, region: RegionId, args: &[Scalar], is_body: bool) {
        let kernel = self.kernel;
        let Some(data) = kernel.regions.get(region) else {
            return self.fail(VerifyError::Handle { what: format!("{region}") });
        };
        if self.seen_regions[region] {
            return self.fail(VerifyError::HeldTwice { what: format!("{region}") });
        }
        self.seen_regions[region] = true;
        let mut scope = Vec::new();
        for (i, &arg) in data.args.iter().enumerate() {
            match kernel.values.get(arg) {
                Some(v) if v.def == ValueDef::Arg(region, i as u32) => {
                    self.defined[arg] = true;
                    scope.push(arg);
                }
                _ => self.fail(VerifyError::Definition { value: arg }),
            }
        }
        let found = self.types(&data.args);
        if found != args {
            self.fail(VerifyError::RegionArgs { region, found, expected: args.to_vec() });
        }
        for (i, &op) in data.ops.iter().enumerate() {
            let Some(op_data) = kernel.ops.get(op) else {
                self.fail(VerifyError::Handle { what: format!("{op}") });
                continue;
            };
            if self.seen_ops[op] {
                self.fail(VerifyError::HeldTwice { what: format!("{op}") });
                continue;
            }
            self.seen_ops[op] = true;
            self.loc = op_data.loc;
            let last = i + 1 == data.ops.len();
            if (op_data.kind == OpKind::Yield) != last {
                self.fail(VerifyError::Yield { region });
            }
            self.op(op_data);
            self.loc = op_data.loc;
            for (k, &result) in op_data.results.iter().enumerate() {
                match kernel.values.get(result) {
                    Some(v) if v.def == ValueDef::Result(op, k as u32) => {
                        self.defined[result] = true;
                        scope.push(result);
                    }
                    _ => self.fail(VerifyError::Definition { value: result }),
                }
            }
        }
        if data.ops.is_empty() {
            self.fail(VerifyError::Yield { region });
        }
        if is_body && !kernel.yields(region).is_empty() {
            self.fail(VerifyError::Yield { region });
        }
        for value in scope {
            self.defined[value] = false;
        }
    }

    /// The types of values; a value out of range has none and is reported where it is used.
    fn types(&self, values: &[Value]) -> Vec<Scalar> {
        values.iter().filter_map(|&v| self.kernel.values.get(v)).map(|v| v.scalar).collect()
    }

    fn stack_sites(&mut self) {
        self.loc = None;
        for (site, popped) in std::mem::take(&mut self.pops) {
            match self.pushes.get(&site) {
                Some(pushed) if *pushed == popped => {}
                _ => self.fail(VerifyError::StackSite { site }),
            }
        }
        for (site, width) in std::mem::take(&mut self.drops) {
            if self.pushes.get(&site).is_none_or(|pushed| pushed.len() != width) {
                self.fail(VerifyError::StackSite { site });
            }
        }
    }
}
