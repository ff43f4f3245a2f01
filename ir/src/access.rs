//! Which arrays a kernel touches, how, and whether its threads can disturb each other.
//!
//! An array is **private** to the threads of a launch if every access has each thread id of the launch
//! among its indices, always along the same dimension: then no two threads touch one element. Threads
//! whose written arrays are all private may run in any order and at once. All others run one after the
//! other, so that what they did has an order, and its derivative a meaning.

use crate::entity::Value;
use crate::kernel::{Kernel, OpKind, Order};
use crate::loc::Loc;

/// What a kernel does with one array parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArrayFacts {
    /// It is loaded from.
    pub loaded: bool,
    /// It is stored to.
    pub stored: bool,
    /// It is updated by atomics.
    pub atomic: bool,
    /// Each element is touched by one thread at most.
    pub private: bool,
    /// For each dimension, the launch axis whose thread id indexes it in every access.
    pub axes: Vec<Option<u8>>,
}

impl ArrayFacts {
    /// Whether the kernel changes the array.
    pub fn written(&self) -> bool {
        self.stored || self.atomic
    }
}

/// The facts of each parameter; those of scalars and of arrays without accesses say nothing is done.
pub fn facts(kernel: &Kernel) -> Vec<ArrayFacts> {
    let mut all = vec![ArrayFacts::default(); kernel.params.len()];
    let mut seen = vec![false; kernel.params.len()];
    kernel.walk(kernel.body, &mut |_, data| {
        let array = match data.kind {
            OpKind::Load { array, .. } | OpKind::Store { array, .. } | OpKind::Atomic { array, .. } => array as usize,
            _ => return,
        };
        let Some((_, rank, _)) = kernel.params.get(array).and_then(|p| p.array()) else { return };
        let Some(indices) = data.operands.get(..rank as usize) else { return };
        let fact = &mut all[array];
        match data.kind {
            OpKind::Load { .. } => fact.loaded = true,
            OpKind::Store { .. } => fact.stored = true,
            _ => fact.atomic = true,
        }
        let here = indices.iter().map(|&v| thread_axis(kernel, v));
        if seen[array] {
            for (known, axis) in fact.axes.iter_mut().zip(here) {
                if *known != axis {
                    *known = None;
                }
            }
        } else {
            seen[array] = true;
            fact.axes = here.collect();
        }
    });
    for (fact, seen) in all.iter_mut().zip(seen) {
        fact.private = !seen || (0..kernel.rank).all(|axis| fact.axes.contains(&Some(axis)));
    }
    all
}

/// The place of the first access of an array parameter that writes it, or else of the first that reads it.
pub fn first_access(kernel: &Kernel, array: usize, writes: bool) -> Option<Loc> {
    let mut found = None;
    kernel.walk(kernel.body, &mut |_, data| {
        let (at, fits) = match data.kind {
            OpKind::Load { array, .. } => (array, !writes),
            OpKind::Store { array, .. } => (array, writes),
            OpKind::Atomic { array, .. } => (array, true),
            _ => return,
        };
        if at as usize == array && fits && found.is_none() {
            found = data.loc;
        }
    });
    found
}

/// The axis, if a value is exactly this thread's id along one.
pub fn thread_axis(kernel: &Kernel, value: Value) -> Option<u8> {
    match kernel.ops[kernel.def_op(value)?].kind {
        OpKind::ThreadId(axis) => Some(axis),
        _ => None,
    }
}

/// The order in which the threads of a primal kernel must run. What prints does so thread by thread.
pub fn order(kernel: &Kernel) -> Order {
    let mut prints = false;
    kernel.walk(kernel.body, &mut |_, data| prints |= matches!(data.kind, OpKind::Print(_)));
    let apart = facts(kernel).iter().all(|f| f.private || !f.written());
    if apart && !prints { Order::Parallel } else { Order::Ascending }
}
