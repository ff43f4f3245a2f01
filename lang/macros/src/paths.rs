//! How an expansion names the language's crate in the crate that it lands in.
//!
//! `::pullback_lang` where that is a dependency (or the crate itself), else `::pullback::lang`, the
//! facade's re-export. Expansions name nothing else.

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// The path of the language's crate.
pub fn lang() -> TokenStream {
    let name = |found: FoundCrate, own: &str| match found {
        FoundCrate::Itself => Ident::new(own, Span::call_site()),
        FoundCrate::Name(name) => Ident::new(&name, Span::call_site()),
    };
    if let Ok(found) = crate_name("pullback-lang") {
        let name = name(found, "pullback_lang");
        quote!(::#name)
    } else if let Ok(found) = crate_name("pullback") {
        let name = name(found, "pullback");
        quote!(::#name::lang)
    } else {
        quote!(::pullback::lang)
    }
}
