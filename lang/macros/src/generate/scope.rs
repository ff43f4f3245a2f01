//! Which names are variables of the kernel, and which of them code assigns.

use crate::ast::{Block, Child, Expr, ExprKind, Loop, LoopKind, Stmt};
use proc_macro2::Ident;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq)]
pub enum Binding {
    /// A variable.
    Value,
    /// A parameter that is `&mut` of a value, which is a variable inside.
    InOut,
    /// A function given as a parameter.
    Function,
    /// An array; whether it may be written.
    Array { mutable: bool },
}

/// The names in scope, the innermost last.
#[derive(Default)]
pub struct Scopes(Vec<(String, Binding)>);

impl Scopes {
    /// Adds a name, which hides earlier ones of the same name.
    pub fn bind(&mut self, name: &Ident, binding: Binding) {
        self.0.push((name.to_string(), binding));
    }
    /// What a name stands for, if it is in scope.
    pub fn get(&self, name: &Ident) -> Option<Binding> {
        self.0.iter().rev().find(|(n, _)| name == n).map(|(_, b)| *b)
    }
    /// Where the scope is now; [`Scopes::close`] goes back there.
    pub fn open(&self) -> usize {
        self.0.len()
    }
    /// Forgets the names since then.
    pub fn close(&mut self, mark: usize) {
        self.0.truncate(mark);
    }
    /// The variables in scope that these blocks assign, each at its first assignment.
    pub fn assigned<'a>(&self, blocks: impl IntoIterator<Item = &'a Block>) -> Vec<Ident> {
        let mut found = Vec::new();
        for block in blocks {
            assigned_in_block(block, &mut Vec::new(), &mut found);
        }
        found.retain(|f| match self.get(&f.name) {
            Some(Binding::Value) => f.certain,
            Some(Binding::InOut) => true,
            _ => false,
        });
        found.into_iter().map(|f| f.name).collect()
    }
}

/// A name that code assigns, certainly or, if it stands for a `&mut`, by giving it to a function.
struct Found {
    name: Ident,
    certain: bool,
}

fn note(name: &Ident, certain: bool, hidden: &[String], found: &mut Vec<Found>) {
    if hidden.iter().any(|h| name == h) {
        return;
    }
    match found.iter_mut().find(|f| f.name == *name) {
        Some(known) => known.certain |= certain,
        None => found.push(Found { name: name.clone(), certain }),
    }
}

/// Collects what a block assigns of the names outside of it; `hidden` are names inside.
fn assigned_in_block(block: &Block, hidden: &mut Vec<String>, found: &mut Vec<Found>) {
    let mark = hidden.len();
    for stmt in &block.stmts {
        for e in stmt.exprs() {
            assigned_in_expr(e, hidden, found);
        }
        match stmt {
            Stmt::Let { pat, .. } => hidden.extend(pat.names().into_iter().map(Ident::to_string)),
            Stmt::Const(item) => hidden.push(item.ident.to_string()),
            Stmt::Flag { name, .. } | Stmt::Slot { name, .. } => hidden.push(name.to_string()),
            Stmt::Assign { place, .. } => {
                if let Some(root) = root(place) {
                    note(root, true, hidden, found);
                }
            }
            Stmt::SetFlag { name, .. } | Stmt::SetSlot { name, .. } => note(name, true, hidden, found),
            Stmt::Expr(_) | Stmt::Exit(_) | Stmt::CheckMatch { .. } | Stmt::Print { .. } | Stmt::Assert { .. } => {}
        }
    }
    if let Some(tail) = &block.tail {
        assigned_in_expr(tail, hidden, found);
    }
    hidden.truncate(mark);
}

fn assigned_in_loop(l: &Loop, hidden: &mut Vec<String>, found: &mut Vec<Found>) {
    for e in l.kind.exprs() {
        assigned_in_expr(e, hidden, found);
    }
    let mark = hidden.len();
    if let LoopKind::For { pat, .. } = &l.kind {
        hidden.extend(pat.names().into_iter().map(Ident::to_string));
    }
    assigned_in_block(&l.body, hidden, found);
    hidden.truncate(mark);
}

fn assigned_in_expr(e: &Expr, hidden: &mut Vec<String>, found: &mut Vec<Found>) {
    match &e.kind {
        ExprKind::Ref { mutable: true, place } => {
            if let Some(root) = root(place) {
                note(root, true, hidden, found);
            }
        }
        ExprKind::Call(_, args) | ExprKind::Method { args, .. } => {
            let names =
                args.iter().filter_map(|a| if let ExprKind::Path(p) = &a.kind { p.path.get_ident() } else { None });
            names.for_each(|name| note(name, false, hidden, found));
        }
        _ => {}
    }
    e.children(&mut |child| match child {
        Child::Expr(e) => assigned_in_expr(e, hidden, found),
        Child::Block(b) => assigned_in_block(b, hidden, found),
        Child::Loop(l) => assigned_in_loop(l, hidden, found),
    });
}

/// The variable that a place begins with.
pub fn root(place: &Expr) -> Option<&Ident> {
    match &place.kind {
        ExprKind::Path(p) => p.path.get_ident(),
        ExprKind::Field(base, _) | ExprKind::Index(base, _) | ExprKind::Paren(base) | ExprKind::Deref(base) => {
            root(base)
        }
        _ => None,
    }
}
