//! From the macro's tree to Rust that traces the kernel.
//!
//! The user's tokens keep their spans, so that rustc's errors stand at them and the ops that are
//! traced (`#[track_caller]`) carry their places. Names that the expansion makes are hygienic.

mod control;
mod expr;
mod function;
mod place;
mod scope;
mod types;

pub use function::{function, stub};
pub use types::respan;

use crate::refuse::Errors;
use proc_macro2::{Ident, Span, TokenStream};
use scope::Scopes;
use types::Types;

/// Which attribute a function is under.
#[derive(Clone, Copy, PartialEq)]
pub enum Role {
    Kernel,
    Func,
}

impl Role {
    /// The attribute's name.
    pub fn attribute(self) -> &'static str {
        match self {
            Role::Kernel => "kernel",
            Role::Func => "func",
        }
    }
}

/// What generating a function's body needs.
struct Generator<'e> {
    errors: &'e mut Errors,
    types: Types,
    scopes: Scopes,
    /// The path of `pullback_lang::expand`.
    expand: TokenStream,
    /// A token of the user's, not of the expansion.
    user: Span,
}

impl Generator<'_> {
    /// The path of a function of `expand`, at the user's place. Where a span is the expansion's own,
    /// rustc would give the attribute as the place of the op.
    fn path(&self, name: &str, span: Span) -> TokenStream {
        let span = self.at(span);
        let name = Ident::new(name, span);
        let expand = respan(&self.expand, span);
        quote::quote_spanned!(span=> #expand::#name)
    }

    /// The place of `span` as the user's.
    fn at(&self, span: Span) -> Span {
        self.user.located_at(span)
    }
}

/// A hygienic name at the user's place.
fn made(name: &str, span: Span) -> Ident {
    Ident::new(name, span.resolved_at(Span::mixed_site()))
}
