//! From the types that users write to those that kernels are traced with.
//!
//! `f32` is `Traced<f32>` and a generic `R` is `Traced<R>`; any other type `T` is
//! `<T as KernelType>::Traced`, so that rustc says what is no type of kernels. An `&Array<T, D>` is
//! `&TracedArray<T, D>`, and another `&T` is `&<T as KernelArg>::Traced`.

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
                    if let Some(traced) = self.scalar(name) {
                        return traced;
                    }
                }
                quote_spanned!(span=> <#p as #lang::KernelType>::Traced)
            }
            syn::Type::Tuple(t) => {
                let all = t.elems.iter().map(|t| self.traced(t, errors));
                quote_spanned!(span=> (#(#all,)*))
            }
            syn::Type::Array(a) => {
                let (elem, len) = (self.traced(&a.elem, errors), &a.len);
                quote_spanned!(span=> [#elem; #len])
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

    /// The path of a function as it is called: in `Vec3::<R>::zeros` the `R` is a traced scalar, and so is the
    /// `f64` of `f64::sqrt` and, as a builtin is generic over the traced scalar itself, that of `randf::<f64>`.
    pub fn callee(&self, f: &syn::ExprPath, errors: &mut Errors) -> syn::ExprPath {
        let mut f = f.clone();
        if let Some(of) = &mut f.qself
            && of.position == 0
        {
            *of.ty = syn::Type::Verbatim(self.traced(&of.ty, errors));
        }
        if f.qself.is_none()
            && let [of, name] = &f.path.segments.iter().collect::<Vec<_>>()[..]
            && of.arguments.is_none()
            && let Some(traced) = self.scalar(&of.ident)
        {
            return syn::parse_quote!(<#traced>::#name);
        }
        let last = f.path.segments.len().saturating_sub(1);
        for (k, segment) in f.path.segments.iter_mut().enumerate() {
            if k == last && !is_typed_by_result(&segment.ident) {
                continue;
            }
            let syn::PathArguments::AngleBracketed(args) = &mut segment.arguments else { continue };
            for arg in &mut args.args {
                let syn::GenericArgument::Type(ty) = arg else { continue };
                if let syn::Type::Path(inner) = &*ty
                    && let Some(name) = inner.path.get_ident()
                    && let Some(traced) = self.scalar(name)
                {
                    *ty = syn::Type::Verbatim(traced);
                }
            }
        }
        f
    }

    /// A scalar inside the kernel, if the name is a scalar's.
    fn scalar(&self, name: &Ident) -> Option<TokenStream> {
        let lang = respan(&self.lang, name.span());
        let known = is_scalar(name) || self.reals.contains(name);
        known.then(|| quote_spanned!(name.span()=> #lang::Traced<#name>))
    }

    /// The generics of a `#[func]`, in which `F: Fn(f32) -> f32` speaks of traced scalars.
    pub fn generics(&self, generics: &syn::Generics, errors: &mut Errors) -> syn::Generics {
        let mut generics = generics.clone();
        for param in generics.type_params_mut() {
            self.bounds(&mut param.bounds, errors);
        }
        for predicate in generics.where_clause.iter_mut().flat_map(|w| &mut w.predicates) {
            if let syn::WherePredicate::Type(p) = predicate {
                self.bounds(&mut p.bounds, errors);
            }
        }
        generics
    }

    /// What the parameter is that takes a function: `impl Fn(f32) -> f32` or a generic `F`.
    pub fn function(&self, ty: &syn::Type, errors: &mut Errors) -> TokenStream {
        let mut ty = ty.clone();
        if let syn::Type::ImplTrait(i) = &mut ty {
            self.bounds(&mut i.bounds, errors);
        }
        quote!(#ty)
    }

    fn bounds(
        &self,
        bounds: &mut syn::punctuated::Punctuated<syn::TypeParamBound, syn::Token![+]>,
        errors: &mut Errors,
    ) {
        let mut functions = false;
        for bound in bounds.iter_mut() {
            let syn::TypeParamBound::Trait(bound) = bound else { continue };
            let Some(segment) = bound.path.segments.last_mut() else { continue };
            let syn::PathArguments::Parenthesized(args) = &mut segment.arguments else { continue };
            functions = true;
            for ty in &mut args.inputs {
                *ty = syn::Type::Verbatim(self.argument(ty, errors));
            }
            if let syn::ReturnType::Type(_, ty) = &mut args.output {
                **ty = syn::Type::Verbatim(self.traced(ty, errors));
            }
        }
        if functions {
            bounds.push(syn::parse_quote!(::core::marker::Copy));
        }
    }

    /// What a parameter of this type is, of a function that is given as a parameter.
    fn argument(&self, ty: &syn::Type, errors: &mut Errors) -> TokenStream {
        let syn::Type::Reference(r) = ty else { return self.traced(ty, errors) };
        if let Some(lifetime) = &r.lifetime {
            errors.refuse(lifetime.span(), Refusal::Lifetime);
        }
        let (and, mutable) = (&r.and_token, &r.mutability);
        let target = match (mutable, crate::parse::is_array(&r.elem)) {
            (Some(_), false) => self.traced(&r.elem, errors),
            _ => self.array(&r.elem),
        };
        quote!(#and #mutable #target)
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
        quote_spanned!(span=> <#target as #lang::KernelArg>::Traced)
    }
}

pub fn is_scalar(name: &Ident) -> bool {
    ["bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64"].iter().any(|s| name == s)
}

/// Whether a name is that of a builtin whose scalar no argument tells: so it is written, or follows from the use
/// of the result.
fn is_typed_by_result(name: &Ident) -> bool {
    let name = name.to_string();
    ["randf", "randn", "quat_identity", "transform_identity"].contains(&name.as_str())
        || name.starts_with("sample_unit_")
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
