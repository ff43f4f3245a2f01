//! Splits the text form into tokens.

/// A token and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind<'t>,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind<'t> {
    /// A name, a keyword, or a number: everything of letters, digits, `_`, `.`, `+` and `-`; or a text in
    /// quotes, with them.
    Word(&'t str),
    /// One of `( ) [ ] { } , : ; = @`.
    Punctuation(char),
    /// What stands after `; ` to the end of the line.
    Comment(&'t str),
    /// The end of the text.
    End,
}

/// All tokens; the last is `End`. Any text has some; what means nothing is found by the parser.
pub(super) fn lex(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    // A `;` between brackets belongs to an array's type; elsewhere it begins a comment.
    let mut brackets = 0;
    let mut last = (1, 1);
    for (number, line) in text.lines().enumerate() {
        let number = number as u32 + 1;
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let column = (line.len() - rest.len()) as u32 + 1;
            let mut push = |kind| tokens.push(Token { kind, line: number, column });
            if c.is_whitespace() {
                rest = &rest[c.len_utf8()..];
                continue;
            }
            let size = if c == ';' && brackets == 0 {
                push(Kind::Comment(rest[1..].trim()));
                rest.len()
            } else if c == '"' {
                let mut escaped = false;
                let inside = |c: char| {
                    let ends = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                };
                let end = rest[1..].find(inside).map_or(rest.len(), |at| at + 2);
                push(Kind::Word(&rest[..end]));
                end
            } else if is_word(c) {
                let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                push(Kind::Word(&rest[..end]));
                end
            } else {
                brackets += i32::from(c == '[') - i32::from(c == ']' && brackets > 0);
                push(Kind::Punctuation(c));
                c.len_utf8()
            };
            rest = &rest[size..];
        }
        last = (number, line.len() as u32 + 1);
    }
    tokens.push(Token { kind: Kind::End, line: last.0, column: last.1 });
    tokens
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '+' | '-')
}
