//! From `syn`'s tree to the macro's own, refusing on the way what the language has not got.

mod expr;
mod macros;
mod matching;
mod signature;
pub use signature::{is_array, is_real};
mod stmt;

use crate::ast::Function;
use crate::generate::Role;
use crate::refuse::Errors;
use syn::spanned::Spanned;

/// Reads a function.
pub fn function(mut f: syn::ItemFn, role: Role, errors: &mut Errors) -> Function {
    let rule = signature::rule(&mut f.attrs, role, errors);
    let (params, output) = signature::signature(&f.sig, role, errors);
    let mut parser = Parser { errors, role, name: f.sig.ident.to_string() };
    let span = f.block.span();
    let body = parser.block(*f.block, span);
    signature::check_rule(&rule, &params, output.as_ref(), errors);
    Function { attrs: f.attrs, vis: f.vis, name: f.sig.ident, generics: f.sig.generics, params, output, body, rule }
}

/// Reads statements and expressions.
struct Parser<'e> {
    errors: &'e mut Errors,
    role: Role,
    name: String,
}
