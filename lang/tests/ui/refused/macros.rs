#[path = "../array.rs"]
mod array;
use array::Array;
use pullback_lang::*;

#[kernel]
fn kernel_under_test(x: &mut Array<f32>, n: i64) {
    print!("{}", n);
    dbg!(n);
    let v = vec![1.0];
    x[0] = my_macro!(n);
    x[1] = println!("{}", n);
    panic!("no");
}

#[kernel]
fn texts(x: &mut Array<f32>, n: i64) {
    println!(n);
    println!("{} {}", n);
    println!("{}", n, x[0]);
    println!("{:>8}", n);
    println!("}");
    assert!();
    assert!(n > 0, "n is {}", n);
    assert!(n > 0, n);
    assert_eq!(n);
}

fn main() {}
