//! Where in the user's source an op came from, and errors that carry such a place.

use std::collections::HashSet;
use std::fmt;
use std::sync::{LazyLock, Mutex, PoisonError};

/// A place in a source file: `file:line:column`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Loc {
    /// The file, as rustc names it.
    pub file: &'static str,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl Loc {
    /// The place of a caller; use with `#[track_caller]`.
    #[track_caller]
    pub fn caller() -> Self {
        std::panic::Location::caller().into()
    }

    /// A place in a file whose name is not static; each different name is kept for good, once.
    pub fn intern(file: &str, line: u32, column: u32) -> Self {
        static NAMES: LazyLock<Mutex<HashSet<&'static str>>> = LazyLock::new(Mutex::default);
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        let file = match names.get(file) {
            Some(known) => *known,
            None => {
                let kept: &'static str = Box::leak(file.to_owned().into_boxed_str());
                names.insert(kept);
                kept
            }
        };
        Loc { file, line, column }
    }
}

impl From<&'static std::panic::Location<'static>> for Loc {
    fn from(l: &'static std::panic::Location<'static>) -> Self {
        Loc { file: l.file(), line: l.line(), column: l.column() }
    }
}

impl fmt::Display for Loc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Something, mostly an error, and the place that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located<E> {
    /// The thing itself.
    pub what: E,
    /// The place, where one is known.
    pub loc: Option<Loc>,
}

impl<E: fmt::Display> fmt::Display for Located<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.loc {
            Some(loc) => write!(f, "{loc}: {}", self.what),
            None => self.what.fmt(f),
        }
    }
}

impl<E: std::error::Error> std::error::Error for Located<E> {}
