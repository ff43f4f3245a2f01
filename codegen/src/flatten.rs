//! Turns small `if`s into straight code with selects, so that the thread loop vectorises.
//!
//! An arm may hold pure ops, and loads and stores of elements that belong to this thread alone and
//! whose index cannot be out of range. A store under a condition becomes a store of either the new
//! value or what was there. Doing both arms costs more work and no branch; results are the same.

use pullback_ir::access::{self, ArrayFacts};
use pullback_ir::pass::{Rebuild, dce, forward};
use pullback_ir::{AtomicOp, BoolOp, Compare, IntOp, Kernel, Op, OpKind, RegionId, Value};

/// Arms of more ops than this stay branches.
const LARGEST: usize = 400;

/// Flattens what can be. `prechecked` says that thread ids used as indices are in range.
pub(crate) fn flatten(kernel: &Kernel, prechecked: bool) -> Kernel {
    let mut loops = false;
    let mut branches = false;
    kernel.walk(kernel.body, &mut |_, data| {
        loops |= matches!(data.kind, OpKind::For | OpKind::While | OpKind::Push { .. } | OpKind::Record);
        branches |= data.kind == OpKind::If;
    });
    // With a loop inside, the thread loop is not vectorised anyway, and a branch is cheaper.
    if loops || !branches || !prechecked {
        return kernel.clone();
    }
    let facts = access::facts(kernel);
    let mut re = Rebuild::new(kernel);
    re.body_ops(kernel.body, &mut |re, op| visit(re, op, &facts));
    // What a select of a store keeps has often been loaded before.
    dce(&forward(&re.finish()))
}

fn visit(re: &mut Rebuild<'_>, op: Op, facts: &[ArrayFacts]) {
    let old = re.old;
    let data = &old.ops[op];
    let fits = data.kind == OpKind::If
        && data.regions.iter().all(|&r| {
            let mut size = 0;
            flattens(old, r, facts, &mut size) && size <= LARGEST
        });
    if !fits {
        return re.copy(op, &mut |re, op| visit(re, op, facts));
    }
    let cond = re.get(data.operands[0]);
    arm(re, data.regions[0], cond, true);
    let yes = re.get_all(old.yields(data.regions[0]));
    arm(re, data.regions[1], cond, false);
    let no = re.get_all(old.yields(data.regions[1]));
    re.builder.set_loc(data.loc);
    for ((&result, &yes), &no) in data.results.iter().zip(&yes).zip(&no) {
        let value = re.builder.select(cond, yes, no);
        re.set(result, value);
    }
}

/// Emits an arm in line; its stores take effect where `cond` is `when`.
fn arm(re: &mut Rebuild<'_>, region: RegionId, cond: Value, when: bool) {
    let old = re.old;
    for &op in &old.regions[region].ops {
        let data = &old.ops[op];
        re.builder.set_loc(data.loc);
        match data.kind {
            OpKind::Yield => {}
            OpKind::Store { array, component } => {
                let rank = old.params[array as usize].array().map_or(0, |(_, rank, _)| rank as usize);
                let indices = re.get_all(&data.operands[..rank]);
                let new = re.get_all(&data.operands[rank..]);
                let kept = match component {
                    Some(c) => vec![re.builder.load_component(array, &indices, c)],
                    None => re.builder.load(array, &indices),
                };
                let values: Vec<Value> = new
                    .iter()
                    .zip(&kept)
                    .map(|(&new, &kept)| {
                        let (yes, no) = if when { (new, kept) } else { (kept, new) };
                        re.builder.select(cond, yes, no)
                    })
                    .collect();
                match component {
                    Some(c) => re.builder.store_component(array, &indices, c, values[0]),
                    None => re.builder.store(array, &indices, &values),
                }
            }
            OpKind::Atomic { op: how, array, component } => {
                // The element is this thread's alone, so this is a load, an op and a store.
                let rank = old.params[array as usize].array().map_or(0, |(_, rank, _)| rank as usize);
                let (indices, values) = data.operands.split_at(rank);
                let (values, indices) = (re.get_all(values), re.get_all(indices));
                let found = re.builder.load_component(array, &indices, component);
                let sum = combine(re, how, found, &values);
                let (yes, no) = if when { (sum, found) } else { (found, sum) };
                let kept = re.builder.select(cond, yes, no);
                re.builder.store_component(array, &indices, component, kept);
                re.set(data.results[0], found);
            }
            OpKind::Check(_) => {
                // Of the arm that is not taken nothing is asked.
                let mut operands = re.get_all(&data.operands);
                let elsewhere = match when {
                    true => re.builder.bool(BoolOp::Not, &[cond]),
                    false => cond,
                };
                operands[0] = re.builder.bool(BoolOp::Or, &[operands[0], elsewhere]);
                re.builder.push(data.kind.clone(), operands, &[], vec![]);
            }
            OpKind::If => {
                let inner = re.get(data.operands[0]);
                let mut yields = Vec::new();
                for (k, &inside) in data.regions.iter().enumerate() {
                    // Stores of an inner arm need both conditions.
                    let here = match k {
                        0 => inner,
                        _ => re.builder.bool(BoolOp::Not, &[inner]),
                    };
                    let outer = match when {
                        true => cond,
                        false => re.builder.bool(BoolOp::Not, &[cond]),
                    };
                    let both = re.builder.bool(BoolOp::And, &[outer, here]);
                    arm(re, inside, both, true);
                    yields.push(re.get_all(old.yields(inside)));
                }
                for (k, &result) in data.results.iter().enumerate() {
                    let value = re.builder.select(inner, yields[0][k], yields[1][k]);
                    re.set(result, value);
                }
            }
            _ => re.copy_leaf(op),
        }
    }
}

fn combine(re: &mut Rebuild<'_>, how: AtomicOp, found: Value, values: &[Value]) -> Value {
    let Some(&value) = values.last() else { return found };
    match (how, how.arithmetic(), re.builder.scalar(value).is_float()) {
        (_, (Some(float), _), true) => re.builder.float(float, &[found, value]),
        (_, (_, Some(int)), false) => re.builder.int(int, &[found, value]),
        (AtomicOp::CompareExchange, ..) => {
            let same = re.builder.compare(Compare::Eq, found, values[0]);
            re.builder.select(same, value, found)
        }
        _ => value,
    }
}

/// Whether an arm can be emitted in line; counts its ops.
fn flattens(kernel: &Kernel, region: RegionId, facts: &[ArrayFacts], size: &mut usize) -> bool {
    kernel.regions[region].ops.iter().all(|&op| {
        let data = &kernel.ops[op];
        *size += 1;
        match data.kind {
            OpKind::Yield => true,
            // A division by zero in the arm that is not taken would be a fault.
            OpKind::Int(IntOp::Div | IntOp::Rem) => false,
            OpKind::If => data.regions.iter().all(|&r| flattens(kernel, r, facts, size)),
            OpKind::Load { array, .. } => own_element(kernel, array, &data.operands),
            OpKind::Store { array, .. } | OpKind::Atomic { array, .. } => {
                let loads = kernel.params[array as usize].array().is_some_and(|(_, _, access)| access.reads());
                let private = facts[array as usize].private;
                private && loads && own_element(kernel, array, &data.operands)
            }
            // There is a record only where the primal's thread came by.
            OpKind::Residual => false,
            OpKind::Check(_) => true,
            _ => data.kind.is_pure(),
        }
    })
}

/// Whether every index of an access is a thread id, so that it has been checked before the launch.
fn own_element(kernel: &Kernel, array: u32, operands: &[Value]) -> bool {
    let rank = kernel.params[array as usize].array().map_or(0, |(_, rank, _)| rank as usize);
    operands[..rank].iter().all(|&v| access::thread_axis(kernel, v).is_some())
}
