//! A picture of a recording, in the language of Graphviz.

use super::{Entry, Tape};
use crate::launch::view_of;
use crate::memory::Buffer;
use crate::program::Program;
use pullback_lang::ArgValue;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

/// An array that an operation uses: its name there, whether it is read, whether it is written.
type Use<'t> = (&'t Arc<Buffer>, &'t str, bool, bool);

impl Tape {
    /// The recording as a graph for Graphviz (`dot -Tsvg`): a box for each operation, an ellipse for each
    /// array that it found, and an arrow, with the array's name, from what wrote an array last to what
    /// reads it. Views of one array count as the array.
    ///
    /// ```
    /// use pullback_lang::*;
    /// use pullback_runtime::{Array, Device, Launch, Tape};
    ///
    /// #[kernel]
    /// fn square(x: &mut Array<f64>) {
    ///     let i = thread_id();
    ///     x[i] = x[i] * x[i];
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut x = Array::from_slice(&device, &[1.0, 2.0]);
    /// let mut tape = Tape::new(&device);
    /// tape.launch(&square(2, &mut x))?;
    /// tape.launch(&square(2, &mut x))?;
    /// let picture = tape.graphviz();
    /// assert!(picture.contains(r#"a0 -> o0 [label="x"]"#) && picture.contains(r#"o0 -> o1 [label="x"]"#));
    /// # Ok::<(), pullback_runtime::Error>(())
    /// ```
    pub fn graphviz(&self) -> String {
        let mut text = String::from("digraph tape {\n  node [shape=box];\n");
        let mut line = |args: std::fmt::Arguments<'_>| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {args}");
        };
        let mut last: HashMap<u64, String> = HashMap::new();
        let mut found = 0;
        for (number, entry) in self.entries.iter().enumerate() {
            let (label, uses) = operation(entry);
            line(format_args!(r#"o{number} [label="{label}"];"#));
            for (buffer, name, ..) in uses.iter().filter(|(_, _, read, _)| *read) {
                let from = last.entry(buffer.id()).or_insert_with(|| {
                    line(format_args!(r#"a{found} [label="{name}", shape=ellipse];"#));
                    found += 1;
                    format!("a{}", found - 1)
                });
                line(format_args!(r#"{from} -> o{number} [label="{name}"];"#));
            }
            for (buffer, _, _, written) in uses {
                if written {
                    last.insert(buffer.id(), format!("o{number}"));
                }
            }
        }
        text.push_str("}\n");
        text
    }
}

/// What an operation is called, and what it uses.
fn operation(entry: &Entry) -> (String, Vec<Use<'_>>) {
    match entry {
        Entry::Overwrite(view) => ("set".into(), vec![(&view.buffer, "array", false, true)]),
        Entry::Copy { from, to } => {
            ("copy".into(), vec![(&from.buffer, "from", true, false), (&to.buffer, "to", false, true)])
        }
        Entry::Launch(recorded) => {
            let call = &recorded.call;
            let label = format!("{} ({})", call.kernel.name(), call.dims);
            let Ok(program) = Program::of(&call.kernel) else { return (label, Vec::new()) };
            let params = program.kernel.params.iter().zip(&program.facts);
            let uses = params.zip(call.args.as_slice()).filter_map(|((param, facts), arg)| match arg {
                ArgValue::Array(any) => {
                    let view = view_of(any)?;
                    Some((&view.buffer, param.name.as_str(), facts.loaded || facts.atomic, facts.written()))
                }
                ArgValue::Scalar(_) => None,
            });
            (label, uses.collect())
        }
    }
}
