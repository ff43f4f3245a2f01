//! What a kernel's source is to the macro: the part of Rust that the language has, and nothing else.
//!
//! Parsing (`parse/`) turns `syn`'s tree into this one and refuses the rest; `exits` rewrites it so
//! that `return`, `break` and `continue` are gone; `generate/` turns it into Rust that traces. All
//! tokens that a user may have to see in an error keep their spans.

use proc_macro2::{Ident, Span};

/// A `#[kernel]` or a `#[func]`.
pub struct Function {
    pub attrs: Vec<syn::Attribute>,
    pub vis: syn::Visibility,
    pub name: Ident,
    pub generics: syn::Generics,
    pub params: Vec<Param>,
    /// What it returns, `None` for nothing.
    pub output: Option<syn::Type>,
    pub body: Block,
    pub rule: Rule,
}

/// How the derivative of a `#[func]` comes about.
pub enum Rule {
    /// From what it computes.
    Own,
    /// `#[adjoint(path)]`: from that function.
    Adjoint(syn::Path),
    /// `#[no_grad]`: there is none.
    None(Span),
}

pub struct Param {
    pub name: Ident,
    pub mutable: bool,
    pub kind: ParamKind,
    /// As the user wrote it.
    pub ty: syn::Type,
}

pub enum ParamKind {
    /// `&T` or `&mut T`: an array, or a struct that holds arrays.
    Array { mutable: bool, target: Box<syn::Type> },
    /// `&mut T` of a value: it comes in and goes out again. Only of a `#[func]`.
    InOut { target: Box<syn::Type> },
    /// A function: `impl Fn(f32) -> f32`, or an `F` with such a bound. Only of a `#[func]`.
    Function,
    /// Anything else, by value.
    Value,
}

#[derive(Clone)]
pub struct Block {
    pub stmts: Vec<Stmt>,
    pub tail: Option<Box<Expr>>,
    pub span: Span,
}

#[derive(Clone)]
pub enum Stmt {
    Let {
        pat: Pat,
        ty: Option<syn::Type>,
        init: Expr,
        span: Span,
    },
    Const(syn::ItemConst),
    /// `place = value` or `place op= value`.
    Assign {
        place: Expr,
        op: Assign,
        value: Expr,
    },
    Expr(Expr),
    Exit(Exit),
    /// Has rustc check the patterns of a `match` of the variable `name`: each, and whether it has a guard.
    CheckMatch {
        name: Ident,
        subject: Span,
        arms: Vec<(syn::Pat, bool)>,
    },
    /// `println!`: the texts around the values, and the values with their marks.
    Print {
        texts: Vec<String>,
        values: Vec<(Expr, String)>,
        span: Span,
    },
    /// `assert!`.
    Assert {
        cond: Expr,
        text: String,
        span: Span,
    },
    /// A variable of the lowering of exits: a truth value that begins as given.
    Flag {
        name: Ident,
        value: bool,
    },
    SetFlag {
        name: Ident,
        value: bool,
    },
    /// A variable of the lowering of exits: holds what is returned, or given to a `break`.
    Slot {
        name: Ident,
        ty: Option<syn::Type>,
    },
    SetSlot {
        name: Ident,
        value: Expr,
    },
}

#[derive(Clone)]
pub enum Assign {
    Set(syn::Token![=]),
    /// `+=` and so on.
    Op(syn::BinOp),
}

#[derive(Clone)]
pub struct Exit {
    pub kind: ExitKind,
    pub span: Span,
}

#[derive(Clone)]
pub enum ExitKind {
    Return(Option<Box<Expr>>),
    Break(Option<syn::Lifetime>, Option<Box<Expr>>),
    Continue(Option<syn::Lifetime>),
}

#[derive(Clone)]
pub enum Pat {
    Name { name: Ident, mutable: bool },
    Wild(Span),
    Tuple(Vec<Pat>, Span),
}

#[derive(Clone)]
pub struct Expr {
    pub kind: ExprKind,
    /// Where it begins.
    pub span: Span,
}

#[derive(Clone)]
pub enum ExprKind {
    /// A number or a truth value, with its minus sign.
    Lit {
        minus: Option<syn::Token![-]>,
        lit: syn::Lit,
    },
    /// A variable, or a constant of the host.
    Path(syn::ExprPath),
    Unary(syn::UnOp, Box<Expr>),
    Binary(Box<Expr>, syn::BinOp, Box<Expr>),
    Call(syn::ExprPath, Vec<Expr>),
    Method {
        receiver: Box<Expr>,
        method: Ident,
        turbofish: Option<syn::AngleBracketedGenericArguments>,
        args: Vec<Expr>,
    },
    Field(Box<Expr>, syn::Member),
    Index(Box<Expr>, Box<Expr>),
    Cast(Box<Expr>, Box<syn::Type>),
    Tuple(Vec<Expr>),
    /// `[a, b]`.
    Array(Vec<Expr>),
    /// `[v; N]`.
    Repeat(Box<Expr>, Box<syn::Expr>),
    Paren(Box<Expr>),
    Struct(syn::Path, Vec<(syn::Member, Expr)>),
    If(Box<If>),
    Block(Block),
    Loop(Box<Loop>),
    /// `&x` or `&mut x`: of an array, of a field that is one, or of a value that a function changes.
    Ref {
        mutable: bool,
        place: Box<Expr>,
    },
    /// `*x` of a parameter that is `&mut` of a value.
    Deref(Box<Expr>),
    /// A variable of the lowering of exits.
    Made(Ident),
    /// A value that is never used.
    Placeholder,
}

#[derive(Clone)]
pub struct If {
    pub cond: Expr,
    pub then: Block,
    pub otherwise: Option<Block>,
}

#[derive(Clone)]
pub struct Loop {
    pub label: Option<syn::Lifetime>,
    pub kind: LoopKind,
    pub body: Block,
}

#[derive(Clone)]
pub enum LoopKind {
    For {
        pat: Pat,
        range: Range,
        /// The flag that ends it early.
        go: Option<Ident>,
    },
    While(Box<Expr>),
    Forever,
}

/// `low..high` or `low..=high`, then `.rev()` and `.step_by(n)` in the order written.
#[derive(Clone)]
pub struct Range {
    pub low: Box<Expr>,
    pub high: Box<Expr>,
    pub inclusive: bool,
    pub adaptors: Vec<Adaptor>,
    pub span: Span,
}

#[derive(Clone)]
pub enum Adaptor {
    Rev(Span),
    StepBy(Box<Expr>, Span),
}

impl Expr {
    pub fn new(kind: ExprKind, span: Span) -> Self {
        Expr { kind, span }
    }

    /// Calls `f` for the expressions and blocks directly inside this one.
    pub fn children<'a>(&'a self, f: &mut dyn FnMut(Child<'a>)) {
        match &self.kind {
            ExprKind::Lit { .. } | ExprKind::Path(_) | ExprKind::Made(_) | ExprKind::Placeholder => {}
            ExprKind::Unary(_, e)
            | ExprKind::Field(e, _)
            | ExprKind::Cast(e, _)
            | ExprKind::Repeat(e, _)
            | ExprKind::Ref { place: e, .. }
            | ExprKind::Deref(e)
            | ExprKind::Paren(e) => f(Child::Expr(e)),
            ExprKind::Binary(a, _, b) | ExprKind::Index(a, b) => {
                f(Child::Expr(a));
                f(Child::Expr(b));
            }
            ExprKind::Call(_, args) | ExprKind::Tuple(args) | ExprKind::Array(args) => {
                args.iter().for_each(|a| f(Child::Expr(a)))
            }
            ExprKind::Method { receiver, args, .. } => {
                f(Child::Expr(receiver));
                args.iter().for_each(|a| f(Child::Expr(a)));
            }
            ExprKind::Struct(_, fields) => fields.iter().for_each(|(_, e)| f(Child::Expr(e))),
            ExprKind::If(i) => {
                f(Child::Expr(&i.cond));
                f(Child::Block(&i.then));
                if let Some(b) = &i.otherwise {
                    f(Child::Block(b));
                }
            }
            ExprKind::Block(b) => f(Child::Block(b)),
            ExprKind::Loop(l) => f(Child::Loop(l)),
        }
    }
}

/// What stands directly inside an expression.
pub enum Child<'a> {
    Expr(&'a Expr),
    Block(&'a Block),
    Loop(&'a Loop),
}

impl Stmt {
    /// The expressions of the statement.
    pub fn exprs(&self) -> Vec<&Expr> {
        match self {
            Stmt::Let { init, .. } => vec![init],
            Stmt::Assign { place, value, .. } => vec![place, value],
            Stmt::Expr(e) => vec![e],
            Stmt::Exit(Exit { kind: ExitKind::Return(Some(e)) | ExitKind::Break(_, Some(e)), .. }) => vec![e],
            Stmt::SetSlot { value, .. } => vec![value],
            Stmt::Print { values, .. } => values.iter().map(|(e, _)| e).collect(),
            Stmt::Assert { cond, .. } => vec![cond],
            Stmt::Const(_)
            | Stmt::Exit(_)
            | Stmt::CheckMatch { .. }
            | Stmt::Flag { .. }
            | Stmt::SetFlag { .. }
            | Stmt::Slot { .. } => vec![],
        }
    }
}

impl LoopKind {
    /// The expressions of the loop's head.
    pub fn exprs(&self) -> Vec<&Expr> {
        match self {
            LoopKind::For { range, .. } => {
                let mut all: Vec<&Expr> = vec![&range.low, &range.high];
                for a in &range.adaptors {
                    if let Adaptor::StepBy(n, _) = a {
                        all.push(n);
                    }
                }
                all
            }
            LoopKind::While(cond) => vec![cond],
            LoopKind::Forever => vec![],
        }
    }
}

impl Pat {
    /// The names it binds.
    pub fn names(&self) -> Vec<&Ident> {
        match self {
            Pat::Name { name, .. } => vec![name],
            Pat::Wild(_) => vec![],
            Pat::Tuple(all, _) => all.iter().flat_map(Pat::names).collect(),
        }
    }
}
