//! Feeds a load from an earlier load or store of the same element, where nothing between can have
//! changed it.
//!
//! Right whatever the other threads do, since threads behave as if they ran one after the other. Two
//! accesses of one array are the same element if their indices are the same values, different if the
//! indices differ by a known amount, and else may be either. Different parameters never overlap where
//! one of them is written: a launch that would make them is refused.

use super::rebuild::Rebuild;
use crate::entity::{Op, RegionId, Value};
use crate::kernel::{Kernel, OpKind};
use crate::ops::IntOp;

/// What is known to be in memory: element, component and the (new) value.
#[derive(Clone, PartialEq)]
struct Known {
    array: u32,
    indices: Vec<Value>,
    component: u32,
    value: Value,
}

/// Feeds loads from earlier accesses.
pub fn forward(kernel: &Kernel) -> Kernel {
    let mut re = Rebuild::new(kernel);
    let mut known = Vec::new();
    ops(&mut re, kernel.body, &mut known);
    re.finish()
}

/// Whether two index tuples surely name different elements.
pub fn distinct(kernel: &Kernel, a: &[Value], b: &[Value]) -> bool {
    a.iter().zip(b).any(|(&a, &b)| {
        let (base_a, offset_a) = split(kernel, a);
        let (base_b, offset_b) = split(kernel, b);
        base_a == base_b && offset_a != offset_b
    })
}

/// An index as a value plus a constant.
fn split(kernel: &Kernel, value: Value) -> (Option<Value>, i64) {
    let constant = |v| kernel.constant(v).and_then(|c| c.as_i64());
    if let Some(c) = constant(value) {
        return (None, c);
    }
    if let Some(op) = kernel.def_op(value) {
        let data = &kernel.ops[op];
        match data.kind {
            OpKind::Int(IntOp::Add) => match (constant(data.operands[0]), constant(data.operands[1])) {
                (_, Some(c)) => return (Some(data.operands[0]), c),
                (Some(c), _) => return (Some(data.operands[1]), c),
                _ => {}
            },
            OpKind::Int(IntOp::Sub) => {
                if let Some(c) = constant(data.operands[1]) {
                    return (Some(data.operands[0]), c.wrapping_neg());
                }
            }
            _ => {}
        }
    }
    (Some(value), 0)
}

fn ops(re: &mut Rebuild<'_>, region: RegionId, known: &mut Vec<Known>) {
    let old = re.old;
    for &op in &old.regions[region].ops {
        let data = &old.ops[op];
        match data.kind {
            OpKind::Yield => {}
            OpKind::Load { array, component } => load(re, op, array, component, known),
            OpKind::Store { array, component } => {
                let rank = rank(old, array);
                let indices = re.get_all(&data.operands[..rank]);
                let first = component.unwrap_or(0);
                re.copy_leaf(op);
                for (i, &value) in data.operands[rank..].iter().enumerate() {
                    let component = first + i as u32;
                    kill(re, known, array, component, &indices);
                    let value = re.get(value);
                    known.push(Known { array, indices: indices.clone(), component, value });
                }
            }
            OpKind::Atomic { array, component, .. } => {
                let indices = re.get_all(&data.operands[..rank(old, array)]);
                re.copy_leaf(op);
                kill(re, known, array, component, &indices);
            }
            OpKind::If => {
                let before = known.clone();
                let mut after = Vec::new();
                let operands = re.get_all(&data.operands);
                let mut arms = Vec::new();
                for &arm in &data.regions {
                    let mut inside = before.clone();
                    re.builder.open(&[]);
                    ops(re, arm, &mut inside);
                    let yields = re.get_all(old.yields(arm));
                    arms.push(re.builder.close(&yields));
                    after.push(inside);
                }
                re.builder.set_loc(data.loc);
                let results = re.builder.if_op(operands[0], arms[0], arms[1]);
                re.set_all(&data.results, &results);
                known.retain(|k| after.iter().all(|a| a.contains(k)));
            }
            OpKind::For | OpKind::While => {
                forget_written(old, op, known);
                let operands = re.get_all(&data.operands);
                let mut regions = Vec::new();
                for &region in &data.regions {
                    let types = re.scalars(&old.regions[region].args);
                    let args = re.builder.open(&types);
                    re.set_all(&old.regions[region].args, &args);
                    let mut inside = known.clone();
                    ops(re, region, &mut inside);
                    let yields = re.get_all(old.yields(region));
                    regions.push(re.builder.close(&yields));
                }
                re.builder.set_loc(data.loc);
                let types = re.scalars(&data.results);
                let new = re.builder.push(data.kind.clone(), operands, &types, regions);
                let results = re.builder.kernel().ops[new].results.clone();
                re.set_all(&data.results, &results);
            }
            _ => re.copy_leaf(op),
        }
    }
}

fn rank(kernel: &Kernel, array: u32) -> usize {
    kernel.params[array as usize].array().map_or(0, |(_, rank, _)| rank as usize)
}

fn load(re: &mut Rebuild<'_>, op: Op, array: u32, component: Option<u32>, known: &mut Vec<Known>) {
    let data = &re.old.ops[op];
    let indices = re.get_all(&data.operands);
    let first = component.unwrap_or(0);
    let find =
        |c: u32| known.iter().find(|k| k.array == array && k.component == c && k.indices == indices).map(|k| k.value);
    let values: Option<Vec<Value>> = (0..data.results.len()).map(|i| find(first + i as u32)).collect();
    match values {
        Some(values) => re.set_all(&data.results, &values),
        None => {
            re.copy_leaf(op);
            for (i, &result) in data.results.iter().enumerate() {
                let component = first + i as u32;
                match find_known(known, array, component, &indices) {
                    // What a store left is more than what a load would bring: it needs no memory.
                    Some(value) => re.set(result, value),
                    None => {
                        let value = re.get(result);
                        known.push(Known { array, indices: indices.clone(), component, value });
                    }
                }
            }
        }
    }
}

fn find_known(known: &[Known], array: u32, component: u32, indices: &[Value]) -> Option<Value> {
    known.iter().find(|k| k.array == array && k.component == component && k.indices == indices).map(|k| k.value)
}

/// Forgets what a write to this element may have changed.
fn kill(re: &Rebuild<'_>, known: &mut Vec<Known>, array: u32, component: u32, indices: &[Value]) {
    let kernel = re.builder.kernel();
    known.retain(|k| {
        k.array != array || k.component != component || (distinct(kernel, &k.indices, indices) && k.indices != indices)
    });
}

/// Forgets what a loop may have changed before any of its iterations.
fn forget_written(old: &Kernel, op: Op, known: &mut Vec<Known>) {
    for &region in &old.ops[op].regions {
        old.walk(region, &mut |_, data| match data.kind {
            OpKind::Store { array, component } => {
                known.retain(|k| k.array != array || component.is_some_and(|c| c != k.component));
            }
            OpKind::Atomic { array, component, .. } => {
                known.retain(|k| k.array != array || k.component != component);
            }
            _ => {}
        });
    }
}
