//! `println!` and assertions.

use super::Parser;
use crate::ast::{Expr, ExprKind, Stmt};
use crate::refuse::Refusal;
use proc_macro2::Span;
use quote::ToTokens;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

type Arguments = Punctuated<syn::Expr, syn::Token![,]>;

impl Parser<'_> {
    /// A macro as a statement; `None` if it is refused.
    pub(super) fn macro_stmt(&mut self, mac: syn::Macro) -> Option<Stmt> {
        let span = mac.path.span();
        let name = mac.path.get_ident().map(ToString::to_string).unwrap_or_default();
        match name.as_str() {
            "println" | "assert" | "debug_assert" | "assert_eq" | "debug_assert_eq" | "assert_ne"
            | "debug_assert_ne" => {}
            _ => {
                self.refuse_macro(&mac);
                return None;
            }
        }
        let arguments = match Arguments::parse_terminated.parse2(mac.tokens) {
            Ok(arguments) => arguments,
            Err(e) => {
                self.errors.syntax(e);
                return None;
            }
        };
        let mut arguments = arguments.into_iter();
        match name.as_str() {
            "println" => self.print(arguments, span),
            "assert" | "debug_assert" => {
                let Some(cond) = arguments.next() else {
                    self.errors.refuse(span, Refusal::AssertArguments(1));
                    return None;
                };
                let text = self.assert_text(arguments);
                let shown = cond.to_token_stream().to_string();
                let cond = self.expr(cond)?;
                Some(Stmt::Assert { cond, text: text?.unwrap_or(shown), span })
            }
            _ => {
                let (Some(a), Some(b)) = (arguments.next(), arguments.next()) else {
                    self.errors.refuse(span, Refusal::AssertArguments(2));
                    return None;
                };
                let text = self.assert_text(arguments);
                let equal = name.ends_with("eq");
                let word = if equal { "==" } else { "!=" };
                let shown = format!("{} {word} {}", a.to_token_stream(), b.to_token_stream());
                let op =
                    if equal { syn::BinOp::Eq(syn::Token![==](span)) } else { syn::BinOp::Ne(syn::Token![!=](span)) };
                let (a, b) = (self.expr(a), self.expr(b));
                let cond = Expr::new(ExprKind::Binary(Box::new(a?), op, Box::new(b?)), span);
                Some(Stmt::Assert { cond, text: text?.unwrap_or(shown), span })
            }
        }
    }

    /// The text of an assertion, if it has one; `None` if it is refused.
    fn assert_text(&mut self, mut arguments: impl Iterator<Item = syn::Expr>) -> Option<Option<String>> {
        let Some(text) = arguments.next() else { return Some(None) };
        let text = self.format_text(&text)?;
        let rest = arguments.next().map(|e| e.span());
        match split(&text.value()) {
            Ok(pieces) if pieces.marks.is_empty() && rest.is_none() => Some(Some(pieces.texts.concat())),
            Ok(_) => {
                self.errors.refuse(rest.unwrap_or(text.span()), Refusal::AssertValues);
                None
            }
            Err(refusal) => {
                self.errors.refuse(text.span(), refusal);
                None
            }
        }
    }

    fn format_text(&mut self, e: &syn::Expr) -> Option<syn::LitStr> {
        match e {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.clone()),
            e => {
                self.errors.refuse(e.span(), Refusal::FormatText);
                None
            }
        }
    }

    fn print(&mut self, mut arguments: impl Iterator<Item = syn::Expr>, span: Span) -> Option<Stmt> {
        let (mut texts, mut values) = (vec![String::new()], Vec::new());
        if let Some(format) = arguments.next() {
            let text = self.format_text(&format)?;
            let pieces = match split(&text.value()) {
                Ok(pieces) => pieces,
                Err(refusal) => {
                    self.errors.refuse(text.span(), refusal);
                    return None;
                }
            };
            texts = pieces.texts;
            let (mut plain, mut named) = (Vec::new(), Vec::new());
            for e in arguments {
                match e {
                    syn::Expr::Assign(a) => match &*a.left {
                        syn::Expr::Path(p) if p.path.get_ident().is_some() => {
                            named.push((p.path.get_ident().map(ToString::to_string), self.expr(*a.right)?));
                        }
                        other => self.errors.refuse(other.span(), Refusal::FormatText),
                    },
                    e => plain.push(self.expr(e)?),
                }
            }
            let mut used = vec![false; plain.len()];
            let mut next = 0;
            for (argument, mark) in pieces.marks {
                let at = match argument {
                    Argument::Next => {
                        next += 1;
                        next - 1
                    }
                    Argument::Number(n) => n,
                    Argument::Name(name) => {
                        let known = named.iter().find(|(n, _)| n.as_ref() == Some(&name));
                        let e = match known {
                            Some((_, e)) => e.clone(),
                            None => {
                                let Ok(mut ident) = syn::parse_str::<proc_macro2::Ident>(&name) else {
                                    self.errors.refuse(text.span(), Refusal::FormatMark(name));
                                    return None;
                                };
                                ident.set_span(text.span());
                                let path = syn::ExprPath { attrs: vec![], qself: None, path: ident.into() };
                                Expr::new(ExprKind::Path(path), text.span())
                            }
                        };
                        values.push((e, mark));
                        continue;
                    }
                };
                let Some(e) = plain.get(at) else {
                    self.errors.refuse(text.span(), Refusal::FormatCount(at + 1, plain.len()));
                    return None;
                };
                used[at] = true;
                values.push((e.clone(), mark));
            }
            if let Some(at) = used.iter().position(|u| !u) {
                self.errors.refuse(plain[at].span, Refusal::FormatUnused);
                return None;
            }
        }
        Some(Stmt::Print { texts, values, span })
    }
}

/// Which value a mark stands for.
enum Argument {
    Next,
    Number(usize),
    Name(String),
}

/// A format: the texts around the marks, one more than there are marks, and the marks.
struct Pieces {
    texts: Vec<String>,
    marks: Vec<(Argument, String)>,
}

fn split(format: &str) -> Result<Pieces, Refusal> {
    let (mut texts, mut marks) = (Vec::new(), Vec::new());
    let mut text = String::new();
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        let (brace, after) = rest[at..].split_at(1);
        if let Some(doubled) = after.strip_prefix(brace) {
            text.push_str(brace);
            rest = doubled;
            continue;
        }
        let Some(end) = after.find('}').filter(|_| brace == "{") else {
            return Err(Refusal::FormatMark(brace.to_owned()));
        };
        let (argument, mark) = match after[..end].split_once(':') {
            Some((argument, mark)) => (argument.trim(), mark.trim()),
            None => (after[..end].trim(), ""),
        };
        let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        let precision = mark.strip_suffix('?').unwrap_or(mark).strip_prefix('.');
        if !(mark.is_empty() || mark == "?" || precision.is_some_and(digits)) {
            return Err(Refusal::FormatMark(format!("{{{}}}", &after[..end])));
        }
        let argument = match argument {
            "" => Argument::Next,
            n if digits(n) => Argument::Number(n.parse().unwrap_or(usize::MAX)),
            name => Argument::Name(name.to_owned()),
        };
        let mark = if mark.is_empty() { "{}".to_owned() } else { format!("{{:{mark}}}") };
        marks.push((argument, mark));
        texts.push(std::mem::take(&mut text));
        rest = &after[end + 1..];
    }
    text.push_str(rest);
    texts.push(text);
    Ok(Pieces { texts, marks })
}
