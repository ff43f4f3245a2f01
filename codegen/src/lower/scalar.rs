//! Scalar ops: arithmetic, logic, comparisons, conversions.

use super::emit::V;
use super::{Lower, llvm_type};
use crate::SiteKind;
use crate::recipe::{Recipe, recipe};
use pullback_ir::{BoolOp, Compare, Constant, FloatOp, IntOp, Loc, Op, OpKind, Scalar, math};

impl Lower<'_> {
    pub(super) fn scalar_op(&mut self, op: Op) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let x: Vec<V> = data.operands.iter().map(|&v| self.v(v)).collect();
        let scalar = kernel.scalar(data.operands[0]);
        let value = match data.kind {
            OpKind::Float(f) => self.float(f, scalar, &x),
            OpKind::Int(f) => self.int(f, scalar, &x, data.loc),
            OpKind::Bool(f) => self.logic(f, &x),
            OpKind::Compare(f) => self.compare(f, scalar, &x),
            OpKind::Convert(to) => self.convert(scalar, to, x[0]),
            OpKind::Select => {
                let ty = llvm_type(kernel.scalar(data.results[0]));
                let (c, a, b) = (self.emit.s(x[0]), self.emit.s(x[1]), self.emit.s(x[2]));
                self.emit.inst(&format!("select i1 {c}, {ty} {a}, {ty} {b}"))
            }
            _ => return,
        };
        self.values[data.results[0]] = Some(value);
    }

    pub(super) fn float(&mut self, op: FloatOp, scalar: Scalar, x: &[V]) -> V {
        let ty = llvm_type(scalar);
        let suffix = if scalar == Scalar::F32 { "f32" } else { "f64" };
        let names: Vec<String> = x.iter().map(|&v| self.emit.s(v)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        match recipe(op) {
            Recipe::Instruction(word) => self.emit.inst(&format!("{word} {ty} {}", names.join(", "))),
            Recipe::Intrinsic(word) => {
                self.emit.call(ty, &format!("llvm.{word}.{suffix}"), &vec![ty; x.len()], &names, "")
            }
            Recipe::Elementary(word) => match scalar {
                Scalar::F32 => math::f32_expansion(&self.emit, op, x).unwrap_or_default(),
                _ => {
                    let symbol = format!("{}{word}", crate::libm::PREFIX);
                    self.emit.call(ty, &symbol, &vec![ty; x.len()], &names, " #1")
                }
            },
            Recipe::Inline => self.inline_float(op, scalar, &names),
        }
    }

    fn inline_float(&mut self, op: FloatOp, scalar: Scalar, x: &[&str]) -> V {
        let ty = llvm_type(scalar);
        let suffix = if scalar == Scalar::F32 { "f32" } else { "f64" };
        let lit = |v: f64| super::immediate(Constant::from_f64(scalar, v));
        let e = |text: String| {
            let v = self.emit.inst(&text);
            self.emit.s(v)
        };
        match op {
            FloatOp::Sign => {
                let above = e(format!("fcmp ogt {ty} {}, {}", x[0], lit(0.0)));
                let below = e(format!("fcmp olt {ty} {}, {}", x[0], lit(0.0)));
                let rest = e(format!("select i1 {below}, {ty} {}, {ty} {}", lit(-1.0), x[0]));
                self.emit.inst(&format!("select i1 {above}, {ty} {}, {ty} {rest}", lit(1.0)))
            }
            FloatOp::Min | FloatOp::Max => {
                let word = if op == FloatOp::Min { "olt" } else { "ogt" };
                let wins = e(format!("fcmp {word} {ty} {}, {}", x[0], x[1]));
                let nan = e(format!("fcmp uno {ty} {}, {}", x[1], x[1]));
                let first = e(format!("or i1 {wins}, {nan}"));
                self.emit.inst(&format!("select i1 {first}, {ty} {}, {ty} {}", x[0], x[1]))
            }
            FloatOp::Round => {
                // Away from zero where the fraction is a half at least; both parts keep the sign.
                let whole = self.emit.call(ty, &format!("llvm.trunc.{suffix}"), &[ty], x, "");
                let whole = self.emit.s(whole);
                let rest = e(format!("fsub {ty} {}, {whole}", x[0]));
                let size = self.emit.call(ty, &format!("llvm.fabs.{suffix}"), &[ty], &[&rest], "");
                let up = e(format!("fcmp oge {ty} {}, {}", self.emit.s(size), lit(0.5)));
                let one = e(format!("select i1 {up}, {ty} {}, {ty} {}", lit(1.0), lit(0.0)));
                let signed = self.emit.call(ty, &format!("llvm.copysign.{suffix}"), &[ty, ty], &[&one, x[0]], "");
                self.emit.inst(&format!("fadd {ty} {whole}, {}", self.emit.s(signed)))
            }
            _ => {
                let floor = self.emit.call(ty, &format!("llvm.floor.{suffix}"), &[ty], x, "");
                self.emit.inst(&format!("fsub {ty} {}, {}", x[0], self.emit.s(floor)))
            }
        }
    }

    pub(super) fn int(&mut self, op: IntOp, scalar: Scalar, x: &[V], loc: Option<Loc>) -> V {
        let ty = llvm_type(scalar);
        let signed = scalar.is_signed();
        let a = self.emit.s(x[0]);
        let b = x.get(1).map(|&v| self.emit.s(v)).unwrap_or_default();
        let two = |this: &Self, word: &str| this.emit.inst(&format!("{word} {ty} {a}, {b}"));
        let intrinsic =
            |this: &Self, word: &str| this.emit.call(ty, &format!("llvm.{word}.{ty}"), &[ty, ty], &[&a, &b], "");
        match op {
            IntOp::Add => two(self, "add"),
            IntOp::Sub => two(self, "sub"),
            IntOp::Mul => two(self, "mul"),
            IntOp::And => two(self, "and"),
            IntOp::Or => two(self, "or"),
            IntOp::Xor => two(self, "xor"),
            IntOp::Neg => self.emit.inst(&format!("sub {ty} 0, {a}")),
            IntOp::Not => self.emit.inst(&format!("xor {ty} {a}, -1")),
            IntOp::Abs if signed => self.emit.call(ty, &format!("llvm.abs.{ty}"), &[ty, "i1"], &[&a, "false"], ""),
            IntOp::Abs => x[0],
            IntOp::Min => intrinsic(self, if signed { "smin" } else { "umin" }),
            IntOp::Max => intrinsic(self, if signed { "smax" } else { "umax" }),
            IntOp::Shl | IntOp::Shr => {
                let amount = self.emit.inst(&format!("and {ty} {b}, {}", scalar.bits() - 1));
                let word = match op {
                    IntOp::Shl => "shl",
                    _ if signed => "ashr",
                    _ => "lshr",
                };
                self.emit.inst(&format!("{word} {ty} {a}, {}", self.emit.s(amount)))
            }
            IntOp::RotateLeft | IntOp::RotateRight => {
                let word = if op == IntOp::RotateLeft { "fshl" } else { "fshr" };
                self.emit.call(ty, &format!("llvm.{word}.{ty}"), &[ty; 3], &[&a, &a, &b], "")
            }
            IntOp::CountOnes => self.emit.call(ty, &format!("llvm.ctpop.{ty}"), &[ty], &[&a], ""),
            IntOp::ReverseBits => self.emit.call(ty, &format!("llvm.bitreverse.{ty}"), &[ty], &[&a], ""),
            IntOp::LeadingZeros | IntOp::TrailingZeros => {
                let word = if op == IntOp::LeadingZeros { "ctlz" } else { "cttz" };
                self.emit.call(ty, &format!("llvm.{word}.{ty}"), &[ty, "i1"], &[&a, "false"], "")
            }
            IntOp::Div | IntOp::Rem => self.divide(op, scalar, &a, &b, loc),
        }
    }

    /// A division that cannot trap: by 1 where the divisor is 0 (a fault) or the quotient overflows.
    fn divide(&mut self, op: IntOp, scalar: Scalar, a: &str, b: &str, loc: Option<Loc>) -> V {
        let ty = llvm_type(scalar);
        let signed = scalar.is_signed();
        let fine = self.emit.inst(&format!("icmp ne {ty} {b}, 0"));
        let constant = b.parse::<i128>().is_ok_and(|b| b != 0);
        if !constant {
            let site = self.site(SiteKind::DivisionByZero, loc);
            self.fault_unless(fine, site, None);
        }
        let mut usable = self.emit.s(fine);
        if signed {
            let least = i64::MIN >> (64 - scalar.bits());
            let minus = self.emit.inst(&format!("icmp ne {ty} {b}, -1"));
            let large = self.emit.inst(&format!("icmp ne {ty} {a}, {least}"));
            let either = self.emit.inst(&format!("or i1 {}, {}", self.emit.s(minus), self.emit.s(large)));
            let both = self.emit.inst(&format!("and i1 {usable}, {}", self.emit.s(either)));
            usable = self.emit.s(both);
        }
        let divisor = self.emit.inst(&format!("select i1 {usable}, {ty} {b}, {ty} 1"));
        let word = match (op, signed) {
            (IntOp::Div, true) => "sdiv",
            (IntOp::Div, false) => "udiv",
            (_, true) => "srem",
            (_, false) => "urem",
        };
        let result = self.emit.inst(&format!("{word} {ty} {a}, {}", self.emit.s(divisor)));
        if constant {
            return result;
        }
        let (fine, result) = (self.emit.s(fine), self.emit.s(result));
        self.emit.inst(&format!("select i1 {fine}, {ty} {result}, {ty} 0"))
    }

    fn logic(&mut self, op: BoolOp, x: &[V]) -> V {
        let a = self.emit.s(x[0]);
        let word = match op {
            BoolOp::And => "and",
            BoolOp::Or => "or",
            BoolOp::Xor | BoolOp::Not => "xor",
        };
        let b = if op == BoolOp::Not { "true".into() } else { self.emit.s(x[1]) };
        self.emit.inst(&format!("{word} i1 {a}, {b}"))
    }

    pub(super) fn compare(&mut self, op: Compare, scalar: Scalar, x: &[V]) -> V {
        let word = match (op, scalar.is_float(), scalar.is_signed()) {
            (Compare::Eq, true, _) => "fcmp oeq",
            (Compare::Ne, true, _) => "fcmp une",
            (Compare::Lt, true, _) => "fcmp olt",
            (Compare::Le, true, _) => "fcmp ole",
            (Compare::Gt, true, _) => "fcmp ogt",
            (Compare::Ge, true, _) => "fcmp oge",
            (Compare::Eq, false, _) => "icmp eq",
            (Compare::Ne, false, _) => "icmp ne",
            (Compare::Lt, false, true) => "icmp slt",
            (Compare::Le, false, true) => "icmp sle",
            (Compare::Gt, false, true) => "icmp sgt",
            (Compare::Ge, false, true) => "icmp sge",
            (Compare::Lt, false, false) => "icmp ult",
            (Compare::Le, false, false) => "icmp ule",
            (Compare::Gt, false, false) => "icmp ugt",
            (Compare::Ge, false, false) => "icmp uge",
        };
        if scalar == Scalar::F16 {
            let wide = [x[0], x[1]].map(|v| self.convert(Scalar::F16, Scalar::F32, v));
            return self.compare(op, Scalar::F32, &wide);
        }
        let (a, b) = (self.emit.s(x[0]), self.emit.s(x[1]));
        self.emit.inst(&format!("{word} {} {a}, {b}", llvm_type(scalar)))
    }

    fn convert(&mut self, from: Scalar, to: Scalar, x: V) -> V {
        let (a, b) = (llvm_type(from), llvm_type(to));
        let v = self.emit.s(x);
        let cast = |word: &str| self.emit.inst(&format!("{word} {a} {v} to {b}"));
        match (from, to) {
            _ if from == to => x,
            (Scalar::F16, Scalar::F32) => {
                let bits = self.emit.inst(&format!("zext i16 {v} to i32"));
                math::half_widen(&self.emit, bits)
            }
            (Scalar::F16, _) => {
                let wide = self.convert(Scalar::F16, Scalar::F32, x);
                self.convert(Scalar::F32, to, wide)
            }
            (Scalar::F32, Scalar::F16) => {
                let bits = math::half_narrow(&self.emit, x);
                self.emit.inst(&format!("trunc i32 {} to i16", self.emit.s(bits)))
            }
            (Scalar::F64, Scalar::F16) => {
                let odd = self.rounded_to_odd(&v);
                self.convert(Scalar::F32, Scalar::F16, odd)
            }
            (_, Scalar::F16) => {
                let wide = self.convert(from, Scalar::F64, x);
                self.convert(Scalar::F64, Scalar::F16, wide)
            }
            (Scalar::F32, Scalar::F64) => cast("fpext"),
            (Scalar::F64, Scalar::F32) => cast("fptrunc"),
            (Scalar::Bool, _) if to.is_float() => cast("uitofp"),
            (Scalar::Bool, _) => cast("zext"),
            (_, Scalar::Bool) if from.is_float() => self.emit.inst(&format!("fcmp une {a} {v}, 0.0")),
            (_, Scalar::Bool) => self.emit.inst(&format!("icmp ne {a} {v}, 0")),
            _ if from.is_float() => {
                let word = if to.is_signed() { "fptosi" } else { "fptoui" };
                let suffix = if from == Scalar::F32 { "f32" } else { "f64" };
                self.emit.call(b, &format!("llvm.{word}.sat.{b}.{suffix}"), &[a], &[&v], "")
            }
            _ if to.is_float() => cast(if from.is_signed() { "sitofp" } else { "uitofp" }),
            _ if from.bits() == to.bits() => x,
            _ if from.bits() > to.bits() => cast("trunc"),
            _ => cast(if from.is_signed() { "sext" } else { "zext" }),
        }
    }

    /// A double as a float, rounded to odd, so that rounding it again rounds once.
    fn rounded_to_odd(&mut self, v: &str) -> V {
        let e = |text: String| {
            let v = self.emit.inst(&text);
            self.emit.s(v)
        };
        let near = e(format!("fptrunc double {v} to float"));
        let back = e(format!("fpext float {near} to double"));
        let inexact = e(format!("fcmp one double {back}, {v}"));
        let size = self.emit.call("double", "llvm.fabs.f64", &["double"], &[v], "");
        let back_size = self.emit.call("double", "llvm.fabs.f64", &["double"], &[&back], "");
        let above = e(format!("fcmp ogt double {}, {}", self.emit.s(back_size), self.emit.s(size)));
        let bits = e(format!("bitcast float {near} to i32"));
        let less = e(format!("zext i1 {above} to i32"));
        let lower = e(format!("sub i32 {bits}, {less}"));
        let odd = e(format!("or i32 {lower}, 1"));
        let chosen = e(format!("select i1 {inexact}, i32 {odd}, i32 {bits}"));
        self.emit.inst(&format!("bitcast i32 {chosen} to float"))
    }
}
