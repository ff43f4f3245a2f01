//! Replaces every computation with a derivative of its own by what it computes.
//!
//! Differentiation needs them whole; whoever only runs a kernel does not.

use super::rebuild::Rebuild;
use crate::entity::Op;
use crate::kernel::{Kernel, OpKind};

/// The kernel without [`OpKind::Custom`].
pub fn inline(kernel: &Kernel) -> Kernel {
    let mut re = Rebuild::new(kernel);
    re.body_ops(kernel.body, &mut visit);
    re.finish()
}

fn visit(re: &mut Rebuild<'_>, op: Op) {
    let old = re.old;
    let data = &old.ops[op];
    if data.kind != OpKind::Custom {
        return re.copy(op, &mut visit);
    }
    let region = data.regions[0];
    let inputs = re.get_all(&data.operands);
    re.set_all(&old.regions[region].args, &inputs);
    re.body_ops(region, &mut visit);
    let outputs = re.get_all(old.yields(region));
    re.set_all(&data.results, &outputs);
}
