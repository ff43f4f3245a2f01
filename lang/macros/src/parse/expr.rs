//! Expressions.

use super::Parser;
use crate::ast::{Expr, ExprKind, LoopKind};
use crate::refuse::{Refusal, is_missing_scalar};
use proc_macro2::Span;
use syn::spanned::Spanned;

impl Parser<'_> {
    fn refuse(&mut self, span: Span, refusal: Refusal) -> Option<Expr> {
        self.errors.refuse(span, refusal);
        None
    }

    /// An expression; `None` if something in it is refused, which is noted.
    pub(super) fn expr(&mut self, e: syn::Expr) -> Option<Expr> {
        let span = e.span();
        let kind = match e {
            syn::Expr::Lit(l) => return self.lit(None, l.lit, span),
            syn::Expr::Path(p) => ExprKind::Path(p),
            syn::Expr::Paren(p) => ExprKind::Paren(Box::new(self.expr(*p.expr)?)),
            // An invisible group, in which a `macro_rules` hands on an expression, binds as parentheses do.
            syn::Expr::Group(g) => ExprKind::Paren(Box::new(self.expr(*g.expr)?)),
            syn::Expr::Unary(u) => match (u.op, *u.expr) {
                (syn::UnOp::Neg(minus), syn::Expr::Lit(l)) => return self.lit(Some(minus), l.lit, span),
                (syn::UnOp::Deref(_), syn::Expr::Path(p)) if p.path.get_ident().is_some() => {
                    let name = Expr::new(ExprKind::Path(p), span);
                    ExprKind::Deref(Box::new(name))
                }
                (syn::UnOp::Deref(star), _) => return self.refuse(star.span, Refusal::Deref),
                (op, e) => ExprKind::Unary(op, Box::new(self.expr(e)?)),
            },
            syn::Expr::Binary(b) => {
                let (left, right) = (self.expr(*b.left), self.expr(*b.right));
                ExprKind::Binary(Box::new(left?), b.op, Box::new(right?))
            }
            syn::Expr::Call(c) => {
                let args = self.exprs(c.args);
                match *c.func {
                    syn::Expr::Path(path) => {
                        if path.path.is_ident(&self.name) {
                            return self.refuse(path.span(), Refusal::Recursion(self.name.clone()));
                        }
                        ExprKind::Call(path, args?)
                    }
                    other => return self.refuse(other.span(), Refusal::CallOfValue),
                }
            }
            syn::Expr::MethodCall(m) => {
                let receiver = self.expr(*m.receiver);
                let args = self.exprs(m.args);
                ExprKind::Method {
                    receiver: Box::new(receiver?),
                    method: m.method,
                    turbofish: m.turbofish,
                    args: args?,
                }
            }
            syn::Expr::Field(f) => ExprKind::Field(Box::new(self.expr(*f.base)?), f.member),
            syn::Expr::Index(i) => {
                let (base, index) = (self.expr(*i.expr), self.expr(*i.index));
                ExprKind::Index(Box::new(base?), Box::new(index?))
            }
            syn::Expr::Cast(c) => ExprKind::Cast(Box::new(self.expr(*c.expr)?), c.ty),
            syn::Expr::Tuple(t) => ExprKind::Tuple(self.exprs(t.elems)?),
            syn::Expr::Struct(s) => {
                if let Some(dots) = s.dot2_token {
                    return self.refuse(dots.spans[0], Refusal::StructBase);
                }
                let fields: Vec<_> = s.fields.into_iter().map(|f| Some((f.member, self.expr(f.expr)?))).collect();
                ExprKind::Struct(s.path, fields.into_iter().collect::<Option<_>>()?)
            }
            syn::Expr::If(i) => return self.if_expr(i),
            syn::Expr::Block(b) => {
                if let Some(label) = b.label {
                    return self.refuse(label.name.span(), Refusal::LabeledBlock);
                }
                ExprKind::Block(self.block(b.block, span))
            }
            syn::Expr::Loop(l) => return self.loop_expr(l.label, Some(LoopKind::Forever), l.body, span),
            syn::Expr::While(w) => {
                let head = self.while_head(*w.cond);
                return self.loop_expr(w.label, head, w.body, span);
            }
            syn::Expr::ForLoop(f) => {
                let head = self.for_head(*f.pat, *f.expr);
                return self.loop_expr(f.label, head, f.body, span);
            }
            syn::Expr::Reference(r) => {
                let mut place = self.expr(*r.expr)?;
                // `&mut *x` is `x` again.
                if let ExprKind::Deref(inner) = place.kind {
                    place = *inner;
                }
                if !super::stmt::is_place(&place) || has_index(&place) {
                    return self.refuse(r.and_token.span, Refusal::Reference);
                }
                ExprKind::Ref { mutable: r.mutability.is_some(), place: Box::new(place) }
            }
            syn::Expr::Return(_) | syn::Expr::Break(_) | syn::Expr::Continue(_) => {
                return self.refuse(span, Refusal::ExitInExpression);
            }
            syn::Expr::Assign(_) => return self.refuse(span, Refusal::AssignAsValue),
            syn::Expr::Match(m) => return self.match_expr(m),
            syn::Expr::Let(l) => return self.refuse(l.let_token.span, Refusal::IfLet),
            syn::Expr::Closure(c) => return self.refuse(c.or1_token.span, Refusal::Closure),
            syn::Expr::Macro(m) => {
                self.refuse_macro(&m.mac);
                return None;
            }
            syn::Expr::Unsafe(u) => return self.refuse(u.unsafe_token.span, Refusal::Unsafe),
            syn::Expr::Try(t) => return self.refuse(t.question_token.span, Refusal::Try),
            syn::Expr::Await(_) | syn::Expr::Async(_) => return self.refuse(span, Refusal::Async),
            syn::Expr::Array(a) if a.elems.is_empty() => return self.refuse(span, Refusal::EmptyArray),
            syn::Expr::Array(a) => ExprKind::Array(self.exprs(a.elems)?),
            syn::Expr::Repeat(r) => ExprKind::Repeat(Box::new(self.expr(*r.expr)?), r.len),
            syn::Expr::Range(_) => return self.refuse(span, Refusal::RangeValue),
            syn::Expr::Const(_) => return self.refuse(span, Refusal::Const),
            _ => return self.refuse(span, Refusal::Other),
        };
        Some(Expr::new(kind, span))
    }

    fn exprs<P>(&mut self, all: syn::punctuated::Punctuated<syn::Expr, P>) -> Option<Vec<Expr>> {
        let all: Vec<_> = all.into_iter().map(|e| self.expr(e)).collect();
        all.into_iter().collect()
    }

    pub(super) fn lit(&mut self, minus: Option<syn::Token![-]>, lit: syn::Lit, span: Span) -> Option<Expr> {
        let suffix = match &lit {
            syn::Lit::Int(i) => i.suffix(),
            syn::Lit::Float(f) => f.suffix(),
            syn::Lit::Bool(_) => "",
            other => return self.refuse(other.span(), Refusal::Text),
        };
        if is_missing_scalar(suffix) {
            return self.refuse(lit.span(), Refusal::Suffix(suffix.to_owned()));
        }
        Some(Expr::new(ExprKind::Lit { minus, lit }, span))
    }
}

fn has_index(place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Index(..) => true,
        ExprKind::Field(base, _) | ExprKind::Paren(base) => has_index(base),
        _ => false,
    }
}
