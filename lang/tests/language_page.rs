//! The page of the language, `docs/language.md`: each builtin that its table names exists.

use std::fs;
use std::path::Path;

/// All source text of a folder.
fn sources(folder: &Path, all: &mut String) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, all);
        } else {
            all.push_str(&fs::read_to_string(&path).unwrap_or_default());
        }
    }
}

#[test]
fn every_builtin_of_the_page_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("../docs/language.md")).expect("the page");
    let mut source = String::new();
    sources(&root.join("src"), &mut source);
    let mut count = 0;
    for line in page.lines().filter(|l| l.starts_with("| ")) {
        let ours = line.split(" | ").nth(1).unwrap_or_default();
        for name in ours.split('`').skip(1).step_by(2) {
            if name.is_empty() || !name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_') {
                continue;
            }
            count += 1;
            let made = |text: String| source.contains(&text);
            let exists = made(format!("pub fn {name}<"))
                || made(format!("pub fn {name}("))
                || made(format!("\n    {name};"))
                || made(format!("\n    {name}("))
                || made(format!("\n    {name} = "))
                || made(format!("pub use half::{name};"));
            assert!(exists, "`{name}` is in docs/language.md, but is no builtin");
        }
    }
    assert!(count > 90, "{count}");
}
