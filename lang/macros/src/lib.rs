//! The attribute macros of Pullback's kernel language.
//!
//! A kernel goes through four steps: `parse/` reads the function into the macro's own tree (`ast`) and
//! refuses what the language has not got (`refuse`, the one list); `exits` turns `return`, `break` and
//! `continue` into conditions; `generate/` writes Rust that traces the kernel, with the user's tokens
//! at their places, so that rustc's own errors point at them. Expansions name only pullback-lang
//! (`paths`). `derive/` has the derive macros, for types of the user's.
#![forbid(unsafe_code)]

mod ast;
mod derive;
mod exits;
mod generate;
mod parse;
mod paths;
mod refuse;

use generate::Role;
use proc_macro::TokenStream;

/// Makes a function a kernel: what each thread of a launch runs.
///
/// The function `k` becomes a function that takes the sizes of a launch before the other arguments
/// and returns a `Call`, which a stream or a tape launches; `k::ir()` gives its IR. Arrays are passed
/// as `&Array<T>` (read) or `&mut Array<T>` (read and written), all else by value. See the crate
/// `pullback` for the language.
///
/// ```ignore
/// #[kernel]
/// fn attract(pos: &mut Array<Vec3>, vel: &mut Array<Vec3>, dt: f32) {
///     let i = thread_id();
///     vel[i] -= pos[i] * dt;
///     pos[i] += vel[i] * dt;
/// }
///
/// stream.launch(&attract(n, &mut pos, &mut vel, 1e-3))?;
/// ```
#[proc_macro_attribute]
pub fn kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    expand(args.into(), item.into(), Role::Kernel).into()
}

/// Makes a function one that kernels can call. It is inlined where it is called.
///
/// ```ignore
/// #[func]
/// fn spring(x: Vec3, rest: f32, stiffness: f32) -> Vec3 {
///     normalize(x) * (stiffness * (rest - length(x)))
/// }
/// ```
#[proc_macro_attribute]
pub fn func(args: TokenStream, item: TokenStream) -> TokenStream {
    expand(args.into(), item.into(), Role::Func).into()
}

/// Makes a struct a type of kernels.
///
/// A struct of values, `#[repr(C)]`, goes to kernels by value and lies in arrays. Its fields are scalars,
/// vectors, matrices, quaternions, fixed arrays, enums under `#[derive(KernelEnum)]` and other such structs;
/// it also derives `Clone, Copy, Debug, PartialEq`. In an array the fields lie as `repr(C)` puts them: in
/// order, each at the next multiple of its alignment.
///
/// A struct with a field `Array<..>` holds arrays: it goes to kernels as `&S` (its arrays are read) or
/// `&mut S` (they are read and written). A field whose type holds arrays itself is marked `#[arrays]`.
///
/// ```ignore
/// #[repr(C)]
/// #[derive(Clone, Copy, Debug, PartialEq, KernelStruct)]
/// struct Body {
///     position: Vec3,
///     mass: f32,
/// }
///
/// #[derive(KernelStruct)]
/// struct Springs {
///     rest: Array<f32>,
///     stiffness: f32,
/// }
/// ```
#[proc_macro_derive(KernelStruct, attributes(arrays))]
pub fn kernel_struct(item: TokenStream) -> TokenStream {
    derive::derive(item.into(), derive::kernel_struct).into()
}

/// Makes an enum without fields a type of kernels, where it is an `i32`: to be compared by `==`, matched,
/// kept in structs and arrays, and read as a number by `kind as i32`.
///
/// It is `#[repr(i32)]`, derives `Clone, Copy, Debug, PartialEq`, and has a variant that is 0, which zeroed
/// memory holds.
///
/// ```ignore
/// #[repr(i32)]
/// #[derive(Clone, Copy, Debug, PartialEq, KernelEnum)]
/// enum Kind {
///     Free,
///     Fixed,
/// }
/// ```
#[proc_macro_derive(KernelEnum)]
pub fn kernel_enum(item: TokenStream) -> TokenStream {
    derive::derive(item.into(), derive::kernel_enum).into()
}

fn expand(args: proc_macro2::TokenStream, item: proc_macro2::TokenStream, role: Role) -> proc_macro2::TokenStream {
    let mut errors = refuse::Errors::default();
    if let Some(token) = args.into_iter().next() {
        errors.refuse(token.span(), refuse::Refusal::Arguments(role.attribute()));
    }
    let function: syn::ItemFn = match syn::parse2(ungrouped(item)) {
        Ok(function) => function,
        Err(e) => return e.into_compile_error(),
    };
    let function = parse::function(function, role, &mut errors);
    let function = exits::lower(function, &mut errors);
    let tokens = generate::function(&function, role, &mut errors);
    match errors.combined() {
        None => tokens,
        // The function itself goes along, so that its callers aren't errors too.
        Some(e) => {
            let errors = e.into_compile_error();
            let stub = generate::stub(&function, role);
            quote::quote!(#errors #stub)
        }
    }
}

/// The tokens with what a `macro_rules` put into them by `$t:ty` or `$x:literal` as it stands, where that is a
/// path or one token: the compiler keeps such parts in invisible groups.
fn ungrouped(tokens: proc_macro2::TokenStream) -> proc_macro2::TokenStream {
    use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
    fn has_invisible(tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::None || has_invisible(group.stream()),
            _ => false,
        })
    }
    let each = |token: TokenTree| {
        let TokenTree::Group(group) = &token else { return TokenStream::from(token) };
        let invisible = group.delimiter() == Delimiter::None;
        // A group made anew forgets where its brackets stand.
        if !invisible && !has_invisible(group.stream()) {
            return token.into();
        }
        let inner = ungrouped(group.stream());
        let plain = || inner.clone().into_iter().count() == 1 || syn::parse2::<syn::Path>(inner.clone()).is_ok();
        if invisible && plain() {
            return inner;
        }
        let mut again = Group::new(group.delimiter(), inner);
        again.set_span(group.span());
        TokenTree::Group(again).into()
    };
    tokens.into_iter().map(each).collect()
}
