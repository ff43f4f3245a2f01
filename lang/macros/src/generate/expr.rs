//! Expressions.

use super::place::place_name;
use super::scope::{Binding, root};
use super::{Generator, made, types::respan};
use crate::ast::{Block, Expr, ExprKind, If};
use crate::refuse::Refusal;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::BinOp;

impl Generator<'_> {
    /// An expression.
    pub(super) fn expr(&mut self, e: &Expr) -> TokenStream {
        let span = e.span;
        match &e.kind {
            ExprKind::Lit { minus, lit } => self.lit(*minus, lit),
            ExprKind::Path(path) => match path.path.get_ident() {
                Some(name) if path.qself.is_none() && self.scopes.get(name).is_some() => quote!(#name),
                _ => {
                    let constant = self.path("constant", span);
                    quote_spanned!(span=> #constant(const { #path }))
                }
            },
            ExprKind::Made(name) => quote!(#name),
            ExprKind::Placeholder => {
                let placeholder = self.path("placeholder", span);
                quote_spanned!(span=> #placeholder())
            }
            ExprKind::Unary(op, e) => {
                let e = self.operand(e);
                quote!(#op #e)
            }
            ExprKind::Binary(a, op, b) => self.binary(e, a, op, b),
            ExprKind::Call(f, args) => {
                let args = self.arguments(args);
                let f = self.types.callee(f, self.errors);
                quote_spanned!(span=> #f(#(#args),*))
            }
            ExprKind::Method { receiver, method, turbofish: None, args } if method == "len" && args.is_empty() => {
                let len = self.path("len", method.span());
                let receiver = self.operand(receiver);
                quote_spanned!(method.span()=> #len(&#receiver))
            }
            ExprKind::Method { receiver, method, turbofish, args } => {
                let receiver = self.operand(receiver);
                let args = self.arguments(args);
                quote_spanned!(method.span()=> #receiver.#method #turbofish(#(#args),*))
            }
            ExprKind::Field(base, member) => {
                let base = self.operand(base);
                quote!(#base.#member)
            }
            ExprKind::Index(base, index) => {
                let load = self.path("load", span);
                let (base, index) = (self.operand(base), self.expr(index));
                quote_spanned!(span=> #load(&#base, #index))
            }
            ExprKind::Cast(e, ty) => {
                if let syn::Type::Path(p) = &**ty
                    && let Some(name) = p.path.get_ident()
                    && crate::refuse::is_missing_scalar(&name.to_string())
                {
                    self.errors.refuse(name.span(), Refusal::WideType(name.to_string()));
                    return quote!(());
                }
                let cast = self.path("cast", span);
                let e = self.expr(e);
                quote_spanned!(span=> #cast::<#ty, _>(#e))
            }
            ExprKind::Tuple(all) => {
                let all = self.exprs(all);
                quote_spanned!(span=> (#(#all,)*))
            }
            ExprKind::Paren(e) => {
                let e = self.expr(e);
                quote_spanned!(span=> (#e))
            }
            ExprKind::Array(all) => {
                let all = self.exprs(all);
                quote_spanned!(span=> [#(#all),*])
            }
            ExprKind::Repeat(e, n) => {
                let e = self.expr(e);
                quote_spanned!(span=> [#e; #n])
            }
            ExprKind::Struct(path, fields) => self.struct_literal(path, fields, span),
            ExprKind::If(i) => self.if_expr(i, span),
            ExprKind::Block(b) => self.block(b),
            ExprKind::Loop(l) => self.loop_expr(l, span),
            ExprKind::Ref { mutable, place } => self.reference(*mutable, place, span),
            ExprKind::Deref(e) => match place_name(e).and_then(|name| self.scopes.get(name)) {
                Some(Binding::InOut) => self.expr(e),
                _ => {
                    self.errors.refuse(span, Refusal::Deref);
                    self.expr(e)
                }
            },
        }
    }

    /// `&place` or `&mut place`.
    fn reference(&mut self, mutable: bool, place: &Expr, span: Span) -> TokenStream {
        let borrow = if mutable { quote_spanned!(span=> &mut) } else { quote_spanned!(span=> &) };
        let tokens = self.plain_place(place);
        match root(place).and_then(|name| self.scopes.get(name)) {
            Some(Binding::Array { .. }) if place_name(place).is_some() => quote_spanned!(span=> #borrow *#tokens),
            Some(Binding::Array { .. }) => quote!(#borrow #tokens),
            Some(Binding::Value | Binding::InOut) if mutable => quote!(#borrow #tokens),
            _ => {
                self.errors.refuse(span, Refusal::Reference);
                quote!(#tokens)
            }
        }
    }

    /// The arguments of a call. A path that is no variable and begins like a function's name is a
    /// function; a parameter that is `&mut` of a value goes on as that.
    fn arguments(&mut self, args: &[Expr]) -> Vec<TokenStream> {
        let argument = |e: &Expr| {
            let ExprKind::Path(path) = &e.kind else { return self.expr(e) };
            let known = path.path.get_ident().and_then(|name| self.scopes.get(name));
            let is_function = path.path.segments.last().is_some_and(|s| {
                s.ident.to_string().trim_start_matches("r#").starts_with(|c: char| c.is_lowercase() || c == '_')
            });
            match known {
                Some(Binding::InOut) => quote_spanned!(e.span=> &mut #path),
                None if is_function => {
                    let path = self.types.callee(path, self.errors);
                    quote!(#path)
                }
                _ => self.expr(e),
            }
        };
        args.iter().map(argument).collect()
    }

    /// `Name { field: value }`. What the struct is inside the kernel has no name here, so a blank one is
    /// made and its fields are set; that all are there is checked by a literal of the host's that never
    /// comes to be.
    fn struct_literal(&mut self, path: &syn::Path, fields: &[(syn::Member, Expr)], span: Span) -> TokenStream {
        let blank = made("__struct", span);
        let never = self.path("never", span);
        let expand = respan(&self.expand, span);
        let members = fields.iter().map(|(member, _)| member);
        let checked = quote_spanned!(span=> #path { #(#members: #never()),* });
        let set: Vec<_> = fields
            .iter()
            .map(|(member, e)| {
                let value = self.expr(e);
                quote!(#blank.#member = #value;)
            })
            .collect();
        let function = Ident::new("__pullback_blank", self.at(span));
        quote_spanned! {span=> {
            #[allow(unused_imports)]
            use #expand::Blank as _;
            let mut #blank = #path::#function(|| #checked);
            #(#set)*
            #blank
        }}
    }

    pub(super) fn exprs(&mut self, all: &[Expr]) -> Vec<TokenStream> {
        all.iter().map(|e| self.expr(e)).collect()
    }

    /// An expression as part of a larger one: in parentheses if it expands to a block.
    pub(super) fn operand(&mut self, e: &Expr) -> TokenStream {
        let tokens = self.expr(e);
        match &e.kind {
            ExprKind::If(_) | ExprKind::Block(_) | ExprKind::Loop(_) | ExprKind::Struct(..) => {
                quote_spanned!(e.span=> (#tokens))
            }
            ExprKind::Binary(_, BinOp::And(_) | BinOp::Or(_), _) => quote_spanned!(e.span=> (#tokens)),
            _ => tokens,
        }
    }

    fn lit(&mut self, minus: Option<syn::Token![-]>, lit: &syn::Lit) -> TokenStream {
        let span = minus.map_or_else(|| lit.span(), |m| m.span);
        if let (syn::Lit::Float(f), [real]) = (lit, &self.types.reals[..])
            && f.suffix().is_empty()
        {
            let real = respan(&quote!(#real), span);
            let lit_real = self.path("lit_real", span);
            let narrow = f.base10_parse::<f32>().unwrap_or(f32::INFINITY);
            let narrow = if minus.is_some() { -narrow } else { narrow }.to_bits();
            return quote_spanned!(span=> #lit_real::<#real>(#minus #lit, #narrow));
        }
        let path = self.path("lit", span);
        quote_spanned!(span=> #path(#minus #lit))
    }

    fn binary(&mut self, whole: &Expr, left: &Expr, op: &BinOp, right: &Expr) -> TokenStream {
        let span = whole.span;
        let function = match op {
            BinOp::Eq(_) => "eq",
            BinOp::Ne(_) => "ne",
            BinOp::Lt(_) => "lt",
            BinOp::Le(_) => "le",
            BinOp::Gt(_) => "gt",
            BinOp::Ge(_) => "ge",
            BinOp::And(_) if is_cheap(right) => "and",
            BinOp::Or(_) if is_cheap(right) => "or",
            BinOp::And(_) => return self.lazy(left, right, false),
            BinOp::Or(_) => return self.lazy(left, right, true),
            _ => {
                let (left, right) = (self.operand(left), self.operand(right));
                return quote!(#left #op #right);
            }
        };
        let path = self.path(function, span);
        let (left, right) = (self.expr(left), self.expr(right));
        quote_spanned!(span=> #path(#left, #right))
    }

    /// `left && right` or `left || right`, `right` computed only if it decides.
    fn lazy(&mut self, left: &Expr, right: &Expr, decided: bool) -> TokenStream {
        let span = left.span;
        let lit = Expr::new(ExprKind::Lit { minus: None, lit: syn::Lit::Bool(syn::LitBool::new(decided, span)) }, span);
        let block = |e: Expr| Block { stmts: vec![], span: e.span, tail: Some(Box::new(e)) };
        let (then, otherwise) =
            if decided { (block(lit), block(right.clone())) } else { (block(right.clone()), block(lit)) };
        self.if_expr(&If { cond: left.clone(), then, otherwise: Some(otherwise) }, span)
    }
}

/// Whether an expression can be computed in any case: it has no effect, can't fail and costs little.
fn is_cheap(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Lit { .. } | ExprKind::Path(_) | ExprKind::Made(_) | ExprKind::Deref(_) => true,
        ExprKind::Unary(_, e) | ExprKind::Field(e, _) | ExprKind::Cast(e, _) | ExprKind::Paren(e) => is_cheap(e),
        ExprKind::Binary(a, op, b) => !matches!(op, BinOp::Div(_) | BinOp::Rem(_)) && is_cheap(a) && is_cheap(b),
        _ => false,
    }
}
