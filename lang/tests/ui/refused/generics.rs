use pullback_lang::*;

#[func]
fn a<T>(x: T) -> T {
    x
}

#[func]
fn b<T: Copy>(x: T) -> T {
    x
}

fn main() {}
