//! `#[derive(KernelEnum)]`: an enum without fields is an `i32` in kernels.

use super::reprs;
use crate::refuse::{Errors, Refusal};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

/// What the derive adds.
pub fn kernel_enum(input: &syn::DeriveInput, errors: &mut Errors) -> TokenStream {
    let name = &input.ident;
    let syn::Data::Enum(data) = &input.data else {
        errors.refuse(name.span(), Refusal::EnumOnly);
        return quote!();
    };
    if let Some(param) = input.generics.params.first() {
        errors.refuse(param.span(), Refusal::EnumGenerics);
    }
    for variant in &data.variants {
        if !matches!(variant.fields, syn::Fields::Unit) {
            errors.refuse(variant.fields.span(), Refusal::EnumFields);
        }
    }
    if !reprs(&input.attrs, errors).iter().any(|r| r == "i32") {
        errors.refuse(name.span(), Refusal::EnumRepr);
    }
    // Numbers count up from the last one that is written; one that is no literal only rustc knows.
    let (mut next, mut zero) = (Some(0i64), false);
    let mut open = false;
    for variant in &data.variants {
        if let Some((_, e)) = &variant.discriminant {
            next = match e {
                syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(n), .. }) => n.base10_parse().ok(),
                syn::Expr::Unary(_) => Some(i64::MIN),
                _ => None,
            };
            if let (syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }), Some(_)) = (e, next) {
                next = match &**expr {
                    syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(n), .. }) => {
                        n.base10_parse::<i64>().ok().map(|n| -n)
                    }
                    _ => None,
                };
            }
        }
        zero |= next == Some(0);
        open |= next.is_none();
        next = next.map(|n| n + 1);
    }
    if !zero && !open {
        errors.refuse(name.span(), Refusal::EnumZero);
    }
    let lang = crate::paths::lang();
    let variants = data.variants.iter().map(|v| &v.ident);
    let check = (open && !zero).then(|| {
        let message = Refusal::EnumZero.message();
        quote_spanned!(name.span()=> const _: () = assert!(false #(|| #name::#variants as i32 == 0)*, #message);)
    });
    quote! {
        #check
        const _: () = {
            use #lang::expand::{Args, Constant, Element, Scalar};
            impl #lang::KernelType for #name {
                type Traced = #lang::Traced<#name>;
                #[track_caller]
                fn constant(self) -> Self::Traced {
                    #lang::expand::enum_constant(self)
                }
                fn push(self, args: &mut Args) {
                    #lang::KernelType::push(self as i32, args);
                }
                fn param(name: &str) -> Self::Traced {
                    #lang::expand::enum_param(name)
                }
            }
            impl #lang::types::sealed::Sealed for #name {}
            impl #lang::ArrayElement for #name {
                fn element() -> Element {
                    Element::scalar(Scalar::I32)
                }
            }
            impl #lang::ScalarType for #name {
                const SCALAR: Scalar = Scalar::I32;
                fn to_constant(self) -> Constant {
                    Constant::I32(self as i32)
                }
            }
            impl #lang::expand::Matches for #name {}
        };
    }
}
