//! The items that a `#[kernel]` or a `#[func]` becomes.

use super::scope::{Binding, Scopes};
use super::types::{Types, is_scalar, respan};
use super::{Generator, Role, made};
use crate::ast::{Function, Param, ParamKind, Rule};
use crate::refuse::{Errors, Refusal};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

/// The items.
pub fn function(f: &Function, role: Role, errors: &mut Errors) -> TokenStream {
    let types = Types::new(&f.generics);
    let lang = types.lang.clone();
    let user = f.name.span();
    let mut g = Generator { errors, types, scopes: Scopes::default(), expand: quote!(#lang::expand), user };
    match role {
        Role::Kernel => g.kernel(f),
        Role::Func => g.func(f),
    }
}

/// Lints that make no sense on code that the macro wrote for the user.
fn allowances() -> TokenStream {
    quote! {
        #[allow(
            unused_mut, unused_assignments, unused_parens, unused_braces, unused_qualifications,
            clippy::all, clippy::pedantic, clippy::nursery
        )]
    }
}

/// The name of the reference behind a parameter that is `&mut` of a value.
fn in_out_name(name: &Ident) -> Ident {
    made(&format!("__reference_{name}"), name.span())
}

/// How the value of such a parameter comes in and goes out.
fn in_out(p: &Param) -> Option<(TokenStream, TokenStream)> {
    let ParamKind::InOut { .. } = p.kind else { return None };
    let (name, local) = (&p.name, in_out_name(&p.name));
    Some((quote!(let mut #name = *#local;), quote!(*#local = #name;)))
}

/// Whether a type holds no floats by its looks.
fn is_discrete(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(p) if p.path.get_ident().is_some_and(|name| is_scalar(name) && !name.to_string().starts_with('f')))
}

impl Generator<'_> {
    fn func(&mut self, f: &Function) -> TokenStream {
        let Function { attrs, vis, name, .. } = f;
        let (params, types) = self.params(f);
        let generics = self.types.generics(&f.generics, self.errors);
        let output = self.output(f);
        let enter = self.path("enter", name.span());
        let placeholder = self.path("placeholder", name.span());
        let text = name.to_string();
        let mut body = self.block(&f.body);
        let span = f.body.span;
        let result = made("__result", span);
        let (into, out): (Vec<_>, Vec<_>) = f.params.iter().filter_map(in_out).unzip();
        if !into.is_empty() {
            body = quote_spanned!(span=> { #(#into)* let #result = #body; #(#out)* #result });
        }
        if let Rule::None(at) = f.rule {
            let detach = self.path("detach", at);
            body = quote_spanned!(span=> #detach(#body));
        }
        let frame = made("__frame", name.span());
        let entered = quote_spanned!(name.span()=> #enter(#text));
        body = quote! {
            let ::core::option::Option::Some(#frame) = #entered else { return #placeholder() };
            #body
        };
        if let (Rule::Adjoint(adjoint), Some(output)) = (&f.rule, &f.output) {
            body = self.with_adjoint(f, &types, output, adjoint, &body);
        }
        let where_clause = &generics.where_clause;
        let allowances = allowances();
        quote! {
            #(#attrs)*
            #allowances
            #vis fn #name #generics (#(#params),*) #output #where_clause { #body }
        }
    }

    /// The body of a function that has its own adjoint.
    fn with_adjoint(
        &mut self,
        f: &Function,
        types: &[TokenStream],
        output: &syn::Type,
        adjoint: &syn::Path,
        body: &TokenStream,
    ) -> TokenStream {
        let at = syn::spanned::Spanned::span(adjoint);
        let own = self.path("own_adjoint", f.name.span());
        let names: Vec<_> = f.params.iter().map(|p| &p.name).collect();
        let patterns = f.params.iter().map(|p| {
            let (name, mutable) = (&p.name, p.mutable.then(|| quote_spanned!(p.name.span()=> mut)));
            quote!(#mutable #name)
        });
        // Nested, so that there may be any number.
        let nest = |all: Vec<TokenStream>| all.into_iter().rev().fold(quote!(()), |rest, x| quote!((#x, #rest)));
        let patterns = nest(patterns.collect());
        let plain = nest(names.iter().map(|n| quote!(#n)).collect());
        let inputs = nest(types.to_vec());
        let traced = self.types.traced(output, self.errors);
        let (result, cotangent) = (made("__result", at), made("__cotangent", at));
        let (results, cotangents, cotangent_type) = match output {
            syn::Type::Tuple(t) => {
                let floats: Vec<_> = t.elems.iter().filter(|ty| !is_discrete(ty)).collect();
                let types: Vec<_> = floats.iter().map(|ty| self.types.traced(ty, self.errors)).collect();
                let results: Vec<_> = (0..t.elems.len()).map(syn::Index::from).map(|i| quote!(#result.#i)).collect();
                let parts: Vec<_> = (0..floats.len()).map(syn::Index::from).map(|i| quote!(#cotangent.#i)).collect();
                (results, parts, quote!((#(#types,)*)))
            }
            ty if is_discrete(ty) => {
                self.errors.refuse(syn::spanned::Spanned::span(ty), Refusal::AdjointNothing);
                (vec![quote!(#result)], vec![], quote!(()))
            }
            _ => (vec![quote!(#result)], vec![quote!(#cotangent)], traced.clone()),
        };
        let call = quote_spanned!(at=> #adjoint(#(#names,)* #(#results,)* #(#cotangents),*));
        quote_spanned! {f.name.span()=>
            #own(
                #plain,
                |#patterns: #inputs| -> #traced { #body },
                |#plain: #inputs, #result: #traced, #cotangent: #cotangent_type| #call,
            )
        }
    }

    /// The parameters as the traced function takes them; the body's scope.
    fn params(&mut self, f: &Function) -> (Vec<TokenStream>, Vec<TokenStream>) {
        let mut params = Vec::new();
        let mut types = Vec::new();
        for p in &f.params {
            let name = &p.name;
            let span = name.span();
            match &p.kind {
                ParamKind::Array { mutable, target } => {
                    self.scopes.bind(name, Binding::Array { mutable: *mutable });
                    let array = self.types.array(target);
                    // At the user's `&`, where rustc proposes to write `&mut`.
                    let at = syn::spanned::Spanned::span(&p.ty);
                    let borrow = if *mutable { quote_spanned!(at=> &mut) } else { quote_spanned!(at=> &) };
                    params.push(quote_spanned!(span=> #name: #borrow #array));
                    types.push(array);
                }
                ParamKind::InOut { target } => {
                    self.scopes.bind(name, Binding::InOut);
                    let ty = self.types.traced(target, self.errors);
                    let local = in_out_name(name);
                    params.push(quote_spanned!(span=> #local: &mut #ty));
                    types.push(ty);
                }
                ParamKind::Function => {
                    self.scopes.bind(name, Binding::Function);
                    let ty = self.types.function(&p.ty, self.errors);
                    params.push(quote_spanned!(span=> #name: #ty));
                    types.push(ty);
                }
                ParamKind::Value => {
                    self.scopes.bind(name, Binding::Value);
                    let ty = self.types.traced(&p.ty, self.errors);
                    let mutable = p.mutable.then(|| quote_spanned!(span=> mut));
                    params.push(quote_spanned!(span=> #mutable #name: #ty));
                    types.push(ty);
                }
            }
        }
        (params, types)
    }

    fn output(&mut self, f: &Function) -> TokenStream {
        match &f.output {
            None => TokenStream::new(),
            Some(ty) => {
                let ty = self.types.traced(ty, self.errors);
                quote!(-> #ty)
            }
        }
    }

    fn kernel(&mut self, f: &Function) -> TokenStream {
        let Function { attrs, vis, name, generics, .. } = f;
        let lang = self.types.lang.clone();
        let expand = self.expand.clone();
        let text = name.to_string();
        let (params, traced_types) = self.params(f);
        let body = self.block(&f.body);
        let (impl_generics, _, where_clause) = generics.split_for_impl();
        let generic_args: Vec<_> = generics
            .params
            .iter()
            .filter_map(|p| match p {
                syn::GenericParam::Type(t) => Some(&t.ident),
                syn::GenericParam::Const(c) => Some(&c.ident),
                syn::GenericParam::Lifetime(_) => None,
            })
            .collect();
        let turbofish = if generic_args.is_empty() { quote!() } else { quote!(::<#(#generic_args),*>) };
        let (key_item, key) = self.key(generics, &generic_args);

        let hygienic = |s: &str| made(s, Span::call_site());
        let (args, dims) = (hygienic("args"), hygienic("dims"));
        // Items know no hygiene: the user's code must not find these where it means its own.
        let (trace, cache) = (hygienic("__trace"), hygienic("__CACHE"));

        let mut declare = Vec::new();
        let mut pass = Vec::new();
        let mut push = Vec::new();
        let mut host_params = Vec::new();
        for (i, (p, traced)) in f.params.iter().zip(&traced_types).enumerate() {
            let (ident, ty) = (&p.name, &p.ty);
            let span = syn::spanned::Spanned::span(ty);
            let local = made(&format!("__param_{i}"), Span::call_site());
            let param_name = ident.to_string();
            host_params.push(quote_spanned!(ident.span()=> #ident: #ty));
            let expand_here = respan(&expand, span);
            match &p.kind {
                ParamKind::Array { mutable, .. } => {
                    let function = made(if *mutable { "array_param_mut" } else { "array_param" }, span);
                    let borrow = if *mutable { quote!(&mut) } else { quote!(&) };
                    declare
                        .push(quote_spanned!(span=> let mut #local: #traced = #expand_here::#function(#param_name);));
                    pass.push(quote!(#borrow #local));
                    push.push(quote_spanned!(span=> #args.array::<#traced, _>(#ident);));
                }
                // Refused by the parser.
                ParamKind::InOut { .. } | ParamKind::Function => {}
                ParamKind::Value => {
                    declare.push(quote_spanned!(span=> let #local = #expand_here::value_param::<#ty>(#param_name);));
                    pass.push(quote!(#local));
                    push.push(quote_spanned!(span=> #args.value::<#ty>(#ident);));
                }
            }
        }
        let count = f.params.len();
        let allowances = allowances();
        let lint_attrs = attrs.iter().filter(|a| ["allow", "warn", "deny"].iter().any(|l| a.path().is_ident(l)));
        let type_doc = format!("The kernel [`{text}`](fn@{text}) itself: `{text}::ir()` is its IR.");
        let ir_doc = format!("The traced kernel `{text}`, made the first time.");
        let call_doc = if attrs.iter().any(|a| a.path().is_ident("doc")) { "\n" } else { "" };
        let call_doc = format!("{call_doc}A kernel: makes the call for a launch of `dims` threads.");
        quote! {
            #(#attrs)*
            #[doc = #call_doc]
            #[allow(dead_code, clippy::too_many_arguments, clippy::needless_pass_by_ref_mut)]
            #vis fn #name #impl_generics (
                #dims: impl ::core::convert::Into<#lang::Dims>,
                #(#host_params),*
            ) -> #lang::Call #where_clause {
                let mut #args = #lang::Args::with_capacity(#count);
                #(#push)*
                #lang::Call::new(#name::ir #turbofish (), #dims, #args)
            }

            #[doc = #type_doc]
            #[allow(non_camel_case_types, dead_code)]
            #vis enum #name {}

            impl #name {
                #[doc = #ir_doc]
                #[allow(dead_code)]
                #vis fn ir #impl_generics () -> ::std::sync::Arc<#lang::KernelHandle> #where_clause {
                    #key_item
                    #allowances
                    #(#lint_attrs)*
                    fn #trace #impl_generics (#(#params),*) #where_clause #body
                    static #cache: #expand::KernelCache = #expand::KernelCache::new();
                    #cache.get::<#key>(#text, || {
                        #(#declare)*
                        #trace #turbofish (#(#pass),*);
                    })
                }
            }
        }
    }

    /// A type that stands for the generic arguments.
    fn key(&self, generics: &syn::Generics, generic_args: &[&Ident]) -> (TokenStream, TokenStream) {
        if generic_args.is_empty() {
            return (quote!(), quote!(()));
        }
        let key = made("__Key", Span::call_site());
        let types = generics.type_params().map(|t| &t.ident);
        let params = generics.params.iter().filter_map(|p| match p {
            syn::GenericParam::Type(t) => {
                let name = &t.ident;
                Some(quote!(#name))
            }
            syn::GenericParam::Const(c) => {
                let (name, ty) = (&c.ident, &c.ty);
                Some(quote!(const #name: #ty))
            }
            syn::GenericParam::Lifetime(_) => None,
        });
        let item = quote! {
            #[allow(dead_code)]
            struct #key<#(#params),*>(::core::marker::PhantomData<(#(#types,)*)>);
        };
        (item, quote!(#key<#(#generic_args),*>))
    }
}

/// The items with nothing in them, for a function that has errors.
pub fn stub(f: &Function, role: Role) -> TokenStream {
    let mut ignored = Errors::default();
    let types = Types::new(&f.generics);
    let lang = types.lang.clone();
    let expand = quote!(#lang::expand);
    let mut g = Generator { errors: &mut ignored, types, scopes: Scopes::default(), expand, user: f.name.span() };
    let Function { vis, name, generics, .. } = f;
    let where_clause = &generics.where_clause;
    match role {
        Role::Func => {
            let (params, _) = g.params(f);
            let output = g.output(f);
            let generics = g.types.generics(generics, g.errors);
            let where_clause = &generics.where_clause;
            quote! {
                #[allow(unused, clippy::all)]
                #vis fn #name #generics (#(#params),*) #output #where_clause { loop {} }
            }
        }
        Role::Kernel => {
            let params = f.params.iter().map(|p| {
                let (name, ty) = (&p.name, &p.ty);
                quote!(#name: #ty)
            });
            quote! {
                #[allow(unused, clippy::all)]
                #vis fn #name #generics (
                    __dims: impl ::core::convert::Into<#lang::Dims>, #(#params),*
                ) -> #lang::Call #where_clause { loop {} }
                #[allow(non_camel_case_types, dead_code)]
                #vis enum #name {}
                impl #name {
                    #[allow(dead_code)]
                    #vis fn ir #generics () -> ::std::sync::Arc<#lang::KernelHandle> #where_clause { loop {} }
                }
            }
        }
    }
}
