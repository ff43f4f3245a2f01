//! Blocks, statements, `if`s and loops.
//!
//! Variables of outer scopes that an arm or a body assigns are its state: they are rebound inside as
//! new variables of the same names, and set from the op's results after it. So all control flow of
//! the kernel is straight Rust code that runs once.

use super::scope::{Binding, root};
use super::{Generator, made};
use crate::ast::{Adaptor, Block, Expr, ExprKind, If, Loop, LoopKind, Pat, Range, Stmt};
use crate::refuse::Refusal;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

impl Generator<'_> {
    /// A block with its braces.
    pub(super) fn block(&mut self, b: &Block) -> TokenStream {
        let mark = self.scopes.open();
        let stmts: Vec<_> = b.stmts.iter().map(|s| self.stmt(s)).collect();
        let tail = b.tail.as_ref().map(|e| self.expr(e));
        self.scopes.close(mark);
        quote_spanned!(b.span=> { #(#stmts)* #tail })
    }

    fn stmt(&mut self, s: &Stmt) -> TokenStream {
        match s {
            Stmt::Let { pat, ty, init, span } => {
                if let Some(tokens) = self.let_array(pat, init, *span) {
                    return tokens;
                }
                let init = self.expr(init);
                let ty = ty.as_ref().map(|ty| {
                    let traced = self.types.traced(ty, self.errors);
                    quote_spanned!(*span=> : #traced)
                });
                let tokens = pattern(pat);
                for name in pat.names() {
                    self.scopes.bind(name, Binding::Value);
                }
                quote_spanned!(*span=> let #tokens #ty = #init;)
            }
            Stmt::CheckMatch { name, subject, arms } => {
                let check = self.path("check_match", *subject);
                let value = made("__subject", *subject);
                let arms = arms.iter().map(|(pat, guarded)| {
                    let guard = guarded.then(|| quote_spanned!(*subject=> if true));
                    quote_spanned!(*subject=> #pat #guard => {})
                });
                quote_spanned! {*subject=>
                    #[allow(unused_variables)]
                    #check(#name, |#value| match #value { #(#arms)* });
                }
            }
            Stmt::Print { texts, values, span } => {
                let (print, show) = (self.path("print", *span), self.path("show", *span));
                let values = values.iter().map(|(e, mark)| {
                    let e = self.expr(e);
                    quote_spanned!(*span=> #show(#e, #mark))
                });
                let values: Vec<_> = values.collect();
                quote_spanned!(*span=> #print(&[#(#texts),*], &[#(#values),*]);)
            }
            Stmt::Assert { cond, text, span } => {
                let assert = self.path("assert", *span);
                let cond = self.expr(cond);
                quote_spanned!(*span=> #assert(#cond, #text);)
            }
            Stmt::Const(item) => quote!(#item),
            Stmt::Assign { place, op, value } => self.assign(place, op, value),
            Stmt::Expr(e) => {
                let tokens = self.expr(e);
                quote!(#tokens;)
            }
            Stmt::Flag { name, value } => {
                self.scopes.bind(name, Binding::Value);
                let (lit, span) = (self.path("lit", name.span()), self.at(name.span()));
                quote_spanned!(span=> let mut #name = #lit(#value);)
            }
            Stmt::SetFlag { name, value } => {
                let (lit, span) = (self.path("lit", name.span()), self.at(name.span()));
                quote_spanned!(span=> #name = #lit(#value);)
            }
            Stmt::Slot { name, ty } => {
                self.scopes.bind(name, Binding::Value);
                let placeholder = self.path("placeholder", name.span());
                let ty = ty.as_ref().map(|ty| self.types.traced(ty, self.errors));
                let ty = ty.map(|ty| quote!(: #ty));
                let span = self.at(name.span());
                quote_spanned!(span=> let mut #name #ty = #placeholder();)
            }
            Stmt::SetSlot { name, value } => {
                let value = self.expr(value);
                quote_spanned!(name.span()=> #name = #value;)
            }
            // The lowering of exits leaves none, but where it has refused one.
            Stmt::Exit(_) => TokenStream::new(),
        }
    }

    /// `let y = x;` of an array: another name for it.
    fn let_array(&mut self, pat: &Pat, init: &Expr, span: Span) -> Option<TokenStream> {
        let Pat::Name { name, .. } = pat else { return None };
        let (array, tokens) = match &init.kind {
            ExprKind::Path(p) => (p.path.get_ident()?, None),
            ExprKind::Ref { place, .. } => (root(place)?, Some(init)),
            _ => return None,
        };
        let Some(Binding::Array { mutable }) = self.scopes.get(array) else { return None };
        let tokens = tokens.map(|e| self.expr(e));
        let mutable = match &init.kind {
            ExprKind::Ref { mutable, .. } => *mutable,
            _ => mutable,
        };
        let tokens = match (tokens, mutable) {
            (Some(tokens), _) => tokens,
            (None, true) => quote_spanned!(span=> &mut *#array),
            (None, false) => quote_spanned!(span=> &*#array),
        };
        self.scopes.bind(name, Binding::Array { mutable });
        Some(quote_spanned!(span=> let #name = #tokens;))
    }

    /// An `if`, as an expression.
    pub(super) fn if_expr(&mut self, i: &If, span: Span) -> TokenStream {
        let state = self.scopes.assigned([&i.then].into_iter().chain(&i.otherwise));
        let begin = self.path("begin_if", span);
        let cond = self.expr(&i.cond);
        let then = self.block(&i.then);
        let otherwise = i.otherwise.as_ref().map(|b| {
            let b = self.block(b);
            quote_spanned!(span=> else #b)
        });
        let (builder, value, result, end) =
            (made("__if", span), made("__value", span), made("__state", span), made("__end", span));
        let rebind = rebind(&state);
        let tuple = tuple(&state);
        let set = set_from(&state, &result);
        quote_spanned! {span=> {
            let mut #builder = #begin(#cond);
            let (#value, #result) = loop {
                #rebind
                let #value = if #builder.arm() #then #otherwise;
                if let ::core::option::Option::Some(#end) = #builder.end_arm(#value, #tuple) {
                    break #end;
                }
            };
            #set
            #value
        }}
    }

    /// A loop, as an expression without value.
    pub(super) fn loop_expr(&mut self, l: &Loop, span: Span) -> TokenStream {
        match &l.kind {
            LoopKind::For { pat, range, go: None } => self.for_loop(pat, range, &l.body, span),
            LoopKind::For { pat, range, go: Some(go) } => self.for_loop_with_exit(pat, range, go, &l.body, span),
            LoopKind::While(cond) => self.while_loop(cond, &l.body, span),
            LoopKind::Forever => TokenStream::new(),
        }
    }

    fn while_loop(&mut self, cond: &Expr, body: &Block, span: Span) -> TokenStream {
        let state = self.scopes.assigned([body]);
        // A function in the condition may change a variable; what the loop carries comes from its body.
        let asked = Block { stmts: vec![], tail: Some(Box::new(cond.clone())), span };
        if let Some(name) = self.scopes.assigned([&asked]).first() {
            self.errors.refuse(name.span(), Refusal::AssignInCondition);
        }
        let begin = self.path("begin_while", span);
        let cond = self.expr(cond);
        let body = self.block(body);
        let (builder, result) = (made("__while", span), made("__state", span));
        let (tuple, names, mutable) = (tuple(&state), tuple(&state), mutable_tuple(&state));
        let set = set_from(&state, &result);
        quote_spanned! {span=> {
            let mut #builder = #begin(#tuple);
            {
                #[allow(unused_variables)]
                let #names = #builder.begin_cond();
                #builder.end_cond(#cond);
            }
            {
                let #mutable = #builder.begin_body();
                let () = #body;
                #builder.end_body(#tuple);
            }
            let #result = #builder.end();
            #set
        }}
    }

    fn for_loop(&mut self, pat: &Pat, range: &Range, body: &Block, span: Span) -> TokenStream {
        let state = self.assigned_in_for(pat, body);
        let begin = self.path("begin_for", span);
        let range = self.range(range);
        let body = self.for_body(pat, body);
        let (builder, result, number) = (made("__for", span), made("__state", span), made("__number", span));
        let (tuple, mutable) = (tuple(&state), mutable_tuple(&state));
        let set = set_from(&state, &result);
        let pat = pattern(pat);
        quote_spanned! {span=> {
            let mut #builder = #begin(#range, #tuple);
            {
                let (#number, #mutable) = #builder.begin_body();
                let () = { let #pat = #number; #body };
                #builder.end_body(#tuple);
            }
            let #result = #builder.end();
            #set
        }}
    }

    /// A `for` that may be left early: a `while` over the range's positions.
    fn for_loop_with_exit(&mut self, pat: &Pat, range: &Range, go: &Ident, body: &Block, span: Span) -> TokenStream {
        let state = self.assigned_in_for(pat, body);
        let begin = self.path("begin_while", span);
        let and = self.path("and", span);
        let range = self.range(range);
        let body = self.for_body(pat, body);
        let (builder, result) = (made("__while", span), made("__state", span));
        let (numbers, counter) = (made("__numbers", span), made("__counter", span));
        let (tuple, mutable) = (tuple(&state), mutable_tuple(&state));
        let set = set_from(&state, &result);
        let pat = pattern(pat);
        quote_spanned! {span=> {
            let #numbers = #range;
            let mut #builder = #begin((#numbers.start(), #tuple));
            {
                #[allow(unused_variables)]
                let (#counter, #tuple) = #builder.begin_cond();
                #builder.end_cond(#and(#go, #numbers.contains(#counter)));
            }
            {
                let (#counter, #mutable) = #builder.begin_body();
                let () = { let #pat = #numbers.at(#counter); #body };
                #builder.end_body((#numbers.next(#counter), #tuple));
            }
            let (_, #result) = #builder.end();
            #set
        }}
    }

    fn assigned_in_for(&mut self, pat: &Pat, body: &Block) -> Vec<Ident> {
        let mark = self.scopes.open();
        let mut state = self.scopes.assigned([body]);
        self.scopes.close(mark);
        let hidden = pat.names();
        state.retain(|name| !hidden.contains(&name));
        state
    }

    fn for_body(&mut self, pat: &Pat, body: &Block) -> TokenStream {
        let mark = self.scopes.open();
        for name in pat.names() {
            self.scopes.bind(name, Binding::Value);
        }
        let tokens = self.block(body);
        self.scopes.close(mark);
        tokens
    }

    fn range(&mut self, range: &Range) -> TokenStream {
        let span = range.span;
        let path = self.path(if range.inclusive { "span_inclusive" } else { "span" }, span);
        let (low, high) = (self.expr(&range.low), self.expr(&range.high));
        let mut tokens = quote_spanned!(span=> #path(#low, #high));
        for adaptor in &range.adaptors {
            tokens = match adaptor {
                Adaptor::Rev(span) => quote_spanned!(*span=> #tokens.rev()),
                Adaptor::StepBy(n, span) => {
                    let n = self.expr(n);
                    quote_spanned!(*span=> #tokens.step_by(#n))
                }
            };
        }
        tokens
    }
}

fn pattern(pat: &Pat) -> TokenStream {
    match pat {
        Pat::Name { name, mutable: true } => quote_spanned!(name.span()=> mut #name),
        Pat::Name { name, mutable: false } => quote!(#name),
        Pat::Wild(span) => quote_spanned!(*span=> _),
        Pat::Tuple(all, span) => {
            let all = all.iter().map(pattern);
            quote_spanned!(*span=> (#(#all,)*))
        }
    }
}

/// `let mut a = a; let mut b = b;`
fn rebind(state: &[Ident]) -> TokenStream {
    state.iter().map(|name| quote_spanned!(name.span()=> let mut #name = #name;)).collect()
}

/// `(a, (b, ()))`: nested, so that any number of variables makes a tuple of the tuples that there are.
fn tuple(state: &[Ident]) -> TokenStream {
    state.iter().rev().fold(quote!(()), |rest, name| quote!((#name, #rest)))
}

/// `(mut a, (mut b, ()))`.
fn mutable_tuple(state: &[Ident]) -> TokenStream {
    state.iter().rev().fold(quote!(()), |rest, name| quote!((mut #name, #rest)))
}

/// `a = result.0; b = result.1.0;`, at the places of the user's assignments, so that rustc's error for
/// a variable that is not `mut` stands there.
fn set_from(state: &[Ident], result: &Ident) -> TokenStream {
    let mut tokens = TokenStream::new();
    let mut path = quote!(#result);
    for name in state {
        let path_here = super::types::respan_keeping_names(&path, name.span());
        tokens.extend(quote_spanned!(name.span()=> #name = #path_here.0;));
        path = quote!(#path.1);
    }
    tokens
}
