//! The house as ARCHITECTURE.md draws it: which crate may see which, where unsafe and LLVM may be, that
//! every file says what it is for and has one idea; and that `docs/ops.md` is the op table's.

use pullback_ir::FloatOp;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Folder of each crate and the crates of the workspace that it may depend on.
const ARROWS: &[(&str, &[&str])] = &[
    ("ir", &[]),
    ("lang", &["ir", "macros"]),
    ("lang/macros", &[]),
    ("autodiff", &["ir"]),
    ("codegen", &["ir"]),
    ("runtime", &["ir", "lang", "autodiff", "codegen"]),
    ("sim", &["runtime", "lang"]),
    ("optim", &["runtime"]),
    (".", &["lang", "runtime", "sim", "optim"]),
];

/// The `[dependencies]` of a manifest (not those of tests).
fn dependencies(folder: &str) -> Vec<String> {
    let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
    let section = manifest.split("\n[dependencies]").nth(1).unwrap_or_default();
    let section = section.split("\n[").next().unwrap_or_default();
    let name = |line: &str| line.split([' ', '.', '=']).next().unwrap_or_default().to_owned();
    section.lines().map(name).filter(|n| !n.is_empty()).collect()
}

#[test]
fn crates_depend_only_on_crates_to_their_left() {
    for (folder, allowed) in ARROWS {
        for name in dependencies(folder) {
            if let Some(other) = name.strip_prefix("pullback-") {
                assert!(allowed.contains(&other), "{folder} must not depend on {name}");
            }
            assert!(!name.starts_with("inkwell") || *folder == "codegen", "{folder} must not see LLVM");
        }
    }
    let architecture = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for (folder, _) in ARROWS.iter().filter(|(f, _)| *f != ".") {
        assert!(architecture.contains(&format!("`{folder}/`")), "ARCHITECTURE.md does not name {folder}/");
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().is_some_and(|n| n != "target") {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn files_say_what_they_are_for() {
    let mut files = Vec::new();
    for folder in ["ir/src", "lang/src", "lang/macros/src", "autodiff/src", "codegen/src", "runtime/src", "sim/src"] {
        sources(&root().join(folder), &mut files);
    }
    for folder in ["optim/src", "src", "examples", "benches", "tests"] {
        sources(&root().join(folder), &mut files);
    }
    assert!(files.len() > 100, "the sources are found");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//!"), "{} does not begin with what it is for", file.display());
        assert!(text.lines().count() <= 1000, "{} has more than one idea", file.display());
        let crate_name = file.strip_prefix(root()).unwrap().components().next().unwrap();
        let may = ["codegen", "runtime"].iter().any(|c| crate_name.as_os_str() == *c);
        let has = text.lines().any(|l| l.contains("unsafe {") || l.contains("unsafe fn") || l.contains("unsafe impl"));
        assert!(may || !has || file.ends_with("tests/it/house.rs"), "{} has unsafe code", file.display());
    }
}

#[test]
fn the_table_of_ops_is_written_down() {
    let mut text = String::from(
        "# Float ops\n\nMade from the op table (`ir/src/ops`); `BLESS=1 cargo test --test it` rewrites it.\n\n\
         | op | operands | what it computes | derivative by rule: at → partials | error of f32, ULP |\n\
         | --- | --- | --- | --- | --- |\n",
    );
    for &op in FloatOp::ALL {
        let kinks: Vec<String> = op.kinks().iter().map(|(at, partials)| format!("{at:?} → {partials:?}")).collect();
        let ulp = pullback_ir::math::ULP.iter().find(|(name, _)| *name == op.name());
        let ulp = ulp.map_or("0.5".to_owned(), |(_, ulp)| ulp.to_string());
        let doc = op.doc().replace('|', "\\|");
        text += &format!("| `{}` | {} | {doc} | {} | {ulp} |\n", op.name(), op.arity(), kinks.join("; "));
    }
    let path = root().join("docs/ops.md");
    if std::env::var_os("BLESS").is_some() {
        fs::create_dir_all(root().join("docs")).unwrap();
        fs::write(&path, &text).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap_or_default(), text, "docs/ops.md is stale: run with BLESS=1");
}
