//! Which values a derivative can flow through: floats that depend, through floats, on the contents of
//! an active array. And which values derivatives see otherwise than the computation does.

use crate::records::Replay;
use pullback_ir::{Kernel, Op, OpData, OpKind, RegionId, SecondaryMap, Value};

/// For each value of the kernel whether it is active.
pub fn varied(replay: &Replay, active: &[bool]) -> SecondaryMap<Value, bool> {
    let mut map = SecondaryMap::new(false);
    // Loops feed back, so the set grows until it stands still; each round adds one at least.
    while region(replay, active, replay.kernel.body, &mut map) {}
    map
}

/// One round over a region; whether anything was added.
fn region(replay: &Replay, active: &[bool], region_id: RegionId, map: &mut SecondaryMap<Value, bool>) -> bool {
    let mut grew = false;
    for &op in &replay.kernel.regions[region_id].ops {
        grew |= visit(replay, active, op, map);
    }
    grew
}

fn visit(replay: &Replay, active: &[bool], op: Op, map: &mut SecondaryMap<Value, bool>) -> bool {
    let kernel = &replay.kernel;
    let data = &kernel.ops[op];
    let mut grew = false;
    let mut mark = |value: Value, on: bool, map: &mut SecondaryMap<Value, bool>| {
        if on && !map[value] && kernel.scalar(value).is_float() {
            map[value] = true;
            grew = true;
        }
    };
    match data.kind {
        OpKind::Load { array, .. } => {
            let on = match replay.sources.get(&op) {
                Some(source) => active[source.array as usize],
                None => active.get(array as usize).copied().unwrap_or(false),
            };
            for &r in &data.results {
                mark(r, on, map);
            }
        }
        OpKind::Residual => {
            let on = replay.sources.get(&op).is_some_and(|s| active[s.array as usize]);
            for &r in &data.results {
                mark(r, on, map);
            }
        }
        OpKind::Atomic { array, .. } => {
            let on = active.get(array as usize).copied().unwrap_or(false);
            mark(data.results[0], on, map);
        }
        OpKind::Float(_) | OpKind::Convert(_) | OpKind::Custom => {
            let on = data.operands.iter().any(|&v| map[v]);
            for &r in &data.results {
                mark(r, on, map);
            }
        }
        OpKind::Select => {
            let on = map[data.operands[1]] || map[data.operands[2]];
            mark(data.results[0], on, map);
        }
        OpKind::If => {
            for &arm in &data.regions {
                grew |= region(replay, active, arm, map);
            }
            let mut mark = |value: Value, on: bool, map: &mut SecondaryMap<Value, bool>| {
                if on && !map[value] {
                    map[value] = true;
                    grew = true;
                }
            };
            for (k, &r) in data.results.iter().enumerate() {
                let on = data.regions.iter().any(|&arm| map[kernel.yields(arm)[k]]);
                mark(r, on, map);
            }
        }
        OpKind::For | OpKind::While => {
            let (first_init, first_arg) = if data.kind == OpKind::For { (3, 1) } else { (0, 0) };
            let body = data.regions[data.regions.len() - 1];
            for (k, &r) in data.results.iter().enumerate() {
                let arg = kernel.regions[body].args[first_arg + k];
                let on = map[data.operands[first_init + k]] || map[kernel.yields(body)[k]];
                mark(arg, on, map);
                mark(r, on, map);
                if data.kind == OpKind::While {
                    mark(kernel.regions[data.regions[0]].args[k], on, map);
                }
            }
            for &inner in &data.regions {
                grew |= region(replay, active, inner, map);
            }
        }
        _ => {}
    }
    grew
}

/// For each value whether it depends on a computation with a derivative of its own that has other outputs
/// where derivatives are taken. What memory holds is what was stored, so a load does not.
pub fn shifted(kernel: &Kernel) -> SecondaryMap<Value, bool> {
    let mut map = SecondaryMap::new(false);
    loop {
        let mut more = Vec::new();
        kernel.walk(kernel.body, &mut |_, data| more.extend(shifted_by(kernel, data, &map)));
        more.retain(|&v| !map[v]);
        if more.is_empty() {
            return map;
        }
        more.into_iter().for_each(|v| map[v] = true);
    }
}

/// The values that an op shifts, if those in `map` are.
fn shifted_by(kernel: &Kernel, data: &OpData, map: &SecondaryMap<Value, bool>) -> Vec<Value> {
    let results = data.results.iter().copied().enumerate();
    match data.kind {
        OpKind::Custom if data.regions.len() == 3 => data.results.clone(),
        OpKind::If => results
            .filter(|&(k, _)| data.regions.iter().any(|&arm| map[kernel.yields(arm)[k]]))
            .map(|(_, r)| r)
            .collect(),
        OpKind::For | OpKind::While => {
            let (first_init, counters) = if data.kind == OpKind::For { (3, 1) } else { (0, 0) };
            let body = data.regions[data.regions.len() - 1];
            let on = |k: usize| map[data.operands[first_init + k]] || map[kernel.yields(body)[k]];
            let args = |k: usize| data.regions.iter().map(move |&r| kernel.regions[r].args[counters + k]);
            results.filter(|&(k, _)| on(k)).flat_map(|(k, r)| args(k).chain([r])).collect()
        }
        _ if data.kind.is_pure() || data.kind == OpKind::Custom => {
            let on = data.operands.iter().any(|&v| map[v]);
            if on { data.results.clone() } else { vec![] }
        }
        _ => vec![],
    }
}
