//! Assignments.
//!
//! Variables and their fields are assigned as they stand. An element is stored; what lies inside of
//! an element is changed in a copy, which is then stored.

use super::scope::Binding;
use super::{Generator, made};
use crate::ast::{Assign, Expr, ExprKind};
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

impl Generator<'_> {
    /// `place = value` or `place op= value`.
    pub(super) fn assign(&mut self, place: &Expr, op: &Assign, value: &Expr) -> TokenStream {
        // Not hygienic, so that rustc's error for a value of the wrong type stands at the user's value.
        let new = Ident::new("__pullback_value", self.at(value.span));
        let value = self.expr(value);
        if !has_index(place) {
            let place = self.plain_place(place);
            return match op {
                Assign::Set(eq) => quote!(#place #eq #value;),
                Assign::Op(op) => quote!(#place #op #value;),
            };
        }
        let span = place.span;
        let mut indices = Vec::new();
        let change = match op {
            Assign::Set(_) => self.write(place, &quote!(#new), &mut indices),
            Assign::Op(op) => {
                // As above: where the two sides differ in hygiene, rustc takes the attribute for their place.
                let old = Ident::new("__pullback_old", self.at(span));
                let read = self.read(place, &mut indices);
                let write = self.write_with(place, &quote!(#old), indices.len());
                quote_spanned!(span=> let mut #old = #read; #old #op #new; #write)
            }
        };
        quote_spanned!(span=> { let #new = #value; #(#indices)* #change })
    }

    /// Variable and fields, without indices.
    pub(super) fn plain_place(&mut self, place: &Expr) -> TokenStream {
        match &place.kind {
            ExprKind::Path(p) => quote!(#p),
            ExprKind::Field(base, member) => {
                let base = self.plain_place(base);
                quote!(#base.#member)
            }
            ExprKind::Paren(base) => self.plain_place(base),
            ExprKind::Deref(_) => self.expr(place),
            _ => TokenStream::new(),
        }
    }

    /// The value at a place; its indices are computed once, by the `let`s that are added to `indices`.
    fn read(&mut self, place: &Expr, indices: &mut Vec<TokenStream>) -> TokenStream {
        match &place.kind {
            ExprKind::Index(base, index) => {
                let base = self.read(base, indices);
                let name = self.index(index, indices);
                let load = self.path("load", place.span);
                quote_spanned!(place.span=> #load(&#base, #name))
            }
            ExprKind::Field(base, member) => {
                let base = self.read(base, indices);
                quote!(#base.#member)
            }
            ExprKind::Paren(base) => self.read(base, indices),
            _ => self.plain_place(place),
        }
    }

    /// Adds the `let` of an index; its name.
    fn index(&mut self, index: &Expr, indices: &mut Vec<TokenStream>) -> Ident {
        let name = made(&format!("__index_{}", indices.len()), index.span);
        let tokens = self.expr(index);
        indices.push(quote_spanned!(index.span=> let #name = #tokens;));
        name
    }

    /// Statements that set a place to `new`.
    fn write(&mut self, place: &Expr, new: &TokenStream, indices: &mut Vec<TokenStream>) -> TokenStream {
        // Computes the indices, from the variable outwards, and then uses them by their numbers.
        self.read(place, indices);
        let count = indices.len();
        self.write_with(place, new, count)
    }

    /// The same with the indices already computed, `count` of them up to here.
    fn write_with(&mut self, place: &Expr, new: &TokenStream, count: usize) -> TokenStream {
        let span = place.span;
        match &place.kind {
            ExprKind::Index(base, index) => {
                let name = made(&format!("__index_{}", count - 1), index.span);
                let store = self.path("store", span);
                if !has_index(base) {
                    let target = self.borrow(base);
                    return quote_spanned!(span=> #store(#target, #name, #new););
                }
                let copy = Ident::new(&format!("__pullback_copy_{count}"), self.at(span));
                let read = self.read_with(base, count - 1);
                let write = self.write_with(base, &quote!(#copy), count - 1);
                quote_spanned!(span=> let mut #copy = #read; #store(&mut #copy, #name, #new); #write)
            }
            ExprKind::Field(base, member) => {
                if !has_index(base) {
                    let base = self.plain_place(base);
                    return quote!(#base.#member = #new;);
                }
                let copy = made(&format!("__part_{count}_{}", depth(place)), span);
                let read = self.read_with(base, count);
                let write = self.write_with(base, &quote!(#copy), count);
                quote_spanned!(span=> let mut #copy = #read; #copy.#member = #new; #write)
            }
            ExprKind::Paren(base) => self.write_with(base, new, count),
            _ => {
                let place = self.plain_place(place);
                quote!(#place = #new;)
            }
        }
    }

    /// The value at a place whose indices, `count` of them, are computed.
    fn read_with(&mut self, place: &Expr, count: usize) -> TokenStream {
        match &place.kind {
            ExprKind::Index(base, index) => {
                let base = self.read_with(base, count - 1);
                let name = made(&format!("__index_{}", count - 1), index.span);
                let load = self.path("load", place.span);
                quote_spanned!(place.span=> #load(&#base, #name))
            }
            ExprKind::Field(base, member) => {
                let base = self.read_with(base, count);
                quote!(#base.#member)
            }
            ExprKind::Paren(base) => self.read_with(base, count),
            _ => self.plain_place(place),
        }
    }

    /// `&mut` of an array or a variable with fields.
    fn borrow(&mut self, place: &Expr) -> TokenStream {
        let span = place.span;
        let tokens = self.plain_place(place);
        match place_name(place).and_then(|name| self.scopes.get(name)) {
            Some(Binding::Array { .. }) => quote_spanned!(span=> &mut *#tokens),
            _ => quote_spanned!(span=> &mut #tokens),
        }
    }
}

/// The variable that a place is, without fields.
pub(super) fn place_name(place: &Expr) -> Option<&Ident> {
    match &place.kind {
        ExprKind::Path(p) => p.path.get_ident(),
        ExprKind::Paren(inner) => place_name(inner),
        _ => None,
    }
}

fn has_index(place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Index(..) => true,
        ExprKind::Field(base, _) | ExprKind::Paren(base) => has_index(base),
        _ => false,
    }
}

fn depth(place: &Expr) -> usize {
    match &place.kind {
        ExprKind::Index(base, _) | ExprKind::Field(base, _) | ExprKind::Paren(base) => 1 + depth(base),
        _ => 0,
    }
}
