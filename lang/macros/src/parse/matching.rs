//! `match`: becomes a chain of `if`s on a variable that holds what is matched.
//!
//! `match e { 0 | 1 => a, n if n < 0 => b, _ => c }` is `{ let m = e; if m == 0 || m == 1 { a } else if
//! { let n = m; n < 0 } { let n = m; b } else { c } }`. That the patterns fit and leave nothing out is
//! rustc's to say: `Stmt::CheckMatch` shows it a real `match` with the user's own patterns.

use super::Parser;
use crate::ast::{Block, Expr, ExprKind, If, Pat, Stmt};
use crate::refuse::Refusal;
use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;

/// What a pattern asks and binds.
struct Test {
    /// `None` if it always holds.
    cond: Option<Expr>,
    bound: Vec<Stmt>,
}

impl Parser<'_> {
    pub(super) fn match_expr(&mut self, m: syn::ExprMatch) -> Option<Expr> {
        let span = m.match_token.span;
        let subject = m.expr.span();
        let value = self.expr(*m.expr);
        if m.arms.is_empty() {
            self.errors.refuse(span, Refusal::EmptyMatch);
            return None;
        }
        // Not hygienic, so that rustc's errors stand at the user's value.
        let name = Ident::new("__pullback_match", subject);
        let matched = Expr::new(ExprKind::Made(name.clone()), subject);
        let mut patterns = Vec::new();
        let mut arms = Vec::new();
        for arm in m.arms {
            patterns.push((arm.pat.clone(), arm.guard.is_some()));
            let at = arm.pat.span();
            let test = self.test(arm.pat, &matched);
            let guard = arm.guard.map(|(_, e)| self.expr(*e));
            let body = self.arm_body(*arm.body);
            arms.push((test, guard, body, at));
        }
        let value = value?;
        let mut chain: Option<Block> = None;
        for (test, guard, body, at) in arms.into_iter().rev() {
            let test = test?;
            let guard = match guard {
                None => None,
                Some(guard) => Some(guard?),
            };
            // With a guard the names are bound twice, and a use of one of the two is a use.
            let mut bound = test.bound;
            if guard.is_some() {
                bound.extend(used(&bound));
            }
            let guard = guard.map(|guard| match bound.is_empty() {
                true => guard,
                false => block_expr(bound.clone(), Some(guard), at),
            });
            let then = match bound.is_empty() {
                true => body,
                false => Block { stmts: bound, tail: Some(Box::new(Expr::new(ExprKind::Block(body), at))), span: at },
            };
            let cond = match (test.cond, guard) {
                (Some(a), Some(b)) => Some(join(a, b, false)),
                (a, b) => a.or(b),
            };
            // The last arm holds if no other does, or rustc refuses the `match`.
            chain = Some(match (cond, chain) {
                (None, _) | (_, None) => then,
                (Some(cond), Some(rest)) => {
                    let chosen = If { cond, then, otherwise: Some(rest) };
                    Block {
                        stmts: vec![],
                        tail: Some(Box::new(Expr::new(ExprKind::If(Box::new(chosen)), at))),
                        span: at,
                    }
                }
            });
        }
        let chain = chain?;
        let pat = Pat::Name { name: name.clone(), mutable: false };
        let stmts = vec![
            Stmt::Let { pat, ty: None, init: value, span: subject },
            Stmt::CheckMatch { name, subject, arms: patterns },
        ];
        // A chain of one `if` stands at the end itself, so that exits are found in its arms.
        let tail =
            if chain.stmts.is_empty() { chain.tail } else { Some(Box::new(Expr::new(ExprKind::Block(chain), span))) };
        Some(Expr::new(ExprKind::Block(Block { stmts, tail, span }), span))
    }

    fn arm_body(&mut self, body: syn::Expr) -> Block {
        let span = body.span();
        match body {
            syn::Expr::Block(b) if b.label.is_none() && b.attrs.is_empty() => self.block(b.block, span),
            e => {
                let brace_token = syn::token::Brace(span);
                self.block(syn::Block { brace_token, stmts: vec![syn::Stmt::Expr(e, None)] }, span)
            }
        }
    }

    fn test(&mut self, pat: syn::Pat, subject: &Expr) -> Option<Test> {
        let span = pat.span();
        let mut bound = Vec::new();
        let cond = match pat {
            syn::Pat::Wild(_) => None,
            syn::Pat::Paren(p) => return self.test(*p.pat, subject),
            syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability, ident, subpat, .. }) => {
                if subpat.is_none() && mutability.is_none() && begins_upper(&ident) {
                    let path = syn::ExprPath { attrs: vec![], qself: None, path: ident.into() };
                    Some(compare(subject, eq(span), Expr::new(ExprKind::Path(path), span)))
                } else {
                    let inner = match subpat {
                        Some((_, pat)) => self.test(*pat, subject)?,
                        None => Test { cond: None, bound: vec![] },
                    };
                    let pat = Pat::Name { name: ident, mutable: mutability.is_some() };
                    bound.push(Stmt::Let { pat, ty: None, init: subject.clone(), span });
                    bound.extend(inner.bound);
                    inner.cond
                }
            }
            syn::Pat::Lit(l) => Some(compare(subject, eq(span), self.match_number(syn::Expr::Lit(l))?)),
            syn::Pat::Path(p) => Some(compare(subject, eq(span), Expr::new(ExprKind::Path(p), span))),
            syn::Pat::Range(r) => {
                let low = match r.start {
                    None => None,
                    Some(e) => Some(compare(subject, syn::BinOp::Ge(syn::Token![>=](span)), self.match_number(*e)?)),
                };
                let high = match r.end {
                    None => None,
                    Some(e) => {
                        let op = match r.limits {
                            syn::RangeLimits::Closed(_) => syn::BinOp::Le(syn::Token![<=](span)),
                            syn::RangeLimits::HalfOpen(_) => syn::BinOp::Lt(syn::Token![<](span)),
                        };
                        Some(compare(subject, op, self.match_number(*e)?))
                    }
                };
                match (low, high) {
                    (Some(a), Some(b)) => Some(join(a, b, false)),
                    (a, b) => a.or(b),
                }
            }
            syn::Pat::Or(or) => {
                let mut conds = Vec::new();
                for case in or.cases {
                    let at = case.span();
                    let test = self.test(case, subject)?;
                    if !test.bound.is_empty() {
                        self.errors.refuse(at, Refusal::BoundInOr);
                        return None;
                    }
                    conds.push(test.cond);
                }
                // One that always holds makes the whole hold.
                let conds: Option<Vec<Expr>> = conds.into_iter().collect();
                conds.and_then(|all| all.into_iter().reduce(|a, b| join(a, b, true)))
            }
            syn::Pat::Tuple(t) => {
                let mut all: Option<Expr> = None;
                for (i, part) in t.elems.into_iter().enumerate() {
                    if let syn::Pat::Rest(rest) = &part {
                        self.errors.refuse(rest.span(), Refusal::MatchPattern);
                        return None;
                    }
                    let member = syn::Member::Unnamed(syn::Index { index: i as u32, span: subject.span });
                    let field = Expr::new(ExprKind::Field(Box::new(subject.clone()), member), subject.span);
                    let test = self.test(part, &field)?;
                    bound.extend(test.bound);
                    all = match (all, test.cond) {
                        (Some(a), Some(b)) => Some(join(a, b, false)),
                        (a, b) => a.or(b),
                    };
                }
                all
            }
            _ => {
                self.errors.refuse(span, Refusal::MatchPattern);
                return None;
            }
        };
        Some(Test { cond, bound })
    }

    /// A number or a constant in a pattern.
    fn match_number(&mut self, e: syn::Expr) -> Option<Expr> {
        let span = e.span();
        match e {
            syn::Expr::Lit(l) => {
                if matches!(l.lit, syn::Lit::Float(_)) {
                    self.errors.refuse(span, Refusal::MatchFloat);
                    return None;
                }
                // syn reads the minus of a pattern as part of the number.
                let (minus, lit) = match l.lit {
                    syn::Lit::Int(i) => match i.to_string().strip_prefix('-') {
                        Some(digits) => {
                            (Some(syn::Token![-](span)), syn::Lit::Int(syn::LitInt::new(digits.trim(), i.span())))
                        }
                        None => (None, syn::Lit::Int(i)),
                    },
                    syn::Lit::Float(f) => (None, syn::Lit::Float(f)),
                    lit => (None, lit),
                };
                self.lit(minus, lit, span)
            }
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(minus), expr, .. }) => match *expr {
                syn::Expr::Lit(l) if matches!(l.lit, syn::Lit::Float(_)) => {
                    self.errors.refuse(span, Refusal::MatchFloat);
                    None
                }
                syn::Expr::Lit(l) => self.lit(Some(minus), l.lit, span),
                _ => {
                    self.errors.refuse(span, Refusal::MatchPattern);
                    None
                }
            },
            syn::Expr::Path(p) => Some(Expr::new(ExprKind::Path(p), span)),
            _ => {
                self.errors.refuse(span, Refusal::MatchPattern);
                None
            }
        }
    }
}

/// Whether a name is a constant's by its looks.
fn begins_upper(name: &Ident) -> bool {
    name.to_string().starts_with(|c: char| c.is_uppercase())
}

/// `let _ = name;` for each name that these bind.
fn used(bound: &[Stmt]) -> Vec<Stmt> {
    let names = bound.iter().filter_map(|s| match s {
        Stmt::Let { pat: Pat::Name { name, .. }, .. } => Some(name),
        _ => None,
    });
    let use_of = |name: &Ident| {
        let path = syn::ExprPath { attrs: vec![], qself: None, path: name.clone().into() };
        let init = Expr::new(ExprKind::Path(path), name.span());
        Stmt::Let { pat: Pat::Wild(name.span()), ty: None, init, span: name.span() }
    };
    names.map(use_of).collect()
}

fn eq(span: Span) -> syn::BinOp {
    syn::BinOp::Eq(syn::Token![==](span))
}

fn compare(subject: &Expr, op: syn::BinOp, other: Expr) -> Expr {
    let span = other.span;
    Expr::new(ExprKind::Binary(Box::new(subject.clone()), op, Box::new(other)), span)
}

/// `a && b`, or `a || b` if `any`.
fn join(a: Expr, b: Expr, any: bool) -> Expr {
    let span = a.span;
    let op = if any { syn::BinOp::Or(syn::Token![||](span)) } else { syn::BinOp::And(syn::Token![&&](span)) };
    Expr::new(ExprKind::Binary(Box::new(a), op, Box::new(b)), span)
}

fn block_expr(stmts: Vec<Stmt>, tail: Option<Expr>, span: Span) -> Expr {
    Expr::new(ExprKind::Block(Block { stmts, tail: tail.map(Box::new), span }), span)
}
