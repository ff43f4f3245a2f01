use pullback_lang::*;

#[func]
const fn a(x: f32) -> f32 {
    x
}

#[func]
unsafe fn b(x: f32) -> f32 {
    x
}

#[func]
async fn c(x: f32) -> f32 {
    x
}

#[func]
extern "C" fn d(x: f32) -> f32 {
    x
}

fn main() {}
