//! Adjoint kernels and tangent kernels: reverse and forward differentiation of Pullback IR into Pullback IR.
//!
//! [`reverse`] takes a kernel and makes the kernel that carries cotangents back through one launch of
//! it: from cotangents of what the arrays hold after the launch to cotangents of what they held before,
//! in place. It is a transformation of the region tree:
//!
//! - `records` finds the loads that a replay from the arrays' contents before the launch could not
//!   repeat, and makes the augmented primal that keeps their values;
//! - `activity` finds the values that a derivative can flow through;
//! - `sweep` replays each region forward and walks it back, region by region: an `if` is replayed and
//!   reversed inside each arm, a loop pushes its carried values on the thread's stack as it runs and
//!   pops them as its iterations are undone; a long loop, those of its last stretch, and the stretches
//!   before run again from where they began;
//! - dead-code elimination then removes every push, pop and replayed op that no derivative needed.
//!
//! [`forward`] makes the kernel that does what the primal does and carries tangents along, in `tangent`.
//!
//! Wherever a cotangent meets a partial derivative that is not a constant, an incoming 0 gives 0
//! whatever the partial is, so that a branch that was not taken cannot make a NaN.
#![forbid(unsafe_code)]

mod activity;
mod records;
mod refuse;
mod rotate;
mod sweep;
mod tangent;

pub use refuse::{Reason, Refusal};
pub use tangent::{Tangent, TangentRequest, forward};

use pullback_ir::{Kernel, Order, ParamKind, Verified, access, pass, verify};

/// What is asked of [`reverse`].
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// For each parameter whether its cotangent is wanted; `None` means all arrays that hold floats.
    /// The contents of an array that is left out count as constant, and the kernel must not write it.
    pub active: Option<Vec<bool>>,
    /// For how many iterations a loop keeps everything that undoing it takes; 4096 if `None`, any number
    /// if 0. Of a longer one of n iterations the adjoint keeps about √(2n) besides, and runs it once more.
    pub segment: Option<u32>,
}

/// What [`Request::segment`] is by default: few enough that what they keep stays in a core's cache.
const SEGMENT: u32 = 4096;

/// An adjoint kernel and what it needs.
///
/// Its parameters are first those of the primal, arrays read-only and as they were when the launch
/// began, and then for each active array `x` an array `adj_x` with the cotangents, which it updates
/// in place.
#[derive(Clone, Debug)]
pub struct Adjoint {
    /// The primal with what it must keep, where it must keep anything: the launch to be recorded runs
    /// this instead, and its records go to the adjoint.
    pub augmented: Option<Kernel>,
    /// The adjoint kernel.
    pub kernel: Kernel,
    /// For each parameter of the primal whether the adjoint reads that array.
    pub reads: Vec<bool>,
    /// For each parameter of the adjoint, the primal parameter whose cotangent it is.
    pub adjoint_of: Vec<Option<usize>>,
    /// For each parameter of the primal whether the primal writes that array.
    pub writes: Vec<bool>,
}

/// Makes the adjoint of a kernel.
///
/// # Errors
/// A [`Refusal`] where the kernel cannot be differentiated: it is itself an adjoint, or it writes an
/// array that the request calls constant.
pub fn reverse(kernel: &Verified<'_>, request: &Request) -> Result<Adjoint, Refusal> {
    let primal = rotate::rotate(&pass::optimize(kernel));
    refuse::check(&primal, request)?;
    let active = active_params(&primal, request);
    let segment = i64::from(request.segment.unwrap_or(SEGMENT));
    let facts = access::facts(&primal);
    let order = access::order(&primal);

    // First with every suspect load from an array of its own, to see which of them the adjoint needs.
    let mut records = records::suspects(&primal, &facts);
    if !records.is_empty() {
        let replay = records::replay_from_probes(&primal, &records);
        let probe = sweep::adjoint(&replay, &active, segment);
        let probed = access::facts(&probe);
        let first = primal.params.len();
        let needed: Vec<bool> = (0..records.len()).map(|i| probed[first + i].loaded).collect();
        records.keep(&needed);
    }
    let mut adjoint = loop {
        let adjoint = sweep::adjoint(&records::replay(&primal, &records), &active, segment);
        // A probe is an array, which the passes may see through otherwise than through a record.
        let missed = records::missed(&adjoint);
        if missed.is_empty() {
            break adjoint;
        }
        records.keep_also(&missed);
    };
    let augmented = (!records.is_empty()).then(|| records::augmented(&primal, &records));
    adjoint.order = match order {
        Order::Parallel => access::order(&adjoint),
        Order::Ascending | Order::Descending => Order::Descending,
    };

    let loaded = access::facts(&adjoint);
    let n = primal.params.len();
    let reads = (0..n).map(|i| loaded[i].loaded).collect();
    let mut adjoint_of = vec![None; n];
    adjoint_of.extend((0..n).filter(|&i| active[i]).map(Some));
    let writes = facts.iter().map(|f| f.written()).collect();
    let result = Adjoint { augmented, kernel: adjoint, reads, adjoint_of, writes };
    debug_assert!(verify(&result.kernel).is_ok(), "{:?}", verify(&result.kernel).err());
    Ok(result)
}

/// Which parameters have cotangents.
fn active_params(kernel: &Kernel, request: &Request) -> Vec<bool> {
    kernel
        .params
        .iter()
        .enumerate()
        .map(|(i, p)| match &p.kind {
            ParamKind::Array { element, .. } => {
                element.has_float() && request.active.as_ref().is_none_or(|a| a.get(i).copied().unwrap_or(false))
            }
            ParamKind::Scalar(..) => false,
        })
        .collect()
}

#[cfg(test)]
mod tests;
