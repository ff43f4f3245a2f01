//! Every refusal: what of Rust the language has not got, and what to write instead.
//!
//! Each is a function of the token's span, so that the message stands where the user wrote it.

use proc_macro2::Span;
use std::fmt::Display;

/// The errors of one expansion; all are reported.
#[derive(Default)]
pub struct Errors(Vec<syn::Error>);

impl Errors {
    /// Notes a refusal.
    pub fn refuse(&mut self, span: Span, refusal: Refusal) {
        self.0.push(syn::Error::new(span, refusal.message()));
    }
    /// All of them as one error, if there are any.
    pub fn combined(self) -> Option<syn::Error> {
        self.0.into_iter().reduce(|mut all, e| {
            all.combine(e);
            all
        })
    }
}

/// What is refused.
pub enum Refusal {
    Match,
    IfLet,
    LetElse,
    LetWithoutValue,
    Closure,
    Reference,
    Deref,
    Macro(String),
    Text,
    Unsafe,
    Try,
    Async,
    ArrayLiteral,
    RangeValue,
    ForOver,
    ForPattern,
    Pattern,
    Item,
    Const,
    LabeledBlock,
    CallOfValue,
    ExitInExpression,
    BreakOutsideLoop,
    UnknownLabel(String),
    EndlessLoop,
    BreakValue,
    AssignInCondition,
    AssignAsValue,
    AssignPlace,
    DestructuringAssign,
    StructBase,
    Type(String),
    PlaceholderType,
    WideType(String),
    Suffix(String),
    KernelOutput,
    ReturnValueInKernel,
    Receiver,
    Signature(&'static str),
    Lifetime,
    ParamPattern,
    GenericBound(String),
    NestedReference,
    Recursion(String),
    Arguments(&'static str),
    Other,
}

impl Refusal {
    fn message(&self) -> String {
        use Refusal::*;
        let fixed = match self {
            Match => "kernels have no `match`: write `if` / `else if` / `else`",
            IfLet => "kernels have no `if let` or `while let`: write a condition of type `bool`",
            LetElse => "kernels have no `let ... else`: write `if` with an early `return`",
            LetWithoutValue => {
                "a variable needs a value here: write `let x = if c { a } else { b };`, or begin with `let mut x = 0.0;`"
            }
            Closure => "kernels have no closures: write a function under `#[func]` and call it",
            Reference => "kernels have references to arrays only: values are passed and returned without `&`",
            Deref => "kernels have nothing to dereference: use the variable itself, without `*`",
            Text => "kernels have no text: only numbers and truth values",
            Unsafe => "kernels have no `unsafe`: all accesses are checked",
            Try => "kernels have no `?`: write `if` with an early `return`",
            Async => "kernels have no `async` or `await`",
            ArrayLiteral => "kernels have no local arrays: use a vector, a matrix, a tuple, or an array parameter",
            RangeValue => "a range can stand only in `for i in a..b`",
            ForOver => {
                "`for` runs over a range: `for i in a..b`, `a..=b`, `(a..b).rev()`, `(a..b).step_by(n)`; index arrays by it"
            }
            ForPattern => "the variable of a `for` is a name or `_`",
            Pattern => "only names, `_` and tuples of them can be bound: `let (a, mut b) = ...;`",
            Item => "only `const` items can stand inside a kernel: put functions, types and imports outside",
            Const => "kernels have no `const` blocks: use a `const` item",
            LabeledBlock => "only loops have labels",
            CallOfValue => "only functions can be called, by their names",
            ExitInExpression => {
                "`return`, `break` and `continue` can't stand inside of a larger expression: write `let x = if ...;` first"
            }
            BreakOutsideLoop => "`break` and `continue` stand inside of a loop",
            EndlessLoop => "this `loop` has no `break` and no `return`: it never ends",
            BreakValue => "only `loop` can give a value by `break`: assign a variable instead",
            AssignInCondition => {
                "a loop's condition can't assign variables: write `loop { if !condition { break; } ... }`"
            }
            AssignAsValue => "an assignment has no value in a kernel: write it as a statement",
            AssignPlace => "only variables, their fields and elements of arrays, vectors and matrices can be assigned",
            DestructuringAssign => "assign one variable at a time",
            StructBase => "kernels have no `..base`: name all fields",
            PlaceholderType => "write the type, or leave the annotation out",
            KernelOutput => "a kernel returns nothing: write results into arrays given as `&mut Array<..>`",
            ReturnValueInKernel => "a kernel returns nothing: store the value in an array, then `return;`",
            Receiver => "kernels and `#[func]`s are free functions: pass `self` as an ordinary parameter",
            Lifetime => "leave lifetimes out: arrays outlive the kernel",
            ParamPattern => "a parameter is a name: `x: f32`; take it apart by `let (a, b) = x;`",
            NestedReference => {
                "an array is passed as `&Array<..>` or `&mut Array<..>`; references to references and in tuples are not possible"
            }
            Other => "kernels have no such expression",
            Macro(name) => {
                return match name.as_str() {
                    "println" | "print" | "eprintln" | "eprint" | "dbg" => {
                        format!("kernels have no `{name}!`: store values in an array and print that")
                    }
                    "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "debug_assert_eq" | "panic" | "todo"
                    | "unimplemented" | "unreachable" => {
                        format!("kernels have no `{name}!`: write a flag into an array and check it after the launch")
                    }
                    "vec" => "kernels have no `vec!`: use an array parameter".to_owned(),
                    _ => format!("kernels have no macros: write out what `{name}!` stands for, or make it a `#[func]`"),
                };
            }
            UnknownLabel(label) => return format!("no enclosing loop has the label `{label}`"),
            Type(what) => {
                return format!(
                    "kernels have no {what} types: use scalars, vectors, matrices, quaternions, tuples of them, or `&Array<..>`"
                );
            }
            WideType(name) => return wide(name),
            Suffix(name) => return wide(name),
            Signature(word) => return format!("a kernel or `#[func]` can't be `{word}`"),
            GenericBound(name) => {
                return format!(
                    "`{name}` needs the bound `Real`: kernels are generic over f32 and f64, `{name}: Real`"
                );
            }
            Recursion(name) => {
                return format!("`{name}` calls itself: functions of kernels are inlined, so write a loop instead");
            }
            Arguments(attribute) => return format!("`#[{attribute}]` takes no arguments"),
        };
        fixed.to_owned()
    }
}

fn wide(name: impl Display) -> String {
    let instead = match name.to_string().as_str() {
        "usize" | "isize" => "indices and lengths are i64",
        "u8" | "u16" => "use u32",
        "i8" | "i16" => "use i32",
        "i128" => "use i64",
        "u128" => "use u64",
        _ => "use bool, i32, u32, i64, u64, f32 or f64",
    };
    format!("kernels have no `{name}`: {instead}")
}

/// Scalar types of Rust that kernels have not got.
pub fn is_missing_scalar(name: &str) -> bool {
    matches!(
        name,
        "usize" | "isize" | "u8" | "u16" | "i8" | "i16" | "i128" | "u128" | "char" | "str" | "String" | "f16" | "f128"
    )
}
