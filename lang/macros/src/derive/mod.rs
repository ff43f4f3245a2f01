//! The derive macros: types of the user's in kernels.

mod fields;
mod kernel_enum;
mod kernel_struct;

pub use kernel_enum::kernel_enum;
pub use kernel_struct::kernel_struct;

use crate::refuse::{Errors, Refusal};
use proc_macro2::TokenStream;
use syn::spanned::Spanned;

/// Runs a derive; its errors stand where its items would.
pub fn derive(input: TokenStream, expand: impl FnOnce(&syn::DeriveInput, &mut Errors) -> TokenStream) -> TokenStream {
    let input: syn::DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(e) => return e.into_compile_error(),
    };
    let mut errors = Errors::default();
    let tokens = expand(&input, &mut errors);
    match errors.combined() {
        None => tokens,
        Some(e) => e.into_compile_error(),
    }
}

/// The names in all `#[repr(..)]` of an item.
fn reprs(attrs: &[syn::Attribute], errors: &mut Errors) -> Vec<String> {
    let mut names = Vec::new();
    for attr in attrs.iter().filter(|a| a.path().is_ident("repr")) {
        let parsed = attr.parse_nested_meta(|meta| {
            names.push(meta.path.get_ident().map(ToString::to_string).unwrap_or_default());
            // The number of `align(8)` and `packed(2)`.
            if meta.input.peek(syn::token::Paren) {
                let content;
                syn::parenthesized!(content in meta.input);
                content.parse::<TokenStream>()?;
            }
            Ok(())
        });
        if let Err(e) = parsed {
            errors.syntax(e);
        }
    }
    names
}

/// Refuses what generics may not be: all but `R: Real` and constants.
fn check_generics(generics: &syn::Generics, errors: &mut Errors) {
    for param in &generics.params {
        match param {
            syn::GenericParam::Lifetime(l) => errors.refuse(l.span(), Refusal::Lifetime),
            syn::GenericParam::Type(t) if !crate::parse::is_real(t, generics) => {
                errors.refuse(t.ident.span(), Refusal::GenericOfStruct(t.ident.to_string()));
            }
            syn::GenericParam::Type(_) | syn::GenericParam::Const(_) => {}
        }
    }
}
