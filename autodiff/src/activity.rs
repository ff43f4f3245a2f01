//! Which values a derivative can flow through: floats that depend, through floats, on the contents of
//! an active array.

use crate::records::Replay;
use pullback_ir::{Op, OpKind, RegionId, SecondaryMap, Value};

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
            }
            grew |= region(replay, active, body, map);
        }
        _ => {}
    }
    grew
}
