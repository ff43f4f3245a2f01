//! Which code may leave, which always does, and where.

use crate::ast::{Block, Child, Exit, ExitKind, Expr, ExprKind, Loop, LoopKind, Stmt};
use proc_macro2::Span;

/// Whether an expression holds an exit that leaves it.
pub fn escapes(e: &Expr) -> bool {
    exit_in_expr(e, &mut Vec::new()).is_some()
}
/// Whether a loop holds an exit that leaves it for something outside.
pub fn loop_escapes(l: &Loop) -> bool {
    exit_in_loop(l, &mut Vec::new()).is_some()
}

/// The first exit that leaves an expression, which stands inside of these loops.
fn exit_in_expr(e: &Expr, loops: &mut Vec<Option<String>>) -> Option<Span> {
    let mut found = None;
    e.children(&mut |child| {
        if found.is_some() {
            return;
        }
        found = match child {
            Child::Expr(e) => exit_in_expr(e, loops),
            Child::Block(b) => exit_in_block(b, loops),
            Child::Loop(l) => exit_in_loop(l, loops),
        };
    });
    found
}

fn exit_in_loop(l: &Loop, loops: &mut Vec<Option<String>>) -> Option<Span> {
    if let Some(span) = l.kind.exprs().into_iter().find_map(|e| exit_in_expr(e, loops)) {
        return Some(span);
    }
    loops.push(l.label.as_ref().map(|l| l.ident.to_string()));
    let found = exit_in_block(&l.body, loops);
    loops.pop();
    found
}

/// The first exit that leaves a block, which stands inside of these loops.
pub fn exit_in_block(b: &Block, loops: &mut Vec<Option<String>>) -> Option<Span> {
    for stmt in &b.stmts {
        if let Stmt::Exit(exit) = stmt {
            let inside = match &exit.kind {
                ExitKind::Return(_) => false,
                ExitKind::Break(None, _) | ExitKind::Continue(None) => !loops.is_empty(),
                ExitKind::Break(Some(l), _) | ExitKind::Continue(Some(l)) => loops.contains(&Some(l.ident.to_string())),
            };
            if !inside {
                return Some(exit.span);
            }
        }
        if let Some(span) = stmt.exprs().into_iter().find_map(|e| exit_in_expr(e, loops)) {
            return Some(span);
        }
    }
    b.tail.as_ref().and_then(|e| exit_in_expr(e, loops))
}

/// Whether a block never reaches its end.
pub fn leaves(b: &Block) -> bool {
    b.stmts.iter().any(|s| match s {
        Stmt::Exit(_) => true,
        Stmt::Expr(e) => leaves_expr(e),
        _ => false,
    }) || b.tail.as_deref().is_some_and(leaves_expr)
}

fn leaves_expr(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::If(i) => leaves(&i.then) && i.otherwise.as_ref().is_some_and(leaves),
        ExprKind::Block(b) => leaves(b),
        ExprKind::Paren(e) => leaves_expr(e),
        ExprKind::Loop(l) => never_ends(l),
        _ => false,
    }
}

/// Whether a loop is left only by exits that leave what is around it too.
pub fn never_ends(l: &Loop) -> bool {
    matches!(l.kind, LoopKind::Forever) && !breaks_block(&l.body, l.label.as_ref(), true)
}

/// Whether a block holds a `break` of the loop with this label; `direct` if no other loop is between.
fn breaks_block(b: &Block, label: Option<&syn::Lifetime>, direct: bool) -> bool {
    b.stmts.iter().any(|s| {
        let here = match s {
            Stmt::Exit(Exit { kind: ExitKind::Break(None, _), .. }) => direct,
            Stmt::Exit(Exit { kind: ExitKind::Break(Some(l), _), .. }) => {
                label.is_some_and(|label| label.ident == l.ident)
            }
            _ => false,
        };
        here || s.exprs().into_iter().any(|e| breaks_expr(e, label, direct))
    }) || b.tail.as_deref().is_some_and(|e| breaks_expr(e, label, direct))
}

fn breaks_expr(e: &Expr, label: Option<&syn::Lifetime>, direct: bool) -> bool {
    let mut found = false;
    e.children(&mut |child| {
        found |= match child {
            Child::Expr(e) => breaks_expr(e, label, direct),
            Child::Block(b) => breaks_block(b, label, direct),
            Child::Loop(l) => breaks_block(&l.body, label, false),
        };
    });
    found
}
