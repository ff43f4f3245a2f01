//! What the macros and rustc say of kernels that are wrong: each message, at its token.
//!
//! `TRYBUILD=overwrite` rewrites the expected output after a change of messages.

#[test]
fn messages() {
    let t = trybuild::TestCases::new();
    t.compile_fail("tests/ui/refused/*.rs");
    t.compile_fail("tests/ui/types/*.rs");
}
