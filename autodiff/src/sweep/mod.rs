//! The adjoint kernel: every region is replayed forward and then walked back.
//!
//! Two maps go along. `env` takes values of the primal to their replayed values in the scope at hand;
//! `cts` takes active values of the primal to their cotangents so far. Reversing a region first replays
//! its ops (loops in a form that pushes, at the start of each iteration, all carried values), then
//! visits them last to first. What a region contributes to values from outside it is handed out
//! explicitly: as results of an `if`, as carried values of a loop.

mod control;
mod custom;
mod memory;
mod replay;

use crate::activity;
use crate::records::Replay;
use pullback_ir::ops::emit_partials;
use pullback_ir::pass;
use pullback_ir::{Access, Builder, Compare, Constant, FloatOp, Kernel, Op, OpKind, ParamKind, RegionId};
use pullback_ir::{SecondaryMap, Value};
use std::collections::{HashMap, HashSet};

/// Primal values and what they are in the adjoint kernel.
type Map = HashMap<Value, Value>;

struct Sweep<'r> {
    replay: &'r Replay,
    primal: &'r Kernel,
    builder: Builder,
    varied: SecondaryMap<Value, bool>,
    /// For each parameter of the primal, the parameter with its cotangents.
    adjoints: Vec<Option<u32>>,
    next_site: u32,
    /// How many loops have a trail so far.
    loops: u32,
    /// The loops (as numbered by `loops`) whose trail is thinned.
    thinned: &'r HashSet<u32>,
    /// How many iterations of a thinned loop are kept whole at first.
    segment: i64,
    /// For each site of a full trail the loop.
    full: Vec<(u32, u32)>,
}

/// How an augmented loop of the replay can be undone.
#[derive(Clone, Copy)]
enum Trail {
    /// Each iteration pushed its carried values.
    Full {
        /// Its push.
        site: u32,
        /// How often it ran, for a `while`.
        trips: Option<Value>,
    },
    /// The iterations are in segments, each one longer than the one before. Of the last segment each
    /// iteration left its carried values on the stack, of the segments before the first one did.
    Thinned {
        /// The pushes at the start of a segment.
        starts: u32,
        /// The pushes of each iteration.
        site: u32,
        /// How many iterations the last segment still had room for.
        room: Value,
        /// The number of the last segment.
        last: Value,
    },
}

/// Builds the adjoint of a primal made ready for replay.
///
/// The trail of a loop takes memory for each iteration. Where dead code elimination finds nothing to
/// keep, it is gone; for the other loops that may be long the adjoint is built again with a thinned
/// trail, of about the square root of 2n segments for n iterations, for which the loop runs once more.
pub fn adjoint(replay: &Replay, active: &[bool], segment: i64) -> Kernel {
    let (kernel, full) = build(replay, active, segment, &HashSet::new());
    let mut keeps = HashSet::new();
    kernel.walk(kernel.body, &mut |_, data| {
        if let (OpKind::Push { site }, false) = (&data.kind, data.operands.is_empty()) {
            keeps.insert(*site);
        }
    });
    let thinned: HashSet<u32> = full.iter().filter(|(site, _)| keeps.contains(site)).map(|&(_, which)| which).collect();
    if thinned.is_empty() { kernel } else { build(replay, active, segment, &thinned).0 }
}

/// The adjoint, and of the loops that may be long the site of each with a full trail.
fn build(replay: &Replay, active: &[bool], segment: i64, thinned: &HashSet<u32>) -> (Kernel, Vec<(u32, u32)>) {
    let primal = &replay.kernel;
    let mut builder = Builder::new(format!("{}_adjoint", primal.name), primal.rank);
    let mut env = Map::new();
    for param in &primal.params {
        match &param.kind {
            ParamKind::Scalar(scalar, value) => {
                env.insert(*value, builder.scalar_param(param.name.clone(), *scalar));
            }
            ParamKind::Array { element, rank, .. } => {
                builder.array_param(param.name.clone(), element.clone(), *rank, Access::Read);
            }
        }
    }
    let mut names: HashSet<String> = primal.params.iter().map(|p| p.name.clone()).collect();
    let mut adjoints = vec![None; primal.params.len()];
    for (i, param) in primal.params.iter().enumerate() {
        if let (Some((element, rank, _)), Some(true)) = (param.array(), active.get(i)) {
            // The user may have taken the name: another `_` until it is free.
            let mut name = format!("adj_{}", param.name);
            while !names.insert(name.clone()) {
                name.push('_');
            }
            adjoints[i] = Some(builder.array_param(name, element.clone(), rank, Access::ReadWrite));
        }
    }
    let varied = activity::varied(replay, active);
    let (next_site, loops, full) = (0, 0, Vec::new());
    let mut sweep = Sweep { replay, primal, builder, varied, adjoints, next_site, loops, thinned, segment, full };
    let mut cts = Map::new();
    sweep.region(primal.body, &mut env, &mut cts);
    let kernel = sweep.builder.finish();
    // Dead code first, as most of what was made is; then what is left gets simpler, and so deader.
    (pass::dce(&pass::simplify(&pass::forward(&pass::simplify(&pass::dce(&kernel))))), sweep.full)
}

impl Sweep<'_> {
    /// Replays a region and walks it back. `cts` brings the cotangents of what the region yields and
    /// leaves with those of everything around it that it used.
    fn region(&mut self, region: RegionId, env: &mut Map, cts: &mut Map) {
        let primal = self.primal;
        let ops = &primal.regions[region].ops;
        let mut trails = HashMap::new();
        for &op in ops {
            self.replay_op(op, env, Some(&mut trails));
        }
        for &op in ops.iter().rev() {
            self.builder.set_loc(primal.ops[op].loc);
            self.reverse(op, env, cts, &trails);
        }
    }

    fn reverse(&mut self, op: Op, env: &Map, cts: &mut Map, trails: &HashMap<Op, Trail>) {
        let primal = self.primal;
        let data = &primal.ops[op];
        match data.kind {
            OpKind::Float(float) => {
                let Some(ct) = cts.remove(&data.results[0]) else { return };
                let operands: Vec<Value> = data.operands.iter().map(|&v| at(env, v)).collect();
                let partials = emit_partials(&mut self.builder, float, &operands, at(env, data.results[0]));
                for (&operand, partial) in data.operands.iter().zip(partials) {
                    if self.varied[operand]
                        && let Some(share) = self.strong_product(ct, partial)
                    {
                        self.contribute(cts, operand, share);
                    }
                }
            }
            OpKind::Convert(_) => {
                let Some(ct) = cts.remove(&data.results[0]) else { return };
                let scalar = primal.scalar(data.operands[0]);
                if scalar.is_float() {
                    let share = self.builder.convert(scalar.wide_float(), ct);
                    self.contribute(cts, data.operands[0], share);
                }
            }
            OpKind::Select => {
                let Some(ct) = cts.remove(&data.results[0]) else { return };
                let cond = at(env, data.operands[0]);
                let zero = self.zero_like(ct);
                for (k, yes, no) in [(1, ct, zero), (2, zero, ct)] {
                    if self.varied[data.operands[k]] {
                        let share = self.builder.select(cond, yes, no);
                        self.contribute(cts, data.operands[k], share);
                    }
                }
            }
            OpKind::Load { .. } | OpKind::Residual => self.reverse_load(op, env, cts),
            OpKind::Store { array, component } => self.reverse_store(op, array, component, env, cts),
            OpKind::Atomic { op: how, array, component } => {
                self.reverse_atomic(op, how, array, component, env, cts);
            }
            OpKind::Custom => self.reverse_custom(op, env, cts),
            OpKind::If => self.reverse_if(op, env, cts),
            OpKind::For | OpKind::While => {
                if let Some(&trail) = trails.get(&op) {
                    self.reverse_loop(op, trail, env, cts);
                }
            }
            OpKind::Const(_)
            | OpKind::Int(_)
            | OpKind::Bool(_)
            | OpKind::Compare(_)
            | OpKind::ThreadId(_)
            | OpKind::LaunchSize(_)
            | OpKind::Len { .. }
            | OpKind::ResidualBase
            | OpKind::Yield
            | OpKind::Check(_)
            | OpKind::Print(_)
            // Refused before.
            | OpKind::Push { .. }
            | OpKind::Pop { .. }
            | OpKind::Drop { .. }
            | OpKind::Record => {}
        }
    }

    /// cotangent · partial, where a cotangent of 0 gives 0 whatever the partial; `None` if the partial
    /// is 0 everywhere.
    fn strong_product(&mut self, ct: Value, partial: Value) -> Option<Value> {
        match self.builder.kernel().constant(partial).and_then(Constant::as_f64) {
            Some(0.0) => None,
            Some(1.0) => Some(ct),
            Some(-1.0) => Some(self.builder.float(FloatOp::Neg, &[ct])),
            Some(_) => Some(self.builder.float(FloatOp::Mul, &[ct, partial])),
            None => {
                let zero = self.zero_like(ct);
                let dead = self.builder.compare(Compare::Eq, ct, zero);
                let product = self.builder.float(FloatOp::Mul, &[ct, partial]);
                Some(self.builder.select(dead, zero, product))
            }
        }
    }

    fn zero_like(&mut self, value: Value) -> Value {
        let scalar = self.builder.scalar(value);
        self.builder.constant(Constant::zero(scalar))
    }

    /// Adds to the cotangent of a primal value.
    fn contribute(&mut self, cts: &mut Map, value: Value, share: Value) {
        if !self.varied[value] {
            return;
        }
        let sum = match cts.get(&value) {
            Some(&sum) => self.builder.float(FloatOp::Add, &[sum, share]),
            None => share,
        };
        cts.insert(value, sum);
    }
}

/// What a primal value is in the scope at hand. Scopes of the replay nest as those of the primal do.
fn at(env: &Map, value: Value) -> Value {
    debug_assert!(env.contains_key(&value), "{value} is used before its replay");
    env.get(&value).copied().unwrap_or(value)
}
