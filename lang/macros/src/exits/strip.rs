//! Removes what the lowering made and nobody reads.

use crate::ast::{Adaptor, Block, Expr, ExprKind, LoopKind, Stmt};
use std::collections::HashSet;

/// Removes flags and slots that are never read.
pub fn strip_block(b: &mut Block, read: &HashSet<String>) {
    b.stmts.retain_mut(|s| match s {
        Stmt::Flag { name, .. } | Stmt::SetFlag { name, .. } | Stmt::Slot { name, .. } => {
            read.contains(&name.to_string())
        }
        Stmt::SetSlot { name, value } => {
            strip_expr(value, read);
            read.contains(&name.to_string())
        }
        Stmt::Let { init, .. } => {
            strip_expr(init, read);
            true
        }
        Stmt::Assign { place, value, .. } => {
            strip_expr(place, read);
            strip_expr(value, read);
            true
        }
        Stmt::Expr(e) => {
            strip_expr(e, read);
            true
        }
        Stmt::Print { values, .. } => {
            values.iter_mut().for_each(|(e, _)| strip_expr(e, read));
            true
        }
        Stmt::Assert { cond, .. } => {
            strip_expr(cond, read);
            true
        }
        Stmt::Const(_) | Stmt::Exit(_) | Stmt::CheckMatch { .. } => true,
    });
    if let Some(tail) = &mut b.tail {
        strip_expr(tail, read);
    }
}

fn strip_expr(e: &mut Expr, read: &HashSet<String>) {
    match &mut e.kind {
        ExprKind::Lit { .. } | ExprKind::Path(_) | ExprKind::Made(_) | ExprKind::Placeholder => {}
        ExprKind::Unary(_, e)
        | ExprKind::Field(e, _)
        | ExprKind::Cast(e, _)
        | ExprKind::Repeat(e, _)
        | ExprKind::Ref { place: e, .. }
        | ExprKind::Deref(e)
        | ExprKind::Paren(e) => strip_expr(e, read),
        ExprKind::Binary(a, _, b) | ExprKind::Index(a, b) => {
            strip_expr(a, read);
            strip_expr(b, read);
        }
        ExprKind::Call(_, all) | ExprKind::Tuple(all) | ExprKind::Array(all) => {
            all.iter_mut().for_each(|e| strip_expr(e, read))
        }
        ExprKind::Method { receiver, args, .. } => {
            strip_expr(receiver, read);
            args.iter_mut().for_each(|e| strip_expr(e, read));
        }
        ExprKind::Struct(_, fields) => fields.iter_mut().for_each(|(_, e)| strip_expr(e, read)),
        ExprKind::If(i) => {
            strip_expr(&mut i.cond, read);
            strip_block(&mut i.then, read);
            if let Some(b) = &mut i.otherwise {
                strip_block(b, read);
            }
        }
        ExprKind::Block(b) => strip_block(b, read),
        ExprKind::Loop(l) => {
            match &mut l.kind {
                LoopKind::For { range, .. } => {
                    strip_expr(&mut range.low, read);
                    strip_expr(&mut range.high, read);
                    for adaptor in &mut range.adaptors {
                        if let Adaptor::StepBy(n, _) = adaptor {
                            strip_expr(n, read);
                        }
                    }
                }
                LoopKind::While(cond) => strip_expr(cond, read),
                LoopKind::Forever => {}
            }
            strip_block(&mut l.body, read);
        }
    }
}
