//! Prints kernels.

use crate::entity::{Op, RegionId, SecondaryMap, Value};
use crate::kernel::{Check, Kernel, OpData, OpKind, Order, ParamKind};
use crate::types::Constant;
use std::fmt::{self, Display, Write};

/// Where comments with places begin, if there is room.
const PLACE_COLUMN: usize = 60;

impl Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer { kernel: self, numbers: SecondaryMap::new(u32::MAX), next: 0, out: String::new() };
        printer.kernel()?;
        f.write_str(&printer.out)
    }
}

/// Numbers values in the order of the text.
struct Printer<'k> {
    kernel: &'k Kernel,
    numbers: SecondaryMap<Value, u32>,
    next: u32,
    out: String,
}

impl Printer<'_> {
    fn define(&mut self, value: Value) -> String {
        self.numbers[value] = self.next;
        self.next += 1;
        format!("v{}: {}", self.numbers[value], self.kernel.scalar(value))
    }
    fn defines(&mut self, values: &[Value]) -> String {
        values.iter().map(|&v| self.define(v)).collect::<Vec<_>>().join(", ")
    }
    fn name(&self, value: Value) -> String {
        match self.numbers[value] {
            u32::MAX => format!("?{value}"),
            n => format!("v{n}"),
        }
    }
    fn names(&self, values: &[Value]) -> String {
        values.iter().map(|&v| self.name(v)).collect::<Vec<_>>().join(", ")
    }

    fn kernel(&mut self) -> fmt::Result {
        let kernel = self.kernel;
        let mut params = Vec::new();
        for param in &kernel.params {
            params.push(match &param.kind {
                ParamKind::Scalar(scalar, value) => {
                    self.define(*value);
                    format!("{}: {scalar}", param.name)
                }
                ParamKind::Array { element, rank, access } => {
                    format!("{}: {} [{element}; {rank}]", param.name, access.name())
                }
            });
        }
        write!(self.out, "kernel {}({})", kernel.name, params.join(", "))?;
        if kernel.rank != 1 {
            write!(self.out, " rank {}", kernel.rank)?;
        }
        match kernel.order {
            Order::Parallel => self.out.push_str(" parallel"),
            Order::Ascending => {}
            Order::Descending => self.out.push_str(" descending"),
        }
        self.out.push_str(" {\n");
        self.ops(kernel.body, 1)?;
        self.out.push_str("}\n");
        Ok(())
    }

    fn ops(&mut self, region: RegionId, depth: usize) -> fmt::Result {
        let ops = &self.kernel.regions[region].ops;
        for &op in ops {
            // The body's yield says nothing.
            if region != self.kernel.body || self.kernel.ops[op].kind != OpKind::Yield {
                self.op(op, depth)?;
            }
        }
        Ok(())
    }

    fn element(&self, array: u32, indices: &[Value], component: Option<u32>) -> String {
        let name = &self.kernel.params[array as usize].name;
        let indices = self.names(indices);
        match component {
            Some(c) => format!("{name}[{indices}].{c}"),
            None => format!("{name}[{indices}]"),
        }
    }

    fn rank(&self, array: u32) -> usize {
        self.kernel.params[array as usize].array().map_or(0, |(_, rank, _)| rank as usize)
    }

    fn op(&mut self, op: Op, depth: usize) -> fmt::Result {
        let data = &self.kernel.ops[op];
        let x = &data.operands;
        match data.kind {
            OpKind::If => return self.if_op(data, depth),
            OpKind::For => return self.for_op(data, depth),
            OpKind::While => return self.while_op(data, depth),
            OpKind::Custom => return self.custom(data, depth),
            _ => {}
        }
        // Operands before results, so that a misuse shows as `?`.
        let rest = match data.kind {
            OpKind::Check(Check::Assert(ref text)) | OpKind::Print(ref text) => {
                let names = self.names(x);
                let space = if x.is_empty() { "" } else { " " };
                format!("{} {text:?}{space}{names}", data.kind.name())
            }
            OpKind::Check(Check::Component { count }) => format!("check {count} {}", self.names(x)),
            OpKind::Const(c) => format!("const {}", constant(c)),
            OpKind::Convert(_) => format!("convert {}", self.names(x)),
            OpKind::ThreadId(axis) => format!("thread_id {axis}"),
            OpKind::LaunchSize(axis) => format!("launch_size {axis}"),
            OpKind::Len { array, axis } => format!("len {}, {axis}", self.kernel.params[array as usize].name),
            OpKind::Load { array, component } => format!("load {}", self.element(array, x, component)),
            OpKind::Store { array, component } => {
                let (indices, values) = x.split_at(self.rank(array).min(x.len()));
                format!("store {}, {}", self.element(array, indices, component), self.names(values))
            }
            OpKind::Atomic { op, array, component } => {
                let (indices, values) = x.split_at(self.rank(array).min(x.len()));
                format!("{} {}, {}", op.name(), self.element(array, indices, Some(component)), self.names(values))
            }
            OpKind::Push { site } | OpKind::Pop { site } => {
                let names = self.names(x);
                let comma = if x.is_empty() { "" } else { ", " };
                format!("{} {site}{comma}{names}", data.kind.name())
            }
            OpKind::Drop { site, width } => format!("drop {site} of {width}, {}", self.names(x)),
            _ if x.is_empty() => data.kind.name().to_owned(),
            _ => format!("{} {}", data.kind.name(), self.names(x)),
        };
        let results = self.results(data);
        self.line(&format!("{results}{rest}"), data, depth)
    }

    fn results(&mut self, data: &OpData) -> String {
        match data.results.is_empty() {
            true => String::new(),
            false => format!("{} = ", self.defines(&data.results)),
        }
    }

    fn line(&mut self, text: &str, data: &OpData, depth: usize) -> fmt::Result {
        let start = 2 * depth;
        match data.loc {
            Some(loc) => {
                let width = PLACE_COLUMN.saturating_sub(start);
                writeln!(self.out, "{:start$}{text:width$} ; {loc}", "")
            }
            None => writeln!(self.out, "{:start$}{text}", ""),
        }
    }

    fn close(&mut self, text: &str, depth: usize) -> fmt::Result {
        writeln!(self.out, "{:width$}{text}", "", width = 2 * depth)
    }

    fn if_op(&mut self, data: &OpData, depth: usize) -> fmt::Result {
        let cond = self.names(&data.operands);
        let results = self.results(data);
        self.line(&format!("{results}if {cond} {{"), data, depth)?;
        for (k, &region) in data.regions.iter().enumerate() {
            if k > 0 {
                self.close("} else {", depth)?;
            }
            self.ops(region, depth + 1)?;
        }
        self.close("}", depth)
    }

    fn for_op(&mut self, data: &OpData, depth: usize) -> fmt::Result {
        let bounds: Vec<String> = data.operands.iter().take(3).map(|&v| self.name(v)).collect();
        let inits: Vec<String> = data.operands.iter().skip(3).map(|&v| self.name(v)).collect();
        let results = self.results(data);
        let args = data.regions.first().map_or(&[][..], |&r| &self.kernel.regions[r].args);
        let Some((&iv, carried)) = args.split_first() else { return self.line("for ?", data, depth) };
        let iv = self.define(iv);
        let carried: Vec<String> =
            carried.iter().zip(&inits).map(|(&v, init)| format!("{} = {init}", self.define(v))).collect();
        let carry = if carried.is_empty() { String::new() } else { format!(" carry ({})", carried.join(", ")) };
        let [low, high, step] = &bounds[..] else { return self.line("for ?", data, depth) };
        self.line(&format!("{results}for {iv} = {low} to {high} step {step}{carry} {{"), data, depth)?;
        self.ops(data.regions[0], depth + 1)?;
        self.close("}", depth)
    }

    fn custom(&mut self, data: &OpData, depth: usize) -> fmt::Result {
        let inputs: Vec<String> = data.operands.iter().map(|&v| self.name(v)).collect();
        let results = self.results(data);
        let last = data.regions.len().saturating_sub(1);
        for (k, &region) in data.regions.iter().enumerate() {
            let args = &self.kernel.regions[region].args;
            if k == 0 {
                let args: Vec<String> =
                    args.iter().zip(&inputs).map(|(&v, input)| format!("{} = {input}", self.define(v))).collect();
                self.line(&format!("{results}custom ({}) {{", args.join(", ")), data, depth)?;
            } else {
                let args = self.defines(args);
                let word = if k == last { "adjoint" } else { "near" };
                self.close(&format!("}} {word} ({args}) {{"), depth)?;
            }
            self.ops(region, depth + 1)?;
        }
        self.close("}", depth)
    }

    fn while_op(&mut self, data: &OpData, depth: usize) -> fmt::Result {
        let inits: Vec<String> = data.operands.iter().map(|&v| self.name(v)).collect();
        let results = self.results(data);
        let [cond, body] = data.regions[..] else { return self.line("while ?", data, depth) };
        let mut heads = Vec::new();
        for region in [cond, body] {
            let args = &self.kernel.regions[region].args;
            if region == cond {
                let args: Vec<String> =
                    args.iter().zip(&inits).map(|(&v, init)| format!("{} = {init}", self.define(v))).collect();
                heads.push(args.join(", "));
                self.line(&format!("{results}while ({}) {{", heads[0]), data, depth)?;
            } else {
                let args = self.defines(args);
                self.close(&format!("}} do ({args}) {{"), depth)?;
            }
            self.ops(region, depth + 1)?;
        }
        self.close("}", depth)
    }
}

/// A constant as it reads back.
fn constant(c: Constant) -> String {
    match c {
        Constant::F32(v) if v.is_nan() => format!("nan({:#x})", v.to_bits()),
        Constant::F64(v) if v.is_nan() => format!("nan({:#x})", v.to_bits()),
        Constant::F32(v) => format!("{v:?}"),
        Constant::F64(v) => format!("{v:?}"),
        Constant::Bool(v) => v.to_string(),
        Constant::F16(v) => format!("{v:#06x}"),
        Constant::I8(v) => v.to_string(),
        Constant::U8(v) => v.to_string(),
        Constant::I16(v) => v.to_string(),
        Constant::U16(v) => v.to_string(),
        Constant::I32(v) => v.to_string(),
        Constant::U32(v) => v.to_string(),
        Constant::I64(v) => v.to_string(),
        Constant::U64(v) => v.to_string(),
    }
}
