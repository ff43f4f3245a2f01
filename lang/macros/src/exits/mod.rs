//! Lowers `return`, `break` and `continue` to conditions, so that what follows sees only `if`, `for`
//! and `while`.
//!
//! Where a statement may leave, what follows it runs under a condition. If one arm of an `if` always
//! leaves, the rest moves into the other arm: `if c { return; } rest` becomes `if c {} else { rest }`.
//! Else a flag of the enclosing scope says whether it is still **live**, and the rest becomes
//! `if live { rest }`. A scope is the function's body or one iteration of a loop. A loop that may be
//! left early also has a flag **go**, which its condition asks first. What a `return` or a `break`
//! gives is kept in a **slot**. Flags and slots that nobody reads are removed at the end.
//!
//! The rest is moved whole, in a block of its own, so the names in it mean what they meant.

mod find;
mod strip;

use crate::ast::{Adaptor, Block, Exit, ExitKind, Expr, ExprKind, Function, If, Loop, LoopKind, Stmt};
use crate::refuse::{Errors, Refusal};
use find::{escapes, exit_in_block, leaves, loop_escapes, never_ends};
use proc_macro2::{Ident, Span};
use std::collections::{HashSet, VecDeque};
use strip::strip_block;

/// Rewrites a function so that it leaves only at its end.
pub fn lower(mut f: Function, errors: &mut Errors) -> Function {
    let valued = f.output.is_some();
    let mut lower = Lower { errors, scopes: Vec::new(), made: 0, read: HashSet::new(), set: HashSet::new() };
    let (live, ret) = (lower.name("live", f.body.span), lower.name("ret", f.body.span));
    lower.scopes.push(Scope { live: live.clone(), kind: ScopeKind::Function { ret: ret.clone() } });
    let mut body = lower.block(f.body, End::Function, valued);
    let head = [Stmt::Flag { name: live, value: true }, Stmt::Slot { name: ret, ty: f.output.clone() }];
    body.stmts.splice(0..0, head);
    let read = lower.read;
    strip_block(&mut body, &read);
    f.body = body;
    f
}

struct Scope {
    live: Ident,
    kind: ScopeKind,
}

enum ScopeKind {
    Function {
        ret: Ident,
    },
    Loop {
        label: Option<String>,
        go: Ident,
        /// The slot for what `break` gives; only `loop` has one.
        value: Option<Ident>,
    },
}

/// What the end of a block is the end of.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// The function: its value is what the function returns.
    Function,
    /// An iteration of the innermost loop.
    Iteration,
    /// Nothing: more follows.
    Middle,
}

struct Lower<'e> {
    errors: &'e mut Errors,
    scopes: Vec<Scope>,
    made: usize,
    /// Flags and slots that are read.
    read: HashSet<String>,
    /// Flags and slots that are set.
    set: HashSet<String>,
}

impl Lower<'_> {
    fn name(&mut self, what: &str, span: Span) -> Ident {
        self.made += 1;
        Ident::new(&format!("__{what}_{}", self.made), span.resolved_at(Span::mixed_site()))
    }
    fn read(&mut self, name: &Ident) -> Expr {
        self.read.insert(name.to_string());
        Expr::new(ExprKind::Made(name.clone()), name.span())
    }
    fn set_flag(&mut self, name: &Ident, value: bool) -> Stmt {
        self.set.insert(name.to_string());
        Stmt::SetFlag { name: name.clone(), value }
    }
    fn ret(&self) -> Option<Ident> {
        self.scopes.iter().find_map(|s| match &s.kind {
            ScopeKind::Function { ret } => Some(ret.clone()),
            ScopeKind::Loop { .. } => None,
        })
    }

    fn block(&mut self, block: Block, end: End, valued: bool) -> Block {
        self.stmts(block.stmts.into(), block.tail, end, valued, block.span)
    }

    fn stmts(
        &mut self,
        mut rest: VecDeque<Stmt>,
        tail: Option<Box<Expr>>,
        end: End,
        valued: bool,
        span: Span,
    ) -> Block {
        let mut out = Vec::new();
        while let Some(stmt) = rest.pop_front() {
            if let Stmt::Exit(exit) = stmt {
                return self.exit(out, exit, end, valued, span);
            }
            if !stmt.exprs().into_iter().any(escapes) {
                let stmt = self.plain(stmt);
                out.push(stmt);
                continue;
            }
            let last = rest.is_empty() && tail.is_none();
            match stmt {
                Stmt::Expr(e) => match peel(e).kind {
                    ExprKind::If(i) => {
                        let i = *i;
                        let arms = (leaves(&i.then), i.otherwise.as_ref().is_some_and(leaves));
                        let cond = self.expr(i.cond);
                        match arms {
                            (true, true) => {
                                let then = self.block(i.then, end, valued && end == End::Function);
                                let other = i.otherwise.map(|b| self.block(b, end, valued && end == End::Function));
                                return self.last_if(out, cond, then, other, end, valued, span);
                            }
                            (true, false) => {
                                let then = self.block(i.then, end, valued);
                                rest.put_first(i.otherwise);
                                let other = self.stmts(rest, tail, end, valued, span);
                                return finish_if(out, cond, then, Some(other), valued, span);
                            }
                            (false, true) => {
                                let other = i.otherwise.map(|b| self.block(b, end, valued));
                                rest.put_first(Some(i.then));
                                let then = self.stmts(rest, tail, end, valued, span);
                                return finish_if(out, cond, then, other, valued, span);
                            }
                            (false, false) => {
                                let arm_end = if last && !valued { end } else { End::Middle };
                                let then = self.block(i.then, arm_end, false);
                                let otherwise = i.otherwise.map(|b| self.block(b, arm_end, false));
                                out.push(Stmt::Expr(if_expr(cond, then, otherwise, span)));
                            }
                        }
                    }
                    ExprKind::Block(b) => {
                        let always = leaves(&b);
                        if always || (last && !valued) {
                            let b = self.block(b, end, valued);
                            return finish(out, Expr::new(ExprKind::Block(b), span), valued, span);
                        }
                        let b = self.block(b, End::Middle, false);
                        out.push(Stmt::Expr(Expr::new(ExprKind::Block(b), span)));
                    }
                    ExprKind::Loop(l) => {
                        let endless = never_ends(&l);
                        let (stmts, _) = self.loop_stmts(*l, span);
                        out.extend(stmts);
                        if endless {
                            return self.after_exit(out, end, valued, span);
                        }
                    }
                    kind => {
                        let e = self.expr(Expr::new(kind, span));
                        out.push(Stmt::Expr(e));
                    }
                },
                Stmt::Let { pat, ty, init, span: let_span } => match peel(init).kind {
                    ExprKind::If(i) if leaves(&i.then) && i.otherwise.as_ref().is_some_and(|b| !leaves(b)) => {
                        let i = *i;
                        let cond = self.expr(i.cond);
                        let then = self.block(i.then, end, valued);
                        let init = i.otherwise.map(block_expr);
                        rest.put_let_first(pat, ty, init, let_span);
                        let other = self.stmts(rest, tail, end, valued, span);
                        return finish_if(out, cond, then, Some(other), valued, span);
                    }
                    ExprKind::If(i) if !leaves(&i.then) && i.otherwise.as_ref().is_some_and(leaves) => {
                        let i = *i;
                        let cond = self.expr(i.cond);
                        let other = i.otherwise.map(|b| self.block(b, end, valued));
                        rest.put_let_first(pat, ty, Some(block_expr(i.then)), let_span);
                        let then = self.stmts(rest, tail, end, valued, span);
                        return finish_if(out, cond, then, other, valued, span);
                    }
                    kind => {
                        let init = self.valued(Expr::new(kind, let_span));
                        out.push(Stmt::Let { pat, ty, init, span: let_span });
                    }
                },
                Stmt::Assign { place, op, value } => {
                    let value = self.valued(peel(value));
                    let place = self.expr(place);
                    out.push(Stmt::Assign { place, op, value });
                }
                stmt => {
                    let stmt = self.plain(stmt);
                    out.push(stmt);
                }
            }
            return self.guard(out, rest, tail, end, valued, span);
        }
        let tail = match tail {
            None => None,
            Some(e) if escapes(&e) => return self.tail(out, peel(*e), end, valued),
            Some(e) => Some(Box::new(self.expr(*e))),
        };
        Block { stmts: out, tail, span }
    }

    /// A tail expression that may leave.
    fn tail(&mut self, mut out: Vec<Stmt>, e: Expr, end: End, valued: bool) -> Block {
        let span = e.span;
        match e.kind {
            ExprKind::If(i) => {
                let i = *i;
                let both = leaves(&i.then) && i.otherwise.as_ref().is_some_and(leaves);
                let arms_valued = valued && (end == End::Function || !both);
                let cond = self.expr(i.cond);
                let then = self.block(i.then, end, arms_valued);
                let otherwise = i.otherwise.map(|b| self.block(b, end, arms_valued));
                if both {
                    return self.last_if(out, cond, then, otherwise, end, valued, span);
                }
                finish_if(out, cond, then, otherwise, valued, span)
            }
            ExprKind::Block(b) => {
                let b = self.block(b, end, valued);
                finish(out, Expr::new(ExprKind::Block(b), span), valued, span)
            }
            ExprKind::Loop(l) => {
                let endless = never_ends(&l);
                let (stmts, value) = self.loop_stmts(*l, span);
                out.extend(stmts);
                if endless {
                    return self.after_exit(out, end, valued, span);
                }
                let value = value.map(|v| Box::new(self.read(&v)));
                self.guard(out, VecDeque::new(), value, end, valued, span)
            }
            kind => {
                let e = self.expr(Expr::new(kind, span));
                finish(out, e, true, span)
            }
        }
    }

    /// The initial or assigned value of a statement, which may leave.
    fn valued(&mut self, e: Expr) -> Expr {
        let span = e.span;
        match e.kind {
            ExprKind::If(_) | ExprKind::Block(_) | ExprKind::Loop(_) => {
                let block = Block { stmts: vec![], tail: Some(Box::new(e)), span };
                block_expr(self.block(block, End::Middle, true))
            }
            kind => self.expr(Expr::new(kind, span)),
        }
    }

    /// `if live { rest }`.
    fn guard(
        &mut self,
        mut out: Vec<Stmt>,
        rest: VecDeque<Stmt>,
        tail: Option<Box<Expr>>,
        end: End,
        valued: bool,
        span: Span,
    ) -> Block {
        if rest.is_empty() && tail.is_none() && !valued {
            return Block { stmts: out, tail: None, span };
        }
        let Some(live) = self.scopes.last().map(|s| s.live.clone()) else {
            return Block { stmts: out, tail, span };
        };
        let cond = self.read(&live);
        let then = self.stmts(rest, tail, end, valued, span);
        let other = self.after_exit(Vec::new(), end, valued, span);
        let e = if_expr(cond, then, valued.then_some(other), span);
        if valued {
            return Block { stmts: out, tail: Some(Box::new(e)), span };
        }
        out.push(Stmt::Expr(e));
        Block { stmts: out, tail: None, span }
    }

    /// The end of a block that is reached only after an exit: what is returned, or any value.
    fn after_exit(&mut self, out: Vec<Stmt>, end: End, valued: bool, span: Span) -> Block {
        let tail = match (valued, end) {
            (false, _) => None,
            (true, End::Function) => self.ret().map(|ret| self.read(&ret)),
            (true, _) => Some(Expr::new(ExprKind::Placeholder, span)),
        };
        Block { stmts: out, tail: tail.map(Box::new), span }
    }

    /// An `if` both of whose arms leave.
    #[allow(clippy::too_many_arguments)]
    fn last_if(
        &mut self,
        mut out: Vec<Stmt>,
        cond: Expr,
        then: Block,
        otherwise: Option<Block>,
        end: End,
        valued: bool,
        span: Span,
    ) -> Block {
        if valued && end == End::Function {
            return finish_if(out, cond, then, otherwise, true, span);
        }
        out.push(Stmt::Expr(if_expr(cond, then, otherwise, span)));
        self.after_exit(out, end, valued, span)
    }

    fn exit(&mut self, mut out: Vec<Stmt>, exit: Exit, end: End, valued: bool, span: Span) -> Block {
        let (target, keeps) = match exit.kind {
            ExitKind::Return(value) => {
                let value = value.map(|v| self.expr(*v));
                if end == End::Function {
                    return Block { stmts: out, tail: value.map(Box::new), span };
                }
                if let (Some(name), Some(value)) = (self.ret(), value) {
                    self.set.insert(name.to_string());
                    out.push(Stmt::SetSlot { name, value });
                }
                (0, false)
            }
            ExitKind::Break(label, value) => {
                let Some(target) = self.target(label, exit.span) else { return Block { stmts: out, tail: None, span } };
                let value = value.map(|v| self.expr(*v));
                match (&self.scopes[target].kind, value) {
                    (ScopeKind::Loop { value: Some(name), .. }, Some(value)) => {
                        let name = name.clone();
                        self.set.insert(name.to_string());
                        out.push(Stmt::SetSlot { name, value });
                    }
                    (_, Some(_)) => self.errors.refuse(exit.span, Refusal::BreakValue),
                    (_, None) => {}
                }
                (target, false)
            }
            ExitKind::Continue(label) => {
                let Some(target) = self.target(label, exit.span) else { return Block { stmts: out, tail: None, span } };
                (target, true)
            }
        };
        let flags: Vec<(Ident, Option<Ident>)> = self.scopes[target..]
            .iter()
            .enumerate()
            .map(|(i, scope)| {
                let go = match &scope.kind {
                    ScopeKind::Loop { go, .. } if !(keeps && i == 0) => Some(go.clone()),
                    _ => None,
                };
                (scope.live.clone(), go)
            })
            .collect();
        for (live, go) in flags {
            let live = self.set_flag(&live, false);
            out.push(live);
            if let Some(go) = go {
                let go = self.set_flag(&go, false);
                out.push(go);
            }
        }
        let tail = valued.then(|| Box::new(Expr::new(ExprKind::Placeholder, exit.span)));
        Block { stmts: out, tail, span }
    }

    /// The scope of the loop that a `break` or `continue` is about.
    fn target(&mut self, label: Option<syn::Lifetime>, span: Span) -> Option<usize> {
        let wanted = label.as_ref().map(|l| l.ident.to_string());
        let found = self.scopes.iter().rposition(|s| match (&s.kind, &wanted) {
            (ScopeKind::Loop { .. }, None) => true,
            (ScopeKind::Loop { label, .. }, wanted) => label == wanted,
            (ScopeKind::Function { .. }, _) => false,
        });
        if found.is_none() {
            match label {
                Some(l) => self.errors.refuse(l.span(), Refusal::UnknownLabel(l.to_string())),
                None => self.errors.refuse(span, Refusal::BreakOutsideLoop),
            }
        }
        found
    }

    /// A loop as statements, and the slot with its value if it is a `loop` that has one.
    fn loop_stmts(&mut self, l: Loop, span: Span) -> (Vec<Stmt>, Option<Ident>) {
        let (live, go) = (self.name("live", span), self.name("go", span));
        let value = matches!(l.kind, LoopKind::Forever).then(|| self.name("value", span));
        let mut kind = match l.kind {
            LoopKind::For { pat, mut range, .. } => {
                range.low = Box::new(self.expr(*range.low));
                range.high = Box::new(self.expr(*range.high));
                for adaptor in &mut range.adaptors {
                    if let Adaptor::StepBy(n, _) = adaptor {
                        **n = self.expr((**n).clone());
                    }
                }
                LoopKind::For { pat, range, go: None }
            }
            LoopKind::While(cond) => LoopKind::While(Box::new(self.expr(*cond))),
            LoopKind::Forever => LoopKind::Forever,
        };
        let label = l.label.map(|l| l.ident.to_string());
        self.scopes
            .push(Scope { live: live.clone(), kind: ScopeKind::Loop { label, go: go.clone(), value: value.clone() } });
        let mut body = self.block(l.body, End::Iteration, false);
        self.scopes.pop();
        body.stmts.insert(0, Stmt::Flag { name: live, value: true });
        let mut stmts = Vec::new();
        if self.set.contains(&go.to_string()) {
            let asked = self.read(&go);
            match &mut kind {
                LoopKind::For { go: flag, .. } => *flag = Some(go.clone()),
                LoopKind::While(cond) => {
                    let both = ExprKind::Binary(
                        Box::new(asked),
                        syn::BinOp::And(syn::Token![&&](span)),
                        Box::new((**cond).clone()),
                    );
                    **cond = Expr::new(both, span);
                }
                LoopKind::Forever => kind = LoopKind::While(Box::new(asked)),
            }
            stmts.push(Stmt::Flag { name: go, value: true });
        } else if matches!(kind, LoopKind::Forever) {
            self.errors.refuse(span, Refusal::EndlessLoop);
        }
        let value = value.filter(|v| self.set.contains(&v.to_string()));
        if let Some(name) = &value {
            self.read.insert(name.to_string());
            stmts.push(Stmt::Slot { name: name.clone(), ty: None });
        }
        let l = Loop { label: None, kind, body };
        stmts.push(Stmt::Expr(Expr::new(ExprKind::Loop(Box::new(l)), span)));
        (stmts, value)
    }

    /// A statement that does not leave; loops in it may have exits of their own.
    fn plain(&mut self, stmt: Stmt) -> Stmt {
        match stmt {
            Stmt::Let { pat, ty, init, span } => Stmt::Let { pat, ty, init: self.expr(init), span },
            Stmt::Assign { place, op, value } => Stmt::Assign { place: self.expr(place), op, value: self.expr(value) },
            Stmt::Expr(e) => Stmt::Expr(self.expr(e)),
            Stmt::SetSlot { name, value } => Stmt::SetSlot { name, value: self.expr(value) },
            Stmt::Print { texts, values, span } => {
                let values = values.into_iter().map(|(e, mark)| (self.expr(e), mark)).collect();
                Stmt::Print { texts, values, span }
            }
            Stmt::Assert { cond, text, span } => Stmt::Assert { cond: self.expr(cond), text, span },
            other => other,
        }
    }

    /// An expression that must not leave; says so if it does.
    fn expr(&mut self, e: Expr) -> Expr {
        let span = e.span;
        let boxed = |this: &mut Self, e: Box<Expr>| Box::new(this.expr(*e));
        let kind = match e.kind {
            ExprKind::Unary(op, e) => ExprKind::Unary(op, boxed(self, e)),
            ExprKind::Field(e, m) => ExprKind::Field(boxed(self, e), m),
            ExprKind::Cast(e, ty) => ExprKind::Cast(boxed(self, e), ty),
            ExprKind::Paren(e) => ExprKind::Paren(boxed(self, e)),
            ExprKind::Repeat(e, n) => ExprKind::Repeat(boxed(self, e), n),
            ExprKind::Ref { mutable, place } => ExprKind::Ref { mutable, place: boxed(self, place) },
            ExprKind::Deref(e) => ExprKind::Deref(boxed(self, e)),
            ExprKind::Binary(a, op, b) => ExprKind::Binary(boxed(self, a), op, boxed(self, b)),
            ExprKind::Index(a, b) => ExprKind::Index(boxed(self, a), boxed(self, b)),
            ExprKind::Call(f, args) => ExprKind::Call(f, args.into_iter().map(|a| self.expr(a)).collect()),
            ExprKind::Tuple(all) => ExprKind::Tuple(all.into_iter().map(|a| self.expr(a)).collect()),
            ExprKind::Array(all) => ExprKind::Array(all.into_iter().map(|a| self.expr(a)).collect()),
            ExprKind::Method { receiver, method, turbofish, args } => ExprKind::Method {
                receiver: boxed(self, receiver),
                method,
                turbofish,
                args: args.into_iter().map(|a| self.expr(a)).collect(),
            },
            ExprKind::Struct(path, fields) => {
                ExprKind::Struct(path, fields.into_iter().map(|(m, e)| (m, self.expr(e))).collect())
            }
            ExprKind::If(i) => {
                let i = *i;
                let cond = self.expr(i.cond);
                let then = self.closed(i.then);
                let otherwise = i.otherwise.map(|b| self.closed(b));
                ExprKind::If(Box::new(If { cond, then, otherwise }))
            }
            ExprKind::Block(b) => ExprKind::Block(self.closed(b)),
            ExprKind::Loop(l) => {
                if loop_escapes(&l) {
                    self.errors.refuse(span, Refusal::ExitInExpression);
                }
                let (stmts, value) = self.loop_stmts(*l, span);
                let tail = value.map(|v| Box::new(self.read(&v)));
                ExprKind::Block(Block { stmts, tail, span })
            }
            leaf @ (ExprKind::Lit { .. } | ExprKind::Path(_) | ExprKind::Made(_) | ExprKind::Placeholder) => leaf,
        };
        Expr::new(kind, span)
    }

    /// A block inside of an expression, which must not leave.
    fn closed(&mut self, b: Block) -> Block {
        if let Some(span) = exit_in_block(&b, &mut Vec::new()) {
            self.errors.refuse(span, Refusal::ExitInExpression);
        }
        self.block(b, End::Middle, false)
    }
}

/// Puts what must run first in front of the statements that follow.
trait Front {
    fn put_first(&mut self, block: Option<Block>);
    fn put_let_first(&mut self, pat: crate::ast::Pat, ty: Option<syn::Type>, init: Option<Expr>, span: Span);
}
impl Front for VecDeque<Stmt> {
    fn put_first(&mut self, block: Option<Block>) {
        let Some(block) = block else { return };
        // A block without names of its own needs no braces, and one that only holds an `if` must
        // have none, so that what follows can move into the arms of that `if`.
        let names = block.stmts.iter().any(|s| matches!(s, Stmt::Let { .. } | Stmt::Const(_)));
        if names {
            self.push_front(Stmt::Expr(block_expr(block)));
            return;
        }
        if let Some(tail) = block.tail {
            self.push_front(Stmt::Expr(*tail));
        }
        for stmt in block.stmts.into_iter().rev() {
            self.push_front(stmt);
        }
    }
    fn put_let_first(&mut self, pat: crate::ast::Pat, ty: Option<syn::Type>, init: Option<Expr>, span: Span) {
        if let Some(init) = init {
            self.push_front(Stmt::Let { pat, ty, init, span });
        }
    }
}

fn peel(e: Expr) -> Expr {
    match e.kind {
        ExprKind::Paren(inner) => peel(*inner),
        kind => Expr::new(kind, e.span),
    }
}

fn block_expr(b: Block) -> Expr {
    let span = b.span;
    Expr::new(ExprKind::Block(b), span)
}

fn if_expr(cond: Expr, then: Block, otherwise: Option<Block>, span: Span) -> Expr {
    let otherwise = otherwise.filter(|b| !b.stmts.is_empty() || b.tail.is_some());
    Expr::new(ExprKind::If(Box::new(If { cond, then, otherwise })), span)
}

fn finish_if(out: Vec<Stmt>, cond: Expr, then: Block, otherwise: Option<Block>, valued: bool, span: Span) -> Block {
    let e = if_expr(cond, then, otherwise, span);
    finish(out, e, valued, span)
}

/// A block that ends with `e`.
fn finish(mut out: Vec<Stmt>, e: Expr, valued: bool, span: Span) -> Block {
    if valued {
        return Block { stmts: out, tail: Some(Box::new(e)), span };
    }
    out.push(Stmt::Expr(e));
    Block { stmts: out, tail: None, span }
}
