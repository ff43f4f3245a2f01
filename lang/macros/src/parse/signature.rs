//! The head of a kernel or a function: parameters, result, generics.

use crate::ast::{Param, ParamKind, Rule};
use crate::generate::Role;
use crate::refuse::{Errors, Refusal, is_missing_scalar};
use syn::punctuated::Punctuated;
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
    generics(&sig.generics, role, errors);
    let params = sig.inputs.iter().filter_map(|input| param(input, &sig.generics, role, errors)).collect();
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

/// The rule that attributes of the function ask for; they are taken out.
pub fn rule(attrs: &mut Vec<syn::Attribute>, role: Role, errors: &mut Errors) -> Rule {
    let mut rule = Rule::Own;
    attrs.retain(|attr| {
        let adjoint = attr.path().is_ident("adjoint");
        if !adjoint && !attr.path().is_ident("no_grad") {
            return true;
        }
        let span = attr.path().span();
        if role == Role::Kernel || !matches!(rule, Rule::Own) {
            errors.refuse(span, Refusal::RuleHere);
            return false;
        }
        rule = match (adjoint, &attr.meta) {
            (false, syn::Meta::Path(_)) => Rule::None(span),
            (true, syn::Meta::List(list)) => match list.parse_args::<syn::Path>() {
                Ok(path) => Rule::Adjoint(path),
                Err(_) => {
                    errors.refuse(list.tokens.span(), Refusal::AdjointName);
                    return false;
                }
            },
            _ => {
                errors.refuse(span, Refusal::AdjointName);
                return false;
            }
        };
        false
    });
    rule
}

/// Whether a function can have its rule.
pub fn check_rule(rule: &Rule, params: &[Param], output: Option<&syn::Type>, errors: &mut Errors) {
    if matches!(rule, Rule::Own) {
        return;
    }
    for p in params {
        let refused = match (&p.kind, rule) {
            (ParamKind::Value, _) => continue,
            (
                ParamKind::Array { mutable: false, .. } | ParamKind::InOut { .. } | ParamKind::Function,
                Rule::None(_),
            ) => {
                continue;
            }
            (_, Rule::None(_)) => Refusal::NoGradWrites,
            (_, _) => Refusal::AdjointParam,
        };
        errors.refuse(p.ty.span(), refused);
    }
    if let (Rule::Adjoint(path), None) = (rule, output) {
        errors.refuse(path.span(), Refusal::AdjointNothing);
    }
}

fn generics(generics: &syn::Generics, role: Role, errors: &mut Errors) {
    for param in &generics.params {
        match param {
            syn::GenericParam::Lifetime(l) => errors.refuse(l.lifetime.span(), Refusal::Lifetime),
            syn::GenericParam::Type(t) if is_function(t, generics) => {
                if role == Role::Kernel {
                    errors.refuse(t.ident.span(), Refusal::FunctionOfKernel);
                }
            }
            syn::GenericParam::Type(t) if !is_real(t, generics) => {
                errors.refuse(t.ident.span(), Refusal::GenericBound(t.ident.to_string()));
            }
            syn::GenericParam::Type(_) | syn::GenericParam::Const(_) => {}
        }
    }
}

/// Whether a generic parameter has the bound `Real`, at itself or in the `where` clause.
pub fn is_real(param: &syn::TypeParam, generics: &syn::Generics) -> bool {
    bounds(param, generics).any(|bound| bound.ident == "Real")
}

/// Whether a generic parameter is a function: has the bound `Fn(..)`.
fn is_function(param: &syn::TypeParam, generics: &syn::Generics) -> bool {
    bounds(param, generics).any(|bound| bound.ident == "Fn")
}

/// The last names of the traits that a generic parameter is bound by.
fn bounds<'a>(param: &'a syn::TypeParam, generics: &'a syn::Generics) -> impl Iterator<Item = &'a syn::PathSegment> {
    let predicates = generics.where_clause.iter().flat_map(|w| &w.predicates).filter_map(|p| match p {
        syn::WherePredicate::Type(p) if matches!(&p.bounded_ty, syn::Type::Path(t) if t.path.is_ident(&param.ident)) => {
            Some(&p.bounds)
        }
        _ => None,
    });
    traits(&param.bounds).chain(predicates.flat_map(traits))
}

fn traits(bounds: &Punctuated<syn::TypeParamBound, syn::Token![+]>) -> impl Iterator<Item = &syn::PathSegment> {
    bounds.iter().filter_map(|bound| match bound {
        syn::TypeParamBound::Trait(t) => t.path.segments.last(),
        _ => None,
    })
}

/// Whether a type is `Array<..>` by its looks.
pub fn is_array(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == "Array"))
}

fn param(input: &syn::FnArg, generics: &syn::Generics, role: Role, errors: &mut Errors) -> Option<Param> {
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
            if let syn::Type::Path(p) = &*r.elem
                && let Some(name) = p.path.get_ident()
                && is_missing_scalar(&name.to_string())
            {
                errors.refuse(name.span(), Refusal::WideType(name.to_string()));
            }
            let marked = input.attrs.iter().any(|a| a.path().is_ident("arrays"));
            match r.mutability {
                Some(_) if role == Role::Func && !marked && !is_array(&r.elem) => {
                    ParamKind::InOut { target: r.elem.clone() }
                }
                mutable => ParamKind::Array { mutable: mutable.is_some(), target: r.elem.clone() },
            }
        }
        syn::Type::ImplTrait(i) if traits(&i.bounds).any(|bound| bound.ident == "Fn") => {
            if role == Role::Kernel {
                errors.refuse(i.impl_token.span, Refusal::FunctionOfKernel);
            }
            ParamKind::Function
        }
        syn::Type::Path(p) if generics.type_params().any(|t| p.path.is_ident(&t.ident) && is_function(t, generics)) => {
            ParamKind::Function
        }
        ty => {
            if is_array(ty) {
                errors.refuse(ty.span(), Refusal::ArrayByValue);
            }
            ParamKind::Value
        }
    };
    Some(Param { name: ident.clone(), mutable: mutability.is_some(), kind, ty: (*input.ty).clone() })
}
