//! `#[derive(KernelStruct)]`: a struct of values, or one that holds arrays.
//!
//! What a struct `Body` is inside kernels is a struct `TracedBody` with the same fields, each of what its
//! type is inside. A struct of values is a `KernelType` and an `ArrayElement`, with the layout that
//! `offset_of!` tells. A struct that holds arrays is a `KernelArg`: its values lie behind a `Deref`, so
//! that rustc refuses to assign them, as nothing would bring them back.

use super::fields::{Field, fields, traced_name};
use super::{check_generics, reprs};
use crate::generate::respan;
use crate::refuse::{Errors, Refusal};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

/// What the derive adds.
pub fn kernel_struct(input: &syn::DeriveInput, errors: &mut Errors) -> TokenStream {
    check_generics(&input.generics, errors);
    let fields = fields(input, errors);
    let reprs = reprs(&input.attrs, errors);
    let mut generics = input.generics.clone();
    for param in &mut generics.params {
        match param {
            syn::GenericParam::Type(t) => (t.eq_token, t.default) = (None, None),
            syn::GenericParam::Const(c) => (c.eq_token, c.default) = (None, None),
            syn::GenericParam::Lifetime(_) => {}
        }
    }
    let derived = Derived {
        lang: crate::paths::lang(),
        name: &input.ident,
        vis: &input.vis,
        traced: traced_name(&input.ident),
        generics: &generics,
    };
    if fields.iter().any(|f| f.arrays) {
        return derived.arrays(&fields);
    }
    if !fields.is_empty() && reprs != ["C"] {
        errors.refuse(input.ident.span(), Refusal::StructRepr);
    }
    derived.values(&fields)
}

struct Derived<'a> {
    lang: TokenStream,
    name: &'a Ident,
    vis: &'a syn::Visibility,
    traced: Ident,
    generics: &'a syn::Generics,
}

impl Derived<'_> {
    /// What a type is as one of a trait's, with errors at the type.
    fn as_trait(&self, ty: &syn::Type, name: &str) -> TokenStream {
        let span = ty.span();
        let lang = respan(&self.lang, span);
        let name = Ident::new(name, span);
        quote_spanned!(span=> <#ty as #lang::#name>)
    }

    fn values(&self, fields: &[Field<'_>]) -> TokenStream {
        let Derived { lang, name, vis, traced, generics } = self;
        let (impl_generics, args, where_clause) = generics.split_for_impl();
        let names: Vec<_> = fields.iter().map(|f| f.name).collect();
        let visible = fields.iter().map(|f| f.vis);
        let texts = fields.iter().map(|f| &f.text);
        let types: Vec<_> = fields.iter().map(|f| self.as_trait(f.ty, "KernelType")).collect();
        let elements = fields.iter().map(|f| self.as_trait(f.ty, "ArrayElement"));
        quote! {
            const _: () = {
                use #lang::expand::{Args, Element, Scalar, Value, Values};

                #[doc(hidden)]
                #[allow(dead_code)]
                #[derive(::core::clone::Clone, ::core::marker::Copy)]
                #vis struct #traced #impl_generics #where_clause {
                    #(#visible #names: #types::Traced,)*
                }
                impl #impl_generics #lang::types::Traceable for #traced #args #where_clause {
                    fn scalars(out: &mut ::std::vec::Vec<Scalar>) {
                        #(<#types::Traced as #lang::types::Traceable>::scalars(out);)*
                    }
                    fn values(&self, out: &mut ::std::vec::Vec<Value>) {
                        #(#lang::types::Traceable::values(&self.#names, out);)*
                    }
                    fn from_values(values: &mut Values<'_>) -> Self {
                        #traced { #(#names: #lang::types::Traceable::from_values(values),)* }
                    }
                }
                impl #impl_generics #lang::scalar::Select for #traced #args #where_clause {
                    type Bool = #lang::Traced<bool>;
                    #[track_caller]
                    fn pick(cond: Self::Bool, a: Self, b: Self) -> Self {
                        #lang::expand::choose(cond, a, b)
                    }
                }
                impl #impl_generics #lang::KernelType for #name #args #where_clause {
                    type Traced = #traced #args;
                    #[track_caller]
                    fn constant(self) -> Self::Traced {
                        #traced { #(#names: #lang::KernelType::constant(self.#names),)* }
                    }
                    fn push(self, args: &mut Args) {
                        #(#lang::KernelType::push(self.#names, args);)*
                    }
                    fn param(name: &str) -> Self::Traced {
                        #traced { #(#names: #types::param(&::std::format!("{name}.{}", #texts)),)* }
                    }
                }
                impl #impl_generics #lang::types::sealed::Sealed for #name #args #where_clause {}
                impl #impl_generics #lang::ArrayElement for #name #args #where_clause {
                    fn element() -> Element {
                        let parts = [#((::core::mem::offset_of!(Self, #names), #elements::element()),)*];
                        #lang::expand::element(parts, ::core::mem::size_of::<Self>())
                    }
                }
                impl #impl_generics #name #args #where_clause {
                    #[doc(hidden)]
                    #[allow(dead_code)]
                    #[track_caller]
                    #vis fn __pullback_blank(_literal: impl ::core::ops::FnOnce() -> Self) -> #traced #args {
                        #lang::expand::placeholder()
                    }
                }
            };
        }
    }

    fn arrays(&self, fields: &[Field<'_>]) -> TokenStream {
        let Derived { lang, name, vis, traced, generics } = self;
        let (impl_generics, args, where_clause) = generics.split_for_impl();
        let values = format_ident!("ValuesOf{}", name, span = name.span());
        let (arrays, plain): (Vec<_>, Vec<_>) = fields.iter().partition(|f| f.arrays);
        let array_names: Vec<_> = arrays.iter().map(|f| f.name).collect();
        let array_visible = arrays.iter().map(|f| f.vis);
        let array_types = arrays.iter().map(|f| self.as_trait(f.ty, "KernelArg"));
        let value_names: Vec<_> = plain.iter().map(|f| f.name).collect();
        let value_visible = plain.iter().map(|f| f.vis);
        let value_types: Vec<_> = plain.iter().map(|f| self.as_trait(f.ty, "KernelType")).collect();
        // In the order of the fields: parameters here and arguments there.
        let declare = fields.iter().map(|f| {
            let (name, text) = (f.name, &f.text);
            let full = quote!(&::std::format!("{name}.{}", #text));
            match f.arrays {
                true => quote!(let #name = #lang::expand::ArrayParam::declare(#full, access);),
                false => {
                    let ty = self.as_trait(f.ty, "KernelType");
                    quote!(let #name = #ty::param(#full);)
                }
            }
        });
        let pass = fields.iter().map(|f| {
            let name = f.name;
            match f.arrays {
                true => quote!(#lang::KernelArg::pass(&self.#name, args);),
                false => quote!(#lang::KernelType::push(self.#name, args);),
            }
        });
        quote! {
            const _: () = {
                use #lang::expand::{Access, Args};

                #[doc(hidden)]
                #[allow(dead_code)]
                #vis struct #traced #impl_generics #where_clause {
                    #(#array_visible #array_names: #array_types::Traced,)*
                    values: #values #args,
                }
                #[doc(hidden)]
                #[allow(dead_code)]
                #vis struct #values #impl_generics #where_clause {
                    #(#value_visible #value_names: #value_types::Traced,)*
                    generics: ::core::marker::PhantomData<#name #args>,
                }
                impl #impl_generics ::core::ops::Deref for #traced #args #where_clause {
                    type Target = #values #args;
                    fn deref(&self) -> &Self::Target {
                        &self.values
                    }
                }
                impl #impl_generics #lang::expand::ArrayParam for #traced #args #where_clause {
                    #[allow(unused_variables)]
                    fn declare(name: &str, access: Access) -> Self {
                        #(#declare)*
                        let values = #values { #(#value_names,)* generics: ::core::marker::PhantomData };
                        #traced { #(#array_names,)* values }
                    }
                }
                impl #impl_generics #lang::KernelArg for #name #args #where_clause {
                    type Traced = #traced #args;
                    fn pass(&self, args: &mut Args) {
                        #(#pass)*
                    }
                }
            };
        }
    }
}
