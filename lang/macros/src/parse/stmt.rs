//! Statements and patterns.

use super::Parser;
use crate::ast::{Adaptor, Assign, Block, Exit, ExitKind, Expr, ExprKind, If, Loop, LoopKind, Pat, Range, Stmt};
use crate::generate::Role;
use crate::refuse::Refusal;
use proc_macro2::Span;
use syn::spanned::Spanned;

impl Parser<'_> {
    pub(super) fn block(&mut self, block: syn::Block, span: Span) -> Block {
        let mut stmts = Vec::new();
        let mut tail = None;
        let count = block.stmts.len();
        for (i, stmt) in block.stmts.into_iter().enumerate() {
            match stmt {
                syn::Stmt::Expr(e, None) if i + 1 == count => match self.statement(e) {
                    Some(Stmt::Expr(e)) => tail = Some(Box::new(e)),
                    Some(stmt) => stmts.push(stmt),
                    None => {}
                },
                syn::Stmt::Expr(e, _) => stmts.extend(self.statement(e)),
                syn::Stmt::Local(local) => stmts.extend(self.local(local)),
                syn::Stmt::Item(syn::Item::Const(item)) => stmts.push(Stmt::Const(item)),
                syn::Stmt::Item(item) => self.errors.refuse(item.span(), Refusal::Item),
                syn::Stmt::Macro(m) => stmts.extend(self.macro_stmt(m.mac)),
            }
        }
        Block { stmts, tail, span }
    }

    fn local(&mut self, local: syn::Local) -> Option<Stmt> {
        let span = local.let_token.span;
        let (pat, ty) = match local.pat {
            syn::Pat::Type(typed) => (*typed.pat, Some(*typed.ty)),
            pat => (pat, None),
        };
        let pat = self.pat(pat);
        let Some(init) = local.init else {
            self.errors.refuse(span, Refusal::LetWithoutValue);
            return None;
        };
        if let Some((token, _)) = init.diverge {
            self.errors.refuse(token.span, Refusal::LetElse);
        }
        let init = self.expr(*init.expr)?;
        Some(Stmt::Let { pat: pat?, ty, init, span })
    }

    fn pat(&mut self, pat: syn::Pat) -> Option<Pat> {
        match pat {
            syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability, ident, subpat: None, .. }) => {
                Some(Pat::Name { name: ident, mutable: mutability.is_some() })
            }
            syn::Pat::Wild(w) => Some(Pat::Wild(w.underscore_token.span)),
            syn::Pat::Paren(p) => self.pat(*p.pat),
            syn::Pat::Tuple(t) => {
                let span = t.paren_token.span.open();
                let all: Vec<_> = t.elems.into_iter().map(|p| self.pat(p)).collect();
                Some(Pat::Tuple(all.into_iter().collect::<Option<_>>()?, span))
            }
            other => {
                self.errors.refuse(other.span(), Refusal::Pattern);
                None
            }
        }
    }

    /// An expression where a statement may stand.
    fn statement(&mut self, e: syn::Expr) -> Option<Stmt> {
        match e {
            syn::Expr::Assign(a) => {
                let place = self.place(*a.left);
                let value = self.expr(*a.right);
                Some(Stmt::Assign { place: place?, op: Assign::Set(a.eq_token), value: value? })
            }
            syn::Expr::Binary(b) if is_compound(&b.op) => {
                let place = self.place(*b.left);
                let value = self.expr(*b.right);
                Some(Stmt::Assign { place: place?, op: Assign::Op(b.op), value: value? })
            }
            syn::Expr::Return(r) => {
                let span = r.return_token.span;
                let value = r.expr.map(|e| self.expr(*e));
                if let (Some(_), Role::Kernel) = (&value, self.role) {
                    self.errors.refuse(span, Refusal::ReturnValueInKernel);
                    return None;
                }
                let value = match value {
                    Some(value) => Some(Box::new(value?)),
                    None => None,
                };
                Some(Stmt::Exit(Exit { kind: ExitKind::Return(value), span }))
            }
            syn::Expr::Break(b) => {
                let span = b.break_token.span;
                let value = match b.expr {
                    Some(e) => Some(Box::new(self.expr(*e)?)),
                    None => None,
                };
                Some(Stmt::Exit(Exit { kind: ExitKind::Break(b.label, value), span }))
            }
            syn::Expr::Continue(c) => {
                Some(Stmt::Exit(Exit { kind: ExitKind::Continue(c.label), span: c.continue_token.span }))
            }
            syn::Expr::Macro(m) => self.macro_stmt(m.mac),
            e => self.expr(e).map(Stmt::Expr),
        }
    }

    /// What is assigned to: a variable, with fields and indices after it.
    fn place(&mut self, e: syn::Expr) -> Option<Expr> {
        let span = e.span();
        match e {
            syn::Expr::Path(_)
            | syn::Expr::Field(_)
            | syn::Expr::Index(_)
            | syn::Expr::Paren(_)
            | syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), .. }) => {
                let place = self.expr(e)?;
                if !is_place(&place) {
                    self.errors.refuse(span, Refusal::AssignPlace);
                    return None;
                }
                Some(place)
            }
            syn::Expr::Group(g) => self.place(*g.expr),
            syn::Expr::Tuple(_) | syn::Expr::Infer(_) => {
                self.errors.refuse(span, Refusal::DestructuringAssign);
                None
            }
            _ => {
                self.errors.refuse(span, Refusal::AssignPlace);
                None
            }
        }
    }

    pub(super) fn if_expr(&mut self, e: syn::ExprIf) -> Option<Expr> {
        let span = e.if_token.span;
        if let Some(token) = find_let(&e.cond) {
            self.errors.refuse(token, Refusal::IfLet);
            return None;
        }
        let cond = self.expr(*e.cond);
        let then_span = e.then_branch.brace_token.span.open();
        let then = self.block(e.then_branch, then_span);
        let otherwise = match e.else_branch {
            None => None,
            Some((token, e)) => Some(match *e {
                syn::Expr::Block(b) => self.block(b.block, token.span),
                e => Block { stmts: vec![], tail: Some(Box::new(self.expr(e)?)), span: token.span },
            }),
        };
        Some(Expr::new(ExprKind::If(Box::new(If { cond: cond?, then, otherwise })), span))
    }

    pub(super) fn loop_expr(
        &mut self,
        label: Option<syn::Label>,
        kind: Option<LoopKind>,
        body: syn::Block,
        span: Span,
    ) -> Option<Expr> {
        let body = self.block(body, span);
        let label = label.map(|l| l.name);
        Some(Expr::new(ExprKind::Loop(Box::new(Loop { label, kind: kind?, body })), span))
    }

    pub(super) fn while_head(&mut self, cond: syn::Expr) -> Option<LoopKind> {
        if let Some(token) = find_let(&cond) {
            self.errors.refuse(token, Refusal::IfLet);
            return None;
        }
        let cond = self.expr(cond)?;
        if assigns(&cond) {
            self.errors.refuse(cond.span, Refusal::AssignInCondition);
            return None;
        }
        Some(LoopKind::While(Box::new(cond)))
    }

    pub(super) fn for_head(&mut self, pat: syn::Pat, range: syn::Expr) -> Option<LoopKind> {
        let span = pat.span();
        let pat = self.pat(pat);
        if matches!(pat, Some(Pat::Tuple(..))) {
            self.errors.refuse(span, Refusal::ForPattern);
        }
        let range = self.range(range)?;
        Some(LoopKind::For { pat: pat?, range, go: None })
    }

    fn range(&mut self, e: syn::Expr) -> Option<Range> {
        let span = e.span();
        match e {
            syn::Expr::Paren(p) => self.range(*p.expr),
            syn::Expr::Group(g) => self.range(*g.expr),
            syn::Expr::Range(syn::ExprRange { start: Some(low), end: Some(high), limits, .. }) => {
                let low = self.expr(*low);
                let high = self.expr(*high);
                Some(Range {
                    low: Box::new(low?),
                    high: Box::new(high?),
                    inclusive: matches!(limits, syn::RangeLimits::Closed(_)),
                    adaptors: vec![],
                    span,
                })
            }
            syn::Expr::MethodCall(m) if m.method == "rev" && m.args.is_empty() => {
                let mut range = self.range(*m.receiver)?;
                range.adaptors.push(Adaptor::Rev(m.method.span()));
                Some(range)
            }
            syn::Expr::MethodCall(m) if m.method == "step_by" && m.args.len() == 1 => {
                let range = self.range(*m.receiver);
                let n = self.expr(m.args.into_iter().next()?);
                let mut range = range?;
                range.adaptors.push(Adaptor::StepBy(Box::new(n?), m.method.span()));
                Some(range)
            }
            _ => {
                self.errors.refuse(span, Refusal::ForOver);
                None
            }
        }
    }

    pub(super) fn refuse_macro(&mut self, mac: &syn::Macro) {
        let name = mac.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        self.errors.refuse(mac.path.span(), Refusal::Macro(name));
    }
}

fn is_compound(op: &syn::BinOp) -> bool {
    use syn::BinOp::*;
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

pub(super) fn is_place(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Path(p) => p.qself.is_none() && p.path.get_ident().is_some(),
        ExprKind::Field(base, _) | ExprKind::Index(base, _) | ExprKind::Paren(base) | ExprKind::Deref(base) => {
            is_place(base)
        }
        _ => false,
    }
}

/// The `let` of a condition, if it has one.
fn find_let(cond: &syn::Expr) -> Option<Span> {
    match cond {
        syn::Expr::Let(l) => Some(l.let_token.span),
        syn::Expr::Binary(b) => find_let(&b.left).or_else(|| find_let(&b.right)),
        syn::Expr::Paren(p) => find_let(&p.expr),
        syn::Expr::Group(g) => find_let(&g.expr),
        _ => None,
    }
}

/// Whether an expression assigns anything.
fn assigns(e: &Expr) -> bool {
    use crate::ast::Child;
    fn block(b: &Block) -> bool {
        b.stmts.iter().any(|s| matches!(s, Stmt::Assign { .. }) || s.exprs().into_iter().any(assigns))
            || b.tail.as_deref().is_some_and(assigns)
    }
    let mut found = false;
    e.children(&mut |c| {
        found |= match c {
            Child::Expr(e) => assigns(e),
            Child::Block(b) => block(b),
            Child::Loop(l) => block(&l.body),
        };
    });
    found
}
