//! The fields of a struct, sorted into values and arrays.

use crate::parse::is_array;
use crate::refuse::{Errors, Refusal, is_missing_scalar};
use proc_macro2::Ident;
use quote::format_ident;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

/// One field.
pub struct Field<'a> {
    pub name: &'a Ident,
    /// The name as a text.
    pub text: String,
    pub vis: &'a syn::Visibility,
    pub ty: &'a syn::Type,
    /// Whether it is an array or holds arrays.
    pub arrays: bool,
}

/// The fields of a struct; none if it has none that can be used, which is noted.
pub fn fields<'a>(input: &'a syn::DeriveInput, errors: &mut Errors) -> Vec<Field<'a>> {
    let name = &input.ident;
    let data = match &input.data {
        syn::Data::Struct(data) => data,
        syn::Data::Enum(_) => {
            errors.refuse(name.span(), Refusal::StructNotEnum);
            return vec![];
        }
        syn::Data::Union(_) => {
            errors.refuse(name.span(), Refusal::StructNamed);
            return vec![];
        }
    };
    let syn::Fields::Named(named) = &data.fields else {
        errors.refuse(name.span(), Refusal::StructNamed);
        return vec![];
    };
    if named.named.is_empty() {
        errors.refuse(name.span(), Refusal::StructEmpty);
    }
    let mut all = Vec::new();
    for field in &named.named {
        let Some(name) = &field.ident else { continue };
        if let syn::Type::Reference(r) = &field.ty {
            errors.refuse(r.and_token.span(), Refusal::StructReference);
        }
        if let syn::Type::Path(p) = &field.ty
            && let Some(scalar) = p.path.get_ident().map(ToString::to_string)
            && is_missing_scalar(&scalar)
        {
            errors.refuse(field.ty.span(), Refusal::WideType(scalar));
        }
        let marked = field.attrs.iter().any(|a| a.path().is_ident("arrays"));
        all.push(Field {
            name,
            text: name.unraw().to_string(),
            vis: &field.vis,
            ty: &field.ty,
            arrays: marked || is_array(&field.ty),
        });
    }
    all
}

/// The name of what a struct is inside kernels.
pub fn traced_name(name: &Ident) -> Ident {
    format_ident!("Traced{}", name.unraw(), span = name.span())
}
