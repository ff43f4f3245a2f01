//! The entry: unpacks the arguments and runs `@body` on each row of the launch.

use super::{Lower, llvm_type};
use pullback_ir::{Order, ParamKind, Scalar};

impl Lower<'_> {
    pub(super) fn entry_function(&mut self, name: &str) -> String {
        let kernel = self.kernel;
        self.emit.begin();
        self.emit.label("start");
        let mut word = 0;
        let mut args = Vec::new();
        let mut load = |this: &Self, ty: &str| {
            let at = this.emit.inst(&format!("getelementptr inbounds i64, ptr %args, i64 {word}"));
            word += 1;
            let v = this.emit.inst(&format!("load {ty}, ptr {}", this.emit.s(at)));
            this.emit.s(v)
        };
        for (i, param) in kernel.params.iter().enumerate() {
            match &param.kind {
                ParamKind::Scalar(Scalar::Bool, _) => {
                    let bits = load(self, "i64");
                    let v = self.emit.inst(&format!("trunc i64 {bits} to i1"));
                    args.push(format!("i1 {}", self.emit.s(v)));
                }
                ParamKind::Scalar(scalar, _) => {
                    let ty = llvm_type(*scalar);
                    let v = load(self, ty);
                    args.push(format!("{ty} {v}"));
                }
                ParamKind::Array { rank, .. } => {
                    let base = load(self, "ptr");
                    args.push(format!("ptr {base}"));
                    for _ in 0..*rank {
                        let n = load(self, "i64");
                        args.push(format!("i64 {n}"));
                    }
                    for _ in 0..*rank {
                        let stride = load(self, "i64");
                        if !self.is_contiguous(i) {
                            args.push(format!("i64 {stride}"));
                        }
                    }
                }
            }
        }
        let sizes: Vec<String> = (0..kernel.rank).map(|_| load(self, "i64")).collect();
        args.extend(sizes.iter().map(|s| format!("i64 {s}")));
        if kernel.rank == 1 {
            args.extend(["i64 %from".into(), "i64 %to".into(), "i64 0".into(), "ptr %ctx".into()]);
            self.emit.line(&format!("%code = call i64 @body({}) #0", args.join(", ")));
            self.emit.line("ret i64 %code");
        } else {
            self.rows(&sizes, args);
        }
        let text = self.emit.end();
        format!("define i64 @{name}(ptr %ctx, ptr %args, i64 %from, i64 %to) #0 {{\n{text}}}\n\n")
    }

    /// The loop over rows, for launches of several axes.
    fn rows(&self, sizes: &[String], mut args: Vec<String>) {
        let descending = self.kernel.order == Order::Descending;
        let rank = sizes.len();
        let n = &sizes[rank - 1];
        let line = |text: String| self.emit.line(&text);
        line("%any = icmp ult i64 %from, %to".into());
        line("br i1 %any, label %row, label %end".into());
        self.emit.label("row");
        let first = if descending { "%to" } else { "%from" };
        line(format!("%t = phi i64 [ {first}, %start ], [ %t.next, %row ]"));
        line("%code = phi i64 [ -1, %start ], [ %code.next, %row ]".into());
        if descending {
            line("%inside = add i64 %t, -1".into());
        } else {
            line("%inside = add i64 %t, 0".into());
        }
        line(format!("%outer = udiv i64 %inside, {n}"));
        line(format!("%col = urem i64 %inside, {n}"));
        if descending {
            line("%seg.row = add i64 %col, 1".into());
            line("%seg.left = sub i64 %t, %from".into());
        } else {
            line(format!("%seg.row = sub i64 {n}, %col"));
            line("%seg.left = sub i64 %to, %t".into());
        }
        line("%seg.less = icmp ult i64 %seg.row, %seg.left".into());
        line("%seg = select i1 %seg.less, i64 %seg.row, i64 %seg.left".into());
        if descending {
            line("%high = add i64 %col, 1".into());
            line("%low = sub i64 %high, %seg".into());
            line("%t.next = sub i64 %t, %seg".into());
            line("%before = sub i64 %t.next, %from".into());
        } else {
            line("%low = add i64 %col, 0".into());
            line("%high = add i64 %col, %seg".into());
            line("%t.next = add i64 %t, %seg".into());
            line("%before = sub i64 %t, %from".into());
        }
        // The ids along the outer axes, the last of them running fastest.
        let mut rest = "%outer".to_owned();
        let mut ids = vec![String::new(); rank - 1];
        for d in (0..rank - 1).rev() {
            line(format!("%oid{d} = urem i64 {rest}, {}", sizes[d]));
            line(format!("%rest{d} = udiv i64 {rest}, {}", sizes[d]));
            ids[d] = format!("i64 %oid{d}");
            rest = format!("%rest{d}");
        }
        args.extend(ids);
        args.extend(["i64 %low".into(), "i64 %high".into(), "i64 %before".into(), "ptr %ctx".into()]);
        line(format!("%code.row = call i64 @body({}) #0", args.join(", ")));
        line("%code.less = icmp ult i64 %code.row, %code".into());
        line("%code.next = select i1 %code.less, i64 %code.row, i64 %code".into());
        if descending {
            line("%more = icmp ugt i64 %t.next, %from".into());
        } else {
            line("%more = icmp ult i64 %t.next, %to".into());
        }
        line("br i1 %more, label %row, label %end".into());
        self.emit.label("end");
        line("%all = phi i64 [ -1, %start ], [ %code.next, %row ]".into());
        line("ret i64 %all".into());
    }
}
