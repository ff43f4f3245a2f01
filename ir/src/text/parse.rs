//! Reads kernels.

use super::lex::{Kind, Token, lex};
use crate::builder::Builder;
use crate::entity::{RegionId, Value};
use crate::kernel::{Check, Kernel, OpKind, Order};
use crate::loc::{Loc, Located};
use crate::ops::{AtomicOp, BoolOp, Compare, FloatOp, IntOp};
use crate::types::{Access, Component, Constant, Element, Scalar};
use std::collections::HashMap;
use thiserror::Error;

/// What is wrong with a text, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected {expected}, found {found}")]
pub struct ParseError {
    /// What could stand there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

/// The kernel that a text says. It is not verified.
///
/// # Errors
/// The first place at which the text is not a kernel; the file is called `<text>`.
pub fn parse(text: &str) -> Result<Kernel, Located<ParseError>> {
    let mut parser = Parser {
        tokens: lex(text),
        at: 0,
        builder: Builder::new("", 1),
        values: HashMap::new(),
        arrays: HashMap::new(),
        depth: 0,
    };
    parser.kernel()?;
    Ok(parser.builder.finish())
}

/// Regions nest no deeper than this, so that a text cannot exhaust the stack.
const DEEPEST: usize = 200;

type Result<T, E = Located<ParseError>> = std::result::Result<T, E>;

struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    builder: Builder,
    values: HashMap<&'t str, Value>,
    /// Array parameters: index and rank.
    arrays: HashMap<&'t str, (u32, usize)>,
    depth: usize,
}

/// An element, or a component of it, as in `x[i].0`.
struct Place {
    array: u32,
    indices: Vec<Value>,
    component: Option<u32>,
}

impl<'t> Parser<'t> {
    /// The next token that is not a comment.
    fn peek(&mut self) -> Kind<'t> {
        while let Some(Token { kind: Kind::Comment(_), .. }) = self.tokens.get(self.at) {
            self.at += 1;
        }
        self.tokens.get(self.at).map_or(Kind::End, |t| t.kind)
    }
    fn expected<T>(&mut self, what: &str) -> Result<T> {
        let found = match self.peek() {
            Kind::Word(w) => format!("`{w}`"),
            Kind::Punctuation(c) => format!("`{c}`"),
            Kind::Comment(_) | Kind::End => "the end".into(),
        };
        let token = &self.tokens[self.at.min(self.tokens.len() - 1)];
        let loc = Loc { file: "<text>", line: token.line, column: token.column };
        Err(Located { what: ParseError { expected: what.into(), found }, loc: Some(loc) })
    }
    /// Steps back by one token and says what should have stood there.
    fn rather<T>(&mut self, what: &str) -> Result<T> {
        self.at -= 1;
        self.expected(what)
    }
    fn is(&mut self, c: char) -> bool {
        let is = self.peek() == Kind::Punctuation(c);
        self.at += usize::from(is);
        is
    }
    fn punctuation(&mut self, c: char) -> Result<()> {
        if self.is(c) { Ok(()) } else { self.expected(&format!("`{c}`")) }
    }
    fn is_word(&mut self, word: &str) -> bool {
        let is = self.peek() == Kind::Word(word);
        self.at += usize::from(is);
        is
    }
    fn keyword(&mut self, word: &str) -> Result<()> {
        if self.is_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }
    fn word(&mut self, what: &str) -> Result<&'t str> {
        match self.peek() {
            Kind::Word(w) => {
                self.at += 1;
                Ok(w)
            }
            _ => self.expected(what),
        }
    }
    fn number<T: std::str::FromStr>(&mut self, what: &str) -> Result<T> {
        let word = self.word(what)?;
        match word.parse() {
            Ok(n) => Ok(n),
            Err(_) => self.rather(what),
        }
    }
    fn scalar(&mut self) -> Result<Scalar> {
        let word = self.word("a type")?;
        match Scalar::ALL.into_iter().find(|s| s.name() == word) {
            Some(s) => Ok(s),
            None => self.rather("a type"),
        }
    }
    fn value(&mut self) -> Result<Value> {
        let word = self.word("a value")?;
        match self.values.get(word) {
            Some(&v) => Ok(v),
            None => self.rather("a value that is in scope"),
        }
    }
    fn values(&mut self) -> Result<Vec<Value>> {
        let mut all = vec![self.value()?];
        while self.is(',') {
            all.push(self.value()?);
        }
        Ok(all)
    }
    fn values_if_any(&mut self) -> Result<Vec<Value>> {
        let any = matches!(self.peek(), Kind::Word(w) if self.values.contains_key(w));
        if any { self.values() } else { Ok(vec![]) }
    }
    /// A text in quotes, with Rust's escapes.
    fn text(&mut self) -> Result<String> {
        let word = self.word("a text in quotes")?;
        match unquote(word) {
            Some(text) => Ok(text),
            None => self.rather("a text in quotes"),
        }
    }
    /// `v0: f64`, a name and its type.
    fn typed(&mut self) -> Result<(&'t str, Scalar)> {
        let name = self.word("a name for a value")?;
        self.punctuation(':')?;
        Ok((name, self.scalar()?))
    }

    fn kernel(&mut self) -> Result<()> {
        self.keyword("kernel")?;
        let name = self.word("the kernel's name")?;
        self.builder = Builder::new(name, 1);
        self.punctuation('(')?;
        let mut scalars = 0;
        while !self.is(')') {
            self.param(&mut scalars)?;
            if !self.is(',') {
                self.punctuation(')')?;
                break;
            }
        }
        if self.is_word("rank") {
            let rank = self.number("the number of launch axes")?;
            self.builder.set_rank(rank);
        }
        if self.is_word("parallel") {
            self.builder.set_order(Order::Parallel);
        } else if self.is_word("descending") {
            self.builder.set_order(Order::Descending);
        }
        self.punctuation('{')?;
        while !self.is('}') {
            self.op()?;
        }
        match self.peek() {
            Kind::End => Ok(()),
            _ => self.expected("the end"),
        }
    }

    fn param(&mut self, scalars: &mut usize) -> Result<()> {
        let mut name = self.word("a parameter")?.to_owned();
        // Names may have spaces in them (the adjoint pass makes none, but may).
        while let Kind::Word(more) = self.peek() {
            self.at += 1;
            name = format!("{name} {more}");
        }
        self.punctuation(':')?;
        let access = match self.peek() {
            Kind::Word("read") => Some(Access::Read),
            Kind::Word("write") => Some(Access::Write),
            Kind::Word("readwrite") => Some(Access::ReadWrite),
            _ => None,
        };
        let Some(access) = access else {
            let scalar = self.scalar()?;
            let value = self.builder.scalar_param(name, scalar);
            let number: &'static str = number_name(*scalars);
            self.values.insert(number, value);
            *scalars += 1;
            return Ok(());
        };
        self.at += 1;
        self.punctuation('[')?;
        let element = self.element()?;
        self.punctuation(';')?;
        let rank: u8 = self.number("the number of dimensions")?;
        self.punctuation(']')?;
        let index = self.builder.array_param(name.clone(), element, rank, access);
        let known = Loc::intern(&name, 0, 0).file;
        self.arrays.insert(known, (index, rank as usize));
        Ok(())
    }

    fn element(&mut self) -> Result<Element> {
        if !self.is('{') {
            let word = self.word("an element type")?;
            let (scalar, count) = match word.split_once('x') {
                Some((s, n)) => (s, n.parse::<u32>().ok()),
                None => (word, Some(1)),
            };
            let scalar = Scalar::ALL.into_iter().find(|s| s.name() == scalar);
            return match (scalar, count) {
                (Some(s), Some(n)) if (1..=4096).contains(&n) => Ok(Element::packed(s, n)),
                _ => self.rather("an element type, such as `f32` or `f32x3`"),
            };
        }
        let mut components = Vec::new();
        loop {
            if self.is_word("size") {
                let size = self.number("the element's size in bytes")?;
                self.punctuation('}')?;
                return match Element::with_layout(components, size) {
                    Some(element) => Ok(element),
                    None => self.rather("components in order, aligned, inside the size"),
                };
            }
            let scalar = self.scalar()?;
            self.punctuation('@')?;
            components.push(Component { scalar, offset: self.number("an offset in bytes")? });
            self.punctuation(',')?;
        }
    }

    /// The place of the op whose first line the next tokens are on, if a comment says it.
    fn place_of_line(&self) -> Option<Loc> {
        let line = self.tokens.get(self.at)?.line;
        let on_line = self.tokens[self.at..].iter().take_while(|t| t.line == line);
        let comment = on_line.filter_map(|t| if let Kind::Comment(c) = t.kind { Some(c) } else { None }).next()?;
        let mut parts = comment.rsplitn(3, ':');
        let column = parts.next()?.parse().ok()?;
        let line = parts.next()?.parse().ok()?;
        Some(Loc::intern(parts.next()?, line, column))
    }

    fn op(&mut self) -> Result<()> {
        self.peek();
        let loc = self.place_of_line();
        self.builder.set_loc(loc);
        let mut results = Vec::new();
        // Results are names with a colon; an op's word is followed by something else.
        while let (Kind::Word(_), Some(Kind::Punctuation(':'))) =
            (self.peek(), self.tokens.get(self.at + 1).map(|t| t.kind))
        {
            results.push(self.typed()?);
            if !self.is(',') {
                self.punctuation('=')?;
                break;
            }
        }
        let types: Vec<Scalar> = results.iter().map(|r| r.1).collect();
        let word = self.word("an op")?;
        let (kind, operands, regions) = self.kind(word, &types)?;
        self.builder.set_loc(loc);
        let op = self.builder.push(kind, operands, &types, regions);
        let values = self.builder.kernel().ops[op].results.clone();
        for ((name, _), value) in results.into_iter().zip(values) {
            self.values.insert(name, value);
        }
        Ok(())
    }

    fn kind(&mut self, word: &'t str, types: &[Scalar]) -> Result<(OpKind, Vec<Value>, Vec<RegionId>)> {
        let leaf = |kind, operands| Ok((kind, operands, Vec::new()));
        if let Some(op) = FloatOp::from_name(word) {
            return leaf(OpKind::Float(op), self.values()?);
        }
        if let Some(op) = IntOp::from_name(word) {
            return leaf(OpKind::Int(op), self.values()?);
        }
        if let Some(op) = BoolOp::from_name(word) {
            return leaf(OpKind::Bool(op), self.values()?);
        }
        if let Some(op) = Compare::from_name(word) {
            return leaf(OpKind::Compare(op), self.values()?);
        }
        if let Some(op) = AtomicOp::from_name(word) {
            let place = self.place()?;
            let Some(component) = place.component else { return self.expected("a component, such as `x[i].0`") };
            self.punctuation(',')?;
            let mut operands = place.indices;
            operands.extend(self.values()?);
            return leaf(OpKind::Atomic { op, array: place.array, component }, operands);
        }
        match word {
            "const" => {
                let Some(&scalar) = types.first() else { return self.rather("a result before `const`") };
                leaf(OpKind::Const(self.constant(scalar)?), vec![])
            }
            "convert" => {
                let Some(&to) = types.first() else { return self.rather("a result before `convert`") };
                leaf(OpKind::Convert(to), self.values()?)
            }
            "select" => leaf(OpKind::Select, self.values()?),
            "thread_id" => leaf(OpKind::ThreadId(self.number("an axis")?), vec![]),
            "launch_size" => leaf(OpKind::LaunchSize(self.number("an axis")?), vec![]),
            "len" => {
                let (array, _) = self.array()?;
                self.punctuation(',')?;
                leaf(OpKind::Len { array, axis: self.number("an axis")? }, vec![])
            }
            "load" => {
                let place = self.place()?;
                leaf(OpKind::Load { array: place.array, component: place.component }, place.indices)
            }
            "store" => {
                let place = self.place()?;
                self.punctuation(',')?;
                let values = self.values()?;
                let operands = [place.indices, values].concat();
                leaf(OpKind::Store { array: place.array, component: place.component }, operands)
            }
            "push" => {
                let site = self.number("a site")?;
                let operands = if self.is(',') { self.values()? } else { vec![] };
                leaf(OpKind::Push { site }, operands)
            }
            "pop" => leaf(OpKind::Pop { site: self.number("a site")? }, vec![]),
            "drop" => {
                let site = self.number("a site")?;
                self.keyword("of")?;
                let width = self.number("a width")?;
                self.punctuation(',')?;
                leaf(OpKind::Drop { site, width }, self.values()?)
            }
            "print" => {
                let text = self.text()?;
                leaf(OpKind::Print(text), self.values_if_any()?)
            }
            "check" => {
                let check = match self.peek() {
                    Kind::Word(w) if w.starts_with('"') => Check::Assert(self.text()?),
                    _ => Check::Component { count: self.number("a text, or how many components there are")? },
                };
                leaf(OpKind::Check(check), self.values()?)
            }
            "record" => leaf(OpKind::Record, self.values()?),
            "residual_base" => leaf(OpKind::ResidualBase, vec![]),
            "residual" => leaf(OpKind::Residual, self.values()?),
            "yield" => {
                let operands = self.values_if_any()?;
                leaf(OpKind::Yield, operands)
            }
            "if" => {
                let cond = self.value()?;
                let then = self.region(&[])?;
                self.keyword("else")?;
                let otherwise = self.region(&[])?;
                Ok((OpKind::If, vec![cond], vec![then, otherwise]))
            }
            "for" => self.for_op(),
            "while" => self.while_op(),
            "custom" => self.custom(),
            _ => self.rather("an op"),
        }
    }

    fn for_op(&mut self) -> Result<(OpKind, Vec<Value>, Vec<RegionId>)> {
        let mut args = vec![self.typed()?];
        self.punctuation('=')?;
        let mut operands = vec![self.value()?];
        self.keyword("to")?;
        operands.push(self.value()?);
        self.keyword("step")?;
        operands.push(self.value()?);
        if self.is_word("carry") {
            self.carried(&mut args, &mut operands)?;
        }
        let body = self.region(&args)?;
        Ok((OpKind::For, operands, vec![body]))
    }

    fn while_op(&mut self) -> Result<(OpKind, Vec<Value>, Vec<RegionId>)> {
        let (mut args, mut operands) = (Vec::new(), Vec::new());
        self.carried(&mut args, &mut operands)?;
        let cond = self.region(&args)?;
        self.keyword("do")?;
        let body = self.region_with_args()?;
        Ok((OpKind::While, operands, vec![cond, body]))
    }

    fn custom(&mut self) -> Result<(OpKind, Vec<Value>, Vec<RegionId>)> {
        let (mut args, mut operands) = (Vec::new(), Vec::new());
        self.carried(&mut args, &mut operands)?;
        let outside = std::mem::take(&mut self.values);
        let mut regions = vec![self.region(&args)?];
        if self.is_word("near") {
            regions.push(self.region_with_args()?);
        }
        self.keyword("adjoint")?;
        regions.push(self.region_with_args()?);
        self.values = outside;
        Ok((OpKind::Custom, operands, regions))
    }

    /// `(v: t, …) { … }`.
    fn region_with_args(&mut self) -> Result<RegionId> {
        self.punctuation('(')?;
        let mut args = Vec::new();
        while !self.is(')') {
            args.push(self.typed()?);
            if !self.is(',') {
                self.punctuation(')')?;
                break;
            }
        }
        self.region(&args)
    }

    /// `(v: t = init, …)`.
    fn carried(&mut self, args: &mut Vec<(&'t str, Scalar)>, inits: &mut Vec<Value>) -> Result<()> {
        self.punctuation('(')?;
        while !self.is(')') {
            args.push(self.typed()?);
            self.punctuation('=')?;
            inits.push(self.value()?);
            if !self.is(',') {
                return self.punctuation(')');
            }
        }
        Ok(())
    }

    /// `{ … }`; its values go out of scope at its end. The yield is an op of it.
    fn region(&mut self, args: &[(&'t str, Scalar)]) -> Result<RegionId> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.expected("less deeply nested regions");
        }
        self.punctuation('{')?;
        let outside = self.values.clone();
        let types: Vec<Scalar> = args.iter().map(|a| a.1).collect();
        let values = self.builder.open(&types);
        for (&(name, _), value) in args.iter().zip(values) {
            self.values.insert(name, value);
        }
        while !self.is('}') {
            self.op()?;
        }
        self.values = outside;
        self.depth -= 1;
        Ok(self.builder.suspend())
    }

    fn array(&mut self) -> Result<(u32, usize)> {
        let word = self.word("an array parameter")?;
        match self.arrays.get(word) {
            Some(&found) => Ok(found),
            None => self.rather("an array parameter"),
        }
    }

    fn place(&mut self) -> Result<Place> {
        let (array, rank) = self.array()?;
        self.punctuation('[')?;
        let indices = self.values()?;
        if indices.len() != rank {
            return self.expected(&format!("{rank} indices"));
        }
        self.punctuation(']')?;
        let component = match self.peek() {
            Kind::Word(w) if w.starts_with('.') => {
                self.at += 1;
                match w[1..].parse() {
                    Ok(c) => Some(c),
                    Err(_) => return self.rather("a component's number"),
                }
            }
            _ => None,
        };
        Ok(Place { array, indices, component })
    }

    fn constant(&mut self, scalar: Scalar) -> Result<Constant> {
        let word = self.word("a constant")?;
        if word == "nan" && matches!(scalar, Scalar::F32 | Scalar::F64) {
            self.punctuation('(')?;
            let bits = self.word("bits")?;
            let Some(bits) = bits.strip_prefix("0x").and_then(|b| u64::from_str_radix(b, 16).ok()) else {
                return self.rather("bits, such as `0x7fc00000`");
            };
            self.punctuation(')')?;
            return Ok(Constant::from_bits(scalar, bits));
        }
        let parsed = match scalar {
            Scalar::Bool => word.parse().map(Constant::Bool).ok(),
            Scalar::F16 => word.strip_prefix("0x").and_then(|b| u16::from_str_radix(b, 16).ok()).map(Constant::F16),
            Scalar::I8 => word.parse().map(Constant::I8).ok(),
            Scalar::U8 => word.parse().map(Constant::U8).ok(),
            Scalar::I16 => word.parse().map(Constant::I16).ok(),
            Scalar::U16 => word.parse().map(Constant::U16).ok(),
            Scalar::I32 => word.parse().map(Constant::I32).ok(),
            Scalar::U32 => word.parse().map(Constant::U32).ok(),
            Scalar::I64 => word.parse().map(Constant::I64).ok(),
            Scalar::U64 => word.parse().map(Constant::U64).ok(),
            Scalar::F32 => word.parse().map(Constant::F32).ok(),
            Scalar::F64 => word.parse().map(Constant::F64).ok(),
        };
        match parsed {
            Some(c) => Ok(c),
            None => self.rather(&format!("a constant of type {scalar}")),
        }
    }
}

/// The name of scalar parameter number `n`.
fn number_name(n: usize) -> &'static str {
    Loc::intern(&format!("v{n}"), 0, 0).file
}

/// What a text in quotes says.
fn unquote(word: &str) -> Option<String> {
    let inside = word.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = String::new();
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        out.push(match chars.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '0' => '\0',
            'u' => {
                let code: String = chars.by_ref().skip(1).take_while(|&c| c != '}').collect();
                char::from_u32(u32::from_str_radix(&code, 16).ok()?)?
            }
            c => c,
        });
    }
    Some(out)
}
