//! Lowers a kernel to the text of an LLVM module.
//!
//! The module has two functions. `@body` runs the threads of one row of the launch: a loop over the last
//! axis' thread ids around the kernel's ops, with the arrays as `noalias` parameters, so that LLVM
//! vectorises it. The entry unpacks the arguments and calls it row by row. Everything is scalar; what
//! must survive control flow without being an SSA value of the kernel (the first fault, the stack's
//! height, the number of records) lives in allocas that LLVM promotes to registers.

mod control;
mod emit;
mod entry;
mod math;
mod memory;
mod scalar;

use crate::target::Cpu;
use crate::{Options, Print, Site, SiteKind};
use emit::{Emit, V};
use pullback_ir::{Check, Constant, Kernel, Loc, Op, OpKind, Order, ParamKind, RegionId, Scalar, SecondaryMap, Value};

/// A kernel as LLVM IR.
#[derive(Debug)]
pub(crate) struct Lowered {
    pub(crate) text: String,
    pub(crate) sites: Vec<Site>,
    pub(crate) prints: Vec<Print>,
}

/// The entry's symbol, until the module has a name of its own.
const ENTRY: &str = "pullback_entry";

impl Lowered {
    /// Gives the entry another symbol.
    pub(crate) fn rename_entry(&mut self, symbol: &str) {
        self.text = self.text.replacen(&format!("@{ENTRY}("), &format!("@{symbol}("), 1);
    }
}

/// A length or a thread id, of which LLVM may know that it is not negative and at most
/// [`MAX_LENGTH`](crate::abi::MAX_LENGTH).
const LENGTH: &str = "i64 range(i64 0, 4611686018427387904)";

/// More fault sites than this share the last one.
const MAX_SITES: usize = 65_000;

/// An array parameter inside `@body`.
#[derive(Clone, Debug)]
struct ArrayParam {
    base: V,
    lens: Vec<V>,
    strides: Vec<V>,
}

struct Lower<'k> {
    kernel: &'k Kernel,
    options: &'k Options,
    emit: Emit,
    values: SecondaryMap<Value, Option<V>>,
    arrays: Vec<Option<ArrayParam>>,
    /// This thread's id along each axis.
    ids: Vec<V>,
    sizes: Vec<V>,
    /// This thread's number in the entry's call, for faults and records.
    local: V,
    sites: Vec<Site>,
    prints: Vec<Print>,
    /// With a loop inside, the thread loop is not vectorised, and a rare branch is the cheaper check.
    branchy: bool,
    uses_stack: bool,
    uses_records: bool,
    appends: bool,
    /// Operands of loop phis that are not known yet, and which of the loop's yields they are.
    holes: Vec<(String, usize)>,
}

pub(crate) fn lower(kernel: &Kernel, cpu: &Cpu, options: &Options) -> Lowered {
    let mut lower = Lower {
        kernel,
        options,
        emit: Emit::default(),
        values: SecondaryMap::new(None),
        arrays: Vec::new(),
        ids: Vec::new(),
        sizes: Vec::new(),
        local: V::default(),
        sites: Vec::new(),
        prints: Vec::new(),
        branchy: false,
        uses_stack: false,
        uses_records: false,
        appends: false,
        holes: Vec::new(),
    };
    kernel.walk(kernel.body, &mut |_, data| match data.kind {
        OpKind::For | OpKind::While | OpKind::Print(_) => lower.branchy = true,
        OpKind::Push { .. } | OpKind::Pop { .. } | OpKind::Drop { .. } => lower.uses_stack = true,
        OpKind::Record => (lower.uses_records, lower.appends) = (true, true),
        OpKind::Residual | OpKind::ResidualBase => lower.uses_records = true,
        _ => {}
    });
    lower.branchy |= lower.uses_stack || lower.appends;
    let body = lower.body_function();
    let start = lower.entry_function(ENTRY);
    let mut text = String::new();
    text.push_str(&body);
    text.push_str(&start);
    lower.emit.declarations(&mut text);
    text.push_str(&format!(
        "attributes #0 = {{ nounwind \"target-cpu\"=\"{}\" \"target-features\"=\"{}\" \"prefer-vector-width\"=\"{}\" \
         \"no-trapping-math\"=\"true\" }}\n\
         attributes #1 = {{ nounwind willreturn nobuiltin memory(none) }}\n\
         attributes #2 = {{ nounwind cold }}\n\
         !1 = !{{!\"branch_weights\", i32 1000000, i32 1}}\n",
        cpu.name, cpu.features, cpu.vector_bits
    ));
    Lowered { text, sites: lower.sites, prints: lower.prints }
}

/// LLVM's name of a scalar type; a bool is a bit in registers and a byte in memory.
fn llvm_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "i1",
        Scalar::I8 | Scalar::U8 => "i8",
        // Floats of 16 bits are stored as they are, and computed with as those of 32.
        Scalar::I16 | Scalar::U16 | Scalar::F16 => "i16",
        Scalar::I32 | Scalar::U32 => "i32",
        Scalar::I64 | Scalar::U64 => "i64",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

/// A constant as an operand.
fn immediate(c: Constant) -> String {
    match c {
        Constant::Bool(v) => v.to_string(),
        Constant::I8(v) => v.to_string(),
        Constant::U8(v) => v.cast_signed().to_string(),
        Constant::I16(v) => v.to_string(),
        Constant::U16(v) | Constant::F16(v) => v.cast_signed().to_string(),
        Constant::I32(v) => v.to_string(),
        Constant::U32(v) => v.cast_signed().to_string(),
        Constant::I64(v) => v.to_string(),
        Constant::U64(v) => v.cast_signed().to_string(),
        // LLVM writes floats of either size as the bits of a double.
        Constant::F32(v) => format!("0x{:016X}", f64::from(v).to_bits()),
        Constant::F64(v) => format!("0x{:016X}", v.to_bits()),
    }
}

impl Lower<'_> {
    fn is_contiguous(&self, param: usize) -> bool {
        param < 64 && self.options.contiguous >> param & 1 == 1
    }

    /// The parameters of `@body`, as declared.
    fn signature(&self) -> Vec<String> {
        let mut list = Vec::new();
        for (i, param) in self.kernel.params.iter().enumerate() {
            match &param.kind {
                ParamKind::Scalar(scalar, _) => list.push(format!("{} %p{i}", llvm_type(*scalar))),
                ParamKind::Array { rank, .. } => {
                    list.push(format!("ptr noalias %p{i}"));
                    list.extend((0..*rank).map(|d| format!("{LENGTH} %p{i}n{d}")));
                    if !self.is_contiguous(i) {
                        list.extend((0..*rank).map(|d| format!("i64 %p{i}s{d}")));
                    }
                }
            }
        }
        list.extend((0..self.kernel.rank).map(|d| format!("{LENGTH} %size{d}")));
        list.extend((0..self.kernel.rank - 1).map(|d| format!("{LENGTH} %id{d}")));
        list.push(format!("{LENGTH} %low"));
        list.push(format!("{LENGTH} %high"));
        list.push(format!("{LENGTH} %before"));
        list.push("ptr noalias %ctx".into());
        list
    }

    fn body_function(&mut self) -> String {
        let header = format!("define internal i64 @body({}) #0 {{\n", self.signature().join(", "));
        let descending = self.kernel.order == Order::Descending;
        self.emit.begin();
        self.emit.label("start");
        self.emit.line("%fault = alloca i64");
        self.emit.line("store i64 -1, ptr %fault");
        if self.uses_stack {
            self.emit.line("%height = alloca i64");
        }
        self.params();
        if self.uses_records {
            self.emit.line("%bases.at = getelementptr inbounds i8, ptr %ctx, i64 56");
            self.emit.line("%bases = load ptr, ptr %bases.at");
        }
        if self.appends {
            self.emit.line("%kept = alloca i64");
            self.emit.line("%kept.at = getelementptr inbounds i8, ptr %ctx, i64 32");
            self.emit.line("%kept.first = load i64, ptr %kept.at");
            self.emit.line("store i64 %kept.first, ptr %kept");
        }
        if let Some(slots) = self.print_slots() {
            self.emit.line(&format!("%shown = alloca [{slots} x i64]"));
        }
        self.emit.line("%any = icmp ult i64 %low, %high");
        self.emit.line("br i1 %any, label %thread, label %end");
        self.emit.label("thread");
        let first = if descending { "%high.last" } else { "%low" };
        self.emit.line(&format!("%i = phi i64 [ {first}, %start ], [ %i.next, %next ]"));
        self.emit.line("%i.off = sub nuw nsw i64 %i, %low");
        self.emit.line("%local = add nuw nsw i64 %i.off, %before");
        self.local = self.emit.named("%local");
        self.ids = (0..self.kernel.rank - 1).map(|d| self.emit.named(&format!("%id{d}"))).collect();
        self.ids.push(self.emit.named("%i"));
        if self.uses_stack {
            self.emit.line("store i64 0, ptr %height");
        }
        if self.appends {
            self.emit.line("%base.here = load i64, ptr %kept");
            self.emit.line("%base.at = getelementptr inbounds i64, ptr %bases, i64 %local");
            self.emit.line("store i64 %base.here, ptr %base.at");
        }
        self.region(self.kernel.body);
        self.emit.line("br label %next");
        self.emit.label("next");
        if descending {
            self.emit.line("%i.next = add nsw i64 %i, -1");
            self.emit.line("%more = icmp ugt i64 %i, %low");
        } else {
            self.emit.line("%i.next = add nuw nsw i64 %i, 1");
            self.emit.line("%more = icmp ult i64 %i.next, %high");
        }
        self.emit.line("br i1 %more, label %thread, label %end");
        self.emit.label("end");
        if self.appends {
            self.emit.line("%kept.last = load i64, ptr %kept");
            self.emit.line("store i64 %kept.last, ptr %kept.at");
        }
        self.emit.line("%result = load i64, ptr %fault");
        self.emit.line("%fine = icmp slt i64 %result, 0");
        self.emit.line("%code = select i1 %fine, i64 -1, i64 %result");
        self.emit.line("ret i64 %code");
        let mut text = self.emit.end();
        if descending {
            // Dominates the loop, as it belongs to its entry.
            text = text.replacen("  %any = icmp", "  %high.last = add nsw i64 %high, -1\n  %any = icmp", 1);
        }
        format!("{header}{text}}}\n\n")
    }

    /// Names the parameters of `@body`; strides of contiguous arrays are computed from the lengths.
    fn params(&mut self) {
        let kernel = self.kernel;
        for (i, param) in kernel.params.iter().enumerate() {
            match &param.kind {
                ParamKind::Scalar(_, value) => {
                    self.values[*value] = Some(self.emit.named(&format!("%p{i}")));
                    self.arrays.push(None);
                }
                ParamKind::Array { element, rank, .. } => {
                    let lens: Vec<V> = (0..*rank).map(|d| self.emit.named(&format!("%p{i}n{d}"))).collect();
                    let strides = if self.is_contiguous(i) {
                        let mut stride = self.emit.named(&element.size().to_string());
                        let mut strides = vec![stride];
                        for d in (1..*rank as usize).rev() {
                            stride = self.emit.inst(&format!(
                                "mul nuw nsw i64 {}, {}",
                                self.emit.s(stride),
                                self.emit.s(lens[d])
                            ));
                            strides.push(stride);
                        }
                        strides.reverse();
                        strides
                    } else {
                        (0..*rank).map(|d| self.emit.named(&format!("%p{i}s{d}"))).collect()
                    };
                    let base = self.emit.named(&format!("%p{i}"));
                    self.arrays.push(Some(ArrayParam { base, lens, strides }));
                }
            }
        }
        self.sizes = (0..kernel.rank).map(|d| self.emit.named(&format!("%size{d}"))).collect();
    }

    /// The LLVM value of a kernel's value.
    fn v(&self, value: Value) -> V {
        debug_assert!(self.values[value].is_some(), "{value} is lowered before its use");
        self.values[value].unwrap_or_default()
    }
    fn s(&self, value: Value) -> String {
        self.emit.s(self.v(value))
    }

    fn region(&mut self, region: RegionId) {
        for &op in &self.kernel.regions[region].ops {
            self.op(op);
        }
    }

    fn op(&mut self, op: Op) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        match data.kind {
            OpKind::Yield => {}
            OpKind::Const(c) => self.values[data.results[0]] = Some(self.emit.named(&immediate(c))),
            OpKind::Float(_)
            | OpKind::Int(_)
            | OpKind::Bool(_)
            | OpKind::Compare(_)
            | OpKind::Convert(_)
            | OpKind::Select => self.scalar_op(op),
            OpKind::ThreadId(axis) => self.values[data.results[0]] = Some(self.ids[axis as usize]),
            OpKind::LaunchSize(axis) => self.values[data.results[0]] = Some(self.sizes[axis as usize]),
            OpKind::Len { array, axis } => {
                if let Some(param) = &self.arrays[array as usize] {
                    self.values[data.results[0]] = Some(param.lens[axis as usize]);
                }
            }
            OpKind::Load { .. } | OpKind::Store { .. } | OpKind::Atomic { .. } => self.memory_op(op),
            OpKind::Push { .. } | OpKind::Pop { .. } | OpKind::Drop { .. } => self.stack_op(op),
            OpKind::Record | OpKind::ResidualBase | OpKind::Residual => self.record_op(op),
            OpKind::If => self.if_op(op),
            OpKind::For => self.for_op(op),
            OpKind::While => self.while_op(op),
            OpKind::Check(ref check) => {
                let fine = self.v(data.operands[0]);
                let (kind, index) = match check {
                    Check::Assert(text) => (SiteKind::Assertion(text.clone()), None),
                    Check::Component { count } => {
                        (SiteKind::Component { count: *count }, Some(self.v(data.operands[1])))
                    }
                };
                let site = self.site(kind, data.loc);
                self.fault_unless(fine, site, index);
            }
            OpKind::Print(ref text) => self.print(text, &data.operands),
            // Replaced before by what it computes.
            OpKind::Custom => debug_assert!(false, "inlined before"),
        }
    }

    /// The most values that any place prints, if any does.
    fn print_slots(&self) -> Option<usize> {
        let mut most = None;
        self.kernel.walk(self.kernel.body, &mut |_, data| {
            if let OpKind::Print(_) = data.kind {
                most = most.max(Some(data.operands.len().max(1)));
            }
        });
        most
    }

    fn print(&mut self, text: &str, values: &[Value]) {
        let scalars = values.iter().map(|&v| self.kernel.scalar(v)).collect();
        self.prints.push(Print { text: text.to_owned(), scalars });
        let site = self.prints.len() - 1;
        self.store_slots("%shown", "0", values);
        let callback = self.field(memory::PRINT, "ptr");
        let local = self.emit.s(self.local);
        self.emit.line(&format!("call void {callback}(ptr %ctx, i64 {site}, i64 {local}, ptr %shown) #2"));
    }

    /// The number of a fault site.
    fn site(&mut self, kind: SiteKind, loc: Option<Loc>) -> u64 {
        if self.sites.len() < MAX_SITES {
            self.sites.push(Site { kind, loc });
        }
        self.sites.len() as u64 - 1
    }

    /// Notes a fault of this thread unless `fine` holds; the index is what the error will name.
    fn fault_unless(&mut self, fine: V, site: u64, index: Option<V>) {
        let fine = self.emit.s(fine);
        let local = self.emit.s(self.local);
        if self.branchy {
            let (bad, on) = (self.emit.fresh_label("bad"), self.emit.fresh_label("on"));
            self.emit.line(&format!("br i1 {fine}, label %{on}, label %{bad}, !prof !1"));
            self.emit.label(&bad);
            let code = self.fault_code(&local, site, index);
            self.note_fault(&code);
            self.emit.line(&format!("br label %{on}"));
            self.emit.label(&on);
        } else {
            let code = self.fault_code(&local, site, index);
            // A minimum of what has the top bit set where all is well: LLVM vectorises it as a reduction,
            // which it does not do with a select.
            let wide = self.emit.inst(&format!("zext i1 {fine} to i64"));
            let top = self.emit.inst(&format!("shl i64 {}, 63", self.emit.s(wide)));
            let code = self.emit.inst(&format!("or i64 {code}, {}", self.emit.s(top)));
            let code = self.emit.s(code);
            self.note_fault(&code);
        }
    }

    fn fault_code(&mut self, local: &str, site: u64, index: Option<V>) -> String {
        let thread = self.emit.inst(&format!("shl i64 {local}, 48"));
        let mut code = self.emit.inst(&format!("or i64 {}, {}", self.emit.s(thread), site << 32));
        let bias = crate::abi::INDEX_BIAS;
        match index {
            None => {
                code = self.emit.inst(&format!("or i64 {}, {bias}", self.emit.s(code)));
            }
            Some(index) => {
                let index = self.emit.s(index);
                let low = self.emit.call("i64", "llvm.smax.i64", &["i64", "i64"], &[&index, &(-bias).to_string()], "");
                let low = self.emit.s(low);
                let clamped =
                    self.emit.call("i64", "llvm.smin.i64", &["i64", "i64"], &[&low, &(bias - 1).to_string()], "");
                let biased = self.emit.inst(&format!("add i64 {}, {bias}", self.emit.s(clamped)));
                code = self.emit.inst(&format!("or i64 {}, {}", self.emit.s(code), self.emit.s(biased)));
            }
        }
        self.emit.s(code)
    }

    fn note_fault(&mut self, code: &str) {
        let so_far = self.emit.inst("load i64, ptr %fault");
        let so_far = self.emit.s(so_far);
        let first = self.emit.call("i64", "llvm.umin.i64", &["i64", "i64"], &[&so_far, code], "");
        self.emit.line(&format!("store i64 {}, ptr %fault", self.emit.s(first)));
    }
}
