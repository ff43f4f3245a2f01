use pullback_lang::*;

struct S;

impl S {
    #[func]
    fn method(&self, x: f32) -> f32 {
        x
    }
}

fn main() {}
