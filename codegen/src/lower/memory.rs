//! Loads, stores, atomics, the stack and the records.

use super::emit::V;
use super::{Lower, llvm_type};
use crate::SiteKind;
use pullback_ir::{AtomicOp, Compare, Component, Op, OpKind, Scalar, Value, access};

/// Offsets in bytes of the fields of the ABI's context.
const STACK: u32 = 0;
const STACK_CAPACITY: u32 = 8;
const GROW_STACK: u32 = 16;
const RECORDS: u32 = 24;
const RECORDS_CAPACITY: u32 = 40;
const GROW_RECORDS: u32 = 48;
pub(super) const PRINT: u32 = 64;

impl Lower<'_> {
    pub(super) fn memory_op(&mut self, op: Op) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let (array, component) = match data.kind {
            OpKind::Load { array, component } | OpKind::Store { array, component } => (array, component),
            OpKind::Atomic { array, component, .. } => (array, Some(component)),
            _ => return,
        };
        let Some((element, rank, _)) = kernel.params[array as usize].array() else { return };
        let components: Vec<Component> = match component {
            Some(c) => vec![element.components()[c as usize]],
            None => element.components().to_vec(),
        };
        let (indices, values) = data.operands.split_at(rank as usize);
        let (address, inside) = self.address(op, array, indices);
        match data.kind {
            OpKind::Load { .. } => {
                for (c, &result) in components.iter().zip(&data.results) {
                    let v = self.load_component(address, *c);
                    self.values[result] = Some(v);
                }
            }
            OpKind::Store { .. } => self.guarded(inside, |this| {
                for (c, &value) in components.iter().zip(values) {
                    let v = this.v(value);
                    this.store_component(address, *c, v);
                }
            }),
            OpKind::Atomic { op: how, .. } => {
                let old = self.load_component(address, components[0]);
                self.values[data.results[0]] = Some(old);
                let new = self.combine(how, components[0].scalar, old, values);
                self.guarded(inside, |this| this.store_component(address, components[0], new));
            }
            _ => {}
        }
    }

    /// The element's address, and whether all indices are inside (if that had to be looked at). Where
    /// one is not, the address is of the first element, and the fault is noted.
    fn address(&mut self, op: Op, array: u32, indices: &[Value]) -> (V, Option<V>) {
        let kernel = self.kernel;
        let loc = kernel.ops[op].loc;
        let Some(param) = self.arrays[array as usize].clone() else { return (V::default(), None) };
        let mut all: Option<V> = None;
        let mut checks = Vec::new();
        for (axis, &index) in indices.iter().enumerate() {
            if self.options.prechecked && access::thread_axis(kernel, index).is_some() {
                continue;
            }
            let inside = self.emit.inst(&format!("icmp ult i64 {}, {}", self.s(index), self.emit.s(param.lens[axis])));
            checks.push((axis, index, inside));
            all = Some(match all {
                None => inside,
                Some(so_far) => self.emit.inst(&format!("and i1 {}, {}", self.emit.s(so_far), self.emit.s(inside))),
            });
        }
        for (axis, index, inside) in checks {
            let site = self.site(SiteKind::OutOfRange { array, axis: axis as u8 }, loc);
            let index = self.v(index);
            self.fault_unless(inside, site, Some(index));
        }
        let mut offset: Option<V> = None;
        for (axis, &index) in indices.iter().enumerate() {
            let mut index = self.s(index);
            if let Some(all) = all {
                let safe = self.emit.inst(&format!("select i1 {}, i64 {index}, i64 0", self.emit.s(all)));
                index = self.emit.s(safe);
            }
            let part = self.emit.inst(&format!("mul nsw i64 {index}, {}", self.emit.s(param.strides[axis])));
            offset = Some(match offset {
                None => part,
                Some(so_far) => self.emit.inst(&format!("add nsw i64 {}, {}", self.emit.s(so_far), self.emit.s(part))),
            });
        }
        let offset = offset.map_or_else(|| "0".into(), |o| self.emit.s(o));
        let address =
            self.emit.inst(&format!("getelementptr inbounds i8, ptr {}, i64 {offset}", self.emit.s(param.base)));
        (address, all)
    }

    /// Runs `write` where the indices were inside.
    fn guarded(&mut self, inside: Option<V>, write: impl FnOnce(&mut Self)) {
        let Some(inside) = inside else { return write(self) };
        let (does, on) = (self.emit.fresh_label("write"), self.emit.fresh_label("on"));
        self.emit.line(&format!("br i1 {}, label %{does}, label %{on}, !prof !1", self.emit.s(inside)));
        self.emit.label(&does);
        write(self);
        self.emit.line(&format!("br label %{on}"));
        self.emit.label(&on);
    }

    fn component_address(&mut self, element: V, offset: u32) -> String {
        let v = self.emit.inst(&format!("getelementptr inbounds i8, ptr {}, i64 {offset}", self.emit.s(element)));
        self.emit.s(v)
    }

    fn load_component(&mut self, element: V, c: Component) -> V {
        let at = self.component_address(element, c.offset);
        let align = c.scalar.size();
        if c.scalar == Scalar::Bool {
            let byte = self.emit.inst(&format!("load i8, ptr {at}, align 1"));
            return self.emit.inst(&format!("icmp ne i8 {}, 0", self.emit.s(byte)));
        }
        self.emit.inst(&format!("load {}, ptr {at}, align {align}", llvm_type(c.scalar)))
    }

    fn store_component(&mut self, element: V, c: Component, value: V) {
        let at = self.component_address(element, c.offset);
        let align = c.scalar.size();
        let value = self.emit.s(value);
        if c.scalar == Scalar::Bool {
            let byte = self.emit.inst(&format!("zext i1 {value} to i8"));
            return self.emit.line(&format!("store i8 {}, ptr {at}, align 1", self.emit.s(byte)));
        }
        self.emit.line(&format!("store {} {value}, ptr {at}, align {align}", llvm_type(c.scalar)));
    }

    /// What an atomic leaves. Threads that could meet run one after the other, so it needs no more.
    fn combine(&mut self, how: AtomicOp, scalar: Scalar, old: V, values: &[Value]) -> V {
        let Some(&new) = values.last() else { return old };
        let value = self.v(new);
        match (how, how.arithmetic(), scalar.is_float()) {
            (_, (Some(float), _), true) => self.float(float, scalar, &[old, value]),
            (_, (_, Some(int)), false) => self.int(int, scalar, &[old, value], None),
            (AtomicOp::CompareExchange, ..) => {
                let ty = llvm_type(scalar);
                let expected = self.v(values[0]);
                let same = self.compare(Compare::Eq, scalar, &[old, expected]);
                let (old_name, same, value) = (self.emit.s(old), self.emit.s(same), self.emit.s(value));
                self.emit.inst(&format!("select i1 {same}, {ty} {value}, {ty} {old_name}"))
            }
            // An exchange; the others are of integers only.
            _ => value,
        }
    }

    pub(super) fn field(&mut self, offset: u32, ty: &str) -> String {
        let at = self.emit.inst(&format!("getelementptr inbounds i8, ptr %ctx, i64 {offset}"));
        let v = self.emit.inst(&format!("load {ty}, ptr {}", self.emit.s(at)));
        self.emit.s(v)
    }

    /// Makes sure that `needed` slots fit; the address of the slots.
    fn room(&mut self, needed: &str, capacity: u32, grow: u32, address: u32) -> String {
        let have = self.field(capacity, "i64");
        let fits = self.emit.inst(&format!("icmp ule i64 {needed}, {have}"));
        let (small, on) = (self.emit.fresh_label("grow"), self.emit.fresh_label("on"));
        self.emit.line(&format!("br i1 {}, label %{on}, label %{small}, !prof !1", self.emit.s(fits)));
        self.emit.label(&small);
        let callback = self.field(grow, "ptr");
        self.emit.line(&format!("call void {callback}(ptr %ctx, i64 {needed}) #2"));
        self.emit.line(&format!("br label %{on}"));
        self.emit.label(&on);
        self.field(address, "ptr")
    }

    /// Stores values in consecutive slots.
    pub(super) fn store_slots(&mut self, base: &str, first: &str, values: &[Value]) {
        for (k, &value) in values.iter().enumerate() {
            let scalar = self.kernel.scalar(value);
            let slot = self.emit.inst(&format!("add i64 {first}, {k}"));
            let at = self.emit.inst(&format!("getelementptr inbounds i64, ptr {base}, i64 {}", self.emit.s(slot)));
            let (v, at) = (self.s(value), self.emit.s(at));
            if scalar == Scalar::Bool {
                let wide = self.emit.inst(&format!("zext i1 {v} to i8"));
                self.emit.line(&format!("store i8 {}, ptr {at}, align 8", self.emit.s(wide)));
            } else {
                self.emit.line(&format!("store {} {v}, ptr {at}, align 8", llvm_type(scalar)));
            }
        }
    }

    /// Loads values from consecutive slots.
    fn load_slots(&mut self, base: &str, first: &str, results: &[Value]) {
        for (k, &result) in results.iter().enumerate() {
            let scalar = self.kernel.scalar(result);
            let slot = self.emit.inst(&format!("add i64 {first}, {k}"));
            let at = self.emit.inst(&format!("getelementptr inbounds i64, ptr {base}, i64 {}", self.emit.s(slot)));
            let at = self.emit.s(at);
            let v = if scalar == Scalar::Bool {
                let byte = self.emit.inst(&format!("load i8, ptr {at}, align 8"));
                self.emit.inst(&format!("icmp ne i8 {}, 0", self.emit.s(byte)))
            } else {
                self.emit.inst(&format!("load {}, ptr {at}, align 8", llvm_type(scalar)))
            };
            self.values[result] = Some(v);
        }
    }

    pub(super) fn stack_op(&mut self, op: Op) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let height = self.emit.inst("load i64, ptr %height");
        let height = self.emit.s(height);
        if let OpKind::Push { .. } = data.kind {
            let needed = self.emit.inst(&format!("add i64 {height}, {}", data.operands.len()));
            let needed = self.emit.s(needed);
            let base = self.room(&needed, STACK_CAPACITY, GROW_STACK, STACK);
            self.store_slots(&base, &height, &data.operands);
            self.emit.line(&format!("store i64 {needed}, ptr %height"));
        } else if let OpKind::Drop { width, .. } = data.kind {
            let count = self.s(data.operands[0]);
            let slots = self.emit.inst(&format!("mul i64 {count}, {width}"));
            let slots = self.emit.s(slots);
            let rest = self.emit.inst(&format!("sub i64 {height}, {slots}"));
            let rest = self.emit.s(rest);
            self.emit.line(&format!("store i64 {rest}, ptr %height"));
        } else {
            let first = self.emit.inst(&format!("sub i64 {height}, {}", data.results.len()));
            let first = self.emit.s(first);
            let base = self.field(STACK, "ptr");
            self.load_slots(&base, &first, &data.results);
            self.emit.line(&format!("store i64 {first}, ptr %height"));
        }
    }

    pub(super) fn record_op(&mut self, op: Op) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        match data.kind {
            OpKind::Record => {
                let kept = self.emit.inst("load i64, ptr %kept");
                let kept = self.emit.s(kept);
                let needed = self.emit.inst(&format!("add i64 {kept}, {}", data.operands.len()));
                let needed = self.emit.s(needed);
                let base = self.room(&needed, RECORDS_CAPACITY, GROW_RECORDS, RECORDS);
                self.store_slots(&base, &kept, &data.operands);
                self.emit.line(&format!("store i64 {needed}, ptr %kept"));
            }
            OpKind::ResidualBase => {
                let local = self.emit.s(self.local);
                let at = self.emit.inst(&format!("getelementptr inbounds i64, ptr %bases, i64 {local}"));
                let base = self.emit.inst(&format!("load i64, ptr {}", self.emit.s(at)));
                self.values[data.results[0]] = Some(base);
            }
            _ => {
                let base = self.field(RECORDS, "ptr");
                let first = self.s(data.operands[0]);
                self.load_slots(&base, &first, &data.results);
            }
        }
    }
}
