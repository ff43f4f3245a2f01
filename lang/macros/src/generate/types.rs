//! From the types that users write to those that kernels are traced with.
//!
//! `f32` is `Traced<f32>` and a generic `R` is `Traced<R>`; in `Vec3<R>` the `R` is replaced; any
//! other type `T` is `<T as KernelType>::Traced`, so that rustc says what is no type of kernels. An
//! `&Array<T, D>` is `&TracedArray<T, D>`.

use crate::parse::is_real;
use crate::refuse::{Errors, Refusal, is_missing_scalar};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

/// What mapping types needs to know of the function.
pub struct Types {
    /// The path of `pullback_lang`.
    pub lang: TokenStream,
    /// The parameters that are `R: Real`.
    pub reals: Vec<Ident>,
}

/// Tokens as if they were written at `span`.
pub fn respan(tokens: &TokenStream, span: Span) -> TokenStream {
    tokens
        .clone()
        .into_iter()
        .map(|mut t| {
            t.set_span(span);
            t
        })
        .collect()
}

impl Types {
    /// For a function with these generics.
    pub fn new(generics: &syn::Generics) -> Self {
        let reals = generics.type_params().filter(|t| is_real(t, generics)).map(|t| t.ident.clone()).collect();
        Types { lang: crate::paths::lang(), reals }
    }

    /// The type inside of the kernel.
    pub fn traced(&self, ty: &syn::Type, errors: &mut Errors) -> TokenStream {
        let span = ty.span();
        let lang = respan(&self.lang, span);
        match ty {
            syn::Type::Path(p) if p.qself.is_none() => {
                if let Some(name) = p.path.get_ident() {
                    if is_missing_scalar(&name.to_string()) {
                        errors.refuse(span, Refusal::WideType(name.to_string()));
                        return quote_spanned!(span=> ());
                    }
                    if is_scalar(name) || self.reals.contains(name) {
                        return quote_spanned!(span=> #lang::Traced<#name>);
                    }
                }
                let mut path = p.path.clone();
                if self.replace_reals(&mut path) {
                    return quote!(#path);
                }
                quote_spanned!(span=> <#p as #lang::KernelType>::Traced)
            }
            syn::Type::Tuple(t) => {
                let all = t.elems.iter().map(|t| self.traced(t, errors));
                quote_spanned!(span=> (#(#all,)*))
            }
            syn::Type::Paren(p) => self.traced(&p.elem, errors),
            syn::Type::Group(g) => self.traced(&g.elem, errors),
            syn::Type::Infer(_) => {
                errors.refuse(span, Refusal::PlaceholderType);
                quote!(())
            }
            syn::Type::Reference(_) => {
                errors.refuse(span, Refusal::NestedReference);
                quote!(())
            }
            other => {
                let what = match other {
                    syn::Type::Array(_) => "local array",
                    syn::Type::Slice(_) => "slice",
                    syn::Type::BareFn(_) => "function",
                    syn::Type::TraitObject(_) | syn::Type::ImplTrait(_) => "trait",
                    syn::Type::Ptr(_) => "pointer",
                    syn::Type::Never(_) => "never",
                    _ => "such",
                };
                errors.refuse(span, Refusal::Type(what.to_owned()));
                quote!(())
            }
        }
    }

    /// Replaces each `R` in generic arguments by `Traced<R>`; whether there was one.
    fn replace_reals(&self, path: &mut syn::Path) -> bool {
        let mut replaced = false;
        for segment in &mut path.segments {
            let syn::PathArguments::AngleBracketed(args) = &mut segment.arguments else { continue };
            for arg in &mut args.args {
                let syn::GenericArgument::Type(ty) = arg else { continue };
                let syn::Type::Path(inner) = ty else { continue };
                match inner.path.get_ident() {
                    Some(name) if self.reals.contains(name) => {
                        let lang = respan(&self.lang, name.span());
                        let traced = quote_spanned!(name.span()=> #lang::Traced<#name>);
                        *ty = syn::Type::Verbatim(traced);
                        replaced = true;
                    }
                    _ => replaced |= self.replace_reals(&mut inner.path),
                }
            }
        }
        replaced
    }

    /// What an array of type `target` is inside of the kernel.
    pub fn array(&self, target: &syn::Type) -> TokenStream {
        let span = target.span();
        let lang = respan(&self.lang, span);
        if let syn::Type::Path(p) = target
            && let Some(segment) = p.path.segments.last()
            && segment.ident == "Array"
            && let syn::PathArguments::AngleBracketed(args) = &segment.arguments
        {
            let mut args = args.args.iter();
            if let Some(element @ syn::GenericArgument::Type(_)) = args.next() {
                let dims = args.next().map_or_else(|| quote_spanned!(span=> 1), |d| quote!(#d));
                return quote_spanned!(span=> #lang::TracedArray<#element, #dims>);
            }
        }
        quote_spanned!(span=> <#target as #lang::ArrayArg>::Traced)
    }
}

fn is_scalar(name: &Ident) -> bool {
    ["bool", "i32", "u32", "i64", "u64", "f32", "f64"].iter().any(|s| name == s)
}

/// Tokens as if they were written at `span`, their names still hygienic.
pub fn respan_keeping_names(tokens: &TokenStream, span: Span) -> TokenStream {
    tokens
        .clone()
        .into_iter()
        .map(|mut t| {
            t.set_span(span.resolved_at(t.span()));
            t
        })
        .collect()
}
