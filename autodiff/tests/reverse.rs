//! Text in, text out: each file of `files/` is a primal kernel and, below, the adjoint that the pass
//! makes of it (and the augmented primal, where values must be kept). Loops keep all that undoing them
//! takes, however long they are, unless the file's name says `long`.
//!
//! Run with `BLESS=1` to rewrite the expected part; the diff is then what to review. Whether the
//! adjoints are *right* is for the tests against differences to say; these show what the pass does.
#![allow(clippy::unwrap_used, missing_docs)]

use pullback_autodiff::{Request, reverse};
use pullback_ir::{parse, verify};
use std::fs;
use std::path::Path;

const MARK: &str = "; expect\n";

fn transform(primal: &str, long: bool) -> String {
    let kernel = parse(primal).unwrap_or_else(|e| panic!("{e}\n{primal}"));
    let request = Request { segment: if long { None } else { Some(0) }, ..Request::default() };
    let adjoint = reverse(&verify(&kernel).unwrap(), &request).unwrap();
    let mut text = adjoint.kernel.to_string();
    verify(&adjoint.kernel).unwrap();
    if let Some(augmented) = &adjoint.augmented {
        verify(augmented).unwrap();
        text = format!("{augmented}\n{text}");
    }
    let reads: Vec<&str> =
        (0..kernel.params.len()).filter(|&i| adjoint.reads[i]).map(|i| kernel.params[i].name.as_str()).collect();
    let reads = if reads.is_empty() { "nothing".into() } else { reads.join(", ") };
    format!("; reads: {reads}\n{text}")
}

#[test]
fn adjoints_are_as_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    let mut wrong = Vec::new();
    for path in files.iter().filter(|p| p.extension().is_some_and(|e| e == "ir")) {
        let text = fs::read_to_string(path).unwrap();
        let (primal, expected) = text.split_once(MARK).unwrap_or((&text, ""));
        let found = transform(primal, path.to_string_lossy().contains("long"));
        if found != expected {
            if std::env::var_os("BLESS").is_some() {
                fs::write(path, format!("{primal}{MARK}{found}")).unwrap();
            } else {
                wrong.push(format!("{}: the pass now makes\n{found}", path.display()));
            }
        }
    }
    assert!(files.len() >= 9, "the files are there");
    assert!(wrong.is_empty(), "{}\nRun with BLESS=1 if this is better.", wrong.join("\n"));
}
