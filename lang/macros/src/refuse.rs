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
    /// Notes what syn says of tokens that are no Rust.
    pub fn syntax(&mut self, e: syn::Error) {
        self.0.push(e);
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
    EmptyMatch,
    MatchFloat,
    MatchPattern,
    BoundInOr,
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
    EmptyArray,
    AssertArguments(usize),
    AssertValues,
    FormatText,
    FormatMark(String),
    FormatCount(usize, usize),
    FormatUnused,
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
    ArrayByValue,
    Recursion(String),
    Arguments(&'static str),
    RuleHere,
    AdjointName,
    AdjointParam,
    AdjointNothing,
    NoGradWrites,
    FunctionOfKernel,
    EnumOnly,
    EnumGenerics,
    EnumFields,
    EnumRepr,
    EnumZero,
    StructNotEnum,
    StructNamed,
    StructEmpty,
    StructReference,
    StructRepr,
    GenericOfStruct(String),
    Other,
}

impl Refusal {
    pub fn message(&self) -> String {
        use Refusal::*;
        let fixed = match self {
            EmptyMatch => "a `match` needs arms",
            MatchFloat => "floats have no `match`: compare them by `if` / `else if` / `else`",
            MatchPattern => {
                "a pattern of a `match` in a kernel is a number, a truth value, a constant or a variant without fields, \
                 `a | b`, `a..=b`, `a..b`, a name, `_`, or a tuple of those"
            }
            BoundInOr => "a name can't be bound on one side of `|`: write `name @ (a | b)`",
            IfLet => "kernels have no `if let` or `while let`: write a condition of type `bool`",
            LetElse => "kernels have no `let ... else`: write `if` with an early `return`",
            LetWithoutValue => {
                "a variable needs a value here: write `let x = if c { a } else { b };`, or begin with `let mut x = 0.0;`"
            }
            Closure => "kernels have no closures: write a function under `#[func]` and call it",
            Reference => {
                "kernels have references to arrays only, and `&mut x` of a variable for a `#[func]` that changes it: \
                 values are passed and returned without `&`"
            }
            Deref => "only a parameter `x: &mut f32` of a `#[func]` can be dereferenced: else use the variable itself",
            Text => "kernels have text only in `println!` and `assert!`: else only numbers and truth values",
            Unsafe => "kernels have no `unsafe`: all accesses are checked",
            Try => "kernels have no `?`: write `if` with an early `return`",
            Async => "kernels have no `async` or `await`",
            EmptyArray => "an array in a kernel has at least one element",
            AssertArguments(1) => "an assertion needs a condition: `assert!(x > 0.0)`",
            AssertArguments(_) => "two values are compared: `assert_eq!(a, b)`",
            AssertValues => "the text of an assertion has no values: print them by `println!` before it",
            FormatText => "the text must be a string: `println!(\"x = {}\", x)`",
            FormatUnused => "this value has no mark `{}` in the text",
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
            ArrayByValue => "an array is passed as `&Array<..>`, or as `&mut Array<..>` where it is written",
            RuleHere => {
                "a `#[func]` has one of `#[adjoint(name)]` and `#[no_grad]`; a kernel has none: put it on a `#[func]`"
            }
            AdjointName => {
                "write `#[adjoint(name)]`, the `#[func]` that takes the inputs, the results and the results' cotangents and \
                 gives the inputs' cotangents"
            }
            AdjointParam => {
                "a function with its own adjoint takes values only: load from arrays before the call, and give results by \
                 a tuple"
            }
            AdjointNothing => "a function with its own adjoint returns something: what has no result has no derivative",
            NoGradWrites => "`#[no_grad]` is about the results: return the value and store it outside",
            FunctionOfKernel => {
                "a kernel takes no functions: write a kernel for each, which gives its function to a shared `#[func]`"
            }
            EnumOnly => "`KernelEnum` is for enums without fields: a struct derives `KernelStruct`",
            EnumGenerics => "an enum of kernels is an i32: it has no generics",
            EnumFields => "an enum of kernels is an i32, so its variants have no fields: put them in a `KernelStruct`",
            EnumRepr => "an enum of kernels is stored as an i32: add `#[repr(i32)]`",
            EnumZero => "an enum of kernels needs a variant that is 0, which the memory of a new array holds",
            StructNotEnum => "an enum without fields derives `KernelEnum`; one with fields is no type of kernels",
            StructNamed => "a struct of kernels has named fields: `struct Body { mass: f32 }`",
            StructEmpty => "a struct of kernels has at least one field",
            StructReference => "a struct of kernels owns what it holds: an `Array` is a handle, and cheap to clone",
            StructRepr => {
                "the layout in arrays must be known: add `#[repr(C)]`, and no other `repr` (a struct with a field `Array<..>` \
                 needs none; mark a field whose type holds arrays `#[arrays]`)"
            }
            Other => "kernels have no such expression",
            Macro(name) => {
                return match name.as_str() {
                    "println" | "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "debug_assert_eq"
                    | "debug_assert_ne" => format!("`{name}!` is a statement: it has no value"),
                    "print" | "eprintln" | "eprint" | "dbg" | "format" => {
                        format!("kernels have no `{name}!`: write `println!(\"...\", ...)`, which prints a line")
                    }
                    "panic" | "todo" | "unimplemented" | "unreachable" => {
                        format!(
                            "kernels have no `{name}!`: write `assert!(condition, \"text\")`, an error of the launch"
                        )
                    }
                    "vec" => "kernels have no `vec!`: use a fixed array `[0.0; 8]` or an array parameter".to_owned(),
                    _ => format!("kernels have no macros: write out what `{name}!` stands for, or make it a `#[func]`"),
                };
            }
            FormatMark(mark) => {
                return format!(
                    "`{mark}` is not a mark of kernels: these are `{{}}`, `{{:?}}`, `{{:.3}}` and `{{:.3?}}`"
                );
            }
            FormatCount(wanted, found) => {
                return format!("the text asks for {wanted} values or more, but there are {found}");
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
                    "`{name}` needs the bound `Real`: kernels are generic over f32 and f64, `{name}: Real`; a `#[func]` \
                     also over functions, `{name}: Fn(f32) -> f32`"
                );
            }
            GenericOfStruct(name) => {
                return format!("`{name}` needs the bound `Real`: structs of kernels are generic over f32 and f64");
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
        "i128" => "use i64",
        "u128" => "use u64",
        "str" | "String" => "text stands only in `println!` and `assert!`",
        _ => "use bool, i8 to i64, u8 to u64, f16, f32 or f64",
    };
    format!("kernels have no `{name}`: {instead}")
}

/// Scalar types of Rust that kernels have not got.
pub fn is_missing_scalar(name: &str) -> bool {
    matches!(name, "usize" | "isize" | "i128" | "u128" | "char" | "str" | "String" | "f128")
}
