//! Turns every `while` whose condition reads memory into one whose condition is a carried bool.
//!
//! `while c(x) { x = b(x) }` becomes `go = c(x); while go { x = b(x); go = c(x) }`. Afterwards the
//! condition region of every loop is a function of the carried values alone, so that whatever a loop
//! reads is read in its body, where it can be kept.

use pullback_ir::pass::Rebuild;
use pullback_ir::{Kernel, Op, OpKind, RegionId, Scalar, Value};

/// Rotates the loops that need it.
pub fn rotate(kernel: &Kernel) -> Kernel {
    let mut re = Rebuild::new(kernel);
    re.body_ops(kernel.body, &mut op);
    re.finish()
}

fn op(re: &mut Rebuild<'_>, op_handle: Op) {
    let old = re.old;
    let data = &old.ops[op_handle];
    if data.kind != OpKind::While || !reads_memory(old, data.regions[0]) {
        return re.copy(op_handle, &mut op);
    }
    let (cond, body) = (data.regions[0], data.regions[1]);
    let inits = re.get_all(&data.operands);
    let first = condition(re, cond, &inits);
    let mut types = re.scalars(&data.operands);
    types.push(Scalar::Bool);
    let args = re.builder.open(&types);
    let new_cond = re.builder.close(&args[args.len() - 1..]);
    let args = re.builder.open(&types);
    re.set_all(&old.regions[body].args, &args);
    re.body_ops(body, &mut op);
    let mut next = re.get_all(old.yields(body));
    let go = condition(re, cond, &next);
    next.push(go);
    let new_body = re.builder.close(&next);
    re.builder.set_loc(data.loc);
    let results = re.builder.while_op(&[&inits[..], &[first]].concat(), new_cond, new_body);
    re.set_all(&data.results, &results);
}

/// Emits a condition region's ops for these carried values; the condition.
fn condition(re: &mut Rebuild<'_>, cond: RegionId, carried: &[Value]) -> Value {
    let old = re.old;
    re.set_all(&old.regions[cond].args, carried);
    re.body_ops(cond, &mut op);
    re.get(old.yields(cond)[0])
}

fn reads_memory(kernel: &Kernel, region: RegionId) -> bool {
    let mut found = false;
    kernel.walk(region, &mut |_, data| {
        found |= matches!(data.kind, OpKind::Load { .. } | OpKind::Store { .. } | OpKind::Atomic { .. });
    });
    found
}
