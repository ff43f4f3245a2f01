//! The texts of prints in kernels: marks, and how values are shown in their places.

use crate::types::Constant;

/// How many operands the text of a [`crate::OpKind::Print`] takes; `None` if it is not well formed.
pub fn print_marks(text: &str) -> Option<usize> {
    let mut count = 0;
    format_print(text, &mut |_| {
        count += 1;
        String::new()
    })
    .map(|_| count)
}

/// How a mark in the text of a [`crate::OpKind::Print`] asks for its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrintStyle {
    /// Digits after the point.
    pub precision: Option<usize>,
    /// As `{:?}` prints: floats always with a point or an exponent.
    pub debug: bool,
}

/// The text with each mark replaced by what `value` gives for it; `None` if the text is not well formed.
/// Marks are `{}`, `{:?}`, `{:.3}` and `{:.3?}`; `{{` and `}}` stand for braces.
pub fn format_print(text: &str, value: &mut dyn FnMut(PrintStyle) -> String) -> Option<String> {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' if chars.peek() == Some(&c) => {
                chars.next();
                out.push(c);
            }
            '}' => return None,
            '{' => {
                let mut spec = String::new();
                loop {
                    match chars.next()? {
                        '}' => break,
                        c => spec.push(c),
                    }
                }
                let mut style = PrintStyle::default();
                let spec = spec.strip_prefix(':').unwrap_or(&spec);
                let digits = spec.strip_suffix('?').unwrap_or(spec);
                style.debug = digits.len() < spec.len();
                style.precision = match digits.strip_prefix('.') {
                    Some(n) => Some(n.parse().ok()?),
                    None if digits.is_empty() => None,
                    None => return None,
                };
                out.push_str(&value(style));
            }
            c => out.push(c),
        }
    }
    Some(out)
}

/// A value as a print shows it.
pub fn print_value(c: Constant, style: PrintStyle) -> String {
    fn float<T: std::fmt::Display + std::fmt::Debug>(v: T, style: PrintStyle) -> String {
        match (style.precision, style.debug) {
            (Some(n), true) => format!("{v:.n$?}"),
            (Some(n), false) => format!("{v:.n$}"),
            (None, true) => format!("{v:?}"),
            (None, false) => format!("{v}"),
        }
    }
    match c {
        Constant::F16(bits) => float(crate::math::half_to_f32(bits), style),
        Constant::F32(v) => float(v, style),
        Constant::F64(v) => float(v, style),
        Constant::Bool(v) => v.to_string(),
        c if c.scalar().is_signed() => c.as_i64().unwrap_or(0).to_string(),
        c => c.bits().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_is_shown_as_the_number_that_it_is() {
        // Was shown by its bits: 0.1 as 11878.
        let shown = |style| print_value(Constant::F16(0x2e66), style);
        assert_eq!(shown(PrintStyle { precision: Some(3), debug: false }), "0.100");
        assert_eq!(print_value(Constant::F16(0xbe00), PrintStyle { precision: None, debug: true }), "-1.5");
    }
}
