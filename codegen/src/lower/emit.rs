//! Writes the text of LLVM functions: names, labels, instructions, declarations.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt::Write;

/// An operand: a number in the emitter's table of names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct V(u32);

/// The text being written. Methods take `&self`, so that it can serve as a machine of primitive
/// operations (`lower::math`).
#[derive(Debug, Default)]
pub(super) struct Emit {
    text: RefCell<String>,
    names: RefCell<Vec<String>>,
    labels: Cell<u32>,
    block: RefCell<String>,
    declared: RefCell<BTreeMap<String, String>>,
}

impl Emit {
    /// Starts a function.
    pub(super) fn begin(&self) {
        self.text.borrow_mut().clear();
    }
    /// The function's text.
    pub(super) fn end(&self) -> String {
        std::mem::take(&mut self.text.borrow_mut())
    }
    /// An operand with this text.
    pub(super) fn named(&self, text: &str) -> V {
        let mut names = self.names.borrow_mut();
        names.push(text.to_owned());
        V(names.len() as u32 - 1)
    }
    /// The text of an operand.
    pub(super) fn s(&self, v: V) -> String {
        self.names.borrow()[v.0 as usize].clone()
    }
    /// A line as it is.
    pub(super) fn line(&self, text: &str) {
        let mut all = self.text.borrow_mut();
        all.push_str("  ");
        all.push_str(text);
        all.push('\n');
    }
    /// An instruction with a result.
    pub(super) fn inst(&self, text: &str) -> V {
        let mut names = self.names.borrow_mut();
        let v = V(names.len() as u32);
        let name = format!("%t{}", v.0);
        let mut all = self.text.borrow_mut();
        // Writing to a string does not fail.
        let _ = writeln!(all, "  {name} = {text}");
        names.push(name);
        v
    }
    /// A label that no other is.
    pub(super) fn fresh_label(&self, what: &str) -> String {
        self.labels.set(self.labels.get() + 1);
        format!("{what}.{}", self.labels.get())
    }
    /// Starts a block.
    pub(super) fn label(&self, name: &str) {
        let mut all = self.text.borrow_mut();
        let _ = writeln!(all, "{name}:");
        *self.block.borrow_mut() = name.to_owned();
    }
    /// The block at hand.
    pub(super) fn block(&self) -> String {
        self.block.borrow().clone()
    }
    /// A call of a function that is declared at the end; `attributes` is `""` or ` #n`.
    pub(super) fn call(&self, result: &str, name: &str, types: &[&str], args: &[&str], attributes: &str) -> V {
        let declaration = format!("declare {result} @{name}({})", types.join(", "));
        self.declared.borrow_mut().insert(name.to_owned(), declaration);
        let list: Vec<String> = types.iter().zip(args).map(|(t, a)| format!("{t} {a}")).collect();
        self.inst(&format!("call {result} @{name}({}){attributes}", list.join(", ")))
    }
    /// Replaces a place-holder, which stands there once.
    pub(super) fn replace(&self, hole: &str, by: &str) {
        let mut all = self.text.borrow_mut();
        if let Some(at) = all.rfind(hole) {
            all.replace_range(at..at + hole.len(), by);
        }
    }
    /// Writes the declarations of what was called.
    pub(super) fn declarations(&self, to: &mut String) {
        for line in self.declared.borrow().values() {
            to.push_str(line);
            to.push('\n');
        }
    }
}
