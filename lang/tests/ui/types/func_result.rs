use pullback_lang::*;

#[func]
fn a(x: f32) -> f32 {
    x > 1.0
}

#[func]
fn b(x: f32) -> f32 {
    if x > 1.0 {
        return 1;
    }
    x
}

#[func]
fn c(x: f32) -> f32 {
    x + 1.0;
}

fn main() {}
