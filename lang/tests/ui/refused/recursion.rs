use pullback_lang::*;

#[func]
fn factorial(n: i64) -> i64 {
    if n < 2 { 1 } else { n * factorial(n - 1) }
}

fn main() {}
