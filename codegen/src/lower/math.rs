//! The emitter as a machine of primitive operations: elementary functions of `f32` are run on it.

use super::emit::{Emit, V};
use pullback_ir::math::Arith;

impl Emit {
    fn two(&self, op: &str, x: V, y: V) -> V {
        self.inst(&format!("{op} {}, {}", self.s(x), self.s(y)))
    }
    fn unary(&self, name: &str, x: V) -> V {
        self.call("float", name, &["float"], &[&self.s(x)], "")
    }
}

impl Arith for Emit {
    type F = V;
    type I = V;
    type B = V;

    fn f32(&self, v: f32) -> V {
        self.named(&super::immediate(pullback_ir::Constant::F32(v)))
    }
    fn i32(&self, v: i32) -> V {
        self.named(&v.to_string())
    }
    fn fadd(&self, x: V, y: V) -> V {
        self.two("fadd float", x, y)
    }
    fn fsub(&self, x: V, y: V) -> V {
        self.two("fsub float", x, y)
    }
    fn fmul(&self, x: V, y: V) -> V {
        self.two("fmul float", x, y)
    }
    fn fdiv(&self, x: V, y: V) -> V {
        self.two("fdiv float", x, y)
    }
    fn fma(&self, x: V, y: V, z: V) -> V {
        let (x, y, z) = (self.s(x), self.s(y), self.s(z));
        self.call("float", "llvm.fma.f32", &["float"; 3], &[&x, &y, &z], "")
    }
    fn sqrt(&self, x: V) -> V {
        self.unary("llvm.sqrt.f32", x)
    }
    fn fneg(&self, x: V) -> V {
        self.inst(&format!("fneg float {}", self.s(x)))
    }
    fn fabs(&self, x: V) -> V {
        self.unary("llvm.fabs.f32", x)
    }
    fn rint(&self, x: V) -> V {
        self.unary("llvm.rint.f32", x)
    }
    fn flt(&self, x: V, y: V) -> V {
        self.two("fcmp olt float", x, y)
    }
    fn feq(&self, x: V, y: V) -> V {
        self.two("fcmp oeq float", x, y)
    }
    fn bits(&self, x: V) -> V {
        self.inst(&format!("bitcast float {} to i32", self.s(x)))
    }
    fn float_of_bits(&self, n: V) -> V {
        self.inst(&format!("bitcast i32 {} to float", self.s(n)))
    }
    fn float_of_int(&self, n: V) -> V {
        self.inst(&format!("sitofp i32 {} to float", self.s(n)))
    }
    fn iadd(&self, m: V, n: V) -> V {
        self.two("add i32", m, n)
    }
    fn isub(&self, m: V, n: V) -> V {
        self.two("sub i32", m, n)
    }
    fn imul(&self, m: V, n: V) -> V {
        self.two("mul i32", m, n)
    }
    fn umulh(&self, m: V, n: V) -> V {
        let m = self.inst(&format!("zext i32 {} to i64", self.s(m)));
        let n = self.inst(&format!("zext i32 {} to i64", self.s(n)));
        let product = self.two("mul i64", m, n);
        let high = self.inst(&format!("lshr i64 {}, 32", self.s(product)));
        self.inst(&format!("trunc i64 {} to i32", self.s(high)))
    }
    fn iand(&self, m: V, n: V) -> V {
        self.two("and i32", m, n)
    }
    fn ior(&self, m: V, n: V) -> V {
        self.two("or i32", m, n)
    }
    fn ixor(&self, m: V, n: V) -> V {
        self.two("xor i32", m, n)
    }
    fn shl(&self, m: V, n: V) -> V {
        self.two("shl i32", m, n)
    }
    fn lshr(&self, m: V, n: V) -> V {
        self.two("lshr i32", m, n)
    }
    fn ashr(&self, m: V, n: V) -> V {
        self.two("ashr i32", m, n)
    }
    fn ieq(&self, m: V, n: V) -> V {
        self.two("icmp eq i32", m, n)
    }
    fn ult(&self, m: V, n: V) -> V {
        self.two("icmp ult i32", m, n)
    }
    fn and(&self, p: V, q: V) -> V {
        self.two("and i1", p, q)
    }
    fn or(&self, p: V, q: V) -> V {
        self.two("or i1", p, q)
    }
    fn not(&self, p: V) -> V {
        self.inst(&format!("xor i1 {}, true", self.s(p)))
    }
    fn fselect(&self, p: V, x: V, y: V) -> V {
        self.inst(&format!("select i1 {}, float {}, float {}", self.s(p), self.s(x), self.s(y)))
    }
    fn iselect(&self, p: V, m: V, n: V) -> V {
        self.inst(&format!("select i1 {}, i32 {}, i32 {}", self.s(p), self.s(m), self.s(n)))
    }
}
