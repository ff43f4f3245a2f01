//! The head of a kernel or a function: parameters, result, generics.

use crate::ast::{Param, ParamKind};
use crate::generate::Role;
use crate::refuse::{Errors, Refusal};
use syn::spanned::Spanned;

/// Checks a signature; its parameters and result.
pub fn signature(sig: &syn::Signature, role: Role, errors: &mut Errors) -> (Vec<Param>, Option<syn::Type>) {
    let words = [
        (sig.constness.map(|t| t.span), "const"),
        (sig.asyncness.map(|t| t.span), "async"),
        (sig.unsafety.map(|t| t.span), "unsafe"),
        (sig.abi.as_ref().map(|t| t.extern_token.span), "extern"),
        (sig.variadic.as_ref().map(|t| t.dots.spans[0]), "variadic"),
    ];
    for (span, word) in words {
        if let Some(span) = span {
            errors.refuse(span, Refusal::Signature(word));
        }
    }
    generics(&sig.generics, errors);
    let params = sig.inputs.iter().filter_map(|input| param(input, errors)).collect();
    let output = match &sig.output {
        syn::ReturnType::Default => None,
        syn::ReturnType::Type(_, ty) if is_unit(ty) => None,
        syn::ReturnType::Type(_, ty) => {
            if role == Role::Kernel {
                errors.refuse(ty.span(), Refusal::KernelOutput);
            }
            Some((**ty).clone())
        }
    };
    (params, output)
}

fn is_unit(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Tuple(t) if t.elems.is_empty())
}

fn generics(generics: &syn::Generics, errors: &mut Errors) {
    for param in &generics.params {
        match param {
            syn::GenericParam::Lifetime(l) => errors.refuse(l.lifetime.span(), Refusal::Lifetime),
            syn::GenericParam::Type(t) if !is_real(t, generics) => {
                errors.refuse(t.ident.span(), Refusal::GenericBound(t.ident.to_string()));
            }
            syn::GenericParam::Type(_) | syn::GenericParam::Const(_) => {}
        }
    }
}

/// Whether a generic parameter has the bound `Real`, at itself or in the `where` clause.
pub fn is_real(param: &syn::TypeParam, generics: &syn::Generics) -> bool {
    let names_real = |bound: &syn::TypeParamBound| matches!(bound, syn::TypeParamBound::Trait(t) if t.path.segments.last().is_some_and(|s| s.ident == "Real"));
    let in_where = generics.where_clause.iter().flat_map(|w| &w.predicates).any(|p| match p {
        syn::WherePredicate::Type(p) => {
            matches!(&p.bounded_ty, syn::Type::Path(t) if t.path.is_ident(&param.ident))
                && p.bounds.iter().any(names_real)
        }
        _ => false,
    });
    in_where || param.bounds.iter().any(names_real)
}

fn param(input: &syn::FnArg, errors: &mut Errors) -> Option<Param> {
    let input = match input {
        syn::FnArg::Receiver(r) => {
            errors.refuse(r.self_token.span, Refusal::Receiver);
            return None;
        }
        syn::FnArg::Typed(input) => input,
    };
    let syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability, ident, subpat: None, .. }) = &*input.pat else {
        errors.refuse(input.pat.span(), Refusal::ParamPattern);
        return None;
    };
    let kind = match &*input.ty {
        syn::Type::Reference(r) => {
            if let Some(lifetime) = &r.lifetime {
                errors.refuse(lifetime.span(), Refusal::Lifetime);
            }
            if matches!(*r.elem, syn::Type::Reference(_)) {
                errors.refuse(r.elem.span(), Refusal::NestedReference);
            }
            if let syn::Type::Slice(s) = &*r.elem {
                errors.refuse(s.span(), Refusal::Type("slice".to_owned()));
            }
            ParamKind::Array { mutable: r.mutability.is_some(), target: r.elem.clone() }
        }
        _ => ParamKind::Value,
    };
    Some(Param { name: ident.clone(), mutable: mutability.is_some(), kind, ty: (*input.ty).clone() })
}
